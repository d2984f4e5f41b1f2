//! A JSON array of texts, put together: a body that was stored in pieces. Text stays as it is.

use std::borrow::Cow;

use super::{Codec, Fault, Given, OUTPUT_BYTES_MAX, Slot, no_argument, slot_of};

pub const CODEC: Codec = Codec {
    name: "join",
    gives_json: false,
    streams: false,
    check: no_argument,
    decode,
};

fn decode<'a>(slot: &Slot<'a>, _: Given<'_>) -> Result<Slot<'a>, Fault> {
    let Slot::Json(text) = slot else {
        return match slot {
            Slot::Text(_) => Ok(slot.clone()),
            _ => Err(Fault::Not),
        };
    };
    let pieces: Vec<Cow<'_, str>> = serde_json::from_str(text).map_err(|_| Fault::Not)?;
    let mut whole: Vec<u8> = Vec::new();
    for piece in pieces {
        // Pieces that were no text by themselves may be text together.
        match super::hex::bytes_of(piece.as_bytes()).filter(|_| piece.starts_with("\\x")) {
            Some(bytes) => whole.extend(bytes),
            None => whole.extend_from_slice(piece.as_bytes()),
        }
        if whole.len() > OUTPUT_BYTES_MAX {
            return Err(Fault::Bound);
        }
    }
    Ok(slot_of(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_put_together() {
        let of = |text: &'static str| decode(&Slot::Json(text.into()), Given::default());
        assert_eq!(
            of(r#"["{\"a\"", ":1}"]"#),
            Ok(Slot::Text("{\"a\":1}".into()))
        );
        assert_eq!(of(r#"["\\xd0", "\\xa3"]"#), Ok(Slot::Text("У".into())));
        assert_eq!(of("[1]"), Err(Fault::Not));
    }
}
