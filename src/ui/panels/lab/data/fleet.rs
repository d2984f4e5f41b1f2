//! What free play says: its knobs, and how the clients fare.
//!
//! Apart from `data` because it has no columns.

use super::Figure;
use crate::app::State;
use crate::app::command::FreeCommand;
use crate::app::state::Instances;
use crate::app::view::lab::{Delay, FleetPatience, FleetView, Keys, Plan};
use crate::present::count::{Font, grouped};
use crate::present::say::say;
use crate::ui::theme::Tone;
use crate::ui::widgets::Span;

pub use crate::app::view::lab::SECONDS;

/// Something to turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Knob {
    pub label: String,
    pub choices: Vec<Choice>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub word: String,
    pub is_chosen: bool,
    pub command: FreeCommand,
}

pub fn knobs(state: &State) -> Vec<Knob> {
    let free = &state.lab.free;
    let mut knobs = of_clients(&free.plan);
    knobs.extend(of_faults(&free.plan));
    let instances = [(Instances::One, "1"), (Instances::Two, "2")];
    knobs.push(Knob {
        label: say!("free-instances"),
        choices: instances
            .map(|(instances, word)| Choice {
                word: word.to_owned(),
                is_chosen: free.instances == instances,
                command: FreeCommand::Instances(instances),
            })
            .to_vec(),
    });
    let presets = state.lab.presets.iter().enumerate();
    knobs.push(Knob {
        label: say!("free-preset"),
        choices: presets
            .map(|(at, preset)| Choice {
                word: preset.title.spoken().to_owned(),
                is_chosen: free.switches == preset.switches,
                command: FreeCommand::Preset(at),
            })
            .collect(),
    });
    knobs
}

/// How the clients behave.
fn of_clients(plan: &Plan) -> Vec<Knob> {
    vec![
        knob(
            plan,
            say!("free-clients"),
            &[1, 4, 8, 20, 50, 200],
            |plan, n| plan.clients = *n,
            |n| n.to_string(),
        ),
        knob(
            plan,
            say!("free-rest"),
            &[100, 500, 2_000],
            |plan, ms| plan.rest_ms = *ms,
            |ms| time(*ms),
        ),
        knob(
            plan,
            say!("free-keys"),
            &[Keys::OnePerOperation, Keys::NewPerAttempt, Keys::None],
            |plan, keys| plan.keys = *keys,
            |keys| match keys {
                Keys::OnePerOperation => say!("free-keys-one"),
                Keys::NewPerAttempt => say!("free-keys-new"),
                Keys::None => say!("free-keys-none"),
            },
        ),
        knob(
            plan,
            say!("free-delay"),
            &[
                Delay::None,
                Delay::Fixed,
                Delay::Exponential,
                Delay::FullJitter,
            ],
            |plan, delay| plan.delay = *delay,
            |delay| match delay {
                Delay::None => say!("free-delay-none"),
                Delay::Fixed => say!("free-delay-fixed"),
                Delay::Exponential => say!("free-delay-exponential"),
                Delay::FullJitter => say!("free-delay-jitter"),
            },
        ),
        knob(
            plan,
            say!("free-budget"),
            &[1, 3, 6, 20],
            |plan, n| plan.budget = *n,
            |n| n.to_string(),
        ),
    ]
}

/// What goes wrong, and who waits for it.
fn of_faults(plan: &Plan) -> Vec<Knob> {
    vec![
        knob(
            plan,
            say!("free-retry-after"),
            &[FleetPatience::AsAsked, FleetPatience::Ignored],
            |plan, patience| plan.honours_retry_after = *patience,
            |patience| match patience {
                FleetPatience::AsAsked => say!("free-honoured"),
                FleetPatience::Ignored => say!("free-ignored"),
            },
        ),
        knob(
            plan,
            say!("free-lost"),
            &[0, 5, 20, 50],
            |plan, n| plan.lost_answers = *n,
            |n| percent(*n),
        ),
        knob(
            plan,
            say!("free-crashes"),
            &[0, 1, 5],
            |plan, n| plan.crashes = *n,
            |n| percent(*n),
        ),
        knob(
            plan,
            say!("free-errors"),
            &[0, 2, 10, 50],
            |plan, n| plan.errors = *n,
            |n| percent(*n),
        ),
    ]
}

fn knob<T>(
    plan: &Plan,
    label: String,
    values: &[T],
    set: impl Fn(&mut Plan, &T),
    word: impl Fn(&T) -> String,
) -> Knob {
    let choice = |value: &T| {
        let mut turned = plan.clone();
        set(&mut turned, value);
        Choice {
            word: word(value),
            is_chosen: turned == *plan,
            command: FreeCommand::Plan(turned),
        }
    };
    Knob {
        label,
        choices: values.iter().map(choice).collect(),
    }
}

fn percent(share: u8) -> String {
    format!("{share} %")
}

fn time(ms: u64) -> String {
    match ms {
        ms if ms < 1_000 => say!("free-ms", count = ms),
        ms => say!("lab-second", count = ms / 1_000),
    }
}

/// How the clients fare.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetData {
    pub sentence: Vec<Span>,
    pub figures: Vec<Figure>,
    pub plots: Vec<Plot>,
    pub statuses: Vec<(String, String)>,
}

/// Counts of the last seconds, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    pub title: String,
    /// Of the last whole second.
    pub now: String,
    /// The whole, and a part of it.
    pub bars: Vec<(u32, u32)>,
    pub tones: (Tone, Tone),
}

pub fn fleet_data(state: &State) -> FleetData {
    let view = &state.lab.free.view;
    let words = say!(
        "free-sentence",
        wanted = "\u{1}",
        made = "\u{2}",
        knows = "\u{3}"
    );
    let numbers = [
        (view.operations, Tone::Primary),
        (view.charges, excess_tone(view)),
        (view.succeeded, Tone::Primary),
    ];
    let status = |(status, count): &(u16, u64)| {
        let word = match status {
            0 => say!("free-no-answer"),
            status => status.to_string(),
        };
        (word, grouped(*count, Font::Mono))
    };
    FleetData {
        sentence: super::told::figures_in(&words, &numbers),
        figures: figures(view),
        plots: plots(view),
        statuses: view.statuses.iter().map(status).collect(),
    }
}

fn excess_tone(view: &FleetView) -> Tone {
    if view.excess > 0 {
        Tone::Failed
    } else {
        Tone::Primary
    }
}

fn figures(view: &FleetView) -> Vec<Figure> {
    let figure = |count: u64, word: String, tone: Tone| Figure {
        value: grouped(count, Font::Mono),
        word,
        tone,
    };
    let operations = say!("free-operations", count = view.operations);
    let attempts = say!("lab-attempts", count = view.attempts);
    let replays = say!("free-replays", count = view.replays);
    let charges = say!("lab-charges", count = view.charges);
    vec![
        figure(view.operations, operations, Tone::Primary),
        figure(view.attempts, attempts, Tone::Primary),
        figure(view.replays, replays, Tone::Primary),
        figure(view.charges, charges, Tone::Primary),
        figure(view.excess, say!("free-excess"), excess_tone(view)),
        figure(view.gave_up, say!("free-gave-up"), Tone::Primary),
    ]
}

fn plots(view: &FleetView) -> Vec<Plot> {
    // The last second is not over yet.
    let last = view.seconds.iter().rev().nth(1).copied();
    let last = last.unwrap_or_default();
    let seconds = view.seconds.iter();
    vec![
        Plot {
            title: say!("free-plot-attempts"),
            now: say!("free-per-second", count = last.attempts),
            bars: seconds
                .clone()
                .map(|one| (one.attempts, one.retries))
                .collect(),
            tones: (Tone::Tertiary, Tone::Stuck),
        },
        Plot {
            title: say!("free-plot-charges"),
            now: say!("free-per-second", count = last.charges),
            bars: seconds.map(|one| (one.charges, 0)).collect(),
            tones: (Tone::Accent, Tone::Accent),
        },
    ]
}
