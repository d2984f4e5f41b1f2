//! Erlang's external term format, walked into JSON text.
//!
//! Atoms and binaries are text, tuples and lists arrays, maps objects; a process is the text
//! `<node.id.serial>`. Functions, ports and references are not read: a term with one of them is not
//! taken. No atom is ever made. Source: the Erlang manual, "External Term Format".

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::reader::Reader;
use super::tree::Tree;
use super::{Codec, Fault, Given, OUTPUT_BYTES_MAX, Slot, no_argument, walk};

pub const CODEC: Codec = Codec {
    name: "erlang-term",
    gives_json: true,
    streams: false,
    check: no_argument,
    decode,
};

fn decode<'a>(slot: &Slot<'a>, _: Given<'_>) -> Result<Slot<'a>, Fault> {
    let bytes = slot.bytes().ok_or(Fault::Not)?;
    let mut reader = Reader::new(&bytes);
    reader.literal(&[131])?;
    if reader.peek()? == 80 {
        let unpacked = unpacked(&mut reader)?;
        return walk::whole(Reader::new(&unpacked), value);
    }
    walk::whole(reader, value)
}

fn unpacked(reader: &mut Reader<'_>) -> Result<Vec<u8>, Fault> {
    reader.byte()?;
    let size = reader.big::<4>()?;
    if size > OUTPUT_BYTES_MAX as u64 {
        return Err(Fault::Bound);
    }
    let mut out = Vec::new();
    ZlibDecoder::new(reader.rest())
        .take(size + 1)
        .read_to_end(&mut out)
        .map_err(|_| Fault::Not)?;
    if out.len() as u64 == size {
        Ok(out)
    } else {
        Err(Fault::Not)
    }
}

fn value(reader: &mut Reader<'_>, tree: &mut Tree) -> Result<(), Fault> {
    match reader.byte()? {
        97 => tree.int(reader.byte()?),
        98 => tree.int(reader.big::<4>()? as u32 as i32),
        70 => tree.float(f64::from_bits(reader.big::<8>()?)),
        99 => old_float(reader.take(31)?, tree),
        // Atoms: Latin-1 or UTF-8, short or long.
        115 | 119 => {
            let len = reader.big::<1>()?;
            atom(reader.counted(len)?, tree)
        }
        100 | 118 => {
            let len = reader.big::<2>()?;
            atom(reader.counted(len)?, tree)
        }
        109 => {
            let len = reader.big::<4>()?;
            tree.bytes(reader.counted(len)?)
        }
        // A list of small numbers, which is how text lists are written.
        107 => {
            let len = reader.big::<2>()?;
            tree.bytes(reader.counted(len)?)
        }
        104 => {
            let len = reader.big::<1>()?;
            walk::list(reader, tree, len, value)
        }
        105 => {
            let len = reader.big::<4>()?;
            walk::list(reader, tree, len, value)
        }
        103 => process::<1>(reader, tree),
        88 => process::<4>(reader, tree),
        106 => tree.raw("[]"),
        108 => list(reader, tree),
        116 => {
            let count = reader.big::<4>()?;
            walk::map(reader, tree, count, value)
        }
        110 => {
            let len = reader.big::<1>()?;
            big_number(reader, tree, len)
        }
        111 => {
            let len = reader.big::<4>()?;
            big_number(reader, tree, len)
        }
        _ => Err(Fault::Not),
    }
}

fn atom(name: &[u8], tree: &mut Tree) -> Result<(), Fault> {
    match name {
        b"nil" | b"null" | b"undefined" => tree.raw("null"),
        b"true" => tree.bool(true),
        b"false" => tree.bool(false),
        name => tree.bytes(name),
    }
}

/// A process by its node and numbers; `N` is the width of the node's incarnation.
fn process<const N: usize>(reader: &mut Reader<'_>, tree: &mut Tree) -> Result<(), Fault> {
    let len = match reader.byte()? {
        115 | 119 => reader.big::<1>()?,
        100 | 118 => reader.big::<2>()?,
        _ => return Err(Fault::Not),
    };
    let node = String::from_utf8_lossy(reader.counted(len)?).into_owned();
    let (id, serial) = (reader.big::<4>()?, reader.big::<4>()?);
    reader.big::<N>()?;
    tree.text(&format!("<{node}.{id}.{serial}>"))
}

fn old_float(text: &[u8], tree: &mut Tree) -> Result<(), Fault> {
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    let text = std::str::from_utf8(text).map_err(|_| Fault::Not)?;
    tree.float(text.trim().parse().map_err(|_| Fault::Not)?)
}

fn list(reader: &mut Reader<'_>, tree: &mut Tree) -> Result<(), Fault> {
    let count = reader.big::<4>()?;
    tree.open("[")?;
    walk::items(reader, tree, count, value)?;
    // The tail of a proper list is the empty list.
    if reader.peek()? == 106 {
        reader.byte()?;
    } else {
        tree.separate(usize::from(count > 0))?;
        value(reader, tree)?;
    }
    tree.close("]")
}

fn big_number(reader: &mut Reader<'_>, tree: &mut Tree, len: u64) -> Result<(), Fault> {
    let sign = reader.byte()?;
    let digits = reader.counted(len)?;
    if digits.len() > 15 {
        return tree.bytes(digits);
    }
    let number = digits
        .iter()
        .rev()
        .fold(0i128, |number, byte| number << 8 | i128::from(*byte));
    tree.int(if sign == 0 { number } else { -number })
}

#[cfg(test)]
mod tests {
    use super::super::tests::decoded;
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: Result<&str, Fault>) {
        assert_eq!(decoded("erlang-term", bytes), expected.map(str::to_owned));
    }

    #[test]
    fn terms_are_read() {
        check(
            b"\x83\x74\0\0\0\x02w\x06statusw\x02okm\0\0\0\x01ba\x05",
            Ok(r#"{"status":"ok","b":5}"#),
        );
        check(b"\x83\x68\x02w\x03nill\0\0\0\x01a\x01j", Ok("[null,[1]]"));
        check(b"\x83n\x02\x01\x00\x01", Ok("-256"));
        check(
            b"\x83Xw\x01n\0\0\0\x07\0\0\0\x02\0\0\0\x01",
            Ok("\"<n.7.2>\""),
        );
    }

    #[test]
    fn hostile_terms_end() {
        check(b"\x83l\xff\xff\xff\xff", Err(Fault::Short));
        check(b"\x83P\xff\xff\xff\xff", Err(Fault::Bound));
        check(b"\x83f", Err(Fault::Not));
        let deep = [b"\x83".to_vec(), b"h\x01".repeat(10_000)].concat();
        check(&deep, Err(Fault::Bound));
    }
}
