//! The text of the layout, with numbers of its lines, and what is wrong behind the line.

use std::sync::Arc;

use egui::text::LayoutJob;
use egui::{
    Align2, EventFilter, Galley, Id, Key, Margin, Rect, Role, ScrollArea, Sense, Stroke,
    StrokeKind, TextBuffer, TextEdit, Ui, WidgetInfo, pos2, vec2,
};

use super::EditorMemory;
use super::data::{EditorData, Mark};
use crate::app::State;
use crate::app::command::{Command, EditorCommand};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Pen;
use crate::ui::widgets::pen::job;

/// Keys that belong to the text while it is typed into. `Esc` leaves it, and nothing else.
const KEPT: EventFilter = EventFilter {
    tab: true,
    horizontal_arrows: true,
    vertical_arrows: true,
    escape: true,
};
/// Room for the numbers of lines.
const GUTTER: f32 = 48.0;
const TOP: f32 = 8.0;

pub fn text_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    data: &EditorData,
    memory: &mut EditorMemory,
    send: &Commands,
) {
    let editor = &state.editor;
    // Another text has another past: undoing never brings back a text from elsewhere.
    let id = Id::unique(("layout text", editor.revision));
    let focused = ui.memory(|memory| memory.has_focus(id));
    ui.painter()
        .rect_filled(rect, 0, theme.tokens().surface.inset.0);
    let mut inside = ui.new_child(egui::UiBuilder::new().max_rect(rect).id_salt("text"));
    inside.set_clip_rect(rect.intersect(ui.clip_rect()));
    inside.spacing_mut().item_spacing = vec2(0.0, 0.0);
    ScrollArea::both()
        .id_salt(("layout text", editor.revision))
        .auto_shrink([false, false])
        .show(&mut inside, |ui| {
            let mut text = editor.text.clone();
            let mut layouter = |ui: &Ui, text: &dyn TextBuffer, _: f32| laid_out(ui, theme, text);
            let margin = Margin {
                left: GUTTER as i8,
                right: 24,
                top: TOP as i8,
                bottom: 24,
            };
            let output = TextEdit::multiline(&mut text)
                .id(id)
                .code_editor()
                .event_filter(KEPT)
                .font(theme.font(Text::Mono))
                .frame(egui::Frame::NONE.inner_margin(margin))
                .margin(Margin::ZERO)
                .desired_width(f32::INFINITY)
                .desired_rows(((rect.height() - TOP - 24.0) / 18.0).max(4.0) as usize)
                .layouter(&mut layouter)
                .show(ui);
            let name = say!("editor-text");
            ui.ctx()
                .accesskit_node_builder(output.response.id, |node| node.set_label(name));
            let wishes = editor.focus_text;
            if wishes != memory.focused {
                memory.focused = wishes;
                output.response.request_focus();
            }
            if focused && ui.input(|input| input.key_pressed(Key::Escape)) {
                output.response.surrender_focus();
            }
            if output.response.changed() {
                send.send(Command::Editor(EditorCommand::Typed(text)));
            }
            lines_ui(ui, theme, rect, &output, data);
        });
    if focused {
        let stroke = Stroke::new(2.0, theme.tokens().accent.focus.0);
        ui.painter()
            .rect_stroke(rect.shrink(1.0), 0, stroke, StrokeKind::Inside);
    }
}

/// One row a line, never wrapped.
fn laid_out(ui: &Ui, theme: &Theme, text: &dyn TextBuffer) -> Arc<Galley> {
    let spans = super::toml::spans(text.as_str());
    let mut job: LayoutJob = job(theme, &spans);
    job.break_on_newline = true;
    job.wrap.max_width = f32::INFINITY;
    job.keep_trailing_whitespace = true;
    for section in &mut job.sections {
        section.format.line_height = Some(18.0);
    }
    ui.fonts_mut(|fonts| fonts.layout_job(job))
}

/// Numbers in front of the lines in sight, and marks behind those that are wrong.
fn lines_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    output: &egui::text_edit::TextEditOutput,
    data: &EditorData,
) {
    let cursor = output.cursor_range.map(|range| {
        let before = output
            .galley
            .text()
            .chars()
            .take(range.primary.index.into());
        before.filter(|c| *c == '\n').count() + 1
    });
    for (at, row) in output.galley.rows.iter().enumerate() {
        let top = output.galley_pos.y + row.pos.y;
        let line = Rect::from_x_y_ranges(rect.x_range(), top..=top + row.height());
        if !line.intersects(rect) {
            continue;
        }
        let number = at + 1;
        let mark = data.marks.iter().find(|mark| mark.line == number);
        if let Some(mark) = mark {
            let end = output.galley_pos.x + row.rect().max.x + 24.0;
            mark_ui(ui, theme, line, end, mark);
        }
        let tone = match (mark, cursor == Some(number)) {
            (Some(_), _) => Tone::Danger,
            (None, true) => Tone::Secondary,
            (None, false) => Tone::Disabled,
        };
        let pen = Pen::new(ui.painter(), theme);
        // The numbers stay in sight when the text is moved sideways.
        let ground = line.with_max_x(rect.min.x + GUTTER - 6.0);
        ui.painter()
            .rect_filled(ground, 0, theme.tokens().surface.inset.0);
        let place = pos2(rect.min.x + GUTTER - 14.0, line.center().y);
        let number = number.to_string();
        pen.text(place, Align2::RIGHT_CENTER, &number, Text::MonoSmall, tone);
    }
}

fn mark_ui(ui: &mut Ui, theme: &Theme, line: Rect, end: f32, mark: &Mark) {
    let tokens = theme.tokens();
    let pen = Pen::new(ui.painter(), theme);
    let bar = Rect::from_min_max(line.min, pos2(line.min.x + 3.0, line.max.y));
    ui.painter().rect_filled(bar, 0, tokens.danger.solid.0);
    let under = line.max.y - 0.5;
    let from = line.min.x + GUTTER;
    pen.hline(
        from..=(end - 24.0).max(from + 8.0),
        under,
        tokens.danger.text.0,
    );
    let spans = [crate::ui::widgets::Span::new(
        &mark.text,
        Text::Note,
        Tone::Danger,
    )];
    let galley = pen.spans(&spans);
    let place = pen.put(galley, pos2(end, line.center().y), Align2::LEFT_CENTER);
    let words = say!(
        "editor-line",
        line = mark.line.to_string(),
        text = &mark.text
    );
    let id = ui.scope_id().with(("mark", mark.line));
    let response = ui.interact(place.intersect(ui.clip_rect()), id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
}
