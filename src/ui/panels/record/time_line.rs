//! The time line of a record: to scale until now, broken beyond.

use crate::domain::{LockVerdict, Record, Timestamp};
use crate::present::clock::{self, Offset};
use crate::present::say::say;

#[derive(Clone, Debug, PartialEq)]
pub struct TimeLine {
    /// From left to right.
    pub points: Vec<Point>,
    /// From the left edge (0) to the right (1), with what it is.
    pub stretches: Vec<(f32, f32, Stretch)>,
    /// Where the line is broken, since what follows is not to scale.
    pub break_at: Option<f32>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub at: f32,
    pub word: String,
    pub time: String,
    pub kind: PointKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// A lock began.
    Locked,
    Start,
    Tick,
    Now,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    Live,
    Stuck,
    Done,
}

/// Where now stands when something lies ahead.
const NOW: f32 = 0.6;
const AHEAD: f32 = 0.8;

pub fn time_line(
    record: &Record,
    verdict: Option<LockVerdict>,
    now: Timestamp,
    offset: Offset,
) -> Option<TimeLine> {
    let locked = verdict.and_then(|verdict| verdict.start);
    let start = locked.or(record.created_at)?;
    if now <= start {
        return None;
    }
    let expiry = record.expiry();
    let lease = verdict.and_then(|verdict| verdict.lease_end);
    let done = record.completed_at.or(record.failed_at);
    let ahead = [expiry, lease].into_iter().flatten().any(|time| time > now);
    let now_at = if ahead { NOW } else { 1.0 };
    let whole = start.until(now).millis().max(1) as f64;
    let place = |time: Timestamp, beyond: f32| {
        if time > now {
            return beyond;
        }
        let share = start.until(time).millis() as f64 / whole;
        share.clamp(0.0, 1.0) as f32 * now_at
    };
    let point = |time: Timestamp, at: f32, word, kind| Point {
        at,
        word,
        time: clock::time_of_day(time, now, offset),
        kind,
    };
    let mut points = vec![match locked {
        Some(_) => point(start, 0.0, say!("line-locked"), PointKind::Locked),
        None => point(start, 0.0, say!("line-created"), PointKind::Start),
    }];
    let mut stretches = Vec::new();
    if let Some(lease) = lease {
        let at = place(lease, AHEAD);
        points.push(point(lease, at, lease_word(lease, now), PointKind::Tick));
        stretches.push((0.0, at.min(now_at), Stretch::Live));
        if lease < now {
            stretches.push((at, now_at, Stretch::Stuck));
        }
    } else if locked.is_some() {
        stretches.push((0.0, now_at, Stretch::Live));
    }
    if let Some(done) = done.filter(|done| *done >= start) {
        let at = place(done, AHEAD);
        let word = match record.completed_at {
            Some(_) => say!("line-completed"),
            None => say!("line-failed"),
        };
        points.push(point(done, at, word, PointKind::Tick));
        stretches.push((0.0, at, Stretch::Done));
    }
    points.push(point(now, now_at, say!("line-now"), PointKind::Now));
    if let Some(expiry) = expiry {
        let at = place(expiry, 1.0);
        points.push(point(expiry, at, expiry_word(expiry, now), PointKind::End));
    }
    points.sort_by(|a, b| a.at.total_cmp(&b.at));
    let broken = expiry.is_some_and(|expiry| expiry > now);
    Some(TimeLine {
        points,
        stretches,
        break_at: broken.then_some((NOW + 1.0) / 2.0),
    })
}

fn expiry_word(expiry: Timestamp, now: Timestamp) -> String {
    if expiry < now {
        say!("line-expired")
    } else {
        say!("line-expires")
    }
}

fn lease_word(lease: Timestamp, now: Timestamp) -> String {
    if lease > now {
        say!("line-lease-ends")
    } else {
        say!("line-lease-ended")
    }
}
