//! The page of keys, over everything.

mod data;

pub use data::{KeysGroup, keys_page_data};

use egui::{Frame, Id, Margin, Modal, Stroke, Ui};

use crate::app::State;
use crate::app::command::{AppCommand, Command};
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{key_cap, key_cap_width};
use crate::ui::widgets::{Pen, Row};

const WIDTH: f32 = 400.0;
const KEYS: f32 = 104.0;

pub fn keys_page_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let tokens = theme.tokens();
    let frame = Frame::NONE
        .fill(tokens.surface.overlay.0)
        .stroke(Stroke::new(1.0, tokens.line.strong.0))
        .corner_radius(theme.common().radius.card)
        .inner_margin(Margin::same(20));
    let modal = Modal::new(Id::unique("keys page"))
        .backdrop_color(tokens.state.scrim.0)
        .frame(frame)
        .show(ui.ctx(), |ui| {
            ui.set_width(WIDTH);
            ui.spacing_mut().item_spacing.y = 0.0;
            for (at, group) in keys_page_data(state).iter().enumerate() {
                if at > 0 {
                    ui.add_space(12.0);
                }
                group_ui(ui, theme, group);
            }
        });
    // Esc is a step back like any other.
    if modal.backdrop_response.clicked() {
        send.send(Command::App(AppCommand::ShowKeysPage));
    }
}

fn group_ui(ui: &mut Ui, theme: &Theme, group: &KeysGroup) {
    Row::next(ui, theme, 26.0).text(&group.title, Text::Section, Tone::Primary);
    for (keys, words) in &group.keys {
        let mut row = Row::next(ui, theme, theme.common().height.field_line);
        let pen = Pen::new(row.ui.painter(), theme);
        let mut at = egui::pos2(row.rect.min.x, row.rect.center().y);
        for key in keys.split(' ') {
            key_cap(&pen, at, key);
            at.x += key_cap_width(&pen, key) + 4.0;
        }
        row.gap(KEYS);
        row.text(words, Text::Body, Tone::Secondary);
    }
}
