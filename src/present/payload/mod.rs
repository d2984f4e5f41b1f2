//! A stored payload as lines of a width: as a tree, as text, as bytes.
//!
//! Apart from the window because laying out sixteen megabytes takes longer than a frame: a worker
//! makes a [`Sheet`], the window shows the lines in sight.
//! Bound: a sheet holds the payload once and a few bytes for each line; a line is worked out when
//! it is shown. What is beyond the bounds is named by its size.

mod tree;

use std::ops::Range;

use serde_json::Value;

use super::{count, escape};
pub use tree::TreeLine;

/// A payload beyond this is cut, with its size at the end.
pub const BYTES_MAX: usize = 16 << 20;
pub const LINES_MAX: usize = 2_000_000;
/// A text in a line of a tree is cut at this.
const VALUE_CHARS: usize = 300;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Form {
    #[default]
    Tree,
    Text,
    Hex,
}

impl Form {
    pub const ALL: [Form; 3] = [Form::Tree, Form::Text, Form::Hex];
}

/// A payload laid out.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    text: String,
    /// In the place of the text.
    bytes: Vec<u8>,
    lines: Lines,
    /// Said after the last line: the payload is longer.
    rest: Option<String>,
    /// Lines that stand before the payload: a status, headers.
    head: Vec<String>,
}

#[derive(Clone, Debug)]
enum Lines {
    Tree(Vec<TreeLine>),
    /// Where each line begins and ends.
    Text(Vec<Range<u32>>),
    Hex {
        per_line: usize,
    },
}

impl Default for Lines {
    fn default() -> Lines {
        Lines::Text(Vec::new())
    }
}

/// A line in sight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    pub depth: usize,
    pub text: String,
    /// The line that closes what this one opens.
    pub closes_at: Option<usize>,
}

impl Sheet {
    /// A tree where the text is JSON; nothing where it is not.
    pub fn tree(text: &str) -> Option<Sheet> {
        if text.len() > BYTES_MAX {
            return None;
        }
        let lines = tree::lines(text)?;
        Some(Sheet {
            text: text.to_owned(),
            lines: Lines::Tree(lines),
            ..Sheet::default()
        })
    }

    /// Lines of at most so many shown characters.
    pub fn text(text: &str, chars: usize) -> Sheet {
        let (kept, rest) = bounded(text);
        let (lines, whole) = wrapped(kept, chars.max(8));
        let is_cut = rest || !whole;
        Sheet {
            text: kept.to_owned(),
            lines: Lines::Text(lines),
            rest: is_cut.then(|| size(text.len())),
            ..Sheet::default()
        }
    }

    /// Bytes as hex, sixteen or eight in a line.
    pub fn hex(mut bytes: Vec<u8>, chars: usize) -> Sheet {
        let whole = bytes.len();
        bytes.truncate(BYTES_MAX);
        Sheet {
            lines: Lines::Hex {
                per_line: if chars >= 10 + 16 * 4 { 16 } else { 8 },
            },
            rest: (whole > BYTES_MAX).then(|| size(whole)),
            bytes,
            ..Sheet::default()
        }
    }

    /// With lines in front of it.
    pub fn headed(mut self, head: Vec<String>) -> Sheet {
        self.head = head;
        self
    }

    pub fn lines(&self) -> usize {
        self.head.len() + self.body_lines() + usize::from(self.rest.is_some())
    }

    fn body_lines(&self) -> usize {
        match &self.lines {
            Lines::Tree(lines) => lines.len(),
            Lines::Text(lines) => lines.len(),
            Lines::Hex { per_line } => self.bytes.len().div_ceil(*per_line),
        }
    }

    /// The line at a place; empty past the end.
    pub fn line(&self, at: usize) -> Line {
        if let Some(text) = self.head.get(at) {
            return Line {
                text: text.clone(),
                ..Line::default()
            };
        }
        let at = at - self.head.len();
        if at >= self.body_lines() {
            return Line {
                text: self.rest.clone().unwrap_or_default(),
                ..Line::default()
            };
        }
        match &self.lines {
            Lines::Tree(lines) => self.tree_line(lines, at),
            Lines::Text(lines) => {
                let part = lines.get(at).cloned().unwrap_or_default();
                let text = self.text.get(part.start as usize..part.end as usize);
                let text = text.unwrap_or_default().trim_end_matches('\r');
                Line {
                    text: escape::shown_whole(text),
                    ..Line::default()
                }
            }
            Lines::Hex { per_line } => Line {
                text: hex_line(&self.bytes, at, *per_line),
                ..Line::default()
            },
        }
    }

    fn tree_line(&self, lines: &[TreeLine], at: usize) -> Line {
        let Some(line) = lines.get(at) else {
            return Line::default();
        };
        let text = self.text.get(line.start as usize..line.end as usize);
        let text = tree::spaced(text.unwrap_or_default());
        Line {
            depth: usize::from(line.depth),
            text: escape::shown(&text, VALUE_CHARS),
            closes_at: (line.closes_at > 0).then(|| line.closes_at as usize + self.head.len()),
        }
    }
}

/// A stored value as text; JSON in the texts of its members stands as JSON. Nothing of nothing.
pub fn stored_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| {
                let name = Value::from(name.as_str());
                format!("{name}:{}", opened(value))
            });
            Some(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
        }
        value => Some(value.to_string()),
    }
}

/// JSON in a text stands as JSON; anything else as a JSON value.
fn opened(value: &Value) -> String {
    match value {
        Value::String(text) if is_json(text) => text.clone(),
        value => value.to_string(),
    }
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
        && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// As much as is kept of a text, and whether there is more.
fn bounded(text: &str) -> (&str, bool) {
    let mut end = text.len().min(BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (text.get(..end).unwrap_or_default(), end < text.len())
}

fn size(bytes: usize) -> String {
    format!("… {} in all", count::bytes(bytes as u64))
}

/// Lines at line breaks and at a width; false where there are too many.
fn wrapped(text: &str, chars: usize) -> (Vec<Range<u32>>, bool) {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut width = 0;
    for (at, c) in text.char_indices() {
        if c == '\n' {
            lines.push(start as u32..at as u32);
            start = at + 1;
            width = 0;
        } else {
            // What is shown as an escape takes the room of one.
            let wide = if c.is_control() || (!c.is_ascii() && escape::is_escaped(c)) {
                escape::escape_label(c).len()
            } else {
                1
            };
            if width + wide > chars && width > 0 {
                lines.push(start as u32..at as u32);
                start = at;
                width = 0;
            }
            width += wide;
        }
        if lines.len() >= LINES_MAX {
            return (lines, false);
        }
    }
    lines.push(start as u32..text.len() as u32);
    (lines, true)
}

/// `00000010  68 65 6c 6c 6f        hello`.
fn hex_line(bytes: &[u8], at: usize, per_line: usize) -> String {
    let start = at * per_line;
    let part = bytes.get(start..).unwrap_or_default();
    let part = part.get(..per_line.min(part.len())).unwrap_or_default();
    let mut line = format!("{start:08x}  ");
    for place in 0..per_line {
        match part.get(place) {
            Some(byte) => line.push_str(&format!("{byte:02x} ")),
            None => line.push_str("   "),
        }
    }
    line.push(' ');
    line.extend(part.iter().map(|byte| match byte {
        0x20..=0x7e => char::from(*byte),
        _ => '·',
    }));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sheet: &Sheet, expected: &[&str]) {
        let lines: Vec<String> = (0..sheet.lines())
            .map(|at| {
                let line = sheet.line(at);
                format!("{}{}", "  ".repeat(line.depth), line.text)
            })
            .collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn json_is_a_tree_with_its_digits() {
        let sheet = Sheet::tree("{\"a\":[1.10,{}],\"b\" : \"x: y\"}").expect("JSON");
        check(
            &sheet,
            &[
                "{",
                "  \"a\": [",
                "    1.10,",
                "    {}",
                "  ],",
                "  \"b\": \"x: y\"",
                "}",
            ],
        );
        assert_eq!(sheet.line(0).closes_at, Some(6));
        assert_eq!(sheet.line(1).closes_at, Some(4));
        assert!(Sheet::tree("no JSON").is_none());
    }

    #[test]
    fn text_is_wrapped_and_escaped() {
        let sheet = Sheet::text("plain\u{202e}text of\r\nsome length", 14);
        check(&sheet, &["plain<U+202E>t", "ext of", "some length"]);
        check(&Sheet::text("", 20), &[""]);
    }

    #[test]
    fn bytes_stand_in_lines() {
        let sheet = Sheet::hex(b"hello\nworld".to_vec(), 40).headed(vec!["HTTP 200".to_owned()]);
        check(
            &sheet,
            &[
                "HTTP 200",
                "00000000  68 65 6c 6c 6f 0a 77 6f  hello·wo",
                "00000008  72 6c 64                 rld",
            ],
        );
    }

    #[test]
    fn what_is_too_long_ends_with_its_size() {
        let text = "x".repeat(BYTES_MAX + 1000);
        let sheet = Sheet::text(&text, 200);
        let last = sheet.line(sheet.lines() - 1);
        assert_eq!(last.text, "… 17 MB in all");
        assert!(Sheet::tree(&text).is_none());
    }

    #[test]
    fn members_that_are_json_are_opened() {
        let value = serde_json::json!({"body": "{\"a\": 1.10}", "n": "x"});
        let text = stored_text(&value).expect("a text");
        assert_eq!(text, "{\"body\":{\"a\": 1.10},\"n\":\"x\"}");
        assert_eq!(stored_text(&Value::Null), None);
    }
}
