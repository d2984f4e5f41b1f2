//! Hexadecimal digits, as stored by hand or with PostgreSQL's `\x` in front.

use super::{Codec, Fault, Given, Slot, no_argument, slot_of};

pub const CODEC: Codec = Codec {
    name: "hex",
    gives_json: false,
    streams: true,
    check: no_argument,
    decode,
};

fn decode<'a>(slot: &Slot<'a>, given: Given<'_>) -> Result<Slot<'a>, Fault> {
    let bytes = slot.bytes().ok_or(Fault::Not)?;
    // A cut may lie between the two digits of a byte.
    let even = bytes.len() - usize::from(given.cut && bytes.len() % 2 == 1);
    let digits = bytes.get(..even).unwrap_or_default();
    bytes_of(digits).map(slot_of).ok_or(Fault::Not)
}

/// The bytes that pairs of digits stand for.
pub fn bytes_of(digits: &[u8]) -> Option<Vec<u8>> {
    let digits = digits.strip_prefix(b"\\x").unwrap_or(digits);
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    digits
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => u8::try_from(digit(*high)? << 4 | digit(*low)?).ok(),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_become_bytes() {
        let of = |text: &'static str| decode(&Slot::Text(text.into()), Given::default());
        assert_eq!(of("6f6b"), Ok(Slot::Text("ok".into())));
        assert_eq!(of("\\xff00"), Ok(Slot::Bytes(vec![0xff, 0].into())));
        assert_eq!(of("6f6"), Err(Fault::Not));
        assert_eq!(of("zz"), Err(Fault::Not));
    }
}
