//! JSON text as the tree formats write it while they are walked.
//!
//! Apart from a tree of values because a hostile input of small items would take thirty times its
//! size as one.
//! Bounds: [`DEPTH_MAX`] levels and `OUTPUT_BYTES_MAX` bytes; past them writing is a [`Fault`].

use super::{Fault, OUTPUT_BYTES_MAX};
use crate::layouts::slot::hex;

/// Levels that are walked into; paths go no deeper either.
pub const DEPTH_MAX: usize = 100;

#[derive(Default)]
pub struct Tree {
    text: String,
    depth: usize,
}

impl Tree {
    pub fn into_text(self) -> String {
        self.text
    }

    /// Where the next thing will begin, for [`Tree::make_name`].
    pub fn position(&self) -> usize {
        self.text.len()
    }

    pub fn raw(&mut self, text: &str) -> Result<(), Fault> {
        if self.text.len() + text.len() > OUTPUT_BYTES_MAX {
            return Err(Fault::Bound);
        }
        self.text.push_str(text);
        Ok(())
    }

    pub fn open(&mut self, bracket: &str) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Fault::Bound);
        }
        self.raw(bracket)
    }

    pub fn close(&mut self, bracket: &str) -> Result<(), Fault> {
        self.depth = self.depth.saturating_sub(1);
        self.raw(bracket)
    }

    /// A comma, but before the first item.
    pub fn separate(&mut self, index: usize) -> Result<(), Fault> {
        if index > 0 { self.raw(",") } else { Ok(()) }
    }

    pub fn text(&mut self, text: &str) -> Result<(), Fault> {
        // The longest escape is six bytes for one.
        if self.text.len() + text.len() > OUTPUT_BYTES_MAX {
            return Err(Fault::Bound);
        }
        let quoted = serde_json::to_string(text).map_err(|_| Fault::Not)?;
        self.raw(&quoted)
    }

    /// Bytes as text where they are UTF-8, else `\x` and their digits, which `hex` reads again.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text(text),
            Err(_) if self.text.len() + bytes.len() * 2 > OUTPUT_BYTES_MAX => Err(Fault::Bound),
            Err(_) => self.text(&format!("\\x{}", hex(bytes))),
        }
    }

    pub fn bool(&mut self, value: bool) -> Result<(), Fault> {
        self.raw(if value { "true" } else { "false" })
    }

    pub fn int(&mut self, value: impl std::fmt::Display) -> Result<(), Fault> {
        self.raw(&value.to_string())
    }

    /// What JSON has no number for is text.
    pub fn float(&mut self, value: f64) -> Result<(), Fault> {
        if value.is_finite() {
            self.raw(&format!("{value:?}"))
        } else {
            self.text(&value.to_string())
        }
    }

    /// Makes what was written since `start` the name of a member: text as it is, anything else as
    /// text of what it is.
    pub fn make_name(&mut self, start: usize) -> Result<(), Fault> {
        if self.text.as_bytes().get(start) != Some(&b'"') {
            let name = self.text.split_off(start);
            self.text(&name)?;
        }
        self.raw(":")
    }

    /// Turns a list that was begun at `start` into a map of its numbers; `items` say where its
    /// items begin.
    pub fn list_to_map(&mut self, start: usize, items: &[usize]) -> Result<(), Fault> {
        let list = self.text.split_off(start);
        self.raw("{")?;
        let mut from = 1;
        for (number, item) in items.iter().enumerate() {
            let begin = item.saturating_sub(start);
            self.raw(list.get(from..begin).unwrap_or_default())?;
            self.raw(&format!("\"{number}\":"))?;
            from = begin;
        }
        self.raw(list.get(from..).unwrap_or_default())
    }
}
