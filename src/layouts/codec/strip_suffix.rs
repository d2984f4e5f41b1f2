//! Takes a known end off a value: `strip-suffix(:1)`.

use std::borrow::Cow;

use super::{Codec, Fault, Given, Slot};

pub const CODEC: Codec = Codec {
    name: "strip-suffix",
    gives_json: false,
    streams: true,
    check,
    decode,
};

fn check(argument: &str) -> Result<(), String> {
    if argument.is_empty() {
        return Err("the end to take off stands in parentheses".to_owned());
    }
    Ok(())
}

fn decode<'a>(slot: &Slot<'a>, given: Given<'_>) -> Result<Slot<'a>, Fault> {
    let bytes = slot.bytes().ok_or(Fault::Not)?;
    if given.cut {
        return Ok(Slot::Bytes(bytes));
    }
    let end = given.argument.as_bytes();
    let kept = bytes.strip_suffix(end).ok_or(Fault::Not)?.len();
    Ok(match bytes {
        Cow::Borrowed(bytes) => Slot::from_bytes(bytes.get(..kept).unwrap_or_default()),
        Cow::Owned(mut bytes) => {
            bytes.truncate(kept);
            super::slot_of(bytes)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::decoded;
    use super::*;

    #[test]
    fn the_end_is_taken_off() {
        assert_eq!(decoded("strip-suffix(:1)", b"abc:1"), Ok("abc".to_owned()));
        assert_eq!(decoded("strip-suffix(:1)", b"abc"), Err(Fault::Not));
    }
}
