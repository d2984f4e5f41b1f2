//! The time cursor: it plays, stands, and is moved.
//!
//! Apart from `lab` because it moves without anybody asking for it.

use crate::app::state::{Lab, Place, Speed, State};
use crate::domain::Timestamp;
use crate::lab::trace::{Fact, Placed};

/// A tick later than this is one after a pause of the window, not of the story.
const TICK_MAX_MS: i64 = 250;

/// Time has passed.
pub fn tick(state: &mut State) {
    let here = state.clock.here;
    let is_seen = state.view.place == Place::Lab;
    let lab = &mut state.lab;
    if !lab.cursor.is_playing {
        return;
    }
    let moved_at = lab.cursor.moved_at.replace(here).unwrap_or(here);
    if !is_seen {
        return;
    }
    let passed = moved_at.until(here).millis().clamp(0, TICK_MAX_MS) as f64;
    let edge = lab.edge(here);
    let to = lab.cursor.at + passed * lab.cursor.speed.factor();
    lab.cursor.at = to.min(edge.max(lab.cursor.at));
    if lab.has_ended() && lab.cursor.at >= edge {
        lab.cursor.is_playing = false;
    }
    refresh(lab);
}

pub fn play_pause(lab: &mut Lab, here: Timestamp) {
    lab.cursor.moved_at = Some(here);
    if lab.cursor.is_playing {
        lab.cursor.is_playing = false;
        return;
    }
    // From the beginning where it has come to its end.
    if lab.has_ended() && lab.cursor.at >= lab.axis.end() {
        lab.cursor.at = 0.0;
    }
    lab.cursor.is_playing = true;
    refresh(lab);
}

pub fn seek(lab: &mut Lab, at: f64, here: Timestamp) {
    lab.cursor.is_playing = false;
    let edge = lab.edge(here);
    lab.cursor.at = if at.is_finite() {
        at.clamp(0.0, edge)
    } else {
        edge
    };
    refresh(lab);
}

/// To where the next message has arrived, or the one before.
pub fn step(lab: &mut Lab, by: i64, here: Timestamp) {
    let shown = lab.shown_sides();
    let columns = lab.axis.columns.iter().enumerate();
    let columns = columns.filter(|(at, _)| shown.contains(at));
    let mut stops: Vec<f64> = columns
        .flat_map(|(_, placed)| placed.iter().map(|placed| placed.until))
        .collect();
    stops.sort_by(f64::total_cmp);
    stops.dedup_by(|a, b| (*a - *b).abs() < 1.0);
    let now = lab.cursor.at;
    let to = if by > 0 {
        stops.iter().find(|stop| **stop > now + 0.5).copied()
    } else {
        let before = stops.iter().rev().find(|stop| **stop < now - 0.5);
        Some(before.copied().unwrap_or(0.0))
    };
    seek(lab, to.unwrap_or(f64::INFINITY), here);
}

pub fn speed_by(lab: &mut Lab, by: i64) {
    let at = Speed::ALL
        .iter()
        .position(|speed| *speed == lab.cursor.speed);
    let to = at.unwrap_or_default() as i64 + by;
    let last = Speed::ALL.len() as i64 - 1;
    if let Some(speed) = Speed::ALL.get(to.clamp(0, last) as usize) {
        lab.cursor.speed = *speed;
    }
}

/// What is so where the cursor stands.
pub fn refresh(lab: &mut Lab) {
    let now = lab.cursor.at;
    let axis = lab.axis.clone();
    for (at, side) in lab.sides.iter_mut().enumerate() {
        let placed: &[Placed] = axis.columns.get(at).map_or(&[], Vec::as_slice);
        let is_known = |fact: &Fact| {
            let placed = placed.get(fact.message);
            placed.is_some_and(|placed| placed.until <= now)
        };
        let trace = side.trace.clone();
        side.moment.go_to(&trace, is_known);
    }
}
