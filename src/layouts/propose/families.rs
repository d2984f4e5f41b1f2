//! Families of key names: which names are made alike, and the template that makes them.
//!
//! Names are cut at their separators; what differs from name to name is a capture, what stays is
//! fixed text. Words of different meaning (`lock`, `session`, `idempotency`) are never one family.
//! Bounds: so many families, so many parts of a name.

use std::collections::{BTreeMap, BTreeSet};

use super::token::{Token, is_one_of_a_kind};

/// Names that are made alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyFamily {
    /// As a layout writes it: `pay:{scope}:{key}`.
    pub template: String,
    /// Classes of captures that need one, in the order of the template.
    pub captures: Vec<(String, String)>,
    /// The names, by their places in the sample.
    pub names: Vec<usize>,
}

/// Families told of; the rarest are left out.
const FAMILIES_MAX: usize = 300;
/// Parts that a name is cut into.
const PARTS_MAX: usize = 16;
/// Words at one place from which on they are no fixed text but names of something.
const WORDS_MAX: usize = 8;
const FIRST_WORDS_MAX: usize = 64;

/// What tells captures of one kind apart.
const OTHERS: [&str; 4] = ["two", "three", "four", "five"];

/// The families of a sample of names, the largest first.
pub fn families(names: &[Vec<u8>]) -> Vec<KeyFamily> {
    let mut shapes: BTreeMap<(u8, usize), Vec<Cut<'_>>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        let cut = Cut::of(at, name);
        let shape = (cut.separator, cut.parts.len());
        shapes.entry(shape).or_default().push(cut);
    }
    let mut found = Vec::new();
    for ((separator, _), cuts) in shapes {
        let cuts: Vec<&Cut<'_>> = cuts.iter().collect();
        grow(separator, &cuts, &mut Vec::new(), &mut found);
    }
    found.sort_by(|a: &KeyFamily, b| {
        let count = b.names.len().cmp(&a.names.len());
        count.then_with(|| a.template.cmp(&b.template))
    });
    found.truncate(FAMILIES_MAX);
    found
}

/// A name, cut at its separators.
struct Cut<'n> {
    at: usize,
    separator: u8,
    parts: Vec<&'n [u8]>,
}

impl<'n> Cut<'n> {
    fn of(at: usize, name: &'n [u8]) -> Cut<'n> {
        let separators = *b":/|#.";
        // A name that is JSON, or holds what shows as something else, is one thing.
        let is_odd = matches!(name.first(), Some(b'{' | b'[')) && name.contains(&b'"');
        let separator = separators
            .into_iter()
            .filter(|_| !is_odd)
            .find(|separator| {
                name.iter().position(|byte| byte == separator) > Some(0)
                    && name.last() != Some(separator)
            });
        if let Some(separator) = separator {
            let parts = name.splitn(PARTS_MAX, |byte| *byte == separator).collect();
            return Cut {
                at,
                separator,
                parts,
            };
        }
        // `idempotency-3f25…`: a word in front of what differs.
        let place = name
            .iter()
            .position(|byte| matches!(byte, b'-' | b'_' | b'='));
        if let Some(place) = place
            && let (Some(word), Some(rest)) = (name.get(..place), name.get(place + 1..))
            && Token::of(word) == Token::Word
            && word.len() > 1
            && !rest.is_empty()
        {
            let separator = name.get(place).copied().unwrap_or(b'-');
            return Cut {
                at,
                separator,
                parts: vec![word, rest],
            };
        }
        Cut {
            at,
            separator: 0,
            parts: vec![name],
        }
    }

    fn part(&self, column: usize) -> &'n [u8] {
        self.parts.get(column).copied().unwrap_or_default()
    }

    /// What stands behind a column, as far as it makes families.
    fn rest(&self, column: usize) -> Vec<Option<&'n [u8]>> {
        let behind = self.parts.iter().skip(column + 1);
        let fixed = behind.map(|part| (Token::of(part) == Token::Word).then_some(*part));
        fixed.collect()
    }
}

/// One part of a template that is being made.
#[derive(Clone, Debug)]
enum Piece<'n> {
    Fixed(&'n [u8]),
    Differs,
}

fn grow<'n>(
    separator: u8,
    cuts: &[&Cut<'n>],
    pieces: &mut Vec<Piece<'n>>,
    found: &mut Vec<KeyFamily>,
) {
    let column = pieces.len();
    let columns = cuts.first().map_or(0, |cut| cut.parts.len());
    if column == columns || found.len() >= FAMILIES_MAX * 4 {
        found.push(family(separator, cuts, pieces));
        return;
    }
    let mut differing: Vec<&Cut<'n>> = Vec::new();
    let mut words: BTreeMap<&[u8], Vec<&Cut<'n>>> = BTreeMap::new();
    for cut in cuts {
        let part = cut.part(column);
        match Token::of(part) {
            Token::Word => words.entry(part).or_default().push(*cut),
            _ => differing.push(*cut),
        }
    }
    for word in merged(&words, column, columns) {
        differing.extend(words.remove(word).into_iter().flatten());
    }
    differing.sort_by_key(|cut| cut.at);
    if !differing.is_empty() {
        pieces.push(Piece::Differs);
        grow(separator, &differing, pieces, found);
        pieces.pop();
    }
    for (word, cuts) in &words {
        pieces.push(Piece::Fixed(word));
        grow(separator, cuts, pieces, found);
        pieces.pop();
    }
}

/// The words of a column that are names of something, and no fixed text.
fn merged<'n>(
    words: &BTreeMap<&'n [u8], Vec<&Cut<'n>>>,
    column: usize,
    columns: usize,
) -> Vec<&'n [u8]> {
    let plain: Vec<&'n [u8]> = words
        .keys()
        .filter(|word| !is_one_of_a_kind(word))
        .copied()
        .collect();
    let most = if column == 0 {
        FIRST_WORDS_MAX
    } else {
        WORDS_MAX
    };
    if plain.len() > most {
        return plain;
    }
    // The first word of several is what the family is called.
    if plain.len() < 2 || (column == 0 && columns > 1) {
        return Vec::new();
    }
    let behind = |word: &[u8]| -> BTreeSet<Vec<Option<&'n [u8]>>> {
        let cuts = words.get(word).into_iter().flatten();
        cuts.map(|cut| cut.rest(column)).collect()
    };
    let first = plain.first().map(|word| behind(word)).unwrap_or_default();
    match plain.iter().all(|word| behind(word) == first) {
        true => plain,
        false => Vec::new(),
    }
}

fn family(separator: u8, cuts: &[&Cut<'_>], pieces: &[Piece<'_>]) -> KeyFamily {
    let tokens: Vec<BTreeSet<Token>> = (0..pieces.len())
        .map(|column| cuts.iter().map(|cut| Token::of(cut.part(column))).collect())
        .collect();
    let names = capture_names(pieces, &tokens);
    let mut family = KeyFamily {
        names: cuts.iter().map(|cut| cut.at).collect(),
        ..KeyFamily::default()
    };
    for (column, piece) in pieces.iter().enumerate() {
        if column > 0 {
            family.template.push(char::from(separator));
        }
        match (piece, names.get(column)) {
            (Piece::Differs, Some(Some(name))) => {
                family.template.push_str(&format!("{{{name}}}"));
                let seen = tokens.get(column).cloned().unwrap_or_default();
                let holds_separator = cuts.iter().any(|cut| cut.part(column).contains(&separator));
                let is_last = column + 1 == pieces.len();
                if let Some(class) = class(&seen, separator, holds_separator, is_last) {
                    family.captures.push((name.clone(), class));
                }
            }
            (Piece::Fixed(word), _) => family.template.push_str(&literal(word)),
            _ => {}
        }
    }
    family
}

/// What the captures are called: the last is the key, unless it says that it is something else.
fn capture_names(pieces: &[Piece<'_>], tokens: &[BTreeSet<Token>]) -> Vec<Option<String>> {
    let is = |column: usize, token: Token| {
        let seen = tokens.get(column);
        seen.is_some_and(|seen| seen.len() == 1 && seen.contains(&token))
    };
    let differs: Vec<usize> = (0..pieces.len())
        .filter(|column| matches!(pieces.get(*column), Some(Piece::Differs)))
        .collect();
    let key = differs
        .iter()
        .rev()
        .find(|column| !is(**column, Token::Method) && !is(**column, Token::Path))
        .or(differs.last());
    let mut taken: Vec<String> = Vec::new();
    let mut names = vec![None; pieces.len()];
    for column in &differs {
        let wanted = match () {
            () if Some(column) == key && is(*column, Token::Digest) => "digest",
            () if Some(column) == key => "key",
            () if is(*column, Token::Method) => "method",
            () if is(*column, Token::Path) => "path",
            () => "scope",
        };
        // Names of captures have no digits.
        let mut name = wanted.to_owned();
        let mut others = OTHERS.iter();
        while taken.contains(&name) {
            match others.next() {
                Some(other) => name = format!("{wanted}_{other}"),
                None => name.push_str("_more"),
            }
        }
        taken.push(name.clone());
        if let Some(place) = names.get_mut(*column) {
            *place = Some(name);
        }
    }
    names
}

/// The class of a capture, where what it takes without one would be too much or too little.
fn class(
    seen: &BTreeSet<Token>,
    separator: u8,
    holds_separator: bool,
    is_last: bool,
) -> Option<String> {
    let only = seen.iter().next().filter(|_| seen.len() == 1);
    match only {
        Some(Token::Method) => return Some("method".to_owned()),
        Some(Token::Path) if separator == b':' => return Some("path".to_owned()),
        _ => {}
    }
    match separator {
        // Nothing parts this name.
        0 | b'-' | b'_' | b'=' => None,
        _ if holds_separator => None,
        b':' if is_last => Some("segment".to_owned()),
        b':' => None,
        b'/' => Some(r"/[^\/]+/".to_owned()),
        other => Some(format!(
            "/[^{}]+/",
            regex::escape(&char::from(other).to_string())
        )),
    }
}

/// Fixed text as a template writes it.
fn literal(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(word);
    text.replace('{', "{{").replace('}', "}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], expected: &[(&str, usize)]) {
        let names: Vec<Vec<u8>> = names.iter().map(|name| name.as_bytes().to_vec()).collect();
        let found = families(&names);
        let found: Vec<(&str, usize)> = found
            .iter()
            .map(|family| (family.template.as_str(), family.names.len()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_differs_is_a_capture() {
        check(
            &["pay:acme:ord-7", "pay:globex:ord-8", "pay:user_42:ord-9"],
            &[("pay:{scope}:{key}", 3)],
        );
        check(
            &["idem:u1:POST:/v1/payments:k1", "idem:u2:PUT:/v1/refunds:k2"],
            &[("idem:{scope}:{method}:{path}:{key}", 2)],
        );
    }

    #[test]
    fn words_that_mean_something_are_no_names() {
        check(
            &[
                "app:lock:o1",
                "app:result:o1",
                "app:result:o2",
                "app:session:x9",
            ],
            &[
                ("app:result:{key}", 2),
                ("app:lock:{key}", 1),
                ("app:session:{key}", 1),
            ],
        );
        check(
            &["orders:1:lines", "orders:2:lines", "carts:7"],
            &[("orders:{key}:lines", 2), ("carts:{key}", 1)],
        );
    }

    #[test]
    fn a_word_in_front_of_an_id_is_fixed() {
        check(
            &[
                "idempotency-3f2504e0-4f89-41d3-9a0c-0305e82c3301",
                "idempotency-9b2504e0-4f89-41d3-9a0c-0305e82c3302",
            ],
            &[("idempotency-{key}", 2)],
        );
        check(&["3f2504e0-4f89-41d3-9a0c-0305e82c3301"], &[("{key}", 1)]);
    }

    #[test]
    fn a_digest_is_no_key() {
        let digest = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
        check(&[&format!("api.pay#{digest}")], &[("api.pay#{digest}", 1)]);
    }

    #[test]
    fn names_of_many_parts_and_names_that_are_json() {
        check(
            &["a:1:2:3:4:5:6:7:8"],
            &[(
                "a:{scope}:{scope_two}:{scope_three}:{scope_four}:{scope_five}:{scope_five_more}:{scope_five_more_more}:{key}",
                1,
            )],
        );
        check(&["{\"@class\":\"x\",\"key\":\"k1\"}"], &[("{key}", 1)]);
    }

    #[test]
    fn every_template_fits_its_own_names() {
        let names: Vec<Vec<u8>> = [
            "a{b}:7",
            "a/b/17",
            "x|y|99",
            "x.y.z1",
            "\u{e9}t\u{e9}:1",
            "k_1",
            "only",
            ":odd:",
            "a::b",
        ]
        .iter()
        .map(|name| name.as_bytes().to_vec())
        .chain([vec![0xFF, b':', b'1']])
        .collect();
        for family in families(&names) {
            let front = crate::layouts::template::Front::Fixed;
            let template = crate::layouts::template::Template::parse(
                &family.template,
                &family.captures,
                front,
            )
            .unwrap_or_else(|error| panic!("{error}"));
            for at in &family.names {
                assert!(template.matches(&names[*at]), "{family:?}");
            }
        }
    }
}
