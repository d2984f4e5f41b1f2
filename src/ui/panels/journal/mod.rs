//! The journal: past runs at the left, the one that is looked at at the right.

pub mod data;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use egui::{Align2, Id, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use self::data::RunItem;
use crate::app::command::{Command, JournalCommand};
use crate::app::state::{RunFace, RunList};
use crate::app::view::Run;
use crate::app::{Remote, State};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::panels::repair::data::outcome_glyph;
use crate::ui::panels::repair::outcome_chips_ui;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, focus_ring};
use crate::ui::widgets::quiet::{Quiet, quiet_ui};
use crate::ui::widgets::span::stored_middle;
use crate::ui::widgets::{Pen, Row, Span};

/// What the view keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct JournalMemory {
    revealed: u64,
    pub rows_in_sight: f32,
}

const LIST: f32 = 420.0;
const LIST_NARROW: f32 = 300.0;
const ITEM: f32 = 62.0;
const EDGE: f32 = 20.0;
const LABEL: f32 = 110.0;
const LINE: f32 = 25.0;
const FOOT: f32 = 48.0;

pub fn journal_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut JournalMemory,
    send: &Commands,
) {
    ui.painter()
        .rect_filled(rect, 0, theme.tokens().surface.base.0);
    let runs = state.journal.list.value();
    let Some(_) = runs.filter(|list| !list.runs.is_empty()) else {
        nothing_ui(ui, theme, rect, &state.journal.list);
        return;
    };
    let width = if rect.width() < 960.0 {
        LIST_NARROW
    } else {
        LIST
    };
    let width = width.min(rect.width() * 0.5);
    let (left, right) = rect.split_left_right_at_x(rect.min.x + width);
    list_ui(ui, theme, left, state, memory, send);
    if let Some(run) = state.journal.chosen() {
        run_ui(ui, theme, right, (state, run), send);
    }
}

/// Said where no run can be listed: none was made, or none is read by now.
fn nothing_ui(ui: &mut Ui, theme: &Theme, rect: Rect, list: &Remote<Arc<RunList>>) {
    let (title, text) = match (list.value(), list.failure()) {
        (Some(list), _) => {
            let wrong = list.wrong.first().cloned();
            let text = wrong.unwrap_or_else(|| say!("journal-empty-text"));
            (say!("journal-empty"), text)
        }
        (None, Some(failure)) => (say!("journal-unreadable"), failure.text.clone()),
        (None, None) => (say!("journal-reading"), String::new()),
    };
    let face = Quiet {
        icon: theme.icon("nav", "journal"),
        icon_tone: Tone::Secondary,
        title,
        text: vec![Span::body(text, Tone::Secondary)],
        buttons: Vec::new(),
    };
    let _ = quiet_ui(ui, theme, rect, face);
}

fn list_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut JournalMemory,
    send: &Commands,
) {
    let Some(list) = state.journal.list.value() else {
        return;
    };
    let pen = Pen::new(ui.painter(), theme);
    pen.vline(rect.max.x - 0.5, rect.y_range(), pen.hair());
    let height = theme.common().height.filter_row;
    let (head, body) = rect.split_top_bottom_at_y(rect.min.y + height);
    pen.hline(rect.x_range(), head.max.y - 0.5, pen.hair());
    let mut row = Row::new(ui, theme, head.shrink2(vec2(16.0, 0.0)));
    if !list.wrong.is_empty() {
        let words = say!("journal-wrong", count = list.wrong.len());
        row.text_right(&words, Text::Note, Tone::Stuck)
            .on_hover_text(list.wrong.join("\n"));
        row.gap_right(8.0);
    }
    row.text(&say!("journal-title"), Text::View, Tone::Primary);
    row.gap(10.0);
    let count = say!("journal-runs", count = list.runs.len());
    row.text(&count, Text::Body, Tone::Secondary);
    memory.rows_in_sight = (body.height() / ITEM).max(1.0);
    let mut inside = ui.new_child(UiBuilder::new().max_rect(body).id_salt("runs"));
    inside.set_clip_rect(body.intersect(ui.clip_rect()));
    inside.spacing_mut().item_spacing = vec2(0.0, 0.0);
    let mut area = ScrollArea::vertical()
        .id_salt("runs")
        .auto_shrink([false, false]);
    if memory.revealed != state.journal.reveal {
        memory.revealed = state.journal.reveal;
        let top = state.journal.cursor as f32 * ITEM;
        let offset = (top - body.height() / 2.0 + ITEM / 2.0).max(0.0);
        area = area.vertical_scroll_offset(offset);
    }
    area.show_rows(&mut inside, ITEM, list.runs.len(), |ui, rows| {
        for at in rows {
            if let Some(run) = list.runs.get(at) {
                let item = data::run_item(state, run);
                item_ui(ui, theme, (at, &item, at == state.journal.cursor), send);
            }
        }
    });
}

fn item_ui(
    ui: &mut Ui,
    theme: &Theme,
    (at, item, is_chosen): (usize, &RunItem, bool),
    send: &Commands,
) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ITEM), Sense::hover());
    let rect = rect.shrink2(vec2(6.0, 1.0));
    let id = Id::unique((ui.scope_id(), "run", at));
    let response = ui.interact(rect, id, Sense::CLICK);
    response.widget_info(|| WidgetInfo::selected(Role::ListBoxOption, true, is_chosen, &item.name));
    let tokens = theme.tokens();
    let radius = theme.common().radius.control;
    if is_chosen {
        ui.painter()
            .rect_filled(rect, radius, tokens.state.selected.0);
        let bar = Rect::from_min_max(
            pos2(rect.min.x + 2.0, rect.min.y + 7.0),
            pos2(rect.min.x + 4.0, rect.max.y - 7.0),
        );
        ui.painter().rect_filled(bar, 1, tokens.accent.solid.0);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, radius, tokens.state.hover.0);
    }
    focus_ring(ui, theme, &response);
    let line = |row: f32| {
        let at = rect.min + vec2(12.0, 5.0 + row * 17.0);
        Rect::from_min_size(at, vec2(rect.width() - 24.0, 17.0))
    };
    let mut row = Plain::new(ui, theme, line(0.0));
    row.right(
        &[Span::new(&item.at, Text::MonoSmall, Tone::Tertiary)],
        10.0,
    );
    row.icon(("act", item.icon), Tone::Secondary);
    row.left(&[Span::new(&item.verb, Text::Section, Tone::Primary)], 8.0);
    let store = match item.is_production {
        true => Tone::Production,
        false => Tone::Secondary,
    };
    row.left(&[Span::new(&item.store, Text::Body, store)], 8.0);
    let mut row = Plain::new(ui, theme, line(1.0));
    if let Some(mark) = &item.mark {
        row.right(&[Span::new(mark, Text::Note, Tone::Stuck)], 8.0);
    }
    for (count, tone) in &item.counts {
        row.left(&[Span::new(count, Text::Mono, *tone)], 10.0);
    }
    row.left(&[Span::new(&item.by, Text::Note, Tone::Tertiary)], 8.0);
    let mut row = Plain::new(ui, theme, line(2.0));
    row.left(&[Span::new(&item.reason, Text::Note, Tone::Secondary)], 0.0);
    if response.clicked() {
        send.send(Command::Journal(JournalCommand::PointAt(at)));
    }
}

/// A line of texts that the name of its item holds already.
struct Plain<'a> {
    ui: &'a Ui,
    theme: &'a Theme,
    rect: Rect,
}

impl<'a> Plain<'a> {
    fn new(ui: &'a Ui, theme: &'a Theme, rect: Rect) -> Plain<'a> {
        Plain { ui, theme, rect }
    }

    fn icon(&mut self, (group, name): (&str, &str), tone: Tone) {
        let pen = Pen::new(self.ui.painter(), self.theme);
        let at = pos2(self.rect.min.x + 7.5, self.rect.center().y);
        pen.icon(at, &self.theme.icon(group, name), 15.0, tone);
        self.rect.min.x += 23.0;
    }

    fn left(&mut self, spans: &[Span], gap: f32) {
        let pen = Pen::new(self.ui.painter(), self.theme);
        let galley = pen.elided(spans, self.rect.width());
        let drawn = pen.put(galley, self.rect.left_center(), Align2::LEFT_CENTER);
        self.rect.min.x = (drawn.max.x + gap).min(self.rect.max.x);
    }

    fn right(&mut self, spans: &[Span], gap: f32) {
        let pen = Pen::new(self.ui.painter(), self.theme);
        let galley = pen.elided(spans, self.rect.width());
        let drawn = pen.put(galley, self.rect.right_center(), Align2::RIGHT_CENTER);
        self.rect.max.x = (drawn.min.x - gap).max(self.rect.min.x);
    }
}

fn run_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    (state, run): (&State, &RunFace),
    send: &Commands,
) {
    let (body, foot) = rect.split_top_bottom_at_y(rect.max.y - FOOT);
    let item = data::run_item(state, run);
    let inner = body.shrink2(vec2(EDGE, 0.0));
    let mut column = ui.new_child(UiBuilder::new().max_rect(inner).id_salt("run"));
    let column = &mut column;
    column.set_clip_rect(body.intersect(ui.clip_rect()));
    column.spacing_mut().item_spacing = vec2(0.0, 0.0);
    let mut row = Row::next(column, theme, theme.common().height.filter_row);
    row.icon(&theme.icon("act", item.icon), 17.0, Tone::Secondary);
    row.gap(8.0);
    let title = say!("journal-run-title", verb = &item.verb, name = &item.store);
    row.text(&title, Text::View, Tone::Primary);
    for (word, value) in data::facts(state, run) {
        let mut row = Row::next(column, theme, theme.common().height.field_line);
        let label = row.take(LABEL, 18.0);
        Row::new(row.ui, theme, label).text(&word, Text::Note, Tone::Tertiary);
        row.text(&value, Text::Mono, Tone::Primary)
            .on_hover_text(&value);
    }
    if let Some(trouble) = data::trouble(run) {
        column.add_space(6.0);
        let mut row = Row::next(column, theme, 22.0);
        row.icon(&theme.icon("status", "stuck"), 15.0, Tone::Stuck);
        row.gap(8.0);
        row.text(&trouble, Text::Body, Tone::Primary)
            .on_hover_text(&trouble);
    }
    column.add_space(10.0);
    let command = |outcome| Command::Journal(JournalCommand::ShowOutcome(outcome));
    outcome_chips_ui(
        column,
        theme,
        (state.journal.shown, run.header.verb),
        (&run.tally, &command),
        send,
    );
    column.add_space(4.0);
    if let Some(failure) = state.journal.run.failure() {
        Row::next(column, theme, 24.0).text(&failure.text, Text::Body, Tone::Danger);
    }
    if let Some(read) = state.journal.run.value() {
        entries_ui(column, theme, state, read);
    }
    foot_ui(ui, theme, foot, state, send);
}

fn entries_ui(ui: &mut Ui, theme: &Theme, state: &State, run: &Run) {
    let places = data::entry_places(run, state.journal.shown);
    ScrollArea::vertical()
        .id_salt(("entries", &run.header.id))
        .auto_shrink([false, false])
        .show_rows(ui, LINE, places.len(), |ui, rows| {
            ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
            for at in rows {
                let line = places.get(at).and_then(|at| data::entry_line(run, *at));
                if let Some(line) = line {
                    entry_ui(ui, theme, at, &line);
                }
            }
        });
}

fn entry_ui(ui: &mut Ui, theme: &Theme, at: usize, line: &data::EntryLine) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), LINE), Sense::hover());
    let id = Id::unique((ui.scope_id(), "entry", at));
    let response = ui.interact(rect, id, Sense::hover());
    let name = format!("{}, {}, {}", line.key, line.word, line.why);
    response.widget_info(|| WidgetInfo::labeled(Role::ListBoxOption, true, &name));
    let ((group, icon), tone) = outcome_glyph(line.outcome);
    let mut row = Plain::new(ui, theme, rect);
    row.icon((group, icon), tone);
    let font = theme.font(Text::Mono);
    let advance = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    let width = (row.rect.width() * 0.42).floor();
    let chars = ((width - 8.0) / advance).max(8.0) as usize;
    let start = row.rect.min.x;
    row.left(
        &stored_middle(&line.key, chars, Text::Mono, Tone::Primary),
        0.0,
    );
    row.rect.min.x = start + width;
    row.left(&[Span::body(&line.word, Tone::Secondary)], 0.0);
    row.rect.min.x = (start + width + 140.0).min(row.rect.max.x);
    row.left(&[Span::new(&line.why, Text::Note, Tone::Tertiary)], 0.0);
    response.on_hover_text(name);
}

fn foot_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    let pen = Pen::new(ui.painter(), theme);
    pen.painter
        .rect_filled(rect, 0, theme.tokens().surface.raised.0);
    pen.hline(rect.x_range(), rect.min.y + 0.5, pen.hair());
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(EDGE, 0.0)));
    match data::undo(state) {
        Ok(()) => {
            let button = Button::new(say!("repair-undo")).key("U");
            let place = row.take(button.width(row.ui, theme), theme.common().height.button);
            if button.show(row.ui, theme, place).clicked() {
                send.send(Command::Journal(JournalCommand::UndoChosen));
            }
            row.gap(12.0);
            row.text(&say!("journal-undo-note"), Text::Note, Tone::Tertiary);
        }
        Err(why) => {
            row.text(&why, Text::Note, Tone::Secondary)
                .on_hover_text(&why);
        }
    }
}
