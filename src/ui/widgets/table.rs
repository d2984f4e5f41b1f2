//! A table of any length: only the rows in sight are made and painted.
//!
//! Invariant: its cost does not depend on the number of rows, and its place is exact at any size.

mod edges;
mod header;

use egui::{Align2, Id, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use super::check::check_box;
use super::pen::Pen;
use super::scroll::Scroll;
use super::span::Span;
use crate::ui::theme::{Icon, Theme, Tone};

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
    pub title: String,
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
    pub is_selected: bool,
    /// It has just changed: 1, fading to 0.
    pub mark: f32,
}

/// When an empty check box is in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boxes {
    UnderPointer,
    Always,
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
    pub boxes: Boxes,
    pub headers_sort: bool,
    /// Columns can be moved and made wider.
    pub headers_move: bool,
    /// 1, or less where what is shown is old.
    pub opacity: f32,
    pub has_focus: bool,
}

/// What a person did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answer {
    pub header: Option<usize>,
    /// A column and its new width; nothing for the usual one.
    pub resized: Option<(usize, Option<f32>)>,
    /// A column, and the one it is put in front of; nothing for the end.
    pub moved: Option<(usize, Option<usize>)>,
    pub clicked: Option<u64>,
    /// The row whose check box was pressed, or that was clicked to be selected as well.
    pub toggled: Option<u64>,
    /// The row up to which the selection is to go.
    pub extended: Option<u64>,
}

const PADDING: f32 = 8.0;
const THUMB_MIN: f32 = 36.0;
/// A row fades in few steps: where the processor draws, each frame costs.
const FADE_STEP: std::time::Duration = std::time::Duration::from_millis(300);

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

    fn wheel(&self, ui: &Ui, body: Rect, state: &mut TableState) {
        if ui.rect_contains_pointer(body) {
            let delta = ui.input(|input| input.smooth_scroll_delta().y);
            if delta != 0.0 {
                state.scroll.by(f64::from(-delta / self.row_height));
            }
        }
    }

    pub fn row_ui(
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
        let boxed = self.box_ui(ui, rect, row, face, response.hovered(), answer);
        let tokens = theme.tokens();
        let painter = ui.painter();
        if face.mark > 0.0 {
            let ground = tokens.state.pressed.0.gamma_multiply(face.mark);
            painter.rect_filled(rect, 0, ground);
            // It fades while it is in sight.
            ui.ctx().request_repaint_after(FADE_STEP);
        }
        let is_marked = chosen || face.is_selected;
        if is_marked {
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
        if let Some((place, hovered)) = boxed {
            check_box(ui, theme, place, face.is_selected, hovered);
        }
        let painter = ui.painter();
        if is_marked {
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
            let held = ui.input(|input| input.modifiers);
            match (held.shift, held.command) {
                (true, _) => answer.extended = Some(row),
                (_, true) => answer.toggled = Some(row),
                _ => answer.clicked = Some(row),
            }
        }
        response
    }

    /// Asks for the check box of a row; gives where it is painted.
    fn box_ui(
        &self,
        ui: &mut Ui,
        rect: Rect,
        row: u64,
        face: &Face,
        is_hovered: bool,
        answer: &mut Answer,
    ) -> Option<(Rect, bool)> {
        let column = self
            .columns
            .first()
            .filter(|column| column.title.is_empty())?;
        let place = Rect::from_min_size(rect.min, vec2(column.width + 4.0, rect.height()));
        let over = ui.rect_contains_pointer(place);
        if !face.is_selected && !is_hovered && !over && self.boxes == Boxes::UnderPointer {
            return None;
        }
        let id = Id::unique((ui.scope_id(), "box", row));
        let response = ui.interact(place, id, Sense::CLICK);
        let name = format!("Select {}", face.name);
        let on = face.is_selected;
        response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, on, &name));
        if response.clicked() {
            if ui.input(|input| input.modifiers.shift) {
                answer.extended = Some(row);
            } else {
                answer.toggled = Some(row);
            }
        }
        let center = pos2(rect.min.x + column.width / 2.0 + 1.0, rect.center().y);
        let square = Rect::from_center_size(center.round(), vec2(14.0, 14.0));
        Some((square, response.hovered()))
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
        let length =
            (body.height() * share as f32).clamp(THUMB_MIN.min(body.height()), body.height());
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
