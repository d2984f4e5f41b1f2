//! Which columns of the table fit a width, and how wide each is.
//!
//! Apart from `data` because this is about room, not about records.
//! Invariant: a width that a person has set is kept; the key takes what is left over.

use crate::app::State;
use crate::app::state::Times;
use crate::app::view::ColumnName::{
    self, Address, Age, Created, Ended, Hash, Key, Layout, Mark, Operation, Replays, Response,
    Scope, Status, Tries, Ttl,
};
use crate::app::view::{ChosenColumn, Direction, SortField, chosen_columns};
use crate::config::settings::Settings;
use crate::present::say::{self, Language};

/// A column in sight with its width in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnPlace {
    pub name: ColumnName,
    pub width: f32,
}

/// What goes first where there is little room.
const DROPPED: [ColumnName; 10] = [
    Tries, Hash, Scope, Ttl, Replays, Response, Ended, Created, Address, Layout,
];
/// Narrower than this a column says nothing.
const OPERATION_MIN: f32 = 132.0;
const KEY_MIN: f32 = 172.0;
/// A time of day needs more room than an age.
const TIME_WIDTH: f32 = 116.0;

fn usual_width(name: ColumnName, times: Times) -> f32 {
    match (name, times) {
        (Age | Ttl, Times::Local | Times::Utc) | (Created | Ended, _) => TIME_WIDTH,
        (Mark, _) => 28.0,
        // Words differ in length.
        (Status, _) => match say::spoken() {
            Language::English => 104.0,
            Language::Russian => 122.0,
        },
        (Key, _) => 206.0,
        (Scope, _) => 82.0,
        (Operation, _) => 200.0,
        (Age, _) => 66.0,
        (Ttl, _) => 70.0,
        (Hash, _) => 72.0,
        (Tries, _) => 48.0,
        (Response | Replays, _) => 74.0,
        (Layout, _) => 130.0,
        (Address, _) => 220.0,
    }
}

/// The chosen columns that fit a width.
pub fn columns(width: f32, settings: &Settings) -> Vec<ColumnPlace> {
    let mut chosen = chosen_columns(settings);
    chosen.retain(|column| column.is_shown);
    let times = settings.times;
    let place = |column: &ChosenColumn| ColumnPlace {
        name: column.name,
        width: column.width.unwrap_or(usual_width(column.name, times)),
    };
    let mut columns = vec![ColumnPlace {
        name: Mark,
        width: usual_width(Mark, times),
    }];
    columns.extend(chosen.iter().map(place));
    let is_free = |name| {
        let mut all = chosen.iter();
        all.any(|column| column.name == name && column.width.is_none())
    };
    drop_some(&mut columns, width, is_free);
    let mut short = sum(&columns) - width;
    for (name, least) in [(Operation, OPERATION_MIN), (Key, KEY_MIN)] {
        let column = columns.iter_mut().find(|column| column.name == name);
        if let (Some(column), true) = (column, short > 0.0 && is_free(name)) {
            let give = short.min((column.width - least).max(0.0));
            column.width -= give;
            short -= give;
        }
    }
    // Spare room: the key first, up to what a UUID needs, then the operation.
    let mut spare = -short;
    for (name, most) in [(Key, 284.0), (Operation, 320.0), (Key, f32::INFINITY)] {
        let column = columns.iter_mut().find(|column| column.name == name);
        if let (Some(column), true) = (column, spare > 0.0 && is_free(name)) {
            let take = spare.min((most - column.width).max(0.0));
            column.width += take;
            spare -= take;
        }
    }
    columns
}

fn sum(columns: &[ColumnPlace]) -> f32 {
    columns.iter().map(|column| column.width).sum()
}

fn drop_some(columns: &mut Vec<ColumnPlace>, width: f32, is_free: impl Fn(ColumnName) -> bool) {
    for dropped in DROPPED {
        // The last ones to go stay while others can give room.
        let room = |name, least: f32| {
            let column = columns.iter().find(|column| column.name == name);
            let width = column.filter(|_| is_free(name)).map_or(0.0, |c| c.width);
            (width - least).max(0.0)
        };
        let give = match dropped {
            Tries | Hash | Scope => 0.0,
            _ => room(Operation, OPERATION_MIN) + room(Key, KEY_MIN),
        };
        if sum(columns) - give <= width {
            break;
        }
        columns.retain(|column| column.name != dropped);
    }
}

/// Whether a column's header shows how the rows are sorted.
pub fn sorted(state: &State, name: ColumnName) -> Option<Direction> {
    let order = state.keys.order;
    match (order.field, name) {
        (SortField::Usual, Status) => Some(Direction::Descending),
        (SortField::Usual, _) | (_, Mark) => None,
        (field, name) => (Some(field) == name.sort_field()).then_some(order.direction),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::keep_columns;

    fn names(width: f32, settings: &Settings) -> Vec<ColumnName> {
        let columns = columns(width, settings);
        columns.into_iter().map(|column| column.name).collect()
    }

    #[test]
    fn columns_go_in_their_order() {
        let usual = Settings::default();
        let names = |width| names(width, &usual);
        assert_eq!(names(876.0).len(), 9);
        assert!(!names(870.0).contains(&Tries));
        assert!(!names(800.0).contains(&Hash));
        assert!(!names(750.0).contains(&Scope) && names(750.0).contains(&Ttl));
        assert_eq!(names(600.0), [Mark, Status, Key, Operation, Age, Ttl]);
        assert_eq!(names(500.0), [Mark, Status, Key, Operation, Age]);
    }

    #[test]
    fn a_width_that_was_set_is_kept() {
        let mut settings = Settings::default();
        let mut list = chosen_columns(&settings);
        for column in &mut list {
            match column.name {
                Key => column.width = Some(400.0),
                Address => column.is_shown = true,
                _ => {}
            }
        }
        keep_columns(&mut settings, &list);
        for width in [500.0, 900.0, 2000.0] {
            let columns = columns(width, &settings);
            let key = columns.iter().find(|column| column.name == Key);
            assert_eq!(key.map(|column| column.width), Some(400.0), "{width}");
        }
        assert!(names(2000.0, &settings).contains(&Address));
    }

    #[test]
    fn all_columns_at_once_fill_the_room_or_less() {
        let mut settings = Settings::default();
        let mut list = chosen_columns(&settings);
        list.iter_mut().for_each(|column| column.is_shown = true);
        keep_columns(&mut settings, &list);
        for width in [520.0, 800.0, 1000.0, 1400.0, 1900.0] {
            let used = sum(&columns(width, &settings));
            assert!(used <= width + 0.1, "{used} of {width}");
        }
    }
}
