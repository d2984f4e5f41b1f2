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

/// How the cells of a column are packed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Its digits and a semicolon. Text and bytes are kept out: they would need a length.
    Number,
    /// Its length, a colon, and itself. Numbers and bytes are kept out: they would look like text.
    Text,
    /// The same of what is a text whatever is stored.
    Shown,
    /// The storage class before the rest: numbers of either sort, and what was put in their place.
    Classed,
}

impl Form {
    fn of(want: &ColumnWant) -> Form {
        match want {
            ColumnWant::Value { kind, .. } => match kind {
                ColumnKind::Int => Form::Number,
                ColumnKind::Text => Form::Text,
                ColumnKind::Other => Form::Shown,
                _ => Form::Classed,
            },
            _ => Form::Classed,
        }
    }

    fn packed(self, cell: &str) -> String {
        match self {
            Form::Number => format!("{cell}, ';'"),
            Form::Text | Form::Shown => format!("octet_length({cell}), ':', {cell}"),
            Form::Classed => format!("typeof({cell}), octet_length({cell}), ':', {cell}"),
        }
    }

    /// What is kept out: SQLite puts numbers before texts and bytes after them.
    fn kept_out(self, cell: &str) -> Option<String> {
        match self {
            Form::Number => Some(format!("{cell} >= '' COLLATE BINARY")),
            Form::Text => Some(format!("{cell} < '' COLLATE BINARY OR {cell} >= x''")),
            Form::Shown => None,
            // The text of a fraction has fifteen digits; not every fraction does with so many.
            Form::Classed => Some(format!(
                "(typeof({cell}) = 'real' AND CAST(CAST({cell} AS TEXT) AS REAL) IS NOT {cell})"
            )),
        }
    }
}

/// Selects the packed rows of `rest`, which begins with `FROM`, and how long a letter is.
pub fn select(wants: &[ColumnWant], rest: &str) -> String {
    let (mut packed, mut lengths, mut kept_out) = (Vec::new(), Vec::new(), Vec::new());
    for want in wants {
        let form = Form::of(want);
        let cell = select_list(std::slice::from_ref(want), "TEXT");
        packed.push(form.packed(&cell));
        kept_out.extend(form.kept_out(&cell));
        if form != Form::Number {
            lengths.push(format!("ifnull(octet_length({cell}), 0)"));
        }
    }
    kept_out.push(format!("0 + {} > {ROW_BYTES_MAX}", lengths.join(" + ")));
    format!(
        "SELECT group_concat(line, ''), octet_length('a') FROM (SELECT \
         iif({kept_out}, '!', concat({packed})) AS line {rest})",
        kept_out = kept_out.join(" OR "),
        packed = packed.join(", "),
    )
}

/// The rows of a packed page; `None` where one of them is not packed, or holds what is not packed.
pub fn unpack(mut left: &[u8], wants: &[ColumnWant]) -> Option<RawRows> {
    let forms: Vec<Form> = wants.iter().map(Form::of).collect();
    let mut rows = RawRows::new(wants.len());
    while !left.is_empty() {
        for form in &forms {
            let (cell, rest) = match form {
                Form::Number => number(left),
                Form::Text | Form::Shown => text(left),
                Form::Classed => classed(left),
            }?;
            rows.push(cell);
            left = rest;
        }
    }
    Some(rows)
}

/// A cell, and what comes after it.
type Taken<'p> = Option<(Cell<'p>, &'p [u8])>;

fn number(left: &[u8]) -> Taken<'_> {
    let (digits, rest) = until(left, b';')?;
    let cell = match digits {
        [] => Cell::Null,
        // A fraction has a point, or an exponent.
        digits => Cell::Int(std::str::from_utf8(digits).ok()?.parse().ok()?),
    };
    Some((cell, rest))
}

fn text(left: &[u8]) -> Taken<'_> {
    let (length, rest) = until(left, b':')?;
    if length.is_empty() {
        return Some((Cell::Null, rest));
    }
    let (value, rest) = rest.split_at_checked(read(length)?)?;
    let cell = std::str::from_utf8(value).map_or(Cell::Bytes(value), Cell::Text);
    Some((cell, rest))
}

fn classed(left: &[u8]) -> Taken<'_> {
    let (head, rest) = until(left, b':')?;
    let word = head.iter().position(u8::is_ascii_digit);
    let (class, length) = head.split_at_checked(word.unwrap_or(head.len()))?;
    let length = match length {
        [] => 0,
        length => read(length)?,
    };
    let (value, rest) = rest.split_at_checked(length)?;
    let text = std::str::from_utf8(value);
    let cell = match class {
        b"null" => Cell::Null,
        b"integer" => Cell::Int(text.ok()?.parse().ok()?),
        b"real" => Cell::Float(text.ok()?.parse().ok()?),
        b"text" => text.map_or(Cell::Bytes(value), Cell::Text),
        b"blob" => Cell::Bytes(value),
        _ => return None,
    };
    Some((cell, rest))
}

/// What stands before a mark, and after it.
fn until(left: &[u8], mark: u8) -> Option<(&[u8], &[u8])> {
    let at = left.iter().position(|byte| *byte == mark)?;
    Some((left.get(..at)?, left.get(at + 1..)?))
}

fn read(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
