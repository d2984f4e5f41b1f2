//! A side in one sentence and five figures: what was wanted, what was done, what is known.
//!
//! Apart from `data` because what they tell depends on what the scenario is about: charges alone,
//! mails as well, or refunds.

use super::Figure;
use crate::app::state::Side;
use crate::app::view::lab::{Also, Moment};
use crate::present::count::{Font, grouped};
use crate::present::say::say;
use crate::ui::theme::{Text, Tone};
use crate::ui::widgets::Span;

/// Whether the cursor has come to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    SoFar,
    End,
}

/// "So far: wanted 1, the bank made 2, the customer knows of 0".
pub fn sentence(side: &Side, moment: &Moment, when: When) -> Vec<Span> {
    let (wanted, made) = ("\u{1}", "\u{2}");
    let (knows, also) = ("\u{3}", "\u{4}");
    let words = match (side.trace.about.also, when) {
        (Also::Nothing, When::End) => {
            say!("lab-came-to", wanted = wanted, made = made, knows = knows)
        }
        (Also::Nothing, When::SoFar) => {
            say!("lab-so-far", wanted = wanted, made = made, knows = knows)
        }
        (Also::Mails, When::End) => say!(
            "lab-came-to-mails",
            wanted = wanted,
            made = made,
            mails = also,
            knows = knows
        ),
        (Also::Mails, When::SoFar) => say!(
            "lab-so-far-mails",
            wanted = wanted,
            made = made,
            mails = also,
            knows = knows
        ),
        (Also::Refunds, When::End) => say!(
            "lab-came-to-refunds",
            wanted = wanted,
            made = made,
            back = also,
            knows = knows
        ),
        (Also::Refunds, When::SoFar) => say!(
            "lab-so-far-refunds",
            wanted = wanted,
            made = made,
            back = also,
            knows = knows
        ),
    };
    let figures = [
        (side.trace.about.wanted, Tone::Primary),
        (moment.charges, charges_tone(side, moment)),
        (moment.believed(), Tone::Primary),
        match side.trace.about.also {
            Also::Refunds => (moment.refunds, refunds_tone(side, moment, when)),
            _ => (moment.mails, mails_tone(side, moment, when)),
        },
    ];
    figures_in(&words, &figures)
}

/// The words are one sentence in each language; figures stand out in it, where it has their
/// numbers as control characters.
pub fn figures_in(words: &str, figures: &[(u64, Tone)]) -> Vec<Span> {
    let mut spans = vec![Span::body("", Tone::Primary)];
    for c in words.chars() {
        let place = (c as usize).checked_sub(1);
        match place.and_then(|at| figures.get(at)) {
            Some((figure, tone)) => {
                spans.push(Span::new(
                    grouped(*figure, Font::Text),
                    Text::Section,
                    *tone,
                ));
                spans.push(Span::body("", Tone::Primary));
            }
            None => {
                if let Some(span) = spans.last_mut() {
                    span.text.push(c);
                }
            }
        }
    }
    spans.retain(|span| !span.text.is_empty());
    spans
}

pub fn counters(side: &Side, moment: &Moment, when: When) -> Vec<Figure> {
    let figure = |value: u64, word: String, tone: Tone| Figure {
        value: grouped(value, Font::Mono),
        word,
        tone,
    };
    let tone = charges_tone(side, moment);
    let sum = u64::try_from(moment.charged_sum).unwrap_or_default();
    let last = match side.trace.about.also {
        Also::Refunds => figure(
            moment.refunds,
            say!("lab-refunds", count = moment.refunds),
            refunds_tone(side, moment, when),
        ),
        _ => figure(
            moment.mails,
            say!("lab-mails", count = moment.mails),
            mails_tone(side, moment, when),
        ),
    };
    vec![
        figure(
            moment.attempts,
            say!("lab-attempts", count = moment.attempts),
            Tone::Primary,
        ),
        figure(
            moment.executions,
            say!("lab-executions", count = moment.executions),
            Tone::Primary,
        ),
        figure(
            moment.charges,
            say!("lab-charges", count = moment.charges),
            tone,
        ),
        figure(sum, say!("lab-charged"), tone),
        last,
    ]
}

fn charges_tone(side: &Side, moment: &Moment) -> Tone {
    match moment.charges > side.trace.about.wanted {
        true => Tone::Failed,
        false => Tone::Primary,
    }
}

/// In the end each payment has its mail.
fn mails_tone(side: &Side, moment: &Moment, when: When) -> Tone {
    let is_about_them = side.trace.about.also == Also::Mails;
    let is_missed = when == When::End && is_about_them && moment.mails < moment.charges;
    match is_missed || moment.mails_too_many > 0 {
        true => Tone::Failed,
        false => Tone::Primary,
    }
}

/// In the end of an order that was cancelled all has been given back.
fn refunds_tone(side: &Side, moment: &Moment, when: When) -> Tone {
    let order = side
        .outcome()
        .and_then(|outcome| outcome.counters.state.get("order"));
    let is_cancelled = order.and_then(|order| order.as_str()) == Some("cancelled");
    let is_kept = when == When::End && is_cancelled && moment.refunds != moment.charges;
    match is_kept || moment.refunds_too_many > 0 {
        true => Tone::Failed,
        false => Tone::Primary,
    }
}
