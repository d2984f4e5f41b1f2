//! What the page of connecting says.

use crate::app::State;
use crate::present::count::{self, Font};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectData {
    /// What is open now: its name and a line about it.
    pub open: Option<(String, String)>,
    pub is_connecting: bool,
    /// What went wrong the last time, and what to do now.
    pub failure: Option<(String, Option<String>)>,
    pub can_open: bool,
}

pub fn connect_data(state: &State) -> ConnectData {
    let connection = &state.connection;
    let open = connection.store.value().map(|opened| {
        let records = state.keys.page.as_ref().map_or(0, |page| page.all.total);
        let records = count::grouped(records, Font::Mono);
        let line = if opened.is_demo {
            format!("{records} records, made by the lab")
        } else {
            format!("{records} records")
        };
        (super::super::store_name(opened), line)
    });
    ConnectData {
        open,
        is_connecting: connection.store.is_loading(),
        failure: connection.store.failure().map(|failure| {
            (
                sentence(&failure.text),
                failure.hint.as_deref().map(sentence),
            )
        }),
        can_open: !connection.typed.trim().is_empty(),
    }
}

/// A sentence of another place, with a capital where it begins with a word.
fn sentence(text: &str) -> String {
    let first_word = text.split(' ').next().unwrap_or_default();
    if !first_word.chars().all(|c| c.is_ascii_lowercase()) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}
