//! What is copied of the records that are selected, or of the one under the cursor.

use egui::{Id, Key, Modifiers, Role, Sense, Ui, WidgetInfo, vec2};

use crate::app::State;
use crate::app::command::{AppCommand, Command, CopyAs, SelectCommand};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{focus_ring, key_cap, key_cap_width};
use crate::ui::widgets::dialog::dialog_ui;
use crate::ui::widgets::{Pen, Row};

const WIDTH: f32 = 280.0;
const ITEM: f32 = 30.0;

const FORMS: [(CopyAs, &str, &str, Key); 4] = [
    (CopyAs::Key, "copy", "Y", Key::Y),
    (CopyAs::Json, "json", "J", Key::J),
    (CopyAs::Curl, "terminal", "C", Key::C),
    (CopyAs::Command, "terminal", "S", Key::S),
];

fn word(form: CopyAs) -> String {
    match form {
        CopyAs::Key => say!("copy-as-key"),
        CopyAs::Json => say!("copy-as-json"),
        CopyAs::Curl => say!("copy-as-curl"),
        CopyAs::Command => say!("copy-as-command"),
    }
}

pub fn copy_as_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let mut chosen = None;
    let left = dialog_ui(ui, theme, "copy as", WIDTH, |ui| {
        let title = match state.selection.len() {
            0 => say!("copy-as-this"),
            count => say!("copy-as-records", count = count),
        };
        Row::next(ui, theme, 26.0).text(&title, Text::Section, Tone::Primary);
        ui.add_space(4.0);
        for (form, icon, cap, key) in FORMS {
            let pressed = ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
            if item_ui(ui, theme, &word(form), icon, cap) || pressed {
                chosen = Some(form);
            }
        }
    });
    if let Some(form) = chosen {
        send.send(Command::Select(SelectCommand::Copy(form)));
    }
    if left || chosen.is_some() {
        send.send(Command::App(AppCommand::StepBack));
    }
}

fn item_ui(ui: &mut Ui, theme: &Theme, word: &str, icon: &str, cap: &str) -> bool {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ITEM), Sense::hover());
    let rect = rect.expand2(vec2(8.0, 0.0));
    let response = ui.interact(rect, Id::unique(("copy as", word)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::MenuItem, true, word));
    if response.hovered() {
        let radius = theme.common().radius.control;
        ui.painter()
            .rect_filled(rect, radius, theme.tokens().state.hover.0);
    }
    focus_ring(ui, theme, &response);
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(8.0, 0.0)));
    row.icon(&theme.icon("act", icon), 15.0, Tone::Secondary);
    row.gap(8.0);
    row.text(word, Text::Body, Tone::Primary);
    let pen = Pen::new(row.ui.painter(), theme);
    let at = egui::pos2(
        row.rect.max.x - key_cap_width(&pen, cap),
        row.rect.center().y,
    );
    key_cap(&pen, at, cap);
    response.clicked()
}
