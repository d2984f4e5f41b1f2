//! Where each message stands: one time axis for all columns, long enough for the busiest.
//!
//! Messages of one moment are a few milliseconds apart, too near to be told apart. They are spread
//! out behind their beginning, as far as the next moment leaves room, in *shown* time; a moment
//! itself begins when it was measured. Shown time to height is piecewise linear.
//! Invariant: shown times and heights never run back.

use super::{Kind, Message};

/// Of a message, of one whose label stands over it after words that stand lower, and of one that
/// moves money.
const MESSAGE: f32 = 18.0;
const LABELLED: f32 = 24.0;
const BOLD: f32 = 28.0;
/// How far a message falls.
pub const FALL: f32 = 8.0;
const SECOND_QUIET: f32 = 40.0;
/// Of a longer silence each further second.
const SECOND_SILENT: f32 = 8.0;
const SILENCE_MAX: f32 = 130.0;
/// The axis begins a moment before the clients do.
const BEFORE: f64 = -1.0;
/// A moment that begins this long after a second has its label.
const NEAR_MS: f64 = 40.0;
/// Before the first message of a moment, for the number of its attempt.
const LEAD: f32 = 12.0;

/// Messages nearer than this are of one moment, unless it gets too long.
const APART_MS: u64 = 140;
const MOMENT_MAX_MS: u64 = 600;
/// Shown time of a message.
const EACH_MS: f64 = 85.0;

/// Shown time and height where a message leaves and where it arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Placed {
    pub at: f64,
    pub until: f64,
    pub top: f32,
    pub bottom: f32,
}

/// The axis of one or two columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Shown time in milliseconds, and height.
    knots: Vec<(f64, f32)>,
    /// By column, as its messages.
    pub columns: Vec<Vec<Placed>>,
}

/// A place in the messages of a column.
#[derive(Clone, Copy)]
struct Item {
    at_ms: u64,
    column: usize,
    message: usize,
    height: f32,
}

impl Axis {
    pub fn new(columns: &[&[Message]]) -> Axis {
        let mut items: Vec<Item> = Vec::new();
        for (column, messages) in columns.iter().enumerate() {
            let mut before = None;
            for (at, message) in messages.iter().enumerate() {
                items.push(Item {
                    at_ms: message.at_ms,
                    column,
                    message: at,
                    height: height(before, message.kind),
                });
                before = Some(message.kind);
            }
        }
        items.sort_by_key(|item| item.at_ms);
        let mut axis = Axis {
            knots: vec![(BEFORE, 0.0)],
            columns: columns
                .iter()
                .map(|m| vec![Placed::default(); m.len()])
                .collect(),
        };
        let moments = moments(&items);
        for (at, moment) in moments.iter().enumerate() {
            let next = moments.get(at + 1).and_then(|next| next.first());
            axis.place(moment, next.map(|next| next.at_ms as f64));
        }
        axis
    }

    fn place(&mut self, moment: &[Item], next: Option<f64>) {
        let (Some(first), Some(last)) = (moment.first(), moment.last()) else {
            return;
        };
        let (begin, top) = self.begin(first.at_ms as f64);
        let mut used = vec![(0.0_f32, 0_u32); self.columns.len()];
        for item in moment {
            if let Some((height, count)) = used.get_mut(item.column) {
                *height += item.height;
                *count += 1;
            }
        }
        let height = used.iter().map(|(height, _)| *height).fold(0.0, f32::max);
        let count = used.iter().map(|(_, count)| *count).max().unwrap_or(1);
        let real = last.at_ms as f64 - first.at_ms as f64;
        let room = next.map_or(f64::INFINITY, |next| (next - begin).max(1.0));
        let span = (f64::from(count) * EACH_MS).max(real).min(room);
        let mut filled = vec![0.0_f32; self.columns.len()];
        for item in moment {
            let Some(filled) = filled.get_mut(item.column) else {
                continue;
            };
            let leaves = *filled + item.height - MESSAGE;
            *filled += item.height;
            let when = |y: f32| begin + span * f64::from(y / height.max(1.0)).min(1.0);
            let placed = Placed {
                at: when(leaves),
                until: when(leaves + FALL),
                top: top + leaves,
                bottom: top + leaves + FALL,
            };
            let column = self.columns.get_mut(item.column);
            if let Some(slot) = column.and_then(|column| column.get_mut(item.message)) {
                *slot = placed;
            }
        }
        self.knots.push((begin + span, top + height));
    }

    /// Where a moment begins: after the silence before it.
    fn begin(&mut self, at: f64) -> (f64, f32) {
        let (before, y) = self.knots.last().copied().unwrap_or_default();
        let begin = at.max(before);
        let top = y + silence(begin - before) + LEAD;
        self.knots.push((begin, top));
        (begin, top)
    }

    /// The height of a shown time.
    pub fn y(&self, at: f64) -> f32 {
        let after = self.knots.partition_point(|(knot, _)| *knot <= at);
        let before = after.checked_sub(1).and_then(|at| self.knots.get(at));
        let (t0, y0) = before.copied().unwrap_or_default();
        match self.knots.get(after) {
            Some((t1, y1)) if *t1 > t0 => y0 + (y1 - y0) * ((at - t0) / (t1 - t0)) as f32,
            _ => y0 + silence((at - t0).max(0.0)),
        }
    }

    /// The shown time at a height.
    pub fn at(&self, y: f32) -> f64 {
        let after = self.knots.partition_point(|(_, knot)| *knot <= y);
        let before = after.checked_sub(1).and_then(|at| self.knots.get(at));
        let (t0, y0) = before.copied().unwrap_or_default();
        match self.knots.get(after) {
            Some((t1, y1)) if *y1 > y0 => t0 + (t1 - t0) * f64::from((y - y0) / (y1 - y0)),
            _ => t0,
        }
    }

    /// When everything has been shown.
    pub fn end(&self) -> f64 {
        self.knots.last().map_or(0.0, |(at, _)| at.max(0.0))
    }

    pub fn height(&self) -> f32 {
        self.knots.last().map_or(0.0, |(_, y)| *y)
    }

    /// Whole seconds with room for their label, and their heights.
    pub fn seconds(&self) -> Vec<(u64, f32)> {
        let mut seconds: Vec<(u64, f32)> = Vec::new();
        for second in 0..=(self.end() / 1000.0) as u64 {
            let at = second as f64 * 1000.0;
            let next = self.knots.partition_point(|(knot, _)| *knot < at);
            let next = self
                .knots
                .get(next)
                .filter(|(knot, _)| knot - at <= NEAR_MS);
            let y = next.map_or_else(|| self.y(at), |(_, y)| *y);
            if seconds.last().is_none_or(|(_, last)| y - last >= 26.0) {
                seconds.push((second, y));
            }
        }
        seconds
    }
}

fn height(before: Option<Kind>, kind: Kind) -> f32 {
    let has_words_below = |kind| matches!(kind, Kind::Answer | Kind::Replay | Kind::Mark);
    match kind {
        Kind::Effect | Kind::Unwanted => BOLD,
        Kind::Request | Kind::Lost if before.is_some_and(has_words_below) => LABELLED,
        _ => MESSAGE,
    }
}

/// The height of a silence.
fn silence(ms: f64) -> f32 {
    let seconds = (ms / 1000.0) as f32;
    let longer = (seconds - 1.0).max(0.0) * SECOND_SILENT;
    (seconds.min(1.0) * SECOND_QUIET + longer).min(SILENCE_MAX)
}

fn moments(items: &[Item]) -> Vec<Vec<Item>> {
    let mut moments: Vec<Vec<Item>> = Vec::new();
    for item in items {
        let fits = moments.last().is_some_and(|moment| {
            let first = moment.first().map_or(0, |first| first.at_ms);
            let last = moment.last().map_or(0, |last| last.at_ms);
            item.at_ms - last <= APART_MS && item.at_ms - first <= MOMENT_MAX_MS
        });
        match moments.last_mut() {
            Some(moment) if fits => moment.push(*item),
            _ => moments.push(vec![*item]),
        }
    }
    moments
}
