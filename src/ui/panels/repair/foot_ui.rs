//! The foot of the dialog: what can be done now, and where a plan or a report is written to.

use egui::{Id, Key, Ui};

use super::data;
use crate::app::State;
use crate::app::command::{AppCommand, Command, JournalCommand, RepairCommand, SaveCommand};
use crate::app::state::{Job, SavedForm, Saving, Stage};
use crate::app::view::Report;
use crate::domain::change::{Outcome, Verb};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Chip, Weight, icon_button};
use crate::ui::widgets::form::{FormField, Shows};
use crate::ui::widgets::{Pen, Row};

pub fn foot_ui(ui: &mut Ui, theme: &Theme, state: &State, job: &Job, send: &Commands) {
    let pen = Pen::new(ui.painter(), theme);
    let y = ui.cursor().min.y;
    pen.hline(ui.max_rect().x_range(), y, pen.hair());
    ui.add_space(14.0);
    if let Some(saving) = &job.saving {
        return saving_ui(ui, theme, saving, send);
    }
    let mut foot = Foot {
        row: Row::next(ui, theme, 30.0),
        send,
    };
    let step_back = Command::App(AppCommand::StepBack);
    let cancel = || Button::new(say!("common-cancel")).key("Esc");
    let repair = Command::Repair;
    match &job.stage {
        Stage::Answering => {
            let off = job
                .answer
                .status()
                .is_none()
                .then(|| say!("repair-answer-status-wrong"));
            let make = Button::new(say!("repair-make-plan")).key("Ctrl Enter");
            foot.right(
                make.weight(Weight::Primary).off(off),
                repair(RepairCommand::MakePlan),
            );
            foot.right(cancel(), step_back);
        }
        Stage::Making(_) => foot.right(cancel(), step_back),
        Stage::Failed(_) => {
            let again = Button::new(say!("repair-plan-again")).key("Ctrl Enter");
            foot.right(
                again.weight(Weight::Primary),
                repair(RepairCommand::MakePlan),
            );
            foot.right(Button::new(say!("repair-done")).key("Esc"), step_back);
        }
        Stage::Planned(plan) => {
            let (label, off) = data::act(state, job, plan);
            let button = Button::new(label).key("Ctrl Enter").weight(Weight::Danger);
            foot.right(button.off(off), repair(RepairCommand::Run));
            foot.cancel(cancel(), step_back);
            let save = SaveCommand::Ask(SavedForm::Plan);
            foot.left(
                "save",
                say!("repair-save-plan"),
                repair(RepairCommand::Save(save)),
            );
            if job.verb != Verb::Undo && foot.row.room() > 150.0 {
                foot.row.gap(8.0);
                foot.row
                    .text(&say!("repair-undo-works"), Text::Note, Tone::Tertiary);
            }
        }
        Stage::Running(_) => {
            let hide = Button::new(say!("repair-hide")).key("Esc");
            foot.right(hide.weight(Weight::Primary), repair(RepairCommand::Hide));
        }
        Stage::Ended(report) => ended_ui(&mut foot, report, step_back),
    }
}

pub fn can_undo(report: &Report) -> bool {
    let changed = report.tally.of(Outcome::Done) + report.tally.of(Outcome::Unknown);
    report.verb != Verb::Undo && changed > 0 && report.journal_id.is_some()
}

fn ended_ui(foot: &mut Foot<'_, '_>, report: &Report, close: Command) {
    let done = Button::new(say!("repair-done")).key("Esc");
    foot.cancel(done.weight(Weight::Primary), close);
    if let Some(id) = &report.journal_id {
        let show = JournalCommand::ShowRun(id.clone());
        foot.right(
            Button::new(say!("repair-to-journal")),
            Command::Journal(show),
        );
        if can_undo(report) {
            let undo = RepairCommand::Undo(id.clone());
            foot.right(
                Button::new(say!("repair-undo")).key("U"),
                Command::Repair(undo),
            );
        }
    }
    let save = RepairCommand::Save(SaveCommand::Ask(SavedForm::ReportJson));
    foot.left("save", say!("repair-save-report"), Command::Repair(save));
}

struct Foot<'a, 'b> {
    row: Row<'a>,
    send: &'b Commands,
}

impl Foot<'_, '_> {
    fn right(&mut self, button: Button, command: Command) {
        let _ = self.put_right(button, command);
    }

    /// What the focus starts on, so that nothing happens by chance.
    fn cancel(&mut self, button: Button, command: Command) {
        let response = self.put_right(button, command);
        if self.row.ui.memory(|memory| memory.focused().is_none()) {
            response.request_focus();
        }
    }

    fn put_right(&mut self, button: Button, command: Command) -> egui::Response {
        let theme = self.row.theme;
        let height = theme.common().height.button;
        let place = self
            .row
            .take_right(button.width(self.row.ui, theme), height);
        self.row.gap_right(8.0);
        let response = button.show(self.row.ui, theme, place);
        if response.clicked() {
            self.send.send(command);
        }
        response
    }

    /// Where there is little room the glyph alone stands, or nothing.
    fn left_icon(&mut self, icon: &str, label: &str, command: Command) {
        let theme = self.row.theme;
        let height = theme.common().height.button;
        if height > self.row.room() {
            return;
        }
        let place = self.row.take(height, height);
        let icon = theme.icon("act", icon);
        if icon_button(self.row.ui, theme, place, &icon, label).clicked() {
            self.send.send(command);
        }
    }

    fn left(&mut self, icon: &str, label: String, command: Command) {
        let theme = self.row.theme;
        let mut button = Button::new(label).weight(Weight::Ghost);
        button.icon = Some(theme.icon("act", icon));
        let width = button.width(self.row.ui, theme);
        let height = theme.common().height.button;
        if width > self.row.room() {
            return self.left_icon(icon, &button.label, command);
        }
        let place = self.row.take(width, height);
        if button.show(self.row.ui, theme, place).clicked() {
            self.send.send(command);
        }
    }
}

fn saving_ui(ui: &mut Ui, theme: &Theme, saving: &Saving, send: &Commands) {
    let save = |command| send.send(Command::Repair(RepairCommand::Save(command)));
    let height = theme.common().height.field;
    let mut row = Row::next(ui, theme, height);
    if saving.form != SavedForm::Plan {
        for (form, word) in [
            (SavedForm::ReportJson, "JSON"),
            (SavedForm::ReportCsv, "CSV"),
        ] {
            let chip = Chip {
                word,
                count: None,
                icon: None,
                is_chosen: saving.form == form,
            };
            let place = row.take(chip.width(row.ui, theme), 26.0);
            row.gap(4.0);
            if chip.show(row.ui, theme, place).clicked() {
                save(SaveCommand::Form(form));
            }
        }
        row.gap(8.0);
    }
    let browse = Button::new(say!("export-browse"));
    let browse_at = row.take_right(browse.width(row.ui, theme), height);
    row.gap_right(8.0);
    let place = row.take(row.room(), height);
    let field = FormField {
        id: Id::unique("repair path"),
        name: &say!("export-file"),
        hint: "/path/to/file.json",
        shows: Shows::Mono,
        is_wrong: saving.failure.is_some(),
    };
    let mut text = saving.path.clone();
    let answer = field.show(row.ui, theme, place, &mut text);
    if answer.changed {
        save(SaveCommand::PathTyped(text));
    }
    let entered = row.ui.input(|input| input.key_pressed(Key::Enter));
    if answer.response.lost_focus() && entered {
        save(SaveCommand::Start);
    }
    if browse.show(row.ui, theme, browse_at).clicked() {
        save(SaveCommand::Browse);
    }
    ui.add_space(8.0);
    let mut row = Row::next(ui, theme, 30.0);
    let height = theme.common().height.button;
    let button = Button::new(say!("repair-save"))
        .key("Enter")
        .weight(Weight::Primary);
    let place = row.take_right(button.width(row.ui, theme), height);
    row.gap_right(8.0);
    if button.show(row.ui, theme, place).clicked() {
        save(SaveCommand::Start);
    }
    let button = Button::new(say!("common-cancel")).key("Esc");
    let place = row.take_right(button.width(row.ui, theme), height);
    row.gap_right(8.0);
    if button.show(row.ui, theme, place).clicked() {
        save(SaveCommand::Leave);
    }
    match (&saving.failure, &saving.hint) {
        (Some(failure), _) => row.text(failure, Text::Body, Tone::Danger),
        (None, Some(hint)) => row.text(hint, Text::Note, Tone::Secondary),
        (None, None) => row.text(&say!("repair-file-note"), Text::Note, Tone::Tertiary),
    };
}
