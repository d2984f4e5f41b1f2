//! Things to press: buttons, chips, links, icons, and the key caps in them.

use egui::{
    Align2, Color32, Id, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2,
    vec2,
};

use super::pen::Pen;
use crate::ui::theme::{Icon, Text, Theme, Tone};

const ICON: f32 = 15.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    Plain,
    Primary,
    /// It changes a store.
    Danger,
    /// No ground at rest.
    Ghost,
}

/// A button as plain values.
#[derive(Clone, Debug)]
pub struct Button {
    pub label: String,
    pub icon: Option<Icon>,
    pub key: Option<String>,
    pub weight: Weight,
    /// What it is called where its label alone does not say it.
    pub name: Option<String>,
    /// It cannot be pressed now, and this is why.
    pub off: Option<String>,
}

impl Button {
    pub fn new(label: impl Into<String>) -> Button {
        Button {
            label: label.into(),
            icon: None,
            key: None,
            weight: Weight::Plain,
            name: None,
            off: None,
        }
    }

    pub fn key(mut self, key: impl Into<String>) -> Button {
        self.key = Some(key.into());
        self
    }

    pub fn weight(mut self, weight: Weight) -> Button {
        self.weight = weight;
        self
    }

    pub fn off(mut self, why: Option<String>) -> Button {
        self.off = why;
        self
    }

    pub fn named(mut self, name: impl Into<String>) -> Button {
        self.name = Some(name.into());
        self
    }

    pub fn width(&self, ui: &Ui, theme: &Theme) -> f32 {
        let pen = Pen::new(ui.painter(), theme);
        let mut width = 24.0 + pen.galley(&self.label, self.kind(), Tone::Primary).size().x;
        if self.icon.is_some() {
            width += ICON + 8.0;
        }
        if let Some(key) = &self.key {
            width += key_cap_width(&pen, key) + 8.0;
        }
        width.ceil()
    }

    pub fn show(self, ui: &mut Ui, theme: &Theme, rect: Rect) -> Response {
        let label = self.name.as_ref().unwrap_or(&self.label);
        let is_on = self.off.is_none();
        let sense = if is_on {
            Sense::click()
        } else {
            Sense::hover()
        };
        let response = ui.interact(rect, Id::unique((ui.scope_id(), label)), sense);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, is_on, label));
        let tokens = theme.tokens();
        let pressed = response.is_pointer_button_down_on();
        let (fill, stroke, tone) = match (self.weight, pressed, response.hovered()) {
            _ if !is_on => (tokens.control.fill.0, Some(()), Tone::Disabled),
            (Weight::Primary, _, true) => (tokens.accent.hover.0, None, Tone::OnAccent),
            (Weight::Primary, ..) => (tokens.accent.solid.0, None, Tone::OnAccent),
            (Weight::Danger, _, true) => (tokens.danger.hover.0, None, Tone::OnDanger),
            (Weight::Danger, ..) => (tokens.danger.solid.0, None, Tone::OnDanger),
            (Weight::Ghost, false, false) => (Color32::TRANSPARENT, None, Tone::Primary),
            (_, true, _) => (tokens.control.pressed.0, Some(()), Tone::Primary),
            (_, _, true) => (tokens.control.hover.0, Some(()), Tone::Primary),
            _ => (tokens.control.fill.0, Some(()), Tone::Primary),
        };
        let radius = theme.common().radius.control;
        let painter = ui.painter();
        painter.rect_filled(rect, radius, fill);
        if stroke.is_some() {
            let stroke = Stroke::new(1.0, tokens.control.stroke.0);
            painter.rect_stroke(rect, radius, stroke, StrokeKind::Inside);
        }
        focus_ring(ui, theme, &response);
        let pen = Pen::new(ui.painter(), theme);
        let mut x = rect.min.x + 12.0;
        if let Some(icon) = &self.icon {
            pen.icon(pos2(x + ICON / 2.0, rect.center().y), icon, ICON, tone);
            x += ICON + 8.0;
        }
        let at = pos2(x, rect.center().y);
        let kind = self.kind();
        let text = pen.text(at, Align2::LEFT_CENTER, &self.label, kind, tone);
        if let Some(key) = &self.key {
            let at = pos2(text.max.x + 8.0, rect.center().y);
            let (ink, line) = match self.weight {
                _ if !is_on => (Tone::Disabled, tokens.line.strong.0),
                Weight::Primary => (Tone::OnAccent, tokens.text.on_accent.0),
                Weight::Danger => (Tone::OnDanger, tokens.text.on_danger.0),
                _ => (Tone::Tertiary, tokens.line.strong.0),
            };
            key_cap_at(&pen, at, key, ink, line);
        }
        match self.off {
            Some(why) if !why.is_empty() => response.on_hover_text(why),
            _ => response,
        }
    }

    /// What changes a store stands out.
    fn kind(&self) -> Text {
        match self.weight {
            Weight::Danger => Text::Section,
            _ => Text::Body,
        }
    }
}

/// A ring around what has the focus.
pub fn focus_ring(ui: &Ui, theme: &Theme, response: &Response) {
    if response.has_focus() {
        let stroke = Stroke::new(1.5, theme.tokens().accent.focus.0);
        let radius = f32::from(theme.common().radius.control) + 2.0;
        let rect = response.rect.expand(2.0);
        ui.painter()
            .rect_stroke(rect, radius, stroke, StrokeKind::Outside);
    }
}

pub fn key_cap_width(pen: &Pen<'_>, key: &str) -> f32 {
    let text = pen.galley(key, Text::MonoSmall, Tone::Tertiary).size().x;
    (text + 8.0).max(16.0).ceil()
}

/// A key cap whose left edge is at a point.
pub fn key_cap(pen: &Pen<'_>, at: egui::Pos2, key: &str) -> Rect {
    let line = pen.theme.tokens().line.strong.0;
    key_cap_at(pen, at, key, Tone::Tertiary, line)
}

fn key_cap_at(pen: &Pen<'_>, at: egui::Pos2, key: &str, ink: Tone, line: Color32) -> Rect {
    let height = pen.theme.common().height.key_cap;
    let size = vec2(key_cap_width(pen, key), height);
    let rect = Rect::from_min_size(pos2(at.x, at.y - height / 2.0), size);
    let radius = pen.theme.common().radius.mark;
    let stroke = Stroke::new(1.0, line);
    pen.painter
        .rect_stroke(rect, radius, stroke, StrokeKind::Inside);
    let center = Align2::CENTER_CENTER;
    pen.text(rect.center(), center, key, Text::MonoSmall, ink);
    rect
}

/// A glyph to press; its name is its tooltip.
pub fn icon_button(ui: &mut Ui, theme: &Theme, rect: Rect, icon: &Icon, name: &str) -> Response {
    let response = ui.interact(rect, Id::unique((ui.scope_id(), name)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
    let radius = theme.common().radius.control;
    let tone = if response.hovered() {
        ui.painter()
            .rect_filled(rect, radius, theme.tokens().state.hover.0);
        Tone::Primary
    } else {
        Tone::Secondary
    };
    focus_ring(ui, theme, &response);
    Pen::new(ui.painter(), theme).icon(rect.center(), icon, ICON, tone);
    response.on_hover_text(name)
}

/// A word to press.
pub fn link(ui: &mut Ui, theme: &Theme, at: egui::Pos2, anchor: Align2, label: &str) -> Response {
    let pen = Pen::new(ui.painter(), theme);
    let size = pen.galley(label, Text::Body, Tone::Accent).size();
    let rect = anchor.anchor_size(at, size);
    pen.text(at, anchor, label, Text::Body, Tone::Accent);
    let response = ui.interact(rect, Id::unique((ui.scope_id(), label)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, label));
    focus_ring(ui, theme, &response);
    response.on_hover_cursor(egui::CursorIcon::PointingHand)
}

/// A chip: a choice among several, with its count.
#[derive(Clone, Debug)]
pub struct Chip<'a> {
    pub word: &'a str,
    pub count: Option<String>,
    pub icon: Option<(Icon, Tone)>,
    pub is_chosen: bool,
}

impl Chip<'_> {
    pub fn width(&self, ui: &Ui, theme: &Theme) -> f32 {
        let pen = Pen::new(ui.painter(), theme);
        let mut width = 16.0 + pen.galley(self.word, Text::Body, Tone::Primary).size().x;
        if self.icon.is_some() {
            width += ICON + 6.0;
        }
        if let Some(count) = &self.count {
            width += 6.0 + pen.galley(count, Text::MonoSmall, Tone::Tertiary).size().x;
        }
        width.ceil()
    }

    pub fn show(self, ui: &mut Ui, theme: &Theme, rect: Rect) -> Response {
        let name = match &self.count {
            Some(count) => format!("{} {}", self.word, count.replace('\u{a0}', " ")),
            None => self.word.to_owned(),
        };
        self.show_named(ui, theme, rect, &name)
    }

    /// With another name for those who cannot see where it stands.
    pub fn show_named(self, ui: &mut Ui, theme: &Theme, rect: Rect, name: &str) -> Response {
        let response = ui.interact(
            rect,
            Id::unique((ui.scope_id(), "chip", self.word)),
            Sense::click(),
        );
        let chosen = self.is_chosen;
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, chosen, name));
        let tokens = theme.tokens();
        let fill = match (chosen, response.hovered()) {
            (true, _) => tokens.state.pressed.0,
            (false, true) => tokens.state.hover.0,
            _ => Color32::TRANSPARENT,
        };
        ui.painter()
            .rect_filled(rect, theme.common().radius.chip, fill);
        focus_ring(ui, theme, &response);
        let pen = Pen::new(ui.painter(), theme);
        let mut x = rect.min.x + 8.0;
        if let Some((icon, tone)) = &self.icon {
            pen.icon(pos2(x + ICON / 2.0, rect.center().y), icon, ICON, *tone);
            x += ICON + 6.0;
        }
        let tone = if chosen {
            Tone::Primary
        } else {
            Tone::Secondary
        };
        let at = pos2(x, rect.center().y);
        let word = pen.text(at, Align2::LEFT_CENTER, self.word, Text::Body, tone);
        if let Some(count) = &self.count {
            let at = pos2(word.max.x + 6.0, rect.center().y);
            let left = Align2::LEFT_CENTER;
            pen.text(at, left, count, Text::MonoSmall, Tone::Tertiary);
        }
        response
    }
}

/// How a badge is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Plain,
    /// What is on for a while where it is production.
    Production,
}

/// A fact in a frame, which can be pressed: what the connection is.
pub fn badge(
    ui: &mut Ui,
    theme: &Theme,
    at: egui::Pos2,
    icon: &Icon,
    (word, ink): (&str, Ink),
) -> Response {
    let tokens = theme.tokens();
    let (tone, line) = match ink {
        Ink::Plain => (Tone::Secondary, tokens.line.strong.0),
        Ink::Production => (Tone::Production, tokens.production.solid.0),
    };
    let text = Pen::new(ui.painter(), theme).galley(word, Text::Note, tone);
    let width = 8.0 + ICON + 5.0 + text.size().x + 8.0;
    let height = theme.common().height.chip;
    let rect = Rect::from_min_size(pos2(at.x, at.y - height / 2.0), vec2(width.ceil(), height));
    let id = Id::unique((ui.scope_id(), "badge"));
    let response = ui.interact(rect, id, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, word));
    let radius = theme.common().radius.chip;
    let painter = ui.painter();
    if ink == Ink::Production {
        painter.rect_filled(rect, radius, tokens.production.wash.0);
    } else if response.hovered() {
        painter.rect_filled(rect, radius, tokens.state.hover.0);
    }
    painter.rect_stroke(rect, radius, Stroke::new(1.0, line), StrokeKind::Inside);
    focus_ring(ui, theme, &response);
    let pen = Pen::new(ui.painter(), theme);
    let center = pos2(rect.min.x + 8.0 + ICON / 2.0, rect.center().y);
    pen.icon(center, icon, ICON - 1.0, tone);
    let left = pos2(rect.min.x + 8.0 + ICON + 5.0, rect.center().y);
    pen.put(text, left, Align2::LEFT_CENTER);
    response
}
