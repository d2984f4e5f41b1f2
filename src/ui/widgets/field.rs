//! A framed text field with an icon in front.

use egui::{Galley, Id, Margin, Rect, Stroke, StrokeKind, TextBuffer, TextEdit, Ui, pos2};
use std::sync::Arc;

use super::pen::Pen;
use crate::ui::theme::{Icon, Text, Theme, Tone};

/// A field as plain values.
pub struct Field<'a> {
    pub id: Id,
    pub name: &'a str,
    pub hint: &'a str,
    pub icon: Icon,
    pub kind: Text,
    /// Room at the right end that the text leaves free.
    pub room_right: f32,
    pub is_wrong: bool,
    /// Tab is meant for the field, not for what comes after it.
    pub keeps_tab: bool,
}

/// What a field was told in this frame.
pub struct FieldAnswer {
    pub response: egui::Response,
    pub changed: bool,
}

/// How the text is laid out, in its colours.
pub type Layouter<'l> = &'l mut dyn FnMut(&Ui, &dyn TextBuffer, f32) -> Arc<Galley>;

impl Field<'_> {
    pub fn show(
        self,
        ui: &mut Ui,
        theme: &Theme,
        rect: Rect,
        text: &mut String,
        layouter: Layouter<'_>,
    ) -> FieldAnswer {
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
        let icon_at = pos2(rect.min.x + 18.0, rect.center().y);
        Pen::new(ui.painter(), theme).icon(icon_at, &self.icon, 15.0, Tone::Tertiary);
        let mut inner = rect.shrink2(egui::vec2(0.0, 1.0));
        inner.min.x += 34.0;
        inner.max.x -= self.room_right + 8.0;
        let hint = egui::RichText::new(self.hint)
            .font(theme.font(Text::Body))
            .color(theme.tone(Tone::Tertiary));
        let edit = TextEdit::singleline(text)
            .id(self.id)
            .font(theme.font(self.kind))
            .frame(egui::Frame::NONE)
            .margin(Margin::ZERO)
            .desired_width(inner.width())
            .align(egui::Align2::LEFT_CENTER)
            .hint_text(hint)
            .char_limit(4096)
            .lock_focus(self.keeps_tab)
            .layouter(layouter);
        let response = ui.put(inner, edit);
        let name = self.name;
        ui.ctx()
            .accesskit_node_builder(response.id, |node| node.set_label(name));
        let changed = response.changed();
        FieldAnswer { response, changed }
    }
}

/// All in one tone.
pub fn plain_layouter(
    theme: &Theme,
    kind: Text,
) -> impl FnMut(&Ui, &dyn TextBuffer, f32) -> Arc<Galley> {
    let theme = theme.clone();
    move |ui, text, _| {
        let span = super::span::Span::new(text.as_str(), kind, Tone::Primary);
        let mut job = super::pen::job(&theme, &[span]);
        job.keep_trailing_whitespace = true;
        ui.fonts_mut(|fonts| fonts.layout_job(job))
    }
}
