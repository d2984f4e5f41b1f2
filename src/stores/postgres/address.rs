//! Rows by their addresses: a column compared with a text, in its own type.
//!
//! Apart from the questions because lists and exact reading address rows in the same way.

use super::super::sql::column;
use crate::domain::raw::ColumnKind;

/// A column compared with a bound text, in its own type where an index can serve it. `None` for a
/// value that no row can have.
pub fn condition(kind: Option<ColumnKind>, name: &str, value: &str, bind: &str) -> Option<String> {
    if value.contains('\0') {
        return None; // PostgreSQL's text holds no NUL
    }
    if name == "ctid" {
        // Tables without a primary key are addressed by it.
        return is_tid(value).then(|| format!("t.ctid = {bind}::text::tid"));
    }
    let side = column(name);
    match kind {
        Some(ColumnKind::Int) => {
            let whole = value
                .parse::<i64>()
                .is_ok_and(|number| number.to_string() == value);
            whole.then(|| format!("{side} = {bind}::text::bigint"))
        }
        Some(ColumnKind::Uuid) => is_uuid(value).then(|| format!("{side} = {bind}::text::uuid")),
        Some(ColumnKind::Bytes) => {
            let is_hex =
                value.len().is_multiple_of(2) && value.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_hex.then(|| format!("{side} = decode({bind}::text, 'hex')"))
        }
        Some(ColumnKind::Time) => {
            moment(value, "timestamptz", bind).map(|at| format!("{side} = {at}"))
        }
        Some(ColumnKind::NaiveTime) => {
            moment(value, "timestamp", bind).map(|at| format!("{side} = {at}"))
        }
        Some(ColumnKind::Text) => Some(text_condition(&side, value, bind)),
        _ => Some(format!("{side}::text = {bind}")),
    }
}

/// As [`condition`], for a column of an address, where an empty text also stands for what is not
/// there.
pub fn part_of_address(
    kind: Option<ColumnKind>,
    name: &str,
    value: &str,
    bind: &str,
) -> Option<String> {
    let equal = condition(kind, name, value, bind);
    if !value.is_empty() {
        return equal;
    }
    // What is bound stands in it in any case, since the server asks for its type.
    let is_null = format!("({} IS NULL AND {bind}::text = '')", column(name));
    Some(match equal {
        Some(equal) => format!("({equal} OR {is_null})"),
        None => is_null,
    })
}

/// Text compared with a bound text. Fixed width is padded with blanks, which a comparison does not
/// count; text that is not UTF-8, which only a database without an encoding holds, is addressed by
/// the digits of its bytes.
fn text_condition(side: &str, value: &str, bind: &str) -> String {
    let is_hex = !value.is_empty()
        && value.len().is_multiple_of(2)
        && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    if value.ends_with(' ') {
        format!(
            "({side} IN ({bind}::text, rtrim({bind}::text, ' ')) \
             AND ({side}::text = {bind}::text OR pg_typeof({side}) = 'character'::regtype))"
        )
    } else if is_hex {
        format!(
            "{side} IN ({bind}::text, CASE getdatabaseencoding() WHEN 'SQL_ASCII' \
             THEN convert_from(decode({bind}::text, 'hex'), 'SQL_ASCII') END)"
        )
    } else {
        format!("{side} = {bind}::text")
    }
}

/// Microseconds since the epoch, as [`cells`] reads a time, in the server's type.
fn moment(value: &str, kind: &str, bind: &str) -> Option<String> {
    // What lies outside is no time of the server's, but `infinity`.
    let range = -210_000_000_000_000_000..9_000_000_000_000_000_000_i64;
    let micros: i64 = value.parse().ok()?;
    range.contains(&micros).then(|| {
        format!(
            "{kind} 'epoch' + {bind}::text::bigint / 1000000 * interval '1 second' \
             + {bind}::text::bigint % 1000000 * interval '1 microsecond'"
        )
    })
}

/// `(block,row)`.
fn is_tid(text: &str) -> bool {
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    inner
        .and_then(|inner| inner.split_once(','))
        .is_some_and(|(block, row)| block.parse::<u32>().is_ok() && row.parse::<u16>().is_ok())
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
