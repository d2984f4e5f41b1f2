//! The view of settings: choices that work at once, each with what it means.

mod data;

pub use data::{SettingsData, settings_data};

use egui::{Rect, ScrollArea, Ui, UiBuilder, vec2};

use crate::app::State;
use crate::app::command::{ColumnsCommand, Command, SettingsCommand};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Chip};
use crate::ui::widgets::{Pen, Row, Span};

const EDGE: f32 = 20.0;
const WIDTH: f32 = 760.0;
const LABEL: f32 = 150.0;
const LINE: f32 = 36.0;

pub fn settings_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    let data = settings_data(state);
    ui.painter()
        .rect_filled(rect, 0, theme.tokens().surface.base.0);
    let height = theme.common().height.filter_row;
    let (head, body) = rect.split_top_bottom_at_y(rect.min.y + height);
    let mut row = Row::new(ui, theme, head.shrink2(vec2(EDGE, 0.0)));
    row.text(&say!("settings-title"), Text::View, Tone::Primary);
    row.gap(10.0);
    row.text(&say!("settings-lead"), Text::Body, Tone::Secondary);
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), head.max.y - 0.5, pen.hair());
    let mut inside = ui.new_child(UiBuilder::new().max_rect(body).id_salt("settings"));
    ScrollArea::vertical()
        .id_salt("settings")
        .auto_shrink([false, false])
        .show(&mut inside, |ui| {
            ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
            let width = (body.width() - 2.0 * EDGE).clamp(0.0, WIDTH);
            ui.horizontal_top(|ui| {
                ui.add_space(EDGE);
                ui.vertical(|ui| {
                    ui.set_width(width);
                    body_ui(ui, theme, &data, send);
                });
            });
        });
}

fn body_ui(ui: &mut Ui, theme: &Theme, data: &SettingsData, send: &Commands) {
    if let Some(trouble) = &data.trouble {
        ui.add_space(16.0);
        let mut row = Row::next(ui, theme, 20.0);
        row.icon(&theme.icon("act", "info"), 15.0, Tone::Stuck);
        row.gap(8.0);
        row.text(trouble, Text::Body, Tone::Primary);
    }
    for group in &data.groups {
        title_ui(ui, theme, &group.title);
        for item in &group.items {
            item_ui(ui, theme, item, send);
        }
    }
    columns_ui(ui, theme, send);
    title_ui(ui, theme, &say!("settings-kept"));
    for (word, path) in &data.places {
        let mut row = Row::next(ui, theme, 26.0);
        let label = row.take(LABEL, 18.0);
        Row::new(row.ui, theme, label).text(word, Text::Body, Tone::Secondary);
        row.text(path, Text::Mono, Tone::Primary)
            .on_hover_text(path);
    }
    ui.add_space(EDGE);
}

fn title_ui(ui: &mut Ui, theme: &Theme, title: &str) {
    ui.add_space(20.0);
    Row::next(ui, theme, 24.0).text(title, Text::Section, Tone::Primary);
    ui.add_space(2.0);
}

fn item_ui(ui: &mut Ui, theme: &Theme, item: &data::Item, send: &Commands) {
    // The same word stands in several lines.
    ui.push_id(&item.label, |ui| {
        let mut row = Row::next(ui, theme, LINE);
        let label = row.take(LABEL, 18.0);
        Row::new(row.ui, theme, label).text(&item.label, Text::Body, Tone::Secondary);
        let height = theme.common().height.button;
        for choice in &item.choices {
            let chip = Chip {
                word: &choice.word,
                count: None,
                icon: None,
                is_chosen: choice.is_chosen,
            };
            let place = row.take(chip.width(row.ui, theme), height);
            row.gap(2.0);
            let name = format!("{}: {}", item.label, choice.word);
            if chip.show_named(row.ui, theme, place, &name).clicked() {
                send.send(choice.command.clone());
            }
        }
        row.gap(16.0);
        let hint = [Span::new(&item.hint, Text::Note, Tone::Tertiary)];
        row.spans(&hint).on_hover_text(&item.hint);
    });
}

fn columns_ui(ui: &mut Ui, theme: &Theme, send: &Commands) {
    let mut row = Row::next(ui, theme, LINE);
    let label = row.take(LABEL, 18.0);
    let words = say!("settings-columns");
    Row::new(row.ui, theme, label).text(&words, Text::Body, Tone::Secondary);
    let word = say!("settings-choose");
    let button = Button::new(&word).key("Shift C");
    let place = row.take(button.width(row.ui, theme), theme.common().height.button);
    if button.show(row.ui, theme, place).clicked() {
        let ask = SettingsCommand::Columns(ColumnsCommand::Ask);
        send.send(Command::Settings(ask));
    }
}
