//! Reads stored times in the units that libraries use.
//!
//! Bounds: a time outside the years 1970 to 9999 is no time but a problem.

use chrono::{DateTime, NaiveDate, NaiveDateTime};

use super::slot::Slot;
use crate::domain::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Unit {
    /// A typed time, or text that says its own form; a bare number is refused.
    #[default]
    Own,
    Seconds,
    Millis,
    Micros,
    /// Tenths of a microsecond since the year 1.
    Ticks,
    /// Text without a zone in the local time of whoever wrote it; read as UTC.
    Local,
    /// Text, or a number whose size says its unit.
    Auto,
}

impl Unit {
    pub fn named(name: &str) -> Option<Unit> {
        Some(match name {
            "own" | "iso" => Unit::Own,
            "s" => Unit::Seconds,
            "ms" => Unit::Millis,
            "us" => Unit::Micros,
            "ticks" => Unit::Ticks,
            "local" => Unit::Local,
            "auto" => Unit::Auto,
            _ => return None,
        })
    }
}

/// What a stored time turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    At(Timestamp),
    /// `infinity`: it never comes.
    Never,
    Absent,
    Bad,
}

/// 9999-12-31T23:59:59.999Z
const LAST_MS: i64 = 253_402_300_799_999;

pub fn read(slot: &Slot<'_>, unit: Unit) -> Time {
    match slot {
        Slot::Absent | Slot::Null | Slot::Unseen | Slot::Cut => Time::Absent,
        Slot::Time(i64::MAX) => Time::Never,
        Slot::Time(micros) => checked(Some(micros.div_euclid(1000))),
        Slot::Text(text) if text.is_empty() => Time::Absent,
        // How "not yet" is written where a column cannot be empty.
        Slot::Int(0) if unit == Unit::Auto => Time::Absent,
        Slot::Text(text) if matches!(unit, Unit::Own | Unit::Local) => {
            checked(from_text(text.trim()))
        }
        Slot::Text(text) if unit == Unit::Auto => match from_text(text.trim()) {
            None => checked(from_number(slot, unit)),
            millis => checked(millis),
        },
        Slot::Int(_) | Slot::Float(_) | Slot::Number(_) | Slot::Text(_) => {
            checked(from_number(slot, unit))
        }
        _ => Time::Bad,
    }
}

fn checked(millis: Option<i64>) -> Time {
    match millis {
        Some(millis) if (0..=LAST_MS).contains(&millis) => Time::At(Timestamp(millis)),
        _ => Time::Bad,
    }
}

fn from_number(slot: &Slot<'_>, unit: Unit) -> Option<i64> {
    let whole = slot.integer();
    match unit {
        Unit::Own | Unit::Local => None,
        Unit::Ticks => whole.and_then(|ticks| ticks.div_euclid(10_000).checked_sub(YEAR_1_MS)),
        Unit::Auto => {
            let number = slot.number().filter(|number| number.abs() >= AUTO_MIN)?;
            from_number(slot, unit_by_size(number))
        }
        Unit::Millis => whole.or_else(|| scaled(slot, 1.0)),
        Unit::Seconds => match whole {
            Some(secs) => secs.checked_mul(1000),
            None => scaled(slot, 1000.0),
        },
        Unit::Micros => whole
            .map(|micros| micros.div_euclid(1000))
            .or_else(|| scaled(slot, 0.001)),
    }
}

fn scaled(slot: &Slot<'_>, factor: f64) -> Option<i64> {
    let millis = (slot.number()? * factor).floor();
    (millis.abs() < 9.0e15).then_some(millis as i64)
}

/// Below it a number of unknown unit is a count of seconds to go or of tries, and no time: as
/// seconds it would lie before 1973.
const AUTO_MIN: f64 = 1.0e8;

/// From the year 1 to 1970.
const YEAR_1_MS: i64 = 62_135_596_800_000;

/// The unit in which a number is a time of this century or the next; the sizes lie far apart.
fn unit_by_size(number: f64) -> Unit {
    match number.abs() {
        size if size < 1.0e11 => Unit::Seconds,
        size if size < 1.0e14 => Unit::Millis,
        size if size < 1.0e17 => Unit::Micros,
        _ => Unit::Ticks,
    }
}

/// RFC 3339, or the forms SQL databases write; a time without a zone is UTC.
fn from_text(text: &str) -> Option<i64> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.timestamp_millis());
    }
    for form in ["%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M:%S%.f%#z"] {
        if let Ok(time) = DateTime::parse_from_str(text, form) {
            return Some(time.timestamp_millis());
        }
    }
    for form in ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f"] {
        if let Ok(time) = NaiveDateTime::parse_from_str(text, form) {
            return Some(time.and_utc().timestamp_millis());
        }
    }
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    Some(date.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(slot: Slot<'_>, unit: Unit, expected: Time) {
        assert_eq!(read(&slot, unit), expected, "{slot:?}");
    }

    const AT: Time = Time::At(Timestamp(1_795_953_600_500));

    #[test]
    fn numbers_have_the_unit_the_layout_says() {
        check(Slot::Number("1795953600500".into()), Unit::Millis, AT);
        check(Slot::Number("1795953600.5".into()), Unit::Seconds, AT);
        check(Slot::Text("1795953600500123".into()), Unit::Micros, AT);
        check(Slot::Int(1_795_953_600_500), Unit::Own, Time::Bad);
    }

    #[test]
    fn other_units() {
        let ticks = Slot::Text("639315504005000000".into());
        check(ticks.clone(), Unit::Ticks, AT);
        check(ticks, Unit::Auto, AT);
        check(Slot::Text("-1".into()), Unit::Ticks, Time::Bad);
        check(
            Slot::Text("2026-11-29 12:00:00.500".into()),
            Unit::Local,
            AT,
        );
        check(Slot::Number("1795953600.5".into()), Unit::Auto, AT);
        check(Slot::Int(1_795_953_600_500), Unit::Auto, AT);
        check(Slot::Text("2026-11-29T12:00:00.5Z".into()), Unit::Auto, AT);
    }

    #[test]
    fn text_says_its_own_form() {
        check(
            Slot::Text("2026-11-29T12:00:00.500+00:00".into()),
            Unit::Own,
            AT,
        );
        check(
            Slot::Text("2026-11-29T14:00:00.5+02:00".into()),
            Unit::Own,
            AT,
        );
        check(Slot::Text("2026-11-29 12:00:00.5".into()), Unit::Own, AT);
        check(Slot::Text("2026-11-29 12:00:00.5+00".into()), Unit::Own, AT);
        check(Slot::Text("yesterday".into()), Unit::Own, Time::Bad);
    }

    #[test]
    fn hostile_times_are_told_apart() {
        check(Slot::Time(i64::MAX), Unit::Own, Time::Never);
        check(Slot::Time(i64::MIN), Unit::Own, Time::Bad);
        check(Slot::Int(i64::MAX), Unit::Seconds, Time::Bad);
        check(Slot::Number("1e300".into()), Unit::Seconds, Time::Bad);
        check(Slot::Int(-5), Unit::Seconds, Time::Bad);
        check(Slot::Int(3600), Unit::Auto, Time::Bad);
        check(Slot::Text("2026".into()), Unit::Auto, Time::Bad);
        check(Slot::Int(0), Unit::Auto, Time::Absent);
        check(Slot::Text("".into()), Unit::Seconds, Time::Absent);
    }
}
