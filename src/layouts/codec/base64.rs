//! Base64, standard or URL-safe, with or without padding, also broken into lines.

use std::borrow::Cow;

use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, Engine};

use super::{Codec, Fault, Given, Slot, no_argument, slot_of};

pub const CODEC: Codec = Codec {
    name: "base64",
    gives_json: false,
    streams: true,
    check: no_argument,
    decode,
};

const CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);

fn decode<'a>(slot: &Slot<'a>, given: Given<'_>) -> Result<Slot<'a>, Fault> {
    let bytes = slot.bytes().ok_or(Fault::Not)?;
    let text: Cow<'_, [u8]> = if bytes.iter().any(u8::is_ascii_whitespace) {
        Cow::Owned(
            bytes
                .iter()
                .copied()
                .filter(|byte| !byte.is_ascii_whitespace())
                .collect(),
        )
    } else {
        bytes
    };
    // A cut may lie inside a group of four.
    let whole = text.len() - if given.cut { text.len() % 4 } else { 0 };
    let text = text.get(..whole).unwrap_or_default();
    let decoded = STANDARD
        .decode(text)
        .or_else(|_| URL_SAFE.decode(text))
        .map_err(|_| Fault::Not)?;
    Ok(slot_of(decoded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&[u8]>) {
        let found = decode(&Slot::Text(text.into()), Given::default()).ok();
        assert_eq!(found.and_then(|slot| slot.bytes()).as_deref(), expected);
    }

    #[test]
    fn both_alphabets_with_and_without_padding() {
        check("aGVsbG8=", Some(b"hello"));
        check("aGVsbG8", Some(b"hello"));
        check("__79", Some(&[0xff, 0xfe, 0xfd]));
        check("aGVs\nbG8=\n", Some(b"hello"));
        check("not base64!", None);
    }
}
