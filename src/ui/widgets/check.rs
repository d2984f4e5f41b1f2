//! A check box.

use egui::{Rect, Stroke, StrokeKind, Ui};

use super::pen::Pen;
use crate::ui::theme::{Theme, Tone};

/// A check box, filled where it is on.
pub fn check_box(ui: &Ui, theme: &Theme, rect: Rect, is_on: bool, is_hovered: bool) {
    let tokens = theme.tokens();
    let radius = theme.common().radius.mark;
    let painter = ui.painter();
    if is_on {
        painter.rect_filled(rect, radius, tokens.accent.solid.0);
        let icon = theme.icon("act", "check");
        Pen::new(painter, theme).icon(rect.center(), &icon, 11.0, Tone::OnAccent);
        return;
    }
    let line = if is_hovered {
        tokens.text.secondary.0
    } else {
        tokens.line.control.0
    };
    painter.rect_stroke(rect, radius, Stroke::new(1.0, line), StrokeKind::Inside);
}
