//! What is said at the end of a run: the verdict, and what everybody takes for true.
//!
//! Apart from `data` because nothing of it is said before.

use super::VerdictLine;
use crate::app::State;
use crate::app::state::Side;
use crate::app::view::lab::{Moment, RowState, Verdict, verdict};
use crate::present::say::say;
use crate::ui::theme::Tone;

pub fn verdict_line(state: &State, side: &Side) -> Option<VerdictLine> {
    let line = |icon, tone, word: String, whole: String| VerdictLine {
        icon,
        tone,
        word,
        whole,
    };
    Some(match verdict(state, side) {
        Verdict::Open | Verdict::Failed(_) => return None,
        Verdict::AsExpected => line(
            "pass",
            Tone::Completed,
            say!("lab-as-expected"),
            say!("lab-as-expected-hint"),
        ),
        Verdict::Changed => line(
            "not_known",
            Tone::Secondary,
            say!("lab-changed"),
            say!("lab-changed-hint"),
        ),
        Verdict::Missed(missed) => {
            let first = missed.first().cloned().unwrap_or_default();
            line(
                "fail",
                Tone::Failed,
                say!("lab-missed", what = first),
                missed.join("\n"),
            )
        }
    })
}

/// What everybody takes for true in the end.
pub fn beliefs(side: &Side, moment: &Moment) -> Vec<(String, String)> {
    let done = moment.believed();
    let open = moment.views.len() as u64 - done;
    let client = match (done, open) {
        (0, _) => say!("lab-believes-nothing"),
        (done, 0) => say!("lab-believes-done", count = done),
        (done, open) => say!("lab-believes-some", count = done, open = open),
    };
    let completed = moment.rows.values();
    let completed = completed.filter(|row| row.state == RowState::Completed);
    let rows = completed.count() as u64;
    let shop = match (side.variant.switches.unprotected, rows) {
        (true, _) => say!("lab-shop-remembers-none"),
        (_, rows) => say!("lab-shop-remembers", count = rows),
    };
    let bank = match moment.refunds {
        0 => say!("lab-bank-has", count = moment.charges),
        refunds => say!(
            "lab-bank-has-refunds",
            count = moment.charges,
            refunds = refunds
        ),
    };
    vec![
        (say!("lab-client"), client),
        (say!("lab-shop"), shop),
        (say!("lab-bank"), bank),
    ]
}
