//! A filter made ready for one snapshot at one moment.
//!
//! What depends only on a scope, an operation or a source is answered once for each of these, not
//! for each row. Invariant: matching a row of packed texts allocates nothing.

use super::field::{Fact, Field};
use super::parse::Sign;
use super::pattern::Pattern;
use super::test::Test;
use super::{Filter, Question};
use crate::domain::{ProblemCode, Status, Stuck, Timestamp};
use crate::inspect::catalogue::{ExpiryKind, Operation, RowView, Snapshot};

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct Room {
    text: Vec<u8>,
    lower: Vec<u8>,
}

#[derive(Debug)]
pub struct Matcher<'f> {
    groups: Vec<Group<'f>>,
    now: Timestamp,
}

/// Alternatives of one field; the row must fit one of them, or none where they are negative.
#[derive(Debug)]
struct Group<'f> {
    sign: Sign,
    checks: Vec<Check<'f>>,
}

#[derive(Debug)]
enum Check<'f> {
    /// Answers by the number of the row's scope.
    Scope {
        answers: Vec<bool>,
        pattern: &'f Pattern,
    },
    /// Answers by the number of the row's operation.
    Operation {
        answers: Vec<bool>,
        field: Field,
        pattern: &'f Pattern,
    },
    /// Answers by source.
    Source(Vec<bool>),
    Word {
        scopes: Vec<bool>,
        operations: Vec<bool>,
        pattern: &'f Pattern,
    },
    Plain(Field, &'f Test),
}

impl<'f> Matcher<'f> {
    pub fn new(filter: &'f Filter, snapshot: &Snapshot, now: Timestamp) -> Matcher<'f> {
        let mut groups: Vec<Group<'f>> = filter
            .questions
            .iter()
            .map(|question| group(question, snapshot))
            .collect();
        groups.sort_by_key(|group| group.checks.iter().map(Check::cost).sum::<u32>());
        Matcher { groups, now }
    }

    pub fn fits(&self, row: &RowView<'_>, room: &mut Room) -> bool {
        self.groups.iter().all(|group| {
            let fits = group
                .checks
                .iter()
                .any(|check| check.fits(row, self.now, room));
            fits == (group.sign == Sign::With)
        })
    }
}

fn group<'f>(question: &'f Question, snapshot: &Snapshot) -> Group<'f> {
    let field = question.field;
    let checks = question.tests.iter().map(|test| match test {
        Test::Word(pattern) => Check::Word {
            scopes: scope_answers(snapshot, pattern),
            operations: operation_answers(snapshot, Field::Operation, pattern),
            pattern,
        },
        Test::Text(pattern) => match field {
            Some(Field::Scope) => Check::Scope {
                answers: scope_answers(snapshot, pattern),
                pattern,
            },
            Some(field @ (Field::Operation | Field::Method | Field::Path)) => Check::Operation {
                answers: operation_answers(snapshot, field, pattern),
                field,
                pattern,
            },
            Some(Field::Layout) => Check::Source(source_answers(snapshot, pattern, |source| {
                source.layout.id.to_string()
            })),
            Some(Field::Source) => Check::Source(source_answers(snapshot, pattern, |source| {
                source.place_text()
            })),
            other => Check::Plain(other.unwrap_or(Field::Key), test),
        },
        test => Check::Plain(field.unwrap_or(Field::Key), test),
    });
    Group {
        sign: question.sign,
        checks: checks.collect(),
    }
}

/// The answer for every scope with a number; the first is for rows that have none.
fn scope_answers(snapshot: &Snapshot, pattern: &Pattern) -> Vec<bool> {
    let mut room = Vec::new();
    (0..=snapshot.scope_numbers() as u32)
        .map(|number| {
            let scope = snapshot.scope_of(number);
            scope.is_some_and(|scope| pattern.fits_any_case(&scope, &mut room))
        })
        .collect()
}

fn operation_answers(snapshot: &Snapshot, field: Field, pattern: &Pattern) -> Vec<bool> {
    let mut room = Vec::new();
    (0..=snapshot.operation_numbers() as u32)
        .map(|number| operation_fits(&snapshot.operation_of(number), field, pattern, &mut room))
        .collect()
}

fn operation_fits(
    operation: &Operation<'_>,
    field: Field,
    pattern: &Pattern,
    room: &mut Vec<u8>,
) -> bool {
    let mut fits = |text: Option<&str>| text.is_some_and(|text| pattern.fits_any_case(text, room));
    match field {
        Field::Method => fits(operation.method),
        Field::Path => fits(operation.path),
        _ => fits(operation.name) || fits(operation.text().as_deref()),
    }
}

fn source_answers(
    snapshot: &Snapshot,
    pattern: &Pattern,
    text: impl Fn(&crate::layouts::Source) -> String,
) -> Vec<bool> {
    let mut room = Vec::new();
    snapshot
        .sources()
        .map(|(_, source)| pattern.fits_any_case(&text(source), &mut room))
        .collect()
}

impl Check<'_> {
    /// Which checks to make first.
    fn cost(&self) -> u32 {
        match self {
            Check::Scope { .. } | Check::Operation { .. } | Check::Source(_) => 1,
            Check::Word { .. } => 50,
            Check::Plain(_, Test::Text(_)) => 20,
            Check::Plain(_, Test::Number(..) | Test::Problem(_) | Test::Span(..)) => 8,
            Check::Plain(..) => 2,
        }
    }

    fn fits(&self, row: &RowView<'_>, now: Timestamp, room: &mut Room) -> bool {
        let answer = |answers: &[bool], number: u32| answers.get(number as usize) == Some(&true);
        match self {
            Check::Source(answers) => answers.get(row.source_id().index()) == Some(&true),
            Check::Scope { answers, pattern } => match row.scope_number() {
                Some(number) => answer(answers, number),
                None => own_scope_fits(row, pattern, room),
            },
            Check::Operation {
                answers,
                field,
                pattern,
            } => match row.operation_number() {
                Some(number) => answer(answers, number),
                None => operation_fits(&row.operation(), *field, pattern, &mut room.lower),
            },
            Check::Word {
                scopes,
                operations,
                pattern,
            } => {
                let scope = match row.scope_number() {
                    Some(number) => answer(scopes, number),
                    None => own_scope_fits(row, pattern, room),
                };
                let operation = || match row.operation_number() {
                    Some(number) => answer(operations, number),
                    None => false,
                };
                scope || operation() || word_fits(row, pattern, room)
            }
            Check::Plain(field, test) => plain_fits(*field, test, row, now, room),
        }
    }
}

fn own_scope_fits(row: &RowView<'_>, pattern: &Pattern, room: &mut Room) -> bool {
    row.scope()
        .is_some_and(|scope| pattern.fits_any_case(&scope, &mut room.lower))
}

/// Looks in address, key and digest, and in an operation that has no number.
fn word_fits(row: &RowView<'_>, pattern: &Pattern, room: &mut Room) -> bool {
    let Room { text, lower } = room;
    text.clear();
    row.push_names(text);
    text.make_ascii_lowercase();
    pattern.fits_one_of(text)
        || row.operation_number().is_none()
            && operation_fits(&row.operation(), Field::Operation, pattern, lower)
}

fn plain_fits(
    field: Field,
    test: &Test,
    row: &RowView<'_>,
    now: Timestamp,
    room: &mut Room,
) -> bool {
    let has = |code: ProblemCode| {
        row.has_problems() && row.problems().iter().any(|problem| problem.code == code)
    };
    match test {
        Test::Is(fact) => fact_holds(*fact, row, now),
        Test::Status(status) => row.status() == *status,
        Test::Text(pattern) => text_fits(field, pattern, row, room),
        Test::Response(compare, code) => row
            .response_status()
            .is_some_and(|response| compare.holds(i64::from(response), *code)),
        Test::ResponseClass(class) => row
            .response_status()
            .is_some_and(|response| i64::from(response) / 100 == *class),
        Test::HasResponse => row.response_status().is_some(),
        Test::NoResponse => row.response_status().is_none(),
        Test::Span(compare, span) => {
            let own = if field == Field::Ttl {
                row.left(now)
            } else {
                row.age(now)
            };
            own.is_some_and(|own| compare.holds(own.millis(), span.millis()))
        }
        Test::NeverExpires => row.expiry_kind() == ExpiryKind::Never,
        Test::UnknownExpiry => row.expiry_kind() == ExpiryKind::Unknown,
        Test::Passed => row.expired(now) == Some(true),
        Test::Number(compare, number) => {
            let own = if field == Field::Replays {
                row.replays()
            } else {
                row.attempts()
            };
            own.is_some_and(|own| compare.holds(own, *number))
        }
        Test::Problem(code) => has(*code),
        Test::AnyProblem => row.has_problems(),
        Test::NoProblem => !row.has_problems(),
        Test::Word(pattern) => word_fits(row, pattern, room),
    }
}

fn text_fits(field: Field, pattern: &Pattern, row: &RowView<'_>, room: &mut Room) -> bool {
    let packed = match field {
        Field::Key => row.key(),
        Field::Hash => row.payload_hash(),
        Field::Digest => row.digest(),
        _ => {
            room.text.clear();
            row.push_address_text(&mut room.text);
            room.text.make_ascii_lowercase();
            return pattern.fits(&room.text);
        }
    };
    packed.is_some_and(|text| pattern.fits_packed(&text, &mut room.lower))
}

fn fact_holds(fact: Fact, row: &RowView<'_>, now: Timestamp) -> bool {
    let stuck = || row.verdict(now).map(|verdict| verdict.stuck);
    match fact {
        Fact::Expired => row.expired(now) == Some(true),
        Fact::Partial => row.needs_more(),
        Fact::Locked => row.is_locked(),
        _ if row.status() != Status::Processing => false,
        Fact::Stuck => stuck() == Some(Stuck::Yes),
        Fact::StuckUnknown => stuck() == Some(Stuck::CannotTell),
        Fact::Inferred => row
            .verdict(now)
            .is_some_and(|verdict| verdict.source.is_inferred()),
    }
}
