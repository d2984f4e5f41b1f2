//! Asks where the listed records go, and in which form; then how far it has come.

use egui::{Id, Key, Ui};

use crate::app::State;
use crate::app::command::{AppCommand, Command, ExportCommand};
use crate::app::state::ExportForm;
use crate::app::view;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Row;
use crate::ui::widgets::button::{Button, Chip, Weight};
use crate::ui::widgets::dialog::dialog_ui;
use crate::ui::widgets::field::{Field, plain_layouter};

const WIDTH: f32 = 560.0;

pub fn export_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let rows = view::rows(state).len() as u64;
    let left = dialog_ui(ui, theme, "export", WIDTH, |ui| {
        let title = say!("export-title", count = rows);
        Row::next(ui, theme, 28.0).text(&title, Text::View, Tone::Primary);
        let about = say!("export-about");
        Row::next(ui, theme, 22.0).text(&about, Text::Body, Tone::Secondary);
        ui.add_space(12.0);
        forms_ui(ui, theme, state, send);
        ui.add_space(8.0);
        path_ui(ui, theme, state, send);
        ui.add_space(12.0);
        foot_ui(ui, theme, state, send);
    });
    if left {
        leave(send);
    }
}

fn leave(send: &Commands) {
    send.send(Command::Export(ExportCommand::Cancel));
    send.send(Command::App(AppCommand::StepBack));
}

fn forms_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let mut row = Row::next(ui, theme, 28.0);
    for form in ExportForm::ALL {
        let chip = Chip {
            word: &form.word(),
            count: None,
            icon: None,
            is_chosen: state.export.form == form,
        };
        let place = row.take(chip.width(row.ui, theme), 26.0);
        row.gap(4.0);
        if chip.show(row.ui, theme, place).clicked() {
            send.send(Command::Export(ExportCommand::Form(form)));
        }
    }
}

fn path_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let mut row = Row::next(ui, theme, theme.common().height.field);
    let button = Button::new(say!("export-browse"));
    let width = button.width(row.ui, theme);
    let browse = row.take_right(width, theme.common().height.field);
    row.gap_right(8.0);
    let place = row.take(row.room(), theme.common().height.field);
    let field = Field {
        id: Id::unique("export path"),
        name: &say!("export-file"),
        hint: "/path/to/file.csv",
        icon: theme.icon("act", "file"),
        kind: Text::Mono,
        room_right: 0.0,
        is_wrong: state.export.failure.is_some(),
        keeps_tab: false,
    };
    let mut text = state.export.path.clone();
    let mut layouter = plain_layouter(theme, Text::Mono);
    let answer = field.show(row.ui, theme, place, &mut text, &mut layouter);
    if answer.changed {
        send.send(Command::Export(ExportCommand::PathTyped(text)));
    }
    if button.show(row.ui, theme, browse).clicked() {
        send.send(Command::Export(ExportCommand::Browse));
    }
    let entered = row.ui.input(|input| input.key_pressed(Key::Enter));
    if answer.response.lost_focus() && entered {
        send.send(Command::Export(ExportCommand::Start));
    } else if row.ui.memory(|memory| memory.focused().is_none()) && !entered {
        answer.response.request_focus();
    }
}

fn foot_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let export = &state.export;
    let mut row = Row::next(ui, theme, 30.0);
    let height = theme.common().height.button;
    if export.running.is_none() {
        let button = Button::new(say!("export-do"))
            .key("Enter")
            .weight(Weight::Primary);
        let place = row.take_right(button.width(row.ui, theme), height);
        if button.show(row.ui, theme, place).clicked() {
            send.send(Command::Export(ExportCommand::Start));
        }
        row.gap_right(8.0);
    }
    let button = Button::new(say!("common-cancel")).weight(Weight::Ghost);
    let place = row.take_right(button.width(row.ui, theme), height);
    if button.show(row.ui, theme, place).clicked() {
        leave(send);
    }
    match (&export.failure, export.running) {
        (Some(failure), _) => {
            row.text(failure, Text::Body, Tone::Danger);
        }
        (None, Some(records)) => {
            let words = say!("export-written", count = records);
            row.text(&words, Text::Body, Tone::Secondary);
        }
        (None, None) => {
            let hint = export.hint.as_deref().unwrap_or_default();
            row.text(hint, Text::Note, Tone::Secondary);
        }
    }
}
