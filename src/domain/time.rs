//! Points in time and spans, in whole milliseconds by the store's clock.
//!
//! Apart from `chrono` because stored numbers are hostile: every operation here saturates.

/// Milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

/// A span in milliseconds; negative where something lies in the future.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(pub i64);

impl Timestamp {
    pub fn millis(self) -> i64 {
        self.0
    }

    /// How long before `later` this was; negative when it lies after.
    pub fn until(self, later: Timestamp) -> Duration {
        Duration(later.0.saturating_sub(self.0))
    }

    pub fn plus(self, span: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(span.0))
    }

    pub fn minus(self, span: Duration) -> Timestamp {
        Timestamp(self.0.saturating_sub(span.0))
    }
}

impl Duration {
    pub const ZERO: Duration = Duration(0);

    pub fn secs(secs: i64) -> Duration {
        Duration(secs.saturating_mul(1000))
    }

    pub fn millis(self) -> i64 {
        self.0
    }

    /// Reads `90s`, `10m`, `24h`, `7d`, `250ms`, or a bare number of seconds.
    ///
    /// Errors: anything else, and spans that do not fit, give `None`.
    pub fn parse(text: &str) -> Option<Duration> {
        let text = text.trim();
        let digits = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let factor = match unit.trim() {
            "ms" => 1.0,
            "" | "s" | "sec" | "secs" => 1000.0,
            "m" | "min" | "mins" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            "w" => 604_800_000.0,
            _ => return None,
        };
        let millis = number.parse::<f64>().ok()? * factor;
        (millis.is_finite() && millis < 9.0e15).then_some(Duration(millis.round() as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<i64>) {
        assert_eq!(
            Duration::parse(text).map(Duration::millis),
            expected,
            "{text:?}"
        );
    }

    #[test]
    fn spans_are_read_with_their_units() {
        check("90s", Some(90_000));
        check("10m", Some(600_000));
        check("24h", Some(86_400_000));
        check("1.5h", Some(5_400_000));
        check("250ms", Some(250));
        check("60", Some(60_000));
    }

    #[test]
    fn nonsense_is_no_span() {
        check("", None);
        check("h", None);
        check("10 parsecs", None);
        check("999999999999999999999d", None);
        check("-5s", None);
    }

    #[test]
    fn hostile_numbers_saturate() {
        assert_eq!(Timestamp(i64::MAX).plus(Duration(5)), Timestamp(i64::MAX));
        assert_eq!(
            Timestamp(i64::MIN).until(Timestamp(i64::MAX)),
            Duration(i64::MAX)
        );
    }
}
