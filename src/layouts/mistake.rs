//! What is wrong with a layout's text, and where.
//!
//! Apart from the checks themselves because they speak of paths, words and periods: the line is
//! found again by looking for what a sentence quotes.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A sentence about a text, with its place where that can be told. Lines and columns count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mistake {
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub text: String,
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

impl Mistake {
    /// What the parser of TOML has against a text.
    pub fn of_toml(text: &str, error: &toml::de::Error) -> Mistake {
        let mut mistake = Mistake {
            text: error.message().trim().replace('\n', ", "),
            ..Mistake::default()
        };
        if let Some(span) = error.span() {
            mistake.stand_at(text, span.start);
        }
        mistake
    }

    /// What a check has against a text that is TOML: stands where the text has what it quotes.
    pub fn of_check(text: &str, sentence: String) -> Mistake {
        let place = DeTable::parse(text)
            .ok()
            .and_then(|table| place_of(table.get_ref(), &sentence));
        let mut mistake = Mistake {
            text: sentence,
            ..Mistake::default()
        };
        if let Some(at) = place {
            mistake.stand_at(text, at);
        }
        mistake
    }

    fn stand_at(&mut self, text: &str, at: usize) {
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        self.line = Some(before.bytes().filter(|byte| *byte == b'\n').count() + 1);
        self.column = Some(before.get(line_start..).unwrap_or_default().chars().count() + 1);
    }
}

/// The line on which a sample of this name begins.
pub fn line_of_sample(text: &str, name: &str) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let samples = table.get_ref().get("sample")?.get_ref().as_array()?;
    let found = samples.iter().find_map(|sample| {
        let called = sample.get_ref().as_table()?.get("name")?;
        (called.get_ref().as_str() == Some(name)).then(|| called.span().start)
    });
    let mut mistake = Mistake::default();
    mistake.stand_at(text, found?);
    mistake.line
}

/// Where in a text the thing stands that a sentence is about.
fn place_of(table: &DeTable<'_>, sentence: &str) -> Option<usize> {
    let quoted: Vec<&str> = sentence.split('`').skip(1).step_by(2).collect();
    let mut search = Search {
        section: sentence.split(':').next().unwrap_or_default(),
        case: sentence
            .split_once("case `")
            .and_then(|(_, rest)| rest.split('`').next()),
        quoted: &quoted,
        best: None,
    };
    search.table(table, "", false);
    search.best.map(|(_, at)| at)
}

struct Search<'s> {
    /// The part of the layout that the sentence begins with: `redis.string`.
    section: &'s str,
    case: Option<&'s str>,
    /// What the sentence quotes, the whole before the part of it.
    quoted: &'s [&'s str],
    best: Option<(usize, usize)>,
}

impl Search<'_> {
    fn table(&mut self, table: &DeTable<'_>, path: &str, in_case: bool) {
        let called = table.get("name").and_then(|name| name.get_ref().as_str());
        let in_case = in_case || (called.is_some() && called == self.case);
        for (name, value) in table.iter() {
            let inner = match path {
                "" => name.get_ref().to_string(),
                path => format!("{path}.{}", name.get_ref()),
            };
            self.rank(name.get_ref(), name.span().start, &inner, in_case, false);
            self.value(value, &inner, in_case);
        }
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>, path: &str, in_case: bool) {
        match value.get_ref() {
            DeValue::String(text) => self.rank(text, value.span().start, path, in_case, true),
            DeValue::Table(table) => self.table(table, path, in_case),
            DeValue::Array(items) => {
                for item in items.iter() {
                    self.value(item, path, in_case);
                }
            }
            _ => {}
        }
    }

    /// A text of the file that the sentence quotes; the better it fits the sentence, the more.
    fn rank(&mut self, text: &str, at: usize, path: &str, in_case: bool, is_value: bool) {
        let Some(place) = self.quoted.iter().rposition(|quoted| *quoted == text) else {
            return;
        };
        let in_section = !self.section.is_empty() && path.starts_with(self.section);
        let score = place * 2
            + usize::from(is_value)
            + if in_section { 100 } else { 0 }
            + if in_case { 200 } else { 0 };
        let is_better = self
            .best
            .is_none_or(|(best, first)| score > best || (score == best && at < first));
        if is_better {
            self.best = Some((score, at));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::layouts::parse;

    /// A layout with one thing wrong, and where that should be told.
    #[track_caller]
    fn check(text: &str, line: usize, column: usize, says: &str) {
        let error = parse("mine.toml", text).expect_err("a mistake").mistake;
        assert_eq!(
            (error.line, error.column),
            (Some(line), Some(column)),
            "{error:?}"
        );
        assert!(error.text.contains(says), "{error:?}");
    }

    const HEAD: &str =
        "id = \"x\"\ntitle = \"t\"\nclass = \"c\"\n\n[redis]\nkeys = [\"a:{key}\"]\n";

    #[test]
    fn what_is_no_toml_stands_where_it_breaks() {
        check("id = \"x\ntitle = 3\n", 1, 8, "basic string");
        check("id = \"x\"\ntitle = 3\n", 2, 9, "expected a string");
        check("id = \"x\"\ntitel = \"t\"\n", 2, 1, "unknown field `titel`");
    }

    #[test]
    fn a_path_that_leads_nowhere_stands_where_it_is_written() {
        let text = format!("{HEAD}[redis.string]\nfields.idempotency_key = \"key.nokey\"\n");
        check(&text, 8, 26, "captures `nokey`");
    }

    #[test]
    fn of_two_cases_the_one_that_is_named_is_meant() {
        let text = format!(
            "{HEAD}[[redis.string.case]]\nname = \"one\"\nstatus = \"completed\"\n\
             when = [{{ of = \"raw\", equals = \"x\" }}]\n\n[[redis.string.case]]\nname = \"two\"\n\
             status = \"completed\"\nwhen = [{{ of = \"raw\" }}]\n"
        );
        check(&text, 15, 16, "nothing is asked of `raw`");
    }

    #[test]
    fn an_expression_that_explodes_is_refused_at_its_line() {
        let text = format!(
            "{HEAD}[[redis.string.case]]\nname = \"one\"\nstatus = \"completed\"\n\
             when = [{{ of = \"raw\", matches = '(a{{1,500}}){{1,500}}' }}]\n"
        );
        check(&text, 10, 33, "cannot be matched");
    }

    #[test]
    fn a_wrong_word_is_told_with_the_right_ones() {
        let text = format!(
            "{HEAD}[redis.string.fields]\ncreated_at = {{ from = \"raw\", unit = \"seconds\" }}\n"
        );
        check(&text, 8, 37, "ticks");
        let text = format!("{HEAD}[redis.string.fields]\ncreated_when = \"raw\"\n");
        check(&text, 8, 1, "created_at");
    }

    #[test]
    fn what_has_no_place_has_none() {
        let error = parse("mine.toml", "id = \"x\"\ntitle = \"t\"\nclass = \"c\"\n");
        let error = error.expect_err("a mistake");
        assert_eq!(error.mistake.line, None);
        assert_eq!(
            error.to_string(),
            "mine.toml: none of `redis`, `sql` and `log` is described"
        );
    }
}
