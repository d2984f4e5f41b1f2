//! Makes of an expression a cell that its column takes.
//!
//! Apart from `make` because a column has a type, and times are written in it as the row writes
//! them already.
//! Invariant: PostgreSQL gets its own text of a value, SQLite a value in the storage class that its
//! column keeps, so that what is read back is what was written.

use chrono::DateTime;

use super::expr::{BodyForm, Expr, TimeForm};
use super::make::{Facts, time_text};
use crate::domain::Timestamp;
use crate::domain::change::{ExactCell, TableShape};
use crate::layouts::slot::hex;

/// A row and where its times stand.
#[derive(Debug)]
pub struct CellForm<'r> {
    pub shape: &'r TableShape,
    pub cells: &'r [ExactCell],
    /// The columns that the layout reads times from.
    pub times: Vec<usize>,
}

impl CellForm<'_> {
    /// The cell of a column once the expression is written to it.
    ///
    /// Errors: the answer, or a time, cannot be written in this column.
    pub fn make(&self, at: usize, expr: &Expr, facts: &Facts<'_>) -> Result<ExactCell, String> {
        Ok(match expr {
            Expr::Absent | Expr::Null => ExactCell::Null,
            Expr::Text(text) => ExactCell::Text(text.clone()),
            Expr::Number(number) => self.number(at, *number),
            Expr::Status => self.number(at, i64::from(facts.answer()?.status)),
            Expr::Bool(value) if self.is_sqlite() => ExactCell::Int(i64::from(*value)),
            Expr::Bool(value) => ExactCell::Text(value.to_string()),
            Expr::Now {
                form: TimeForm::Own,
                plus,
            } => self.time(at, facts.later(plus.as_ref())?)?,
            Expr::Epoch => self.time(at, Timestamp(0))?,
            Expr::Body(BodyForm::Own) => match self.kind(at) {
                Kind::Json => ExactCell::Text(facts.body_json()?.to_owned()),
                Kind::Bytes => self.blob(at, &facts.answer()?.body)?,
                Kind::Other => ExactCell::Text(facts.body_text()?.to_owned()),
            },
            Expr::Body(BodyForm::Bytes) => self.blob(at, &facts.answer()?.body)?,
            other => {
                let before = match self.cells.get(at) {
                    Some(ExactCell::Text(text)) => Some(text.as_bytes()),
                    _ => None,
                };
                match other.bytes(facts, before)? {
                    None => ExactCell::Null,
                    Some(bytes) => self.text_or_blob(at, bytes)?,
                }
            }
        })
    }

    fn text_or_blob(&self, at: usize, bytes: Vec<u8>) -> Result<ExactCell, String> {
        if self.kind(at) == Kind::Bytes {
            return self.blob(at, &bytes);
        }
        String::from_utf8(bytes)
            .map(ExactCell::Text)
            .map_err(|_| format!("`{}` holds text, and this is none", self.name(at)))
    }

    fn blob(&self, at: usize, bytes: &[u8]) -> Result<ExactCell, String> {
        match (self.kind(at), self.is_sqlite()) {
            (Kind::Bytes, true) => Ok(ExactCell::Blob(bytes.to_vec())),
            (Kind::Bytes, false) => Ok(ExactCell::Text(format!("\\x{}", hex(bytes)))),
            _ => std::str::from_utf8(bytes)
                .map(|text| ExactCell::Text(text.to_owned()))
                .map_err(|_| format!("`{}` holds text, and the body is none", self.name(at))),
        }
    }

    fn number(&self, at: usize, number: i64) -> ExactCell {
        let declared = self.declared(at);
        let is_text = ["char", "text", "clob"]
            .iter()
            .any(|part| declared.contains(part));
        if self.is_sqlite() && !is_text {
            ExactCell::Int(number)
        } else {
            ExactCell::Text(number.to_string())
        }
    }

    /// A time as the column's type, or the times beside it, have it.
    fn time(&self, at: usize, time: Timestamp) -> Result<ExactCell, String> {
        let declared = self.declared(at);
        if !self.is_sqlite() && declared.starts_with("timestamp") {
            let zone = if declared.contains("with time zone") || declared.contains("tz") {
                "+00"
            } else {
                ""
            };
            let text = written(time, ' ', digits_of(&declared), zone);
            return Ok(ExactCell::Text(text));
        }
        let own = self.cells.get(at).filter(|cell| **cell != ExactCell::Null);
        let beside = self.times.iter().filter_map(|other| self.cells.get(*other));
        let like = own
            .into_iter()
            .chain(beside)
            .find_map(|cell| like(cell, time));
        if let Some(cell) = like {
            return Ok(cell);
        }
        if declared.contains("time") || declared.contains("date") {
            return Ok(ExactCell::Text(written(time, ' ', Digits::Exactly(0), "")));
        }
        Err(format!(
            "no other time in this row shows how `{}` is written",
            self.name(at)
        ))
    }

    fn name(&self, at: usize) -> &str {
        self.shape
            .columns
            .get(at)
            .map_or("the column", |column| &column.name)
    }

    fn declared(&self, at: usize) -> String {
        let column = self.shape.columns.get(at);
        column.map_or(String::new(), |column| column.declared.to_ascii_lowercase())
    }

    fn kind(&self, at: usize) -> Kind {
        let declared = self.declared(at);
        let says = |parts: &[&str]| parts.iter().any(|part| declared.contains(part));
        if says(&["json"]) {
            Kind::Json
        } else if says(&["bytea", "blob", "binary"])
            || matches!(self.cells.get(at), Some(ExactCell::Blob(_)))
        {
            Kind::Bytes
        } else {
            Kind::Other
        }
    }

    /// SQLite keeps numbers and bytes as such, and calls its one schema `main`; PostgreSQL gives
    /// everything as text.
    fn is_sqlite(&self) -> bool {
        let typed = |cell: &ExactCell| {
            matches!(
                cell,
                ExactCell::Int(_) | ExactCell::Real(_) | ExactCell::Blob(_)
            )
        };
        let columns = || self.shape.columns.iter().zip(self.cells);
        let is_number_as_text = columns().any(|(column, cell)| {
            column.declared.to_ascii_lowercase().contains("int")
                && matches!(cell, ExactCell::Text(_))
        });
        self.cells.iter().any(typed) || (self.shape.schema == "main" && !is_number_as_text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Json,
    Bytes,
    Other,
}

/// Digits of a second's fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digits {
    /// Without zeros at the end, as PostgreSQL writes.
    Least,
    Exactly(usize),
}

/// `timestamp(0) with time zone` keeps no fraction.
fn digits_of(declared: &str) -> Digits {
    let inner = declared
        .split_once('(')
        .and_then(|(_, rest)| rest.split(')').next());
    match inner.and_then(|digits| digits.parse().ok()) {
        Some(0_usize) => Digits::Exactly(0),
        _ => Digits::Least,
    }
}

fn written(time: Timestamp, between: char, digits: Digits, zone: &str) -> String {
    let date = DateTime::from_timestamp_millis(time.millis()).unwrap_or_default();
    let millis = format!("{:03}", time.millis().rem_euclid(1000));
    let fraction = match digits {
        Digits::Least => millis.trim_end_matches('0').to_owned(),
        Digits::Exactly(digits) => format!("{millis:0<digits$}").chars().take(digits).collect(),
    };
    let point = if fraction.is_empty() { "" } else { "." };
    format!(
        "{}{between}{}{point}{fraction}{zone}",
        date.format("%Y-%m-%d"),
        date.format("%H:%M:%S")
    )
}

/// A time in the form of another; `None` where that is no time.
fn like(cell: &ExactCell, time: Timestamp) -> Option<ExactCell> {
    match cell {
        ExactCell::Int(number) => unit(*number as f64, time).map(ExactCell::Int),
        ExactCell::Real(number) => (1.0e8..1.0e11)
            .contains(number)
            .then(|| ExactCell::Real(time.millis() as f64 / 1000.0)),
        ExactCell::Text(text) => match text.parse::<f64>() {
            Ok(number) => {
                let whole = unit(number, time)?;
                let is_fraction = text.contains('.') && number < 1.0e11;
                Some(ExactCell::Text(if is_fraction {
                    time_text(time, TimeForm::Fraction)
                } else {
                    whole.to_string()
                }))
            }
            Err(_) => like_text(text, time).map(ExactCell::Text),
        },
        ExactCell::Null | ExactCell::Blob(_) | ExactCell::RawText(_) => None,
    }
}

/// The time as a number of the unit that another number's size tells.
fn unit(number: f64, time: Timestamp) -> Option<i64> {
    match number {
        n if n < 1.0e8 => None,
        n if n < 1.0e11 => Some(time.millis().div_euclid(1000)),
        n if n < 1.0e14 => Some(time.millis()),
        n if n < 1.0e17 => time.millis().checked_mul(1000),
        _ => None,
    }
}

fn like_text(text: &str, time: Timestamp) -> Option<String> {
    let between = text.chars().nth(10).filter(|c| matches!(c, ' ' | 'T'))?;
    let clock = text.get(11..)?;
    let is_clock = clock.get(..8)?.bytes().enumerate().all(|(at, byte)| {
        if matches!(at, 2 | 5) {
            byte == b':'
        } else {
            byte.is_ascii_digit()
        }
    });
    if !is_clock {
        return None;
    }
    let rest = clock.get(8..)?;
    let digits = rest.strip_prefix('.').map_or(0, |fraction| {
        fraction.bytes().take_while(u8::is_ascii_digit).count()
    });
    let zone = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    // What had another zone is written in UTC, which is the same moment.
    let zone = match zone {
        "" | "Z" | "+00" | "+00:00" => zone,
        _ => "+00:00",
    };
    Some(written(time, between, Digits::Exactly(digits), zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_like_the_times_beside_it() {
        let now = Timestamp(1_795_953_600_120);
        let of = |cell: ExactCell| like(&cell, now);
        let text = |text: &str| ExactCell::Text(text.to_owned());
        for (beside, expected) in [
            ("2026-11-29T09:00:00Z", "2026-11-29T12:00:00Z"),
            ("2026-11-29 09:00:00.123456", "2026-11-29 12:00:00.120000"),
            ("2026-11-29T09:00:00.1+03:00", "2026-11-29T12:00:00.1+00:00"),
            ("1795950000", "1795953600"),
            ("1795950000.5", "1795953600.120"),
            ("1795950000500", "1795953600120"),
        ] {
            assert_eq!(of(text(beside)), Some(text(expected)), "{beside}");
        }
        assert_eq!(
            of(ExactCell::Int(1_795_950_000)),
            Some(ExactCell::Int(1_795_953_600))
        );
        assert_eq!(of(text("yesterday")), None);
        assert_eq!(of(ExactCell::Int(3)), None);
    }

    #[test]
    fn postgresql_gets_its_own_text() {
        let now = Timestamp(1_795_953_600_120);
        assert_eq!(
            written(now, ' ', digits_of("timestamp with time zone"), "+00"),
            "2026-11-29 12:00:00.12+00"
        );
        assert_eq!(
            written(now, ' ', digits_of("timestamp(0) without time zone"), ""),
            "2026-11-29 12:00:00"
        );
        assert_eq!(
            written(Timestamp(0), ' ', Digits::Least, "+00"),
            "1970-01-01 00:00:00+00"
        );
    }
}
