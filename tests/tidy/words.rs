//! Rules about the words of the window: each name that the code says has words in every language,
//! with the same values in them, and no words are left that nobody says.
//!
//! Apart from `files` because these compare texts with the code that names them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::{Finding, check, root, walk};

const LANGUAGES: [&str; 2] = ["en", "ru"];

/// One message: where it stands and the values it takes.
struct Message {
    file: String,
    line: usize,
    values: BTreeSet<String>,
}

/// All messages of a language, by their names; the second ones of a name as findings.
fn messages(language: &str) -> (BTreeMap<String, Message>, Vec<Finding>) {
    let mut all = BTreeMap::new();
    let mut twice = Vec::new();
    for file in walk(&format!("assets/words/{language}")) {
        let text = fs::read_to_string(root().join(&file)).expect("a text file");
        let mut name = String::new();
        for (at, line) in text.lines().enumerate() {
            let head = line.split_once('=').map(|(head, _)| head.trim_end());
            if let Some(head) = head.filter(|_| line.starts_with(|c: char| c.is_ascii_lowercase()))
            {
                name = head.to_owned();
                let message = Message {
                    file: file.clone(),
                    line: at + 1,
                    values: BTreeSet::new(),
                };
                if all.insert(name.clone(), message).is_some() {
                    twice.push(Finding::new(
                        &file,
                        at + 1,
                        format!("`{name}` is said twice"),
                    ));
                }
            }
            if let Some(message) = all.get_mut(&name) {
                message.values.extend(values(line));
            }
        }
    }
    (all, twice)
}

/// The names after `$`.
fn values(line: &str) -> Vec<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let parts = line.split('$').skip(1);
    parts
        .map(|part| part.chars().take_while(|c| is_name(*c)).collect())
        .collect()
}

/// The names that the code says, with the values it gives.
fn said() -> BTreeMap<String, (String, usize, BTreeSet<String>)> {
    let mut all = BTreeMap::new();
    for file in walk("src").into_iter().filter(|file| file.ends_with(".rs")) {
        let text = fs::read_to_string(root().join(&file)).expect("a text file");
        if file == "src/present/say.rs" {
            continue;
        }
        // The table of commands names its words once, for the label and for the hint.
        for (at, _) in text.match_indices("\"command-") {
            let name = text[at + 1..].split('"').next().unwrap_or_default();
            let line = text[..at].matches('\n').count() + 1;
            for name in [name.to_owned(), format!("{name}-hint")] {
                all.insert(name, (file.clone(), line, BTreeSet::new()));
            }
        }
        for (at, _) in text.match_indices("say!(") {
            let rest = text[at + 5..].trim_start();
            let Some(rest) = rest.strip_prefix('"') else {
                continue;
            };
            let Some((name, rest)) = rest.split_once('"') else {
                continue;
            };
            let line = text[..at].matches('\n').count() + 1;
            all.insert(name.to_owned(), (file.clone(), line, given(rest)));
        }
    }
    all
}

/// The names before each `=` up to the closing bracket of the macro.
fn given(rest: &str) -> BTreeSet<String> {
    let (mut depth, mut in_text) = (1, false);
    let mut top = String::new();
    for c in rest.chars() {
        match c {
            '"' => in_text = !in_text,
            '(' | '[' | '{' if !in_text => depth += 1,
            ')' | ']' | '}' if !in_text => depth -= 1,
            _ if !in_text && depth == 1 => top.push(c),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    let parts = top.split(',').filter_map(|part| part.split_once('='));
    parts.map(|(name, _)| name.trim().to_owned()).collect()
}

#[test]
fn every_name_that_is_said_has_words() {
    let (words, twice) = messages("en");
    let mut findings = twice;
    for (name, (file, line, given)) in said() {
        match words.get(&name) {
            None => findings.push(Finding::new(&file, line, format!("`{name}` has no words"))),
            Some(message) if message.values != given => findings.push(Finding::new(
                &file,
                line,
                format!("`{name}` takes {:?}, given are {given:?}", message.values),
            )),
            Some(_) => {}
        }
    }
    check(findings, "Write it into `assets/words/en/<area>.ftl`.");
}

#[test]
fn no_words_are_left_that_nobody_says() {
    let said = said();
    let (words, _) = messages("en");
    let left = words.iter().filter(|(name, _)| !said.contains_key(*name));
    let findings = left
        .map(|(name, message)| Finding::new(&message.file, message.line, format!("`{name}`")))
        .collect();
    check(findings, "Take it out of every language.");
}

#[test]
fn every_language_says_the_same() {
    let (english, _) = messages("en");
    let mut findings = Vec::new();
    for language in LANGUAGES {
        let (words, twice) = messages(language);
        findings.extend(twice);
        for (name, message) in &english {
            match words.get(name) {
                None => findings.push(Finding::new(
                    &message.file,
                    message.line,
                    format!("`{name}` is missing in `{language}`"),
                )),
                Some(other) if other.values != message.values => findings.push(Finding::new(
                    &other.file,
                    other.line,
                    format!("`{name}` takes other values than in English"),
                )),
                Some(_) => {}
            }
        }
        for (name, message) in &words {
            if !english.contains_key(name) {
                findings.push(Finding::new(
                    &message.file,
                    message.line,
                    format!("`{name}` is not there in English"),
                ));
            }
        }
    }
    check(
        findings,
        "All languages have the same names with the same values.",
    );
}

#[test]
fn each_area_has_its_file_in_every_language() {
    let areas = |language: &str| -> BTreeSet<String> {
        let folder = format!("assets/words/{language}/");
        let files = walk(&format!("assets/words/{language}"));
        let names = files.iter().filter_map(|file| file.strip_prefix(&folder));
        names.map(str::to_owned).collect()
    };
    for language in LANGUAGES {
        assert_eq!(areas(language), areas("en"), "{language}");
    }
}
