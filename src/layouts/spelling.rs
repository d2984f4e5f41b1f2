//! How the same name is written by programmers of different languages.
//!
//! Apart from the readers because JSON members and hash fields are told alike, and because a store
//! that is asked for fields by name must be asked in its own writing.

use super::vocabulary::snake;

/// How members and fields are told by their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spelling {
    #[default]
    Exact,
    /// A name that is not there as it stands may be there as another programmer writes it:
    /// `requestHash`, `RequestHash`, `request_hash`, `request-hash`.
    Loose,
}

fn letters(text: &str) -> impl Iterator<Item = u8> + '_ {
    text.bytes()
        .filter(|byte| !matches!(byte, b'_' | b'-' | b' '))
        .map(|byte| byte.to_ascii_lowercase())
}

impl Spelling {
    pub fn is_same(self, name: &str, other: &str) -> bool {
        self == Spelling::Loose && letters(name).eq(letters(other))
    }
}

/// A way to write names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Writing {
    /// `request_hash`
    Snake,
    /// `requestHash`
    Camel,
    /// `RequestHash`
    Pascal,
    /// `request-hash`
    Kebab,
    /// `REQUEST_HASH`
    Upper,
    /// `requesthash`
    Flat,
}

impl Writing {
    const ALL: [Writing; 6] = [
        Writing::Snake,
        Writing::Camel,
        Writing::Pascal,
        Writing::Kebab,
        Writing::Upper,
        Writing::Flat,
    ];

    /// How a name that means `wanted` is written; none where several ways write it alike.
    pub fn of(wanted: &str, found: &str) -> Option<Writing> {
        let wanted = snake(wanted);
        let mut fitting = Writing::ALL
            .into_iter()
            .filter(|writing| writing.write(&wanted) == found);
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }

    /// A name in snake case, written this way.
    pub fn write(self, snake: &str) -> String {
        let words = snake.split('_').filter(|word| !word.is_empty());
        match self {
            Writing::Snake => snake.to_owned(),
            Writing::Kebab => snake.replace('_', "-"),
            Writing::Upper => snake.to_ascii_uppercase(),
            Writing::Flat => snake.replace('_', ""),
            Writing::Pascal => words.map(capital).collect(),
            Writing::Camel => words
                .enumerate()
                .map(|(at, word)| {
                    if at == 0 {
                        word.to_owned()
                    } else {
                        capital(word)
                    }
                })
                .collect(),
        }
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writing_is_known_by_what_the_name_means() {
        for writing in Writing::ALL {
            let name = writing.write("request_hash");
            assert_eq!(Writing::of("requestHash", &name), Some(writing), "{name}");
            assert!(Spelling::Loose.is_same("requestHash", &name));
        }
        assert_eq!(Writing::of("status", "status"), None);
        assert_eq!(Writing::of("status", "Status"), Some(Writing::Pascal));
    }
}
