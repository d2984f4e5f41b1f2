//! Fields of known width one after the other, as serializers of single values write them.
//!
//! `struct(idle: f64le, time: bytes64le)`: a field is `u8` to `u64`, `i8` to `i64`, `f32` or `f64`
//! with `le` or `be`; `bytesN` is a length of N bits and as many bytes; `rest` is all that is left.
//! What stands behind the last field makes the value something else.

use super::reader::Reader;
use super::tree::Tree;
use super::{Codec, Fault, Given, Slot};
use std::borrow::Cow;

pub const CODEC: Codec = Codec {
    name: "struct",
    gives_json: true,
    streams: false,
    check: |argument| parse(argument).map(|_| ()),
    decode,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Unsigned,
    Signed,
    Float,
    Bytes,
    Rest,
}

struct Field<'a> {
    name: &'a str,
    kind: Kind,
    bytes: usize,
    is_little: bool,
}

fn parse(argument: &str) -> Result<Vec<Field<'_>>, String> {
    argument
        .split(',')
        .map(|field| {
            let (name, form) = field
                .split_once(':')
                .ok_or_else(|| format!("`{field}` is no `name: form`"))?;
            let (name, form) = (name.trim(), form.trim());
            form_of(form)
                .map(|(kind, bytes, is_little)| Field {
                    name,
                    kind,
                    bytes,
                    is_little,
                })
                .ok_or_else(|| format!("`{form}` is no form of a field"))
        })
        .collect()
}

fn form_of(form: &str) -> Option<(Kind, usize, bool)> {
    if form == "rest" {
        return Some((Kind::Rest, 0, true));
    }
    let (form, is_little) = match (form.strip_suffix("le"), form.strip_suffix("be")) {
        (Some(form), _) => (form, true),
        (None, Some(form)) => (form, false),
        (None, None) => (form, true),
    };
    let digits = form.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let bits: usize = digits.parse().ok()?;
    let kind = match form.strip_suffix(digits)? {
        "u" => Kind::Unsigned,
        "i" => Kind::Signed,
        "f" if bits >= 32 => Kind::Float,
        "bytes" => Kind::Bytes,
        _ => return None,
    };
    matches!(bits, 8 | 16 | 32 | 64).then_some((kind, bits / 8, is_little))
}

fn decode<'a>(slot: &Slot<'a>, given: Given<'_>) -> Result<Slot<'a>, Fault> {
    let bytes = slot.bytes().ok_or(Fault::Not)?;
    let fields = parse(given.argument).map_err(|_| Fault::Not)?;
    let mut reader = Reader::new(&bytes);
    let mut tree = Tree::default();
    tree.open("{")?;
    for (at, field) in fields.iter().enumerate() {
        tree.separate(at)?;
        tree.text(field.name)?;
        tree.raw(":")?;
        value(field, &mut reader, &mut tree)?;
    }
    tree.close("}")?;
    if !reader.is_at_end() {
        return Err(Fault::Not);
    }
    Ok(Slot::Json(Cow::Owned(tree.into_text())))
}

fn value(field: &Field<'_>, reader: &mut Reader<'_>, tree: &mut Tree) -> Result<(), Fault> {
    if field.kind == Kind::Rest {
        let rest = reader.rest();
        reader.take(rest.len())?;
        return tree.bytes(rest);
    }
    let number = match (field.bytes, field.is_little) {
        (1, _) => reader.big::<1>()?,
        (2, true) => reader.little::<2>()?,
        (2, false) => reader.big::<2>()?,
        (4, true) => reader.little::<4>()?,
        (4, false) => reader.big::<4>()?,
        (_, true) => reader.little::<8>()?,
        (_, false) => reader.big::<8>()?,
    };
    match (field.kind, field.bytes) {
        (Kind::Unsigned, _) => tree.int(number),
        (Kind::Signed, 1) => tree.int(number as u8 as i8),
        (Kind::Signed, 2) => tree.int(number as u16 as i16),
        (Kind::Signed, 4) => tree.int(number as u32 as i32),
        (Kind::Signed, _) => tree.int(number as i64),
        (Kind::Float, 4) => tree.float(f64::from(f32::from_bits(number as u32))),
        (Kind::Float, _) => tree.float(f64::from_bits(number)),
        (Kind::Bytes | Kind::Rest, _) => tree.bytes(reader.counted(number)?),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::decoded;
    use super::*;

    #[test]
    fn fields_are_cut_out() {
        let bytes = b"\0\0\0\0\0\0\xf0\x3f\x03\0\0\0\0\0\0\0abc";
        assert_eq!(
            decoded("struct(idle: f64le, time: bytes64le)", bytes),
            Ok(r#"{"idle":1.0,"time":"abc"}"#.to_owned())
        );
        assert_eq!(
            decoded("struct(n: i16be, r: rest)", b"\xff\xfehi"),
            Ok(r#"{"n":-2,"r":"hi"}"#.to_owned())
        );
    }

    #[test]
    fn a_length_past_the_end_is_refused() {
        assert_eq!(
            decoded("struct(b: bytes32be)", b"\xff\xff\xff\xffab"),
            Err(Fault::Short)
        );
        assert_eq!(decoded("struct(b: u8)", b"ab"), Err(Fault::Not));
    }
}
