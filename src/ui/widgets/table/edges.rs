//! Headers that are dragged: an edge makes a column wider, a header puts it elsewhere.
//!
//! Apart from `header` because a table whose columns are fixed has none of this.

use egui::{CursorIcon, Id, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::{Answer, Table};
use crate::present::say::say;
use crate::ui::theme::Theme;

/// How wide the place is that can be dragged.
const EDGE: f32 = 8.0;
const WIDTH_MIN: f32 = 40.0;

impl Table<'_> {
    /// The right edges of all columns. After the headers, so that they lie over both neighbours.
    pub fn edges_ui(&self, ui: &mut Ui, theme: &Theme, header: Rect, answer: &mut Answer) {
        let mut left = header.min.x;
        for (at, column) in self.columns.iter().enumerate() {
            let size = vec2(column.width, header.height());
            let cell = Rect::from_min_size(pos2(left, header.min.y), size);
            left += column.width;
            if !column.title.is_empty() {
                self.edge_ui(ui, theme, cell, at, answer);
            }
        }
    }

    fn edge_ui(&self, ui: &mut Ui, theme: &Theme, cell: Rect, at: usize, answer: &mut Answer) {
        let Some(column) = self.columns.get(at) else {
            return;
        };
        let size = vec2(EDGE, cell.height());
        let edge = Rect::from_center_size(pos2(cell.max.x, cell.center().y), size);
        let id = Id::unique((ui.scope_id(), "edge", &column.title));
        let response = ui
            .interact(edge, id, Sense::DRAG | Sense::CLICK)
            .on_hover_cursor(CursorIcon::ResizeHorizontal);
        let name = say!("table-edge", column = &column.title);
        response.widget_info(|| WidgetInfo::labeled(Role::Splitter, true, &name));
        if response.hovered() || response.dragged() {
            let line = Rect::from_center_size(edge.center(), vec2(2.0, cell.height() - 8.0));
            let color = theme.tokens().accent.solid.0;
            ui.painter().rect_filled(line, 1, color);
        }
        if response.double_clicked() {
            answer.resized = Some((at, None));
        } else if let Some(pointer) = response.interact_pointer_pos()
            && response.dragged()
        {
            let width = (pointer.x - cell.min.x).max(WIDTH_MIN);
            answer.resized = Some((at, Some(width)));
        }
    }

    /// A header that is dragged shows where it would go, and goes there when it is let go.
    pub fn move_ui(
        &self,
        ui: &Ui,
        theme: &Theme,
        header: Rect,
        (at, response): (usize, &Response),
        answer: &mut Answer,
    ) {
        let Some(pointer) = response.interact_pointer_pos() else {
            return;
        };
        if !response.dragged() && !response.drag_stopped() {
            return;
        }
        let (before, x) = self.gap_at(header, pointer.x);
        if response.drag_stopped() {
            answer.moved = Some((at, before));
            return;
        }
        ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
        let line = Rect::from_center_size(pos2(x, header.center().y), vec2(2.0, header.height()));
        ui.painter()
            .rect_filled(line, 1, theme.tokens().accent.solid.0);
    }

    /// The gap between columns nearest to a point: the column after it, and where it is.
    fn gap_at(&self, header: Rect, x: f32) -> (Option<usize>, f32) {
        let mut left = header.min.x;
        for (at, column) in self.columns.iter().enumerate() {
            // Nothing goes in front of the check boxes.
            if x < left + column.width / 2.0 && !column.title.is_empty() {
                return (Some(at), left);
            }
            left += column.width;
        }
        (None, left)
    }
}
