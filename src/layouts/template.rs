//! Key templates: how the name of a Redis key is made of fixed text and captures.
//!
//! `idem:{scope}:{key}` has two captures; `{{` and `}}` are literal braces; everything else stands
//! for itself. A capture's class says what it may hold; without one, the last capture takes
//! anything and the others end at the next `:`. `{key|percent}` is percent-encoded in the name.
//! In front of a template that begins with fixed text anything that ends in a separator may stand,
//! since applications put their own prefix there; it is the capture `prefix`.
//! Bound: matching is linear in the key's length (no backtracking engine is used).

mod plain;

use std::borrow::Cow;

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};

use super::codec::{percent_decoded, percent_encoded};
use plain::Plain;

/// The capture of what an application puts in front.
pub const PREFIX: &str = "prefix";

/// Whether something may stand in front of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    Fixed,
    Open,
}

/// A template in checked form.
#[derive(Clone, Debug)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
    regex: Regex,
    names: Vec<String>,
    /// For each of `names`, whether the name of the key holds it percent-encoded.
    encoded: Vec<bool>,
    /// The longest fixed text: a quick no for most names.
    finder: Option<memmem::Finder<'static>>,
    /// The same without an expression, where that can be.
    plain: Option<Plain>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Literal(String),
    Capture { name: String, encoded: bool },
}

/// What a capture may hold: a regular expression over bytes.
fn class(name: &str) -> Option<&'static str> {
    Some(match name {
        PREFIX => r#"(?:[^\s"]*?[:_./|}#\-])??"#,
        "any" => r"(?s:.+)",
        "shortest" => r"(?s:.+?)",
        "segment" => r"[^:]*",
        "method" => r"[A-Z]{3,7}",
        "path" => r"/[^:]*",
        "uuid" => r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}",
        "hex32" => r"[0-9a-f]{32}",
        "hex40" => r"[0-9a-f]{40}",
        "hex64" => r"[0-9a-f]{64}",
        "hex128" => r"[0-9a-f]{128}",
        "base64" => r"[A-Za-z0-9+/_-]+={0,2}",
        "base64-16" => r"[A-Za-z0-9+/]{22}==",
        "base64-32" => r"[A-Za-z0-9+/]{43}=",
        "base64-64" => r"[A-Za-z0-9+/]{86}==",
        "id" => r"[^:\s]*[0-9][^:\s]*",
        "digits" => r"[0-9]+",
        "word" => r"[A-Za-z0-9_.\-]+",
        _ => return None,
    })
}

impl Template {
    /// Checks a template. `classes` gives classes (a name, or an expression between slashes) to
    /// captures.
    ///
    /// Errors: an unclosed brace, a capture twice, an unknown class, an expression that is too large.
    pub fn parse(
        text: &str,
        classes: &[(String, String)],
        front: Front,
    ) -> Result<Template, String> {
        let mut parts = split(text)?;
        let is_open = front == Front::Open && matches!(parts.first(), Some(Part::Literal(_)));
        if is_open && !parts.iter().any(|part| part.is_prefix()) {
            let name = PREFIX.to_owned();
            let encoded = false;
            parts.insert(0, Part::Capture { name, encoded });
        }
        let mut pattern = String::from("^");
        let mut names: Vec<String> = Vec::new();
        let mut all_encoded = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Literal(text) => pattern.push_str(&regex::escape(text)),
                Part::Capture { name, encoded } => {
                    if names.contains(name) {
                        return Err(format!("`{{{name}}}` stands twice in `{text}`"));
                    }
                    let last = at + 1 == parts.len();
                    pattern.push_str(&format!("({})", expression(name, last, classes)?));
                    names.push(name.clone());
                    all_encoded.push(*encoded);
                }
            }
        }
        pattern.push('$');
        let regex = RegexBuilder::new(&pattern)
            .unicode(false)
            .size_limit(1 << 18)
            .dfa_size_limit(1 << 20)
            .build()
            .map_err(|error| format!("`{text}` cannot be matched: {error}"))?;
        if regex.captures_len() != names.len() + 1 {
            return Err(format!(
                "a class in `{text}` has a group of its own: write `(?:…)`"
            ));
        }
        let longest = parts
            .iter()
            .filter_map(Part::literal)
            .max_by_key(|l| l.len());
        let finder = longest.map(|text| memmem::Finder::new(text.as_bytes()).into_owned());
        let plain = Plain::of(&parts, |at| match parts.get(at)? {
            Part::Capture { name, .. } => {
                Some(class_of(name, at + 1 == parts.len(), classes).to_owned())
            }
            Part::Literal(_) => None,
        });
        Ok(Template {
            text: text.to_owned(),
            plain,
            finder,
            parts,
            regex,
            names,
            encoded: all_encoded,
        })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The captures' names in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Fixed bytes in the template: more of them make it more telling.
    pub fn literal_len(&self) -> usize {
        self.parts
            .iter()
            .filter_map(Part::literal)
            .map(str::len)
            .sum()
    }

    /// The template with a prefix that was seen in front of it.
    pub fn text_behind(&self, prefix: &str) -> String {
        if self.text.contains("{prefix}") {
            return self.text.replacen("{prefix}", prefix, 1);
        }
        format!("{prefix}{}", self.text)
    }

    /// Whether an application's own prefix may stand in it.
    pub fn has_prefix(&self) -> bool {
        self.parts.iter().any(Part::is_prefix)
    }

    /// What the capture at this place stands for.
    pub fn meant<'k>(&self, at: usize, captured: &'k [u8]) -> Cow<'k, [u8]> {
        match self.encoded.get(at) {
            Some(true) => percent_decoded(captured),
            _ => Cow::Borrowed(captured),
        }
    }

    /// What the capture of this name stands for.
    pub fn capture<'k>(&self, captures: &[&'k [u8]], name: &str) -> Option<Cow<'k, [u8]>> {
        let at = self.names.iter().position(|known| known == name)?;
        Some(self.meant(at, captures.get(at)?))
    }

    /// The captured parts of a name, in the order of [`Template::names`]; `None` if it does not fit.
    pub fn captures<'k>(&self, name: &'k [u8]) -> Option<Vec<&'k [u8]>> {
        if !self.may_match(name) {
            return None;
        }
        if let Some(plain) = &self.plain {
            return plain.captures(name);
        }
        let found = self.regex.captures(name)?;
        Some(
            found
                .iter()
                .skip(1)
                .map(|part| part.map_or(&[][..], |part| part.as_bytes()))
                .collect(),
        )
    }

    pub fn matches(&self, name: &[u8]) -> bool {
        if !self.may_match(name) {
            return false;
        }
        match &self.plain {
            Some(plain) => plain.captures(name).is_some(),
            None => self.regex.is_match(name),
        }
    }

    fn may_match(&self, name: &[u8]) -> bool {
        self.finder
            .as_ref()
            .is_none_or(|finder| finder.find(name).is_some())
    }

    /// Builds the name back from the captures' values; `None` where one is missing.
    pub fn build(&self, value: impl Fn(&str) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
        let mut name = Vec::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => name.extend_from_slice(text.as_bytes()),
                Part::Capture {
                    name: capture,
                    encoded,
                } => {
                    push_value(&mut name, &value(capture)?, *encoded);
                }
            }
        }
        Some(name)
    }

    /// Whether a name is what [`Template::build`] makes of these values, given by the captures'
    /// places. Apart from it because a scan asks this of every key and must not allocate.
    pub fn is_built_of<'v>(&self, name: &[u8], value: impl Fn(usize) -> Option<&'v str>) -> bool {
        let mut rest = name;
        let mut captures = 0;
        for part in &self.parts {
            let text = match part {
                Part::Literal(text) => Some(Cow::Borrowed(text.as_str())),
                Part::Capture { encoded, .. } => {
                    captures += 1;
                    value(captures - 1).map(|text| match encoded {
                        true => percent_encoded(text.as_bytes()),
                        false => Cow::Borrowed(text),
                    })
                }
            };
            match text.and_then(|text| rest.strip_prefix(text.as_bytes())) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        rest.is_empty()
    }

    /// Appends the name built of the captures' values, which `push` appends by their places.
    pub fn push_name(&self, name: &mut Vec<u8>, mut push: impl FnMut(usize, &mut Vec<u8>)) {
        let mut captures = 0;
        for part in &self.parts {
            match part {
                Part::Literal(text) => name.extend_from_slice(text.as_bytes()),
                Part::Capture { encoded, .. } => {
                    let start = name.len();
                    push(captures, name);
                    captures += 1;
                    if *encoded {
                        let value = name.split_off(start);
                        push_value(name, &value, true);
                    }
                }
            }
        }
    }

    /// A glob for the server's own matching: known captures are spelt out, others are `*`.
    pub fn glob(&self, value: impl Fn(&str) -> Option<Vec<u8>>) -> Vec<u8> {
        let mut glob = Vec::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => escape_glob(text.as_bytes(), &mut glob),
                Part::Capture { name, encoded } => match value(name) {
                    Some(value) => {
                        let mut held = Vec::new();
                        push_value(&mut held, &value, *encoded);
                        escape_glob(&held, &mut glob);
                    }
                    None if glob.last() == Some(&b'*') => {}
                    None => glob.push(b'*'),
                },
            }
        }
        glob
    }
}

impl Part {
    fn literal(&self) -> Option<&str> {
        match self {
            Part::Literal(text) => Some(text),
            Part::Capture { .. } => None,
        }
    }

    fn is_prefix(&self) -> bool {
        matches!(self, Part::Capture { name, .. } if name == PREFIX)
    }
}

fn push_value(name: &mut Vec<u8>, value: &[u8], encoded: bool) {
    if encoded {
        name.extend_from_slice(percent_encoded(value).as_bytes());
    } else {
        name.extend_from_slice(value);
    }
}

fn escape_glob(text: &[u8], glob: &mut Vec<u8>) {
    for byte in text {
        if matches!(byte, b'*' | b'?' | b'[' | b']' | b'\\') {
            glob.push(b'\\');
        }
        glob.push(*byte);
    }
}

/// The class of a capture: a name, or an expression between slashes.
fn class_of<'c>(name: &str, last: bool, classes: &'c [(String, String)]) -> &'c str {
    let wanted = classes.iter().find(|(capture, _)| capture == name);
    match wanted {
        Some((_, class)) => class,
        None if name == PREFIX => PREFIX,
        None if last => "any",
        None => "segment",
    }
}

fn expression(name: &str, last: bool, classes: &[(String, String)]) -> Result<String, String> {
    let wanted = class_of(name, last, classes);
    let custom = wanted
        .strip_prefix('/')
        .and_then(|text| text.strip_suffix('/'));
    match custom {
        Some(custom) => Ok(format!("(?:{custom})")),
        None => class(wanted)
            .map(str::to_owned)
            .ok_or_else(|| format!("no class named `{wanted}` (for `{{{name}}}`)")),
    }
}

fn split(text: &str) -> Result<Vec<Part>, String> {
    let mut parts: Vec<Part> = Vec::new();
    let mut literal = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' if chars.peek() == Some(&'{') => {
                chars.next();
                literal.push('{');
            }
            '}' if chars.peek() == Some(&'}') => {
                chars.next();
                literal.push('}');
            }
            '{' => {
                let inner: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let (name, encoded) = match inner.strip_suffix("|percent") {
                    Some(name) => (name.to_owned(), true),
                    None => (inner, false),
                };
                if name.is_empty() || !name.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
                    return Err(format!("`{{{name}}}` in `{text}` is no name of a capture"));
                }
                if !literal.is_empty() {
                    parts.push(Part::Literal(std::mem::take(&mut literal)));
                }
                parts.push(Part::Capture { name, encoded });
            }
            '}' => return Err(format!("a `}}` too many in `{text}`")),
            other => literal.push(other),
        }
    }
    if !literal.is_empty() {
        parts.push(Part::Literal(literal));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, key: &str, expected: Option<(&str, &str)>) {
        check_with(pattern, &[], key, expected);
    }

    #[track_caller]
    fn check_with(
        pattern: &str,
        classes: &[(&str, &str)],
        key: &str,
        expected: Option<(&str, &str)>,
    ) {
        let classes: Vec<_> = classes
            .iter()
            .map(|(name, class)| (name.to_string(), class.to_string()))
            .collect();
        let template = Template::parse(pattern, &classes, Front::Fixed).expect("a good template");
        let found = template.captures(key.as_bytes()).map(|parts| {
            let of = |name: &str| {
                let at = template.names().iter().position(|n| n == name);
                at.map_or(String::new(), |at| {
                    String::from_utf8_lossy(parts[at]).into_owned()
                })
            };
            (of("scope"), of("key"))
        });
        assert_eq!(
            found,
            expected.map(|(scope, key)| (scope.to_owned(), key.to_owned()))
        );
        if let Some(parts) = template.captures(key.as_bytes()) {
            let built = template.build(|name| {
                let at = template.names().iter().position(|n| n == name)?;
                Some(parts[at].to_vec())
            });
            assert_eq!(built.as_deref(), Some(key.as_bytes()), "parse then build");
            let text = |at: usize| std::str::from_utf8(parts[at]).ok();
            assert!(template.is_built_of(key.as_bytes(), text));
            let mut name = Vec::new();
            template.push_name(&mut name, |at, name| name.extend_from_slice(parts[at]));
            assert_eq!(name, key.as_bytes());
            assert!(!template.is_built_of(format!("{key}x").as_bytes(), text));
        }
    }

    #[test]
    fn scope_may_be_empty() {
        check("idem:{scope}:{key}", "idem::7f", Some(("", "7f")));
    }

    #[test]
    fn literal_star_is_not_a_wildcard() {
        check("idem:*:{key}", "idem:a:7f", None);
        check("idem:*:{key}", "idem:*:7f", Some(("", "7f")));
    }

    #[test]
    fn literal_braces_are_doubled() {
        check(
            "idem:{{{scope}}}:{key}",
            "idem:{user_42}:ord-117",
            Some(("user_42", "ord-117")),
        );
    }

    #[test]
    fn the_last_capture_takes_separators_too() {
        check("idem:{key}", "idem:a:b:c", Some(("", "a:b:c")));
    }

    #[test]
    fn anchors_in_the_middle_decide_where_captures_end() {
        check_with(
            "idemp:v1:{scope}:{method}:{path}:{key}",
            &[
                ("scope", "shortest"),
                ("method", "method"),
                ("path", "path"),
            ],
            "idemp:v1:2001:db8::7:POST:/api/payments:ord:119",
            Some(("2001:db8::7", "ord:119")),
        );
    }

    #[test]
    fn a_pattern_that_explodes_is_refused() {
        let classes = [("key".to_owned(), "/(?:a{500}){500}/".to_owned())];
        assert!(Template::parse("x:{key}", &classes, Front::Fixed).is_err());
    }

    #[test]
    fn known_captures_are_spelt_out_in_a_glob() {
        let template =
            Template::parse("idem:{scope}:{key}", &[], Front::Fixed).expect("a good template");
        let glob = template.glob(|name| (name == "key").then(|| b"a*b".to_vec()));
        assert_eq!(glob, b"idem:*:a\\*b");
    }

    #[test]
    fn an_application_may_put_something_in_front() {
        let template = Template::parse("idem:{key}", &[], Front::Open).expect("a good template");
        let prefix = |name: &str| {
            let captures = template.captures(name.as_bytes())?;
            Some(String::from_utf8_lossy(captures.first()?).into_owned())
        };
        assert_eq!(prefix("idem:a").as_deref(), Some(""));
        assert_eq!(prefix("shop:v2:idem:a").as_deref(), Some("shop:v2:"));
        assert_eq!(prefix(":1:idem:idem:a").as_deref(), Some(":1:"));
        assert_eq!(prefix("xidem:a"), None);
        assert_eq!(template.text_behind("shop:"), "shop:idem:{key}");
    }

    #[test]
    fn an_encoded_capture_is_encoded_when_it_is_built() {
        let template = Template::parse("l:{key|percent}", &[], Front::Fixed).expect("good");
        let captures = template.captures(b"l:ord%3A1").expect("it fits");
        assert_eq!(
            template.capture(&captures, "key").as_deref(),
            Some(b"ord:1".as_slice())
        );
        let built = template.build(|_| Some(b"ord:1".to_vec()));
        assert_eq!(built.as_deref(), Some(b"l:ord%3A1".as_slice()));
        assert!(template.is_built_of(b"l:ord%3A1", |_| Some("ord:1")));
    }

    /// The quick way gives what the expression gives, for every template there is.
    #[test]
    fn plain_matching_is_the_same() {
        const PIECES: &[&str] = &[
            "a",
            ":",
            "::",
            "idem:",
            "idempotency:",
            "POST",
            "/p",
            "#",
            " ",
            "\"",
            "-",
            "lock:",
            "0123456789abcdef0123456789abcdef",
            "{u}",
            "v1:",
            "1",
            "idemp:v1:",
            "\n",
            "x:y",
        ];
        let mut random = fastrand::Rng::with_seed(3);
        let layouts = crate::layouts::Layouts::built_in();
        let redis = layouts.iter().filter_map(|layout| layout.redis.as_ref());
        let templates: Vec<&Template> = redis
            .flat_map(|redis| {
                redis
                    .keys
                    .iter()
                    .chain(&redis.locks)
                    .chain(&redis.side_keys)
            })
            .collect();
        assert!(
            templates
                .iter()
                .filter(|template| template.plain.is_some())
                .count()
                > 20
        );
        for _ in 0..20_000 {
            let count = random.usize(1..8);
            let pieces = (0..count).map(|_| PIECES[random.usize(0..PIECES.len())]);
            let name: String = pieces.collect();
            let template = templates[random.usize(0..templates.len())];
            let Some(plain) = &template.plain else {
                continue;
            };
            let found = template.regex.captures(name.as_bytes()).map(|found| {
                let parts = found.iter().skip(1).flatten();
                parts.map(|part| part.as_bytes()).collect::<Vec<_>>()
            });
            let text = template.text();
            assert_eq!(plain.captures(name.as_bytes()), found, "{text} of {name:?}");
        }
    }
}
