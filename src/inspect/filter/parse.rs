//! Reads the text of a filter into terms that know where they stand.
//!
//! Apart from `matcher` because the window colours terms while they are typed, wrong ones included.
//! Invariant: any text has terms; what is wrong with one is beside it, not instead of the others.

use std::ops::Range;

use super::field::Field;
use super::pattern::{Mode, Pattern, Quoting};
use super::test::{Compare, Test, Written, test};
use crate::present::suggest::closest;

/// What is wrong with a part of the text, by bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ParseError {
    pub span: Range<usize>,
    /// One sentence: what was expected.
    pub text: String,
    pub hint: Option<String>,
}

/// One term, right or wrong.
#[derive(Clone, Debug)]
pub struct Term {
    /// All of it, the minus sign included.
    pub span: Range<usize>,
    /// The field's name without its operator; none for a bare word.
    pub name: Option<Range<usize>>,
    /// The value, its quotes included.
    pub value: Range<usize>,
    pub field: Option<Field>,
    pub sign: Sign,
    pub meaning: Result<Test, ParseError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    With,
    /// `-term`: records that it fits are left out.
    Without,
}

/// The terms of a text, from left to right.
pub fn parse(text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    let mut at = 0;
    loop {
        at += leading_space(rest(text, at));
        if at >= text.len() {
            return terms;
        }
        let term = term(text, at);
        at = term.span.end.max(at + 1);
        terms.push(term);
    }
}

fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

fn leading_space(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

fn term(text: &str, start: usize) -> Term {
    let mut at = start;
    let mut sign = Sign::With;
    let after = rest(text, start);
    if after.starts_with('-') && after.chars().nth(1).is_some_and(|c| !c.is_whitespace()) {
        sign = Sign::Without;
        at += 1;
    }
    let name_len = rest(text, at)
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
        .unwrap_or(rest(text, at).len());
    let name = at..at + name_len;
    let Some((compare, operator_len)) = operator(rest(text, name.end)).filter(|_| name_len > 0)
    else {
        return bare(text, start, at, sign);
    };
    let value_at = name.end + operator_len;
    let value = value(text, value_at);
    let word = text.get(name.clone()).unwrap_or_default();
    let field = Field::named(word);
    let meaning = match (field, &value.wrong) {
        (None, _) => Err(unknown_field(word, name.clone())),
        (_, Some(wrong)) => Err(wrong.clone()),
        (Some(field), None) => {
            let written = Written {
                compare,
                text: value.text,
                quoting: value.quoting,
            };
            test(field, &written).map_err(|misfit| ParseError {
                span: if value.span.is_empty() {
                    start..value.span.end
                } else {
                    value.span.clone()
                },
                text: misfit.text,
                hint: misfit.hint,
            })
        }
    };
    Term {
        span: start..value.span.end,
        name: Some(name),
        value: value.span,
        field,
        sign,
        meaning,
    }
}

fn bare(text: &str, start: usize, at: usize, sign: Sign) -> Term {
    let value = value(text, at);
    let meaning = match value.wrong {
        Some(wrong) => Err(wrong),
        None => Ok(Test::Word(Pattern::new(
            &value.text,
            Mode::Part,
            value.quoting,
        ))),
    };
    Term {
        span: start..value.span.end,
        name: None,
        value: value.span,
        field: None,
        sign,
        meaning,
    }
}

fn operator(text: &str) -> Option<(Compare, usize)> {
    // A colon may stand before a comparison: `response:>=500`.
    let (colon, after) = match text.strip_prefix(':') {
        Some(after) => (1, after),
        None => (0, text),
    };
    let compares = [
        (">=", Compare::AtLeast),
        ("<=", Compare::AtMost),
        (">", Compare::More),
        ("<", Compare::Less),
        ("=", Compare::Is),
    ];
    let found = compares
        .into_iter()
        .find(|(sign, _)| after.starts_with(sign));
    match found {
        Some((sign, compare)) => Some((compare, colon + sign.len())),
        None => (colon == 1).then_some((Compare::Is, 1)),
    }
}

struct Value {
    span: Range<usize>,
    text: String,
    quoting: Quoting,
    wrong: Option<ParseError>,
}

fn value(text: &str, start: usize) -> Value {
    let after = rest(text, start);
    let Some(quoted) = after.strip_prefix('"') else {
        let len = after.find(char::is_whitespace).unwrap_or(after.len());
        return Value {
            span: start..start + len,
            text: after.get(..len).unwrap_or_default().to_owned(),
            quoting: Quoting::Bare,
            wrong: None,
        };
    };
    let mut inside = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                return Value {
                    span: start..start + at + 2,
                    text: inside,
                    quoting: Quoting::Quoted,
                    wrong: None,
                };
            }
            '\\' => inside.extend(chars.next().map(|(_, escaped)| escaped)),
            other => inside.push(other),
        }
    }
    Value {
        span: start..text.len(),
        text: inside,
        quoting: Quoting::Quoted,
        wrong: Some(ParseError {
            span: start..text.len(),
            text: "Expected a closing quote".to_owned(),
            hint: Some("a quote inside quotes is `\\\"`".to_owned()),
        }),
    }
}

fn unknown_field(word: &str, span: Range<usize>) -> ParseError {
    let hint = match closest(word, Field::ALL.iter().map(|field| field.name())) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "to look for a text with `:`, put it in double quotes".to_owned(),
    };
    ParseError {
        span,
        text: format!("Expected a field; there is none named `{word}`"),
        hint: Some(hint),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn good(text: &str) {
        for term in parse(text) {
            assert!(term.meaning.is_ok(), "{text}: {:?}", term.meaning);
        }
    }

    #[track_caller]
    fn bad(text: &str, span: Range<usize>, begins: &str, hint: Option<&str>) {
        let error = parse(text).into_iter().find_map(|term| term.meaning.err());
        let error = error.unwrap_or_else(|| panic!("{text} is good"));
        assert_eq!(error.span, span, "{text}");
        assert!(error.text.starts_with(begins), "{text}: {}", error.text);
        assert_eq!(error.hint.as_deref(), hint, "{text}");
    }

    #[test]
    fn the_language_of_the_design_is_understood() {
        good("is:stuck is:expired is:inferred is:locked status:processing scope:user_42");
        good(
            "path:/payments method:POST operation:charge response:5xx response:>=500 response:201",
        );
        good("age>10m age<2h ttl<1h ttl:never key:a80* hash:3f2a layout:powertools source:t");
        good(
            "attempts>3 problem:cut problem:any address:x key:\"a b\" -status:failed word \"two words\"",
        );
        good("STATUS:Completed Age>=1.5h - -x");
    }

    #[test]
    fn terms_know_where_they_stand() {
        let terms = parse("  -key:\"a b\" word");
        let [first, second] = &terms[..] else {
            panic!("{terms:?}")
        };
        assert_eq!(
            (first.span.clone(), first.name.clone()),
            (2..12, Some(3..6))
        );
        assert_eq!((first.value.clone(), first.sign), (7..12, Sign::Without));
        assert_eq!((second.span.clone(), second.name.clone()), (13..17, None));
    }

    #[test]
    fn a_mistake_says_where_and_what_was_expected() {
        bad(
            "statsu:failed",
            0..6,
            "Expected a field",
            Some("did you mean `status`?"),
        );
        bad(
            "x status:faild",
            9..14,
            "Expected `processing`",
            Some("did you mean `status:failed`?"),
        );
        bad(
            "age:10m",
            4..7,
            "Expected a span",
            Some("write `age>10m` or `age<10m`"),
        );
        bad("age>soon", 4..8, "Expected a span", None);
        bad("key>3", 4..5, "`key` is a text", Some("write `key:3`"));
        bad("response:7000", 9..13, "Expected a status", None);
        bad("status:", 0..7, "Expected `processing`", None);
        bad(
            "key:\"a",
            4..6,
            "Expected a closing quote",
            Some("a quote inside quotes is `\\\"`"),
        );
        bad(
            "idempotency:7f",
            0..11,
            "Expected a field",
            Some("to look for a text with `:`, put it in double quotes"),
        );
    }

    proptest! {
        #[test]
        fn any_text_has_terms_inside_it(text in ".*|[a-z:><=\" \\\\*-]*") {
            let mut last = 0;
            for term in parse(&text) {
                prop_assert!(term.span.start >= last && term.span.end <= text.len());
                prop_assert!(text.get(term.span.clone()).is_some());
                prop_assert!(text.get(term.value.clone()).is_some());
                last = term.span.end;
                if let Err(error) = &term.meaning {
                    prop_assert!(text.get(error.span.clone()).is_some());
                }
            }
        }
    }
}
