//! Cuts COPY's binary stream into rows. Format: PostgreSQL manual, COPY, "Binary Format".
//!
//! Apart from `scan` because it knows bytes only and is tested without a server.
//! Invariants: pieces may end anywhere; a row is looked at once it is all there; no bytes make it
//! panic.

use super::cells;
use crate::domain::raw::{Cell, ColumnWant, RawRows};

const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";
const HEADER: usize = 19;

pub struct Tuples<'w> {
    wants: &'w [ColumnWant],
    /// The beginning of what has not come to its end.
    rest: Vec<u8>,
    part: Part,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Header,
    /// So many bytes of an extension that nobody has defined yet.
    Extension(usize),
    Rows,
    End,
}

impl<'w> Tuples<'w> {
    pub fn new(wants: &'w [ColumnWant]) -> Tuples<'w> {
        Tuples {
            wants,
            rest: Vec::new(),
            part: Part::Header,
        }
    }

    /// Takes one piece of the stream, which need not end at a row's end.
    ///
    /// Errors: what came instead of rows.
    pub fn take(&mut self, piece: &[u8], page: &mut RawRows) -> Result<(), String> {
        if self.rest.is_empty() {
            let used = self.parse(piece, page)?;
            self.rest
                .extend_from_slice(piece.get(used..).unwrap_or_default());
            return Ok(());
        }
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(piece);
        let used = self.parse(&all, page)?;
        all.drain(..used.min(all.len()));
        self.rest = all;
        Ok(())
    }

    /// Says whether the stream was whole.
    pub fn end(&self) -> Result<(), String> {
        match self.part {
            Part::End => Ok(()),
            _ => Err("a stream without an end".to_owned()),
        }
    }

    /// How many bytes were used.
    fn parse(&mut self, bytes: &[u8], page: &mut RawRows) -> Result<usize, String> {
        let mut at = 0;
        loop {
            let left = bytes.get(at..).unwrap_or_default();
            match self.part {
                Part::Header => {
                    let Some(header) = left.get(..HEADER) else {
                        return Ok(at);
                    };
                    let Some(fields) = header.strip_prefix(SIGNATURE) else {
                        return Err("another format than the binary one".to_owned());
                    };
                    let extension = fields.get(4..8).and_then(number).unwrap_or(0);
                    at += HEADER;
                    self.part = Part::Extension(usize::try_from(extension).unwrap_or(0));
                }
                Part::Extension(0) => self.part = Part::Rows,
                Part::Extension(_) if left.is_empty() => return Ok(at),
                Part::Extension(length) => {
                    let skipped = length.min(left.len());
                    at += skipped;
                    self.part = Part::Extension(length - skipped);
                }
                Part::Rows => match self.row(left, page)? {
                    Row::Whole(length) => at += length,
                    Row::Cut => return Ok(at),
                    Row::Trailer => {
                        at += 2;
                        self.part = Part::End;
                    }
                },
                Part::End if left.is_empty() => return Ok(at),
                Part::End => return Err("more after its end".to_owned()),
            }
        }
    }

    /// The row that `bytes` begin with.
    fn row(&self, bytes: &[u8], page: &mut RawRows) -> Result<Row, String> {
        let count = bytes.get(..2).and_then(|count| count.try_into().ok());
        let Some(count) = count.map(i16::from_be_bytes) else {
            return Ok(Row::Cut);
        };
        if count == -1 {
            return Ok(Row::Trailer);
        }
        // Without a column there is a constant in its place.
        let expected = self.wants.len().max(1);
        if usize::try_from(count) != Ok(expected) {
            return Err(format!("{count} columns instead of {expected}"));
        }
        let mut end = 2;
        for _ in 0..expected {
            match field(bytes, end) {
                Some((_, next)) => end = next,
                None => return Ok(Row::Cut),
            }
        }
        let mut at = 2;
        for want in self.wants {
            let Some((value, next)) = field(bytes, at) else {
                break;
            };
            at = next;
            page.push(value.map_or(Cell::Null, |value| cells::cell(want, value)));
        }
        Ok(Row::Whole(end))
    }
}

enum Row {
    /// So many bytes long.
    Whole(usize),
    /// More has to come first.
    Cut,
    Trailer,
}

/// The value at `at`, nothing for null, and where the next one begins; `None` if it is cut.
fn field(bytes: &[u8], at: usize) -> Option<(Option<&[u8]>, usize)> {
    let from = at.checked_add(4)?;
    let length = number(bytes.get(at..from)?)?;
    let Ok(length) = usize::try_from(length) else {
        return Some((None, from));
    };
    let to = from.checked_add(length)?;
    Some((Some(bytes.get(from..to)?), to))
}

fn number(bytes: &[u8]) -> Option<i32> {
    bytes.try_into().ok().map(i32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{Strategy, any, proptest};
    use proptest::{option, prop_assert_eq};

    use super::{SIGNATURE, Tuples};
    use crate::domain::raw::{Cell, ColumnKind, ColumnWant, RawRows};

    type Rows = Vec<(Option<i64>, Option<String>)>;

    fn wants() -> Vec<ColumnWant> {
        let value = |column: &str, kind| ColumnWant::Value {
            column: column.to_owned(),
            kind,
        };
        vec![value("n", ColumnKind::Int), value("t", ColumnKind::Text)]
    }

    fn stream(extension: &[u8], rows: &Rows) -> Vec<u8> {
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend(0u32.to_be_bytes());
        bytes.extend((extension.len() as u32).to_be_bytes());
        bytes.extend(extension);
        let field = |bytes: &mut Vec<u8>, value: Option<&[u8]>| {
            let length = value.map_or(-1, |value| value.len() as i32);
            bytes.extend(length.to_be_bytes());
            bytes.extend(value.unwrap_or_default());
        };
        for (number, text) in rows {
            bytes.extend(2i16.to_be_bytes());
            field(
                &mut bytes,
                number.map(i64::to_be_bytes).as_ref().map(|b| &b[..]),
            );
            field(&mut bytes, text.as_deref().map(str::as_bytes));
        }
        bytes.extend((-1i16).to_be_bytes());
        bytes
    }

    fn expected(rows: &Rows) -> RawRows {
        let mut page = RawRows::new(2);
        for (number, text) in rows {
            page.push(number.map_or(Cell::Null, Cell::Int));
            page.push(text.as_deref().map_or(Cell::Null, Cell::Text));
        }
        page
    }

    fn some_rows() -> impl Strategy<Value = Rows> {
        vec((option::of(any::<i64>()), option::of(".{0,20}")), 0..8)
    }

    proptest! {
        #[test]
        fn any_split_of_a_stream_gives_its_rows(
            rows in some_rows(),
            extension in vec(any::<u8>(), 0..9),
            cuts in vec(1usize..40, 1..40),
        ) {
            let bytes = stream(&extension, &rows);
            let wants = wants();
            let (mut tuples, mut page) = (Tuples::new(&wants), RawRows::new(2));
            let mut left = bytes.as_slice();
            for cut in cuts.iter().cycle() {
                let (piece, rest) = left.split_at((*cut).min(left.len()));
                prop_assert_eq!(tuples.end().is_ok(), false);
                prop_assert_eq!(tuples.take(piece, &mut page), Ok(()));
                left = rest;
                if left.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(tuples.end(), Ok(()));
            prop_assert_eq!(page, expected(&rows));
        }

        #[test]
        fn no_bytes_make_it_panic(
            header in any::<bool>(),
            pieces in vec(vec(any::<u8>(), 0..40), 0..6),
        ) {
            let wants = wants();
            let (mut tuples, mut page) = (Tuples::new(&wants), RawRows::new(2));
            if header {
                let whole = stream(&[], &Rows::new());
                let begun = whole.get(..whole.len() - 2).unwrap_or_default();
                prop_assert_eq!(tuples.take(begun, &mut page), Ok(()));
            }
            for piece in &pieces {
                if tuples.take(piece, &mut page).is_err() {
                    break;
                }
            }
        }

        #[test]
        fn a_damaged_stream_does_not_panic(
            rows in some_rows(),
            at in any::<proptest::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let mut bytes = stream(&[], &rows);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let wants = wants();
            let (mut tuples, mut page) = (Tuples::new(&wants), RawRows::new(2));
            let _ = tuples.take(&bytes, &mut page);
        }
    }
}
