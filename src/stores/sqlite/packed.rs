//! A page of rows as one value: each cell with its storage class and its length, one after the other.
//!
//! Apart from `push_row` because a row of its own costs the library a message between threads and each
//! of its cells an allocation: a page in one value is read ten times as fast.
//! Invariants: what is unpacked is what single rows would have given, to the bit; where that cannot be
//! promised, nothing is packed. The value of a page is bounded.

use crate::domain::raw::{Cell, ColumnKind, ColumnWant, RawRows};
use crate::stores::sql::select_list;

/// Longer rows are read one by one: a page of them is cut by its bytes.
const ROW_BYTES_MAX: usize = 1_024;
/// Where lengths are those of UTF-16, they are not those of what comes.
pub const OCTETS_OF_UTF8: i64 = 1;

/// Selects the packed rows of `rest`, which begins with `FROM`, and how long a letter is.
pub fn select(wants: &[ColumnWant], rest: &str) -> String {
    let cells = wants
        .iter()
        .map(|want| select_list(std::slice::from_ref(want), "TEXT"));
    let cells: Vec<String> = cells.collect();
    let length = |cell: &String| format!("ifnull(octet_length({cell}), 0)");
    let lengths: Vec<String> = cells.iter().map(length).collect();
    // The text of a fraction has fifteen digits; not every fraction does with so many.
    let inexact = |(want, cell): (&ColumnWant, &String)| {
        holds_fractions(want).then(|| {
            format!(
                " OR (typeof({cell}) = 'real' AND CAST(CAST({cell} AS TEXT) AS REAL) IS NOT {cell})"
            )
        })
    };
    let inexact: String = wants.iter().zip(&cells).filter_map(inexact).collect();
    let packed = |cell: &String| format!("typeof({cell}), octet_length({cell}), ':', {cell}");
    let packed: Vec<String> = cells.iter().map(packed).collect();
    format!(
        "SELECT group_concat(line, ''), octet_length('a') FROM (SELECT \
         iif({lengths} > {ROW_BYTES_MAX}{inexact}, '!', concat({packed})) AS line {rest})",
        lengths = lengths.join(" + "),
        packed = packed.join(", "),
    )
}

fn holds_fractions(want: &ColumnWant) -> bool {
    matches!(
        want,
        ColumnWant::Value {
            kind: ColumnKind::Float,
            ..
        }
    )
}

/// The rows of a packed page; `None` where one of them is not packed, or holds what is not packed.
pub fn unpack(mut left: &[u8], wants: &[ColumnWant]) -> Option<RawRows> {
    let mut rows = RawRows::new(wants.len());
    while !left.is_empty() {
        for want in wants {
            let (cell, rest) = cell(left, want)?;
            rows.push(cell);
            left = rest;
        }
    }
    Some(rows)
}

/// The first cell, and what comes after it.
fn cell<'p>(left: &'p [u8], want: &ColumnWant) -> Option<(Cell<'p>, &'p [u8])> {
    let (head, rest) = left.split_at_checked(memchr::memchr(b':', left)?)?;
    let word = head.iter().position(u8::is_ascii_digit);
    let (class, length) = head.split_at_checked(word.unwrap_or(head.len()))?;
    let length = match length {
        [] => 0,
        digits => std::str::from_utf8(digits).ok()?.parse().ok()?,
    };
    let (value, rest) = rest.get(1..)?.split_at_checked(length)?;
    let text = std::str::from_utf8(value);
    let cell = match class {
        b"null" => Cell::Null,
        b"integer" => Cell::Int(text.ok()?.parse().ok()?),
        b"real" if holds_fractions(want) => Cell::Float(text.ok()?.parse().ok()?),
        b"text" => text.map_or(Cell::Bytes(value), Cell::Text),
        b"blob" => Cell::Bytes(value),
        _ => return None,
    };
    Some((cell, rest))
}

#[cfg(test)]
mod tests;
