//! A retry log in the words of a service: where it stands, what its fields are called, what its words
//! mean.
//!
//! Apart from the forms because an entry is no record: it has the fields of the convention and no cases.
//! Invariant: whatever an entry holds, a value comes of it or none; nothing here fails once checked.

use std::collections::{BTreeMap, HashMap};

use super::spec::{LogFieldSpec, LogSpec};
use crate::domain::attempt::{Field, LogUnit, Outcome, key_hash};
use crate::domain::raw::Cell;

/// The name of the raw key among fields: a digest is made of it.
const RAW_KEY: &str = "key";

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogLayout {
    /// `table` or `schema.table`.
    pub tables: Vec<String>,
    /// Names of streams, `*` for anything.
    pub streams: Vec<String>,
    pub wording: Wording,
}

/// What the fields of a log are called and what its words mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wording {
    pub names: Vec<LogName>,
    /// What is the same for every entry and stands in none.
    pub fixed: Vec<(LogPart, String)>,
    /// Words for outcomes beside those of the convention.
    outcomes: HashMap<String, Outcome>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LogName {
    pub part: LogPart,
    pub name: String,
    pub unit: LogUnit,
}

/// What a field of a log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogPart {
    Field(Field),
    /// The key as the client sent it.
    RawKey,
}

/// What a field of an entry says, in the words and units of the convention.
#[derive(Clone, Debug, PartialEq)]
pub enum Given<'a> {
    Nothing,
    Text(&'a str),
    Number(i64),
    Fraction(f64),
    /// Something that can be neither text nor number.
    Garbage,
}

impl LogPart {
    /// Whether it is words rather than a number, whatever a store keeps it as.
    pub fn is_text(self) -> bool {
        use Field::{FingerprintVersion, Number, SampleRate, Status};
        let is_number = matches!(
            self,
            LogPart::Field(Number | Status | FingerprintVersion | SampleRate)
        );
        !is_number && !is_time(self)
    }

    /// What it is called in a layout.
    pub fn name(self) -> &'static str {
        match self {
            LogPart::Field(field) => field.names().1,
            LogPart::RawKey => RAW_KEY,
        }
    }
}

impl LogName {
    /// What a cell of this column says.
    pub fn of_cell<'a>(&self, cell: Cell<'a>, wording: &Wording) -> Given<'a> {
        match cell {
            Cell::Null => Given::Nothing,
            Cell::Bool(is) => self.of_text(if is { "true" } else { "false" }, wording),
            // Bytes are shown as hex with two characters before it.
            Cell::Text(text) => self.of_text(text.strip_prefix("\\x").unwrap_or(text), wording),
            Cell::Int(number) => Given::Number(self.unit.to_millis(number)),
            Cell::Float(number) if number.is_finite() => {
                Given::Fraction(self.unit.fraction_to_millis(number))
            }
            _ => Given::Garbage,
        }
    }

    /// The same of a text.
    pub fn of_text<'a>(&self, text: &'a str, wording: &Wording) -> Given<'a> {
        // A column of fixed width is filled up with spaces.
        let text = text.trim_end();
        if self.part == LogPart::Field(Field::Outcome) {
            let known = wording.outcomes.get(text);
            return Given::Text(known.map_or(text, |outcome| outcome.name()));
        }
        if !is_time(self.part) {
            return Given::Text(text);
        }
        match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(number), _) => Given::Number(self.unit.to_millis(number)),
            (_, Ok(number)) if number.is_finite() => {
                Given::Fraction(self.unit.fraction_to_millis(number))
            }
            _ => Given::Text(text),
        }
    }
}

impl Wording {
    /// The words of the convention, as columns of a table.
    pub fn of_columns() -> Wording {
        Wording::by(|field| field.names().1)
    }

    /// The same as fields of a stream.
    pub fn of_entries() -> Wording {
        Wording::by(|field| field.names().0)
    }

    fn by(name: impl Fn(Field) -> &'static str) -> Wording {
        let names = Field::ALL.into_iter().map(|field| LogName {
            part: LogPart::Field(field),
            name: name(field).to_owned(),
            unit: LogUnit::default(),
        });
        Wording {
            names: names.collect(),
            ..Wording::default()
        }
    }

    pub fn name_of(&self, field: Field) -> Option<&LogName> {
        let part = LogPart::Field(field);
        self.names.iter().find(|name| name.part == part)
    }

    /// What a field of a stream is; it may be more than one thing.
    pub fn named<'w>(&'w self, name: &'w [u8]) -> impl Iterator<Item = &'w LogName> {
        let names = self.names.iter();
        names.filter(move |known| known.name.as_bytes() == name)
    }

    /// Whether every entry has this field, or all have the same.
    pub fn says(&self, field: Field) -> bool {
        let part = LogPart::Field(field);
        self.name_of(field).is_some() || self.fixed.iter().any(|(fixed, _)| *fixed == part)
    }

    /// An entry in the words of the convention, by its names of columns: for samples.
    pub fn told(&self, entry: &BTreeMap<String, Cell<'_>>) -> BTreeMap<&'static str, String> {
        let mut told = BTreeMap::new();
        let mut raw_key = None;
        let mut tell = |part: LogPart, text: String| match part {
            LogPart::Field(field) => drop(told.insert(field.names().1, text)),
            LogPart::RawKey => raw_key = Some(text),
        };
        for (part, text) in &self.fixed {
            tell(*part, text.clone());
        }
        for name in &self.names {
            let Some(cell) = entry.get(&name.name) else {
                continue;
            };
            // As a store is asked for it.
            let as_text = match cell {
                Cell::Int(number) if name.part.is_text() => Some(number.to_string()),
                _ => None,
            };
            let cell = as_text.as_deref().map_or(*cell, Cell::Text);
            let is_rate = name.part == LogPart::Field(Field::SampleRate);
            match name.of_cell(cell, self) {
                Given::Text(text) => tell(name.part, text.to_owned()),
                Given::Number(number) => tell(name.part, number.to_string()),
                Given::Fraction(rate) if is_rate => tell(name.part, rate.to_string()),
                // A fraction of a millisecond is none.
                Given::Fraction(number) => tell(name.part, (number as i64).to_string()),
                Given::Nothing | Given::Garbage => {}
            }
        }
        let is_digest_there = told.contains_key(Field::Key.names().1);
        if let Some(key) = raw_key.filter(|key| !key.is_empty() && !is_digest_there) {
            let scope = told.get(Field::Scope.names().1).map_or("", String::as_str);
            let digest = key_hash(scope, &key);
            told.insert(Field::Key.names().1, digest);
        }
        told
    }
}

impl LogLayout {
    /// Errors: what is wrong, in the words of the file.
    pub fn check(spec: Option<&LogSpec>) -> Result<Option<LogLayout>, String> {
        let Some(spec) = spec else { return Ok(None) };
        if spec.tables.is_empty() && spec.streams.is_empty() {
            return Err("log: neither `tables` nor `streams` says where it stands".to_owned());
        }
        let places = spec.tables.iter().chain(&spec.streams);
        if places.chain(names_of(spec)).any(String::is_empty) {
            return Err("log: an empty text names nothing".to_owned());
        }
        let wording = wording(spec).map_err(|error| format!("log.fields: {error}"))?;
        if wording.name_of(Field::Outcome).is_none() {
            return Err("log: no field says the `outcome`".to_owned());
        }
        if !wording.says(Field::Endpoint) {
            let how = "a field that has it, or a text that it `is` for every entry";
            return Err(format!("log: nothing says the `endpoint`: {how}"));
        }
        if wording.name_of(Field::At).is_none() && !spec.tables.is_empty() {
            return Err("log: no column says the time, `at`".to_owned());
        }
        Ok(Some(LogLayout {
            tables: spec.tables.clone(),
            streams: spec.streams.clone(),
            wording,
        }))
    }

    pub fn is_in_table(&self, schema: &str, table: &str) -> bool {
        let is_it = |name: &String| match name.split_once('.') {
            Some((of, name)) if of == schema && name.eq_ignore_ascii_case(table) => true,
            _ => name.eq_ignore_ascii_case(table),
        };
        self.tables.iter().any(is_it)
    }

    pub fn is_in_stream(&self, name: &[u8]) -> bool {
        let fits = |pattern: &String| matches_glob(pattern.as_bytes(), name);
        self.streams.iter().any(fits)
    }

    /// Names of streams that need not be looked for.
    pub fn exact_streams(&self) -> impl Iterator<Item = &[u8]> {
        let exact = self.streams.iter().filter(|name| !name.contains('*'));
        exact.map(|name| name.as_bytes())
    }
}

fn wording(spec: &LogSpec) -> Result<Wording, String> {
    let mut wording = Wording::default();
    for (field, called) in &spec.fields {
        let part = part_named(field)?;
        let detail = match called {
            LogFieldSpec::Name(name) => Some((name, None)),
            LogFieldSpec::Detailed(detail) => match (&detail.from, &detail.is) {
                (Some(from), None) => Some((from, detail.unit.as_deref())),
                (None, Some(text)) if detail.unit.is_none() && is_fixable(part, text) => {
                    wording.fixed.push((part, text.clone()));
                    None
                }
                (None, Some(_)) => {
                    return Err(format!("`{field}` cannot be that for every entry"));
                }
                _ => return Err(format!("`{field}` has either `from` or `is`")),
            },
        };
        if let Some((name, unit)) = detail {
            wording.names.push(LogName {
                part,
                name: name.clone(),
                unit: unit_named(part, unit)?,
            });
        }
    }
    for (word, outcome) in &spec.outcomes {
        let outcome = Outcome::of_name(outcome).ok_or_else(|| {
            let known: Vec<&str> = Outcome::ALL.iter().map(|known| known.name()).collect();
            format!("`{outcome}` is no outcome: there are {}", known.join(", "))
        })?;
        wording.outcomes.insert(word.clone(), outcome);
    }
    Ok(wording)
}

fn part_named(name: &str) -> Result<LogPart, String> {
    let all = || {
        Field::ALL
            .into_iter()
            .map(LogPart::Field)
            .chain([LogPart::RawKey])
    };
    all().find(|part| part.name() == name).ok_or_else(|| {
        let known: Vec<&str> = all().map(LogPart::name).collect();
        let known = known.join(", ");
        format!("no field of a log is called `{name}`: there are {known}")
    })
}

/// All that is said to be the name of a field, or to stand in every entry.
fn names_of(spec: &LogSpec) -> impl Iterator<Item = &String> {
    spec.fields.values().filter_map(|called| match called {
        LogFieldSpec::Name(name) => Some(name),
        LogFieldSpec::Detailed(detail) => detail.from.as_ref().or(detail.is.as_ref()),
    })
}

/// What one service may be alone with.
fn is_fixable(part: LogPart, text: &str) -> bool {
    use Field::{Client, Endpoint, Instance, SampleRate, Scope};
    match part {
        LogPart::Field(Scope | Endpoint | Client | Instance) => true,
        LogPart::Field(SampleRate) => text
            .parse::<f64>()
            .is_ok_and(|rate| rate > 0.0 && rate <= 1.0),
        LogPart::Field(_) | LogPart::RawKey => false,
    }
}

/// A point in time, or a period.
fn is_time(part: LogPart) -> bool {
    use Field::{At, Duration, SinceFirst};
    matches!(part, LogPart::Field(At | Duration | SinceFirst))
}

fn unit_named(part: LogPart, unit: Option<&str>) -> Result<LogUnit, String> {
    let Some(unit) = unit else {
        return Ok(LogUnit::default());
    };
    if !is_time(part) {
        return Err(format!("a `unit` is for times, not for this: `{unit}`"));
    }
    LogUnit::named(unit).ok_or_else(|| format!("`{unit}` is no unit of a log: s, ms or us"))
}

/// Whether a name fits a pattern in which `*` stands for any bytes.
fn matches_glob(pattern: &[u8], name: &[u8]) -> bool {
    let mut pieces = pattern.split(|byte| *byte == b'*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut pieces: Vec<&[u8]> = pieces.collect();
    let Some(last) = pieces.pop() else {
        return rest.is_empty();
    };
    for piece in pieces {
        let found = match piece {
            [] => Some(0),
            piece => rest.windows(piece.len()).position(|window| window == piece),
        };
        match found {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layouts::check;

    #[test]
    fn a_star_stands_for_any_bytes() {
        for (pattern, name, fits) in [
            ("a:*:log", "a:eu:log", true),
            ("a:*:log", "a::log", true),
            ("a:*:log", "a:log", false),
            ("*log*", "idem:log:pay", true),
            ("a*b*c", "a-b-b-c", true),
            ("ab*ba", "aba", false),
            ("log", "log", true),
            ("log", "logs", false),
        ] {
            let found = matches_glob(pattern.as_bytes(), name.as_bytes());
            assert_eq!(found, fits, "{pattern} {name}");
        }
    }

    #[test]
    fn a_mistake_stands_where_it_was_made() {
        let text = |unit: &str, word: &str| {
            format!(
                "id = \"x\"\ntitle = \"t\"\nclass = \"c\"\n[log]\ntables = [\"t\"]\n[log.fields]\n\
                 at = {{ from = \"ts\", unit = \"{unit}\" }}\nendpoint = \"e\"\noutcome = \"o\"\n\
                 [log.outcomes]\nok = \"{word}\"\ndup = \"replayed\"\n"
            )
        };
        check(&text("s", "executed")).expect("a layout");
        let of = |unit, word| check(&text(unit, word)).expect_err("a mistake");
        assert_eq!(of("ns", "executed").line, Some(7));
        assert_eq!(of("s", "melted").line, Some(11));
    }
}
