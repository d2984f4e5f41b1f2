//! Colours of a layout's text: comments step back, headings and names stand out.
//!
//! Apart from the field because it reads TOML line by line and knows nothing of fields. It follows
//! the text well enough to be read, not well enough to be parsed.

use crate::ui::theme::{Text, Tone};
use crate::ui::widgets::Span;

/// A text in its tones; what the spans hold together is the text.
pub fn spans(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start();
        match bare.as_bytes().first() {
            Some(b'#') => push(&mut spans, line, Tone::Tertiary),
            Some(b'[') if !bare.contains('=') => push(&mut spans, line, Tone::Accent),
            _ => value_line(&mut spans, line),
        }
    }
    spans
}

/// `name = value  # comment`.
fn value_line(spans: &mut Vec<Span>, line: &str) {
    let mut rest = line;
    if let Some((name, after)) = line.split_once('=')
        && !name.contains(['"', '\'', '{', '['])
    {
        push(spans, name, Tone::Primary);
        push(spans, "=", Tone::Tertiary);
        rest = after;
    }
    let comment = comment_start(rest).unwrap_or(rest.len());
    let (value, comment) = rest.split_at(comment);
    push(spans, value, Tone::Secondary);
    push(spans, comment, Tone::Tertiary);
}

/// Where a comment begins that is in no text.
fn comment_start(value: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in value.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open && before != '\\' => quote = None,
            (None, '#') => return Some(at),
            _ => {}
        }
        before = c;
    }
    None
}

fn push(spans: &mut Vec<Span>, text: &str, tone: Tone) {
    if !text.is_empty() {
        spans.push(Span::new(text, Text::Mono, tone));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::widgets::span::plain;

    #[test]
    fn every_letter_stays() {
        let text = "# a\nid = \"x#y\"  # b\n[redis]\nkeys = [\"a=b\"]\n\n  { of = 'c' },\n";
        assert_eq!(plain(&spans(text)), text);
        let comment = spans("id = \"x#y\"  # b");
        assert_eq!(comment.last().map(|span| span.text.as_str()), Some("# b"));
    }
}
