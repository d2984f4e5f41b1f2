//! A quiet face: what a view shows when it has nothing, and what to do next.

use egui::{Align2, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::button::Button;
use super::pen::Pen;
use super::span::{Span, plain};
use crate::ui::theme::{Icon, Text, Theme, Tone};

const TEXT_WIDTH: f32 = 360.0;

/// A quiet face as plain values.
#[derive(Clone, Debug)]
pub struct Quiet {
    pub icon: Icon,
    pub icon_tone: Tone,
    pub title: String,
    pub text: Vec<Span>,
    pub buttons: Vec<Button>,
}

/// Shows it in the middle of a rectangle; gives the number of the button that was pressed.
pub fn quiet_ui(ui: &mut Ui, theme: &Theme, rect: Rect, face: Quiet) -> Option<usize> {
    let center_x = rect.center().x;
    let mut y = rect.center().y - 70.0;
    let pen = Pen::new(ui.painter(), theme);
    let size = theme.common().icon_size.empty;
    pen.icon(pos2(center_x, y), &face.icon, size, face.icon_tone);
    y += 26.0;
    let top = Align2::CENTER_TOP;
    let title = pen.text(
        pos2(center_x, y),
        top,
        &face.title,
        Text::Section,
        Tone::Primary,
    );
    y = title.max.y + 8.0;
    let width = TEXT_WIDTH.min(rect.width() - 32.0);
    let mut job = super::pen::job(theme, &face.text);
    job.wrap.max_width = width;
    job.wrap.max_rows = 3;
    job.halign = egui::Align::Center;
    job.break_on_newline = true;
    let galley = ui.painter().fonts_mut(|fonts| fonts.layout_job(job));
    let height = galley.size().y;
    ui.painter()
        .galley(pos2(center_x, y), galley, theme.tone(Tone::Secondary));
    let words = format!("{}. {}", face.title, plain(&face.text));
    let label = Rect::from_min_max(title.min, pos2(title.max.x, y + height));
    ui.interact(label, ui.scope_id().with("quiet"), Sense::hover())
        .widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
    y += height + 14.0;
    buttons_ui(ui, theme, pos2(center_x, y), face.buttons)
}

fn buttons_ui(ui: &mut Ui, theme: &Theme, top: egui::Pos2, buttons: Vec<Button>) -> Option<usize> {
    let widths: Vec<f32> = buttons
        .iter()
        .map(|button| button.width(ui, theme))
        .collect();
    let gaps = 8.0 * buttons.len().saturating_sub(1) as f32;
    let mut x = top.x - (widths.iter().sum::<f32>() + gaps) / 2.0;
    let height = theme.common().height.button;
    let mut pressed = None;
    for (at, (button, width)) in buttons.into_iter().zip(widths).enumerate() {
        let rect = Rect::from_min_size(pos2(x.round(), top.y.round()), vec2(width, height));
        if button.show(ui, theme, rect).clicked() {
            pressed = Some(at);
        }
        x += width + 8.0;
    }
    pressed
}
