//! Percent-encoding, as in URLs and in the names of keys.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};

use super::{Codec, Fault, Given, Slot, no_argument, slot_of};

pub const CODEC: Codec = Codec {
    name: "percent",
    gives_json: false,
    streams: false,
    check: no_argument,
    decode,
};

/// What `encodeURIComponent` leaves as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

fn decode<'a>(slot: &Slot<'a>, _: Given<'_>) -> Result<Slot<'a>, Fault> {
    let bytes = slot.bytes().ok_or(Fault::Not)?;
    Ok(slot_of(percent_decode(&bytes).collect()))
}

/// Text as a template with `{name|percent}` writes it.
pub fn percent_encoded(bytes: &[u8]) -> Cow<'_, str> {
    percent_encode(bytes, ENCODED).into()
}

pub fn percent_decoded(bytes: &[u8]) -> Cow<'_, [u8]> {
    percent_decode(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::super::tests::decoded;
    use super::*;

    #[test]
    fn there_and_back() {
        assert_eq!(decoded("percent", b"ord%3A117"), Ok("ord:117".to_owned()));
        assert_eq!(decoded("percent", b"50%"), Ok("50%".to_owned()));
        assert_eq!(percent_encoded(b"ord:117"), "ord%3A117");
    }
}
