//! MessagePack, walked into JSON text.
//!
//! Binary is shown as text where it is UTF-8. A time stamp of the standard extension becomes its
//! seconds; any other extension is a map of its type and bytes.

use super::reader::Reader;
use super::tree::Tree;
use super::{Codec, Fault, Given, Slot, no_argument, walk};

pub const CODEC: Codec = Codec {
    name: "msgpack",
    gives_json: true,
    streams: false,
    check: no_argument,
    decode,
};

fn decode<'a>(slot: &Slot<'a>, _: Given<'_>) -> Result<Slot<'a>, Fault> {
    let bytes = slot.bytes().ok_or(Fault::Not)?;
    walk::whole(Reader::new(&bytes), value)
}

fn value(reader: &mut Reader<'_>, tree: &mut Tree) -> Result<(), Fault> {
    match reader.byte()? {
        small @ 0..=0x7f => tree.int(small),
        head @ 0x80..=0x8f => walk::map(reader, tree, u64::from(head & 15), value),
        head @ 0x90..=0x9f => walk::list(reader, tree, u64::from(head & 15), value),
        head @ 0xa0..=0xbf => tree.bytes(reader.counted(u64::from(head & 31))?),
        0xc0 => tree.raw("null"),
        0xc2 => tree.bool(false),
        0xc3 => tree.bool(true),
        0xc4 | 0xd9 => {
            let len = reader.big::<1>()?;
            tree.bytes(reader.counted(len)?)
        }
        0xc5 | 0xda => {
            let len = reader.big::<2>()?;
            tree.bytes(reader.counted(len)?)
        }
        0xc6 | 0xdb => {
            let len = reader.big::<4>()?;
            tree.bytes(reader.counted(len)?)
        }
        0xca => tree.float(f64::from(f32::from_bits(reader.big::<4>()? as u32))),
        0xcb => tree.float(f64::from_bits(reader.big::<8>()?)),
        0xcc => tree.int(reader.big::<1>()?),
        0xcd => tree.int(reader.big::<2>()?),
        0xce => tree.int(reader.big::<4>()?),
        0xcf => tree.int(reader.big::<8>()?),
        0xd0 => tree.int(reader.big::<1>()? as u8 as i8),
        0xd1 => tree.int(reader.big::<2>()? as u16 as i16),
        0xd2 => tree.int(reader.big::<4>()? as u32 as i32),
        0xd3 => tree.int(reader.big::<8>()? as i64),
        0xdc => {
            let len = reader.big::<2>()?;
            walk::list(reader, tree, len, value)
        }
        0xdd => {
            let len = reader.big::<4>()?;
            walk::list(reader, tree, len, value)
        }
        0xde => {
            let len = reader.big::<2>()?;
            walk::map(reader, tree, len, value)
        }
        0xdf => {
            let len = reader.big::<4>()?;
            walk::map(reader, tree, len, value)
        }
        head @ (0xc7..=0xc9 | 0xd4..=0xd8) => extension(reader, tree, head),
        // 0xc1 is never used, and a small negative number is its own byte.
        0xc1 => Err(Fault::Not),
        negative => tree.int(negative as i8),
    }
}

fn extension(reader: &mut Reader<'_>, tree: &mut Tree, head: u8) -> Result<(), Fault> {
    let len = match head {
        0xc7 => reader.big::<1>()?,
        0xc8 => reader.big::<2>()?,
        0xc9 => reader.big::<4>()?,
        fixed => 1 << (fixed - 0xd4),
    };
    let kind = reader.byte()? as i8;
    let bytes = reader.counted(len)?;
    let mut inner = Reader::new(bytes);
    match (kind, len) {
        (-1, 4) => tree.int(inner.big::<4>()?),
        (-1, 8) => tree.int(inner.big::<8>()? & 0x3_ffff_ffff),
        (-1, 12) => {
            inner.big::<4>()?;
            tree.int(inner.big::<8>()? as i64)
        }
        _ => {
            tree.open("{")?;
            tree.raw("\"$ext\":")?;
            tree.int(kind)?;
            tree.raw(",\"$data\":")?;
            tree.bytes(bytes)?;
            tree.close("}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::decoded;
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: Result<&str, Fault>) {
        assert_eq!(decoded("msgpack", bytes), expected.map(str::to_owned));
    }

    #[test]
    fn a_stored_response_is_read() {
        check(
            b"\x82\xa2sc\xd1\x00\xc9\xa1b\xc4\x02ok",
            Ok(r#"{"sc":201,"b":"ok"}"#),
        );
        check(b"\x93\xff\xc0\xcb\x3f\xf8\0\0\0\0\0\0", Ok("[-1,null,1.5]"));
    }

    #[test]
    fn names_that_are_no_text_become_text() {
        check(b"\x81\x05\xc3", Ok(r#"{"5":true}"#));
        check(b"\x81\x91\xa1a\x01", Ok(r#"{"[\"a\"]":1}"#));
    }

    #[test]
    fn what_is_no_text_is_marked() {
        check(b"\xc4\x02\x00\xff", Ok(r#""\\x00ff""#));
        check(b"\xd4\x05\x01", Ok(r#"{"$ext":5,"$data":"\u0001"}"#));
    }

    #[test]
    fn hostile_lengths_and_depths_end() {
        check(b"\xdd\xff\xff\xff\xff", Err(Fault::Short));
        check(b"\xdb\xff\xff\xff\xffab", Err(Fault::Short));
        check(&[0x91; 10_000], Err(Fault::Bound));
        check(b"\x01\x01", Err(Fault::Not));
    }
}
