//! One example: as it is stored, and what the text reads it as.

use egui::{Rect, ScrollArea, Sense, Stroke, StrokeKind, Ui, UiBuilder, vec2};

use super::data::{EditorData, ExampleData};
use super::{EditorMemory, HEAD, column};
use crate::app::State;
use crate::app::command::{Command, EditorCommand};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::panels::record::facts::Fact;
use crate::ui::theme::{Text, Theme, Tone, glyph_tone};
use crate::ui::widgets::button::icon_button;
use crate::ui::widgets::span::stored_middle;
use crate::ui::widgets::{Pen, Row};

const RAW_LINES: usize = 14;
const EDGE: f32 = 16.0;

pub fn example_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    data: &EditorData,
    memory: &mut EditorMemory,
    send: &Commands,
) {
    let pen = Pen::new(ui.painter(), theme);
    pen.painter
        .rect_filled(rect, 0, theme.tokens().surface.raised.0);
    pen.vline(rect.min.x + 0.5, rect.y_range(), pen.hair());
    pen.hline(rect.x_range(), rect.min.y + HEAD, pen.hair());
    let Some(example) = &data.example else {
        return;
    };
    let mut inside = column(ui, rect, "example", EDGE);
    let ui = &mut inside;
    head_ui(ui, theme, example, send);
    ui.add_space(8.0);
    let mut row = Row::next(ui, theme, 22.0);
    row.text_right(&example.about, Text::MonoSmall, Tone::Tertiary);
    row.gap_right(8.0);
    row.text(&say!("editor-as-stored"), Text::Note, Tone::Tertiary);
    if !example.address.is_empty() {
        let mut row = Row::next(ui, theme, 22.0);
        let chars = (row.room() / 7.2).max(8.0) as usize;
        row.spans(&stored_middle(
            &example.address,
            chars,
            Text::Mono,
            Tone::Primary,
        ))
        .on_hover_text(&example.address);
    }
    raw_ui(ui, theme, state, example, memory);
    line(ui, theme, rect);
    Row::next(ui, theme, 24.0).text(&say!("editor-read-as"), Text::Note, Tone::Tertiary);
    read_ui(ui, theme, rect, example);
}

fn head_ui(ui: &mut Ui, theme: &Theme, example: &ExampleData, send: &Commands) {
    let mut row = Row::next(ui, theme, HEAD);
    let (next, previous) = (say!("editor-next"), say!("editor-previous"));
    for (icon, name, by) in [("next", &next, 1), ("previous", &previous, -1)] {
        let place = row.take_right(26.0, 24.0);
        let icon = theme.icon("act", icon);
        if icon_button(row.ui, theme, place, &icon, name).clicked() {
            send.send(Command::Editor(EditorCommand::Example(by)));
        }
    }
    row.text(&example.title, Text::Section, Tone::Primary);
}

fn raw_ui(
    ui: &mut Ui,
    theme: &Theme,
    state: &State,
    example: &ExampleData,
    memory: &mut EditorMemory,
) {
    let stored = state
        .editor
        .sample
        .value()
        .and_then(|sampled| sampled.stored.get(example.at));
    let Some(stored) = stored else { return };
    let font = theme.font(Text::Mono);
    let advance = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    let chars = ((ui.available_width() - 24.0) / advance).max(8.0) as usize;
    let stamp = state.editor.generation * 100_000 + example.at as u64;
    memory.lines.of_value(stamp, chars, &stored.raw);
    let shown = memory.lines.lines.len().min(RAW_LINES);
    ui.add_space(4.0);
    let size = vec2(ui.available_width(), shown as f32 * 18.0 + 16.0);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let radius = theme.common().radius.control;
    let tokens = theme.tokens();
    ui.painter()
        .rect_filled(rect, radius, tokens.surface.inset.0);
    let stroke = Stroke::new(1.0, tokens.line.hair.0);
    ui.painter()
        .rect_stroke(rect, radius, stroke, StrokeKind::Inside);
    let builder = UiBuilder::new().max_rect(rect.shrink2(vec2(12.0, 8.0)));
    let mut inside = ui.new_child(builder.id_salt("raw"));
    inside.spacing_mut().item_spacing = vec2(0.0, 0.0);
    let lines = memory.lines.lines.get(..shown).unwrap_or_default();
    for (at, text) in lines.iter().enumerate() {
        let is_last = at + 1 == shown && memory.lines.lines.len() > shown;
        let text = if is_last { "…" } else { text };
        Row::next(&mut inside, theme, 18.0).text(text, Text::Mono, Tone::Primary);
    }
}

fn read_ui(ui: &mut Ui, theme: &Theme, rect: Rect, example: &ExampleData) {
    if let Some(words) = &example.words {
        let mut row = Row::next(ui, theme, 24.0);
        row.icon(&theme.icon("act", "not_allowed"), 15.0, Tone::Tertiary);
        row.gap(8.0);
        row.text(words, Text::Body, Tone::Secondary)
            .on_hover_text(words);
        return;
    }
    if let Some((standing, case)) = &example.standing {
        let mut row = Row::next(ui, theme, 26.0);
        row.text_right(case, Text::MonoSmall, Tone::Tertiary);
        row.gap_right(8.0);
        row.icon(&theme.standing_icon(*standing), 15.0, glyph_tone(*standing));
        row.gap(8.0);
        row.text(&standing.word(), Text::Section, Tone::Primary);
    }
    ScrollArea::vertical()
        .id_salt("example read as")
        .max_height((rect.max.y - ui.cursor().min.y - 8.0).max(60.0))
        .auto_shrink([false, false])
        .show(ui, |ui| {
            for fact in &example.facts {
                fact_ui(ui, theme, fact);
            }
        });
}

fn fact_ui(ui: &mut Ui, theme: &Theme, fact: &Fact) {
    let mut row = Row::next(ui, theme, theme.common().height.field_line);
    let label = row.take(96.0, 18.0);
    Row::new(row.ui, theme, label).text(&fact.label, Text::Note, Tone::Tertiary);
    if !fact.value.is_empty() {
        let chars = (row.room() / 7.2).max(8.0) as usize;
        row.spans(&stored_middle(
            &fact.value,
            chars,
            Text::Mono,
            Tone::Primary,
        ))
        .on_hover_text(&fact.value);
        row.gap(8.0);
    }
    row.text(&fact.note, Text::Note, Tone::Tertiary);
}

fn line(ui: &mut Ui, theme: &Theme, rect: Rect) {
    ui.add_space(10.0);
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), ui.cursor().min.y, pen.hair());
    ui.add_space(8.0);
}
