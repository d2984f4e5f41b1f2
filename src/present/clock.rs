//! Points in time as text: ISO 8601 in UTC, and local by an offset that is handed in.
//!
//! Apart from `chrono` because any stored number must have a text, and the machine's zone is not
//! asked here.

use super::say::{Language, spoken};
use crate::domain::Timestamp;

const DAY_MS: i64 = 86_400_000;
const MONTHS_RUSSIAN: [&str; 12] = [
    "янв", "фев", "мар", "апр", "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек",
];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Minutes east of UTC; more than a day is taken for a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Offset {
    minutes: i32,
}

impl Offset {
    pub const UTC: Offset = Offset { minutes: 0 };

    pub fn minutes(minutes: i32) -> Offset {
        Offset {
            minutes: minutes.clamp(-1439, 1439),
        }
    }

    pub fn whole_minutes(self) -> i32 {
        self.minutes
    }

    fn shift(self, time: Timestamp) -> Timestamp {
        Timestamp(time.0.saturating_add(i64::from(self.minutes) * 60_000))
    }
}

/// `2026-11-29T12:48:02.123Z`.
pub fn iso_utc(time: Timestamp) -> String {
    format!("{}Z", Parts::of(time).iso())
}

/// `2026-11-29T13:48:02.123+01:00`.
pub fn iso_local(time: Timestamp, offset: Offset) -> String {
    let sign = if offset.minutes < 0 { '-' } else { '+' };
    let minutes = offset.minutes.abs();
    let iso = Parts::of(offset.shift(time)).iso();
    format!("{iso}{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// `12:48:02`, with the day in front when it is not today: `30 Nov 12:48:02`, and with the year
/// when it is another one.
pub fn time_of_day(time: Timestamp, now: Timestamp, offset: Offset) -> String {
    let (then, today) = (Parts::of(offset.shift(time)), Parts::of(offset.shift(now)));
    let clock = format!("{:02}:{:02}:{:02}", then.hour, then.minute, then.second);
    if (then.year, then.month, then.day) == (today.year, today.month, today.day) {
        return clock;
    }
    let months = match spoken() {
        Language::English => MONTHS,
        Language::Russian => MONTHS_RUSSIAN,
    };
    let month = months.get(then.month as usize - 1).copied().unwrap_or("?");
    if then.year == today.year {
        return format!("{} {month} {clock}", then.day);
    }
    format!("{} {month} {} {clock}", then.day, then.year)
}

struct Parts {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    milli: i64,
}

impl Parts {
    /// The proleptic Gregorian calendar, in which 400 years have 146 097 days.
    fn of(time: Timestamp) -> Parts {
        let (days, ms) = (time.0.div_euclid(DAY_MS), time.0.rem_euclid(DAY_MS));
        // Days since 1 March of year 0, so that a leap day is the last of its year.
        let shifted = days + 719_468;
        let (era, in_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
        let in_year = in_era - (365 * year + year / 4 - year / 100);
        let from_march = (5 * in_year + 2) / 153;
        let month = if from_march < 10 {
            from_march + 3
        } else {
            from_march - 9
        };
        Parts {
            year: year + era * 400 + i64::from(month <= 2),
            month,
            day: in_year - (153 * from_march + 2) / 5 + 1,
            hour: ms / 3_600_000,
            minute: ms / 60_000 % 60,
            second: ms / 1000 % 60,
            milli: ms % 1000,
        }
    }

    fn iso(&self) -> String {
        let year = match self.year {
            0..=9999 => format!("{:04}", self.year),
            far => format!("{far:+07}"),
        };
        format!(
            "{year}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}",
            self.month, self.day, self.hour, self.minute, self.second, self.milli
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Timestamp = Timestamp(1_795_956_482_123);

    #[test]
    fn utc_is_iso_8601() {
        assert_eq!(iso_utc(TIME), "2026-11-29T12:48:02.123Z");
        assert_eq!(iso_utc(Timestamp(0)), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso_utc(Timestamp(-1)), "1969-12-31T23:59:59.999Z");
        assert_eq!(
            iso_utc(Timestamp(951_782_400_000)),
            "2000-02-29T00:00:00.000Z"
        );
    }

    #[test]
    fn local_times_carry_their_offset() {
        assert_eq!(
            iso_local(TIME, Offset::minutes(60)),
            "2026-11-29T13:48:02.123+01:00"
        );
        assert_eq!(
            iso_local(TIME, Offset::minutes(-330)),
            "2026-11-29T07:18:02.123-05:30"
        );
    }

    #[test]
    fn another_day_is_named() {
        assert_eq!(time_of_day(TIME, TIME, Offset::UTC), "12:48:02");
        let tomorrow = Timestamp(TIME.0 + DAY_MS);
        assert_eq!(time_of_day(TIME, tomorrow, Offset::UTC), "29 Nov 12:48:02");
        assert_eq!(
            time_of_day(Timestamp(0), TIME, Offset::UTC),
            "1 Jan 1970 00:00:00"
        );
    }

    #[test]
    fn any_number_has_a_text() {
        for time in [i64::MIN, i64::MAX] {
            assert!(iso_local(Timestamp(time), Offset::minutes(i32::MAX)).contains('T'));
        }
    }
}
