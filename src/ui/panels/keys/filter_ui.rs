//! The filter field, with what it is completed by and what is wrong with it.

use std::sync::Arc;

use egui::{Align2, Id, Rect, Ui, pos2, vec2};

use super::complete::Taken;
use super::{KeysMemory, faces};
use crate::app::State;
use crate::app::command::{Command, ExportCommand, KeysCommand};
use crate::app::view::{self, Ink};
use crate::present::say::say;
use crate::ui::commands::Commands;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::button::{Button, Weight, key_cap, key_cap_width};
use crate::ui::widgets::field::Field;
use crate::ui::widgets::{Pen, Span, pen};

/// The filter field's identity: `/` goes there.
pub fn filter_id() -> Id {
    Id::unique("filter")
}

pub fn filter_ui(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    state: &State,
    memory: &mut KeysMemory,
    send: &Commands,
) {
    let mut place = rect.shrink2(vec2(12.0, 8.0));
    place.max.x -= export_button(ui, theme, place, send);
    let fault = faces::fault(state);
    let pen = Pen::new(ui.painter(), theme);
    let cap = key_cap_width(&pen, "/");
    let said = fault
        .as_ref()
        .map(|(span, _)| pen.elided(std::slice::from_ref(span), place.width() * 0.55));
    let room_right = said.as_ref().map_or(cap + 8.0, |said| said.size().x + 12.0);
    let mut text = state.keys.filter.clone();
    let taken = completed(ui, state, memory, send);
    let field = Field {
        id: filter_id(),
        name: &say!("keys-filter"),
        hint: &say!("keys-filter-hint"),
        icon: theme.icon("act", "filter"),
        kind: Text::Mono,
        room_right,
        is_wrong: fault.is_some(),
        keeps_tab: memory.complete.is_open(),
    };
    let own = theme.clone();
    let mut layouter = move |ui: &Ui, text: &dyn egui::TextBuffer, _: f32| {
        let mut job = pen::job(&own, &filter_spans(text.as_str()));
        job.keep_trailing_whitespace = true;
        ui.fonts_mut(|fonts| fonts.layout_job(job))
    };
    let answer = field.show(ui, theme, place, &mut text, &mut layouter);
    if answer.changed {
        send.send(Command::Keys(KeysCommand::FilterTyped(text)));
    }
    if memory.focused != state.view.focus_filter {
        memory.focused = state.view.focus_filter;
        answer.response.request_focus();
    }
    if taken == Taken::Closed {
        answer.response.request_focus();
    }
    let clicked = memory.complete.show(ui, theme, place, &state.keys.filter);
    if let Some(text) = clicked {
        memory.complete.ends_behind(&text);
        answer.response.request_focus();
        send.send(Command::Keys(KeysCommand::FilterTyped(text)));
    }
    let has_focus = answer.response.has_focus();
    end_ui(ui, theme, place, said.zip(fault), has_focus);
}

/// The button beside the field; gives the room that it takes.
fn export_button(ui: &mut Ui, theme: &Theme, rect: Rect, send: &Commands) -> f32 {
    let mut button = Button::new(say!("keys-export")).weight(Weight::Ghost);
    button.icon = Some(theme.icon("act", "export"));
    let width = button.width(ui, theme);
    let place = rect.with_min_x(rect.max.x - width);
    if button.show(ui, theme, place).clicked() {
        send.send(Command::Export(ExportCommand::Ask));
    }
    width + 6.0
}

/// The right end of the field: what is wrong, else the key that leads here.
fn end_ui(
    ui: &mut Ui,
    theme: &Theme,
    place: Rect,
    fault: Option<(Arc<egui::Galley>, faces::Fault)>,
    has_focus: bool,
) {
    let pen = Pen::new(ui.painter(), theme);
    let right = pos2(place.max.x - 10.0, place.center().y);
    match fault {
        Some((said, (span, hint))) => {
            let drawn = pen.put(said, right, Align2::RIGHT_CENTER);
            let id = ui.scope_id().with("fault");
            let response = ui.interact(drawn, id, egui::Sense::hover());
            let name = match &hint {
                Some(hint) => format!("{}: {hint}", span.text),
                None => span.text,
            };
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &name));
            if let Some(hint) = hint {
                response.on_hover_text(hint);
            }
        }
        None if has_focus => {}
        None => {
            let cap = key_cap_width(&pen, "/");
            key_cap(&pen, pos2(right.x - cap, right.y), "/");
        }
    }
}

/// Offers ways to go on, and takes the one that was chosen by key.
fn completed(ui: &Ui, state: &State, memory: &mut KeysMemory, send: &Commands) -> Taken {
    memory.complete.offer(ui, state, filter_id());
    let taken = memory.complete.keys(ui, &state.keys.filter);
    if let Taken::Text(text) = &taken {
        memory.complete.ends_behind(text);
        send.send(Command::Keys(KeysCommand::FilterTyped(text.clone())));
    }
    taken
}

/// The filter's text in its colours, blanks included.
fn filter_spans(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut at = 0;
    let mut add = |from: usize, to: usize, tone: Tone| {
        if let Some(part) = text.get(from..to).filter(|part| !part.is_empty()) {
            spans.push(Span::mono(part, tone));
        }
    };
    for (span, ink) in view::filter_parts(text) {
        add(at, span.start, Tone::Primary);
        let tone = match ink {
            Ink::Name => Tone::Tertiary,
            Ink::Value => Tone::Primary,
            Ink::Wrong => Tone::Danger,
        };
        add(span.start.max(at), span.end, tone);
        at = span.end.max(at);
    }
    add(at, text.len(), Tone::Primary);
    spans
}
