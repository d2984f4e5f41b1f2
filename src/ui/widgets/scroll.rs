//! Where a list of any length is scrolled to, exact at any size.
//!
//! Apart from egui's scroll area because that counts points in 32 bits, which is too coarse from
//! some hundred thousand rows on.

/// The first row in sight and how far it is scrolled out, in rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scroll {
    pub top_row: u64,
    /// From 0 up to 1.
    pub fraction: f32,
}

impl Scroll {
    /// Moves by rows, which may be parts of one.
    pub fn by(&mut self, rows: f64) {
        let at = f64::from(self.fraction) + rows;
        let whole = at.floor();
        let top = self.top_row as i128 + whole as i128;
        if top < 0 {
            *self = Scroll::default();
        } else {
            self.top_row = u64::try_from(top).unwrap_or(u64::MAX);
            self.fraction = (at - whole) as f32;
        }
    }

    /// Keeps the last row at the foot at most.
    pub fn clamp(&mut self, rows: u64, in_sight: f32) {
        let whole = in_sight.floor();
        let room = rows as f64 - f64::from(in_sight);
        if room <= 0.0 {
            *self = Scroll::default();
            return;
        }
        let part = in_sight - whole;
        let (last_top, last_fraction) = if part > 0.0 {
            (rows.saturating_sub(whole as u64 + 1), 1.0 - part)
        } else {
            (rows.saturating_sub(whole as u64), 0.0)
        };
        if self.top_row > last_top || (self.top_row == last_top && self.fraction > last_fraction) {
            *self = Scroll {
                top_row: last_top,
                fraction: last_fraction,
            };
        }
    }

    /// Moves as little as shows a row whole.
    pub fn reveal(&mut self, row: u64, in_sight: f32) {
        let fits = in_sight.floor().max(1.0) as u64;
        if row < self.top_row || (row == self.top_row && self.fraction > 0.0) {
            *self = Scroll {
                top_row: row,
                fraction: 0.0,
            };
        } else if row >= self.top_row.saturating_add(fits) {
            *self = Scroll::default();
            self.by(row as f64 + 1.0 - f64::from(in_sight));
            // The float may be off by a fraction of a row far down.
            self.top_row = self.top_row.clamp(row.saturating_sub(fits), row);
        }
    }

    /// Which share of the way has been gone, from 0 to 1.
    pub fn share(&self, rows: u64, in_sight: f32) -> f64 {
        let room = (rows as f64 - f64::from(in_sight)).max(1.0);
        ((self.top_row as f64 + f64::from(self.fraction)) / room).clamp(0.0, 1.0)
    }

    pub fn to_share(&mut self, share: f64, rows: u64, in_sight: f32) {
        let room = (rows as f64 - f64::from(in_sight)).max(0.0);
        *self = Scroll::default();
        self.by(share.clamp(0.0, 1.0) * room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_steps_add_up_far_down() {
        let mut scroll = Scroll {
            top_row: 10_000_000,
            fraction: 0.0,
        };
        for _ in 0..30 {
            scroll.by(2.0 / 22.0);
        }
        let moved = (scroll.top_row - 10_000_000) as f32 + scroll.fraction;
        assert!((moved * 22.0 - 60.0).abs() < 0.01, "{moved}");
    }

    #[test]
    fn it_stops_at_both_ends() {
        let mut scroll = Scroll::default();
        scroll.by(-5.0);
        assert_eq!(scroll, Scroll::default());
        scroll.by(1e12);
        scroll.clamp(100, 10.5);
        assert_eq!((scroll.top_row, scroll.fraction), (89, 0.5));
        scroll.clamp(5, 10.5);
        assert_eq!(scroll, Scroll::default());
    }

    #[test]
    fn a_row_is_revealed_with_the_least_move() {
        let mut scroll = Scroll::default();
        scroll.reveal(5, 10.0);
        assert_eq!(scroll.top_row, 0);
        scroll.reveal(12, 10.0);
        assert_eq!((scroll.top_row, scroll.fraction), (3, 0.0));
        scroll.reveal(1, 10.0);
        assert_eq!(scroll.top_row, 1);
    }
}
