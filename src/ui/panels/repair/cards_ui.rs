//! The question that matters, beside the other way.

use egui::{Align2, CornerRadius, Id, Rect, Sense, Ui, pos2, vec2};

use super::data::Card;
use crate::app::command::{Command, RepairCommand};
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{key_cap, link};
use crate::ui::widgets::{Pen, Row, Span};

pub fn cards_ui(ui: &mut Ui, theme: &Theme, cards: &[Card], send: &Commands) {
    let width = ui.available_width();
    let gap = 12.0;
    let is_wide = width > 600.0;
    let each = if is_wide { (width - gap) / 2.0 } else { width };
    let heights: Vec<f32> = cards
        .iter()
        .map(|card| card_height(ui, theme, card, each))
        .collect();
    let highest = heights.iter().copied().fold(0.0, f32::max);
    let total = if is_wide {
        highest
    } else {
        heights.iter().sum::<f32>() + gap
    };
    let (rect, _) = ui.allocate_exact_size(vec2(width, total), Sense::hover());
    let mut at = rect.min;
    for (number, (card, height)) in cards.iter().zip(heights).enumerate() {
        let height = if is_wide { highest } else { height };
        let place = Rect::from_min_size(at, vec2(each, height));
        card_ui(ui, theme, place, card, number == 0, send);
        if is_wide {
            at.x += each + gap;
        } else {
            at.y += height + gap;
        }
    }
}

const CARD_EDGE: f32 = 14.0;

fn card_text(theme: &Theme, ui: &Ui, card: &Card, width: f32) -> std::sync::Arc<egui::Galley> {
    let spans = [Span::new(&card.text, Text::Note, Tone::Secondary)];
    Pen::new(ui.painter(), theme).wrapped(&spans, width - 2.0 * CARD_EDGE, 6)
}

fn card_height(ui: &Ui, theme: &Theme, card: &Card, width: f32) -> f32 {
    let link = if card.link.is_some() { 22.0 } else { 0.0 };
    38.0 + card_text(theme, ui, card, width).size().y + link + 10.0
}

fn card_ui(ui: &mut Ui, theme: &Theme, rect: Rect, card: &Card, is_first: bool, send: &Commands) {
    let tokens = theme.tokens();
    let radius = theme.common().radius.control;
    ui.painter()
        .rect_filled(rect, radius, tokens.surface.inset.0);
    let mut top =
        Rect::from_min_size(rect.min, vec2(rect.width(), 34.0)).shrink2(vec2(CARD_EDGE, 0.0));
    top = top.translate(vec2(0.0, 4.0));
    if is_first {
        let bar = Rect::from_min_size(rect.min, vec2(3.0, rect.height()));
        let round = CornerRadius {
            nw: radius,
            sw: radius,
            ne: 0,
            se: 0,
        };
        ui.painter().rect_filled(bar, round, tokens.status.stuck.0);
    }
    let mut row = Row::new(ui, theme, top);
    if is_first {
        row.icon(&theme.icon("status", "stuck"), 15.0, Tone::Stuck);
        row.gap(8.0);
    }
    row.text(&card.title, Text::Section, Tone::Primary);
    let text = card_text(theme, ui, card, rect.width());
    let at = rect.min + vec2(CARD_EDGE, 36.0);
    let drawn = Pen::new(ui.painter(), theme).put(text, at, Align2::LEFT_TOP);
    let id = Id::unique((ui.scope_id(), "card", &card.title));
    let words = format!("{} {}", card.title, card.text);
    ui.interact(drawn, id, Sense::hover())
        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
    if let Some((words, verb)) = &card.link {
        let at = pos2(drawn.min.x, drawn.max.y + 14.0);
        let response = link(ui, theme, at, Align2::LEFT_CENTER, words);
        let cap = match verb {
            crate::domain::change::Verb::Settle => "S",
            _ => "R",
        };
        key_cap(
            &Pen::new(ui.painter(), theme),
            pos2(response.rect.max.x + 6.0, at.y),
            cap,
        );
        if response.clicked() {
            send.send(Command::Repair(RepairCommand::Instead(*verb)));
        }
    }
}
