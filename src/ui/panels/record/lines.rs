//! The first lines of a small stored value, made at once: for samples beside a layout.
//!
//! Apart from `payload`, whose lines a worker makes, because samples are bounded.

use serde_json::Value;

use crate::present::mask::mask;
use crate::present::payload::{Sheet, stored_text};

const BYTES_MAX: usize = 256 << 10;
const LINES_MAX: usize = 2_000;
/// Deeper levels are indented no further.
const DEPTH_MAX: usize = 24;

/// Lines of a tree, made once for each record.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Which record and width they are of.
    made_of: (u64, usize),
    pub lines: Vec<String>,
}

impl Lines {
    /// Makes the lines anew where another value or width is shown.
    pub fn of_value(&mut self, stamp: u64, chars: usize, value: &Value) {
        let wanted = (stamp, chars);
        if self.made_of == wanted && !self.lines.is_empty() {
            return;
        }
        self.made_of = wanted;
        self.lines = value_lines(value, chars);
    }
}

fn value_lines(value: &Value, chars: usize) -> Vec<String> {
    let Some(text) = stored_text(value) else {
        return Vec::new();
    };
    let (text, _) = mask(&text);
    let mut end = text.len().min(BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let kept = text.get(..end).unwrap_or_default();
    let sheet = Sheet::tree(kept).unwrap_or_else(|| Sheet::text(kept, chars));
    let line = |at| {
        let line = sheet.line(at);
        format!("{}{}", "  ".repeat(line.depth.min(DEPTH_MAX)), line.text)
    };
    (0..sheet.lines().min(LINES_MAX)).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_set_out_and_masked() {
        let mut lines = Lines::default();
        let value = serde_json::json!({"status": "done", "token": "abc"});
        lines.of_value(1, 40, &value);
        assert_eq!(
            lines.lines,
            [
                "{",
                "  \"status\": \"done\",",
                "  \"token\": \"••••••\"",
                "}"
            ]
        );
        lines.of_value(2, 8, &Value::from("plain text"));
        assert_eq!(lines.lines, ["plain te", "xt"]);
    }
}
