//! The diagram of a trace as SVG, by the same axis as in the window.
//!
//! Apart from `page` because that is words and tables, and this is lines.
//! Invariant: everything that is stored or sent is escaped.

use std::fmt::Write as _;

use crate::lab::trace::says::actor_word;
use crate::lab::trace::{Axis, Bar, Kind, Message, Placed, Trace};

/// Between two lanes, and of the first.
const LANE: f32 = 112.0;
const FIRST: f32 = 64.0;
const TOP: f32 = 44.0;
/// Characters of a label.
const LABEL_MAX: usize = 18;

/// One column.
pub fn diagram(trace: &Trace, axis: &Axis, column: usize) -> String {
    let placed: &[Placed] = axis.columns.get(column).map_or(&[], Vec::as_slice);
    let width = FIRST + LANE * (trace.lanes.len().saturating_sub(1)) as f32 + 56.0;
    let height = TOP + axis.height() + 24.0;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         role=\"img\" aria-label=\"Sequence of messages\">"
    );
    for (at, lane) in trace.lanes.iter().enumerate() {
        let x = lane_x(at);
        let class = if lane.takes_part {
            ""
        } else {
            " class=\"dim\""
        };
        let word = escaped(&actor_word(&lane.actor, lane.is_alone));
        let _ = write!(
            svg,
            "<line class=\"lane\" x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{}\"/><text{class} \
             text-anchor=\"middle\" font-weight=\"600\" x=\"{x}\" y=\"18\">{word}</text>",
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
        bar_svg(&mut svg, bar, placed, axis);
    }
    for (message, placed) in trace.messages.iter().zip(placed) {
        message_svg(&mut svg, trace, message, *placed);
    }
    svg.push_str("</svg>");
    svg
}

fn lane_x(at: usize) -> f32 {
    FIRST + LANE * at as f32
}

fn bar_svg(svg: &mut String, bar: &Bar, placed: &[Placed], axis: &Axis) {
    let top = placed.get(bar.from).map_or(0.0, |placed| placed.bottom);
    let foot = bar
        .to
        .and_then(|to| placed.get(to))
        .map(|placed| placed.top);
    let foot = foot.unwrap_or_else(|| axis.height());
    let (x, y) = (lane_x(bar.lane) - 4.0, TOP + top);
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
    let label = label(message);
    let (y0, y1) = (TOP + placed.top, TOP + placed.bottom);
    let x0 = lane_x(from);
    if message.kind == Kind::Mark {
        let (x, y) = (x0 + 10.0, y0 + 8.0);
        let _ = write!(
            svg,
            "<g class=\"lost\">{}<text x=\"{x}\" y=\"{y:.1}\">{label}</text></g>",
            cross(x0, y0 + 4.0)
        );
        return;
    }
    let mut x1 = lane_x(to);
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
    let middle = (x0 + x1) / 2.0;
    let text_y = if is_answer {
        (y0 + y1) / 2.0 + 3.5
    } else {
        y0 - 3.0
    };
    let ground = if is_answer { " class=\"on-line\"" } else { "" };
    let _ = write!(
        svg,
        "<g class=\"{class}\"><line x1=\"{x0}\" y1=\"{y0:.1}\" x2=\"{x1}\" y2=\"{y1:.1}\"/>{end}\
         <text{ground} text-anchor=\"middle\" x=\"{middle}\" y=\"{text_y:.1}\">{label}</text></g>"
    );
    if let Some(attempt) = message.attempt {
        let _ = write!(
            svg,
            "<circle class=\"disc\" cx=\"{x0}\" cy=\"{y0:.1}\" r=\"8.5\"/><text class=\"number\" \
             text-anchor=\"middle\" x=\"{x0}\" y=\"{:.1}\">{attempt}</text>",
            y0 + 3.5
        );
    }
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

fn label(message: &Message) -> String {
    let words = message.says.words();
    let many = match message.count {
        1 => String::new(),
        count => format!(" ×{count}"),
    };
    let room = LABEL_MAX.saturating_sub(many.chars().count());
    let cut: String = match words.chars().count() > room {
        true => words
            .chars()
            .take(room.saturating_sub(1))
            .chain(['…'])
            .collect(),
        false => words,
    };
    escaped(&format!("{cut}{many}"))
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
