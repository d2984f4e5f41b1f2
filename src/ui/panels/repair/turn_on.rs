//! The name of a production store before it may be changed, and the question before a run is
//! stopped by closing the window.

use egui::{Id, Key, Modifiers, Ui};

use crate::app::State;
use crate::app::command::{AppCommand, ChangesCommand, Command};
use crate::app::view::connection_name;
use crate::present::escape;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Row;
use crate::ui::widgets::button::{Button, Weight};
use crate::ui::widgets::dialog::{Edge, edged_dialog_ui};
use crate::ui::widgets::form::{FormField, Shows, production_chip};

const WIDTH: f32 = 480.0;

pub fn turn_on_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let name = connection_name(&state.connection);
    let typed = &state.repair.typed_to_turn_on;
    let changes = |command| send.send(Command::Changes(command));
    let left = edged_dialog_ui(ui, theme, ("turn on", Edge::Production), WIDTH, |ui| {
        let entered = is_entered(ui);
        let mut row = Row::next(ui, theme, 28.0);
        let title = say!("changes-title", name = escape::shown(&name, 40));
        row.rect.max.x -= 104.0;
        row.text(&title, Text::View, Tone::Primary);
        let at = egui::pos2(row.rect.min.x + 12.0, row.rect.center().y);
        production_chip(row.ui, theme, at, &say!("stores-production"));
        let minutes = state.settings.changes_minutes;
        let lead = say!("changes-lead", count = minutes);
        Row::next(ui, theme, 22.0).text(&lead, Text::Body, Tone::Secondary);
        ui.add_space(12.0);
        let height = theme.common().height.field;
        let mut row = Row::next(ui, theme, height);
        let label = row.take(126.0, 18.0);
        let word = say!("repair-type-target");
        Row::new(row.ui, theme, label).text(&word, Text::Body, Tone::Secondary);
        let place = row.take(row.room() - 28.0, height);
        let field = FormField {
            id: Id::unique("turn on name"),
            name: &word,
            hint: &name,
            shows: Shows::Mono,
            is_wrong: false,
        };
        let mut text = typed.clone();
        let answer = field.show(row.ui, theme, place, &mut text);
        if answer.changed {
            changes(ChangesCommand::NameTyped(text));
        }
        if row.ui.memory(|memory| memory.focused().is_none()) {
            answer.response.request_focus();
        }
        let is_right = typed.trim() == name;
        if is_right {
            row.gap(10.0);
            row.icon(&theme.icon("act", "check"), 15.0, Tone::Completed);
        }
        ui.add_space(16.0);
        let mut row = Row::next(ui, theme, 30.0);
        let height = theme.common().height.button;
        let off = (!is_right).then(|| say!("repair-type-first"));
        let button = Button::new(say!("repair-turn-on"))
            .key("Ctrl Enter")
            .weight(Weight::Danger)
            .off(off);
        let place = row.take_right(button.width(row.ui, theme), height);
        if button.show(row.ui, theme, place).clicked() || (entered && is_right) {
            changes(ChangesCommand::TurnOn);
        }
        row.gap_right(8.0);
        cancel_ui(&mut row, say!("common-cancel"), send);
    });
    if left {
        send.send(Command::App(AppCommand::StepBack));
    }
}

/// Asked first, before the button that has the focus takes the key for its own.
fn is_entered(ui: &Ui) -> bool {
    ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter))
}

fn cancel_ui(row: &mut Row<'_>, label: String, send: &Commands) -> egui::Response {
    let theme = row.theme;
    let button = Button::new(label).key("Esc");
    let place = row.take_right(button.width(row.ui, theme), theme.common().height.button);
    let response = button.show(row.ui, theme, place);
    if response.clicked() {
        send.send(Command::App(AppCommand::StepBack));
    }
    response
}

pub fn stop_run_ui(ui: &mut Ui, theme: &Theme, send: &Commands) {
    let quit = || send.send(Command::App(AppCommand::QuitAnyway));
    let left = edged_dialog_ui(ui, theme, ("stop run", Edge::Plain), WIDTH, |ui| {
        let entered = is_entered(ui);
        Row::next(ui, theme, 28.0).text(&say!("repair-quit-title"), Text::View, Tone::Primary);
        ui.add_space(4.0);
        let words = egui::RichText::new(say!("repair-quit-text"))
            .font(theme.font(Text::Body))
            .color(theme.tone(Tone::Secondary));
        ui.label(words);
        ui.add_space(16.0);
        let mut row = Row::next(ui, theme, 30.0);
        let button = Button::new(say!("repair-quit")).key("Ctrl Enter");
        let place = row.take_right(button.width(row.ui, theme), theme.common().height.button);
        if button.show(row.ui, theme, place).clicked() {
            quit();
        }
        row.gap_right(8.0);
        let stay = cancel_ui(&mut row, say!("repair-stay"), send);
        if row.ui.memory(|memory| memory.focused().is_none()) {
            stay.request_focus();
        }
        if entered {
            quit();
        }
    });
    if left {
        send.send(Command::App(AppCommand::StepBack));
    }
}
