//! The top bar.

mod data;

pub use data::{ChangesChip, TopBarData, servers, top_bar_data};

use egui::{Id, Rect, Role, Sense, Ui, WidgetInfo};

use crate::app::command::{ChangesCommand, Command, PaletteCommand, StoresCommand};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Ink, badge, focus_ring, key_cap, key_cap_width};
use crate::ui::widgets::form::{mark, production_chip};
use crate::ui::widgets::{Pen, Row};

/// The room that a name gets.
const NAME_SHARE: f32 = 0.34;
const NAME_MIN: f32 = 160.0;

pub fn top_bar_ui(ui: &mut Ui, theme: &Theme, rect: Rect, data: &TopBarData, send: &Commands) {
    let pen = Pen::new(ui.painter(), theme);
    pen.painter
        .rect_filled(rect, 0, theme.tokens().surface.sunken.0);
    pen.hline(rect.x_range(), rect.max.y - 0.5, pen.hair());
    let mut row = Row::new(ui, theme, rect.shrink2(egui::vec2(16.0, 0.0)));
    store_ui(&mut row, data, send);
    if data.is_open {
        row.gap(12.0);
        if let Some(word) = &data.production {
            let at = egui::pos2(row.rect.min.x, row.rect.center().y);
            let drawn = production_chip(row.ui, theme, at, word);
            row.rect.min.x = drawn.max.x + 8.0;
        }
        changes_ui(&mut row, &data.changes, send);
        row.gap(16.0);
    }
    match (&data.live, data.is_lost) {
        (_, true) => {
            row.text_right(&say!("status-not-connected"), Text::Note, Tone::Secondary);
            row.gap_right(6.0);
            row.icon_right(&theme.icon("mark", "disconnected"), 15.0, Tone::Stuck);
            row.gap_right(16.0);
        }
        (Some(live), false) => {
            row.text_right(live, Text::Body, Tone::Secondary);
            row.gap_right(8.0);
            row.icon_right(&theme.icon("mark", "live_updates"), 15.0, Tone::Secondary);
            row.gap_right(16.0);
        }
        _ => {}
    }
    search_ui(&mut row, send);
    row.text(&data.facts, Text::Note, Tone::Tertiary);
}

/// Read-only, or changes on; pressed it becomes the other.
fn changes_ui(row: &mut Row<'_>, changes: &ChangesChip, send: &Commands) {
    let theme = row.theme;
    let (icon, word, ink) = match changes {
        ChangesChip::ReadOnly => ("read_only", say!("top-read-only"), Ink::Plain),
        ChangesChip::On => ("changes_on", say!("top-changes-on"), Ink::Plain),
        ChangesChip::Timed(left) => {
            let word = say!("top-changes-left", left = left);
            ("changes_on", word, Ink::Production)
        }
    };
    let at = egui::pos2(row.rect.min.x, row.rect.center().y);
    let icon = theme.icon("mark", icon);
    let response = badge(row.ui, theme, at, &icon, (&word, ink));
    row.rect.min.x = response.rect.max.x;
    let hint = match changes {
        ChangesChip::ReadOnly => say!("top-turn-on"),
        _ => say!("top-turn-off"),
    };
    if response.on_hover_text(format!("{hint} (Ctrl E)")).clicked() {
        send.send(Command::Changes(ChangesCommand::Toggle));
    }
}

/// What looks like a field and opens the palette.
fn search_ui(row: &mut Row<'_>, send: &Commands) {
    let theme = row.theme;
    let place = row.take_right(216.0, 28.0);
    row.gap_right(16.0);
    let id = Id::unique((row.ui.scope_id(), "search"));
    let response = row.ui.interact(place, id, Sense::click());
    let name = format!("{} (Ctrl K)", say!("palette-name"));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    let tokens = theme.tokens();
    let radius = theme.common().radius.control;
    let stroke = egui::Stroke::new(1.0, tokens.line.strong.0);
    let painter = row.ui.painter();
    painter.rect_filled(place, radius, tokens.state.field.0);
    painter.rect_stroke(place, radius, stroke, egui::StrokeKind::Inside);
    focus_ring(row.ui, theme, &response);
    let mut inside = Row::new(row.ui, theme, place.shrink2(egui::vec2(8.0, 0.0)));
    inside.icon(&theme.icon("act", "search"), 15.0, Tone::Tertiary);
    inside.gap(8.0);
    let pen = Pen::new(inside.ui.painter(), theme);
    let width = key_cap_width(&pen, "Ctrl K");
    let at = egui::pos2(inside.rect.max.x - width, inside.rect.center().y);
    key_cap(&pen, at, "Ctrl K");
    // The words end before the cap, in whatever language.
    inside.rect.max.x = at.x - 8.0;
    inside.text(&say!("palette-name"), Text::Body, Tone::Tertiary);
    if response.clicked() {
        send.send(Command::Palette(PaletteCommand::Show));
    }
}

fn store_ui(row: &mut Row<'_>, data: &TopBarData, send: &Commands) {
    let start = row.rect.min.x;
    let theme = row.theme;
    row.icon(&theme.icon("mark", "store"), 15.0, Tone::Secondary);
    row.gap(8.0);
    if let Some(colour) = theme.mark(data.colour) {
        let center = egui::pos2(row.rect.min.x + 4.0, row.rect.center().y);
        mark(row.ui, theme, center, colour);
        row.gap(14.0);
    }
    // Long names leave room for what can be done.
    let end = row.rect.max.x;
    row.rect.max.x = (row.rect.min.x + (row.room() * NAME_SHARE).max(NAME_MIN)).min(end);
    row.text(&data.store, Text::Section, Tone::Primary);
    row.rect.max.x = end;
    row.gap(6.0);
    row.icon(&theme.icon("act", "open_list"), 12.0, Tone::Tertiary);
    let mut press = row.rect;
    press.min.x = start - 4.0;
    press.max.x = row.rect.min.x + 4.0;
    let press = press.shrink2(egui::vec2(0.0, 9.0));
    let id = Id::unique((row.ui.scope_id(), "store"));
    let response = row.ui.interact(press, id, Sense::click());
    let name = say!("stores-change", name = data.store.as_str());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    focus_ring(row.ui, theme, &response);
    let hint = format!("{}\n{}", data.store, say!("stores-change-hint"));
    if response.on_hover_text(hint).clicked() {
        send.send(Command::Stores(StoresCommand::ShowMenu));
    }
}
