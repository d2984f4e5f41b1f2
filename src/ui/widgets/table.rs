//! A table of any length: only the rows in sight are made and painted.
//!
//! Invariant: its cost does not depend on the number of rows, and its place is exact at any size.

use egui::{Align2, Id, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use super::pen::Pen;
use super::scroll::Scroll;
use super::span::Span;
use crate::ui::theme::{Icon, Text, Theme, Tone};

/// On which side a column's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// How a column is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sorted {
    No,
    Up,
    Down,
}

#[derive(Clone, Debug)]
pub struct Column {
    pub title: &'static str,
    pub width: f32,
    pub side: Side,
    pub sorted: Sorted,
}

/// A cell as plain values.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    pub icon: Option<(Icon, Tone)>,
    pub spans: Vec<Span>,
}

/// A row as plain values.
#[derive(Clone, Debug, Default)]
pub struct Face {
    /// What a screen reader says.
    pub name: String,
    pub cells: Vec<Cell>,
}

/// What is kept between frames.
#[derive(Clone, Debug, Default)]
pub struct TableState {
    pub scroll: Scroll,
    /// The newest wish to reveal the cursor that was followed.
    pub revealed: u64,
    pub rows_in_sight: f32,
}

pub struct Table<'a> {
    pub columns: &'a [Column],
    pub rows: u64,
    pub row_height: f32,
    pub cursor: Option<u64>,
    /// The row whose record is open.
    pub chosen: Option<u64>,
    pub reveal: u64,
    /// 1, or less where what is shown is old.
    pub opacity: f32,
    pub has_focus: bool,
}

/// What a person did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answer {
    pub header: Option<usize>,
    pub clicked: Option<u64>,
}

const PADDING: f32 = 8.0;
const THUMB_MIN: f32 = 36.0;

impl Table<'_> {
    pub fn show(
        &self,
        ui: &mut Ui,
        theme: &Theme,
        rect: Rect,
        state: &mut TableState,
        (face, hint): (
            impl Fn(u64) -> Option<Face>,
            impl Fn(u64, usize) -> Option<String>,
        ),
    ) -> Answer {
        let mut answer = Answer::default();
        let header_height = theme.common().height.table_header;
        let (header, body) = rect.split_top_bottom_at_y(rect.min.y + header_height);
        self.header_ui(ui, theme, header, &mut answer);
        state.rows_in_sight = (body.height() / self.row_height).max(1.0);
        if self.reveal != state.revealed {
            state.revealed = self.reveal;
            if let Some(row) = self.cursor {
                state.scroll.reveal(row, state.rows_in_sight);
            }
        }
        self.wheel(ui, body, state);
        state.scroll.clamp(self.rows, state.rows_in_sight);
        let lane = self.lane(ui, theme, body, state);
        let mut inside = ui.new_child(egui::UiBuilder::new().max_rect(body).id_salt("rows"));
        inside.set_clip_rect(body.intersect(ui.clip_rect()));
        inside.multiply_opacity(self.opacity);
        let mut y = body.min.y - state.scroll.fraction * self.row_height;
        let mut row = state.scroll.top_row;
        while y < body.max.y && row < self.rows {
            let line =
                Rect::from_min_size(pos2(body.min.x, y), vec2(body.width(), self.row_height));
            if let Some(face) = face(row) {
                let response = self.row_ui(&mut inside, theme, line, row, &face, &mut answer);
                self.hint_ui(response, row, &hint);
            }
            y += self.row_height;
            row += 1;
        }
        // The lane is asked last, so that it lies over the rows.
        self.drag_ui(ui, lane, state);
        answer
    }

    fn header_ui(&self, ui: &mut Ui, theme: &Theme, rect: Rect, answer: &mut Answer) {
        let mut x = rect.min.x;
        for (at, column) in self.columns.iter().enumerate() {
            let cell = Rect::from_min_size(pos2(x, rect.min.y), vec2(column.width, rect.height()));
            x += column.width;
            if column.title.is_empty() {
                continue;
            }
            let id = Id::unique((ui.scope_id(), "header", column.title));
            let response = ui.interact(cell, id, Sense::CLICK);
            let name = match column.sorted {
                Sorted::No => format!("Sort by {}", column.title),
                Sorted::Up => format!("Sort by {}, sorted up", column.title),
                Sorted::Down => format!("Sort by {}, sorted down", column.title),
            };
            response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
            let tone = match (column.sorted, response.hovered()) {
                (Sorted::No, false) => Tone::Tertiary,
                _ => Tone::Secondary,
            };
            let pen = Pen::new(ui.painter(), theme);
            let (anchor, edge) = match column.side {
                Side::Left => (Align2::LEFT_CENTER, cell.min.x + PADDING),
                Side::Right => (Align2::RIGHT_CENTER, cell.max.x - PADDING),
            };
            let at_point = pos2(edge, cell.center().y);
            let title = pen.text(at_point, anchor, column.title, Text::Note, tone);
            if column.sorted != Sorted::No {
                caret(&pen, theme, title, column);
            }
            if response.clicked() {
                answer.header = Some(at);
            }
        }
        let pen = Pen::new(ui.painter(), theme);
        pen.hline(rect.x_range(), rect.min.y, pen.hair());
        pen.hline(rect.x_range(), rect.max.y - 1.0, pen.hair());
    }

    fn wheel(&self, ui: &Ui, body: Rect, state: &mut TableState) {
        if ui.rect_contains_pointer(body) {
            let delta = ui.input(|input| input.smooth_scroll_delta().y);
            if delta != 0.0 {
                state.scroll.by(f64::from(-delta / self.row_height));
            }
        }
    }

    fn row_ui(
        &self,
        ui: &mut Ui,
        theme: &Theme,
        rect: Rect,
        row: u64,
        face: &Face,
        answer: &mut Answer,
    ) -> egui::Response {
        // One stop for the keyboard is the table, not each row.
        let id = Id::unique((ui.scope_id(), row));
        let response = ui.interact(rect, id, Sense::CLICK);
        let chosen = self.chosen == Some(row);
        let is_cursor = self.cursor == Some(row);
        response
            .widget_info(|| WidgetInfo::selected(Role::Row, true, chosen || is_cursor, &face.name));
        let tokens = theme.tokens();
        let painter = ui.painter();
        if chosen {
            painter.rect_filled(rect, 0, tokens.state.selected.0);
        } else if response.hovered() {
            painter.rect_filled(rect, 0, tokens.state.hover.0);
        }
        let mut x = rect.min.x;
        for (column, cell) in self.columns.iter().zip(&face.cells) {
            let place = Rect::from_min_size(pos2(x, rect.min.y), vec2(column.width, rect.height()));
            cell_ui(ui, theme, place, column, cell);
            x += column.width;
        }
        let painter = ui.painter();
        if chosen {
            let bar = vec2(theme.common().width.accent_bar, rect.height());
            painter.rect_filled(Rect::from_min_size(rect.min, bar), 0, tokens.accent.solid.0);
        }
        if is_cursor {
            let line = if self.has_focus {
                tokens.accent.focus.0
            } else {
                tokens.line.strong.0
            };
            painter.rect_stroke(rect, 0, Stroke::new(1.0, line), StrokeKind::Inside);
        }
        if response.clicked() {
            answer.clicked = Some(row);
        }
        response
    }

    /// What a cell that was cut says whole, under the pointer.
    fn hint_ui(
        &self,
        response: egui::Response,
        row: u64,
        hint: &impl Fn(u64, usize) -> Option<String>,
    ) {
        let Some(pointer) = response.hover_pos().filter(|_| response.hovered()) else {
            return;
        };
        let mut right = response.rect.min.x;
        for (at, column) in self.columns.iter().enumerate() {
            right += column.width;
            if pointer.x < right {
                if let Some(text) = hint(row, at) {
                    response.on_hover_text_at_pointer(text);
                }
                return;
            }
        }
    }

    /// The lane of the scroll bar; nothing where all rows are in sight.
    fn lane(&self, ui: &mut Ui, theme: &Theme, body: Rect, state: &TableState) -> Option<Lane> {
        let in_sight = state.rows_in_sight;
        if self.rows as f64 <= f64::from(in_sight) {
            return None;
        }
        let lane = Rect::from_min_max(pos2(body.max.x - 8.0, body.min.y), body.max);
        let share = f64::from(in_sight) / self.rows as f64;
        let length = (body.height() * share as f32).clamp(THUMB_MIN, body.height());
        let way = body.height() - length;
        let at = body.min.y + way * state.scroll.share(self.rows, in_sight) as f32;
        let wide = ui.rect_contains_pointer(lane);
        let width = if wide {
            8.0
        } else {
            theme.common().width.scroll_thumb
        };
        let thumb = Rect::from_min_size(
            pos2(body.max.x - width - if wide { 0.0 } else { 2.0 }, at),
            vec2(width, length),
        );
        Some(Lane {
            rect: lane,
            thumb,
            way,
            color: theme.tokens().line.control.0,
        })
    }

    fn drag_ui(&self, ui: &mut Ui, lane: Option<Lane>, state: &mut TableState) {
        let Some(lane) = lane else { return };
        let id = ui.scope_id().with("lane");
        let response = ui.interact(lane.rect, id, Sense::DRAG | Sense::CLICK);
        response.widget_info(|| WidgetInfo::labeled(Role::ScrollBar, true, "Scroll bar"));
        let painter = ui.painter();
        painter.rect_filled(lane.thumb, lane.thumb.width() / 2.0, lane.color);
        if let Some(pointer) = response.interact_pointer_pos()
            && (response.dragged() || response.clicked())
        {
            let top = pointer.y - lane.rect.min.y - lane.thumb.height() / 2.0;
            let share = f64::from(top) / f64::from(lane.way.max(1.0));
            state.scroll.to_share(share, self.rows, state.rows_in_sight);
            ui.ctx().request_repaint();
        }
    }
}

struct Lane {
    rect: Rect,
    thumb: Rect,
    /// How far the thumb can go.
    way: f32,
    color: egui::Color32,
}

fn caret(pen: &Pen<'_>, theme: &Theme, title: Rect, column: &Column) {
    let icon = theme.icon("act", "open_list");
    let x = match column.side {
        Side::Left => title.max.x + 8.0,
        Side::Right => title.min.x - 8.0,
    };
    let at = pos2(x, title.center().y);
    match column.sorted {
        Sorted::Down => {
            pen.icon(at, &icon, 11.0, Tone::Secondary);
        }
        _ => {
            // The icon font has the caret one way only.
            let font = theme.icon_font(&icon, 11.0);
            let color = theme.tone(Tone::Secondary);
            let galley = pen
                .painter
                .fonts_mut(|fonts| fonts.layout_no_wrap(icon.text(), font, color));
            let corner = at - galley.size() / 2.0;
            let shape = egui::epaint::TextShape::new(corner, galley, color)
                .with_angle_and_anchor(std::f32::consts::PI, Align2::CENTER_CENTER);
            pen.painter.add(shape);
        }
    }
}

fn cell_ui(ui: &Ui, theme: &Theme, place: Rect, column: &Column, cell: &Cell) {
    let inner = place.shrink2(vec2(PADDING, 0.0));
    let painter = ui.painter().with_clip_rect(place.intersect(ui.clip_rect()));
    let pen = Pen::new(&painter, theme);
    let mut left = inner.min.x;
    if let Some((icon, tone)) = &cell.icon {
        let size = theme.common().icon_size.in_row;
        let center = pos2(left + size / 2.0, place.center().y);
        pen.icon(center, icon, size, *tone);
        left += size + 6.0;
    }
    if cell.spans.is_empty() {
        return;
    }
    let galley = pen.elided(&cell.spans, inner.max.x - left + 1.0);
    match column.side {
        Side::Left => pen.put(galley, pos2(left, place.center().y), Align2::LEFT_CENTER),
        Side::Right => {
            let at = pos2(inner.max.x, place.center().y);
            pen.put(galley, at, Align2::RIGHT_CENTER)
        }
    };
}
