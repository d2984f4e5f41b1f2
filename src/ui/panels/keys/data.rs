//! What the table of keys shows: columns that fit, and each row's cells.

use crate::app::State;
use crate::app::state::Times;
use crate::app::view::{Direction, End, KeysRow, SortField};
use crate::present::clock::{self, Offset};
use crate::present::words::{EXPIRED, NEVER_EXPIRES, NOT_TOLD, Standing};
use crate::present::{escape, span};
use crate::ui::theme::{Text, Tone, word_tone};
use crate::ui::widgets::span::{Span, stored_end, stored_middle};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnName {
    Mark,
    Status,
    Key,
    Scope,
    Operation,
    Age,
    Ttl,
    Hash,
    Tries,
}

/// A column in sight with its width in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnPlace {
    pub name: ColumnName,
    pub width: f32,
}

use ColumnName::{Age, Hash, Key, Mark, Operation, Scope, Status, Tries, Ttl};

const COLUMNS: [(ColumnName, f32); 9] = [
    (Mark, 28.0),
    (Status, 104.0),
    (Key, 206.0),
    (Scope, 82.0),
    (Operation, 200.0),
    (Age, 66.0),
    (Ttl, 70.0),
    (Hash, 72.0),
    (Tries, 48.0),
];
/// What goes first where there is little room.
const DROPPED: [ColumnName; 4] = [Tries, Hash, Scope, Ttl];
/// Narrower than this a column says nothing.
const OPERATION_MIN: f32 = 132.0;
const KEY_MIN: f32 = 172.0;
/// A time of day needs more room than an age.
const TIME_WIDTH: f32 = 116.0;

impl ColumnName {
    pub fn title(self) -> &'static str {
        match self {
            Mark => "",
            Status => "Status",
            Key => "Key",
            Scope => "Scope",
            Operation => "Operation",
            Age => "Age",
            Ttl => "TTL",
            Hash => "Hash",
            Tries => "Tries",
        }
    }

    pub fn is_number(self) -> bool {
        matches!(self, Age | Ttl | Tries)
    }

    pub fn sort_field(self) -> SortField {
        match self {
            Mark => SortField::Usual,
            Status => SortField::Status,
            Key => SortField::Key,
            Scope => SortField::Scope,
            Operation => SortField::Operation,
            Age => SortField::Age,
            Ttl => SortField::Ttl,
            Hash => SortField::Hash,
            Tries => SortField::Attempts,
        }
    }
}

/// The columns that fit a width; the key takes what is left over.
pub fn columns(width: f32, times: Times) -> Vec<ColumnPlace> {
    let mut columns: Vec<ColumnPlace> = COLUMNS
        .into_iter()
        .map(|(name, width)| ColumnPlace {
            name,
            width: match (name, times) {
                (Age | Ttl, Times::Local | Times::Utc) => TIME_WIDTH,
                _ => width,
            },
        })
        .collect();
    let sum = |columns: &[ColumnPlace]| columns.iter().map(|column| column.width).sum::<f32>();
    for dropped in DROPPED {
        // The last one to go stays while others can give room.
        let give = match dropped {
            Ttl => 200.0 - OPERATION_MIN + 206.0 - KEY_MIN,
            _ => 0.0,
        };
        if sum(&columns) - give <= width {
            break;
        }
        columns.retain(|column| column.name != dropped);
    }
    let mut short = sum(&columns) - width;
    for (name, least) in [(Operation, OPERATION_MIN), (Key, KEY_MIN)] {
        let column = columns.iter_mut().find(|column| column.name == name);
        if let (Some(column), true) = (column, short > 0.0) {
            let give = short.min(column.width - least);
            column.width -= give;
            short -= give;
        }
    }
    // Spare room: the key first, up to what a UUID needs, then the operation.
    let mut spare = -short;
    for (name, most) in [(Key, 284.0), (Operation, 320.0), (Key, f32::INFINITY)] {
        let column = columns.iter_mut().find(|column| column.name == name);
        if let (Some(column), true) = (column, spare > 0.0) {
            let take = spare.min((most - column.width).max(0.0));
            column.width += take;
            spare -= take;
        }
    }
    columns
}

/// Whether a column's header shows how the rows are sorted.
pub fn sorted(state: &State, name: ColumnName) -> Option<Direction> {
    let order = state.keys.order;
    match (order.field, name) {
        (SortField::Usual, Status) => Some(Direction::Descending),
        (SortField::Usual, _) | (_, Mark) => None,
        (field, name) => (field == name.sort_field()).then_some(order.direction),
    }
}

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
        (End::Never, _) => return vec![Span::mono(NEVER_EXPIRES, Tone::Tertiary)],
        (End::At(at), Times::Ages) if at < wording.now => {
            return vec![Span::mono(EXPIRED, Tone::Tertiary)];
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
                End::NotTold => Some("Not told by the layout".to_owned()),
            };
        }
        Mark | Status | Tries => None,
    }?;
    (text.chars().count() > chars || column.name == Hash).then(|| escape::shown(text, 1000))
}

/// What a screen reader says of a row.
pub fn row_name(row: &KeysRow, wording: &Wording) -> String {
    named(row.standing.word(), row, wording)
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
        parts.push(format!("scope {}", escape::shown(scope, 100)));
    }
    if let Some(age) = row.age {
        let words = match row.standing {
            Standing::Stuck | Standing::Processing => "locked for",
            _ => "age",
        };
        parts.push(format!("{words} {}", span::sentence(age)));
    }
    if let (Standing::Stuck, Some(past)) = (row.standing, row.past_lease) {
        parts.push(format!("{} past its lease", span::sentence(past)));
    }
    match row.end {
        End::Never => parts.push("never expires".to_owned()),
        End::At(at) if at < wording.now => parts.push("expiry passed".to_owned()),
        End::At(at) => {
            let left = span::sentence(wording.now.until(at));
            parts.push(format!("expires in {left}"));
        }
        End::NotTold => {}
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Duration, Timestamp};
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
        let cells: Vec<String> = columns(width, Times::Ages)
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
    fn columns_go_in_their_order() {
        let names = |width| -> Vec<ColumnName> {
            let columns = columns(width, Times::Ages);
            columns.into_iter().map(|column| column.name).collect()
        };
        assert_eq!(names(876.0).len(), 9);
        assert!(!names(870.0).contains(&Tries));
        assert!(!names(800.0).contains(&Hash));
        assert!(!names(750.0).contains(&Scope) && names(750.0).contains(&Ttl));
        assert_eq!(names(600.0), [Mark, Status, Key, Operation, Age, Ttl]);
        assert_eq!(names(500.0), [Mark, Status, Key, Operation, Age]);
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
