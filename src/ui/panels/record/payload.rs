//! Stored payloads as lines: pretty where it is JSON, escaped, cut to a width.
//!
//! Bound: so many bytes and lines; what is beyond is named by its size.

use serde_json::Value;

use crate::app::state::Tab;
use crate::app::view::{Shown, Whole};
use crate::present::{count, escape};

const BYTES_MAX: usize = 256 << 10;
const LINES_MAX: usize = 20_000;
/// Deeper levels are indented no further.
const DEPTH_MAX: usize = 24;

/// Lines of a tab, made once for each record.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Which record, tab and width they are of.
    made_of: (u64, Option<Tab>, usize),
    pub lines: Vec<String>,
}

impl Lines {
    /// Makes the lines of a stored value anew where another one or another width is shown.
    pub fn of_value(&mut self, stamp: u64, chars: usize, value: &Value) {
        let wanted = (stamp, Some(Tab::Raw), chars);
        if self.made_of != wanted {
            self.made_of = wanted;
            self.lines = value_lines(value, chars);
        }
    }

    /// Makes the lines anew where another record, tab or width is shown.
    pub fn of(&mut self, stamp: u64, tab: Tab, chars: usize, whole: &Whole) {
        let wanted = (stamp, Some(tab), chars);
        if self.made_of == wanted {
            return;
        }
        self.made_of = wanted;
        self.lines = match tab {
            Tab::Response => response(whole, chars),
            Tab::Raw => value_lines(&whole.raw, chars),
            Tab::Fields | Tab::Parts => Vec::new(),
        };
    }
}

fn response(whole: &Whole, chars: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(code) = whole.record.response_status {
        lines.push(format!("HTTP {code}"));
    }
    if let Some(headers) = &whole.response_headers {
        lines.extend(shown_lines(headers, chars));
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    match &whole.response_body {
        Some(body) => lines.extend(shown_lines(body, chars)),
        None => lines.push("No answer is stored".to_owned()),
    }
    lines
}

fn shown_lines(shown: &Shown, chars: usize) -> Vec<String> {
    if shown.is_binary {
        return cut(&shown.text, chars);
    }
    text_lines(&shown.text, chars)
}

fn value_lines(value: &Value, chars: usize) -> Vec<String> {
    match value {
        Value::Null => vec!["Nothing is stored as text".to_owned()],
        Value::String(text) => text_lines(text, chars),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| {
                let name = Value::from(name.as_str());
                format!("{name}:{}", opened(value))
            });
            let text = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
            cut(&set_out(&text), chars)
        }
        value => cut(&set_out(&value.to_string()), chars),
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
    text.len() <= BYTES_MAX
        && text.trim_start().starts_with(['{', '['])
        && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn text_lines(text: &str, chars: usize) -> Vec<String> {
    if is_json(text) {
        return cut(&set_out(text), chars);
    }
    cut(text, chars)
}

/// JSON, known to be right, with one member a line. Only blanks change, so that numbers keep
/// their digits.
fn set_out(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut chars = json.chars().peekable();
    let new_line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth.min(DEPTH_MAX)));
    };
    while let Some(c) = chars.next() {
        if in_string {
            out.push(c);
            match c {
                '"' => in_string = false,
                '\\' => out.extend(chars.next()),
                _ => {}
            }
            continue;
        }
        match c {
            '"' => {
                in_string = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                while chars.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                match chars.next_if(|next| matches!(next, '}' | ']')) {
                    Some(end) => out.push(end),
                    None => {
                        depth += 1;
                        new_line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}

/// Lines of at most so many shown characters.
fn cut(text: &str, chars: usize) -> Vec<String> {
    let chars = chars.max(8);
    let mut end = text.len().min(BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut lines = Vec::new();
    for line in text.get(..end).unwrap_or_default().split('\n') {
        let shown = escape::shown_whole(line.trim_end_matches('\r'));
        let mut rest = shown.as_str();
        loop {
            let at = rest
                .char_indices()
                .nth(chars)
                .map_or(rest.len(), |(at, _)| at);
            let (first, after) = rest.split_at(at);
            lines.push(first.to_owned());
            rest = after;
            if rest.is_empty() || lines.len() >= LINES_MAX {
                break;
            }
        }
        if lines.len() >= LINES_MAX {
            break;
        }
    }
    if end < text.len() || lines.len() >= LINES_MAX {
        lines.push(format!("… {} in all", count::bytes(text.len() as u64)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(text_lines(text, 20), expected);
    }

    #[test]
    fn json_is_set_out() {
        check(
            "{\"a\":[1.10]}",
            &["{", "  \"a\": [", "    1.10", "  ]", "}"],
        );
    }

    #[test]
    fn other_text_is_cut_and_escaped() {
        check(
            "plain\u{202e}text of some length",
            &["plain<U+202E>text of", " some length"],
        );
        check("", &[""]);
    }

    #[test]
    fn long_text_ends_with_its_size() {
        let text = "x".repeat(BYTES_MAX + 1000);
        let lines = text_lines(&text, 200);
        assert_eq!(lines.last().map(String::as_str), Some("… 263 KB in all"));
    }
}
