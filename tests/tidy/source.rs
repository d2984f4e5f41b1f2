//! A Rust file as the rules see it: without comments and strings, with its tests marked.
//!
//! Apart from the rules because reading Rust roughly is a matter of its own. It knows as much of
//! the grammar as the rules need, and no more.

use std::ops::Range;

use crate::{root, walk};

pub struct Source {
    /// From the root of the repository.
    pub path: String,
    pub text: String,
    /// The text with blanks in place of comments, strings and characters; same length, same lines.
    pub code: String,
    tests: Vec<Range<usize>>,
    /// Where each line ends.
    ends: Vec<usize>,
}

/// A path or a single name as it stands in code, with groups of `use` written out.
pub struct Name {
    pub text: String,
    pub line: usize,
    pub in_tests: bool,
    /// What follows it: `!` for a macro.
    pub next: Option<char>,
    /// Stands in a `use` as a whole.
    pub imported: bool,
    /// Follows a dot: a field or a method.
    pub member: bool,
}

pub struct Function {
    pub name: String,
    pub line: usize,
    pub lines: usize,
}

/// The Rust files under a folder.
pub fn sources(folder: &str) -> Vec<Source> {
    walk(folder)
        .into_iter()
        .filter(|path| path.ends_with(".rs"))
        .map(|path| {
            let text = std::fs::read_to_string(root().join(&path)).expect("a source file");
            Source::new(path, text)
        })
        .collect()
}

impl Source {
    pub fn new(path: String, text: String) -> Source {
        let code = blank(&text);
        let whole = path.ends_with("/tests.rs") || path.contains("/tests/");
        let tests = if whole {
            std::iter::once(0..text.len()).collect()
        } else {
            tests(&code)
        };
        let ends = code.match_indices('\n').map(|(end, _)| end).collect();
        Source {
            path,
            text,
            code,
            tests,
            ends,
        }
    }

    /// The module at the top of the crate that the file belongs to: `ui` for `src/ui/mod.rs`.
    pub fn module(&self) -> &str {
        let inside = self.path.strip_prefix("src/").unwrap_or(&self.path);
        let first = inside.split('/').next().unwrap_or(inside);
        first.strip_suffix(".rs").unwrap_or(first)
    }

    pub fn line_of(&self, offset: usize) -> usize {
        self.ends.partition_point(|end| *end < offset) + 1
    }

    pub fn in_tests(&self, offset: usize) -> bool {
        self.tests.iter().any(|range| range.contains(&offset))
    }

    /// Lines that do not belong to tests.
    pub fn lines_above_tests(&self) -> usize {
        let mut offset = 0;
        let mut count = 0;
        for line in self.code.split_inclusive('\n') {
            // Where a test ends in a line, the line is still the test's.
            count += usize::from(!self.in_tests(offset + line.trim_end().len().saturating_sub(1)));
            offset += line.len();
        }
        count
    }

    /// Every place where `pattern` stands in the code.
    pub fn find(&self, pattern: &str) -> Vec<usize> {
        self.code
            .match_indices(pattern)
            .map(|(offset, _)| offset)
            .collect()
    }

    pub fn functions(&self) -> Vec<Function> {
        let mut found = Vec::new();
        for offset in self.find("fn ") {
            let before = self.code[..offset].chars().next_back();
            let name: String = self.code[offset + 3..]
                .chars()
                .take_while(|c| in_name(*c))
                .collect();
            if before.is_some_and(in_name) || name.is_empty() {
                continue;
            }
            let end = item_end(&self.code, offset);
            let line = self.line_of(offset);
            found.push(Function {
                name,
                line,
                lines: self.line_of(end.saturating_sub(1)) + 1 - line,
            });
        }
        found
    }

    pub fn names(&self) -> Vec<Name> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(start) = self.code[at..].find(|c: char| in_name(c) && !c.is_numeric()) {
            let start = at + start;
            let imported = self.code[..start].trim_end().ends_with("use")
                && self.code[..start].ends_with(char::is_whitespace);
            at = self.name(start, start, String::new(), imported, &mut found);
        }
        found
    }

    /// Reads the path at `at`, whose groups are written out; gives the offset behind it.
    fn name(
        &self,
        place: usize,
        at: usize,
        prefix: String,
        imported: bool,
        found: &mut Vec<Name>,
    ) -> usize {
        let mut text = prefix;
        let mut end = at;
        loop {
            let rest = &self.code[end..];
            let length = rest.find(|c: char| !in_name(c)).unwrap_or(rest.len());
            text.push_str(&rest[..length]);
            end += length;
            let Some(next) = self.code[end..].strip_prefix("::") else {
                break;
            };
            if next.starts_with('{') {
                return self.group(place, end + 3, text, imported, found);
            }
            if !next.starts_with(in_name) {
                break;
            }
            text.push_str("::");
            end += 2;
        }
        let before = self.code[..place].trim_end();
        found.push(Name {
            text,
            line: self.line_of(at),
            in_tests: self.in_tests(at),
            next: self.code[end..].chars().next(),
            imported,
            member: before.ends_with('.') && !before.ends_with(".."),
        });
        end.max(at + 1)
    }

    fn group(
        &self,
        place: usize,
        mut at: usize,
        prefix: String,
        imported: bool,
        found: &mut Vec<Name>,
    ) -> usize {
        while let Some(c) = self.code[at..].chars().next() {
            if c == '}' {
                return at + 1;
            }
            at = if in_name(c) {
                self.name(place, at, format!("{prefix}::"), imported, found)
            } else {
                at + c.len_utf8()
            };
        }
        at
    }
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Behind the item that starts at `start`: its closing brace or its semicolon.
fn item_end(code: &str, start: usize) -> usize {
    let mut nested = 0;
    let mut depth = 0;
    for (offset, c) in code[start..].char_indices() {
        match c {
            '(' | '[' if depth == 0 => nested += 1,
            ')' | ']' if depth == 0 => nested -= 1,
            ';' if depth == 0 && nested == 0 => return start + offset + 1,
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth <= 0 && nested == 0 {
                    return start + offset + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

fn tests(code: &str) -> Vec<Range<usize>> {
    ["#[cfg(test)]", "#[test]", "#[tokio::test"]
        .iter()
        .flat_map(|mark| code.match_indices(mark))
        .map(|(start, mark)| start..item_end(code, start + mark.len()))
        .collect()
}

/// Puts blanks in place of comments, strings and characters.
fn blank(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after_name = code.chars().next_back().is_some_and(in_name);
        let length = literal(rest, after_name);
        let (taken, left) = rest.split_at(length.unwrap_or(c.len_utf8()));
        match length {
            Some(_) => code.extend(taken.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' })),
            None => code.push_str(taken),
        }
        rest = left;
    }
    code
}

/// Length of the comment, string or character that `rest` starts with.
fn literal(rest: &str, after_name: bool) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(block_comment(rest));
    }
    if let Some(quoted) = rest.strip_prefix('"') {
        return Some(1 + quoted_end(quoted, '"'));
    }
    if let Some(quoted) = rest.strip_prefix('\'') {
        let mut chars = quoted.chars();
        let first = chars.next()?;
        // Anything else is a lifetime.
        return (first == '\\' || chars.next() == Some('\'')).then(|| 1 + quoted_end(quoted, '\''));
    }
    if after_name {
        return None;
    }
    let raw = ["r", "br", "cr"].iter().find_map(|mark| {
        let hashes = rest.strip_prefix(mark)?;
        let count = hashes.len() - hashes.trim_start_matches('#').len();
        hashes[count..]
            .starts_with('"')
            .then_some((mark.len(), count))
    })?;
    let start = raw.0 + raw.1 + 1;
    let end = format!("\"{}", "#".repeat(raw.1));
    Some(
        rest[start..]
            .find(&end)
            .map_or(rest.len(), |at| start + at + end.len()),
    )
}

fn quoted_end(quoted: &str, end: char) -> usize {
    let mut escaped = false;
    for (offset, c) in quoted.char_indices() {
        if c == end && !escaped {
            return offset + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    quoted.len()
}

fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

#[test]
fn there_are_sources_to_read() {
    assert!(
        sources("src")
            .iter()
            .any(|source| source.path == "src/main.rs")
    );
    assert!(
        sources("tests")
            .iter()
            .any(|source| source.path == "tests/tidy/main.rs")
    );
}

#[test]
fn strings_comments_and_lifetimes_are_told_apart() {
    let text = "let a = \"x // \\\" y\"; // z\nlet b: &'a str = r#\"\"q\"#; let c = '\"'; /* /* */ f() */ g()";
    let code = blank(text);
    assert_eq!(code.len(), text.len());
    let words: Vec<&str> = code.split_whitespace().collect();
    let expected = "let a = ; let b: &'a str = ; let c = ; g()";
    assert_eq!(words.join(" "), expected);
}

#[test]
fn groups_of_names_are_written_out() {
    let text =
        "use crate::{domain::{A, time::B}, sys};\nfn f() { x.fs::<u8>(); std::fs::read() }\n";
    let source = Source::new("src/ops/a.rs".to_owned(), text.to_owned());
    let names: Vec<String> = source.names().into_iter().map(|name| name.text).collect();
    let expected =
        "use crate::domain::A crate::domain::time::B crate::sys fn f x fs u8 std::fs::read";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn tests_are_known_by_their_marks() {
    let text = "fn a() {\n  b();\n}\n#[cfg(test)]\nmod tests {\n  fn c() {}\n}\nfn d() {}\n";
    let source = Source::new("src/a.rs".to_owned(), text.to_owned());
    assert_eq!(source.lines_above_tests(), 4);
    assert!(
        source
            .names()
            .iter()
            .any(|name| name.text == "c" && name.in_tests)
    );
    let lengths: Vec<usize> = source
        .functions()
        .iter()
        .map(|function| function.lines)
        .collect();
    assert_eq!(lengths, [3, 1, 1]);
}
