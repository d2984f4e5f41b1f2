//! Whatever has members: JSON, PHP's serialization, MessagePack, a pickle, or one of them packed.
//!
//! Apart from the formats themselves because only layouts that are no library's own name it: they
//! are told by how a value begins, and a value that is in none of them is refused.

use super::{
    Codec, Fault, Given, Slot, inflate, json, msgpack, no_argument, php_serialize, pickle,
};

pub const CODEC: Codec = Codec {
    name: "members",
    gives_json: true,
    streams: true,
    check: no_argument,
    decode,
};

fn decode<'a>(slot: &Slot<'a>, given: Given<'_>) -> Result<Slot<'a>, Fault> {
    let (first, second) = match slot {
        Slot::Bytes(bytes) => (bytes.first(), bytes.get(1)),
        Slot::Text(text) => (text.as_bytes().first(), text.as_bytes().get(1)),
        _ => (None, None),
    };
    let codec = match (first, second) {
        (Some(0x1F), Some(0x8B)) => {
            let inside = (inflate::GZIP.decode)(slot, given)?;
            return match inside {
                Slot::Text(_) | Slot::Bytes(_) => decode(&inside, given),
                _ => Err(Fault::Not),
            };
        }
        (Some(0x80), Some(2..=5)) => pickle::CODEC,
        (Some(0x80..=0x8F | 0xDE | 0xDF), _) => msgpack::CODEC,
        (Some(b'a' | b'O'), Some(b':')) => php_serialize::CODEC,
        _ => json::CODEC,
    };
    (codec.decode)(slot, given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: Option<&str>) {
        let slot = Slot::from_bytes(bytes);
        let found = decode(&slot, Given::default()).ok();
        assert_eq!(found.and_then(|slot| slot.text()).as_deref(), expected);
    }

    #[test]
    fn formats_are_told_by_how_they_begin() {
        check(b"{\"a\":1}", Some("{\"a\":1}"));
        check(b"\x81\xa1a\x01", Some("{\"a\":1}"));
        check(b"a:1:{s:1:\"a\";i:1;}", Some("{\"a\":1}"));
        check(b"\x80\x04}\x94\x8c\x01aK\x01s.", Some("{\"a\":1}"));
        check(b"\xff\xfe", None);
    }
}
