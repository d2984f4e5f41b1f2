//! The decoders a layout can name. One file a decoder, one line each in `CODECS`.
//!
//! A decoder takes one value and gives another; tree formats give JSON text, so that paths work
//! alike in all of them. Invariant: bounded in depth, size and expansion, and never an execution
//! of what is stored.

mod base64;
mod composite_array;
mod hex;
mod json;

use super::slot::Slot;

/// No decoder gives more than this, whatever it is given.
pub const OUTPUT_BYTES_MAX: usize = 16 << 20;

pub struct Codec {
    pub name: &'static str,
    /// Whether what comes out is JSON text, so that paths may go into it.
    pub gives_json: bool,
    decode: for<'a> fn(&Slot<'a>) -> Option<Slot<'a>>,
}

static CODECS: &[Codec] = &[
    base64::CODEC,
    composite_array::CODEC,
    hex::CODEC,
    json::CODEC,
];

impl Codec {
    pub fn named(name: &str) -> Option<&'static Codec> {
        CODECS.iter().find(|codec| codec.name == name)
    }

    pub fn names() -> Vec<&'static str> {
        CODECS.iter().map(|codec| codec.name).collect()
    }

    /// `None` where the value is not in this format. Absence stays absence, a cut stays a cut.
    pub fn decode<'a>(&self, slot: &Slot<'a>) -> Option<Slot<'a>> {
        match slot {
            Slot::Absent | Slot::Null | Slot::Cut | Slot::Unseen => Some(slot.clone()),
            _ => (self.decode)(slot),
        }
    }
}

impl std::fmt::Debug for Codec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
