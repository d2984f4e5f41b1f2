//! Hexadecimal digits, as stored by hand or with PostgreSQL's `\x` in front.

use std::borrow::Cow;

use super::{Codec, Slot};

pub const CODEC: Codec = Codec {
    name: "hex",
    gives_json: false,
    decode,
};

fn decode<'a>(slot: &Slot<'a>) -> Option<Slot<'a>> {
    let bytes = slot.bytes()?;
    let digits = bytes.strip_prefix(b"\\x").unwrap_or(&bytes);
    if digits.len() % 2 != 0 {
        return None;
    }
    let decoded: Option<Vec<u8>> = digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect();
    Some(match String::from_utf8(decoded?) {
        Ok(text) => Slot::Text(Cow::Owned(text)),
        Err(error) => Slot::Bytes(Cow::Owned(error.into_bytes())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_become_bytes() {
        let of = |text: &'static str| decode(&Slot::Text(text.into()));
        assert_eq!(of("6f6b"), Some(Slot::Text("ok".into())));
        assert_eq!(of("\\xff00"), Some(Slot::Bytes(vec![0xff, 0].into())));
        assert_eq!(of("6f6"), None);
        assert_eq!(of("zz"), None);
    }
}
