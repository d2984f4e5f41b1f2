//! The menu of stores under the name in the top bar: change over, open, close.

mod data;

use data::menu_data;

use egui::{
    Align2, Area, Color32, Frame, Id, Key, Margin, Modal, Modifiers, Rect, Role, Sense, Stroke, Ui,
    WidgetInfo, pos2, vec2,
};

use self::data::MenuLine;
use crate::app::State;
use crate::app::command::{AppCommand, Command, StoresCommand};
use crate::app::view::MenuItem;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::icon_button;
use crate::ui::widgets::form::mark;
use crate::ui::widgets::{Pen, Row};

const WIDTH: f32 = 320.0;

/// Shows the menu with its upper left corner at a point.
pub fn stores_menu_ui(ui: &mut Ui, theme: &Theme, at: egui::Pos2, state: &State, send: &Commands) {
    let data = menu_data(state);
    keys(ui, state, send);
    let tokens = theme.tokens();
    let frame = Frame::NONE
        .fill(tokens.surface.overlay.0)
        .stroke(Stroke::new(1.0, tokens.line.strong.0))
        .corner_radius(theme.common().radius.card)
        .inner_margin(Margin::same(6));
    let id = Id::unique("stores menu");
    let area = Area::new(id)
        .kind(egui::UiKind::Modal)
        .order(egui::Order::Foreground)
        .anchor(Align2::LEFT_TOP, at.to_vec2())
        .interactable(true);
    let modal = Modal::new(id)
        .area(area)
        .backdrop_color(Color32::TRANSPARENT)
        .frame(frame)
        .show(ui.ctx(), |ui| {
            ui.set_width(WIDTH);
            ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
            for line in &data.lines {
                if line.starts_group {
                    rule(ui, theme);
                }
                line_ui(ui, theme, line, data.has_marks, send);
            }
            if let Some(full) = &data.full {
                let mut row = Row::next(ui, theme, 22.0);
                row.gap(10.0);
                row.text(full, Text::Note, Tone::Tertiary);
            }
        });
    if modal.backdrop_response.clicked() {
        send.send(Command::App(AppCommand::StepBack));
    }
}

fn keys(ui: &Ui, state: &State, send: &Commands) {
    let press = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    for (key, by) in [(Key::ArrowDown, 1), (Key::ArrowUp, -1)] {
        if press(key) {
            send.send(Command::Stores(StoresCommand::Move(by)));
        }
    }
    if press(Key::Enter) {
        send.send(Command::Stores(StoresCommand::Run));
    }
    if press(Key::Delete) {
        let items = crate::app::view::store_menu(state);
        if let Some(MenuItem::Open(id)) = items.get(state.stores.chosen) {
            send.send(Command::Stores(StoresCommand::Close(*id)));
        }
    }
}

fn rule(ui: &mut Ui, theme: &Theme) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 9.0), Sense::hover());
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(
        rect.expand2(vec2(6.0, 0.0)).x_range(),
        rect.center().y,
        pen.hair(),
    );
}

fn line_ui(ui: &mut Ui, theme: &Theme, line: &MenuLine, has_marks: bool, send: &Commands) {
    let height = theme.common().height.menu_item + 4.0;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let id = Id::unique(("store", format!("{:?}", line.item)));
    let response = ui.interact(rect, id, Sense::CLICK);
    let name = name(line);
    let chosen = line.is_chosen;
    response.widget_info(|| WidgetInfo::selected(Role::MenuItem, true, chosen, &name));
    let tokens = theme.tokens();
    let radius = theme.common().radius.control;
    let is_near = response.hovered() || ui.rect_contains_pointer(rect);
    if chosen {
        let painter = ui.painter();
        painter.rect_filled(rect, radius, tokens.state.selected.0);
        let bar = Rect::from_min_max(
            rect.min + vec2(2.0, 7.0),
            pos2(rect.min.x + 4.0, rect.max.y - 7.0),
        );
        painter.rect_filled(bar, 1, tokens.accent.solid.0);
    } else if is_near {
        ui.painter().rect_filled(rect, radius, tokens.state.hover.0);
    }
    if response.clicked() {
        send.send(command(line));
    }
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(10.0, 0.0)));
    if line.can_close && (chosen || is_near) {
        close_ui(&mut row, line, send);
    }
    row.icon(&theme.icon(line.icon.0, line.icon.1), 15.0, Tone::Secondary);
    row.gap(9.0);
    let colour = match line.is_production {
        true => Some(tokens.production.solid.0),
        false => theme.mark(line.colour),
    };
    if let Some(colour) = colour {
        let center = pos2(row.rect.min.x + 4.0, row.rect.center().y);
        mark(row.ui, theme, center, colour);
    }
    // Names stand under each other.
    row.gap(if has_marks { 14.0 } else { 0.0 });
    row.text_right(&line.note, Text::MonoSmall, Tone::Tertiary);
    row.gap_right(8.0);
    row.text(&line.title, Text::Body, Tone::Primary);
}

fn close_ui(row: &mut Row<'_>, line: &MenuLine, send: &Commands) {
    let MenuItem::Open(id) = line.item else {
        return;
    };
    let theme = row.theme;
    let place = row.take_right(24.0, 24.0);
    row.gap_right(4.0);
    let name = say!("stores-close", name = line.title.as_str());
    let icon = theme.icon("act", "close");
    if icon_button(row.ui, theme, place, &icon, &name).clicked() {
        send.send(Command::Stores(StoresCommand::Close(id)));
    }
}

fn command(line: &MenuLine) -> Command {
    use crate::app::command::ConnectCommand;
    match &line.item {
        MenuItem::Open(id) => Command::Stores(StoresCommand::Show(*id)),
        MenuItem::Kept(item) => Command::Connect(ConnectCommand::OpenItem(item.clone())),
        MenuItem::Connect => Command::Connect(ConnectCommand::ShowPage),
    }
}

/// What a screen reader says.
fn name(line: &MenuLine) -> String {
    let mut name = line.title.clone();
    if line.is_production {
        name.push_str(&format!(", {}", say!("connect-is-production")));
    }
    if line.can_close {
        let word = match line.icon {
            ("act", "check") => say!("stores-shown"),
            _ => say!("stores-open"),
        };
        name.push_str(&format!(", {word}"));
    }
    name
}
