//! Bytes that are text: a column of bytes in which an application keeps text.

use std::borrow::Cow;

use super::{Codec, Fault, Given, Slot, no_argument};

pub const CODEC: Codec = Codec {
    name: "text",
    gives_json: false,
    streams: false,
    check: no_argument,
    decode,
};

fn decode<'a>(slot: &Slot<'a>, _: Given<'_>) -> Result<Slot<'a>, Fault> {
    match slot.bytes().ok_or(Fault::Not)? {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes)
            .map(|text| Slot::Text(text.into()))
            .ok(),
        Cow::Owned(bytes) => String::from_utf8(bytes)
            .map(|text| Slot::Text(text.into()))
            .ok(),
    }
    .ok_or(Fault::Not)
}
