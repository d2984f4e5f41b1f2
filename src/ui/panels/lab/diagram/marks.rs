//! What stands on a lane: numbers of attempts, crashes, and other things that befell an actor.
//!
//! Apart from `diagram` because none of it goes from lane to lane.

use egui::{Align2, Painter, Pos2, Rect, Stroke, pos2, vec2};

use super::Frame;
use super::parts::cross;
use crate::app::view::lab::{Message, Says, label};
use crate::ui::theme::{Text, Tone};
use crate::ui::widgets::Pen;

/// Half of the number of an attempt.
const DISC: f32 = 8.5;

impl Frame<'_> {
    pub(super) fn mark(&self, painter: &Painter, message: &Message, at: Pos2) {
        let pen = Pen::new(painter, self.theme);
        let at = at + vec2(0.0, 4.0);
        let is_crash = message.says == Says::Crashed;
        let tone = if is_crash {
            Tone::Failed
        } else {
            Tone::Secondary
        };
        let color = self.theme.tone(tone);
        if is_crash {
            cross(painter, at, color);
        } else {
            painter.circle_filled(at, 3.0, color);
        }
        let text = label(message, 22);
        let side = at + vec2(9.0, 0.0);
        let galley = pen.galley(&text, Text::Diagram, tone);
        let ground = Align2::LEFT_CENTER.anchor_size(side, galley.size());
        if !self.is_whole(ground) {
            return;
        }
        painter.rect_filled(ground.expand(2.0), 0, self.theme.tokens().surface.base.0);
        pen.put(galley, side, Align2::LEFT_CENTER);
    }

    pub(super) fn disc(&self, painter: &Painter, at: Pos2, attempt: u32) {
        if !self.is_whole(Rect::from_center_size(at, vec2(2.0 * DISC, 2.0 * DISC))) {
            return;
        }
        let tokens = self.theme.tokens();
        painter.circle(
            at,
            DISC,
            tokens.surface.base.0,
            Stroke::new(1.0, tokens.text.secondary.0),
        );
        let pen = Pen::new(painter, self.theme);
        let number = attempt.to_string();
        pen.text(
            at,
            Align2::CENTER_CENTER,
            &number,
            Text::Source,
            Tone::Primary,
        );
    }

    /// Where lanes stand close a label keeps off the number of its attempt.
    pub(super) fn beside_disc(&self, message: &Message, at: Pos2, width: f32) -> Pos2 {
        let lane = self.diagram.trace.lane(&message.from);
        match (message.attempt, lane) {
            (Some(_), Some(lane)) => {
                let least = self.x(lane) + DISC + 2.0 + width / 2.0;
                pos2(at.x.max(least), at.y)
            }
            _ => at,
        }
    }
}
