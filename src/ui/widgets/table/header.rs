//! The header of a table: what its columns are called and how they are sorted.

use egui::{Align2, Id, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::{Answer, Column, PADDING, Side, Sorted, Table};
use crate::present::say::say;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Pen;

impl Table<'_> {
    pub fn header_ui(&self, ui: &mut Ui, theme: &Theme, rect: Rect, answer: &mut Answer) {
        let mut x = rect.min.x;
        for (at, column) in self.columns.iter().enumerate() {
            let cell = Rect::from_min_size(pos2(x, rect.min.y), vec2(column.width, rect.height()));
            x += column.width;
            if column.title.is_empty() {
                continue;
            }
            let id = Id::unique((ui.scope_id(), "header", &column.title));
            let sense = match (self.headers_sort, self.headers_move) {
                (true, true) => Sense::CLICK | Sense::DRAG,
                (true, false) => Sense::CLICK,
                _ => Sense::HOVER,
            };
            let response = ui.interact(cell, id, sense);
            let name = match column.sorted {
                _ if !self.headers_sort => column.title.clone(),
                Sorted::No => say!("table-sort", column = &column.title),
                Sorted::Up => say!("table-sort-up", column = &column.title),
                Sorted::Down => say!("table-sort-down", column = &column.title),
            };
            let role = if self.headers_sort {
                Role::Button
            } else {
                Role::ColumnHeader
            };
            response.widget_info(|| WidgetInfo::labeled(role, true, &name));
            let tone = match (column.sorted, self.headers_sort && response.hovered()) {
                (Sorted::No, false) => Tone::Tertiary,
                _ => Tone::Secondary,
            };
            let pen = Pen::new(ui.painter(), theme);
            let (anchor, edge) = match column.side {
                Side::Left => (Align2::LEFT_CENTER, cell.min.x + PADDING),
                Side::Right => (Align2::RIGHT_CENTER, cell.max.x - PADDING),
            };
            let at_point = pos2(edge, cell.center().y);
            let title = pen.text(at_point, anchor, &column.title, Text::Note, tone);
            if column.sorted != Sorted::No {
                caret(&pen, theme, title, column);
            }
            if response.clicked() {
                answer.header = Some(at);
            }
            if self.headers_move {
                self.move_ui(ui, theme, rect, (at, &response), answer);
            }
        }
        if self.headers_move {
            self.edges_ui(ui, theme, rect, answer);
        }
        let pen = Pen::new(ui.painter(), theme);
        pen.hline(rect.x_range(), rect.min.y, pen.hair());
        pen.hline(rect.x_range(), rect.max.y - 1.0, pen.hair());
    }
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
