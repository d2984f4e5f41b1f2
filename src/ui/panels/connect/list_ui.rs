//! The list of what can be opened.

use egui::{Id, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use super::data::{ConnectData, Line};
use crate::app::command::{Command, ConnectCommand, FormCommand};
use crate::app::state::Item;
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{focus_ring, icon_button};
use crate::ui::widgets::form::mark;
use crate::ui::widgets::{Pen, Row, Span};

pub fn list_ui(ui: &mut Ui, theme: &Theme, rect: Rect, data: &ConnectData, send: &Commands) {
    let pen = Pen::new(ui.painter(), theme);
    pen.vline(rect.max.x - 0.5, rect.y_range(), pen.hair());
    let inner = Rect::from_min_max(rect.min, pos2(rect.max.x - 1.0, rect.max.y));
    let builder = UiBuilder::new().max_rect(inner).id_salt("list");
    ui.scope_builder(builder, |ui| {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        ScrollArea::vertical()
            .id_salt("connections")
            .auto_shrink(false)
            .show(ui, |ui| sections_ui(ui, theme, data, send));
    });
}

fn sections_ui(ui: &mut Ui, theme: &Theme, data: &ConnectData, send: &Commands) {
    for (at, section) in data.sections.iter().enumerate() {
        if at > 0 {
            ui.add_space(8.0);
            let (rule, _) = ui.allocate_exact_size(vec2(ui.available_width(), 1.0), Sense::hover());
            let pen = Pen::new(ui.painter(), theme);
            pen.hline(rule.x_range(), rule.center().y, pen.hair());
        }
        ui.add_space(12.0);
        let mut row = Row::next(ui, theme, 22.0);
        row.gap(16.0);
        row.text(&section.title, Text::Section, Tone::Primary);
        ui.add_space(4.0);
        for line in &section.items {
            line_ui(ui, theme, line, send);
        }
        if let Some(text) = &section.nothing {
            nothing_ui(ui, theme, text);
        }
    }
    ui.add_space(12.0);
}

fn nothing_ui(ui: &mut Ui, theme: &Theme, text: &str) {
    let width = ui.available_width() - 32.0;
    let spans = [Span::new(text, Text::Note, Tone::Tertiary)];
    let galley = Pen::new(ui.painter(), theme).wrapped(&spans, width, 6);
    let height = galley.size().y;
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let at = rect.min + vec2(16.0, 0.0);
    Pen::new(ui.painter(), theme).put(galley, at, egui::Align2::LEFT_TOP);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
}

fn line_ui(ui: &mut Ui, theme: &Theme, line: &Line, send: &Commands) {
    let height = theme.common().height.list_item_double;
    let (all, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let rect = all.shrink2(vec2(6.0, 0.0));
    let id = Id::unique((ui.scope_id(), "item", format!("{:?}", line.item)));
    let response = ui.interact(rect, id, Sense::click());
    response.widget_info(|| {
        WidgetInfo::selected(Role::ListBoxOption, true, line.is_chosen, name(line))
    });
    let tokens = theme.tokens();
    let radius = theme.common().radius.control;
    let painter = ui.painter();
    let is_near = response.hovered() || ui.rect_contains_pointer(rect);
    if line.is_chosen {
        painter.rect_filled(rect, radius, tokens.state.selected.0);
        let bar = Rect::from_min_max(
            rect.min + vec2(2.0, 7.0),
            pos2(rect.min.x + 4.0, rect.max.y - 7.0),
        );
        painter.rect_filled(bar, 1, tokens.accent.solid.0);
    } else if is_near {
        painter.rect_filled(rect, radius, tokens.state.hover.0);
    }
    focus_ring(ui, theme, &response);
    if line.is_chosen && !ui.clip_rect().contains_rect(rect) {
        response.scroll_to_me(None);
    }
    if response.double_clicked() {
        let command = ConnectCommand::OpenItem(line.item.clone());
        send.send(Command::Connect(command));
    } else if response.clicked() {
        let command = FormCommand::Choose(line.item.clone());
        send.send(Command::Connect(ConnectCommand::Form(command)));
    }
    let inner = rect.shrink2(vec2(10.0, 5.0));
    let icon = theme.icon(line.icon.0, line.icon.1);
    let center = pos2(inner.min.x + 8.0, rect.center().y);
    Pen::new(ui.painter(), theme).icon(center, &icon, 15.0, Tone::Secondary);
    let mut inner = inner;
    if line.can_remove && line.is_chosen {
        inner.max.x = remove_ui(ui, theme, rect, line, send);
    }
    words_ui(ui, theme, inner, line);
}

/// The button that forgets the chosen connection; gives where it begins.
fn remove_ui(ui: &mut Ui, theme: &Theme, rect: Rect, line: &Line, send: &Commands) -> f32 {
    let center = pos2(rect.max.x - 18.0, rect.center().y);
    let place = Rect::from_center_size(center, vec2(26.0, 26.0));
    let name = say!("connect-remove", name = line.title.as_str());
    let icon = theme.icon("act", "close");
    if icon_button(ui, theme, place, &icon, &name).clicked() {
        let command = ConnectCommand::Form(FormCommand::Remove);
        send.send(Command::Connect(command));
    }
    place.min.x - 2.0
}

fn words_ui(ui: &mut Ui, theme: &Theme, inner: Rect, line: &Line) {
    let (top, foot) = inner.split_top_bottom_at_y(inner.center().y);
    let mut row = Row::new(ui, theme, top);
    row.gap(24.0);
    let colour = match line.is_production {
        true => Some(theme.tokens().production.solid.0),
        false => theme.mark(line.colour),
    };
    if let Some(colour) = colour {
        let center = pos2(row.rect.min.x + 4.0, row.rect.center().y);
        mark(row.ui, theme, center, colour);
        row.gap(14.0);
    }
    row.text_right(&line.note, Text::Source, Tone::Tertiary);
    row.gap_right(8.0);
    row.text(&line.title, Text::Body, Tone::Primary);
    let mut row = Row::new(ui, theme, foot);
    row.gap(24.0);
    let kind = match line.item {
        Item::Open(_) | Item::Demo => Text::Note,
        _ => Text::MonoSmall,
    };
    row.text(&line.about, kind, Tone::Tertiary);
}

/// What a screen reader says.
fn name(line: &Line) -> String {
    let mut name = line.title.clone();
    if line.is_production {
        name.push_str(&format!(", {}", say!("connect-is-production")));
    }
    for part in [&line.about, &line.note] {
        if !part.is_empty() {
            name.push_str(&format!(", {part}"));
        }
    }
    name
}
