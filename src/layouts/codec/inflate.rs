//! Gzip and zlib, unpacked up to a bound.
//!
//! Both in one file because they are the same compression in two wrappers.

use std::io::Read;

use flate2::read::{GzDecoder, ZlibDecoder};

use super::{Codec, Fault, Given, OUTPUT_BYTES_MAX, Slot, no_argument, slot_of};

pub const GZIP: Codec = Codec {
    name: "gzip",
    gives_json: false,
    streams: true,
    check: no_argument,
    decode: gunzip,
};

pub const ZLIB: Codec = Codec {
    name: "zlib",
    gives_json: false,
    streams: true,
    check: no_argument,
    decode: unzlib,
};

fn gunzip<'a>(slot: &Slot<'a>, given: Given<'_>) -> Result<Slot<'a>, Fault> {
    let bytes = slot.bytes().ok_or(Fault::Not)?;
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(Fault::Not);
    }
    unpack(GzDecoder::new(&*bytes), given)
}

fn unzlib<'a>(slot: &Slot<'a>, given: Given<'_>) -> Result<Slot<'a>, Fault> {
    let bytes = slot.bytes().ok_or(Fault::Not)?;
    match bytes.as_ref() {
        [first, second, ..]
            if first & 15 == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0 =>
        {
            unpack(ZlibDecoder::new(&*bytes), given)
        }
        _ => Err(Fault::Not),
    }
}

fn unpack(mut packed: impl Read, given: Given<'_>) -> Result<Slot<'static>, Fault> {
    let mut out = Vec::new();
    let mut buffer = [0; 16 << 10];
    loop {
        match packed.read(&mut buffer) {
            Ok(0) => return Ok(slot_of(out)),
            Ok(count) => out.extend_from_slice(buffer.get(..count).unwrap_or_default()),
            // What was unpacked so far is the beginning of the whole.
            Err(_) if given.cut && !out.is_empty() => return Ok(slot_of(out)),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Err(Fault::Short);
            }
            Err(_) => return Err(Fault::Not),
        }
        if out.len() > OUTPUT_BYTES_MAX {
            return Err(Fault::Bound);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Step;
    use super::super::tests::decoded;
    use super::*;
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use std::io::Write;

    fn gzipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn both_wrappers_are_taken_off() {
        assert_eq!(decoded("gzip", &gzipped(b"hello")), Ok("hello".to_owned()));
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"hello").expect("memory");
        let packed = encoder.finish().expect("memory");
        assert_eq!(decoded("zlib", &packed), Ok("hello".to_owned()));
        assert_eq!(decoded("zlib", b"hello"), Err(Fault::Not));
        assert_eq!(decoded("gzip", &packed), Err(Fault::Not));
    }

    #[test]
    fn a_bomb_is_refused() {
        let bomb = gzipped(&vec![b'['; OUTPUT_BYTES_MAX + 1]);
        assert!(bomb.len() < 64 << 10);
        assert_eq!(decoded("gzip", &bomb), Err(Fault::Bound));
    }

    #[test]
    fn the_beginning_gives_the_beginning() {
        let text: Vec<u8> = (0..20_000u32).flat_map(|n| n.to_le_bytes()).collect();
        let packed = gzipped(&text);
        let half = packed.get(..packed.len() / 2).expect("a half");
        assert_eq!(decoded("gzip", half), Err(Fault::Short));
        let step = Step::named("gzip").expect("a decoder");
        let slot = step.decode(&Slot::from_bytes(half), true).expect("a part");
        let bytes = slot.bytes().expect("bytes");
        assert!(text.starts_with(&bytes) && bytes.len() > 1000);
    }
}
