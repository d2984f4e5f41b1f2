//! Patterns of an SSH configuration, and the files that one of them names.
//!
//! Source: `ssh_config(5)`, "PATTERNS"; `glob(7)` for `Include`.

use std::path::{Component, Path, PathBuf};

/// Files that one `Include` may name.
const FILES_MAX: usize = 1_000;

/// `*` is any text, `?` any one character.
pub fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut of) = (0, 0);
    // The last star, and how much it has taken.
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(of) {
            Some('*') => {
                star = Some((of, at));
                of += 1;
            }
            Some(c) if *c == '?' || text.get(at) == Some(c) => {
                at += 1;
                of += 1;
            }
            _ => {
                let Some((start, taken)) = star else {
                    return false;
                };
                star = Some((start, taken + 1));
                at = taken + 1;
                of = start + 1;
            }
        }
    }
    pattern.iter().skip(of).all(|c| *c == '*')
}

/// The words behind `Host`: one fits, and none that is excluded.
pub fn is_one_of(words: &[String], host: &str) -> bool {
    let excluded = words.iter().filter_map(|word| word.strip_prefix('!'));
    let mut named = words.iter().filter(|word| !word.starts_with('!'));
    !excluded.into_iter().any(|pattern| fits(pattern, host))
        && named.any(|pattern| fits(pattern, host))
}

/// The same of a list with commas.
pub fn is_listed(list: &str, text: &str) -> bool {
    let words: Vec<String> = list.split(',').map(|word| word.trim().to_owned()).collect();
    is_one_of(&words, text)
}

/// The files that a path with `*` and `?` names, in their order; none where there is none.
pub fn files(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let name = component.as_os_str().to_string_lossy();
        let is_pattern = matches!(component, Component::Normal(_)) && name.contains(['*', '?']);
        found = match is_pattern {
            false => found.into_iter().map(|path| path.join(component)).collect(),
            true => found.iter().flat_map(|path| entries(path, &name)).collect(),
        };
        found.truncate(FILES_MAX);
    }
    found.retain(|path| path.is_file());
    found
}

fn entries(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut named: Vec<PathBuf> = entries
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // What is hidden is named on purpose.
            fits(pattern, &name) && (!name.starts_with('.') || pattern.starts_with('.'))
        })
        .map(|entry| entry.path())
        .collect();
    named.sort();
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_stand_for_others() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("10.0.?.*", "10.0.1.25", true),
            ("10.0.?.*", "10.0.11.25", false),
            ("*.example", "db.example", true),
            ("*a*b", "xaxxab", true),
            ("*a*b", "xaxxa", false),
            ("db", "db", true),
            ("db", "db2", false),
            ("db?", "db", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
        assert!(!fits(&"*a".repeat(2_000), &"a".repeat(1_000)));
    }

    #[test]
    fn an_exclamation_mark_excludes_wherever_it_stands() {
        for (list, text, expected) in [
            ("*.example,!db.example", "db.example", false),
            ("!db.example,*.example", "db.example", false),
            ("!db.example,*.example", "app.example", true),
            ("!db.example", "app.example", false),
        ] {
            assert_eq!(is_listed(list, text), expected, "{list} {text}");
        }
    }
}
