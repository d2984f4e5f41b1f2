//! What the table of keys shows: each row's cells.

use super::columns::ColumnPlace;
use crate::app::State;
use crate::app::state::Times;
use crate::app::view::ColumnName::{
    Address, Age, Created, Ended, Hash, Key, Layout, Mark, Operation, Replays, Response, Scope,
    Status, Tries, Ttl,
};
use crate::app::view::{End, KeysRow};
use crate::present::clock::{self, Offset};
use crate::present::say::say;
use crate::present::words::{NOT_TOLD, Standing, never_expires, passed};
use crate::present::{escape, span};
use crate::ui::theme::{Text, Tone, word_tone};
use crate::ui::widgets::span::{Span, stored_end, stored_middle};

/// How many characters of the monospace font fit a column.
pub fn chars_of(width: f32, advance: f32) -> usize {
    ((width - 15.0) / advance).max(4.0) as usize
}

/// How rows are put into words.
#[derive(Clone, Copy, Debug)]
pub struct Wording {
    pub now: crate::domain::Timestamp,
    pub times: Times,
    pub offset: Offset,
    /// Width of a character of the monospace font.
    pub advance: f32,
}

impl Wording {
    pub fn of(state: &State, advance: f32) -> Wording {
        Wording {
            now: state.now(),
            times: state.settings.times,
            offset: state.clock.offset,
            advance,
        }
    }
}

/// The text of a cell.
pub fn cell(row: &KeysRow, column: ColumnPlace, wording: &Wording) -> Vec<Span> {
    let chars = chars_of(column.width, wording.advance);
    match column.name {
        Mark => Vec::new(),
        Status => vec![Span::body(row.standing.word(), word_tone(row.standing))],
        Key => match &row.key {
            Some(key) => stored_middle(key, chars, Text::Mono, Tone::Primary),
            None => stored_middle(&row.address, chars, Text::Mono, Tone::Secondary),
        },
        Scope => match &row.scope {
            Some(scope) => stored_end(scope, chars, Text::Mono, Tone::Secondary),
            None => not_told(),
        },
        Operation => operation(row, chars),
        Age => age(row, wording),
        Ttl => ttl(row, wording),
        Hash => match &row.hash {
            Some(hash) => stored_start(hash, 8),
            None => not_told(),
        },
        Tries => match row.attempts {
            Some(tries) if tries > 1 => vec![Span::mono(tries.to_string(), Tone::Primary)],
            Some(tries) => vec![Span::mono(tries.to_string(), Tone::Tertiary)],
            None => not_told(),
        },
        Response => match row.response {
            Some(code) if code >= 500 => vec![Span::mono(code.to_string(), Tone::Failed)],
            Some(code) => vec![Span::mono(code.to_string(), Tone::Primary)],
            None => not_told(),
        },
        Replays => match row.replays {
            Some(count) => vec![Span::mono(count.to_string(), Tone::Primary)],
            None => not_told(),
        },
        Created => time_of_day(row.created, wording),
        Ended => time_of_day(row.ended, wording),
        Layout => stored_end(&row.layout, chars, Text::Mono, Tone::Secondary),
        Address => stored_middle(&row.address, chars, Text::Mono, Tone::Secondary),
    }
}

fn time_of_day(at: Option<crate::domain::Timestamp>, wording: &Wording) -> Vec<Span> {
    let offset = match wording.times {
        Times::Utc => Offset::UTC,
        Times::Ages | Times::Local => wording.offset,
    };
    match at {
        Some(at) => {
            let text = clock::time_of_day(at, wording.now, offset);
            vec![Span::mono(text, Tone::Secondary)]
        }
        None => not_told(),
    }
}

fn not_told() -> Vec<Span> {
    vec![Span::mono(NOT_TOLD, Tone::Tertiary)]
}

fn stored_start(text: &str, chars: usize) -> Vec<Span> {
    let start: String = text.chars().take(chars).collect();
    vec![Span::mono(escape::shown(&start, 40), Tone::Tertiary)]
}

pub fn operation(row: &KeysRow, chars: usize) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut left = chars;
    if let Some(method) = &row.method {
        let method = escape::shown(method, 10);
        left = left.saturating_sub(method.chars().count() + 1);
        spans.push(Span::mono(format!("{method} "), Tone::Secondary));
    }
    match &row.operation {
        Some(path) => spans.extend(path_spans(path, left)),
        None if spans.is_empty() => return not_told(),
        None => {}
    }
    spans
}

/// A path keeps its last part.
fn path_spans(path: &str, chars: usize) -> Vec<Span> {
    if path.chars().count() > chars
        && let Some((_, last)) = path.rsplit_once('/')
        && path.starts_with('/')
        && last.chars().count() + 3 <= chars
        && !last.is_empty()
    {
        let mut spans = vec![
            Span::mono("/", Tone::Primary),
            Span::mono("…", Tone::Tertiary),
            Span::mono("/", Tone::Primary),
        ];
        spans.extend(stored_end(last, chars - 3, Text::Mono, Tone::Primary));
        return spans;
    }
    stored_end(path, chars, Text::Mono, Tone::Primary)
}

pub fn age(row: &KeysRow, wording: &Wording) -> Vec<Span> {
    let tone = match row.standing {
        Standing::Stuck => Tone::Stuck,
        _ => Tone::Primary,
    };
    let text = match (wording.times, row.age, row.age_start) {
        (Times::Ages, Some(age), _) => span::column(age),
        (Times::Local, _, Some(at)) => clock::time_of_day(at, wording.now, wording.offset),
        (Times::Utc, _, Some(at)) => clock::time_of_day(at, wording.now, Offset::UTC),
        _ => return not_told(),
    };
    let mut spans = vec![Span::mono(text, tone)];
    if row.is_age_inferred {
        spans.insert(0, Span::mono("~", Tone::Tertiary));
    }
    spans
}

pub fn ttl(row: &KeysRow, wording: &Wording) -> Vec<Span> {
    let text = match (row.end, wording.times) {
        (End::NotTold, _) => return not_told(),
        (End::Never, _) => return vec![Span::mono(never_expires(), Tone::Tertiary)],
        (End::At(at), Times::Ages) if at < wording.now => {
            return vec![Span::mono(passed(), Tone::Tertiary)];
        }
        (End::At(at), Times::Ages) => span::column(wording.now.until(at)),
        (End::At(at), Times::Local) => clock::time_of_day(at, wording.now, wording.offset),
        (End::At(at), Times::Utc) => clock::time_of_day(at, wording.now, Offset::UTC),
    };
    vec![Span::mono(text, Tone::Secondary)]
}

/// What a cell says whole where it was cut, and times with their date and offset.
pub fn hint(row: &KeysRow, column: ColumnPlace, wording: &Wording) -> Option<String> {
    let chars = chars_of(column.width, wording.advance);
    let time = |at| {
        let local = clock::iso_local(at, wording.offset);
        Some(format!("{local}\n{}", clock::iso_utc(at)))
    };
    let text = match column.name {
        Key => row.key.as_deref().or(Some(row.address.as_str())),
        Scope => row.scope.as_deref(),
        Operation => row.operation.as_deref(),
        Hash => row.hash.as_deref(),
        Age => return row.age_start.and_then(time),
        Ttl => {
            return match row.end {
                End::At(at) => time(at),
                End::Never => None,
                End::NotTold => Some(say!("keys-not-told")),
            };
        }
        Created => return row.created.and_then(time),
        Ended => return row.ended.and_then(time),
        Layout => Some(row.layout.as_str()),
        Address => Some(row.address.as_str()),
        Mark | Status | Tries | Response | Replays => None,
    }?;
    (text.chars().count() > chars || column.name == Hash).then(|| escape::shown(text, 1000))
}

/// What a screen reader says of a row.
pub fn row_name(row: &KeysRow, wording: &Wording) -> String {
    named(&row.standing.word(), row, wording)
}

/// The same with another word in front.
pub fn named(word: &str, row: &KeysRow, wording: &Wording) -> String {
    let mut parts = vec![word.to_owned()];
    let key = row.key.as_deref().unwrap_or(&row.address);
    parts.push(escape::shown(key, 300));
    let operation: Vec<&str> = [&row.method, &row.operation]
        .into_iter()
        .filter_map(|part| part.as_deref())
        .collect();
    if !operation.is_empty() {
        parts.push(escape::shown(&operation.join(" "), 300));
    }
    if let Some(scope) = &row.scope {
        parts.push(say!("keys-name-scope", scope = escape::shown(scope, 100)));
    }
    if let Some(age) = row.age {
        let age = span::sentence(age);
        parts.push(match row.standing {
            Standing::Stuck | Standing::Processing => say!("keys-name-locked", age = age),
            _ => say!("keys-name-age", age = age),
        });
    }
    if let (Standing::Stuck, Some(past)) = (row.standing, row.past_lease) {
        parts.push(say!("keys-name-past", past = span::sentence(past)));
    }
    match row.end {
        End::Never => parts.push(say!("keys-name-never")),
        End::At(at) if at < wording.now => parts.push(say!("keys-name-passed")),
        End::At(at) => {
            let left = span::sentence(wording.now.until(at));
            parts.push(say!("keys-name-expires", left = left));
        }
        End::NotTold => {}
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings::Settings;
    use crate::domain::{Duration, Timestamp};
    use crate::ui::panels::keys::columns::columns;
    use crate::ui::widgets::span::plain;

    fn row() -> KeysRow {
        KeysRow {
            standing: Standing::Stuck,
            key: Some("a8098c1a-f86e-41da-bd1a-00112444be1e".to_owned()),
            address: "t/a".to_owned(),
            scope: Some("user_42".to_owned()),
            method: Some("POST".to_owned()),
            operation: Some("/payments/7f3a/capture".to_owned()),
            age: Some(Duration::secs(19 * 60)),
            age_start: Some(Timestamp(0)),
            is_age_inferred: false,
            past_lease: Some(Duration::secs(14 * 60)),
            end: End::At(Timestamp(24 * 3_600_000)),
            hash: Some("3f2a9c41d80e".to_owned()),
            attempts: Some(6),
            has_problems: false,
            response: None,
            replays: None,
            created: None,
            ended: None,
            layout: "plain-article".to_owned(),
        }
    }

    fn wording() -> Wording {
        Wording {
            now: Timestamp(19 * 60_000),
            times: Times::Ages,
            offset: Offset::UTC,
            advance: 7.2,
        }
    }

    #[track_caller]
    fn check(row: &KeysRow, width: f32, expected: &str) {
        let cells: Vec<String> = columns(width, &Settings::default())
            .into_iter()
            .filter(|column| column.name != Mark)
            .map(|column| plain(&cell(row, column, &wording())))
            .collect();
        assert_eq!(cells.join(" | "), expected);
    }

    #[test]
    fn a_row_reads_as_in_the_pictures() {
        check(
            &row(),
            876.0,
            "Stuck | a8098c1a-f86e-4…112444be1e | user_42 | POST /…/capture \
             | 19m | 23h 41m | 3f2a9c41 | 6",
        );
        check(
            &row(),
            584.0,
            "Stuck | a8098c1a-f86e-…2444be1e | POST /…/capture | 19m | 23h 41m",
        );
    }

    #[test]
    fn hostile_texts_are_escaped() {
        let mut hostile = row();
        hostile.key = Some("a\u{202e}b".to_owned());
        hostile.scope = None;
        hostile.operation = Some("x".repeat(500));
        hostile.method = None;
        check(
            &hostile,
            876.0,
            "Stuck | a<U+202E>b | – | xxxxxxxxxxxxxxxxxxxxxxxx… | 19m | 23h 41m | 3f2a9c41 | 6",
        );
    }

    #[test]
    fn a_screen_reader_hears_the_whole_row() {
        assert_eq!(
            row_name(&row(), &wording()),
            "Stuck, a8098c1a-f86e-41da-bd1a-00112444be1e, POST /payments/7f3a/capture, \
             scope user_42, locked for 19 min, 14 min past its lease, expires in 23 h 41 min"
        );
    }
}
