//! What one term asks of a record, read from its value.
//!
//! Errors say what was expected and what may have been meant; the caller knows where it stands.

use super::field::{Fact, Field};
use super::pattern::{Mode, Pattern, Quoting};
use crate::domain::{Duration, ProblemCode, Status};
use crate::present::suggest::closest;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Is,
    More,
    Less,
    AtLeast,
    AtMost,
}

impl Compare {
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Compare::Is => left == right,
            Compare::More => left > right,
            Compare::Less => left < right,
            Compare::AtLeast => left >= right,
            Compare::AtMost => left <= right,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Test {
    Is(Fact),
    Status(Status),
    /// A text field.
    Text(Pattern),
    Response(Compare, i64),
    /// `5xx`: the hundreds.
    ResponseClass(i64),
    HasResponse,
    NoResponse,
    Span(Compare, Duration),
    NeverExpires,
    Passed,
    UnknownExpiry,
    Number(Compare, i64),
    Problem(ProblemCode),
    AnyProblem,
    NoProblem,
    /// A bare word: any of the texts.
    Word(Pattern),
}

/// A value as it was written.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub compare: Compare,
    pub text: String,
    pub quoting: Quoting,
}

/// Why a value is none, without the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misfit {
    pub text: String,
    pub hint: Option<String>,
}

impl Misfit {
    fn of(field: Field, value: &str) -> Misfit {
        let meant = closest(value, field.values());
        Misfit {
            text: format!("Expected {}", field.expects()),
            hint: meant.map(|meant| format!("did you mean `{}:{meant}`?", field.name())),
        }
    }
}

pub(super) fn test(field: Field, written: &Written) -> Result<Test, Misfit> {
    let Written {
        compare,
        text,
        quoting,
    } = written;
    let misfit = || Misfit::of(field, text);
    if text.is_empty() {
        return Err(misfit());
    }
    let word = text.to_ascii_lowercase();
    let is = *compare == Compare::Is;
    let number = || text.parse::<i64>().map_err(|_| misfit());
    match field {
        Field::Is if is => {
            let fact = Fact::ALL.into_iter().find(|fact| fact.name() == word);
            fact.map(Test::Is).ok_or_else(misfit)
        }
        Field::Status if is => Status::from_name(&word)
            .map(Test::Status)
            .ok_or_else(misfit),
        Field::Problem if is => problem(&word).ok_or_else(misfit),
        Field::Is | Field::Status | Field::Problem => Err(misfit()),
        Field::Response => response(*compare, &word).ok_or_else(misfit),
        Field::Attempts | Field::Replays => Ok(Test::Number(*compare, number()?)),
        Field::Ttl if is => match word.as_str() {
            "never" => Ok(Test::NeverExpires),
            "passed" => Ok(Test::Passed),
            "unknown" => Ok(Test::UnknownExpiry),
            _ => Err(span_misfit(field, text)),
        },
        Field::Age if is => Err(span_misfit(field, text)),
        Field::Age | Field::Ttl => {
            let span = Duration::parse(&word).ok_or_else(misfit)?;
            Ok(Test::Span(*compare, span))
        }
        _ if !is => Err(Misfit {
            text: format!("`{}` is a text and has no more or less", field.name()),
            hint: Some(format!("write `{}:{text}`", field.name())),
        }),
        _ => Ok(Test::Text(Pattern::new(text, mode(field), *quoting))),
    }
}

/// A span without more or less: nothing is exactly ten minutes old.
fn span_misfit(field: Field, text: &str) -> Misfit {
    let mut misfit = Misfit::of(field, text);
    if Duration::parse(text).is_some() {
        misfit.hint = Some(format!("write `{0}>{text}` or `{0}<{text}`", field.name()));
    }
    misfit
}

fn mode(field: Field) -> Mode {
    match field {
        Field::Key | Field::Hash | Field::Digest => Mode::Beginning,
        Field::Path => Mode::Path,
        Field::Operation | Field::Address | Field::Layout | Field::Source => Mode::Part,
        _ => Mode::Whole,
    }
}

fn problem(word: &str) -> Option<Test> {
    match word {
        "any" => Some(Test::AnyProblem),
        "none" => Some(Test::NoProblem),
        word => ProblemCode::ALL
            .into_iter()
            .find(|code| code.name() == word)
            .map(Test::Problem),
    }
}

fn response(compare: Compare, word: &str) -> Option<Test> {
    if compare == Compare::Is {
        match word {
            "any" => return Some(Test::HasResponse),
            "none" => return Some(Test::NoResponse),
            _ => {}
        }
        if let Some(class) = word.strip_suffix("xx") {
            let class = class.parse().ok().filter(|class| (1..=9).contains(class))?;
            return Some(Test::ResponseClass(class));
        }
    }
    let code = word.parse().ok().filter(|code| (0..1000).contains(code))?;
    Some(Test::Response(compare, code))
}
