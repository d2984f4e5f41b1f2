//! Which stores are open: the one that is shown, and those that wait behind it.
//!
//! Apart from `connection` because that is of one store. The areas of a store that waits are kept
//! whole, so that changing over shows it as it was left.
//! Bound: so many stores at once.

use super::{
    Changes, Connection, Editor, Keys, Layouts, Locks, Place, Record, Selection, State, Stats,
};
use crate::app::remote::Failure;

/// What a store is known by while it is open.
pub type StoreId = u64;

/// What concerns no store.
pub const HOUSE: StoreId = 0;
/// Each open store holds its connections, and its rows in memory.
pub const OPEN_MAX: usize = 8;

#[derive(Debug)]
pub struct Stores {
    /// The store that is shown.
    pub current: StoreId,
    /// The newest number that was given.
    pub last: StoreId,
    /// In the order of their numbers.
    pub parked: Vec<Parked>,
    /// Counts the changes from store to store.
    pub shown: u64,
    /// The place in the menu of stores.
    pub chosen: usize,
}

impl Default for Stores {
    fn default() -> Stores {
        Stores {
            current: 1,
            last: 1,
            parked: Vec::new(),
            shown: 0,
            chosen: 0,
        }
    }
}

/// A store that is open, or opening, and not shown.
#[derive(Debug)]
pub struct Parked {
    pub id: StoreId,
    pub areas: Areas,
    /// When it was shown last, as a count.
    pub shown: u64,
    /// The view that was shown then.
    pub place: Place,
}

/// All that is of one store.
#[derive(Debug, Default)]
pub struct Areas {
    pub connection: Connection,
    pub changes: Changes,
    pub keys: Keys,
    pub locks: Locks,
    pub layouts: Layouts,
    pub editor: Editor,
    pub selection: Selection,
    pub record: Record,
    pub stats: Stats,
}

impl State {
    /// Changes the areas of the store that is shown for others.
    pub fn swap(&mut self, areas: &mut Areas) {
        std::mem::swap(&mut self.connection, &mut areas.connection);
        std::mem::swap(&mut self.changes, &mut areas.changes);
        std::mem::swap(&mut self.keys, &mut areas.keys);
        std::mem::swap(&mut self.locks, &mut areas.locks);
        std::mem::swap(&mut self.layouts, &mut areas.layouts);
        std::mem::swap(&mut self.editor, &mut areas.editor);
        std::mem::swap(&mut self.selection, &mut areas.selection);
        std::mem::swap(&mut self.record, &mut areas.record);
        std::mem::swap(&mut self.stats, &mut areas.stats);
    }

    /// Open stores with their connections, in the order in which they were opened.
    pub fn open_stores(&self) -> Vec<(StoreId, &Connection)> {
        let parked = self.stores.parked.iter();
        let mut all: Vec<_> = parked
            .map(|parked| (parked.id, &parked.areas.connection))
            .chain([(self.stores.current, &self.connection)])
            .filter(|(_, connection)| connection.store.value().is_some())
            .collect();
        all.sort_by_key(|(id, _)| *id);
        all
    }

    /// A store that has been asked for and has not answered yet.
    pub fn opening(&self) -> Option<(StoreId, &Connection)> {
        let parked = self.stores.parked.iter();
        let mut all = parked
            .map(|parked| (parked.id, &parked.areas.connection))
            .chain([(self.stores.current, &self.connection)]);
        all.find(|(_, connection)| connection.is_opening())
    }

    /// Why the last store that was asked for did not open.
    pub fn open_failure(&self) -> Option<&Failure> {
        let own = self.connection.store.failure();
        let is_blank = self.connection.store.value().is_none();
        self.connect.failure.as_ref().or(own.filter(|_| is_blank))
    }
}
