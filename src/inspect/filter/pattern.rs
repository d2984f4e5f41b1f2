//! How a text of the filter is compared with a text of a record.
//!
//! Invariant: texts to compare come in ASCII lower case; comparing allocates nothing.

use memchr::memmem::Finder;

use crate::inspect::catalogue::{Packed, hex_digits};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Whole,
    Beginning,
    /// The whole path, or a beginning that ends at a `/`.
    Path,
    Part,
}

/// Whether `*` and `?` are wildcards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    Bare,
    Quoted,
}

#[derive(Clone, Debug)]
pub struct Pattern {
    mode: Mode,
    needle: Vec<u8>,
    finder: Option<Finder<'static>>,
    glob: bool,
}

impl Pattern {
    pub fn new(text: &str, mode: Mode, quoting: Quoting) -> Pattern {
        let mut needle = text.to_ascii_lowercase().into_bytes();
        let glob = quoting == Quoting::Bare && needle.iter().any(|b| matches!(b, b'*' | b'?'));
        if glob && mode == Mode::Part {
            needle.insert(0, b'*');
            needle.push(b'*');
        }
        let finder = (mode == Mode::Part && !glob).then(|| Finder::new(&needle).into_owned());
        Pattern {
            mode,
            needle,
            finder,
            glob,
        }
    }

    /// Whether one of several texts fits, in lower case and with a zero byte between them.
    pub fn fits_one_of(&self, texts: &[u8]) -> bool {
        if self.glob {
            return texts.split(|byte| *byte == 0).any(|text| self.fits(text));
        }
        self.fits(texts)
    }

    /// Whether a text in lower case fits.
    pub fn fits(&self, text: &[u8]) -> bool {
        if self.glob {
            return glob(&self.needle, text);
        }
        match self.mode {
            Mode::Whole => text == self.needle,
            Mode::Beginning => text.starts_with(&self.needle),
            Mode::Path => match text.strip_prefix(self.needle.as_slice()) {
                Some(rest) => {
                    rest.is_empty() || rest.starts_with(b"/") || self.needle.ends_with(b"/")
                }
                None => false,
            },
            Mode::Part => self
                .finder
                .as_ref()
                .is_some_and(|finder| finder.find(text).is_some()),
        }
    }

    /// Whether a text of any case fits; `room` is used again from call to call.
    pub fn fits_any_case(&self, text: &str, room: &mut Vec<u8>) -> bool {
        room.clear();
        room.extend_from_slice(text.as_bytes());
        room.make_ascii_lowercase();
        self.fits(room)
    }

    pub fn fits_packed(&self, text: &Packed<'_>, room: &mut Vec<u8>) -> bool {
        if self.mode == Mode::Beginning && !self.glob {
            match text {
                Packed::Uuid(bytes) => return uuid_begins(bytes, &self.needle),
                Packed::Hex(bytes) => return hex_begins(bytes, &self.needle),
                Packed::Text(_) => {}
            }
        }
        room.clear();
        text.push_to(room);
        room.make_ascii_lowercase();
        self.fits(room)
    }
}

fn hex_begins(bytes: &[u8], needle: &[u8]) -> bool {
    needle.len() <= bytes.len() * 2
        && needle
            .chunks(2)
            .zip(bytes)
            .all(|(digits, byte)| hex_digits(*byte).starts_with(digits))
}

fn uuid_begins(bytes: &[u8; 16], needle: &[u8]) -> bool {
    let digits = bytes.iter().enumerate().flat_map(|(at, byte)| {
        let [high, low] = hex_digits(*byte);
        let hyphen = matches!(at, 4 | 6 | 8 | 10).then_some(b'-');
        hyphen.into_iter().chain([high, low])
    });
    needle.len() <= 36
        && needle
            .iter()
            .zip(digits)
            .all(|(wanted, digit)| *wanted == digit)
}

/// `*` is any text, `?` one character. Going back is only ever to the last `*`.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p + 1, t));
                p += 1;
            }
            Some(b'?') => {
                p += 1;
                t = next_char(text, t);
            }
            Some(byte) if text.get(t) == Some(byte) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((after, from)) => {
                    let from = next_char(text, from);
                    star = Some((after, from));
                    (p, t) = (after, from);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|byte| *byte == b'*')
}

fn next_char(text: &[u8], at: usize) -> usize {
    let rest = text.iter().skip(at + 1);
    at + 1 + rest.take_while(|byte| **byte & 0xc0 == 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mode: Mode, pattern: &str, text: &str, expected: bool) {
        let pattern = Pattern::new(pattern, mode, Quoting::Bare);
        let mut room = Vec::new();
        assert_eq!(pattern.fits_any_case(text, &mut room), expected, "{text:?}");
    }

    #[test]
    fn each_mode_compares_in_its_way() {
        check(Mode::Whole, "user_42", "USER_42", true);
        check(Mode::Whole, "user_4", "user_42", false);
        check(Mode::Beginning, "a80", "A8098c", true);
        check(Mode::Path, "/payments", "/payments", true);
        check(Mode::Path, "/payments", "/payments/7/capture", true);
        check(Mode::Path, "/payments", "/payments-old", false);
        check(Mode::Path, "/v1/", "/v1/refunds", true);
        check(Mode::Part, "ower", "powertools", true);
        check(Mode::Part, "", "", true);
    }

    #[test]
    fn wildcards_stand_for_the_whole_text() {
        check(Mode::Beginning, "a80*1e", "a8098c1e", true);
        check(Mode::Beginning, "a80*1", "a8098c1e", false);
        check(Mode::Whole, "us?r", "usér", true);
        check(Mode::Part, "a*c", "xxaabbccxx", true);
        check(Mode::Whole, "*a*b*c*d*e", &"abcd".repeat(500), false);
        let quoted = Pattern::new("a*", Mode::Whole, Quoting::Quoted);
        assert!(quoted.fits(b"a*") && !quoted.fits(b"ab"));
    }

    #[test]
    fn packed_texts_compare_like_their_text() {
        let bytes: [u8; 16] = std::array::from_fn(|at| (at * 17) as u8);
        let packed = Packed::Uuid(&bytes);
        let text = packed.text();
        for end in 0..=text.len() {
            let pattern = Pattern::new(&text[..end], Mode::Beginning, Quoting::Bare);
            assert!(pattern.fits_packed(&packed, &mut Vec::new()), "{end}");
        }
        let mut room = Vec::new();
        let fits = |needle: &str, text: Packed<'_>, room: &mut Vec<u8>| {
            Pattern::new(needle, Mode::Beginning, Quoting::Bare).fits_packed(&text, room)
        };
        assert!(!fits("0011-", packed, &mut room));
        assert!(fits("001", Packed::Hex(&bytes), &mut room));
        assert!(!fits("0012", Packed::Hex(&bytes), &mut room));
        assert!(!fits(&"0".repeat(99), Packed::Hex(&[0; 16]), &mut room));
    }
}
