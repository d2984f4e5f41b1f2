//! A plan that is being made, one that runs, and what came of it.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, vec2};

use super::RepairMemory;
use super::data::{self, outcome_glyph};
use super::list_ui;
use crate::app::State;
use crate::app::command::{Command, RepairCommand};
use crate::app::state::{Job, Stage, Wish};
use crate::app::view::{Report, Tally};
use crate::domain::change::Outcome;
use crate::present::count::{Font, grouped};
use crate::present::escape;
use crate::present::say::say;
use crate::present::words::outcome_word;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Row;
use crate::ui::widgets::button::{Button, Chip};

pub fn making_ui(ui: &mut Ui, theme: &Theme, progress: crate::app::view::PlanProgress) {
    let (at, of) = (progress.looked_at, progress.of);
    let words = match of {
        0 => say!("repair-reading"),
        _ => say!("repair-reading-of", done = at, count = of),
    };
    Row::next(ui, theme, 24.0).text(&words, Text::Body, Tone::Secondary);
    bar_ui(ui, theme, at as f32 / of.max(1) as f32, &words);
    ui.add_space(8.0);
}

/// A line that fills from the left.
fn bar_ui(ui: &mut Ui, theme: &Theme, share: f32, name: &str) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 12.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::ProgressIndicator, true, name));
    let lane = Rect::from_center_size(rect.center(), vec2(rect.width(), 4.0));
    let tokens = theme.tokens();
    ui.painter().rect_filled(lane, 2, tokens.state.pressed.0);
    let done = Rect::from_min_size(lane.min, vec2(lane.width() * share.clamp(0.0, 1.0), 4.0));
    ui.painter().rect_filled(done, 2, tokens.accent.solid.0);
}

pub fn running_ui(ui: &mut Ui, theme: &Theme, state: &State, job: &Job, send: &Commands) {
    let (Some((share, words)), Stage::Running(running)) = (data::progress(state, job), &job.stage)
    else {
        return;
    };
    Row::next(ui, theme, 24.0).text(&words, Text::Body, Tone::Primary);
    bar_ui(ui, theme, share, &words);
    ui.add_space(8.0);
    for outcome in Outcome::ALL {
        let count = running.progress.tally.of(outcome);
        if count == 0 {
            continue;
        }
        let ((group, icon), tone) = outcome_glyph(outcome);
        let mut row = Row::next(ui, theme, 24.0);
        row.icon(&theme.icon(group, icon), 15.0, tone);
        row.gap(8.0);
        let word = outcome_word(outcome, job.verb);
        let place = row.take(180.0, 18.0);
        Row::new(row.ui, theme, place).text(&word, Text::Body, Tone::Primary);
        row.text(&grouped(count, Font::Mono), Text::Mono, Tone::Primary);
    }
    ui.add_space(8.0);
    let note = match running.wish {
        Wish::Go => say!("repair-goes-on"),
        Wish::Pause => say!("repair-paused"),
        Wish::Stop => say!("repair-stopping"),
    };
    let mut row = Row::next(ui, theme, 30.0);
    if running.wish != Wish::Stop {
        let (word, command) = match running.wish {
            Wish::Pause => (say!("repair-go-on"), RepairCommand::GoOn),
            _ => (say!("repair-pause"), RepairCommand::Pause),
        };
        let height = theme.common().height.button;
        let stop = Button::new(say!("repair-stop"));
        let button = Button::new(word).key("Space");
        let place = row.take(button.width(row.ui, theme), height);
        if button.show(row.ui, theme, place).clicked() {
            send.send(Command::Repair(command));
        }
        row.gap(8.0);
        let place = row.take(stop.width(row.ui, theme), height);
        if stop.show(row.ui, theme, place).clicked() {
            send.send(Command::Repair(RepairCommand::Stop));
        }
        row.gap(12.0);
    }
    row.text(&note, Text::Note, Tone::Secondary);
}

pub fn report_ui(
    ui: &mut Ui,
    theme: &Theme,
    (job, report): (&Job, &Report),
    (room, memory): (f32, &mut RepairMemory),
    send: &Commands,
) {
    if let Some(stopped) = &report.stopped {
        let mut row = Row::next(ui, theme, 26.0);
        row.icon(&theme.icon("status", "stuck"), 15.0, Tone::Stuck);
        row.gap(8.0);
        let words = say!("repair-ended-early", why = escape::shown(stopped, 300));
        row.text(&words, Text::Body, Tone::Primary)
            .on_hover_text(&words);
    }
    let command = |outcome| Command::Repair(RepairCommand::ShowOutcome(outcome));
    let verb = report.verb;
    outcome_chips_ui(
        ui,
        theme,
        (job.shown, verb),
        (&report.tally, &command),
        send,
    );
    ui.add_space(6.0);
    let shown: Vec<usize> = match job.shown {
        None => Vec::new(),
        Some(outcome) => {
            let keys = report.keys.iter().enumerate();
            let of = keys.filter(|(_, key)| key.outcome == outcome);
            of.map(|(at, _)| at).collect()
        }
    };
    let count = match job.shown {
        None => report.keys.len(),
        Some(_) => shown.len(),
    };
    list_ui::list_ui(ui, theme, (count, room - 66.0), &mut memory.scroll, |at| {
        let at = match job.shown {
            None => at,
            Some(_) => *shown.get(at)?,
        };
        let key = report.keys.get(at)?;
        Some((data::report_line(report, key), String::new()))
    });
}

/// Chips for all and for each outcome that came.
pub fn outcome_chips_ui(
    ui: &mut Ui,
    theme: &Theme,
    (shown, verb): (Option<Outcome>, crate::domain::change::Verb),
    (tally, command): (&Tally, &dyn Fn(Option<Outcome>) -> Command),
    send: &Commands,
) {
    let mut row = Row::next(ui, theme, 30.0);
    let height = theme.common().height.chip + 2.0;
    let all = Outcome::ALL
        .into_iter()
        .filter(|outcome| tally.of(*outcome) > 0);
    for outcome in std::iter::once(None).chain(all.map(Some)) {
        let word = match outcome {
            None => say!("repair-all"),
            Some(outcome) => outcome_word(outcome, verb),
        };
        let count = outcome.map_or_else(|| tally.total(), |outcome| tally.of(outcome));
        let chip = Chip {
            word: &word,
            count: Some(grouped(count, Font::Mono)),
            icon: outcome.map(|outcome| {
                let ((group, icon), tone) = outcome_glyph(outcome);
                (theme.icon(group, icon), tone)
            }),
            is_chosen: shown == outcome,
        };
        let width = chip.width(row.ui, theme);
        if width > row.room() {
            break;
        }
        let place = row.take(width, height);
        row.gap(2.0);
        if chip.show(row.ui, theme, place).clicked() {
            send.send(command(outcome));
        }
    }
}
