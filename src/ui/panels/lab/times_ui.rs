//! A time among the switches: typed with its unit, or stepped longer and shorter.
//!
//! Apart from `switches_ui` because a time has bounds and no positions.

use egui::{Id, Key, Modifiers, Ui};

use super::words::time_word;
use crate::app::State;
use crate::app::command::{Command, LabCommand, SwitchesCommand};
use crate::app::state::SwitchForm;
use crate::app::view::lab::Time;
use crate::domain::Duration;
use crate::present::say::say;
use crate::present::span;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Row;
use crate::ui::widgets::button::Chip;
use crate::ui::widgets::form::{FormField, Shows};

const FIELD: f32 = 84.0;

pub fn time_ui(
    ui: &mut Ui,
    theme: &Theme,
    (state, form): (&State, &SwitchForm),
    time: Time,
    (indent, label, line): (f32, f32, f32),
    send: &Commands,
) {
    let ask = |command| send.send(Command::Lab(LabCommand::Switches(command)));
    let known = form.pick.of(&state.lab.scenarios);
    let usual = known.and_then(|(_, variant)| variant.switches.millis(time.id));
    let tone = match usual == form.switches.millis(time.id) {
        true => Tone::Secondary,
        false => Tone::Accent,
    };
    let word = time_word(time.id);
    ui.push_id(time.id, |ui| {
        let mut row = Row::next(ui, theme, line);
        row.gap(indent);
        let place = row.take(label - indent, line);
        Row::new(row.ui, theme, place).text(&word, Text::Body, tone);
        let id = Id::unique(("lab time", time.id));
        steps_by_keys(row.ui, id, |by| ask(SwitchesCommand::TimeBy { time, by }));
        let field = FormField {
            id,
            name: &word,
            hint: "4s",
            shows: Shows::Mono,
            is_wrong: form.is_wrong(&time),
        };
        let mut text = form.text(&time);
        let place = row.take(FIELD, 22.0);
        if field.show(row.ui, theme, place, &mut text).changed {
            ask(SwitchesCommand::TimeTyped { time, text });
        }
        row.gap(4.0);
        let steps = [
            ("−", -1, say!("switch-time-shorter", what = &word)),
            ("+", 1, say!("switch-time-longer", what = &word)),
        ];
        for (sign, by, name) in steps {
            let chip = Chip {
                word: sign,
                count: None,
                icon: None,
                is_chosen: false,
            };
            let place = row.take(22.0, 22.0);
            if chip.show_named(row.ui, theme, place, &name).clicked() {
                ask(SwitchesCommand::TimeBy { time, by });
            }
        }
        row.gap(8.0);
        let tone = match form.is_wrong(&time) {
            true => Tone::Danger,
            false => Tone::Tertiary,
        };
        row.text(&bounds(&time), Text::Note, tone);
    });
}

/// From the shortest to the longest.
fn bounds(time: &Time) -> String {
    let typed = |ms: u64| span::typed_exact(Duration(i64::try_from(ms).unwrap_or(i64::MAX)));
    say!(
        "switch-time-bounds",
        from = typed(time.from_ms),
        to = typed(time.to_ms)
    )
}

/// Up and down step in a field that has the focus.
fn steps_by_keys(ui: &Ui, id: Id, step: impl Fn(i64)) {
    if !ui.memory(|memory| memory.has_focus(id)) {
        return;
    }
    for (key, by) in [(Key::ArrowUp, 1), (Key::ArrowDown, -1)] {
        while ui.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
            step(by);
        }
    }
}
