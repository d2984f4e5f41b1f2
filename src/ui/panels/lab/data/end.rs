//! What a run has come to: the verdict, and what everybody takes for true.
//!
//! Apart from `data` because it is about who knows, not about what was done.

use super::VerdictLine;
use crate::app::State;
use crate::app::state::Side;
use crate::app::view::lab::{ClientView, Moment, RowState, Verdict, verdict};
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

/// By the last answer of each of its operations.
fn client(moment: &Moment) -> String {
    let of = |wanted: ClientView| {
        let views = moment.views.values();
        views.filter(|view| **view == wanted).count() as u64
    };
    let (done, failed, unknown) = (
        of(ClientView::Success),
        of(ClientView::Failure),
        of(ClientView::Unknown),
    );
    match (done, failed, unknown) {
        (0, 0, _) => return say!("lab-believes-nothing"),
        (1, 0, 0) => return say!("lab-believes-done"),
        (0, 1, 0) => return say!("lab-believes-failed"),
        _ => {}
    }
    let part = |count: u64, words: String| (count > 0).then_some(words);
    let parts = [
        part(done, say!("lab-believes-of-done", count = done)),
        part(failed, say!("lab-believes-of-failed", count = failed)),
        part(unknown, say!("lab-believes-of-unknown", count = unknown)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

/// What everybody takes for true.
pub fn beliefs(side: &Side, moment: &Moment) -> Vec<(String, String)> {
    let completed = moment.rows.values();
    let completed = completed.filter(|row| row.state == RowState::Completed);
    let rows = completed.count() as u64;
    let shop = match (side.variant.switches.unprotected, rows) {
        (true, _) | (_, 0) => say!("lab-shop-remembers-none"),
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
        (say!("lab-client-believes"), client(moment)),
        (say!("lab-shop-knows"), shop),
        (say!("lab-bank-booked"), bank),
    ]
}
