//! Which of the open stores is meant.
//!
//! Apart from opening because what it holds is a rule: the same address by another way, or with
//! another certificate, may be another server.

use crate::app::state::{Connection, State, StoreId};
use crate::config::Wanted;

/// Whether the shown store is meant, under the name it has.
pub(super) fn is_shown(state: &State, wanted: &Wanted) -> bool {
    let kept = &state.connection.kept;
    let asked = wanted.connection.as_ref();
    is_meant(state, &state.connection, wanted) && asked.is_none_or(|asked| asked.name == kept.name)
}

/// The open store that is meant. With a password it may be meant for another login.
pub(super) fn open_store(state: &State, wanted: &Wanted) -> Option<StoreId> {
    if wanted.password.is_some() || wanted.passphrase.is_some() {
        return None;
    }
    let all = state.open_stores();
    let mut all = all.iter();
    let found = all.find(|(_, connection)| is_meant(state, connection, wanted));
    found.map(|(id, _)| *id)
}

fn is_meant(state: &State, connection: &Connection, wanted: &Wanted) -> bool {
    let kept = &connection.kept;
    let is_same_way = match &wanted.connection {
        Some(asked) => asked.options == kept.options,
        None => wanted.flags == Default::default() || wanted.flags == connection.wanted.flags,
    };
    is_same_way && url_of(state, wanted).as_ref() == Some(&kept.url)
}

/// What it is kept under.
fn url_of(state: &State, wanted: &Wanted) -> Option<String> {
    Some(match (&wanted.connection, &wanted.target) {
        (Some(connection), _) => connection.url.clone(),
        (None, Some(target)) => {
            let text = target.reveal().trim();
            let named = state.connect.book.named(text);
            named.map_or_else(|| text.to_owned(), |known| known.url.clone())
        }
        (None, None) => return None,
    })
}
