//! Parts of a form: a field without a glyph, a secret one, a box with words, a mark of a colour.

use egui::{
    Align2, Color32, Id, Margin, Rect, Response, Role, Sense, Stroke, StrokeKind, TextEdit, Ui,
    UiBuilder, WidgetInfo, pos2, vec2,
};

use super::button::focus_ring;
use super::check::check_box;
use super::field::FieldAnswer;
use super::pen::Pen;
use super::span::Span;
use crate::ui::theme::{Text, Theme, Tone};

/// How a field shows its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    Words,
    /// What machines read.
    Mono,
    /// A point for each character.
    Points,
}

/// A field as plain values.
pub struct FormField<'a> {
    pub id: Id,
    pub name: &'a str,
    pub hint: &'a str,
    pub shows: Shows,
    pub is_wrong: bool,
}

impl FormField<'_> {
    pub fn show(self, ui: &mut Ui, theme: &Theme, rect: Rect, text: &mut String) -> FieldAnswer {
        let tokens = theme.tokens();
        let radius = theme.common().radius.control;
        let focused = ui.memory(|memory| memory.has_focus(self.id));
        let stroke = match (self.is_wrong, focused) {
            (true, _) => Stroke::new(1.0, tokens.danger.text.0),
            (false, true) => Stroke::new(2.0, tokens.accent.focus.0),
            _ => Stroke::new(1.0, tokens.line.strong.0),
        };
        ui.painter().rect_filled(rect, radius, tokens.state.field.0);
        ui.painter()
            .rect_stroke(rect, radius, stroke, StrokeKind::Inside);
        let inner = rect.shrink2(vec2(10.0, 1.0));
        let kind = match self.shows {
            Shows::Words => Text::Body,
            Shows::Mono | Shows::Points => Text::Mono,
        };
        let is_secret = self.shows == Shows::Points;
        let hint = egui::RichText::new(self.hint)
            .font(theme.font(kind))
            .color(theme.tone(Tone::Tertiary));
        let mut layouter = {
            let theme = theme.clone();
            move |ui: &Ui, text: &dyn egui::TextBuffer, _: f32| {
                let shown = match is_secret {
                    true => "•".repeat(text.as_str().chars().count()),
                    false => text.as_str().to_owned(),
                };
                let mut job = super::pen::job(&theme, &[Span::new(shown, kind, Tone::Primary)]);
                job.keep_trailing_whitespace = true;
                ui.fonts_mut(|fonts| fonts.layout_job(job))
            }
        };
        let edit = TextEdit::singleline(text)
            .id(self.id)
            .font(theme.font(kind))
            .frame(egui::Frame::NONE)
            .margin(Margin::ZERO)
            .desired_width(inner.width())
            .align(Align2::LEFT_CENTER)
            .hint_text(hint)
            .char_limit(4096)
            .password(is_secret)
            .layouter(&mut layouter);
        // The line it stands in has its room already.
        let mut place = ui.new_child(UiBuilder::new().max_rect(inner));
        let response = place.put(inner, edit);
        let name = self.name;
        ui.ctx()
            .accesskit_node_builder(response.id, |node| node.set_label(name));
        if response.gained_focus() {
            response.scroll_to_me(None);
        }
        let changed = response.changed();
        FieldAnswer { response, changed }
    }
}

/// Gives a field the focus, with all its text selected: what is typed next takes its place.
pub fn focus_anew(ui: &Ui, response: &Response, text: &str) {
    response.request_focus();
    if let Some(mut edit) = TextEdit::load_state(ui.ctx(), response.id) {
        let end = egui::text::CCursor::new(text.chars().count());
        let all = egui::text::CCursorRange::two(egui::text::CCursor::new(0), end);
        edit.cursor.set_char_range(Some(all));
        edit.store(ui.ctx(), response.id);
    }
}

/// A check box with its words; true where it was pressed.
pub fn check_line(ui: &mut Ui, theme: &Theme, rect: Rect, is_on: bool, words: &str) -> Response {
    let pen = Pen::new(ui.painter(), theme);
    let galley = pen.galley(words, Text::Body, Tone::Primary);
    let size = vec2(24.0 + galley.size().x, 20.0);
    let place = Rect::from_min_size(pos2(rect.min.x, rect.center().y - 10.0), size);
    let response = ui.interact(place, Id::unique((ui.scope_id(), words)), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_on, words));
    let square = Rect::from_center_size(
        pos2(rect.min.x + 7.0, rect.center().y).round(),
        vec2(14.0, 14.0),
    );
    check_box(ui, theme, square, is_on, response.hovered());
    let at = pos2(rect.min.x + 24.0, rect.center().y);
    Pen::new(ui.painter(), theme).put(galley, at, Align2::LEFT_CENTER);
    focus_ring(ui, theme, &response);
    response
}

/// The little square of a connection's colour.
pub fn mark(ui: &Ui, theme: &Theme, center: egui::Pos2, colour: Color32) -> Rect {
    let square = Rect::from_center_size(center.round(), vec2(8.0, 8.0));
    let radius = theme.common().radius.mark - 1;
    ui.painter().rect_filled(square, radius, colour);
    square
}

/// A colour to choose; nothing for none.
pub fn swatch(
    ui: &mut Ui,
    theme: &Theme,
    rect: Rect,
    colour: Option<Color32>,
    (name, is_chosen): (&str, bool),
) -> Response {
    let id = Id::unique((ui.scope_id(), "swatch", name));
    let response = ui.interact(rect, id, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, is_chosen, name));
    let tokens = theme.tokens();
    let radius = theme.common().radius.chip;
    if is_chosen {
        ui.painter()
            .rect_filled(rect, radius, tokens.state.pressed.0);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, radius, tokens.state.hover.0);
    }
    let square = Rect::from_center_size(rect.center().round(), vec2(12.0, 12.0));
    let radius = theme.common().radius.mark;
    match colour {
        Some(colour) => {
            ui.painter().rect_filled(square, radius, colour);
        }
        None => {
            let stroke = Stroke::new(1.0, tokens.line.control.0);
            ui.painter()
                .rect_stroke(square, radius, stroke, StrokeKind::Inside);
        }
    }
    focus_ring(ui, theme, &response);
    response.on_hover_text(name)
}

/// The mark of production.
pub fn production_chip(ui: &mut Ui, theme: &Theme, at: egui::Pos2, word: &str) -> Rect {
    let pen = Pen::new(ui.painter(), theme);
    let text = pen.galley(word, Text::Tag, Tone::OnProduction);
    let height = theme.common().height.chip;
    let size = vec2((text.size().x + 16.0).ceil(), height);
    let rect = Rect::from_min_size(pos2(at.x, at.y - height / 2.0), size);
    let radius = theme.common().radius.chip;
    let fill = theme.tokens().production.solid.0;
    pen.painter.rect_filled(rect, radius, fill);
    pen.put(text, rect.center(), Align2::CENTER_CENTER);
    let id = Id::unique((ui.scope_id(), "production"));
    ui.interact(rect, id, Sense::hover())
        .widget_info(|| WidgetInfo::labeled(Role::Label, true, word));
    rect
}
