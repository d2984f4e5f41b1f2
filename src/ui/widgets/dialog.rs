//! Something that lies over the window and keeps the focus until it is left.

use egui::{Frame, Id, Margin, Modal, Stroke, Ui, vec2};

use crate::ui::theme::Theme;

/// Shows a dialog; true where the ground beside it was clicked.
pub fn dialog_ui(
    ui: &mut Ui,
    theme: &Theme,
    name: &str,
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
            ui.set_width(width.min(ui.ctx().content_rect().width() - 80.0));
            ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
            add(ui);
        });
    modal.backdrop_response.clicked()
}
