//! The pieces that the contract of changes is held over.

use idemscope::domain::Timestamp;
use idemscope::domain::change::{ExactValue, Piece, PiecePart, PieceState};

/// Far enough that no test sees its end.
pub const LATER: i64 = 4_000_000_000_123;

pub fn bytes(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

pub fn string(text: &str, expires_at: Option<i64>) -> PieceState {
    PieceState::Value {
        value: ExactValue::String(bytes(text)),
        expires_at: expires_at.map(Timestamp),
    }
}

pub fn value(value: ExactValue, expires_at: Option<i64>) -> PieceState {
    PieceState::Value {
        value,
        expires_at: expires_at.map(Timestamp),
    }
}

pub fn part(key: &str, part: PiecePart) -> Piece {
    Piece {
        key: bytes(key),
        part,
    }
}

/// Pieces of every kind with a state each, and another one that an application might write.
pub fn whole() -> Vec<(Piece, PieceState, PieceState)> {
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(Vec<u8>, Vec<u8>)> {
        pairs.iter().map(|(a, b)| (bytes(a), bytes(b))).collect()
    };
    let many = |count: usize| -> Vec<(Vec<u8>, Vec<u8>)> {
        (0..count)
            .map(|n| (bytes(&format!("m{n:05}")), bytes(&n.to_string())))
            .collect()
    };
    let names = |count: usize| many(count).into_iter().map(|(name, _)| name).collect();
    let binary = ExactValue::String(vec![0, 255, b'\r', b'\n', 128, 0]);
    vec![
        (
            Piece::whole("s:ttl"),
            string("processing", Some(LATER)),
            string("done", Some(LATER)),
        ),
        (Piece::whole("s:never"), string("", None), string("x", None)),
        (
            Piece::whole(vec![0, 255, b' ']),
            value(binary, Some(LATER)),
            string("{}", None),
        ),
        (
            Piece::whole("s:type"),
            string("a", None),
            value(ExactValue::Set(names(2)), None),
        ),
        (
            Piece::whole("s:large"),
            string(&"long ".repeat(30_000), None),
            string("b", None),
        ),
        (
            Piece::whole("h"),
            value(
                ExactValue::Hash(pairs(&[("", "v"), ("a", ""), ("b", "\0")])),
                Some(LATER),
            ),
            value(ExactValue::Hash(pairs(&[("a", "2"), ("c", "3")])), None),
        ),
        (
            Piece::whole("h:large"),
            value(ExactValue::Hash(many(1203)), None),
            value(ExactValue::Hash(many(1202)), Some(LATER)),
        ),
        (
            Piece::whole("m"),
            value(ExactValue::Set(names(700)), Some(LATER)),
            value(ExactValue::Set(names(699)), Some(LATER)),
        ),
        (
            Piece::whole("z"),
            value(ExactValue::SortedSet(many(1100)), None),
            value(
                ExactValue::SortedSet(pairs(&[("a", "-inf"), ("b", "0.10000000000000001")])),
                None,
            ),
        ),
    ]
}

/// Parts of collections that hold many records.
pub fn parts() -> Vec<(Piece, PieceState, PieceState)> {
    vec![
        (
            part("many:h", PiecePart::Field(bytes("f"))),
            PieceState::There(bytes("v")),
            PieceState::There(Vec::new()),
        ),
        (
            part("many:m", PiecePart::Member(bytes("f"))),
            PieceState::There(Vec::new()),
            PieceState::Absent,
        ),
        (
            part("many:z", PiecePart::Score(bytes("f"))),
            PieceState::There(bytes("1.5")),
            PieceState::There(bytes("inf")),
        ),
    ]
}

pub fn kinds() -> Vec<(Piece, PieceState, PieceState)> {
    let mut kinds = whole();
    kinds.extend(parts());
    kinds
}
