//! Pictures of retry statistics: a calm hour, and names that no person would give.

use std::sync::Arc;

use egui::{Rect, Ui};

use super::{check, drawn};
use crate::app::State;
use crate::app::state::{Place, StatsBy};
use crate::app::tests::{retries, told_of};
use crate::domain::Timestamp;
use crate::domain::attempt::Field;
use crate::stats::{Draft, Span, Tally, Terms};
use crate::ui::commands::Commands;
use crate::ui::panels::stats::{StatsMemory, stats_ui};
use crate::ui::theme::Theme;

const NOW: Timestamp = Timestamp(3_600_000);

fn state(told: crate::app::view::Told) -> State {
    let mut state = State::default();
    state.clock.here = NOW;
    state.view.place = Place::Stats;
    state.stats.told.ready(Arc::new(told), NOW);
    state
}

#[test]
fn a_calm_hour() {
    let state = state(retries(4_000));
    let mut memory = StatsMemory::default();
    check(
        "stats",
        [1180, 640],
        |ui: &mut Ui, theme: &Theme, rect: Rect| {
            stats_ui(ui, theme, rect, &state, &mut memory, &Commands::default());
        },
    );
}

#[test]
fn hostile_names_in_any_room() {
    let span = Span {
        from: 0,
        to: 3_600_001,
    };
    let mut tally = Tally::new(span, Terms::default());
    let huge = "x".repeat(100_000);
    for number in 0..10_000_u32 {
        let endpoint = format!("GET\u{202e} /\n{number}\u{7f}");
        let mut draft = Draft::default();
        draft.number(Field::At, i64::from(number) * 300);
        draft.text(Field::Key, &endpoint);
        draft.text(Field::Endpoint, if number == 0 { &huge } else { &endpoint });
        draft.text(Field::Client, "\u{1b}[31m\u{2066}");
        draft.text(Field::Outcome, "\u{202e}gone");
        draft.number(Field::Number, i64::from(number));
        draft.number(Field::SinceFirst, i64::from(number) * 1_000);
        tally.add(&draft.finish().expect("a time"));
    }
    let mut state = state(told_of(&tally));
    for (by, size) in StatsBy::ALL.into_iter().zip([
        [1, 1],
        [90, 60],
        [320, 200],
        [480, 90],
        [2000, 160],
        [900, 1200],
        [1024, 700],
    ]) {
        state.stats.by = by;
        let mut memory = StatsMemory::default();
        let mut draw = |ui: &mut Ui, theme: &Theme, rect: Rect| {
            stats_ui(ui, theme, rect, &state, &mut memory, &Commands::default());
        };
        let pixels = drawn(crate::app::start::Theme::Dark, size, &mut draw);
        assert_eq!(pixels.len() as u32, size[0] * size[1]);
    }
}
