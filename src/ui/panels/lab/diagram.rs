//! The sequence of messages, up to the time cursor.
//!
//! Apart from the column because it is painted by hand. Only what is in sight is drawn.

mod marks;
mod parts;

use egui::{Align2, Color32, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, Ui, pos2, vec2};

pub use self::parts::whole;
use self::parts::{beside, cross, head};
use crate::app::view::lab::{Axis, Kind, Lane, Message, Placed, Trace, actor_word, label};
use crate::present::say::say;
use crate::ui::panels::lab::data::seconds;
use crate::ui::theme::{Text, Theme, Tone};
use crate::ui::widgets::Pen;

/// Of the first lane from the left edge.
const FIRST: f32 = 64.0;
const LAST: f32 = 50.0;
const LANE_MAX: f32 = 168.0;
/// Of the names of the lanes.
const HEAD: f32 = 36.0;
/// Of a character of a label.
const CHAR: f32 = 6.35;

/// What is drawn, and how far it has come.
pub struct Diagram<'a> {
    pub trace: &'a Trace,
    pub axis: &'a Axis,
    pub column: usize,
    /// Shown time.
    pub now: f64,
    /// How far it is scrolled back from where the cursor would have it.
    pub back: f32,
}

/// Where things stand.
struct Frame<'a> {
    diagram: &'a Diagram<'a>,
    theme: &'a Theme,
    rect: Rect,
    /// What is under the names of the lanes.
    below: Rect,
    spacing: f32,
    top: f32,
    cursor: f32,
}

impl Diagram<'_> {
    /// How far the diagram is scrolled: the cursor stays above the lower sixth.
    pub fn scroll(&self, rect: Rect) -> f32 {
        let room = rect.height() - HEAD;
        let follows = (self.axis.y(self.now) - room * 5.0 / 6.0).max(0.0);
        (follows - self.back).clamp(0.0, follows)
    }

    /// The shown time at a point.
    pub fn time_at(&self, rect: Rect, at: Pos2) -> f64 {
        self.axis.at(at.y - rect.min.y - HEAD + self.scroll(rect))
    }
}

fn name(lane: &Lane) -> String {
    actor_word(&lane.actor, lane.is_alone)
}

/// Paints it; gives the message under the pointer.
pub fn diagram_ui(ui: &mut Ui, theme: &Theme, rect: Rect, diagram: &Diagram<'_>) -> Option<String> {
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let lanes = diagram.trace.lanes.len().max(2) as f32;
    let room = (rect.width() - FIRST - LAST) / (lanes - 1.0);
    let top = rect.min.y + HEAD - diagram.scroll(rect);
    let below = Rect::from_min_max(pos2(rect.min.x, rect.min.y + HEAD - 8.0), rect.max);
    let frame = Frame {
        diagram,
        theme,
        rect,
        below,
        spacing: room.min(LANE_MAX),
        top,
        cursor: top + diagram.axis.y(diagram.now),
    };
    frame.lanes(&painter);
    let inner = painter.with_clip_rect(below.intersect(painter.clip_rect()));
    frame.times(&inner);
    frame.bars(&inner);
    for (message, placed) in frame.in_sight() {
        frame.message(&inner, message, placed);
    }
    frame.cursor_line(&inner);
    let pointer = ui.input(|input| input.pointer.hover_pos());
    pointer
        .filter(|at| below.contains(*at))
        .and_then(|at| frame.under(at))
}

impl Frame<'_> {
    fn x(&self, lane: usize) -> f32 {
        (self.rect.min.x + FIRST + self.spacing * lane as f32).round()
    }

    /// Words are drawn whole or not at all; lines go on under the edge.
    fn is_whole(&self, words: Rect) -> bool {
        words.min.y >= self.below.min.y && words.max.y <= self.below.max.y
    }

    fn placed(&self) -> &[Placed] {
        let columns = &self.diagram.axis.columns;
        columns.get(self.diagram.column).map_or(&[], Vec::as_slice)
    }

    /// Messages that have left by now and can be seen.
    fn in_sight(&self) -> impl Iterator<Item = (&Message, Placed)> {
        let (from, to) = (self.rect.min.y - 30.0, self.rect.max.y + 30.0);
        let placed = self.placed();
        // Heights grow: what is above is skipped at once.
        let first = placed.partition_point(|placed| self.top + placed.bottom < from);
        let messages = self.diagram.trace.messages.iter().zip(placed).skip(first);
        let now = self.diagram.now;
        messages
            .take_while(move |(_, placed)| placed.at <= now && self.top + placed.top <= to)
            .map(|(message, placed)| (message, *placed))
    }

    fn lanes(&self, painter: &Painter) {
        let pen = Pen::new(painter, self.theme);
        let (hair, strong) = (pen.hair(), self.theme.tokens().line.strong.0);
        let begin = self.rect.min.y + HEAD - 8.0;
        let until = self.cursor.clamp(begin, self.rect.max.y);
        // Many lanes stand close: their names stand in two lines where one has no room for them.
        let kind = if self.spacing < 72.0 {
            Text::Source
        } else {
            Text::Section
        };
        let names: Vec<String> = self.diagram.trace.lanes.iter().map(name).collect();
        let widest = names
            .iter()
            .map(|name| pen.galley(name, kind, Tone::Primary).size().x)
            .fold(0.0, f32::max);
        let is_crowded = widest + 6.0 > self.spacing;
        for (at, (lane, name)) in self.diagram.trace.lanes.iter().zip(&names).enumerate() {
            let x = self.x(at);
            let tone = if lane.takes_part {
                Tone::Primary
            } else {
                Tone::Tertiary
            };
            let y = match (is_crowded, at % 2) {
                (true, 0) => 9.0,
                (true, _) => 21.0,
                (false, _) => 16.0,
            };
            let top = pos2(x, self.rect.min.y + y);
            pen.text(top, Align2::CENTER_CENTER, name, kind, tone);
            pen.vline(x, begin..=until, strong);
            let dots = [pos2(x + 0.5, until + 4.0), pos2(x + 0.5, self.rect.max.y)];
            if until + 4.0 < self.rect.max.y {
                let stroke = Stroke::new(1.0, hair);
                painter.extend(Shape::dashed_line(&dots, stroke, 2.0, 4.0));
            }
        }
    }

    fn times(&self, painter: &Painter) {
        let pen = Pen::new(painter, self.theme);
        for (second, y) in self.diagram.axis.seconds() {
            let y = self.top + y;
            let line = Rect::from_center_size(pos2(self.rect.min.x, y), vec2(0.0, 14.0));
            // The cursor's own label covers what is near.
            let is_covered = y > self.cursor || (y - self.cursor).abs() < 18.0;
            if is_covered || !self.is_whole(line) {
                continue;
            }
            let at = pos2(self.rect.min.x + 10.0, y);
            let words = say!("lab-second", count = second);
            pen.text(
                at,
                Align2::LEFT_CENTER,
                &words,
                Text::MonoSmall,
                Tone::Tertiary,
            );
        }
    }

    fn bars(&self, painter: &Painter) {
        let tokens = self.theme.tokens();
        let stroke = Stroke::new(1.0, tokens.line.control.0);
        let placed = self.placed();
        for bar in &self.diagram.trace.bars {
            let Some(from) = placed.get(bar.from) else {
                continue;
            };
            if from.until > self.diagram.now {
                break;
            }
            let to = bar.to.and_then(|to| placed.get(to));
            let top = self.top + from.bottom - 2.0;
            let foot = to.map_or(f32::INFINITY, |to| self.top + to.top + 2.0);
            let foot = foot.min(self.cursor).max(top + 3.0);
            if foot < self.rect.min.y || top > self.rect.max.y {
                continue;
            }
            let x = self.x(bar.lane);
            let rect = Rect::from_min_max(pos2(x - 4.0, top), pos2(x + 4.0, foot));
            painter.rect_filled(rect, 1, tokens.line.strong.0);
            painter.rect_stroke(rect, 1, stroke, StrokeKind::Inside);
        }
    }

    fn message(&self, painter: &Painter, message: &Message, placed: Placed) {
        let trace = self.diagram.trace;
        let (Some(from), Some(to)) = (trace.lane(&message.from), trace.lane(&message.to)) else {
            return;
        };
        let start = pos2(self.x(from), self.top + placed.top);
        if message.kind == Kind::Mark {
            return self.mark(painter, message, start);
        }
        let way = self.way(message);
        let leave = start + vec2(way * beside(&message.from), 0.0);
        let reach = self.x(to) - way * beside(&message.to);
        let mut arrive = pos2(reach, self.top + placed.bottom);
        if message.kind == Kind::Lost {
            arrive.x = (start.x + arrive.x) / 2.0;
        }
        let span = (placed.until - placed.at).max(1.0);
        let share = ((self.diagram.now - placed.at) / span).clamp(0.0, 1.0) as f32;
        let end = leave + (arrive - leave) * share;
        let (stroke, tone) = self.pencil(message.kind);
        let is_answer = matches!(message.kind, Kind::Answer | Kind::Replay);
        if is_answer {
            painter.extend(Shape::dashed_line(&[leave, end], stroke, 4.0, 3.0));
        } else {
            painter.line_segment([leave, end], stroke);
        }
        if share < 1.0 {
            painter.circle_filled(end, 3.5, stroke.color);
        } else if message.kind == Kind::Lost {
            cross(painter, end, stroke.color);
        } else {
            painter.add(head(leave, end, stroke.color));
        }
        let slope = (arrive.y - leave.y) / (arrive.x - leave.x).abs().max(1.0);
        let half = ((arrive.x - leave.x).abs() / 2.0).min(self.spacing / 2.0);
        let middle = pos2(leave.x + way * half, leave.y + slope * half);
        if message.kind == Kind::Lost {
            let above = arrive - vec2(0.0, 7.0);
            self.label(painter, message, (above, Align2::CENTER_BOTTOM), tone);
        } else if is_answer {
            self.label(painter, message, (middle, Align2::CENTER_CENTER), tone);
        } else {
            let above = pos2(middle.x, leave.y - 1.0);
            self.label(painter, message, (above, Align2::CENTER_BOTTOM), tone);
        }
        if let Some(attempt) = message.attempt {
            self.disc(painter, start, attempt);
        }
    }

    fn pencil(&self, kind: Kind) -> (Stroke, Tone) {
        let strokes = &self.theme.common().stroke;
        let (width, tone) = match kind {
            Kind::Request => (strokes.arrow, Tone::Secondary),
            Kind::Answer => (strokes.arrow, Tone::Tertiary),
            Kind::Effect => (strokes.arrow_effect, Tone::Primary),
            Kind::Unwanted => (strokes.arrow_effect, Tone::Failed),
            Kind::Replay => (strokes.arrow, Tone::Accent),
            Kind::Lost | Kind::Mark => (strokes.arrow, Tone::Failed),
        };
        (Stroke::new(width, self.theme.tone(tone)), tone)
    }

    fn label(&self, painter: &Painter, message: &Message, at: (Pos2, Align2), tone: Tone) {
        let (at, anchor) = at;
        let pen = Pen::new(painter, self.theme);
        // Over more than one gap there is more room.
        let lanes = |actor| self.diagram.trace.lane(actor).unwrap_or_default();
        let gaps = lanes(&message.from).abs_diff(lanes(&message.to));
        let room = match (gaps > 1, anchor == Align2::CENTER_CENTER) {
            (true, _) => self.spacing * 1.3 - 8.0,
            // On the line of an answer something of the line stays to be seen.
            (false, true) => self.spacing - 28.0,
            (false, false) => self.spacing - 1.0,
        };
        let text = label(message, (room / CHAR).max(6.0) as usize);
        let galley = pen.galley(&text, Text::Diagram, tone);
        // What is longer than its gap does not begin before its message.
        let wide = (galley.size().x + 8.0 - self.spacing).max(0.0) / 2.0;
        let at = match gaps > 1 {
            true => at + vec2(wide * self.way(message), 0.0),
            false => at,
        };
        let at = self.beside_disc(message, at, galley.size().x);
        if !self.is_whole(anchor.anchor_size(at, galley.size())) {
            return;
        }
        if anchor == Align2::CENTER_CENTER {
            let ground = anchor
                .anchor_size(at, galley.size())
                .expand2(vec2(3.0, -1.0));
            painter.rect_filled(ground, 0, self.theme.tokens().surface.base.0);
        }
        let rect = pen.put(galley.clone(), at, anchor);
        // There is one weight of this font: written twice it is a bolder one.
        if matches!(message.kind, Kind::Effect | Kind::Unwanted) {
            let beside = pos2(rect.min.x.round() + 0.45, rect.min.y.round());
            painter.galley(beside, galley, Color32::PLACEHOLDER);
        }
    }

    fn way(&self, message: &Message) -> f32 {
        let lane = |actor| self.diagram.trace.lane(actor);
        if lane(&message.to) > lane(&message.from) {
            1.0
        } else {
            -1.0
        }
    }

    fn cursor_line(&self, painter: &Painter) {
        let color = self.theme.tokens().accent.solid.0;
        let pen = Pen::new(painter, self.theme);
        let y = self.cursor;
        pen.hline(self.rect.min.x + 4.0..=self.rect.max.x - 12.0, y, color);
        let label =
            Rect::from_center_size(pos2(self.rect.min.x + 26.0, y.round()), vec2(44.0, 18.0));
        let radius = self.theme.common().radius.mark;
        painter.rect_filled(label, radius, color);
        let now = seconds(self.diagram.now);
        let center = Align2::CENTER_CENTER;
        pen.text(
            label.center(),
            center,
            &now,
            Text::MonoSmall,
            Tone::OnAccent,
        );
    }

    /// What the message near a point says, whole.
    fn under(&self, at: Pos2) -> Option<String> {
        let trace = self.diagram.trace;
        let distance = |(message, placed): &(&Message, Placed)| {
            let from = self.x(trace.lane(&message.from)?);
            let to = self.x(trace.lane(&message.to)?);
            let is_beside = at.x < from.min(to) - 12.0 || at.x > from.max(to) + 12.0;
            let middle = self.top + (placed.top + placed.bottom) / 2.0;
            (!is_beside).then_some((middle - 3.0 - at.y).abs())
        };
        let all = self
            .in_sight()
            .filter_map(|found| Some((distance(&found)?, found.0)));
        let (off, message) = all.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (off < 10.0).then(|| whole(trace, message))
    }
}
