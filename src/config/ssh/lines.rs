//! Lines of an SSH configuration: a keyword and its words.
//!
//! Apart from what they mean because this is how `ssh` cuts a line up, whatever stands in it. Source:
//! `ssh_config(5)`, first section; `argv_split` of OpenSSH for quotes and escapes.

/// A line with something in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: usize,
    /// In small letters.
    pub keyword: String,
    pub words: Vec<String>,
}

/// All lines of a file that say something.
///
/// Errors: the number of a line whose quotes do not close.
pub fn lines(text: &str) -> Result<Vec<Line>, usize> {
    let mut all = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let end = line.find(|c: char| c.is_whitespace() || c == '=');
        let (keyword, rest) = line.split_at(end.unwrap_or(line.len()));
        let rest = rest.trim_start();
        let rest = rest.strip_prefix('=').unwrap_or(rest);
        all.push(Line {
            number: at + 1,
            keyword: keyword.trim_matches('"').to_ascii_lowercase(),
            words: words(rest).ok_or(at + 1)?,
        });
    }
    Ok(all)
}

/// Words with their quotes taken off; a comment ends them.
fn words(text: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    let mut rest = text.chars().peekable();
    loop {
        while rest.next_if(|c| c.is_whitespace()).is_some() {}
        match rest.peek() {
            None | Some('#') => return Some(all),
            Some(_) => {}
        }
        let (mut word, mut quote) = (String::new(), None);
        while let Some(c) = rest.next_if(|c| quote.is_some() || !c.is_whitespace()) {
            let escapes = |next: &char| {
                matches!(next, '"' | '\'' | '\\') || (quote.is_none() && *next == ' ')
            };
            match c {
                '\\' => word.push(rest.next_if(escapes).unwrap_or('\\')),
                '"' | '\'' if quote == Some(c) => quote = None,
                '"' | '\'' if quote.is_none() => quote = Some(c),
                c => word.push(c),
            }
        }
        if quote.is_some() {
            return None;
        }
        all.push(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, keyword: &str, words: &[&str]) {
        let all = lines(text).expect("lines");
        let [line] = all.as_slice() else {
            panic!("{all:?}")
        };
        assert_eq!(line.keyword, keyword);
        assert_eq!(line.words, words);
    }

    #[test]
    fn a_line_is_a_keyword_and_its_words() {
        check(
            "HostName  10.0.0.7 # the old one",
            "hostname",
            &["10.0.0.7"],
        );
        check("\n# no\n  Port=22\n", "port", &["22"]);
        check("Port = 22", "port", &["22"]);
        check("Host a !b *.c", "host", &["a", "!b", "*.c"]);
        check(
            "IdentityFile \"~/my keys/id\"",
            "identityfile",
            &["~/my keys/id"],
        );
        check(
            "IdentityFile ~/my\\ keys/id",
            "identityfile",
            &["~/my keys/id"],
        );
        check("User a#b", "user", &["a#b"]);
        assert_eq!(lines("Host a\nUser \"b\n"), Err(2));
    }
}
