//! Text in several tones, as plain values.
//!
//! Apart from `pen` because panel data is made of it and knows no egui.

use crate::present::escape::{self, Piece};
use crate::ui::theme::{Text, Tone};

/// A piece of text that looks the same all over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub tone: Tone,
    pub kind: Text,
    /// A visible escape: it has a ground of its own.
    pub is_escape: bool,
}

impl Span {
    pub fn new(text: impl Into<String>, kind: Text, tone: Tone) -> Span {
        Span {
            text: text.into(),
            tone,
            kind,
            is_escape: false,
        }
    }

    pub fn mono(text: impl Into<String>, tone: Tone) -> Span {
        Span::new(text, Text::Mono, tone)
    }

    pub fn body(text: impl Into<String>, tone: Tone) -> Span {
        Span::new(text, Text::Body, tone)
    }
}

/// The text of spans.
pub fn plain(spans: &[Span]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
}

/// A stored text in at most so many characters, cut at the end.
pub fn stored(text: &str, chars_max: usize, kind: Text, tone: Tone) -> Vec<Span> {
    of_pieces(&escape::pieces(text, chars_max), kind, tone)
}

/// A stored text in at most so many characters, cut at the end without its size.
pub fn stored_end(text: &str, chars_max: usize, kind: Text, tone: Tone) -> Vec<Span> {
    let mut pieces = escape::pieces(text, chars_max);
    if let Some(Piece::Size(_)) = pieces.last() {
        pieces = escape::pieces(text, chars_max.saturating_sub(1));
        pieces.pop();
    }
    of_pieces(&pieces, kind, tone)
}

/// A stored text in at most so many characters, cut in the middle.
pub fn stored_middle(text: &str, chars_max: usize, kind: Text, tone: Tone) -> Vec<Span> {
    of_pieces(&escape::middle_cut(text, chars_max), kind, tone)
}

fn of_pieces(pieces: &[Piece<'_>], kind: Text, tone: Tone) -> Vec<Span> {
    let spans = pieces.iter().map(|piece| {
        let mut text = String::new();
        piece.push_to(&mut text);
        let tone = match piece {
            Piece::Plain(_) => tone,
            Piece::Escape(_) => Tone::Secondary,
            Piece::Ellipsis | Piece::Size(_) => Tone::Tertiary,
        };
        Span {
            text,
            tone,
            kind,
            is_escape: matches!(piece, Piece::Escape(_)),
        }
    });
    spans.collect()
}
