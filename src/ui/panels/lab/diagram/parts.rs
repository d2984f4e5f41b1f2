//! Heads, crosses and labels of messages.
//!
//! Apart from `diagram` because they do not ask where things stand.

use egui::epaint::PathShape;
use egui::{Color32, Painter, Pos2, Shape, Stroke, Vec2, vec2};

use crate::app::view::lab::{Actor, Message, Trace, actor_word};
use crate::present::escape;
use crate::present::say::say;
use crate::ui::panels::lab::data::seconds;

const HEAD_LENGTH: f32 = 7.0;

/// Half of what stands on a lane: a bar, or its line.
pub fn beside(actor: &Actor) -> f32 {
    match actor {
        Actor::Shop(_) | Actor::Bank => 4.5,
        _ => 0.5,
    }
}

/// A message in words.
pub fn whole(trace: &Trace, message: &Message) -> String {
    let name = |actor| {
        let lane = trace.lane(actor).and_then(|at| trace.lanes.get(at));
        actor_word(actor, lane.is_none_or(|lane| lane.is_alone))
    };
    let words = escape::shown(&message.says.words(), 200);
    let at = seconds(message.at_ms as f64);
    let (from, to) = (name(&message.from), name(&message.to));
    match message.count {
        1 => say!("lab-message", from = from, to = to, words = words, at = at),
        count => say!(
            "lab-messages",
            from = from,
            to = to,
            words = words,
            at = at,
            count = count
        ),
    }
}

/// A filled head that ends at a point.
pub fn head(from: Pos2, to: Pos2, color: Color32) -> Shape {
    let along: Vec2 = (to - from).normalized() * HEAD_LENGTH;
    let across = along.rot90() / 2.0;
    let base = to - along;
    let points = vec![to, base + across, base - across];
    Shape::Path(PathShape::convex_polygon(points, color, Stroke::NONE))
}

pub fn cross(painter: &Painter, at: Pos2, color: Color32) {
    let stroke = Stroke::new(1.8, color);
    painter.line_segment([at + vec2(-4.0, -4.0), at + vec2(4.0, 4.0)], stroke);
    painter.line_segment([at + vec2(-4.0, 4.0), at + vec2(4.0, -4.0)], stroke);
}
