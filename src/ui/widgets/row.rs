//! A line of parts, set from both ends towards the middle, all on one centre line.

use egui::{Align2, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2};

use super::pen::Pen;
use super::span::{Span, plain};
use crate::ui::theme::{Icon, Text, Theme, Tone};

/// Room in a line; parts take from its left or right end.
pub struct Row<'a> {
    pub ui: &'a mut Ui,
    pub theme: &'a Theme,
    pub rect: Rect,
}

impl<'a> Row<'a> {
    pub fn new(ui: &'a mut Ui, theme: &'a Theme, rect: Rect) -> Row<'a> {
        Row { ui, theme, rect }
    }

    /// The next line of a column, as wide as there is room.
    pub fn next(ui: &'a mut Ui, theme: &'a Theme, height: f32) -> Row<'a> {
        let width = ui.available_width();
        let (rect, _) = ui.allocate_exact_size(egui::vec2(width, height), Sense::hover());
        Row { ui, theme, rect }
    }

    pub fn gap(&mut self, points: f32) {
        self.rect.min.x += points;
    }

    pub fn gap_right(&mut self, points: f32) {
        self.rect.max.x -= points;
    }

    pub fn room(&self) -> f32 {
        self.rect.width()
    }

    pub fn icon(&mut self, icon: &Icon, size: f32, tone: Tone) {
        let at = pos2(self.rect.min.x + size / 2.0, self.rect.center().y);
        Pen::new(self.ui.painter(), self.theme).icon(at, icon, size, tone);
        self.rect.min.x += size;
    }

    pub fn icon_right(&mut self, icon: &Icon, size: f32, tone: Tone) {
        let at = pos2(self.rect.max.x - size / 2.0, self.rect.center().y);
        Pen::new(self.ui.painter(), self.theme).icon(at, icon, size, tone);
        self.rect.max.x -= size;
    }

    pub fn text(&mut self, text: &str, kind: Text, tone: Tone) -> Response {
        self.spans(&[Span::new(text, kind, tone)])
    }

    pub fn text_right(&mut self, text: &str, kind: Text, tone: Tone) -> Response {
        self.spans_right(&[Span::new(text, kind, tone)])
    }

    /// Takes at most the room that is left.
    pub fn spans(&mut self, spans: &[Span]) -> Response {
        let pen = Pen::new(self.ui.painter(), self.theme);
        let galley = pen.elided(spans, self.rect.width());
        let at = pos2(self.rect.min.x, self.rect.center().y);
        let rect = pen.put(galley, at, Align2::LEFT_CENTER);
        self.rect.min.x = rect.max.x.min(self.rect.max.x);
        self.label(rect, spans)
    }

    pub fn spans_right(&mut self, spans: &[Span]) -> Response {
        let pen = Pen::new(self.ui.painter(), self.theme);
        let galley = pen.elided(spans, self.rect.width());
        let at = pos2(self.rect.max.x, self.rect.center().y);
        let rect = pen.put(galley, at, Align2::RIGHT_CENTER);
        self.rect.max.x = rect.min.x.max(self.rect.min.x);
        self.label(rect, spans)
    }

    /// The rectangle of a part of a width, taken from the left.
    pub fn take(&mut self, width: f32, height: f32) -> Rect {
        let at = pos2(self.rect.min.x, self.rect.center().y - height / 2.0);
        self.rect.min.x += width;
        Rect::from_min_size(at, egui::vec2(width, height))
    }

    pub fn take_right(&mut self, width: f32, height: f32) -> Rect {
        self.rect.max.x -= width;
        let at = pos2(self.rect.max.x, self.rect.center().y - height / 2.0);
        Rect::from_min_size(at, egui::vec2(width, height))
    }

    fn label(&mut self, rect: Rect, spans: &[Span]) -> Response {
        let id = self.ui.next_auto_id();
        self.ui.skip_ahead_auto_ids(1);
        let response = self.ui.interact(rect, id, Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, plain(spans)));
        response
    }
}
