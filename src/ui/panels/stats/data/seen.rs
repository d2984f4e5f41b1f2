//! What was seen of the store besides the log: between looks at the records, and by listening.
//!
//! Apart from the figures of the log because none of it is ever added to them.

use super::minute;
use crate::app::State;
use crate::app::view::{self, stats_words};
use crate::present::count::{self, Font};
use crate::present::say::say;

/// A line: what it is, what was seen or why nothing was, and of which time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenLine {
    pub title: String,
    pub text: String,
    pub of: String,
}

pub fn seen(state: &State) -> Vec<SeenLine> {
    let mut lines = vec![looks(state)];
    let Some(told) = view::stats_told(state) else {
        return lines;
    };
    let heard = &told.beside.heard;
    if heard.events.value == Err(view::Why::NotByThisStore) {
        return lines;
    }
    let of = match heard.to {
        0 => String::new(),
        to => times(state, heard.from, to),
    };
    let number = |count: u64| count::grouped(count, Font::Text);
    lines.push(SeenLine {
        title: stats_words::basis(heard.events.basis),
        text: match &heard.events.value {
            Ok(events) => say!(
                "stats-seen-events",
                written = number(events.written),
                deleted = number(events.deleted),
                expired = number(events.expired),
                evicted = number(events.evicted)
            ),
            Err(why) => stats_words::why(*why),
        },
        of: of.clone(),
    });
    lines.push(SeenLine {
        title: stats_words::basis(heard.pushes.basis),
        text: match &heard.pushes.value {
            Ok(pushes) => say!("stats-seen-pushes", count = *pushes),
            Err(why) => stats_words::why(*why),
        },
        of,
    });
    lines
}

fn looks(state: &State) -> SeenLine {
    let looks = &state.stats.looks;
    let number = |count: u64| count::grouped(count, Font::Text);
    SeenLine {
        title: stats_words::basis(view::Basis::Snapshots),
        text: match looks.pairs {
            0 => stats_words::why(view::Why::OneLook),
            _ => say!(
                "stats-seen-looks",
                appeared = number(looks.appeared),
                finished = number(looks.finished),
                expired = number(looks.expired),
                gone = number(looks.gone),
                attempts = number(looks.attempts),
                replays = number(looks.replays)
            ),
        },
        of: match looks.pairs {
            0 => String::new(),
            _ => times(state, looks.from, looks.to),
        },
    }
}

fn times(state: &State, from: i64, to: i64) -> String {
    say!(
        "stats-seen-times",
        from = minute(state, from),
        to = minute(state, to)
    )
}
