//! Something that lies over the window and keeps the focus until it is left.

use egui::{CornerRadius, Frame, Id, Margin, Modal, Rect, Stroke, Ui, vec2};

use crate::ui::theme::Theme;

/// Of the mark of production.
const EDGE: f32 = 3.0;

/// The upper edge of a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    Plain,
    /// What it does is done to production.
    Production,
}

/// Shows a dialog; true where the ground beside it was clicked.
pub fn dialog_ui(
    ui: &mut Ui,
    theme: &Theme,
    name: &str,
    width: f32,
    add: impl FnOnce(&mut Ui),
) -> bool {
    edged_dialog_ui(ui, theme, (name, Edge::Plain), width, add)
}

pub fn edged_dialog_ui(
    ui: &mut Ui,
    theme: &Theme,
    (name, edge): (&str, Edge),
    width: f32,
    add: impl FnOnce(&mut Ui),
) -> bool {
    let tokens = theme.tokens();
    let frame = Frame::NONE
        .fill(tokens.surface.overlay.0)
        .stroke(Stroke::new(1.0, tokens.line.strong.0))
        .corner_radius(theme.common().radius.card)
        .inner_margin(Margin::same(20));
    let modal = Modal::new(Id::unique(("dialog", name)))
        .backdrop_color(tokens.state.scrim.0)
        .frame(frame)
        .show(ui.ctx(), |ui| {
            let room = ui.ctx().content_rect().width() - 80.0;
            ui.set_width(width.min(room).max(1.0));
            ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
            add(ui);
        });
    if edge == Edge::Production {
        let rect = modal.response.rect;
        let radius = theme.common().radius.card;
        let round = CornerRadius {
            nw: radius,
            ne: radius,
            sw: 0,
            se: 0,
        };
        let line = Rect::from_min_size(rect.min, vec2(rect.width(), EDGE));
        let painter = ui.ctx().layer_painter(modal.response.layer_id);
        painter.rect_filled(line, round, tokens.production.solid.0);
    }
    modal.backdrop_response.clicked()
}
