//! JSON text: taken as it is, since paths read it in place.

use std::borrow::Cow;

use super::{Codec, Fault, Given, Slot, no_argument};

pub const CODEC: Codec = Codec {
    name: "json",
    gives_json: true,
    streams: true,
    check: no_argument,
    decode,
};

fn decode<'a>(slot: &Slot<'a>, _: Given<'_>) -> Result<Slot<'a>, Fault> {
    let text = match slot {
        Slot::Text(text) | Slot::Json(text) => Some(Slot::Json(text.clone())),
        Slot::Number(_) | Slot::Bool(_) => Some(slot.clone()),
        Slot::Bytes(Cow::Borrowed(bytes)) => std::str::from_utf8(bytes)
            .ok()
            .map(|text| Slot::Json(Cow::Borrowed(text))),
        Slot::Bytes(Cow::Owned(bytes)) => String::from_utf8(bytes.clone())
            .ok()
            .map(|text| Slot::Json(Cow::Owned(text))),
        _ => None,
    };
    text.ok_or(Fault::Not)
}
