//! The side bar, whole or folded to its glyphs.

mod data;

pub use data::{SideBarData, ViewItem, side_bar_data};

use egui::{Id, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::focus_ring;
use crate::ui::widgets::{Pen, Row};

/// Width when folded.
pub const FOLDED: f32 = 48.0;

pub fn side_bar_ui(ui: &mut Ui, theme: &Theme, rect: Rect, data: &SideBarData, send: &Commands) {
    let folded = rect.width() <= FOLDED;
    let pen = Pen::new(ui.painter(), theme);
    pen.painter
        .rect_filled(rect, 0, theme.tokens().surface.sunken.0);
    pen.vline(rect.max.x - 0.5, rect.y_range(), pen.hair());
    let height = theme.common().height.nav_item;
    let mut y = rect.min.y + 8.0;
    for view in &data.views {
        if view.starts_group {
            let pen = Pen::new(ui.painter(), theme);
            let line = rect.x_range().shrink(if folded { 10.0 } else { 16.0 });
            pen.hline(line, y + 8.0, pen.hair());
            y += 16.0;
        }
        let at = pos2(rect.min.x + 8.0, y);
        let item = Rect::from_min_size(at, vec2(rect.width() - 16.0, height));
        item_ui(ui, theme, item, view, send);
        y += height + 1.0;
    }
    if folded {
        return;
    }
    let line = theme.common().height.field_line;
    let nav_end = y;
    let mut y = rect.max.y - 12.0 - line * data.sources.len() as f32;
    // Views come first where there is little room.
    if y - line < nav_end {
        return;
    }
    if !data.sources.is_empty() {
        let top = Rect::from_min_size(pos2(rect.min.x, y - line), vec2(rect.width(), line));
        let mut row = Row::new(ui, theme, top.shrink2(vec2(16.0, 0.0)));
        row.text(&say!("side-bar-sources"), Text::Source, Tone::Tertiary);
    }
    for (name, count) in &data.sources {
        let place = Rect::from_min_size(pos2(rect.min.x, y), vec2(rect.width(), line));
        let mut row = Row::new(ui, theme, place.shrink2(vec2(16.0, 0.0)));
        row.text_right(count, Text::MonoSmall, Tone::Tertiary);
        row.gap_right(8.0);
        row.text(name, Text::Note, Tone::Secondary)
            .on_hover_text(name);
        y += line;
    }
}

fn item_ui(ui: &mut Ui, theme: &Theme, rect: Rect, view: &ViewItem, send: &Commands) {
    let response = ui.interact(rect, Id::unique((ui.scope_id(), view.icon)), Sense::click());
    let chosen = view.is_chosen;
    let name = match (view.is_news, view.is_at_work) {
        (true, _) => say!("side-bar-stuck", view = &view.word, count = &view.count),
        (false, true) => say!("side-bar-at-work", view = &view.word),
        (false, false) => view.word.clone(),
    };
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, chosen, &name));
    let tokens = theme.tokens();
    let radius = theme.common().radius.control;
    if chosen {
        ui.painter()
            .rect_filled(rect, radius, tokens.state.pressed.0);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, radius, tokens.state.hover.0);
    }
    focus_ring(ui, theme, &response);
    let icon = theme.icon("nav", view.icon);
    let (icon, tone, kind, ink) = if chosen {
        (icon.filled(), Tone::Accent, Text::Section, Tone::Primary)
    } else {
        (icon, Tone::Secondary, Text::Body, Tone::Secondary)
    };
    let folded = rect.width() <= FOLDED - 16.0;
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(8.0, 0.0)));
    row.icon(&icon, theme.common().icon_size.nav, tone);
    let count = if view.is_news {
        Tone::Stuck
    } else {
        Tone::Tertiary
    };
    if !folded {
        row.gap(9.0);
        row.text(&view.word, kind, ink);
        row.text_right(&view.key, Text::MonoSmall, Tone::Tertiary);
        if view.is_at_work {
            // It stands still: only the status line's turns.
            row.gap_right(4.0);
            row.icon_right(&theme.icon("status", "live"), 12.0, Tone::Secondary);
        }
        row.gap_right(10.0);
        row.text_right(&view.count, Text::MonoSmall, count);
    } else if view.is_news || view.is_at_work {
        let tone = if view.is_news { count } else { Tone::Secondary };
        let at = pos2(rect.max.x - 5.0, rect.min.y + 6.0);
        ui.painter().circle_filled(at, 3.0, theme.tone(tone));
    }
    let response = if folded {
        response.on_hover_text(format!("{name} ({})", view.key))
    } else {
        response
    };
    if response.clicked() {
        send.send(view.command.clone());
    }
}
