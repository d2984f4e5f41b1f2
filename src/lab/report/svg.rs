//! The diagram of a trace as SVG, by the same axis as in the window.
//!
//! Apart from `page` because that is words and tables, and this is lines.
//! Invariant: everything that is stored or sent is escaped.

use std::fmt::Write as _;

use crate::lab::trace::says::{actor_word, label};
use crate::lab::trace::{Axis, Bar, Kind, Message, Placed, Says, Trace};

/// Between two lanes, where there are few and where there are many, and of the first.
const LANE: f32 = 112.0;
const LANE_OF_MANY: f32 = 89.6;
const FIRST: f32 = 64.0;
const TOP: f32 = 44.0;
/// Of a character of a label, and so many of them beside a mark.
const CHAR: f32 = 6.35;
const MARK_MAX: usize = 24;
/// Half of the number of an attempt.
const DISC: f32 = 8.5;

/// One column.
pub fn diagram(trace: &Trace, axis: &Axis, column: usize) -> String {
    let placed: &[Placed] = axis.columns.get(column).map_or(&[], Vec::as_slice);
    let width = diagram_width(trace);
    let height = TOP + axis.height() + 24.0;
    // It shrinks a little where there is little room; then it is scrolled.
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width:.0} {height:.0}\" \
         style=\"width:100%;max-width:{width:.0}px;min-width:{:.0}px\" role=\"img\" \
         aria-label=\"Sequence of messages\">",
        width * 0.8
    );
    for (at, lane) in trace.lanes.iter().enumerate() {
        let x = lane_x(trace, at);
        let class = match lane.takes_part {
            true => "name",
            false => "name dim",
        };
        let word = escaped(&actor_word(&lane.actor, lane.is_alone));
        let _ = write!(
            svg,
            "<line class=\"lane\" x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{}\"/><text class=\"{class}\" \
             text-anchor=\"middle\" x=\"{x}\" y=\"18\">{word}</text>",
            TOP - 12.0,
            height - 8.0
        );
    }
    for (second, y) in axis.seconds() {
        let y = TOP + y + 4.0;
        let _ = write!(
            svg,
            "<text class=\"time\" x=\"6\" y=\"{y:.1}\">{second} s</text>"
        );
    }
    for bar in &trace.bars {
        bar_svg(&mut svg, lane_x(trace, bar.lane), bar, placed, axis);
    }
    for (message, placed) in trace.messages.iter().zip(placed) {
        message_svg(&mut svg, trace, message, *placed);
    }
    svg.push_str("</svg>");
    svg
}

pub fn diagram_width(trace: &Trace) -> f32 {
    lane_x(trace, trace.lanes.len().saturating_sub(1)) + 56.0
}

fn lane_width(trace: &Trace) -> f32 {
    match trace.lanes.len() {
        0..=5 => LANE,
        _ => LANE_OF_MANY,
    }
}

fn lane_x(trace: &Trace, at: usize) -> f32 {
    FIRST + lane_width(trace) * at as f32
}

fn bar_svg(svg: &mut String, lane: f32, bar: &Bar, placed: &[Placed], axis: &Axis) {
    let top = placed.get(bar.from).map_or(0.0, |placed| placed.bottom);
    let foot = bar
        .to
        .and_then(|to| placed.get(to))
        .map(|placed| placed.top);
    let foot = foot.unwrap_or_else(|| axis.height());
    let (x, y) = (lane - 4.0, TOP + top);
    let height = (foot - top).max(4.0);
    let _ = write!(
        svg,
        "<rect class=\"bar\" x=\"{x}\" y=\"{y:.1}\" width=\"8\" height=\"{height:.1}\" rx=\"1\"/>"
    );
}

fn message_svg(svg: &mut String, trace: &Trace, message: &Message, placed: Placed) {
    let (Some(from), Some(to)) = (trace.lane(&message.from), trace.lane(&message.to)) else {
        return;
    };
    let (y0, y1) = (TOP + placed.top, TOP + placed.bottom);
    let x0 = lane_x(trace, from);
    if message.kind == Kind::Mark {
        mark_svg(svg, message, (x0, y0));
        return;
    }
    let mut x1 = lane_x(trace, to);
    let is_lost = message.kind == Kind::Lost;
    if is_lost {
        x1 = (x0 + x1) / 2.0;
    }
    let class = class(message.kind);
    let end = match is_lost {
        true => cross(x1, y1),
        false => head((x0, y0), (x1, y1)),
    };
    let is_answer = matches!(message.kind, Kind::Answer | Kind::Replay);
    // As in the window: in the first gap, above what goes and on the line of what comes back.
    let reach = (x1 - x0).abs().max(1.0);
    let half = (reach / 2.0).min(lane_width(trace) / 2.0);
    let is_far = reach > lane_width(trace) * 1.5;
    let room = match (is_far, is_answer) {
        (true, _) => lane_width(trace) * 1.3,
        (false, true) => lane_width(trace) - 28.0,
        (false, false) => lane_width(trace),
    };
    let label = label(message, (room / CHAR) as usize);
    let width = label.chars().count() as f32 * CHAR;
    let mut middle = x0 + half * (x1 - x0).signum();
    if message.attempt.is_some() {
        middle = middle.max(x0 + DISC + 2.0 + width / 2.0);
    }
    let (text_y, ground) = match is_answer {
        true => {
            let y = y0 + (y1 - y0) * half / reach;
            let width = width + 6.0;
            let x = middle - width / 2.0;
            let ground = format!(
                "<rect class=\"ground\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"12\"/>",
                y - 6.0
            );
            (y + 3.5, ground)
        }
        false => (y0 - 3.0, String::new()),
    };
    let label = escaped(&label);
    let _ = write!(
        svg,
        "<g class=\"{class}\"><line x1=\"{x0}\" y1=\"{y0:.1}\" x2=\"{x1}\" y2=\"{y1:.1}\"/>{end}\
         {ground}<text text-anchor=\"middle\" x=\"{middle}\" y=\"{text_y:.1}\">{label}</text></g>"
    );
    if let Some(attempt) = message.attempt {
        let _ = write!(
            svg,
            "<circle class=\"disc\" cx=\"{x0}\" cy=\"{y0:.1}\" r=\"{DISC}\"/><text class=\"number\" \
             text-anchor=\"middle\" x=\"{x0}\" y=\"{:.1}\">{attempt}</text>",
            y0 + 3.5
        );
    }
}

/// What befell an actor: a crash, or something else.
fn mark_svg(svg: &mut String, message: &Message, (x0, y0): (f32, f32)) {
    let (x, y) = (x0 + 10.0, y0 + 8.0);
    let (class, glyph) = match message.says == Says::Crashed {
        true => ("lost", cross(x0, y0 + 4.0)),
        false => {
            let dot = format!(
                "<circle class=\"dot\" cx=\"{x0}\" cy=\"{:.1}\" r=\"3\"/>",
                y0 + 4.0
            );
            ("mark", dot)
        }
    };
    let label = escaped(&label(message, MARK_MAX));
    let _ = write!(
        svg,
        "<g class=\"{class}\">{glyph}<text x=\"{x}\" y=\"{y:.1}\">{label}</text></g>"
    );
}

fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Request => "request",
        Kind::Answer => "answer",
        Kind::Effect => "effect",
        Kind::Unwanted => "effect lost",
        Kind::Replay => "answer replay",
        Kind::Lost | Kind::Mark => "lost",
    }
}

/// A filled arrow head that ends at a point.
fn head((x0, y0): (f32, f32), (x1, y1): (f32, f32)) -> String {
    let length = (x1 - x0).hypot(y1 - y0).max(0.1);
    let (dx, dy) = ((x1 - x0) / length * 7.0, (y1 - y0) / length * 7.0);
    let (bx, by) = (x1 - dx, y1 - dy);
    let (nx, ny) = (-dy / 2.0, dx / 2.0);
    format!(
        "<polygon points=\"{x1:.1},{y1:.1} {:.1},{:.1} {:.1},{:.1}\"/>",
        bx + nx,
        by + ny,
        bx - nx,
        by - ny
    )
}

fn cross(x: f32, y: f32) -> String {
    let (a, b, c, d) = (x - 4.0, y - 4.0, x + 4.0, y + 4.0);
    format!(
        "<line x1=\"{a}\" y1=\"{b:.1}\" x2=\"{c}\" y2=\"{d:.1}\"/>\
         <line x1=\"{a}\" y1=\"{d:.1}\" x2=\"{c}\" y2=\"{b:.1}\"/>"
    )
}

/// For a place between tags, or in a quoted value.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
