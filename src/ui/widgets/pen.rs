//! Paints texts, icons and hairlines by token.

use std::sync::Arc;

use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Color32, Galley, Painter, Pos2, Rangef, Rect, Stroke, pos2};

use super::span::Span;
use crate::ui::theme::{Icon, Text, Theme, Tone};

#[derive(Clone, Copy)]
pub struct Pen<'a> {
    pub painter: &'a Painter,
    pub theme: &'a Theme,
}

impl<'a> Pen<'a> {
    pub fn new(painter: &'a Painter, theme: &'a Theme) -> Pen<'a> {
        Pen { painter, theme }
    }

    pub fn galley(&self, text: &str, kind: Text, tone: Tone) -> Arc<Galley> {
        self.spans(&[Span::new(text, kind, tone)])
    }

    pub fn spans(&self, spans: &[Span]) -> Arc<Galley> {
        self.painter
            .fonts_mut(|fonts| fonts.layout_job(job(self.theme, spans)))
    }

    /// Spans in at most so many rows of a width.
    pub fn wrapped(&self, spans: &[Span], width: f32, rows: usize) -> Arc<Galley> {
        let mut job = job(self.theme, spans);
        job.wrap.max_width = width;
        job.wrap.max_rows = rows;
        job.break_on_newline = true;
        self.painter.fonts_mut(|fonts| fonts.layout_job(job))
    }

    /// One row that ends with `…` where it is too long.
    pub fn elided(&self, spans: &[Span], width: f32) -> Arc<Galley> {
        let mut job = job(self.theme, spans);
        job.wrap.max_width = width.max(0.0);
        job.wrap.max_rows = 1;
        job.wrap.break_anywhere = true;
        self.painter.fonts_mut(|fonts| fonts.layout_job(job))
    }

    /// Paints a galley with its anchor at a point.
    pub fn put(&self, galley: Arc<Galley>, at: Pos2, anchor: Align2) -> Rect {
        let rect = anchor.anchor_size(at, galley.size());
        let snapped = pos2(rect.min.x.round(), rect.min.y.round());
        self.painter.galley(snapped, galley, Color32::PLACEHOLDER);
        rect
    }

    pub fn text(&self, at: Pos2, anchor: Align2, text: &str, kind: Text, tone: Tone) -> Rect {
        self.put(self.galley(text, kind, tone), at, anchor)
    }

    pub fn icon(&self, center: Pos2, icon: &Icon, size: f32, tone: Tone) -> Rect {
        let font = self.theme.icon_font(icon, size);
        let color = self.theme.tone(tone);
        self.painter
            .text(center, Align2::CENTER_CENTER, icon.text(), font, color)
    }

    pub fn hline(&self, x: impl Into<Rangef>, y: f32, color: Color32) {
        let y = self.painter.round_to_pixel_center(y);
        self.painter.hline(x, y, Stroke::new(1.0, color));
    }

    pub fn vline(&self, x: f32, y: impl Into<Rangef>, color: Color32) {
        let x = self.painter.round_to_pixel_center(x);
        self.painter.vline(x, y, Stroke::new(1.0, color));
    }

    pub fn hair(&self) -> Color32 {
        self.theme.tokens().line.hair.0
    }
}

/// Spans as a job for one row.
pub fn job(theme: &Theme, spans: &[Span]) -> LayoutJob {
    let mut job = LayoutJob {
        break_on_newline: false,
        ..LayoutJob::default()
    };
    for span in spans {
        let mut format = TextFormat::simple(theme.font(span.kind), theme.tone(span.tone));
        if span.is_escape {
            format.background = theme.tokens().state.pressed.0;
        }
        if span.kind == Text::Tag {
            format.extra_letter_spacing = 0.5;
        }
        job.append(&span.text, 0.0, format);
    }
    job
}
