//! The dialog of a repair: the answer of a settle, the plan, its run, its report.

mod answer_ui;
mod cards_ui;
pub mod data;
mod does;
mod foot_ui;
mod list_ui;
mod run_ui;
#[cfg(test)]
mod tests;
mod turn_on;

pub use run_ui::outcome_chips_ui;
pub use turn_on::{stop_run_ui, turn_on_ui};

use egui::{Id, Key, Modifiers, ScrollArea, Ui, pos2, vec2};

use self::data::{Card, Line};
use crate::app::State;
use crate::app::command::{AppCommand, Command, RepairCommand};
use crate::app::state::{Job, Stage};
use crate::app::view::Plan;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::icon_button;
use crate::ui::widgets::dialog::{Edge, edged_dialog_ui};
use crate::ui::widgets::form::{FormField, Shows, production_chip};
use crate::ui::widgets::{Pen, Row};

/// What the dialog keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct RepairMemory {
    scroll: list_ui::ListMemory,
    /// What is said of a plan as a whole, which may be long.
    said: Option<(u64, Said)>,
    /// The stage whose first field has had the focus.
    focused: Option<(u64, &'static str)>,
}

#[derive(Clone, Debug, Default)]
struct Said {
    stage: &'static str,
    cards: Vec<Card>,
    warnings: Vec<String>,
}

impl RepairMemory {
    /// Worked out once for each plan, not for each frame.
    fn said(&mut self, state: &State, job: &Job) -> Said {
        let (stage, generation) = (stage_name(&job.stage), state.repair.generation);
        match &self.said {
            Some((known, said)) if *known == generation && said.stage == stage => said.clone(),
            _ => {
                let said = Said {
                    stage,
                    cards: data::cards(job),
                    warnings: job
                        .plan()
                        .map(|plan| data::warnings(plan))
                        .unwrap_or_default(),
                };
                self.said = Some((generation, said.clone()));
                said
            }
        }
    }
}

fn stage_name(stage: &Stage) -> &'static str {
    match stage {
        Stage::Answering => "answering",
        Stage::Making(_) => "making",
        Stage::Failed(_) => "failed",
        Stage::Planned(_) => "planned",
        Stage::Running(_) => "running",
        Stage::Ended(_) => "ended",
    }
}

const WIDTH: f32 = 780.0;
const WIDTH_ONE: f32 = 560.0;
const LABEL: f32 = 126.0;
const FOOT: f32 = 44.0;
/// What the window leaves around a dialog, with its margins.
const AROUND: f32 = 88.0;

pub fn repair_ui(
    ui: &mut Ui,
    theme: &Theme,
    state: &State,
    memory: &mut RepairMemory,
    send: &Commands,
) {
    let Some(job) = &state.repair.job else {
        return;
    };
    let (edge, width) = match (job.is_production, lines(job)) {
        (true, _) => (Edge::Production, WIDTH),
        (false, 0 | 1) => (Edge::Plain, WIDTH_ONE),
        (false, _) => (Edge::Plain, WIDTH),
    };
    let said = memory.said(state, job);
    let left = edged_dialog_ui(ui, theme, ("repair", edge), width, |ui| {
        // Before the button that has the focus takes the key for its own.
        keys(ui, job, &said.cards, send);
        head_ui(ui, theme, job, send);
        let room = ui.ctx().content_rect().height() - AROUND - FOOT - 60.0;
        ScrollArea::vertical()
            .id_salt("repair body")
            .max_height(room.max(60.0))
            .min_scrolled_height(room.max(60.0))
            .auto_shrink([false, true])
            .show(ui, |ui| {
                ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
                body_ui(ui, theme, (state, job, &said), (room, memory), send);
            });
        ui.add_space(14.0);
        foot_ui::foot_ui(ui, theme, state, job, send);
    });
    if left && !matches!(job.stage, Stage::Answering | Stage::Planned(_)) {
        send.send(Command::App(AppCommand::StepBack));
    }
}

/// Lines that the list of the stage has.
fn lines(job: &Job) -> usize {
    match &job.stage {
        Stage::Answering | Stage::Making(_) | Stage::Failed(_) => 0,
        Stage::Planned(plan) => data::plan_lines(plan),
        Stage::Running(running) => data::plan_lines(&running.plan),
        Stage::Ended(report) => report.keys.len(),
    }
}

fn head_ui(ui: &mut Ui, theme: &Theme, job: &Job, send: &Commands) {
    let mut row = Row::next(ui, theme, 28.0);
    let close = row.take_right(24.0, 24.0);
    let icon = theme.icon("act", "close");
    if icon_button(row.ui, theme, close, &icon, &say!("repair-close")).clicked() {
        send.send(Command::App(AppCommand::StepBack));
    }
    row.gap_right(8.0);
    let title = data::title(job);
    row.rect.max.x -= if job.is_production { 110.0 } else { 0.0 };
    row.text(&title, Text::View, Tone::Primary);
    row.rect.max.x += if job.is_production { 110.0 } else { 0.0 };
    if job.is_production {
        let at = pos2(row.rect.min.x + 12.0, row.rect.center().y);
        production_chip(row.ui, theme, at, &say!("stores-production"));
    }
    let lead = data::lead(job);
    Row::next(ui, theme, 22.0)
        .text(&lead, Text::Body, Tone::Secondary)
        .on_hover_text(&lead);
    ui.add_space(10.0);
}

fn body_ui(
    ui: &mut Ui,
    theme: &Theme,
    (state, job, said): (&State, &Job, &Said),
    (room, memory): (f32, &mut RepairMemory),
    send: &Commands,
) {
    match &job.stage {
        Stage::Answering => {
            cards_ui::cards_ui(ui, theme, &said.cards, send);
            ui.add_space(14.0);
            answer_ui::answer_ui(ui, theme, state, job, memory, send);
        }
        Stage::Making(progress) => run_ui::making_ui(ui, theme, *progress),
        Stage::Failed(failure) => {
            let mut row = Row::next(ui, theme, 28.0);
            row.icon(&theme.icon("status", "failed"), 15.0, Tone::Failed);
            row.gap(8.0);
            words_ui(row.ui, theme, &failure.text, Tone::Primary);
            if let Some(hint) = &failure.hint {
                words_ui(ui, theme, hint, Tone::Secondary);
            }
        }
        Stage::Planned(plan) => {
            let top = ui.cursor().min.y;
            cards_ui::cards_ui(ui, theme, &said.cards, send);
            ui.add_space(12.0);
            let used = ui.cursor().min.y - top;
            let about = (state, &**plan, &*said.warnings);
            plan_ui(ui, theme, about, (room - used, memory), job);
            fields_ui(ui, theme, state, job, memory, send);
        }
        Stage::Running(_) => run_ui::running_ui(ui, theme, state, job, send),
        Stage::Ended(report) => run_ui::report_ui(ui, theme, (job, report), (room, memory), send),
    }
}

/// A sentence that may take several lines.
fn words_ui(ui: &mut Ui, theme: &Theme, words: &str, tone: Tone) {
    let words = egui::RichText::new(words)
        .font(theme.font(Text::Body))
        .color(theme.tone(tone));
    ui.label(words);
}

fn plan_ui(
    ui: &mut Ui,
    theme: &Theme,
    (state, plan, warnings): (&State, &Plan, &[String]),
    (room, memory): (f32, &mut RepairMemory),
    job: &Job,
) {
    let mut row = Row::next(ui, theme, 24.0);
    row.text(&data::plan_head(plan), Text::Note, Tone::Secondary);
    if row.room() > 330.0 {
        row.text_right(&say!("repair-one-step"), Text::Note, Tone::Tertiary);
    }
    let fields = if job.is_production { 88.0 } else { 50.0 };
    let room = room - 24.0 - fields - 24.0 * warnings.len() as f32;
    let seen = data::seen(plan, state.now());
    let count = data::plan_lines(plan);
    list_ui::list_ui(ui, theme, (count, room), &mut memory.scroll, |at| {
        let line: Line = data::plan_line(plan, at)?;
        Some((line, seen.clone()))
    });
    for warning in warnings {
        let mut row = Row::next(ui, theme, 24.0);
        row.icon(&theme.icon("status", "stuck"), 15.0, Tone::Stuck);
        row.gap(8.0);
        row.text(warning, Text::Note, Tone::Primary)
            .on_hover_text(warning);
    }
}

fn fields_ui(
    ui: &mut Ui,
    theme: &Theme,
    state: &State,
    job: &Job,
    memory: &mut RepairMemory,
    send: &Commands,
) {
    ui.add_space(6.0);
    let y = ui.cursor().min.y;
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(ui.max_rect().x_range(), y, pen.hair());
    ui.add_space(8.0);
    let height = theme.common().height.field;
    let mut row = Row::next(ui, theme, height);
    let label = row.take(LABEL, 18.0);
    let word = say!("repair-reason");
    Row::new(row.ui, theme, label).text(&word, Text::Body, Tone::Secondary);
    let place = row.take(row.room(), height);
    let field = FormField {
        id: Id::unique("repair reason"),
        name: &word,
        hint: &say!("repair-reason-hint"),
        shows: Shows::Words,
        is_wrong: false,
    };
    let mut text = job.reason.clone();
    let answer = field.show(row.ui, theme, place, &mut text);
    if answer.changed {
        send.send(Command::Repair(RepairCommand::ReasonTyped(text)));
    }
    if !job.is_production {
        return;
    }
    let stage = (state.repair.generation, "planned");
    if memory.focused != Some(stage) {
        memory.focused = Some(stage);
        answer.response.request_focus();
    }
    ui.add_space(8.0);
    name_ui(ui, theme, state, job, send);
}

/// The name of a production store, typed.
fn name_ui(ui: &mut Ui, theme: &Theme, state: &State, job: &Job, send: &Commands) {
    let height = theme.common().height.field;
    let mut row = Row::next(ui, theme, height);
    let label = row.take(LABEL, 18.0);
    let word = say!("repair-type-target");
    Row::new(row.ui, theme, label).text(&word, Text::Body, Tone::Secondary);
    let place = row.take((row.room() * 0.4).max(140.0), height);
    let field = FormField {
        id: Id::unique("repair target"),
        name: &word,
        hint: &job.name,
        shows: Shows::Mono,
        is_wrong: false,
    };
    let mut text = job.typed.clone();
    if field.show(row.ui, theme, place, &mut text).changed {
        send.send(Command::Repair(RepairCommand::NameTyped(text)));
    }
    row.gap(10.0);
    if job.is_confirmed() {
        row.icon(&theme.icon("act", "check"), 15.0, Tone::Completed);
    }
    if !crate::app::view::changes_on(state, job.store) {
        let minutes = state.settings.changes_minutes;
        row.text_right(
            &say!("repair-turns-on", count = minutes),
            Text::Note,
            Tone::Tertiary,
        );
        row.gap_right(6.0);
        row.icon_right(&theme.icon("mark", "changes_on"), 14.0, Tone::Secondary);
    }
}

/// Keys that work wherever the focus is in the dialog, or where nothing is typed into.
fn keys(ui: &mut Ui, job: &Job, cards: &[Card], send: &Commands) {
    let entered = ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter));
    let repair = |command| send.send(Command::Repair(command));
    if entered {
        match (&job.saving, &job.stage) {
            (Some(_), _) => repair(RepairCommand::Save(crate::app::command::SaveCommand::Start)),
            (None, Stage::Answering | Stage::Failed(_)) => repair(RepairCommand::MakePlan),
            (None, Stage::Planned(_)) => repair(RepairCommand::Run),
            (None, _) => {}
        }
    }
    if ui.ctx().text_edit_focused() || job.saving.is_some() {
        return;
    }
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    for (key, verb) in cards.iter().filter_map(|card| {
        let (_, verb) = card.link.as_ref()?;
        Some(match verb {
            crate::domain::change::Verb::Settle => (Key::S, *verb),
            _ => (Key::R, *verb),
        })
    }) {
        let is_asked = matches!(job.stage, Stage::Answering | Stage::Planned(_));
        if is_asked && pressed(key) {
            repair(RepairCommand::Instead(verb));
        }
    }
    if let (Stage::Ended(report), true) = (&job.stage, pressed(Key::U))
        && foot_ui::can_undo(report)
        && let Some(id) = &report.journal_id
    {
        repair(RepairCommand::Undo(id.clone()));
    }
    if let (Stage::Running(running), true) = (&job.stage, pressed(Key::Space)) {
        repair(match running.wish {
            crate::app::state::Wish::Go => RepairCommand::Pause,
            _ => RepairCommand::GoOn,
        });
    }
}
