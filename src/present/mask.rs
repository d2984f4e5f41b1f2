//! Credentials inside what is stored, hidden: `Authorization`, cookies, tokens, passwords, card
//! numbers.
//!
//! Stored requests and answers are private; what a person has not asked for is not shown, not
//! copied and not exported. Works on the text, so that numbers keep their digits and what is not
//! JSON is masked as well.
//! Invariant: only what is found is changed; masked text is never longer than the text by more
//! than a mark for each find. It is a help against glances, not a proof that nothing private is
//! left: a field with an unknown name stays.

mod names;
mod plain;

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

use names::{holds_private, is_private, is_private_header};

/// What stands in the place of something private.
pub const MARK: &str = "••••••";
/// JSON in a text in JSON, and so on.
const DEPTH_MAX: u32 = 4;

/// A text with its private parts masked, and how many there were.
pub fn mask(text: &str) -> (Cow<'_, str>, usize) {
    let spans = private_spans(text, DEPTH_MAX);
    if spans.is_empty() {
        return (Cow::Borrowed(text), 0);
    }
    let count = spans.len();
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        masked.push_str(text.get(from..span.start).unwrap_or_default());
        masked.push_str(MARK);
        from = span.end;
    }
    masked.push_str(text.get(from..).unwrap_or_default());
    (Cow::Owned(masked), count)
}

/// The same for every text of a value; names of members decide about their values.
pub fn mask_value(value: &mut Value) -> usize {
    match value {
        Value::String(text) => {
            let (masked, found) = mask(text);
            if found > 0 {
                *text = masked.into_owned();
            }
            found
        }
        // A header and its value.
        Value::Array(list) => match list.as_mut_slice() {
            [Value::String(name), value] if is_private_header(name) => hide(value),
            list => list.iter_mut().map(mask_value).sum(),
        },
        Value::Object(members) => {
            let is_header = ["name", "key"].iter().any(|name| {
                let header = members.get(*name).and_then(Value::as_str);
                header.is_some_and(is_private_header)
            });
            let mut count = 0;
            for (name, value) in members.iter_mut() {
                let is_group = value.is_object() && !holds_private(name);
                count += match is_private(name) || (is_header && name == "value") {
                    true if !is_group => hide(value),
                    _ => mask_value(value),
                };
            }
            count
        }
        Value::Number(number) => {
            let digits = number.to_string();
            match plain::is_card_number(&digits, 0..digits.len()) {
                true => hide(value),
                false => 0,
            }
        }
        Value::Null | Value::Bool(_) => 0,
    }
}

/// Hides every text and number of a value.
fn hide(value: &mut Value) -> usize {
    match value {
        Value::String(text) if text.is_empty() => 0,
        Value::String(_) | Value::Number(_) => {
            *value = Value::String(MARK.to_owned());
            1
        }
        Value::Array(list) => list.iter_mut().map(hide).sum(),
        Value::Object(members) => members.values_mut().map(hide).sum(),
        Value::Null | Value::Bool(_) => 0,
    }
}

/// Where private parts stand, from left to right, none in another.
fn private_spans(text: &str, depth: u32) -> Vec<Range<usize>> {
    let start = text.trim_start();
    // Python and Ruby write lists and members with other quotes.
    let inside = start.trim_start_matches(['{', '[', ' ', '\n']);
    let is_json = start.starts_with(['{', '[']) && !inside.starts_with(['\'', ':']);
    if depth > 0 && is_json {
        json_spans(text, depth)
    } else {
        plain::spans(text)
    }
}

/// Of a text that looks like JSON; what follows a broken place is taken as it comes.
fn json_spans(text: &str, depth: u32) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    // Whether what comes next is the value of a private name.
    let mut armed = Armed::No;
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                let (inside, end) = string_at(text, at);
                let content = text.get(inside.clone()).unwrap_or_default();
                let rest = text.get(end..).unwrap_or_default();
                let is_name = rest.trim_start().starts_with(':');
                match (is_name, armed) {
                    (true, Armed::Group(_)) => {}
                    (true, _) if holds_private(content) => armed = Armed::Members,
                    (true, _) if is_private(content) => armed = Armed::Value,
                    // The value of a header that is named before: `{"name": …, "value": …}`.
                    (true, Armed::Header) => {}
                    (true, _) => armed = Armed::No,
                    (false, Armed::No) if is_private_header(content) => armed = Armed::Header,
                    (false, Armed::No) => {
                        spans.extend(inner_spans(content, inside.start, depth));
                    }
                    (false, _) => {
                        spans.extend((!inside.is_empty()).then_some(inside));
                        armed = armed.past_a_value();
                    }
                }
                at = end;
                continue;
            }
            b'[' | b'{' => armed = armed.opened(*byte == b'['),
            b']' | b'}' => armed = armed.closed(),
            b'0'..=b'9' => {
                let end = number_end(text, at);
                let is_private = match armed {
                    Armed::No | Armed::Header => plain::is_card_number(text, at..end),
                    Armed::Value | Armed::Members | Armed::Group(_) => true,
                };
                spans.extend(is_private.then_some(at..end));
                armed = armed.past_a_value();
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    spans
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Armed {
    No,
    /// A private name was said: its value follows, or a list of them.
    Value,
    /// The same, and an object holds nothing but private values.
    Members,
    /// A header's name stood as a text: the next text is its value.
    Header,
    /// So many levels deep in what is private altogether.
    Group(u32),
}

impl Armed {
    fn opened(self, is_list: bool) -> Armed {
        match self {
            Armed::Group(depth) => Armed::Group(depth.saturating_add(1)),
            Armed::Members => Armed::Group(1),
            Armed::Value | Armed::Header if is_list => Armed::Group(1),
            _ => Armed::No,
        }
    }

    fn closed(self) -> Armed {
        match self {
            Armed::Group(depth) if depth > 1 => Armed::Group(depth - 1),
            _ => Armed::No,
        }
    }

    fn past_a_value(self) -> Armed {
        match self {
            Armed::Group(_) => self,
            _ => Armed::No,
        }
    }
}

/// Past the number that begins at a byte.
fn number_end(text: &str, start: usize) -> usize {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let is_of_it = |byte: &&u8| byte.is_ascii_alphanumeric() || b".+-".contains(byte);
    start + rest.iter().take_while(is_of_it).count()
}

/// What the string that begins at a byte holds, and where it is over: past its closing quote, or at
/// the end of a text that was cut.
fn string_at(text: &str, start: usize) -> (Range<usize>, usize) {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return (start + 1..at, at + 1),
            _ => at += 1,
        }
    }
    (start + 1..text.len(), text.len())
}

/// Of a string's content, whose quotes may be escaped because it is JSON itself.
fn inner_spans(content: &str, offset: usize, depth: u32) -> Vec<Range<usize>> {
    let moved = |spans: Vec<Range<usize>>| {
        let spans = spans.into_iter();
        spans
            .map(|span| span.start + offset..span.end + offset)
            .collect()
    };
    if !content.contains('\\') || depth <= 1 {
        return moved(plain::spans(content));
    }
    // Read without one level of escapes, and the finds are carried back.
    let (plain, places) = unescaped(content);
    let spans = private_spans(&plain, depth - 1);
    let back = |at: usize| places.get(at).copied().unwrap_or(content.len());
    moved(
        spans
            .into_iter()
            .map(|span| back(span.start)..back(span.end))
            .collect(),
    )
}

/// A text without one level of backslashes, and where each of its bytes stood.
fn unescaped(content: &str) -> (String, Vec<usize>) {
    let mut plain = String::with_capacity(content.len());
    let mut places = Vec::with_capacity(content.len());
    let mut chars = content.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let escaped = match (c, chars.peek()) {
            ('\\', Some((_, next @ ('"' | '\\' | '/')))) => Some(*next),
            ('\\', Some((_, 'n' | 'r'))) => Some('\n'),
            ('\\', Some((_, 't'))) => Some('\t'),
            _ => None,
        };
        if escaped.is_some() {
            chars.next();
        }
        let c = escaped.unwrap_or(c);
        plain.push(c);
        places.extend(std::iter::repeat_n(at, c.len_utf8()));
    }
    (plain, places)
}

#[cfg(test)]
mod tests;
