//! What stands in place of the table, and over it: nothing here, nothing matches, no connection.
//!
//! Apart from `data` because these are sentences about the whole, not about rows.

use crate::app::command::KeysCommand;
use crate::app::state::{Opened, Running, State};
use crate::app::view;
use crate::present::say::say;
use crate::present::words::Standing;
use crate::present::{escape, span};
use crate::ui::theme::{Text, Tone};
use crate::ui::widgets::span::Span;

/// What is taken away so that rows are shown again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clears {
    Filter,
    /// The list of keys behind a figure.
    List,
}

impl Clears {
    pub fn command(self) -> KeysCommand {
        match self {
            Clears::Filter => KeysCommand::ClearFilter,
            Clears::List => KeysCommand::DropList,
        }
    }
}

/// What fills the room of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Rows,
    /// Wait a moment: the frame with its headers.
    Waiting,
    NoRecords {
        text: String,
        /// The button that describes what is there; nothing where nothing is.
        describe: Option<String>,
    },
    NothingMatches {
        text: Vec<Span>,
        last_term: Option<String>,
        clears: Clears,
    },
    /// The store was read and nothing came, or it could not be read at all.
    Failed {
        text: String,
        hint: String,
    },
}

fn describe(opened: &Opened) -> Option<String> {
    (opened.sampled > 0).then(|| say!("editor-describe-it"))
}

pub fn body(state: &State) -> Body {
    let keys = &state.keys;
    let Some(opened) = state.connection.store.value() else {
        return Body::Waiting;
    };
    if opened.sources.is_empty() {
        return Body::NoRecords {
            text: nothing_recognised(opened),
            describe: describe(opened),
        };
    }
    let Some(page) = &keys.page else {
        return match &keys.scan.failure {
            Some(failure) => Body::Failed {
                text: failure.text.clone(),
                hint: failure.hint.clone().unwrap_or_default(),
            },
            None => Body::Waiting,
        };
    };
    if !page.rows.is_empty() {
        return Body::Rows;
    }
    if page.all.total == 0 {
        if keys.scan.running == Running::First {
            return Body::Waiting;
        }
        return Body::NoRecords {
            text: say!(
                "keys-none-reads",
                count = keys.scan.progress.looked_at,
                what = opened.sampled_word
            ),
            describe: describe(opened),
        };
    }
    let last = view::last_term(&keys.filter);
    let mut text = Vec::new();
    let shown = escape::shown(keys.filter.trim(), 60);
    if !shown.is_empty() {
        text.push(Span::mono(format!("{shown}\n"), Tone::Secondary));
    }
    if let Some(standing) = keys.standing {
        text.push(Span::body(format!("{}. ", only(standing)), Tone::Secondary));
    }
    let clears = match (page.listed, shown.is_empty() && keys.standing.is_none()) {
        (Some(0), _) | (Some(_), true) => Clears::List,
        _ => Clears::Filter,
    };
    text.push(Span::body(
        match clears {
            Clears::Filter => say!("keys-without-filter", count = page.all.total),
            Clears::List => say!("keys-none-of-list"),
        },
        Tone::Secondary,
    ));
    Body::NothingMatches {
        text,
        last_term: last.map(|term| escape::shown(&term, 24)),
        clears,
    }
}

fn only(standing: Standing) -> String {
    say!("keys-only", standing = standing.word().to_lowercase())
}

fn nothing_recognised(opened: &Opened) -> String {
    let what = opened.sampled_word;
    let mut text = match opened.sampled {
        0 => say!("keys-store-empty", what = what),
        count => format!("{}.", say!("keys-none-reads", count = count, what = what)),
    };
    if opened.unreadable > 0 {
        text.push(' ');
        text.push_str(&say!("keys-unreadable", count = opened.unreadable));
    }
    let refused = opened.refused.len();
    if refused > 0 {
        text.push(' ');
        text.push_str(&say!("keys-refused", count = refused));
    }
    text
}

/// The banner over a table whose store is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Banner {
    pub lead: String,
    pub rest: String,
}

pub fn banner(state: &State) -> Option<Banner> {
    let lost = state.connection.lost.as_ref()?;
    let here = state.clock.here;
    let rest = match lost.next_try {
        Some(at) => {
            let left = crate::domain::Duration(here.until(at).millis().max(0));
            say!("keys-lost-again-in", left = span::sentence(left))
        }
        None if state.connection.store.is_loading() => say!("keys-lost-again"),
        // Tried again it would be refused again.
        None => say!("keys-lost-refused"),
    };
    Some(Banner {
        lead: say!("keys-lost", since = span::sentence(lost.since.until(here))),
        rest: format!("{rest} · {}", lost.why.text),
    })
}

/// A chip over the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChipData {
    pub standing: Option<Standing>,
    pub word: String,
    pub count: u64,
    pub is_chosen: bool,
}

const CHIPS: [Standing; 6] = [
    Standing::Processing,
    Standing::Stuck,
    Standing::Completed,
    Standing::Failed,
    Standing::Expired,
    Standing::Unknown,
];

pub fn chips(state: &State) -> Vec<ChipData> {
    let keys = &state.keys;
    let filtered = keys.page.as_ref().map(|page| &page.filtered);
    let mut chips = vec![ChipData {
        standing: None,
        word: say!("keys-all"),
        count: filtered.map_or(0, |summary| summary.total),
        is_chosen: keys.standing.is_none(),
    }];
    chips.extend(CHIPS.into_iter().map(|standing| ChipData {
        standing: Some(standing),
        word: standing.word(),
        count: filtered.map_or(0, |summary| summary.of_standing(standing)),
        is_chosen: keys.standing == Some(standing),
    }));
    chips
}

/// What is wrong, and perhaps what was meant.
pub type Fault = (Span, Option<String>);

/// The filter's fault, for the right end of its field.
pub fn fault(state: &State) -> Option<Fault> {
    let (text, hint) = view::filter_error(&state.keys.filter)?;
    Some((Span::new(text, Text::Note, Tone::Danger), hint))
}
