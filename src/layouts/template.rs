//! Key templates: how the name of a Redis key is made of fixed text and captures.
//!
//! `idem:{scope}:{key}` has two captures; `{{` and `}}` are literal braces; everything else stands
//! for itself. A capture's class says what it may hold; without one, the last capture takes
//! anything and the others end at the next `:`.
//! Bound: matching is linear in the key's length (no backtracking engine is used).

use regex::bytes::{Regex, RegexBuilder};

/// A template in checked form.
#[derive(Clone, Debug)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
    regex: Regex,
    names: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Literal(String),
    Capture(String),
}

/// What a capture may hold: a regular expression over bytes.
fn class(name: &str) -> Option<&'static str> {
    Some(match name {
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
    pub fn parse(text: &str, classes: &[(String, String)]) -> Result<Template, String> {
        let parts = split(text)?;
        let mut pattern = String::from("^");
        let mut names: Vec<String> = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Literal(text) => pattern.push_str(&regex::escape(text)),
                Part::Capture(name) => {
                    if names.contains(name) {
                        return Err(format!("`{{{name}}}` stands twice in `{text}`"));
                    }
                    let last = at + 1 == parts.len();
                    pattern.push_str(&format!("({})", expression(name, last, classes)?));
                    names.push(name.clone());
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
        Ok(Template {
            text: text.to_owned(),
            parts,
            regex,
            names,
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
            .map(|part| {
                if let Part::Literal(text) = part {
                    text.len()
                } else {
                    0
                }
            })
            .sum()
    }

    /// The captured parts of a name, in the order of [`Template::names`]; `None` if it does not fit.
    pub fn captures<'k>(&self, name: &'k [u8]) -> Option<Vec<&'k [u8]>> {
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
        self.regex.is_match(name)
    }

    /// Builds the name back from the captures' values; `None` where one is missing.
    pub fn build(&self, value: impl Fn(&str) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
        let mut name = Vec::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => name.extend_from_slice(text.as_bytes()),
                Part::Capture(capture) => name.extend(value(capture)?),
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
                Part::Literal(text) => Some(text.as_str()),
                Part::Capture(_) => {
                    captures += 1;
                    value(captures - 1)
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
                Part::Capture(_) => {
                    push(captures, name);
                    captures += 1;
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
                Part::Capture(capture) => match value(capture) {
                    Some(value) => escape_glob(&value, &mut glob),
                    None if glob.last() == Some(&b'*') => {}
                    None => glob.push(b'*'),
                },
            }
        }
        glob
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

fn expression(name: &str, last: bool, classes: &[(String, String)]) -> Result<String, String> {
    let wanted = classes
        .iter()
        .find(|(capture, _)| capture == name)
        .map(|(_, class)| class.as_str());
    match wanted {
        None => Ok(class(if last { "any" } else { "segment" })
            .unwrap_or_default()
            .to_owned()),
        Some(wanted) => match wanted
            .strip_prefix('/')
            .and_then(|text| text.strip_suffix('/'))
        {
            Some(custom) => Ok(format!("(?:{custom})")),
            None => class(wanted)
                .map(str::to_owned)
                .ok_or_else(|| format!("no class named `{wanted}` (for `{{{name}}}`)")),
        },
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
                let name: String = chars.by_ref().take_while(|c| *c != '}').collect();
                if name.is_empty() || !name.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
                    return Err(format!("`{{{name}}}` in `{text}` is no name of a capture"));
                }
                if !literal.is_empty() {
                    parts.push(Part::Literal(std::mem::take(&mut literal)));
                }
                parts.push(Part::Capture(name));
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
        let template = Template::parse(pattern, &classes).expect("a good template");
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
        assert!(Template::parse("x:{key}", &classes).is_err());
    }

    #[test]
    fn known_captures_are_spelt_out_in_a_glob() {
        let template = Template::parse("idem:{scope}:{key}", &[]).expect("a good template");
        let glob = template.glob(|name| (name == "key").then(|| b"a*b".to_vec()));
        assert_eq!(glob, b"idem:*:a\\*b");
    }
}
