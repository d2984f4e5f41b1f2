//! JSON as lines that open and close, found without building it.
//!
//! Apart from `payload` because this knows JSON. Numbers and texts stay as they are written.
//! Bound: deeper levels are told apart no further than 65 535; the number of lines is bounded.

use super::LINES_MAX;

/// Where a line stands in the text, how deep, and which line closes it; nought for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeLine {
    pub start: u32,
    pub end: u32,
    pub depth: u16,
    pub closes_at: u32,
}

/// The lines of a text; nothing where it is no JSON object or list, or has too many lines.
pub fn lines(text: &str) -> Option<Vec<TreeLine>> {
    let first = text.trim_start().as_bytes().first()?;
    if !matches!(first, b'{' | b'[') {
        return None;
    }
    // The reader has a limit of its own for depth: what is deeper is shown as text.
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
    let mut walk = Walk::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                walk.begin(at);
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => {
                walk.begin(at);
                let next = after_blanks(bytes, at + 1);
                if matches!(bytes.get(next), Some(b'}' | b']')) {
                    // Nothing in it: one line.
                    at = next + 1;
                    continue;
                }
                walk.open(at + 1);
            }
            b'}' | b']' => walk.close(at),
            b',' => walk.end(at + 1),
            byte if byte.is_ascii_whitespace() || *byte == b':' => {}
            _ => walk.begin(at),
        }
        if walk.lines.len() > LINES_MAX {
            return None;
        }
        at += 1;
    }
    walk.end(text.trim_end().len());
    Some(walk.lines)
}

#[derive(Default)]
struct Walk {
    lines: Vec<TreeLine>,
    /// Lines that are open.
    open: Vec<u32>,
    /// Where the line that is being read begins.
    start: Option<usize>,
    /// It closes this line.
    closes: Option<u32>,
}

impl Walk {
    fn begin(&mut self, at: usize) {
        self.start.get_or_insert(at);
    }

    fn end(&mut self, at: usize) {
        let Some(start) = self.start.take() else {
            return;
        };
        let here = self.lines.len() as u32;
        let closed = self.closes.take();
        if let Some(opened) = closed.and_then(|at| self.lines.get_mut(at as usize)) {
            opened.closes_at = here;
        }
        self.lines.push(TreeLine {
            start: start as u32,
            end: at as u32,
            depth: self.open.len().min(usize::from(u16::MAX)) as u16,
            closes_at: 0,
        });
    }

    fn open(&mut self, at: usize) {
        self.end(at);
        self.open.push(self.lines.len() as u32 - 1);
    }

    fn close(&mut self, at: usize) {
        self.end(at);
        self.closes = self.open.pop();
        self.begin(at);
    }
}

fn after_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A line with one blank after the colon of its name, and none elsewhere.
pub fn spaced(line: &str) -> String {
    let bytes = line.as_bytes();
    let name = match bytes.first() {
        Some(b'"') => string_end(bytes, 0),
        _ => 0,
    };
    let (name, rest) = line.split_at_checked(name).unwrap_or((line, ""));
    match rest.trim_start().strip_prefix(':') {
        Some(value) => format!("{name}: {}", tidied(value.trim())),
        None => tidied(line.trim()),
    }
}

/// What stands between brackets.
fn inside(text: &str) -> &str {
    let end = text.len().saturating_sub(1);
    text.get(1..end).unwrap_or_default().trim()
}

/// `{ }` and `x ,` without their blanks.
fn tidied(value: &str) -> String {
    let (body, comma) = match value.strip_suffix(',') {
        Some(body) => (body.trim_end(), ","),
        None => (value, ""),
    };
    let body = match body.as_bytes() {
        [b'{', .., b'}'] if inside(body).is_empty() => "{}",
        [b'[', .., b']'] if inside(body).is_empty() => "[]",
        _ => body,
    };
    format!("{body}{comma}")
}
