//! Pieces of a proposed layout's text.
//!
//! Invariant: what is written is TOML, whatever names and values were seen; no line is wider than a
//! person reads.

use std::fmt::Write as _;

use super::token::is_plain;

const WIDTH: usize = 70;

/// A text as TOML, on one line; what does not show as it is written is escaped.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if is_plain(c) => quoted.push(c),
            c => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(c));
            }
        }
    }
    quoted.push('"');
    quoted
}

/// A list of texts as TOML.
pub fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let texts: Vec<String> = texts.into_iter().map(quoted).collect();
    format!("[{}]", texts.join(", "))
}

/// A name as the key of a table.
pub fn key(name: &str) -> String {
    let is_bare = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if is_bare {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// Sentences as lines of a comment.
pub fn comment(sentence: &str) -> String {
    let clean: String = sentence
        .chars()
        .map(|c| if is_plain(c) { c } else { ' ' })
        .collect();
    let mut text = String::new();
    let mut line = String::from("#");
    for word in clean.split(' ').filter(|word| !word.is_empty()) {
        if line.chars().count() + word.chars().count() >= WIDTH && line.len() > 1 {
            let _ = writeln!(text, "{line}");
            line = String::from("#");
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(text, "{line}");
    text
}

/// Lines that a person may take the `#` from.
pub fn offered(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("# {line}\n")).collect()
}

pub fn records(count: usize) -> String {
    match count {
        1 => "1 record".to_owned(),
        count => format!("{count} records"),
    }
}

/// An id made of what a family or table is called, that no layout has yet.
pub fn id(place: &str, taken: &[String]) -> String {
    let mut id = String::new();
    for c in place.chars() {
        if c.is_ascii_alphanumeric() {
            id.push(c.to_ascii_lowercase());
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
        if id.len() >= 40 {
            break;
        }
    }
    let id = match id.trim_end_matches('-') {
        "" => "my-layout".to_owned(),
        id => id.to_owned(),
    };
    let mut free = id.clone();
    let mut number = 2;
    while taken.contains(&free) {
        free = format!("{id}-{number}");
        number += 1;
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_short_lines_of_plain_text() {
        let text = comment(&format!("a \u{202e}\n{}", "word ".repeat(40)));
        assert!(
            text.lines()
                .all(|line| line.len() <= WIDTH && line.starts_with("# "))
        );
        assert!(!text.contains('\u{202e}'));
    }

    #[test]
    fn an_id_is_free_and_made_of_the_name() {
        assert_eq!(id("pay:{scope}:{key}", &[]), "pay-scope-key");
        assert_eq!(
            id("public.ApiCalls", &["public-apicalls".to_owned()]),
            "public-apicalls-2"
        );
        assert_eq!(id("\u{e9}", &[]), "my-layout");
    }
}
