//! Small forms of numbers and texts in a row's bytes.
//!
//! A canonical UUID takes 16 bytes and even lower-case hex half its length; both come back exactly
//! as they were, because only texts of just that form are packed.
//! Invariant: reading never panics; bytes that run out read as zeros and empty texts.

use std::borrow::Cow;

const HYPHENS: [usize; 4] = [8, 13, 18, 23];
const NOT_HEX: u8 = 0xff;

/// The value of a lower-case hex digit.
const NIBBLES: [u8; 256] = {
    let mut table = [NOT_HEX; 256];
    let mut at = 0;
    while at < 16 {
        table[b"0123456789abcdef"[at] as usize] = at as u8;
        at += 1;
    }
    table
};

const DIGITS: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let mut table = [[0; 2]; 256];
    let mut at = 0;
    while at < 256 {
        table[at] = [digits[at >> 4], digits[at & 15]];
        at += 1;
    }
    table
};

pub(crate) fn hex_digits(byte: u8) -> [u8; 2] {
    DIGITS.get(usize::from(byte)).copied().unwrap_or_default()
}

fn byte_of(high: u8, low: u8) -> Option<u8> {
    let nibble = |digit: u8| NIBBLES.get(usize::from(digit)).copied().unwrap_or(NOT_HEX);
    let (high, low) = (nibble(high), nibble(low));
    (high != NOT_HEX && low != NOT_HEX).then_some(high << 4 | low)
}

pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(super) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put_varint(out, (value << 1 ^ value >> 63) as u64);
}

pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// The head is 0 for a UUID, else one more than twice the packed length, odd where it is hex.
pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let start = out.len();
    if bytes.len() == 36 && HYPHENS.iter().all(|at| bytes.get(*at) == Some(&b'-')) {
        out.push(0);
        let groups = [0..8, 9..13, 14..18, 19..23, 24..36];
        let packed = groups
            .into_iter()
            .all(|group| put_hex(out, bytes.get(group).unwrap_or_default()));
        if packed {
            return;
        }
        out.truncate(start);
    } else if bytes.len() >= 4 && bytes.len().is_multiple_of(2) {
        put_varint(out, bytes.len() as u64 + 2);
        if put_hex(out, bytes) {
            return;
        }
        out.truncate(start);
    }
    put_varint(out, (bytes.len() as u64) * 2 + 1);
    out.extend_from_slice(bytes);
}

fn put_hex(out: &mut Vec<u8>, digits: &[u8]) -> bool {
    for pair in digits.chunks_exact(2) {
        let [high, low] = pair else { return false };
        match byte_of(*high, *low) {
            Some(byte) => out.push(byte),
            None => return false,
        }
    }
    true
}

/// A text as it lies in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packed<'a> {
    Uuid(&'a [u8; 16]),
    Hex(&'a [u8]),
    Text(&'a str),
}

impl<'a> Packed<'a> {
    /// The length of the text.
    pub fn len(&self) -> usize {
        match self {
            Packed::Uuid(_) => 36,
            Packed::Hex(bytes) => bytes.len() * 2,
            Packed::Text(text) => text.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn text(&self) -> Cow<'a, str> {
        match self {
            Packed::Text(text) => Cow::Borrowed(text),
            packed => {
                let mut bytes = Vec::with_capacity(packed.len());
                packed.push_to(&mut bytes);
                Cow::Owned(String::from_utf8(bytes).unwrap_or_default())
            }
        }
    }

    /// Appends the text.
    pub fn push_to(&self, out: &mut Vec<u8>) {
        match self {
            Packed::Text(text) => out.extend_from_slice(text.as_bytes()),
            Packed::Hex(bytes) => {
                let start = out.len();
                out.resize(start + bytes.len() * 2, 0);
                let places = out.get_mut(start..).unwrap_or_default().chunks_exact_mut(2);
                for (place, byte) in places.zip(*bytes) {
                    place.copy_from_slice(&hex_digits(*byte));
                }
            }
            Packed::Uuid(bytes) => {
                let mut text = [b'-'; 36];
                let mut at = 0;
                for byte in *bytes {
                    if HYPHENS.contains(&at) {
                        at += 1;
                    }
                    if let Some(place) = text.get_mut(at..at + 2) {
                        place.copy_from_slice(&hex_digits(*byte));
                    }
                    at += 2;
                }
                out.extend_from_slice(&text);
            }
        }
    }
}

/// Reads what the `put_` functions wrote, in the same order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((byte, rest)) => {
                self.bytes = rest;
                *byte
            }
            None => 0,
        }
    }

    pub(super) fn varint(&mut self) -> u64 {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte();
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }

    pub(super) fn signed(&mut self) -> i64 {
        let value = self.varint();
        (value >> 1) as i64 ^ -((value & 1) as i64)
    }

    pub(super) fn bytes(&mut self) -> &'a [u8] {
        let len = self.varint() as usize;
        self.take(len)
    }

    pub(super) fn str(&mut self) -> &'a str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }

    pub(super) fn str_of(&mut self, len: usize) -> &'a str {
        std::str::from_utf8(self.take(len)).unwrap_or_default()
    }

    pub(super) fn text(&mut self) -> Packed<'a> {
        let head = self.varint();
        if head == 0 {
            let (uuid, rest) = self.bytes.split_first_chunk().unwrap_or((&[0; 16], &[]));
            self.bytes = rest;
            return Packed::Uuid(uuid);
        }
        if head.is_multiple_of(2) {
            return Packed::Hex(self.take((head / 2 - 1) as usize));
        }
        Packed::Text(std::str::from_utf8(self.take((head / 2) as usize)).unwrap_or_default())
    }

    fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self
            .bytes
            .split_at_checked(len)
            .unwrap_or((self.bytes, &[]));
        self.bytes = rest;
        taken
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, size: usize) {
        let mut out = Vec::new();
        put_text(&mut out, text);
        assert_eq!(out.len(), size, "{text:?}");
        let mut reader = Reader::new(&out);
        assert_eq!(reader.text().text(), text);
        assert!(reader.is_at_end());
    }

    #[test]
    fn uuids_and_hex_are_packed_and_nothing_else() {
        check("a8098c1a-f86e-11da-bd1a-00112444be1e", 17);
        check("A8098c1a-f86e-11da-bd1a-00112444be1e", 37);
        check("a8098c1a-f86e-11da-bd1a+00112444be1e", 37);
        check(&"3f".repeat(32), 33);
        check("3f2A", 5);
        check("3f2", 4);
        check("ff", 3);
        check("", 1);
        check("ord-117", 8);
    }

    proptest! {
        #[test]
        fn whatever_is_put_is_read_back(text in ".*|[0-9a-f]{0,80}", number in any::<i64>(), count in any::<u64>()) {
            let mut out = Vec::new();
            put_signed(&mut out, number);
            put_text(&mut out, &text);
            put_varint(&mut out, count);
            put_bytes(&mut out, text.as_bytes());
            let mut reader = Reader::new(&out);
            prop_assert_eq!(reader.signed(), number);
            let packed = reader.text();
            prop_assert_eq!(packed.len(), text.len());
            prop_assert_eq!(packed.text(), text.as_str());
            prop_assert_eq!(reader.varint(), count);
            prop_assert_eq!(reader.str(), text.as_str());
            prop_assert!(reader.is_at_end());
        }

        #[test]
        fn foreign_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let mut reader = Reader::new(&bytes);
            for _ in 0..8 {
                let _ = (reader.varint(), reader.text().text().len(), reader.str().len());
            }
        }
    }
}
