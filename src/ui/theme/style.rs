//! egui's own style, by our tokens.

use egui::style::{TextCursorStyle, WidgetVisuals};
use egui::{Context, CornerRadius, Stroke, TextStyle, Visuals, vec2};

use super::{Text, Theme};
use crate::app::start;

pub fn apply(theme: &Theme, ctx: &Context) {
    let kind = match theme.kind {
        start::Theme::Dark => egui::Theme::Dark,
        start::Theme::Light => egui::Theme::Light,
    };
    ctx.set_theme(kind);
    let visuals = visuals(theme);
    ctx.all_styles_mut(|style| {
        style.visuals = visuals.clone();
        style.spacing.item_spacing = vec2(8.0, 4.0);
        style.spacing.button_padding = vec2(12.0, 4.0);
        style.animation_time = 0.0;
        style.interaction.selectable_labels = false;
        style.interaction.tooltip_delay = 0.4;
        style.text_styles = [
            (TextStyle::Heading, theme.font(Text::View)),
            (TextStyle::Body, theme.font(Text::Body)),
            (TextStyle::Button, theme.font(Text::Body)),
            (TextStyle::Small, theme.font(Text::Note)),
            (TextStyle::Monospace, theme.font(Text::Mono)),
        ]
        .into();
    });
}

fn visuals(theme: &Theme) -> Visuals {
    let tokens = theme.tokens();
    let mut visuals = match theme.kind {
        start::Theme::Dark => Visuals::dark(),
        start::Theme::Light => Visuals::light(),
    };
    let radius = CornerRadius::same(theme.common().radius.control);
    let widget = |fill: egui::Color32, text: egui::Color32| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::NONE,
        corner_radius: radius,
        fg_stroke: Stroke::new(1.0, text),
        expansion: 0.0,
    };
    let (text, control) = (&tokens.text, &tokens.control);
    visuals.widgets.noninteractive = widget(tokens.surface.base.0, text.primary.0);
    visuals.widgets.inactive = widget(control.fill.0, text.primary.0);
    visuals.widgets.hovered = widget(control.hover.0, text.primary.0);
    visuals.widgets.active = widget(control.pressed.0, text.primary.0);
    visuals.widgets.open = widget(control.fill.0, text.primary.0);
    visuals.selection.bg_fill = tokens.state.selected.0;
    visuals.selection.stroke = Stroke::new(1.0, text.primary.0);
    visuals.hyperlink_color = tokens.accent.text.0;
    visuals.extreme_bg_color = tokens.state.field.0;
    visuals.text_edit_bg_color = Some(tokens.state.field.0);
    visuals.code_bg_color = tokens.surface.inset.0;
    visuals.warn_fg_color = tokens.status.stuck.0;
    visuals.error_fg_color = tokens.danger.text.0;
    visuals.window_fill = tokens.surface.overlay.0;
    visuals.window_stroke = Stroke::new(1.0, tokens.line.strong.0);
    visuals.window_corner_radius = CornerRadius::same(theme.common().radius.card);
    visuals.menu_corner_radius = CornerRadius::same(theme.common().radius.card);
    visuals.panel_fill = tokens.surface.base.0;
    visuals.text_cursor = TextCursorStyle {
        stroke: Stroke::new(2.0, tokens.accent.focus.0),
        blink: false,
        ..TextCursorStyle::default()
    };
    visuals
}
