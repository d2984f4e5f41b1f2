//! Binary values of the wire protocol as cells, the same for query results and for COPY.
//!
//! Sources: PostgreSQL's `send` functions of each type (`int8send`, `timestamptz_send`,
//! `jsonb_send`, `uuid_send`).

use crate::domain::raw::{Cell, ColumnKind, ColumnWant};

/// Microseconds from the Unix epoch to 2000-01-01, where PostgreSQL's times begin.
const EPOCH_2000: i64 = 946_684_800_000_000;

pub fn cell<'b>(want: &ColumnWant, bytes: &'b [u8]) -> Cell<'b> {
    let kind = match want {
        ColumnWant::Presence { .. } | ColumnWant::Holder => ColumnKind::Bool,
        ColumnWant::Value { kind, .. } => *kind,
        ColumnWant::Lookup(_) => ColumnKind::Other,
    };
    match kind {
        ColumnKind::Bool => match bytes {
            [byte] => Cell::Bool(*byte != 0),
            _ => Cell::Bytes(bytes),
        },
        ColumnKind::Int => integer(bytes).map_or(Cell::Bytes(bytes), Cell::Int),
        ColumnKind::Float => match bytes.len() {
            4 => fixed(bytes).map_or(Cell::Null, |b| {
                Cell::Float(f64::from(f32::from_be_bytes(b)))
            }),
            8 => fixed(bytes).map_or(Cell::Null, |b| Cell::Float(f64::from_be_bytes(b))),
            _ => Cell::Bytes(bytes),
        },
        ColumnKind::Uuid => <&[u8; 16]>::try_from(bytes).map_or(Cell::Bytes(bytes), Cell::Uuid),
        ColumnKind::Bytes => Cell::Bytes(bytes),
        ColumnKind::Time | ColumnKind::NaiveTime => match fixed(bytes).map(i64::from_be_bytes) {
            Some(time @ (i64::MAX | i64::MIN)) => Cell::Time(time),
            Some(time) => Cell::Time(time.saturating_add(EPOCH_2000)),
            None => Cell::Bytes(bytes),
        },
        ColumnKind::Json => {
            // jsonb has a version byte before its text; json is its text.
            let text = bytes.strip_prefix(&[1]).unwrap_or(bytes);
            std::str::from_utf8(text).map_or(Cell::Bytes(bytes), Cell::Json)
        }
        ColumnKind::Text | ColumnKind::Other => {
            std::str::from_utf8(bytes).map_or(Cell::Bytes(bytes), Cell::Text)
        }
    }
}

fn integer(bytes: &[u8]) -> Option<i64> {
    Some(match bytes.len() {
        2 => i64::from(i16::from_be_bytes(fixed(bytes)?)),
        4 => i64::from(i32::from_be_bytes(fixed(bytes)?)),
        8 => i64::from_be_bytes(fixed(bytes)?),
        _ => return None,
    })
}

fn fixed<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: ColumnKind, bytes: &[u8], expected: Cell<'_>) {
        let want = ColumnWant::Value {
            column: "c".into(),
            kind,
        };
        assert_eq!(cell(&want, bytes), expected);
    }

    #[test]
    fn binary_values_are_read() {
        check(ColumnKind::Int, &[0xff, 0xff], Cell::Int(-1));
        check(ColumnKind::Int, &201i32.to_be_bytes(), Cell::Int(201));
        check(
            ColumnKind::Time,
            &0i64.to_be_bytes(),
            Cell::Time(EPOCH_2000),
        );
        check(
            ColumnKind::Time,
            &i64::MAX.to_be_bytes(),
            Cell::Time(i64::MAX),
        );
        check(ColumnKind::Json, b"\x01{\"a\":1}", Cell::Json("{\"a\":1}"));
        check(ColumnKind::Text, "ключ".as_bytes(), Cell::Text("ключ"));
    }

    #[test]
    fn values_of_another_length_stay_bytes() {
        check(ColumnKind::Int, &[1, 2, 3], Cell::Bytes(&[1, 2, 3]));
        check(ColumnKind::Time, &[1], Cell::Bytes(&[1]));
        check(ColumnKind::Text, &[0xff], Cell::Bytes(&[0xff]));
    }
}
