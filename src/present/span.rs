//! Ages and times left, in the narrow form of a column and the wider form of a sentence.
//!
//! Invariant: at most two units, and never a unit of zero after another one. What is left over is
//! dropped, not rounded, so that an age never says more than has passed.

use super::say::{Language, spoken};
use crate::domain::Duration;

/// `4s`, `19m`, `3h 12m`, `12d 4h`, `400d`; negative spans carry a minus sign.
pub fn column(span: Duration) -> String {
    match spoken() {
        Language::English => compose(span, &["d", "h", "m", "s"]),
        Language::Russian => compose(span, &["д", "ч", "м", "с"]),
    }
}

/// `4 s`, `19 min`, `3 h 12 min`, `12 d 4 h`, `400 d`; negative spans carry a minus sign.
pub fn sentence(span: Duration) -> String {
    match spoken() {
        Language::English => compose(span, &[" d", " h", " min", " s"]),
        Language::Russian => compose(span, &[" д", " ч", " мин", " с"]),
    }
}

/// `40 ms`, `4.8 s`, `3 min`: a span of milliseconds, of which the smallest matter.
pub fn short(ms: u64) -> String {
    let (milli, second) = match spoken() {
        Language::English => ("ms", "s"),
        Language::Russian => ("мс", "с"),
    };
    match ms {
        0..1_000 => format!("{ms} {milli}"),
        1_000..60_000 => {
            let text = format!("{:.1}", ms as f64 / 1_000.0);
            let text = text.strip_suffix(".0").unwrap_or(&text);
            format!("{text} {second}")
        }
        _ => sentence(Duration(i64::try_from(ms).unwrap_or(i64::MAX))),
    }
}

/// `90s`, `10m`, `24h`, `7d`: as it is typed, exact to the second.
pub fn typed(span: Duration) -> String {
    let secs = span.0 / 1000;
    for (unit, name) in [(86_400, "d"), (3600, "h"), (60, "m")] {
        if secs != 0 && secs % unit == 0 {
            return format!("{}{name}", secs / unit);
        }
    }
    format!("{secs}s")
}

/// The same, exact to the millisecond: `500ms`, `1.5s`.
pub fn typed_exact(span: Duration) -> String {
    match span.0 {
        whole if whole % 1000 == 0 => typed(span),
        part if (0..1000).contains(&part) => format!("{part}ms"),
        more => format!("{}s", more as f64 / 1000.0),
    }
}

fn compose(span: Duration, units: &[&str; 4]) -> String {
    let [d, h, m, s] = units;
    let secs = span.0.unsigned_abs() / 1000;
    let sign = if span.0 < 0 && secs > 0 {
        "\u{2212}"
    } else {
        ""
    };
    let (mins, hours, days) = (secs / 60, secs / 3600, secs / 86_400);
    if secs < 60 {
        return format!("{sign}{secs}{s}");
    }
    if mins < 60 {
        return format!("{sign}{mins}{m}");
    }
    let (big, unit, small, lesser) = if hours < 24 {
        (hours, h, mins % 60, m)
    } else if days < 100 {
        (days, d, hours % 24, h)
    } else {
        (days, d, 0, h)
    };
    match small {
        0 => format!("{sign}{big}{unit}"),
        _ => format!("{sign}{big}{unit} {small}{lesser}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(secs: i64, narrow: &str, wide: &str) {
        let span = Duration::secs(secs);
        assert_eq!(
            (column(span).as_str(), sentence(span).as_str()),
            (narrow, wide)
        );
    }

    #[test]
    fn spans_take_two_units_at_most() {
        check(0, "0s", "0 s");
        check(4, "4s", "4 s");
        check(19 * 60 + 59, "19m", "19 min");
        check(3 * 3600 + 12 * 60, "3h 12m", "3 h 12 min");
        check(3 * 3600, "3h", "3 h");
        check(12 * 86_400 + 4 * 3600, "12d 4h", "12 d 4 h");
        check(400 * 86_400 + 5 * 3600, "400d", "400 d");
        check(-90, "\u{2212}1m", "\u{2212}1 min");
    }

    #[test]
    fn what_is_typed_can_be_read_again() {
        for (secs, text) in [
            (90, "90s"),
            (600, "10m"),
            (86_400, "1d"),
            (172_800, "2d"),
            (0, "0s"),
        ] {
            assert_eq!(typed(Duration::secs(secs)), text);
            assert_eq!(Duration::parse(text), Some(Duration::secs(secs)));
        }
        for (ms, text) in [
            (500, "500ms"),
            (1_500, "1.5s"),
            (60_001, "60.001s"),
            (4_000, "4s"),
        ] {
            assert_eq!(typed_exact(Duration(ms)), text);
            assert_eq!(Duration::parse(text), Some(Duration(ms)));
        }
    }

    #[test]
    fn hostile_spans_do_not_panic() {
        assert!(column(Duration(i64::MIN)).ends_with('d'));
        assert!(sentence(Duration(i64::MAX)).ends_with(" d"));
        assert_eq!(column(Duration(-5)), "0s");
    }
}
