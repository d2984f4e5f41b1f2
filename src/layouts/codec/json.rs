//! JSON text: taken as it is, since paths read it in place.

use std::borrow::Cow;

use super::{Codec, Slot};

pub const CODEC: Codec = Codec {
    name: "json",
    gives_json: true,
    decode,
};

fn decode<'a>(slot: &Slot<'a>) -> Option<Slot<'a>> {
    match slot {
        Slot::Text(text) | Slot::Json(text) => Some(Slot::Json(text.clone())),
        Slot::Number(_) | Slot::Bool(_) => Some(slot.clone()),
        Slot::Bytes(Cow::Borrowed(bytes)) => std::str::from_utf8(bytes)
            .ok()
            .map(|text| Slot::Json(Cow::Borrowed(text))),
        Slot::Bytes(Cow::Owned(bytes)) => String::from_utf8(bytes.clone())
            .ok()
            .map(|text| Slot::Json(Cow::Owned(text))),
        _ => None,
    }
}
