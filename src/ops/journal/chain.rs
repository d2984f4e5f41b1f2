//! Lines chained by a hash: each carries that of itself and of the line before.
//!
//! A change of a line, a line left out and a line put in are all seen. It is no defence against
//! somebody who writes the whole file anew, and says so in the documentation.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// What stands between a line's members and its hash.
const MARK: &str = ",\"hash\":\"";

/// The hash that the next line goes on from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    pub last: String,
}

impl Chain {
    /// The next line, with its end.
    pub fn line(&mut self, members: &Map<String, Value>) -> String {
        let mut line = Value::Object(members.clone()).to_string();
        line.pop(); // the closing brace
        self.last = hash(&self.last, line.as_bytes());
        let _ = writeln!(line, "{MARK}{}\"}}", self.last);
        line
    }

    /// The members of a line that follows; `None` where it is altered, or not the next one.
    pub fn follow(&mut self, line: &[u8]) -> Option<Value> {
        let text = std::str::from_utf8(line).ok()?;
        let (body, told) = text.rsplit_once(MARK)?;
        let told = told.strip_suffix("\"}")?;
        if hash(&self.last, body.as_bytes()) != told {
            return None;
        }
        self.last = told.to_owned();
        serde_json::from_str(text).ok()
    }
}

fn hash(last: &str, body: &[u8]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(last.as_bytes());
    hasher.update(body);
    let mut text = String::with_capacity(64);
    for byte in hasher.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(text: &str) -> Map<String, Value> {
        [("kind".to_owned(), Value::from(text))]
            .into_iter()
            .collect()
    }

    #[test]
    fn lines_follow_each_other_and_nothing_else_does() {
        let mut writing = Chain::default();
        let lines: Vec<String> = ["a", "b", "with \",\"hash\":\" in it"]
            .into_iter()
            .map(|text| writing.line(&members(text)))
            .collect();
        let whole: Vec<&[u8]> = lines
            .iter()
            .map(|line| line.trim_end().as_bytes())
            .collect();
        let mut reading = Chain::default();
        for line in &whole {
            assert!(reading.follow(line).is_some());
        }
        assert_eq!(reading, writing);
        let mut skipping = Chain::default();
        skipping.follow(whole[0]);
        assert!(skipping.follow(whole[2]).is_none(), "a line was left out");
        let altered = lines[1].replace("\"b\"", "\"c\"");
        let mut reading = Chain::default();
        reading.follow(whole[0]);
        assert!(reading.follow(altered.trim_end().as_bytes()).is_none());
    }
}
