//! Counts, sizes and shares as text.
//!
//! Invariant: short counts are cut, not rounded, so that "so far" never says too much.

use super::say::{Language, spoken};

/// Which font the text is set in; it decides the mark between groups of three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Font {
    /// Inter has the narrow space U+202F.
    Text,
    /// JetBrains Mono has only U+00A0.
    Mono,
}

impl Font {
    pub fn separator(self) -> char {
        match self {
            Font::Text => '\u{202f}',
            Font::Mono => '\u{a0}',
        }
    }
}

/// `48 211`, in groups of three.
pub fn grouped(count: u64, font: Font) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len());
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(font.separator());
        }
        text.push(digit);
    }
    text
}

/// `312`, `9 999` (grouped), `48.2 k`, `312 k`, `1.21 M`: three digits and a unit.
pub fn short(count: u64, font: Font) -> String {
    if count < 10_000 {
        return grouped(count, font);
    }
    let (unit, name) = match count {
        0..1_000_000 => (1_000, "k"),
        1_000_000..1_000_000_000 => (1_000_000, "M"),
        _ => (1_000_000_000, "G"),
    };
    let whole = count / unit;
    let hundredths = count % unit * 100 / unit;
    match whole {
        0..10 => format!("{whole}.{hundredths:02} {name}"),
        10..100 => format!("{whole}.{} {name}", hundredths / 10),
        _ => format!("{} {name}", grouped(whole, font)),
    }
}

/// `214 B`, `1.4 KB`, `3.2 MB`, `100 KB`: powers of 1000.
pub fn bytes(size: u64) -> String {
    let (byte, units) = match spoken() {
        Language::English => ("B", ["KB", "MB", "GB", "TB", "PB", "EB"]),
        Language::Russian => ("Б", ["КБ", "МБ", "ГБ", "ТБ", "ПБ", "ЭБ"]),
    };
    if size < 1000 {
        return format!("{size} {byte}");
    }
    // Tenths of the unit; rounded once, from the exact number.
    let mut unit = 1000_u128;
    for name in units {
        let tenths = (u128::from(size) * 10 + unit / 2) / unit;
        if tenths < 100 {
            return format!("{}.{} {name}", tenths / 10, tenths % 10);
        }
        let whole = (u128::from(size) + unit / 2) / unit;
        if whole < 1000 {
            return format!("{whole} {name}");
        }
        unit *= 1000;
    }
    format!("{size} {byte}")
}

/// `29.1 %`; `None` of nothing.
pub fn share(part: u64, whole: u64) -> Option<String> {
    if whole == 0 {
        return None;
    }
    let tenths = (u128::from(part) * 1000 + u128::from(whole) / 2) / u128::from(whole);
    Some(format!("{}.{} %", tenths / 10, tenths % 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_in_threes() {
        assert_eq!(grouped(211, Font::Text), "211");
        assert_eq!(grouped(48_211, Font::Text), "48\u{202f}211");
        assert_eq!(grouped(1_248_211, Font::Mono), "1\u{a0}248\u{a0}211");
    }

    #[test]
    fn short_counts_have_three_digits() {
        assert_eq!(short(9_999, Font::Mono), "9\u{a0}999");
        assert_eq!(short(48_211, Font::Text), "48.2 k");
        assert_eq!(short(312_480, Font::Text), "312 k");
        assert_eq!(short(999_999, Font::Text), "999 k");
        assert_eq!(short(1_214_000, Font::Text), "1.21 M");
        assert_eq!(short(u64::MAX, Font::Text).chars().last(), Some('G'));
    }

    #[test]
    fn sizes_are_in_powers_of_1000() {
        assert_eq!(bytes(214), "214 B");
        assert_eq!(bytes(1_400), "1.4 KB");
        assert_eq!(bytes(9_960), "10 KB");
        assert_eq!(bytes(100_000), "100 KB");
        assert_eq!(bytes(999_999), "1.0 MB");
        assert_eq!(bytes(3_200_000), "3.2 MB");
        assert_eq!(bytes(u64::MAX), "18 EB");
    }

    #[test]
    fn shares_have_one_decimal() {
        assert_eq!(share(291, 1000).as_deref(), Some("29.1 %"));
        assert_eq!(share(1, 0), None);
    }
}
