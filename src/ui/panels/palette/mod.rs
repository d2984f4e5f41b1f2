//! The palette: every command by a few of its letters.

use egui::{Id, Key, Modifiers, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::app::State;
use crate::app::command::{AppCommand, Command, PaletteCommand};
use crate::app::view::{FoundCommand, PaletteMode, palette_mode, palette_names};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{key_cap, key_cap_width};
use crate::ui::widgets::dialog::dialog_ui;
use crate::ui::widgets::field::{Field, plain_layouter};
use crate::ui::widgets::{Pen, Row, Span};

const WIDTH: f32 = 600.0;
const ITEM: f32 = 34.0;
const LIST: f32 = 340.0;

pub fn palette_ui(ui: &mut Ui, theme: &Theme, state: &State, send: &Commands) {
    let found = palette_names(state);
    let press = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    for (key, by) in [(Key::ArrowDown, 1), (Key::ArrowUp, -1)] {
        if press(key) {
            send.send(Command::Palette(PaletteCommand::Move(by)));
        }
    }
    if press(Key::Enter) {
        send.send(Command::Palette(PaletteCommand::Run));
    }
    let left = dialog_ui(ui, theme, "palette", WIDTH, |ui| {
        field_ui(ui, theme, state, found.len(), send);
        ui.add_space(8.0);
        ScrollArea::vertical()
            .id_salt("commands")
            .max_height(LIST)
            .show(ui, |ui| {
                for (at, found) in found.iter().enumerate() {
                    item_ui(ui, theme, found, at == state.palette.chosen, send);
                }
            });
        let words = match palette_mode(&state.palette.text) {
            PaletteMode::Commands(_) => say!("palette-commands"),
            PaletteMode::Keys(_) => say!("palette-keys"),
            PaletteMode::Connection(_) => say!("palette-connection"),
        };
        ui.add_space(6.0);
        Row::next(ui, theme, 20.0).text_right(&words, Text::Note, Tone::Tertiary);
    });
    if left {
        send.send(Command::App(AppCommand::StepBack));
    }
}

fn field_ui(ui: &mut Ui, theme: &Theme, state: &State, found: usize, send: &Commands) {
    let mut row = Row::next(ui, theme, theme.common().height.field);
    let place = row.take(row.room(), theme.common().height.field);
    let words = say!("palette-found", count = found);
    let name = say!("palette-name");
    let field = Field {
        id: Id::unique("palette"),
        name: &name,
        hint: &name,
        icon: theme.icon("act", "search"),
        kind: Text::Body,
        room_right: 100.0,
        is_wrong: false,
        keeps_tab: true,
    };
    let mut text = state.palette.text.clone();
    let mut layouter = plain_layouter(theme, Text::Body);
    let answer = field.show(row.ui, theme, place, &mut text, &mut layouter);
    if answer.changed {
        send.send(Command::Palette(PaletteCommand::Typed(text)));
    }
    if !answer.response.has_focus() {
        answer.response.request_focus();
    }
    if matches!(palette_mode(&state.palette.text), PaletteMode::Commands(_)) {
        let inner = place.shrink2(vec2(10.0, 0.0));
        Row::new(row.ui, theme, inner).text_right(&words, Text::Note, Tone::Tertiary);
    }
}

fn item_ui(ui: &mut Ui, theme: &Theme, found: &FoundCommand, is_chosen: bool, send: &Commands) {
    let info = found.named.info();
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ITEM), Sense::hover());
    let response = ui.interact(rect, Id::unique(("command", found.named)), Sense::CLICK);
    let on = found.is_available;
    let name = say!("palette-run", command = &info.label);
    response.widget_info(|| WidgetInfo::selected(Role::ListBoxOption, on, is_chosen, &name));
    let tokens = theme.tokens();
    let radius = theme.common().radius.control;
    if is_chosen {
        ui.painter()
            .rect_filled(rect, radius, tokens.state.selected.0);
        response.scroll_to_me(None);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, radius, tokens.state.hover.0);
    }
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(12.0, 0.0)));
    let cap = info.shortcut.text();
    let pen = Pen::new(row.ui.painter(), theme);
    let width = key_cap_width(&pen, &cap);
    key_cap(
        &pen,
        pos2(row.rect.max.x - width, row.rect.center().y),
        &cap,
    );
    row.gap_right(width + 10.0);
    row.spans(&label(&info.label, found));
    row.gap(12.0);
    let about = if on {
        info.hint
    } else {
        say!("palette-not-now")
    };
    row.text(&about, Text::Note, Tone::Tertiary);
    if response.clicked() && on {
        send.send(Command::App(AppCommand::StepBack));
        send.send(found.named.command());
    }
}

/// The label with the letters that were found marked.
fn label(label: &str, found: &FoundCommand) -> Vec<Span> {
    let rest = if found.is_available {
        Tone::Primary
    } else {
        Tone::Disabled
    };
    let letters = label.chars().enumerate().map(|(at, letter)| {
        if found.letters.contains(&at) {
            Span::new(letter, Text::Section, Tone::Accent)
        } else {
            Span::body(letter, rest)
        }
    });
    letters.collect()
}
