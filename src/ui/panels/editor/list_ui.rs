//! What can be described: families of keys, or tables.

use egui::{Id, Rect, Response, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use super::data::{EditorData, SubjectItem};
use super::{HEAD, column};
use crate::app::State;
use crate::app::command::{Command, EditorCommand};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::focus_ring;
use crate::ui::widgets::span::{stored_end, stored_middle};
use crate::ui::widgets::{Pen, Row};

const ITEM: f32 = 46.0;

pub fn list_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    data: &EditorData,
    state: &State,
    send: &Commands,
) {
    let pen = Pen::new(ui.painter(), theme);
    pen.vline(rect.max.x - 0.5, rect.y_range(), pen.hair());
    let (head, body) = rect.split_top_bottom_at_y(rect.min.y + HEAD);
    pen.hline(head.x_range(), head.max.y, pen.hair());
    let inner = head.shrink2(vec2(16.0, 9.0));
    let (top, below) = inner.split_top_bottom_at_y(inner.min.y + 24.0);
    Row::new(ui, theme, top).text(&say!("editor-describe-what"), Text::Section, Tone::Primary);
    Row::new(ui, theme, below).text(&data.looked_at, Text::Note, Tone::Tertiary);
    let body = body.with_min_y(body.min.y + 6.0);
    let mut inside = column(ui, body, "subjects", 0.0);
    ScrollArea::vertical()
        .id_salt("subjects")
        .auto_shrink([false, false])
        .show_rows(&mut inside, ITEM, data.subjects.len().max(1), |ui, rows| {
            if let Some(words) = &data.quiet {
                let mut row = Row::next(ui, theme, ITEM);
                row.gap(16.0);
                row.text(words, Text::Body, Tone::Secondary)
                    .on_hover_text(words);
                return;
            }
            for item in data.subjects.get(rows).unwrap_or_default() {
                item_ui(ui, theme, item, state, send);
            }
        });
}

fn item_ui(ui: &mut Ui, theme: &Theme, item: &SubjectItem, state: &State, send: &Commands) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ITEM), Sense::hover());
    let rect = rect.shrink2(vec2(6.0, 1.0));
    let id = Id::unique((ui.scope_id(), "subject", item.at));
    let response = ui.interact(rect, id, Sense::click());
    let name = match item.note.is_empty() {
        true => format!("{}, {}", item.place, item.count),
        false => format!("{}, {}, {}", item.place, item.count, item.note),
    };
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
        // The list follows the keyboard.
        if state.editor.sample.is_loading() {
            ui.scroll_to_rect(rect, None);
        }
    } else if response.hovered() {
        ui.painter().rect_filled(rect, radius, tokens.state.hover.0);
    }
    focus_ring(ui, theme, &response);
    let inner = rect.shrink2(vec2(10.0, 5.0));
    let (mut top, foot) = inner.split_top_bottom_at_fraction(0.5);
    if item.note.is_empty() {
        top = inner;
    }
    let mut row = Row::new(ui, theme, top);
    row.text_right(&item.count, Text::MonoSmall, Tone::Tertiary);
    row.gap_right(8.0);
    let chars = (row.room() / 7.2).max(8.0) as usize;
    row.spans(&stored_middle(
        &item.place,
        chars,
        Text::Mono,
        Tone::Primary,
    ))
    .on_hover_text(&item.place);
    if item.note.is_empty() {
        answer(item, &response, send);
        return;
    }
    let mut row = Row::new(ui, theme, foot);
    let chars = (row.room() / 6.0).max(8.0) as usize;
    row.spans(&stored_end(&item.note, chars, Text::Note, Tone::Tertiary))
        .on_hover_text(&item.note);
    answer(item, &response, send);
}

fn answer(item: &SubjectItem, response: &Response, send: &Commands) {
    if response.clicked() {
        send.send(Command::Editor(EditorCommand::PointAt(item.at)));
    }
}
