//! The record panel: the verdict, what it rests on, the facts, the stored answer.

mod actions;
mod data;
pub mod facts;
mod history;
mod line_ui;
pub mod lines;
pub mod payload;
#[cfg(test)]
mod tests;
mod time_line;

pub use data::{RecordData, record_data};

use egui::{Id, Rect, Role, ScrollArea, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use self::payload::{Folds, payload_ui};
use crate::app::State;
use crate::app::command::{Command, RecordCommand};
use crate::app::state::Tab;
use crate::present::escape;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone, glyph_tone, word_tone};
use crate::ui::widgets::button::{focus_ring, icon_button};
use crate::ui::widgets::span::{stored_end, stored_middle};
use crate::ui::widgets::{Pen, Row, Span};

/// What the panel keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct RecordMemory {
    folds: Folds,
}

const EDGE: f32 = 16.0;
const LABEL: f32 = 92.0;
/// A time with its date has no more characters.
const TIME_CHARS: usize = 18;

pub fn record_ui(
    ui: &mut Ui,
    theme: &Theme,
    mut rect: Rect,
    state: &State,
    memory: &mut RecordMemory,
    send: &Commands,
) {
    let Some(data) = record_data(state) else {
        return;
    };
    let pen = Pen::new(ui.painter(), theme);
    pen.painter
        .rect_filled(rect, 0, theme.tokens().surface.raised.0);
    pen.vline(rect.min.x + 0.5, rect.y_range(), pen.hair());
    let foot = actions::height(theme, state);
    if foot > 0.0 {
        let (top, bar) = rect.split_top_bottom_at_y(rect.max.y - foot);
        actions::actions_ui(ui, theme, bar, state, send);
        rect = top;
    }
    let inner = rect.shrink2(vec2(EDGE, 0.0));
    let mut column = ui.new_child(egui::UiBuilder::new().max_rect(inner).id_salt("record"));
    let ui = &mut column;
    ui.set_clip_rect(rect.intersect(ui.clip_rect()));
    ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
    head_ui(ui, theme, &data, send);
    hairline(ui, theme, rect);
    if let Some(trouble) = &data.trouble {
        ui.add_space(10.0);
        let mut row = Row::next(ui, theme, 20.0);
        row.icon(&theme.icon("act", "info"), 15.0, Tone::Stuck);
        row.gap(8.0);
        row.text(trouble, Text::Body, Tone::Secondary);
    }
    verdict_ui(ui, theme, &data);
    if let Some(line) = &data.time_line {
        ui.add_space(10.0);
        line_ui::time_line_ui(ui, theme, line);
    }
    ui.add_space(14.0);
    evidence_ui(ui, theme, rect, &data);
    tabs_ui(ui, theme, rect, &data, send);
    body_ui(ui, theme, (state, &data), memory, send);
}

fn hairline(ui: &mut Ui, theme: &Theme, rect: Rect) {
    let y = ui.cursor().min.y;
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), y, pen.hair());
    ui.add_space(1.0);
}

fn head_ui(ui: &mut Ui, theme: &Theme, data: &RecordData, send: &Commands) {
    ui.add_space(8.0);
    let mut row = Row::next(ui, theme, 24.0);
    let close = row.take_right(24.0, 24.0).translate(vec2(5.0, 0.0));
    let icon = theme.icon("act", "close");
    if icon_button(row.ui, theme, close, &icon, &say!("record-close")).clicked() {
        send.send(Command::Record(RecordCommand::Close));
    }
    let copy = row.take_right(24.0, 24.0).translate(vec2(5.0, 0.0));
    let icon = theme.icon("act", "copy");
    if icon_button(row.ui, theme, copy, &icon, &say!("record-copy-key")).clicked() {
        let copy = RecordCommand::CopyKey;
        send.send(Command::Record(copy));
    }
    row.gap_right(4.0);
    let font = theme.font(Text::MonoLead);
    let advance = row.ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    let chars = (row.room() / advance).max(8.0) as usize;
    let title = stored_middle(&data.title, chars, Text::MonoLead, Tone::Primary);
    row.spans(&title)
        .on_hover_text(escape::shown(&data.title, 1000));
    let mut row = Row::next(ui, theme, 20.0);
    row.spans(&subtitle(data));
    ui.add_space(10.0);
}

fn subtitle(data: &RecordData) -> Vec<Span> {
    let mut spans = Vec::new();
    let point = || Span::body(" · ", Tone::Tertiary);
    if let Some(scope) = &data.scope {
        spans.extend(stored_end(scope, 24, Text::Mono, Tone::Secondary));
    }
    if data.method.is_some() || data.operation.is_some() {
        if !spans.is_empty() {
            spans.push(point());
        }
        if let Some(method) = &data.method {
            spans.extend(stored_end(method, 10, Text::Mono, Tone::Secondary));
            spans.push(Span::mono(" ", Tone::Secondary));
        }
        if let Some(operation) = &data.operation {
            spans.extend(stored_end(operation, 60, Text::Mono, Tone::Primary));
        }
    }
    if !data.layout.is_empty() {
        if !spans.is_empty() {
            spans.push(point());
        }
        spans.push(Span::new(&data.layout, Text::Note, Tone::Tertiary));
    }
    spans
}

fn verdict_ui(ui: &mut Ui, theme: &Theme, data: &RecordData) {
    ui.add_space(12.0);
    let mut row = Row::next(ui, theme, 20.0);
    let icon = theme.standing_icon(data.standing);
    let size = theme.common().icon_size.verdict;
    row.icon(&icon, size, glyph_tone(data.standing));
    row.gap(8.0);
    let tone = match word_tone(data.standing) {
        Tone::Secondary => Tone::Primary,
        tone => tone,
    };
    row.text(&data.standing.word(), Text::Section, tone);
    row.gap(8.0);
    row.text(&data.lead, Text::Body, Tone::Primary);
    if let Some(note) = &data.note {
        let mut row = Row::next(ui, theme, 18.0);
        row.text(note, Text::Note, Tone::Secondary)
            .on_hover_text(note);
    }
}

fn evidence_ui(ui: &mut Ui, theme: &Theme, rect: Rect, data: &RecordData) {
    let Some(evidence) = &data.evidence else {
        hairline(ui, theme, rect);
        return;
    };
    hairline(ui, theme, rect);
    ui.add_space(10.0);
    Row::next(ui, theme, 20.0).text(&evidence.title, Text::Note, Tone::Tertiary);
    for (text, source) in &evidence.lines {
        let mut row = Row::next(ui, theme, theme.common().height.field_line);
        let (icon, tone) = if evidence.is_told {
            (theme.icon("act", "check"), glyph_tone(data.standing))
        } else {
            (theme.icon("act", "info"), Tone::Tertiary)
        };
        row.icon(&icon, 15.0, tone);
        row.gap(8.0);
        if !source.is_empty() {
            row.text_right(source, Text::MonoSmall, Tone::Tertiary);
            row.gap_right(8.0);
        }
        row.text(text, Text::Body, Tone::Primary);
    }
    ui.add_space(10.0);
    hairline(ui, theme, rect);
}

fn tabs_ui(ui: &mut Ui, theme: &Theme, rect: Rect, data: &RecordData, send: &Commands) {
    let height = theme.common().height.tab_row;
    let mut row = Row::next(ui, theme, height);
    for tab in Tab::ALL {
        let chosen = data.tab == tab;
        let word = tab.word();
        let pen = Pen::new(row.ui.painter(), theme);
        let mut spans = vec![Span::body(
            &word,
            if chosen {
                Tone::Primary
            } else {
                Tone::Secondary
            },
        )];
        if let (Tab::Parts, Some(parts)) = (tab, data.parts) {
            let count = format!(" {parts}");
            spans.push(Span::new(count, Text::MonoSmall, Tone::Tertiary));
        }
        let width = pen.spans(&spans).size().x;
        let place = row.take(width, height);
        row.gap(18.0);
        let id = Id::unique((row.ui.scope_id(), "tab", tab));
        let response = row.ui.interact(place, id, Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::Tab, true, chosen, &word));
        focus_ring(row.ui, theme, &response);
        let pen = Pen::new(row.ui.painter(), theme);
        let at = pos2(place.min.x, place.center().y);
        pen.put(pen.spans(&spans), at, egui::Align2::LEFT_CENTER);
        if chosen {
            let bar = Rect::from_min_max(pos2(place.min.x, place.max.y - 2.0), place.max);
            pen.painter
                .rect_filled(bar, 0, theme.tokens().accent.solid.0);
        }
        if response.clicked() {
            send.send(Command::Record(RecordCommand::Tab(tab)));
        }
    }
    hairline(ui, theme, rect);
}

fn body_ui(
    ui: &mut Ui,
    theme: &Theme,
    (state, data): (&State, &RecordData),
    memory: &mut RecordMemory,
    send: &Commands,
) {
    let whole = data::whole(state);
    match (data.tab, whole) {
        (Tab::Fields, _) => {
            ScrollArea::vertical()
                .id_salt("fields")
                .auto_shrink([false, false])
                .show(ui, |ui| fields_ui(ui, theme, data));
        }
        (Tab::Parts, Some(whole)) => {
            ui.add_space(8.0);
            for part in &whole.parts {
                let mut row = Row::next(ui, theme, theme.common().height.field_line);
                let size = part
                    .bytes
                    .map_or_else(String::new, crate::present::count::bytes);
                row.text_right(&size, Text::MonoSmall, Tone::Tertiary);
                row.gap_right(8.0);
                row.text_right(&part.kind, Text::Note, Tone::Tertiary);
                row.gap_right(8.0);
                let address = stored_middle(&part.address, 40, Text::Mono, Tone::Primary);
                row.spans(&address)
                    .on_hover_text(escape::shown(&part.address, 1000));
            }
        }
        (Tab::History, _) => history::history_ui(ui, theme, state, send),
        (Tab::Response | Tab::Raw, Some(_)) => {
            payload_ui(ui, theme, state, &mut memory.folds, send);
        }
        (_, None) => {
            ui.add_space(10.0);
            if state.record.whole.is_loading() {
                Row::next(ui, theme, 20.0).text(
                    &say!("record-reading"),
                    Text::Body,
                    Tone::Tertiary,
                );
            }
        }
    }
}

fn fields_ui(ui: &mut Ui, theme: &Theme, data: &RecordData) {
    ui.add_space(8.0);
    for fact in &data.facts {
        let mut row = Row::next(ui, theme, theme.common().height.field_line);
        let label = Rect::from_min_size(row.rect.min, vec2(LABEL, row.rect.height()));
        Row::new(row.ui, theme, label).text(&fact.label, Text::Note, Tone::Tertiary);
        row.gap(LABEL + 4.0);
        let font = theme.font(Text::Mono);
        let advance = row.ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
        let needed = fact.value.chars().count().min(24) as f32 * advance;
        if !fact.source.is_empty() {
            // Where it comes from gives way to what it is.
            let pen = Pen::new(row.ui.painter(), theme);
            let note = pen.galley(&fact.note, Text::Note, Tone::Tertiary).size().x;
            let room = (row.room() - needed - note - 24.0).max(48.0);
            let source = [Span::new(&fact.source, Text::MonoSmall, Tone::Tertiary)];
            let galley = pen.elided(&source, room);
            let place = row.take_right(galley.size().x, 18.0);
            Row::new(row.ui, theme, place)
                .spans(&source)
                .on_hover_text(&fact.source);
            row.gap_right(8.0);
        }
        let pen = Pen::new(row.ui.painter(), theme);
        let note = pen.galley(&fact.note, Text::Note, Tone::Tertiary).size().x;
        let note = if note > 0.0 { note + 8.0 } else { 0.0 };
        // A time stands whole; what is said of it gives way.
        let whole = fact.value.chars().count().min(TIME_CHARS) as f32;
        let chars = ((row.room() - note) / advance).max(whole) as usize;
        let value = stored_middle(&fact.value, chars, Text::Mono, Tone::Primary);
        row.spans(&value).on_hover_text(&fact.value);
        if !fact.note.is_empty() {
            if !fact.value.is_empty() {
                row.gap(8.0);
            }
            row.text(&fact.note, Text::Note, Tone::Tertiary);
        }
    }
    ui.add_space(12.0);
    if let Some(retry) = &data.retry {
        retry_ui(ui, theme, retry);
    }
    ui.add_space(16.0);
}

fn retry_ui(ui: &mut Ui, theme: &Theme, retry: &data::Retry) {
    let width = ui.available_width() - 2.0;
    let why = [Span::new(&retry.why, Text::Note, Tone::Tertiary)];
    let pen = Pen::new(ui.painter(), theme);
    let why = pen.wrapped(&why, width - 24.0, 4);
    let height = 60.0 + why.size().y;
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let words = format!("{}: {} {}", say!("record-retry"), retry.lead, retry.words);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
    let stroke = Stroke::new(1.0, theme.tokens().line.hair.0);
    let radius = theme.common().radius.card;
    ui.painter()
        .rect_stroke(rect, radius, stroke, egui::StrokeKind::Inside);
    let line =
        |at: f32| Rect::from_min_size(rect.min + vec2(12.0, at), vec2(rect.width() - 24.0, 18.0));
    Row::new(ui, theme, line(10.0)).text(&say!("record-retry"), Text::Note, Tone::Tertiary);
    let mut row = Row::new(ui, theme, line(30.0));
    if !retry.lead.is_empty() {
        row.text(&retry.lead, Text::MonoLead, Tone::Primary);
        row.gap(8.0);
    }
    row.text(&retry.words, Text::Body, Tone::Secondary);
    let pen = Pen::new(ui.painter(), theme);
    pen.put(why, rect.min + vec2(12.0, 52.0), egui::Align2::LEFT_TOP);
}
