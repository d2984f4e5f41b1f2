//! The scenarios, with the mark of those that were run.

use egui::{Id, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use super::data::{ScenarioItem, scenario_items};
use crate::app::State;
use crate::app::command::{Command, FreeCommand, LabCommand};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::focus_ring;
use crate::ui::widgets::{Pen, Row};

const ITEM: f32 = 28.0;
const FOOT: f32 = 40.0;

pub fn list_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    revealed: &mut u64,
    send: &Commands,
) {
    let items = scenario_items(state);
    let height = theme.common().height.filter_row;
    let (head, body) = rect.split_top_bottom_at_y(rect.min.y + height);
    let (body, foot) = body.split_top_bottom_at_y(body.max.y - FOOT);
    let run = items.iter().filter(|item| item.passed.is_some()).count();
    let mut row = Row::new(ui, theme, head.shrink2(vec2(16.0, 0.0)));
    let count = say!("lab-run-of", count = run, all = items.len());
    row.text_right(&count, Text::Note, Tone::Tertiary);
    row.gap_right(8.0);
    row.text(&say!("lab-scenarios"), Text::Section, Tone::Primary);
    if let Some(trouble) = &state.lab.trouble {
        let pen = Pen::new(ui.painter(), theme);
        let words = crate::ui::widgets::Span::body(trouble, Tone::Danger);
        let galley = pen.wrapped(&[words], body.width() - 32.0, 8);
        pen.put(galley, body.min + vec2(16.0, 8.0), egui::Align2::LEFT_TOP);
        return;
    }
    let mut inside = ui.new_child(UiBuilder::new().max_rect(body).id_salt("scenarios"));
    inside.set_clip_rect(body.intersect(ui.clip_rect()));
    inside.spacing_mut().item_spacing = vec2(0.0, 0.0);
    let mut area = ScrollArea::vertical()
        .id_salt("scenarios")
        .auto_shrink([false, false]);
    if *revealed != state.lab.reveal {
        *revealed = state.lab.reveal;
        let top = state.lab.chosen as f32 * ITEM;
        area = area.vertical_scroll_offset((top - body.height() / 2.0).max(0.0));
    }
    area.show_rows(&mut inside, ITEM, items.len(), |ui, rows| {
        for at in rows {
            if let Some(item) = items.get(at) {
                item_ui(ui, theme, at, item, send);
            }
        }
    });
    free_ui(ui, theme, foot, state, send);
}

/// The way to free play.
fn free_ui(ui: &mut Ui, theme: &Theme, rect: Rect, state: &State, send: &Commands) {
    let chosen = state.lab.free.is_shown;
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(rect.x_range(), rect.min.y + 0.5, pen.hair());
    let place = rect.shrink2(vec2(6.0, 6.0));
    let response = ui.interact(place, Id::unique((ui.scope_id(), "free")), Sense::CLICK);
    let word = say!("lab-free");
    response.widget_info(|| WidgetInfo::selected(Role::ListBoxOption, true, chosen, &word));
    let tokens = theme.tokens();
    let ground = match (chosen, response.hovered()) {
        (true, _) => tokens.state.selected.0,
        (_, true) => tokens.state.hover.0,
        _ => tokens.surface.base.0,
    };
    let radius = theme.common().radius.control;
    ui.painter().rect_filled(place, radius, ground);
    focus_ring(ui, theme, &response);
    let pen = Pen::new(ui.painter(), theme);
    let icon = theme.icon("act", "add");
    let at = pos2(place.min.x + 18.0, place.center().y);
    pen.icon(at, &icon, 15.0, Tone::Secondary);
    let (kind, tone) = match chosen {
        true => (Text::Section, Tone::Primary),
        false => (Text::Body, Tone::Secondary),
    };
    let left = egui::Align2::LEFT_CENTER;
    pen.text(at + vec2(14.0, 0.0), left, &word, kind, tone);
    let right = pos2(place.max.x - 10.0, place.center().y);
    pen.text(
        right,
        egui::Align2::RIGHT_CENTER,
        "F",
        Text::MonoSmall,
        Tone::Tertiary,
    );
    if response.clicked() {
        send.send(Command::Lab(LabCommand::Free(FreeCommand::Show)));
    }
}

fn item_ui(ui: &mut Ui, theme: &Theme, at: usize, item: &ScenarioItem, send: &Commands) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ITEM), Sense::hover());
    let rect = rect.shrink2(vec2(6.0, 1.0));
    let id = Id::unique((ui.scope_id(), "scenario", at));
    let response = ui.interact(rect, id, Sense::CLICK);
    let said = match item.passed {
        Some(true) => format!(", {}", say!("lab-as-expected")),
        Some(false) => format!(", {}", say!("lab-other")),
        None => String::new(),
    };
    let name = format!("{} {}{said}", item.id, item.title);
    let chosen = item.is_chosen;
    response.widget_info(|| WidgetInfo::selected(Role::ListBoxOption, true, chosen, &name));
    let tokens = theme.tokens();
    let radius = theme.common().radius.control;
    if chosen {
        ui.painter()
            .rect_filled(rect, radius, tokens.state.selected.0);
        let bar = Rect::from_min_max(
            pos2(rect.min.x + 2.0, rect.min.y + 6.0),
            pos2(rect.min.x + 4.0, rect.max.y - 6.0),
        );
        ui.painter().rect_filled(bar, 1, tokens.accent.solid.0);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, radius, tokens.state.hover.0);
    }
    focus_ring(ui, theme, &response);
    let (kind, tone) = match chosen {
        true => (Text::Section, Tone::Primary),
        false => (Text::Body, Tone::Secondary),
    };
    // The name of the item holds all of it.
    let pen = Pen::new(ui.painter(), theme);
    let left = egui::Align2::LEFT_CENTER;
    let y = rect.center().y;
    let id = pos2(rect.min.x + 10.0, y);
    pen.text(id, left, &item.id, Text::MonoSmall, Tone::Tertiary);
    let mark = match item.passed {
        Some(true) => Some((theme.icon("act", "check"), Tone::Completed)),
        Some(false) => Some((theme.icon("verdict", "fail"), Tone::Failed)),
        None => None,
    };
    let title = pos2(rect.min.x + 38.0, y);
    let room = rect.max.x - title.x - if mark.is_some() { 26.0 } else { 8.0 };
    let galley = pen.elided(
        &[crate::ui::widgets::Span::new(&item.title, kind, tone)],
        room,
    );
    let is_cut = galley.rows.iter().any(|row| row.row.text().contains('…'));
    pen.put(galley, title, left);
    if let Some((icon, tone)) = mark {
        pen.icon(pos2(rect.max.x - 14.0, y), &icon, 14.0, tone);
    }
    let response = match is_cut {
        true => response.on_hover_text(&item.title),
        false => response,
    };
    if response.clicked() {
        send.send(Command::Lab(LabCommand::PointAt(at)));
    }
}
