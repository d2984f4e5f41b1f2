//! What stands in place of the table, and over it: nothing here, nothing matches, no connection.
//!
//! Apart from `data` because these are sentences about the whole, not about rows.

use crate::app::state::{Opened, Running, State};
use crate::app::view;
use crate::present::count::{self, Font};
use crate::present::say::say;
use crate::present::words::Standing;
use crate::present::{escape, span};
use crate::ui::theme::{Text, Tone};
use crate::ui::widgets::span::Span;

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
        let looked_at = count::grouped(keys.scan.progress.looked_at, Font::Text);
        return Body::NoRecords {
            text: format!(
                "{looked_at} {} looked at, none reads as a record",
                opened.sampled_word
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
    let all = count::grouped(page.all.total, Font::Text);
    if let Some(standing) = keys.standing {
        text.push(Span::body(format!("{}. ", only(standing)), Tone::Secondary));
    }
    text.push(Span::body(
        format!("Without the filter there are {all}."),
        Tone::Secondary,
    ));
    Body::NothingMatches {
        text,
        last_term: last.map(|term| escape::shown(&term, 24)),
    }
}

fn only(standing: Standing) -> String {
    format!("Only {}", standing.word().to_lowercase())
}

fn nothing_recognised(opened: &Opened) -> String {
    let seen = count::grouped(opened.sampled, Font::Text);
    let word = opened.sampled_word;
    let mut text = match opened.sampled {
        0 => format!("There are no {word} in this store."),
        1 => format!(
            "1 {} looked at, it reads as no record.",
            word.trim_end_matches('s')
        ),
        _ => format!("{seen} {word} looked at, none reads as a record."),
    };
    match opened.refused.len() {
        0 => {}
        1 => text.push_str(" One looks similar and was refused."),
        count => text.push_str(&format!(" {count} look similar and were refused.")),
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
            format!("trying again in {}", span::sentence(left))
        }
        None => "trying again".to_owned(),
    };
    Some(Banner {
        lead: format!("No answer for {}", span::sentence(lost.since.until(here))),
        rest: format!("{rest} · {}", lost.why.text),
    })
}

/// A chip over the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChipData {
    pub standing: Option<Standing>,
    pub word: &'static str,
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
        word: "All",
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
