//! Which of the open stores is meant.
//!
//! Apart from opening because what it holds is a rule: the same address by another way, or with
//! another certificate, may be another server; and what was asked for by another name has other marks.

use crate::app::state::{Connection, State, StoreId};
use crate::config::{self, Wanted};

/// Whether the shown store is meant.
pub(super) fn is_shown(state: &State, wanted: &Wanted) -> bool {
    asked(state, wanted).is_some_and(|asked| is_it(&asked, &state.connection))
}

/// The open store that is meant. With a password it may be meant for another login.
pub(super) fn open_store(state: &State, wanted: &Wanted) -> Option<StoreId> {
    if wanted.password.is_some() || wanted.passphrase.is_some() {
        return None;
    }
    let asked = asked(state, wanted)?;
    let all = state.open_stores();
    let mut all = all.iter();
    let found = all.find(|(_, connection)| is_it(&asked, connection));
    found.map(|(id, _)| *id)
}

fn is_it(asked: &config::Connection, open: &Connection) -> bool {
    // An address without a name may be any that leads there.
    let is_called_so = asked.name.is_none() || asked.name == open.kept.name;
    is_called_so && asked.leads_where(&open.asked())
}

/// The connection that would be opened.
fn asked(state: &State, wanted: &Wanted) -> Option<config::Connection> {
    if wanted.target.is_none() && wanted.connection.is_none() {
        return None;
    }
    let ready = config::ready(wanted, &state.connect.book).ok()?;
    Some(ready.asked())
}
