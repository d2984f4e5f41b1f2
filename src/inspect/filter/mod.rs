//! The filter language: a text becomes terms, terms become a filter, a filter picks rows.
//!
//! Terms are joined by *and*. The same field twice is joined by *or*, but for a range
//! (`age>10m age<2h`), whose two ends must both hold; bare words must all be found, in key, digest,
//! scope, operation or address. A minus sign leaves out what a term fits.
//! `field` has the list of fields and how each compares.

pub mod complete;
pub mod field;
mod matcher;
pub mod parse;
mod pattern;
mod test;
#[cfg(test)]
mod tests;

pub use self::complete::{Completion, Facts, completions};
pub use self::field::Field;
pub use self::matcher::{Matcher, Room};
pub use self::parse::{ParseError, Sign, Term, parse};
use self::test::{Compare, Test};
use super::cancel::Cancel;
use super::catalogue::{RowId, Snapshot};
use super::pass::pass;
use crate::domain::Timestamp;

/// What is asked of every record.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    questions: Vec<Question>,
}

/// Alternatives, one of which must hold.
#[derive(Clone, Debug)]
struct Question {
    field: Option<Field>,
    sign: Sign,
    side: Option<Side>,
    tests: Vec<Test>,
}

/// Which end of a range a comparison is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Least,
    Most,
}

impl Filter {
    /// Reads a filter. Errors: the first term that is wrong.
    pub fn new(text: &str) -> Result<Filter, ParseError> {
        let mut filter = Filter::default();
        for term in parse(text) {
            filter.add(term.field, term.sign, term.meaning?);
        }
        Ok(filter)
    }

    /// The filter of the terms that are right, for a look while the text is still being typed.
    pub fn of_good_terms(terms: &[Term]) -> Filter {
        let mut filter = Filter::default();
        for term in terms {
            if let Ok(test) = &term.meaning {
                filter.add(term.field, term.sign, test.clone());
            }
        }
        filter
    }

    /// Adds terms that must hold beside all others, also where the same field is asked for already.
    /// Errors: the first term that is wrong.
    pub fn require(&mut self, text: &str) -> Result<(), ParseError> {
        self.questions.extend(Filter::new(text)?.questions);
        Ok(())
    }

    /// Whether everything fits.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    fn add(&mut self, field: Option<Field>, sign: Sign, test: Test) {
        let side = side(&test);
        let alternative = self.questions.iter_mut().find(|question| {
            field.is_some()
                && sign == Sign::With
                && (question.field, question.sign, question.side) == (field, sign, side)
        });
        match alternative {
            Some(question) => question.tests.push(test),
            None => self.questions.push(Question {
                field,
                sign,
                side,
                tests: vec![test],
            }),
        }
    }
}

fn side(test: &Test) -> Option<Side> {
    let compare = match test {
        Test::Span(compare, _) | Test::Number(compare, _) | Test::Response(compare, _) => compare,
        _ => return None,
    };
    match compare {
        Compare::More | Compare::AtLeast => Some(Side::Least),
        Compare::Less | Compare::AtMost => Some(Side::Most),
        Compare::Is => None,
    }
}

/// The rows that fit, in the order they came in; `None` where it was cancelled.
pub fn run(
    snapshot: &Snapshot,
    filter: &Filter,
    now: Timestamp,
    cancel: &Cancel,
) -> Option<Vec<RowId>> {
    let matcher = Matcher::new(filter, snapshot, now);
    let parts = pass(snapshot.segment_count(), cancel, |segment| {
        let mut room = Room::default();
        let rows = snapshot.segment_rows(segment);
        let fitting = rows.filter(|row| filter.is_empty() || matcher.fits(row, &mut room));
        fitting.map(|row| row.id()).collect::<Vec<RowId>>()
    })?;
    Some(parts.concat())
}
