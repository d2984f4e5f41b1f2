//! A JSON array of numbers that are bytes, as some languages write a body.

use std::borrow::Cow;

use super::{Codec, Fault, Given, Slot, no_argument, slot_of};

pub const CODEC: Codec = Codec {
    name: "byte-array",
    gives_json: false,
    streams: false,
    check: no_argument,
    decode,
};

fn decode<'a>(slot: &Slot<'a>, _: Given<'_>) -> Result<Slot<'a>, Fault> {
    let (Slot::Json(text) | Slot::Text(text)) = slot else {
        return Err(Fault::Not);
    };
    let bytes: Vec<u8> = serde_json::from_str(text).map_err(|_| Fault::Not)?;
    match slot_of(bytes) {
        Slot::Text(text) if text.is_empty() => Ok(Slot::Text(Cow::Borrowed(""))),
        other => Ok(other),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::decoded;
    use super::*;

    #[test]
    fn numbers_become_bytes() {
        assert_eq!(decoded("byte-array", b"[111,107]"), Ok("ok".to_owned()));
        assert_eq!(decoded("byte-array", b"[255]"), Ok("ff".to_owned()));
        assert_eq!(decoded("byte-array", b"[256]"), Err(Fault::Not));
        assert_eq!(decoded("byte-array", b"{}"), Err(Fault::Not));
    }
}
