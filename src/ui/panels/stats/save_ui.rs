//! Asks where figures are written to, and as what.

use egui::{Id, Key, Ui};

use crate::app::State;
use crate::app::command::{AppCommand, Command, StatsCommand, StatsExportCommand, StatsForm};
use crate::app::state::StatsSaving;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Row;
use crate::ui::widgets::button::{Button, Chip, Weight};
use crate::ui::widgets::dialog::dialog_ui;
use crate::ui::widgets::field::{Field, plain_layouter};

const WIDTH: f32 = 560.0;

pub fn save_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let Some(saving) = &state.stats.saving else {
        return;
    };
    let left = dialog_ui(ui, theme, "stats save", WIDTH, |ui| {
        let title = say!("stats-save-title");
        Row::next(ui, theme, 28.0).text(&title, Text::View, Tone::Primary);
        let about = match saving.form {
            StatsForm::Picture => say!("stats-save-picture-about"),
            StatsForm::Csv => say!("stats-save-csv-about"),
            StatsForm::Json => say!("stats-save-json-about"),
        };
        Row::next(ui, theme, 22.0).text(&about, Text::Body, Tone::Secondary);
        ui.add_space(12.0);
        forms_ui(ui, theme, saving, send);
        ui.add_space(8.0);
        path_ui(ui, theme, saving, send);
        ui.add_space(12.0);
        foot_ui(ui, theme, saving, send);
    });
    if left {
        leave(send);
    }
}

fn ask(send: &Commands, command: StatsExportCommand) {
    send.send(Command::Stats(StatsCommand::Export(command)));
}

fn leave(send: &Commands) {
    send.send(Command::App(AppCommand::StepBack));
}

fn forms_ui(ui: &mut Ui, theme: &Theme, saving: &StatsSaving, send: &Commands) {
    let mut row = Row::next(ui, theme, 28.0);
    for form in StatsForm::ALL {
        let chip = Chip {
            word: form.word(),
            count: None,
            icon: None,
            is_chosen: saving.form == form,
        };
        let place = row.take(chip.width(row.ui, theme), 26.0);
        row.gap(4.0);
        if chip.show(row.ui, theme, place).clicked() {
            ask(send, StatsExportCommand::Form(form));
        }
    }
}

fn path_ui(ui: &mut Ui, theme: &Theme, saving: &StatsSaving, send: &Commands) {
    let height = theme.common().height.field;
    let mut row = Row::next(ui, theme, height);
    let button = Button::new(say!("export-browse"));
    let browse = row.take_right(button.width(row.ui, theme), height);
    row.gap_right(8.0);
    let place = row.take(row.room(), height);
    let field = Field {
        id: Id::unique("stats save path"),
        name: &say!("export-file"),
        hint: "/path/to/file.png",
        icon: theme.icon("act", "file"),
        kind: Text::Mono,
        room_right: 0.0,
        is_wrong: saving.failure.is_some(),
        keeps_tab: false,
    };
    let mut text = saving.path.clone();
    let mut layouter = plain_layouter(theme, Text::Mono);
    let answer = field.show(row.ui, theme, place, &mut text, &mut layouter);
    if answer.changed {
        ask(send, StatsExportCommand::PathTyped(text));
    }
    if button.show(row.ui, theme, browse).clicked() {
        ask(send, StatsExportCommand::Browse);
    }
    let entered = row.ui.input(|input| input.key_pressed(Key::Enter));
    if answer.response.lost_focus() && entered {
        ask(send, StatsExportCommand::Start);
    } else if row.ui.memory(|memory| memory.focused().is_none()) && !entered {
        answer.response.request_focus();
    }
}

fn foot_ui(ui: &mut Ui, theme: &Theme, saving: &StatsSaving, send: &Commands) {
    let mut row = Row::next(ui, theme, 30.0);
    let height = theme.common().height.button;
    if !saving.is_running {
        let button = Button::new(say!("export-do"))
            .key("Enter")
            .weight(Weight::Primary);
        let place = row.take_right(button.width(row.ui, theme), height);
        if button.show(row.ui, theme, place).clicked() {
            ask(send, StatsExportCommand::Start);
        }
        row.gap_right(8.0);
    }
    let button = Button::new(say!("common-cancel")).weight(Weight::Ghost);
    let place = row.take_right(button.width(row.ui, theme), height);
    if button.show(row.ui, theme, place).clicked() {
        leave(send);
    }
    let drawing = say!("stats-save-drawing");
    let (words, tone) = match (&saving.failure, &saving.hint) {
        (Some(failure), _) => (failure.as_str(), Tone::Danger),
        (None, None) if saving.is_running && saving.form == StatsForm::Picture => {
            (drawing.as_str(), Tone::Secondary)
        }
        (None, hint) => (hint.as_deref().unwrap_or_default(), Tone::Secondary),
    };
    row.text(words, Text::Body, tone);
}
