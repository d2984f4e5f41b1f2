//! The source that is chosen: why it was, what is set for it, and a record of it.

use egui::{Id, Key, Rect, ScrollArea, Stroke, StrokeKind, Ui, UiBuilder, vec2};

use super::data::{ChosenSource, LayoutsData, Sample};
use super::{FOOT, LayoutsMemory};
use crate::app::command::{Command, LayoutsCommand};
use crate::app::state::TypedSpan;
use crate::app::view::Whole;
use crate::app::{Named, State};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, icon_button};
use crate::ui::widgets::field::{Field, plain_layouter};
use crate::ui::widgets::span::stored_middle;
use crate::ui::widgets::{Pen, Row};

const RAW_LINES: usize = 14;

pub fn source_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    data: &LayoutsData,
    send: &Commands,
) {
    let Some(source) = &data.chosen else { return };
    let mut inside = column(ui, rect, "source", 20.0);
    let ui = &mut inside;
    ui.add_space(10.0);
    let mut row = Row::next(ui, theme, 30.0);
    let word = if source.is_off {
        say!("layouts-read-again")
    } else {
        say!("layouts-leave-out")
    };
    let button = Button::new(word).key("S");
    let place = row.take_right(button.width(row.ui, theme), theme.common().height.button);
    if button.show(row.ui, theme, place).clicked() {
        send.send(Command::Layouts(LayoutsCommand::Switch));
    }
    row.gap_right(8.0);
    let edit = say!("editor-edit-copy");
    let button = Button::new(&edit).key(Named::EditLayout.info().shortcut.text());
    let place = row.take_right(button.width(row.ui, theme), theme.common().height.button);
    if button.show(row.ui, theme, place).clicked() {
        send.send(Named::EditLayout.command());
    }
    row.gap_right(12.0);
    row.text(&source.layout, Text::View, Tone::Primary);
    Row::next(ui, theme, 20.0).text(&source.title, Text::Note, Tone::Secondary);
    let mut row = Row::next(ui, theme, 20.0);
    let chars = (row.room() / 7.2).max(8.0) as usize;
    row.spans(&stored_middle(
        &source.place,
        chars,
        Text::Mono,
        Tone::Tertiary,
    ))
    .on_hover_text(&source.place);
    line(ui, theme, rect);
    why_ui(ui, theme, source);
    line(ui, theme, rect);
    set_ui(ui, theme, state, source, send);
}

fn why_ui(ui: &mut Ui, theme: &Theme, source: &ChosenSource) {
    let mut row = Row::next(ui, theme, 28.0);
    row.text_right(&source.matched, Text::Note, Tone::Tertiary);
    row.gap_right(8.0);
    row.text_right(&source.percent, Text::Mono, Tone::Primary);
    row.text(&say!("layouts-why"), Text::Section, Tone::Primary);
    for reason in &source.reasons {
        let mut row = Row::next(ui, theme, theme.common().height.field_line);
        row.icon(&theme.icon("act", "check"), 15.0, Tone::Completed);
        row.gap(10.0);
        row.text(reason, Text::Body, Tone::Primary)
            .on_hover_text(reason);
    }
}

fn set_ui(ui: &mut Ui, theme: &Theme, state: &State, source: &ChosenSource, send: &Commands) {
    Row::next(ui, theme, 28.0).text(&say!("layouts-set"), Text::Section, Tone::Primary);
    let lease = term_ui(
        ui,
        theme,
        &say!("layouts-lease"),
        &state.layouts.lease,
        &source.lease_told,
    );
    if let Some(text) = lease.typed {
        send.send(Command::Layouts(LayoutsCommand::LeaseTyped(text)));
    }
    let typed = &state.layouts.retention;
    let retention = term_ui(
        ui,
        theme,
        &say!("layouts-retention"),
        typed,
        &source.retention_told,
    );
    if let Some(text) = retention.typed {
        send.send(Command::Layouts(LayoutsCommand::RetentionTyped(text)));
    }
    if lease.left || retention.left {
        send.send(Command::Layouts(LayoutsCommand::SetTerms));
    }
    let about = if state.layouts.is_wrong() {
        (say!("lease-write-spans"), Tone::Danger)
    } else {
        (say!("layouts-enter-sets"), Tone::Tertiary)
    };
    let mut row = Row::next(ui, theme, 24.0);
    let (label, _) = term_widths(row.room());
    row.gap(label + 8.0);
    row.text(&about.0, Text::Note, about.1)
        .on_hover_text(&about.0);
}

struct Term {
    typed: Option<String>,
    left: bool,
}

/// Of the word and of the field: narrower where there is little room.
fn term_widths(room: f32) -> (f32, f32) {
    if room < 420.0 {
        (78.0, 92.0)
    } else {
        (110.0, 120.0)
    }
}

fn term_ui(ui: &mut Ui, theme: &Theme, name: &str, typed: &str, told: &str) -> Term {
    let mut row = Row::next(ui, theme, 34.0);
    let (label, width) = term_widths(row.room());
    let label = row.take(label, 20.0);
    Row::new(row.ui, theme, label).text(name, Text::Body, Tone::Secondary);
    row.gap(8.0);
    let place = row.take(width, theme.common().height.field);
    let field = Field {
        id: Id::unique(("term", name)),
        name,
        hint: "",
        icon: theme.icon("act", "clock"),
        kind: Text::Mono,
        room_right: 0.0,
        is_wrong: TypedSpan::of(typed).is_wrong(),
        keeps_tab: false,
    };
    let mut text = typed.to_owned();
    let mut layouter = plain_layouter(theme, Text::Mono);
    let answer = field.show(row.ui, theme, place, &mut text, &mut layouter);
    row.gap(12.0);
    row.text(told, Text::Note, Tone::Tertiary)
        .on_hover_text(told);
    let entered = row.ui.input(|input| input.key_pressed(Key::Enter));
    Term {
        typed: answer.changed.then_some(text),
        left: answer.response.lost_focus() && entered,
    }
}

pub fn sample_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    data: &LayoutsData,
    memory: &mut LayoutsMemory,
    send: &Commands,
) {
    let pen = Pen::new(ui.painter(), theme);
    pen.painter
        .rect_filled(rect, 0, theme.tokens().surface.raised.0);
    pen.vline(rect.min.x + 0.5, rect.y_range(), pen.hair());
    let Some(sample) = &data.sample else {
        let place = rect.shrink2(vec2(16.0, 12.0)).with_max_y(rect.min.y + 36.0);
        Row::new(ui, theme, place).text(&say!("layouts-no-example"), Text::Body, Tone::Tertiary);
        return;
    };
    let mut inside = column(ui, rect, "sample", 16.0);
    let ui = &mut inside;
    sample_head_ui(ui, theme, sample, send);
    line(ui, theme, rect);
    Row::next(ui, theme, 22.0).text(&say!("layouts-as-stored"), Text::Note, Tone::Tertiary);
    let mut row = Row::next(ui, theme, 22.0);
    let chars = (row.room() / 7.2).max(8.0) as usize;
    row.spans(&stored_middle(
        &sample.address,
        chars,
        Text::Mono,
        Tone::Primary,
    ))
    .on_hover_text(&sample.address);
    if let Some(words) = &sample.words {
        Row::next(ui, theme, 24.0).text(words, Text::Body, Tone::Secondary);
    }
    let whole = state
        .layouts
        .whole
        .value()
        .and_then(|whole| whole.as_deref());
    if let Some(whole) = whole {
        raw_ui(ui, theme, state, whole, memory);
    }
    line(ui, theme, rect);
    Row::next(ui, theme, 24.0).text(&say!("layouts-read-as"), Text::Note, Tone::Tertiary);
    ScrollArea::vertical()
        .id_salt("read as")
        .max_height((rect.max.y - ui.cursor().min.y - FOOT / 2.0).max(60.0))
        .auto_shrink([false, false])
        .show(ui, |ui| {
            for fact in &sample.facts {
                fact_ui(ui, theme, fact);
            }
        });
}

fn sample_head_ui(ui: &mut Ui, theme: &Theme, sample: &Sample, send: &Commands) {
    ui.add_space(10.0);
    let mut row = Row::next(ui, theme, 26.0);
    for (icon, name, by) in [
        ("next", say!("layouts-next"), 1),
        ("previous", say!("layouts-previous"), -1),
    ] {
        let place = row.take_right(26.0, 24.0);
        let icon = theme.icon("act", icon);
        if icon_button(row.ui, theme, place, &icon, &name).clicked() {
            send.send(Command::Layouts(LayoutsCommand::Sample(by)));
        }
    }
    row.text(&sample.title, Text::Section, Tone::Primary);
}

fn raw_ui(ui: &mut Ui, theme: &Theme, state: &State, whole: &Whole, memory: &mut LayoutsMemory) {
    let font = theme.font(Text::Mono);
    let advance = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    let chars = ((ui.available_width() - 24.0) / advance).max(8.0) as usize;
    let stamp = state.layouts.generation;
    memory.lines.of_value(stamp, chars, &whole.raw);
    let shown = memory.lines.lines.len().min(RAW_LINES);
    ui.add_space(4.0);
    let size = vec2(ui.available_width(), shown as f32 * 18.0 + 16.0);
    let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
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

fn fact_ui(ui: &mut Ui, theme: &Theme, fact: &crate::ui::panels::record::facts::Fact) {
    let mut row = Row::next(ui, theme, theme.common().height.field_line);
    let label = row.take(100.0, 18.0);
    Row::new(row.ui, theme, label).text(&fact.label, Text::Note, Tone::Tertiary);
    row.gap_right(8.0);
    let source_room = row.room() * 0.4;
    if !fact.source.is_empty() && source_room > 60.0 {
        let chars = (source_room / 6.7) as usize;
        let source = stored_middle(&fact.source, chars, Text::MonoSmall, Tone::Tertiary);
        row.spans_right(&source).on_hover_text(&fact.source);
        row.gap_right(8.0);
    }
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

fn column(ui: &mut Ui, rect: Rect, name: &str, edge: f32) -> Ui {
    let builder = UiBuilder::new().max_rect(rect.shrink2(vec2(edge, 0.0)));
    let mut inside = ui.new_child(builder.id_salt(name));
    inside.set_clip_rect(rect.intersect(ui.clip_rect()));
    inside.spacing_mut().item_spacing = vec2(0.0, 0.0);
    inside
}

fn line(ui: &mut Ui, theme: &Theme, rect: Rect) {
    ui.add_space(10.0);
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), ui.cursor().min.y, pen.hair());
    ui.add_space(8.0);
}
