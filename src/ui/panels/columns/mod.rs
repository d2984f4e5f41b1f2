//! The dialog of the table's columns: which are shown, and in what order.

use egui::{Id, Key, Modifiers, Rect, Role, Sense, Ui, WidgetInfo, vec2};

use crate::app::State;
use crate::app::command::{AppCommand, ColumnsCommand, Command, SettingsCommand};
use crate::app::view::{ChosenColumn, chosen_columns};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, focus_ring};
use crate::ui::widgets::check::check_box;
use crate::ui::widgets::dialog::dialog_ui;
use crate::ui::widgets::{Pen, Row};

const WIDTH: f32 = 360.0;
const ITEM: f32 = 30.0;

pub fn columns_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let list = chosen_columns(&state.settings);
    let mut is_done = false;
    let columns = |command| send.send(Command::Settings(SettingsCommand::Columns(command)));
    let left = dialog_ui(ui, theme, "columns", WIDTH, |ui| {
        Row::next(ui, theme, 26.0).text(&say!("columns-title"), Text::View, Tone::Primary);
        let hint = say!("columns-hint");
        Row::next(ui, theme, 22.0).text(&hint, Text::Note, Tone::Secondary);
        ui.add_space(6.0);
        for column in &list {
            if let Some(command) = item_ui(ui, theme, column) {
                columns(command);
            }
        }
        ui.add_space(12.0);
        let mut row = Row::next(ui, theme, theme.common().height.button);
        let (usual, done) = (say!("columns-usual"), say!("columns-done"));
        let button = Button::new(&usual);
        let place = row.take(button.width(row.ui, theme), row.rect.height());
        if button.show(row.ui, theme, place).clicked() {
            columns(ColumnsCommand::Usual);
        }
        let button = Button::new(&done).key("Esc");
        let place = row.take_right(button.width(row.ui, theme), row.rect.height());
        is_done = button.show(row.ui, theme, place).clicked();
    });
    if left || is_done {
        send.send(Command::App(AppCommand::StepBack));
    }
}

/// A line that is pressed to show or hide; with `Ctrl` the arrows move it.
fn item_ui(ui: &mut Ui, theme: &Theme, column: &ChosenColumn) -> Option<ColumnsCommand> {
    let name = column.name;
    let title = name.title();
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ITEM), Sense::hover());
    let rect = rect.expand2(vec2(8.0, 0.0));
    let response = ui.interact(rect, Id::unique(("column", name.name())), Sense::click());
    let on = column.is_shown;
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, !name.is_kept(), on, &title));
    if response.hovered() {
        let radius = theme.common().radius.control;
        let ground = theme.tokens().state.hover.0;
        ui.painter().rect_filled(rect, radius, ground);
    }
    focus_ring(ui, theme, &response);
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(8.0, 0.0)));
    let square = row.take(14.0, 14.0);
    check_box(row.ui, theme, square, on, response.hovered());
    row.gap(10.0);
    let tone = if on { Tone::Primary } else { Tone::Secondary };
    // The line itself says its name.
    let pen = Pen::new(row.ui.painter(), theme);
    let at = row.rect.left_center();
    pen.text(at, egui::Align2::LEFT_CENTER, &title, Text::Body, tone);
    let mut moved = None;
    for (key, by) in [(Key::ArrowDown, 1), (Key::ArrowUp, -1)] {
        let word = match by {
            1 => say!("columns-down", column = &title),
            _ => say!("columns-up", column = &title),
        };
        let place = row.take_right(24.0, 24.0);
        let pressed = arrow_ui(row.ui, theme, place, &word, by);
        let typed = response.has_focus()
            && row
                .ui
                .input_mut(|input| input.consume_key(Modifiers::COMMAND, key));
        if pressed || typed {
            moved = Some(ColumnsCommand::By { name, by });
        }
    }
    if response.clicked() && !name.is_kept() {
        return Some(ColumnsCommand::Toggle(name));
    }
    moved
}

fn arrow_ui(ui: &mut Ui, theme: &Theme, rect: Rect, name: &str, by: i64) -> bool {
    let response = ui.interact(rect, Id::unique(("arrow", name)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
    if response.hovered() {
        let radius = theme.common().radius.control;
        let ground = theme.tokens().control.hover.0;
        ui.painter().rect_filled(rect, radius, ground);
    }
    focus_ring(ui, theme, &response);
    let arrow = if by > 0 { "↓" } else { "↑" };
    let tone = if response.hovered() {
        Tone::Primary
    } else {
        Tone::Tertiary
    };
    let pen = Pen::new(ui.painter(), theme);
    let center = egui::Align2::CENTER_CENTER;
    pen.text(rect.center(), center, arrow, Text::Mono, tone);
    response.on_hover_text(name).clicked()
}
