//! Short sentences that go by themselves.

use egui::{Align2, Area, Frame, Id, Order, Sense, Stroke, Ui, WidgetInfo, vec2};

use crate::app::State;
use crate::app::command::{AppCommand, Command};
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::{Pen, Row};

pub fn notices_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    for (at, notice) in state.notices.list.iter().rev().enumerate() {
        let up = 40.0 + 48.0 * at as f32;
        Area::new(Id::unique(("notice", notice.number)))
            .order(Order::Foreground)
            .anchor(Align2::CENTER_BOTTOM, vec2(0.0, -up))
            .show(ui.ctx(), |ui| {
                let frame = Frame::NONE
                    .fill(theme.tokens().surface.overlay.0)
                    .stroke(Stroke::new(1.0, theme.tokens().line.strong.0))
                    .corner_radius(theme.common().radius.card);
                frame.show(ui, |ui| {
                    let pen = Pen::new(ui.painter(), theme);
                    let width = pen.galley(&notice.text, Text::Body, Tone::Primary).size().x;
                    let size = vec2((width + 56.0).min(640.0), 36.0);
                    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
                    let text = &notice.text;
                    response.widget_info(|| WidgetInfo::labeled(egui::Role::Alert, true, text));
                    let mut row = Row::new(ui, theme, rect.shrink2(vec2(14.0, 0.0)));
                    row.icon(&theme.icon("act", "info"), 15.0, Tone::Secondary);
                    row.gap(10.0);
                    row.text(text, Text::Body, Tone::Primary);
                    if response.clicked() {
                        let dismiss = AppCommand::DismissNotice(notice.number);
                        send.send(Command::App(dismiss));
                    }
                });
            });
    }
}
