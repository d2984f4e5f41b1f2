//! The decoders a layout can name. One file a decoder, one line each in `CODECS`.
//!
//! A decoder takes one value and gives another; tree formats give JSON text, so that paths work
//! alike in all of them. What it needs to know stands in parentheses behind its name:
//! `strip-suffix(:1)`.
//! Invariant: bounded in depth, size and expansion, and never an execution of what is stored.

mod base64;
mod before_after;
mod byte_array;
mod composite_array;
mod erlang_term;
mod hex;
mod inflate;
mod join;
mod json;
mod json_string;
mod members;
mod msgpack;
mod percent;
mod php_serialize;
mod pickle;
mod reader;
mod strip_suffix;
mod structure;
mod text;
mod tree;
mod walk;

use std::borrow::Cow;

use super::slot::Slot;

pub use percent::{percent_decoded, percent_encoded};

/// No decoder gives more than this, whatever it is given.
pub const OUTPUT_BYTES_MAX: usize = 16 << 20;

/// Why a value could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is not in this format.
    Not,
    /// It ended too early; the rest may be in the store.
    Short,
    /// It is deeper or expands further than anything is read.
    Bound,
}

/// What a decoder is told beside the value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'g> {
    /// What stands in parentheses behind its name.
    pub argument: &'g str,
    /// The value goes on in the store.
    pub cut: bool,
}

type Decode = for<'a> fn(&Slot<'a>, Given<'_>) -> Result<Slot<'a>, Fault>;

pub struct Codec {
    pub name: &'static str,
    /// Whether what comes out is JSON text, so that paths may go into it.
    pub gives_json: bool,
    /// Whether the beginning of a value gives the beginning of the result.
    pub streams: bool,
    /// Refuses a wrong argument; none is the empty text.
    check: fn(&str) -> Result<(), String>,
    decode: Decode,
}

static CODECS: &[Codec] = &[
    before_after::AFTER,
    base64::CODEC,
    before_after::BEFORE,
    byte_array::CODEC,
    composite_array::CODEC,
    erlang_term::CODEC,
    hex::CODEC,
    inflate::GZIP,
    inflate::ZLIB,
    join::CODEC,
    json::CODEC,
    json_string::CODEC,
    members::CODEC,
    msgpack::CODEC,
    percent::CODEC,
    php_serialize::CODEC,
    pickle::CODEC,
    strip_suffix::CODEC,
    structure::CODEC,
    text::CODEC,
];

impl std::fmt::Debug for Codec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A decoder with its argument, as a layout names it.
#[derive(Clone, Debug)]
pub struct Step {
    pub codec: &'static Codec,
    argument: Box<str>,
}

impl Step {
    /// Reads `name` or `name(argument)`.
    ///
    /// Errors: no such decoder, or an argument that it does not understand.
    pub fn named(text: &str) -> Result<Step, String> {
        let (name, argument) = match text.split_once('(') {
            Some((name, rest)) => match rest.strip_suffix(')') {
                Some(argument) => (name, argument),
                None => return Err(format!("an open parenthesis in `{text}`")),
            },
            None => (text, ""),
        };
        let codec = CODECS
            .iter()
            .find(|codec| codec.name == name)
            .ok_or_else(|| {
                format!(
                    "no decoder is called `{name}` (there are {})",
                    names().join(", ")
                )
            })?;
        (codec.check)(argument).map_err(|error| format!("`{text}`: {error}"))?;
        Ok(Step {
            codec,
            argument: argument.into(),
        })
    }

    /// Decodes a value; `cut` says that it goes on in the store. Absence stays absence, a cut
    /// stays a cut.
    pub fn decode<'a>(&self, slot: &Slot<'a>, cut: bool) -> Result<Slot<'a>, Fault> {
        let given = Given {
            argument: &self.argument,
            cut,
        };
        match slot {
            Slot::Absent | Slot::Null | Slot::Cut | Slot::Unseen => Ok(slot.clone()),
            _ => (self.codec.decode)(slot, given),
        }
    }
}

/// The names of all decoders.
pub fn names() -> Vec<&'static str> {
    CODECS.iter().map(|codec| codec.name).collect()
}

/// The check of a decoder that takes no argument.
fn no_argument(argument: &str) -> Result<(), String> {
    match argument {
        "" => Ok(()),
        _ => Err("this decoder takes no argument".to_owned()),
    }
}

/// Bytes as text where they are UTF-8.
fn slot_of(bytes: Vec<u8>) -> Slot<'static> {
    match String::from_utf8(bytes) {
        Ok(text) => Slot::Text(Cow::Owned(text)),
        Err(error) => Slot::Bytes(Cow::Owned(error.into_bytes())),
    }
}

#[cfg(test)]
mod tests;
