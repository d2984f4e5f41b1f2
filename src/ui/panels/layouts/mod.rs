//! What was found in the store and why, with one record before and after reading.

pub mod data;
mod source_ui;

use data::{BrokenItem, FoundItem, LayoutsData, RefusedItem, layouts_data};

use egui::{Id, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::app::Named;
use crate::app::State;
use crate::app::command::{Command, EditorCommand, LayoutsCommand};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::panels::record::payload::Lines;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Weight, focus_ring, icon_button};
use crate::ui::widgets::span::{stored_end, stored_middle};
use crate::ui::widgets::{Pen, Row};

/// What the view keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct LayoutsMemory {
    lines: Lines,
}

const LIST: f32 = 300.0;
const SAMPLE: f32 = 436.0;
const ITEM: f32 = 46.0;
const FOOT: f32 = 48.0;

pub fn layouts_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut LayoutsMemory,
    send: &Commands,
) {
    let data = layouts_data(state);
    ui.painter()
        .rect_filled(rect, 0, theme.tokens().surface.base.0);
    let narrow = rect.width() < 1100.0;
    let (list_width, sample_width) = if narrow {
        (240.0, 340.0)
    } else {
        (LIST, SAMPLE)
    };
    let (list, rest) = rect.split_left_right_at_x(rect.min.x + list_width);
    let (main, sample) = rest.split_left_right_at_x(rest.max.x - sample_width);
    list_ui(ui, theme, list, &data, send);
    source_ui::source_ui(ui, theme, main, state, &data, send);
    source_ui::sample_ui(ui, theme, sample, state, &data, memory, send);
}

fn list_ui(ui: &mut Ui, theme: &Theme, rect: Rect, data: &LayoutsData, send: &Commands) {
    let pen = Pen::new(ui.painter(), theme);
    pen.vline(rect.max.x - 0.5, rect.y_range(), pen.hair());
    let (body, foot) = rect.split_top_bottom_at_y(rect.max.y - FOOT);
    pen.hline(foot.x_range(), foot.min.y, pen.hair());
    let mut row = Row::new(ui, theme, foot.shrink2(vec2(12.0, 0.0)));
    foot_ui(&mut row, rect.width() > 260.0, send);
    let mut inside = ui.new_child(UiBuilder::new().max_rect(body).id_salt("sources"));
    inside.set_clip_rect(body.intersect(ui.clip_rect()));
    inside.spacing_mut().item_spacing = vec2(0.0, 0.0);
    ScrollArea::vertical()
        .id_salt("sources")
        .auto_shrink([false, false])
        .show(&mut inside, |ui| {
            group_ui(ui, theme, &say!("layouts-found"), &data.looked_at);
            if data.found.is_empty() {
                quiet_line(ui, theme, &say!("layouts-nothing"));
            }
            for item in &data.found {
                item_ui(ui, theme, item, send);
            }
            if !data.not_sure.is_empty() {
                let title = say!("layouts-not-sure");
                group_ui(ui, theme, &title, &say!("layouts-have-a-look"));
                for item in &data.not_sure {
                    item_ui(ui, theme, item, send);
                }
            }
            if !data.refused.is_empty() {
                let title = say!("layouts-refused");
                group_ui(ui, theme, &title, &say!("layouts-look-similar"));
                for item in &data.refused {
                    refused_ui(ui, theme, item);
                }
            }
            if !data.broken.is_empty() {
                let title = say!("editor-broken");
                group_ui(ui, theme, &title, &say!("editor-broken-note"));
                for item in &data.broken {
                    broken_ui(ui, theme, item, send);
                }
            }
            ui.add_space(16.0);
        });
}

/// What can be done with the list as a whole.
fn foot_ui(row: &mut Row<'_>, is_wide: bool, send: &Commands) {
    let theme = row.theme;
    let (new, again) = (say!("editor-new-layout"), say!("editor-detect-again"));
    let mut button = Button::new(&new);
    button.icon = Some(theme.icon("act", "add"));
    let place = row.take(button.width(row.ui, theme), theme.common().height.button);
    if button.show(row.ui, theme, place).clicked() {
        send.send(Named::NewLayout.command());
    }
    row.gap(4.0);
    let icon = theme.icon("act", "again");
    let is_asked = if is_wide {
        let mut button = Button::new(&again).weight(Weight::Ghost);
        button.icon = Some(icon);
        let place = row.take(button.width(row.ui, theme), theme.common().height.button);
        button.show(row.ui, theme, place).clicked()
    } else {
        let place = row.take(28.0, theme.common().height.button);
        icon_button(row.ui, theme, place, &icon, &again).clicked()
    };
    if is_asked {
        send.send(Named::DetectAgain.command());
    }
}

fn group_ui(ui: &mut Ui, theme: &Theme, title: &str, note: &str) {
    ui.add_space(12.0);
    let mut row = Row::next(ui, theme, 24.0);
    row.gap(16.0);
    row.gap_right(16.0);
    row.text_right(note, Text::Note, Tone::Tertiary);
    row.gap_right(8.0);
    row.text(title, Text::Section, Tone::Primary);
    ui.add_space(4.0);
}

fn quiet_line(ui: &mut Ui, theme: &Theme, words: &str) {
    let mut row = Row::next(ui, theme, 24.0);
    row.gap(16.0);
    row.text(words, Text::Body, Tone::Secondary);
}

fn item_ui(ui: &mut Ui, theme: &Theme, item: &FoundItem, send: &Commands) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ITEM + 2.0), Sense::hover());
    let rect = rect.shrink2(vec2(6.0, 1.0));
    let response = ui.interact(
        rect,
        Id::unique((ui.scope_id(), "source", item.at)),
        Sense::click(),
    );
    let off = match item.is_off {
        true => format!(", {}", say!("layouts-left-out")),
        false => String::new(),
    };
    let name = format!("{}, {}, {}{off}", item.layout, item.place, item.percent);
    let chosen = item.is_chosen;
    response.widget_info(|| WidgetInfo::selected(Role::ListBoxOption, true, chosen, &name));
    let tokens = theme.tokens();
    let radius = theme.common().radius.control;
    if chosen {
        ui.painter()
            .rect_filled(rect, radius, tokens.state.selected.0);
        let bar = Rect::from_min_max(
            pos2(rect.min.x + 2.0, rect.min.y + 7.0),
            pos2(rect.min.x + 4.0, rect.max.y - 7.0),
        );
        ui.painter().rect_filled(bar, 1, tokens.accent.solid.0);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, radius, tokens.state.hover.0);
    }
    focus_ring(ui, theme, &response);
    let (title, ink) = match (item.is_off, chosen) {
        (true, _) => (Text::Body, Tone::Tertiary),
        (_, true) => (Text::Section, Tone::Primary),
        _ => (Text::Body, Tone::Primary),
    };
    let inner = rect.shrink2(vec2(10.0, 5.0));
    let (top, foot) = inner.split_top_bottom_at_fraction(0.5);
    let mut row = Row::new(ui, theme, top);
    let right = if item.is_off {
        "left out"
    } else {
        &item.percent
    };
    row.text_right(right, Text::MonoSmall, Tone::Secondary);
    row.gap_right(8.0);
    row.text(&item.layout, title, ink);
    let mut row = Row::new(ui, theme, foot);
    row.text_right(&item.count, Text::MonoSmall, Tone::Tertiary);
    row.gap_right(8.0);
    let chars = (row.room() / 6.7).max(8.0) as usize;
    row.spans(&stored_middle(
        &item.place,
        chars,
        Text::MonoSmall,
        Tone::Tertiary,
    ))
    .on_hover_text(&item.place);
    if response.clicked() {
        send.send(Command::Layouts(LayoutsCommand::PointAt(item.at)));
    }
}

/// A file of the user that is not taken, with the way to mend it.
fn broken_ui(ui: &mut Ui, theme: &Theme, item: &BrokenItem, send: &Commands) {
    let mut row = Row::next(ui, theme, 28.0);
    row.gap(16.0);
    row.gap_right(12.0);
    let label = say!("editor-mend");
    let name = say!("editor-mend-file", file = &item.file);
    let button = Button::new(&label).named(&name);
    let place = row.take_right(button.width(row.ui, theme), 24.0);
    if button.show(row.ui, theme, place).clicked() {
        let path = item.path.clone();
        send.send(Command::Editor(EditorCommand::EditFile(path)));
    }
    row.gap_right(8.0);
    row.text_right(&item.line, Text::Note, Tone::Tertiary);
    row.gap_right(8.0);
    let chars = (row.room() / 7.2).max(8.0) as usize;
    row.spans(&stored_middle(&item.file, chars, Text::Mono, Tone::Danger))
        .on_hover_text(item.path.display().to_string());
    let mut row = Row::next(ui, theme, 20.0);
    row.gap(16.0);
    row.gap_right(16.0);
    row.text(&item.why, Text::Note, Tone::Secondary)
        .on_hover_text(&item.why);
    ui.add_space(6.0);
}

fn refused_ui(ui: &mut Ui, theme: &Theme, item: &RefusedItem) {
    let mut row = Row::next(ui, theme, 20.0);
    row.gap(16.0);
    row.gap_right(16.0);
    row.text_right(&item.resembles, Text::Note, Tone::Tertiary);
    row.gap_right(8.0);
    let chars = (row.room() / 7.2).max(8.0) as usize;
    row.spans(&stored_end(&item.place, chars, Text::Mono, Tone::Secondary))
        .on_hover_text(&item.place);
    let mut row = Row::next(ui, theme, 20.0);
    row.gap(16.0);
    row.gap_right(16.0);
    row.text(&item.why, Text::Note, Tone::Secondary)
        .on_hover_text(&item.why);
    ui.add_space(6.0);
}
