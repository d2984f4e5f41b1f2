//! Paints the time line of a record.

use egui::{Align2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::time_line::{Point, PointKind, Stretch, TimeLine};
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Pen;

const HEIGHT: f32 = 52.0;
/// Labels keep this far apart.
const APART: f32 = 8.0;

pub fn time_line_ui(ui: &mut Ui, theme: &Theme, line: &TimeLine) {
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    let words: Vec<String> = line
        .points
        .iter()
        .map(|point| format!("{} {}", point.word, point.time))
        .collect();
    let name = format!("Time line: {}", words.join(", "));
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
    let tokens = theme.tokens();
    let bar = rect.shrink2(vec2(4.0, 0.0));
    let x = |at: f32| bar.min.x + at * bar.width();
    let y = rect.min.y + 24.0;
    let pen = Pen::new(ui.painter(), theme);
    pen.hline(bar.x_range(), y, tokens.line.control.0);
    for (from, to, stretch) in &line.stretches {
        let color = match stretch {
            Stretch::Live => tokens.status.live.0,
            Stretch::Stuck => tokens.status.stuck.0,
            Stretch::Done => tokens.status.completed.0,
        };
        let place = Rect::from_min_max(pos2(x(*from), y - 2.0), pos2(x(*to), y + 2.0));
        pen.painter.rect_filled(place, 2, color);
    }
    if let Some(at) = line.break_at {
        break_ui(&pen, theme, pos2(x(at), y));
    }
    for point in &line.points {
        mark_ui(&pen, theme, point, pos2(x(point.at), y));
    }
    labels_ui(&pen, rect, line, x);
}

fn break_ui(pen: &Pen<'_>, theme: &Theme, at: egui::Pos2) {
    let gap = Rect::from_center_size(at, vec2(8.0, 10.0));
    pen.painter
        .rect_filled(gap, 0, theme.tokens().surface.raised.0);
    let stroke = Stroke::new(1.0, theme.tokens().line.control.0);
    for dx in [-3.0, 2.0] {
        let points = [at + vec2(dx - 1.5, 5.0), at + vec2(dx + 1.5, -5.0)];
        pen.painter.line_segment(points, stroke);
    }
}

fn mark_ui(pen: &Pen<'_>, theme: &Theme, point: &Point, at: egui::Pos2) {
    let tokens = theme.tokens();
    let tick = |half: f32, width: f32, color: egui::Color32| {
        let points = [at - vec2(0.0, half), at + vec2(0.0, half)];
        pen.painter.line_segment(points, Stroke::new(width, color));
    };
    match point.kind {
        PointKind::Locked => {
            pen.painter.circle_filled(at, 4.0, tokens.status.live.0);
        }
        PointKind::Start => {
            pen.painter
                .circle_filled(at, 4.0, tokens.status.completed.0);
        }
        PointKind::Tick => tick(6.0, 1.5, tokens.text.secondary.0),
        PointKind::Now => tick(9.0, 2.0, tokens.text.primary.0),
        PointKind::End => {
            let stroke = Stroke::new(1.5, tokens.line.control.0);
            pen.painter.circle(at, 3.5, tokens.surface.raised.0, stroke);
        }
    }
}

/// The ends and now have their labels; those between give way.
fn labels_ui(pen: &Pen<'_>, rect: Rect, line: &TimeLine, x: impl Fn(f32) -> f32) {
    let rank = |point: &Point| match point.kind {
        PointKind::Now => 0,
        PointKind::Locked | PointKind::Start => 1,
        PointKind::End => 2,
        PointKind::Tick => 3,
    };
    let mut points: Vec<&Point> = line.points.iter().collect();
    points.sort_by_key(|point| rank(point));
    let mut times: Vec<(f32, f32)> = Vec::new();
    let mut words: Vec<(f32, f32)> = Vec::new();
    for point in points {
        let is_now = point.kind == PointKind::Now;
        let (tone, word_tone, kind) = if is_now {
            (Tone::Primary, Tone::Primary, Text::Source)
        } else {
            (Tone::Secondary, Tone::Tertiary, Text::Source)
        };
        let galley = pen.galley(&point.time, Text::MonoSmall, tone);
        let place = |width: f32| {
            let last = (rect.max.x - width).max(rect.min.x);
            let left = (x(point.at) - width / 2.0).clamp(rect.min.x, last);
            (left, left + width)
        };
        let free = |taken: &[(f32, f32)], (left, right): (f32, f32)| {
            taken
                .iter()
                .all(|(from, to)| right + APART <= *from || *to + APART <= left)
        };
        let span = place(galley.size().x);
        if free(&times, span) {
            times.push(span);
            pen.put(galley, pos2(span.0, rect.min.y), Align2::LEFT_TOP);
        }
        let galley = pen.galley(&point.word, kind, word_tone);
        let span = place(galley.size().x);
        if free(&words, span) {
            words.push(span);
            pen.put(galley, pos2(span.0, rect.max.y), Align2::LEFT_BOTTOM);
        }
    }
}
