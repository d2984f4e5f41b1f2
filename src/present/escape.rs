//! Hostile text made visible: what cannot be seen becomes `<U+202E>`, and long text is cut.
//!
//! Pieces tell shown text and escapes apart, so that the window can set them apart: a text that
//! really holds `<U+202E>` looks different from one that holds the character.
//! Invariant: work is bounded by the room asked for, not by the length of the text.

use super::count;
use super::unicode::{Mark, is_invisible, mark};

/// A part of a text as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// As it stands.
    Plain(&'a str),
    /// A character that is named instead of shown.
    Escape(char),
    /// Something was left out here.
    Ellipsis,
    /// The whole text's size in bytes, at the end of one that was cut.
    Size(u64),
}

impl Piece<'_> {
    /// The piece as text.
    pub fn push_to(&self, text: &mut String) {
        match self {
            Piece::Plain(plain) => text.push_str(plain),
            Piece::Escape(c) => text.push_str(&escape_label(*c)),
            Piece::Ellipsis => text.push('…'),
            Piece::Size(size) => {
                text.push(' ');
                text.push_str(&count::bytes(*size));
            }
        }
    }
}

/// Whether a character is named instead of shown, wherever it stands.
pub fn is_escaped(c: char) -> bool {
    is_invisible(c)
}

/// `<U+202E>`.
pub fn escape_label(c: char) -> String {
    format!("<U+{:04X}>", u32::from(c))
}

/// The pieces as one text.
pub fn plain(pieces: &[Piece<'_>]) -> String {
    let mut text = String::new();
    for piece in pieces {
        piece.push_to(&mut text);
    }
    text
}

/// A text's pieces, in at most `max_chars` shown characters; one that is longer ends with `…` and
/// its size.
pub fn pieces(text: &str, max_chars: usize) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut room = max_chars;
    let mut units = Units::of(text);
    for unit in units.by_ref() {
        let width = unit.width();
        if width > room {
            pieces.push(Piece::Ellipsis);
            pieces.push(Piece::Size(text.len() as u64));
            return pieces;
        }
        room -= width;
        add(&mut pieces, text, &unit);
    }
    pieces
}

/// [`pieces`] as one text.
pub fn shown(text: &str, max_chars: usize) -> String {
    plain(&pieces(text, max_chars))
}

/// The whole text with its escapes, however long.
pub fn shown_whole(text: &str) -> String {
    shown(text, usize::MAX)
}

/// A text in at most `max_chars` shown characters, cut in the middle: three fifths of the room to
/// the front, `…`, the rest to the end. An escape is shown whole or not at all.
pub fn middle_cut(text: &str, max_chars: usize) -> Vec<Piece<'_>> {
    let mut room = max_chars;
    let fits = Units::of(text).all(|unit| {
        let fits = unit.width() <= room;
        room = room.saturating_sub(unit.width());
        fits
    });
    if fits {
        return pieces(text, max_chars);
    }
    let room = max_chars.saturating_sub(1);
    let front_room = room - room * 2 / 5;
    let mut pieces = Vec::new();
    let mut used = 0;
    let mut front_end = 0;
    for unit in Units::of(text) {
        if used + unit.width() > front_room {
            break;
        }
        used += unit.width();
        front_end = unit.start + unit.c.len_utf8();
        add(&mut pieces, text, &unit);
    }
    pieces.push(Piece::Ellipsis);
    let (tail, base) = tail_units(text, front_end, room - used);
    for unit in &tail {
        add(&mut pieces, base, unit);
    }
    pieces
}

/// The last units of a text that fit a room, and the text they count in.
fn tail_units(text: &str, from: usize, room: usize) -> (Vec<Unit>, &str) {
    let start = text
        .char_indices()
        .rev()
        .take(room)
        .map(|(at, _)| at)
        .take_while(|at| *at >= from)
        .last()
        .unwrap_or(text.len());
    let tail = text.get(start..).unwrap_or_default();
    let mut units: Vec<Unit> = Units::of(tail).collect();
    let mut width: usize = units.iter().map(Unit::width).sum();
    let mut dropped = 0;
    for unit in &units {
        if width <= room {
            break;
        }
        width -= unit.width();
        dropped += 1;
    }
    units.drain(..dropped);
    (units, tail)
}

/// Adds a unit, growing the last plain piece where it goes on.
fn add<'a>(pieces: &mut Vec<Piece<'a>>, text: &'a str, unit: &Unit) {
    if unit.escaped {
        pieces.push(Piece::Escape(unit.c));
        return;
    }
    let end = unit.start + unit.c.len_utf8();
    if let Some(Piece::Plain(last)) = pieces.last_mut() {
        let start = unit.start.saturating_sub(last.len());
        if let Some(longer) = text.get(start..end) {
            *last = longer;
            return;
        }
    }
    if let Some(plain) = text.get(unit.start..end) {
        pieces.push(Piece::Plain(plain));
    }
}

/// One character and whether it is named instead of shown.
struct Unit {
    start: usize,
    c: char,
    escaped: bool,
}

impl Unit {
    fn width(&self) -> usize {
        if !self.escaped {
            return 1;
        }
        let digits = (u32::from(self.c).checked_ilog(16).unwrap_or(0) + 1).max(4);
        digits as usize + 4
    }
}

struct Units<'a> {
    chars: std::str::CharIndices<'a>,
    /// Marks on the last base; a text that begins with a mark has none to carry it.
    marks: u32,
}

impl<'a> Units<'a> {
    fn of(text: &'a str) -> Units<'a> {
        Units {
            chars: text.char_indices(),
            marks: 2,
        }
    }
}

impl Iterator for Units<'_> {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        let (start, c) = self.chars.next()?;
        let escaped = match mark(c) {
            None => {
                let invisible = is_invisible(c);
                self.marks = if invisible { 2 } else { 0 };
                invisible
            }
            Some(kind) => {
                let most = match kind {
                    Mark::General => 1,
                    Mark::Script => 2,
                };
                let too_many = self.marks >= most || is_invisible(c);
                self.marks = self.marks.saturating_add(1);
                too_many
            }
        };
        Some(Unit { start, c, escaped })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_cannot_be_seen_is_named() {
        assert_eq!(shown_whole("user\u{202e}gpj.exe"), "user<U+202E>gpj.exe");
        assert_eq!(shown_whole("a\0\n\u{e0041}"), "a<U+0000><U+000A><U+E0041>");
        assert_eq!(
            pieces("ab\u{200b}c", 100),
            [
                Piece::Plain("ab"),
                Piece::Escape('\u{200b}'),
                Piece::Plain("c")
            ]
        );
    }

    #[test]
    fn marks_do_not_pile_up() {
        assert_eq!(shown_whole("e\u{301}"), "e\u{301}");
        assert_eq!(shown_whole("e\u{301}\u{302}"), "e\u{301}<U+0302>");
        assert_eq!(shown_whole("\u{301}x"), "<U+0301>x");
        assert_eq!(shown_whole("ที่"), "ที่", "a Thai letter carries two");
    }

    #[test]
    fn a_long_text_ends_with_its_size() {
        let long = "x".repeat(100_000);
        assert_eq!(shown(&long, 3), "xxx… 100 KB");
        assert_eq!(shown("ab\0", 5), "ab… 3 B", "no half escape");
    }

    #[test]
    fn keys_are_cut_in_the_middle() {
        let cut = |text, room| plain(&middle_cut(text, room));
        let key = "a8098c1a-f86e-11da-bd1a-00112444be1e";
        assert_eq!(cut(key, 36), key);
        assert_eq!(cut(key, 26), "a8098c1a-f86e-1…112444be1e");
        assert_eq!(cut("abcd\0efgh", 8), "abcd…fgh");
        assert_eq!(cut(key, 1), "…");
        assert_eq!(cut(key, 0), "…");
    }

    proptest! {
        #[test]
        fn no_text_panics_and_no_room_is_overrun(text in "\\PC*|[\\x00-\\u{1ff}\\u{202e}\\u{e0041}]*", room in 0_usize..40) {
            let whole = shown_whole(&text);
            prop_assert!(!whole.chars().any(is_invisible));
            let cut = middle_cut(&text, room);
            prop_assert!(plain(&cut).chars().count() <= room.max(1));
            let bounded = pieces(&text, room);
            let width: usize = bounded.iter().map(|piece| match piece {
                Piece::Plain(text) => text.chars().count(),
                Piece::Escape(c) => escape_label(*c).chars().count(),
                Piece::Ellipsis | Piece::Size(_) => 0,
            }).sum();
            prop_assert!(width <= room);
        }
    }
}
