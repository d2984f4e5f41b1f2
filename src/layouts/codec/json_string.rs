//! A JSON string, taken out of its quotes. Apart from `json` because what is in the quotes may be
//! no JSON at all; where there are no quotes, this is not the format and another alternative counts.

use std::borrow::Cow;

use super::{Codec, Fault, Given, Slot, no_argument};

pub const CODEC: Codec = Codec {
    name: "json-string",
    gives_json: false,
    streams: false,
    check: no_argument,
    decode,
};

fn decode<'a>(slot: &Slot<'a>, _: Given<'_>) -> Result<Slot<'a>, Fault> {
    let bytes = slot.bytes().ok_or(Fault::Not)?;
    if bytes.first() != Some(&b'"') {
        return Err(Fault::Not);
    }
    let text: String = serde_json::from_slice(&bytes).map_err(|_| Fault::Not)?;
    Ok(Slot::Text(Cow::Owned(text)))
}
