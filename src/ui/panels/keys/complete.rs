//! The ways to go on in the filter, as a list under its field.
//!
//! Apart from the field because the list takes keys before the field sees them.

use egui::{
    Area, Frame, Id, Key, Modifiers, Order, Rect, Role, Sense, Stroke, Ui, WidgetInfo, vec2,
};

use crate::app::State;
use crate::app::view::{self, Completion};
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Row;

const SHOWN_MAX: usize = 10;
const WIDTH: f32 = 440.0;
const ITEM: f32 = 28.0;

/// What the list keeps between frames.
#[derive(Clone, Debug, Default)]
pub struct CompleteMemory {
    chosen: Option<usize>,
    /// The text that the list was closed for.
    closed_for: Option<String>,
    seen: String,
    /// The cursor goes behind this text once it has come.
    ends_behind: Option<String>,
    /// What is offered now.
    pub offers: Vec<Completion>,
}

/// What came of the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    Nothing,
    /// The list went, the field stays.
    Closed,
    /// The text is this now.
    Text(String),
}

impl CompleteMemory {
    pub fn is_open(&self) -> bool {
        !self.offers.is_empty()
    }

    /// Finds what to offer at the cursor of a field.
    pub fn offer(&mut self, ui: &Ui, state: &State, field: Id) {
        let text = &state.keys.filter;
        if self.seen != *text {
            self.seen.clone_from(text);
            self.chosen = None;
            self.closed_for = None;
        }
        if self.ends_behind.as_ref() == Some(text) {
            self.ends_behind = None;
            go_on_behind(ui, field, text);
        }
        let focused = ui.memory(|memory| memory.has_focus(field));
        self.offers.clear();
        if !focused || self.closed_for.as_ref() == Some(text) {
            return;
        }
        let at = egui::TextEdit::load_state(ui.ctx(), field)
            .and_then(|edit| edit.cursor.char_range())
            .map_or(text.chars().count(), |range| range.primary.index.into());
        let byte = text.char_indices().nth(at).map_or(text.len(), |(at, _)| at);
        self.offers = view::completions(state, byte);
    }

    /// The cursor will go behind a text that is on its way.
    pub fn ends_behind(&mut self, text: &str) {
        self.ends_behind = Some(text.to_owned());
    }

    /// Takes the keys that are meant for the list.
    pub fn keys(&mut self, ui: &Ui, text: &str) -> Taken {
        if self.offers.is_empty() {
            return Taken::Nothing;
        }
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        let last = self.offers.len() - 1;
        if pressed(Key::ArrowDown) {
            self.chosen = Some(self.chosen.map_or(0, |at| (at + 1).min(last)));
        }
        if pressed(Key::ArrowUp) {
            self.chosen = self.chosen.and_then(|at| at.checked_sub(1));
        }
        if ui.input(|input| input.key_pressed(Key::Escape)) {
            self.closed_for = Some(text.to_owned());
            self.offers.clear();
            return Taken::Closed;
        }
        let taken = if pressed(Key::Tab) {
            Some(self.chosen.unwrap_or(0))
        } else if self.chosen.is_some() && pressed(Key::Enter) {
            self.chosen
        } else {
            None
        };
        match taken.and_then(|at| self.offers.get(at)) {
            Some(offer) => Taken::Text(with(text, offer)),
            None => Taken::Nothing,
        }
    }

    /// Shows the list under a field; gives the text of what was clicked.
    pub fn show(&self, ui: &Ui, theme: &Theme, field: Rect, text: &str) -> Option<String> {
        if self.offers.is_empty() {
            return None;
        }
        let mut clicked = None;
        let tokens = theme.tokens();
        let frame = Frame::NONE
            .fill(tokens.surface.overlay.0)
            .stroke(Stroke::new(1.0, tokens.line.strong.0))
            .corner_radius(theme.common().radius.card)
            .inner_margin(6.0);
        Area::new(Id::unique("completions"))
            .order(Order::Foreground)
            .fixed_pos(field.left_bottom() + vec2(0.0, 4.0))
            .show(ui.ctx(), |ui| {
                frame.show(ui, |ui| {
                    ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
                    ui.set_width(WIDTH.min(field.width() - 12.0));
                    let first = self
                        .chosen
                        .map_or(0, |at| (at + 1).saturating_sub(SHOWN_MAX));
                    let offers = self.offers.iter().enumerate().skip(first).take(SHOWN_MAX);
                    for (at, offer) in offers {
                        if offer_ui(ui, theme, offer, self.chosen == Some(at)) {
                            clicked = Some(with(text, offer));
                        }
                    }
                });
            });
        clicked
    }
}

/// Puts the cursor of the filter behind its text.
fn go_on_behind(ui: &Ui, id: Id, text: &str) {
    if let Some(mut edit) = egui::TextEdit::load_state(ui.ctx(), id) {
        let end = egui::text::CCursor::new(text.chars().count());
        edit.cursor
            .set_char_range(Some(egui::text::CCursorRange::one(end)));
        edit.store(ui.ctx(), id);
    }
}

/// The text with an offer in its place.
fn with(text: &str, offer: &Completion) -> String {
    let before = text.get(..offer.replace.start).unwrap_or(text);
    let after = text.get(offer.replace.end..).unwrap_or_default();
    // A whole value ends its term.
    let ends = !offer.insert.ends_with([':', '>', '<', '=']) && after.is_empty();
    let blank = if ends { " " } else { "" };
    format!("{before}{}{after}{blank}", offer.insert)
}

fn offer_ui(ui: &mut Ui, theme: &Theme, offer: &Completion, is_chosen: bool) -> bool {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ITEM), Sense::hover());
    let id = Id::unique((ui.scope_id(), "offer", &offer.insert));
    let response = ui.interact(rect, id, Sense::CLICK);
    let name = format!("Complete {}", offer.insert);
    response.widget_info(|| WidgetInfo::selected(Role::ListBoxOption, true, is_chosen, &name));
    let tokens = theme.tokens();
    let radius = theme.common().radius.control;
    if is_chosen {
        ui.painter()
            .rect_filled(rect, radius, tokens.state.selected.0);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, radius, tokens.state.hover.0);
    }
    let mut row = Row::new(ui, theme, rect.shrink2(vec2(10.0, 0.0)));
    let shown = crate::present::escape::shown(&offer.insert, 60);
    row.text(&shown, Text::Mono, Tone::Primary);
    row.gap(12.0);
    row.text_right(&offer.about, Text::Note, Tone::Tertiary);
    response.clicked()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, replace: std::ops::Range<usize>, insert: &str, expected: &str) {
        let offer = Completion {
            replace,
            insert: insert.to_owned(),
            about: String::new(),
        };
        assert_eq!(with(text, &offer), expected);
    }

    #[test]
    fn an_offer_takes_the_place_of_what_was_typed() {
        check("is:stuck sta", 9..12, "status:", "is:stuck status:");
        check("status:pro", 7..10, "processing", "status:processing ");
        check("sta age>1m", 0..3, "status:", "status: age>1m");
    }
}
