//! The lines of a plan or a report: only those in sight are made.

use egui::{Id, Key, Modifiers, Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use super::data::Line;
use crate::present::escape;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Row;
use crate::ui::widgets::span::stored_middle;

/// Where the list is scrolled to.
#[derive(Clone, Debug, Default)]
pub struct ListMemory {
    offset: f32,
}

const LINE: f32 = 25.0;
const LINES_MIN: f32 = 3.0;
/// Of the tooltip.
const HINT_LINES_MAX: usize = 16;

pub fn list_ui(
    ui: &mut Ui,
    theme: &Theme,
    (count, room): (usize, f32),
    memory: &mut ListMemory,
    line: impl Fn(usize) -> Option<(Line, String)>,
) {
    let all = count as f32 * LINE;
    let height = all.min(room.max(LINES_MIN * LINE));
    let moved = moved(ui, height, all);
    let mut area = ScrollArea::vertical()
        .id_salt("lines")
        .max_height(height)
        .min_scrolled_height(height)
        .auto_shrink([false, true]);
    if let Some(by) = moved {
        let most = (all - height).max(0.0);
        area = area.vertical_scroll_offset((memory.offset + by).clamp(0.0, most));
    }
    let shown = area.show_rows(ui, LINE, count, |ui, rows| {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        for at in rows {
            if let Some((line, note)) = line(at) {
                line_ui(ui, theme, at, &line, &note);
            }
        }
    });
    memory.offset = shown.state.clamped_offset().y;
}

/// Pages by keyboard, where nothing is typed into.
fn moved(ui: &Ui, page: f32, all: f32) -> Option<f32> {
    if ui.ctx().text_edit_focused() {
        return None;
    }
    let keys = [
        (Key::PageDown, page - LINE),
        (Key::PageUp, LINE - page),
        (Key::Home, -all),
        (Key::End, all),
    ];
    let pressed = keys
        .into_iter()
        .find(|(key, _)| ui.input_mut(|input| input.consume_key(Modifiers::NONE, *key)));
    pressed.map(|(_, by)| by)
}

fn line_ui(ui: &mut Ui, theme: &Theme, at: usize, line: &Line, seen: &str) {
    let mut row = Row::next(ui, theme, LINE);
    let rect = row.rect;
    let id = Id::unique((row.ui.scope_id(), "line", at));
    let response = row.ui.interact(rect, id, Sense::hover());
    let name = format!("{}, {}, {}", line.key, line.does, line.note);
    response.widget_info(|| WidgetInfo::labeled(Role::ListBoxOption, true, &name));
    if response.hovered() {
        let ground = theme.tokens().state.hover.0;
        row.ui.painter().rect_filled(rect, 4, ground);
    }
    let (group, icon) = line.icon;
    row.icon(&theme.icon(group, icon), 15.0, line.icon_tone);
    row.gap(8.0);
    let width = rect.width();
    if !seen.is_empty() && width > 560.0 && !line.is_quiet {
        let place = row.take_right(96.0, LINE);
        let mut right = Row::new(row.ui, theme, place);
        quiet(
            &mut right,
            seen,
            Text::MonoSmall,
            Tone::Tertiary,
            Side::Right,
        );
    }
    let key_width = (row.room() * 0.38).floor();
    let place = row.take(key_width, LINE);
    let font = theme.font(Text::Mono);
    let advance = row.ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    let chars = ((key_width - 12.0) / advance).max(8.0) as usize;
    let tone = if line.is_quiet {
        Tone::Secondary
    } else {
        Tone::Primary
    };
    let spans = stored_middle(&line.key, chars, Text::Mono, tone);
    let pen = crate::ui::widgets::Pen::new(row.ui.painter(), theme);
    let left = pos2(place.min.x, place.center().y);
    pen.put(
        pen.elided(&spans, key_width - 8.0),
        left,
        egui::Align2::LEFT_CENTER,
    );
    let share = if line.is_quiet { 0.2 } else { 0.42 };
    let does_width = (row.room() * share).floor();
    let place = row.take(does_width, LINE);
    let mut does = Row::new(row.ui, theme, place.with_max_x(place.max.x - 8.0));
    let kind = if line.is_quiet {
        Text::Note
    } else {
        Text::Mono
    };
    quiet(&mut does, &line.does, kind, Tone::Secondary, Side::Left);
    quiet(&mut row, &line.note, Text::Note, line.note_tone, Side::Left);
    // Its lines are ours; what a store holds is escaped in each of them.
    let hint = line.hint.lines().take(HINT_LINES_MAX);
    let hint: Vec<String> = hint.map(|text| escape::shown(text, 1000)).collect();
    response.on_hover_text(hint.join("\n"));
}

enum Side {
    Left,
    Right,
}

/// A text that the line's own name holds already.
fn quiet(row: &mut Row<'_>, text: &str, kind: Text, tone: Tone, side: Side) {
    let pen = crate::ui::widgets::Pen::new(row.ui.painter(), row.theme);
    let spans = [crate::ui::widgets::Span::new(text, kind, tone)];
    let galley = pen.elided(&spans, row.rect.width());
    let (at, anchor) = match side {
        Side::Left => (row.rect.left_center(), egui::Align2::LEFT_CENTER),
        Side::Right => (row.rect.right_center(), egui::Align2::RIGHT_CENTER),
    };
    let _: Rect = pen.put(galley, at, anchor);
}
