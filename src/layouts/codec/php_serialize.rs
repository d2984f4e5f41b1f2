//! PHP's `serialize`, walked into JSON text. Objects are maps with their class as `$class`; names
//! of private and protected members lose their marks. Nothing is ever rebuilt.
//!
//! A list (0, 1, 2, …) is an array, any other array a map. A reference to an earlier value is
//! shown as such and not followed.

use super::reader::Reader;
use super::tree::Tree;
use super::{Codec, Fault, Given, Slot, no_argument, walk};

pub const CODEC: Codec = Codec {
    name: "php-serialize",
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
    let kind = reader.byte()?;
    if kind == b'N' {
        reader.literal(b";")?;
        return tree.raw("null");
    }
    reader.literal(b":")?;
    match kind {
        b'b' => match reader.until(b';')? {
            b"0" => tree.bool(false),
            b"1" => tree.bool(true),
            _ => Err(Fault::Not),
        },
        b'i' => {
            let number: i64 = text_of(reader.until(b';')?)?
                .parse()
                .map_err(|_| Fault::Not)?;
            tree.int(number)
        }
        b'd' => float(reader.until(b';')?, tree),
        b's' | b'S' => {
            let text = quoted(reader)?;
            reader.literal(b";")?;
            tree.bytes(text)
        }
        b'a' => array(reader, tree),
        b'O' => object(reader, tree),
        b'C' => opaque(reader, tree),
        b'E' => {
            let case = quoted(reader)?;
            reader.literal(b";")?;
            tree.bytes(case)
        }
        b'r' | b'R' => {
            let number: u64 = text_of(reader.until(b';')?)?
                .parse()
                .map_err(|_| Fault::Not)?;
            tree.raw("{\"$ref\":")?;
            tree.int(number)?;
            tree.raw("}")
        }
        _ => Err(Fault::Not),
    }
}

fn text_of(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|_| Fault::Not)
}

fn float(bytes: &[u8], tree: &mut Tree) -> Result<(), Fault> {
    match text_of(bytes)? {
        special @ ("INF" | "-INF" | "NAN") => tree.text(special),
        text => tree.float(text.parse().map_err(|_| Fault::Not)?),
    }
}

fn count(reader: &mut Reader<'_>) -> Result<u64, Fault> {
    text_of(reader.until(b':')?)?
        .parse()
        .map_err(|_| Fault::Not)
}

/// `5:"abcde"`.
fn quoted<'b>(reader: &mut Reader<'b>) -> Result<&'b [u8], Fault> {
    let len = count(reader)?;
    reader.literal(b"\"")?;
    let text = reader.counted(len)?;
    reader.literal(b"\"")?;
    Ok(text)
}

/// The name of an item or member.
enum Name<'b> {
    Number(&'b str),
    Text(&'b [u8]),
}

fn name<'b>(reader: &mut Reader<'b>) -> Result<Name<'b>, Fault> {
    let kind = reader.byte()?;
    reader.literal(b":")?;
    match kind {
        b'i' => text_of(reader.until(b';')?).map(Name::Number),
        b's' => {
            let name = quoted(reader)?;
            reader.literal(b";")?;
            // A private name stands behind its class, a protected one behind a star.
            let own = name.rsplit(|byte| *byte == 0).next().unwrap_or(name);
            Ok(Name::Text(own))
        }
        _ => Err(Fault::Not),
    }
}

/// Taken for a list until a name comes that is not the next number.
fn array(reader: &mut Reader<'_>, tree: &mut Tree) -> Result<(), Fault> {
    let count = count(reader)?;
    reader.literal(b"{")?;
    let start = tree.position();
    tree.open("[")?;
    let mut items: Option<Vec<usize>> = Some(Vec::new());
    for at in 0..count {
        tree.separate(usize::from(at > 0))?;
        let name = name(reader)?;
        let is_next = matches!(name, Name::Number(text) if text.parse() == Ok(at));
        match items.as_mut().filter(|_| is_next) {
            Some(items) => items.push(tree.position()),
            None => {
                if let Some(items) = items.take() {
                    tree.list_to_map(start, &items)?;
                }
                put_name(&name, tree)?;
            }
        }
        value(reader, tree)?;
    }
    reader.literal(b"}")?;
    tree.close(if items.is_some() { "]" } else { "}" })
}

fn put_name(name: &Name<'_>, tree: &mut Tree) -> Result<(), Fault> {
    match name {
        Name::Number(text) => tree.text(text)?,
        Name::Text(bytes) => tree.bytes(bytes)?,
    }
    tree.raw(":")
}

fn object(reader: &mut Reader<'_>, tree: &mut Tree) -> Result<(), Fault> {
    let class = quoted(reader)?;
    reader.literal(b":")?;
    let count = count(reader)?;
    reader.literal(b"{")?;
    tree.open("{")?;
    tree.raw("\"$class\":")?;
    tree.bytes(class)?;
    for _ in 0..count {
        tree.raw(",")?;
        put_name(&name(reader)?, tree)?;
        value(reader, tree)?;
    }
    reader.literal(b"}")?;
    tree.close("}")
}

/// An object that wrote itself: only its class and bytes.
fn opaque(reader: &mut Reader<'_>, tree: &mut Tree) -> Result<(), Fault> {
    let class = quoted(reader)?;
    reader.literal(b":")?;
    let len = count(reader)?;
    reader.literal(b"{")?;
    let bytes = reader.counted(len)?;
    reader.literal(b"}")?;
    tree.raw("{\"$class\":")?;
    tree.bytes(class)?;
    tree.raw(",\"$data\":")?;
    tree.bytes(bytes)?;
    tree.raw("}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::decoded;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, Fault>) {
        let found = decoded("php-serialize", text.as_bytes());
        assert_eq!(found, expected.map(str::to_owned));
    }

    #[test]
    fn values_are_read() {
        check(
            "a:2:{s:1:\"a\";i:1;s:1:\"b\";d:0.5;}",
            Ok(r#"{"a":1,"b":0.5}"#),
        );
        check("a:2:{i:0;b:1;i:1;N;}", Ok("[true,null]"));
        check("a:2:{i:0;i:7;s:1:\"k\";i:8;}", Ok(r#"{"0":7,"k":8}"#));
        check("a:1:{i:5;s:2:\"é\";}", Ok(r#"{"5":"é"}"#));
        check("a:0:{}", Ok("[]"));
    }

    #[test]
    fn objects_are_maps_with_clean_names() {
        check(
            "O:3:\"A\\B\":3:{s:1:\"p\";i:1;s:4:\"\0*\0q\";i:2;s:6:\"\0A\\B\0r\";i:3;}",
            Ok(r#"{"$class":"A\\B","p":1,"q":2,"r":3}"#),
        );
        check("C:1:\"X\":3:{abc}", Ok(r#"{"$class":"X","$data":"abc"}"#));
        check("R:1;", Ok(r#"{"$ref":1}"#));
    }

    #[test]
    fn hostile_texts_end() {
        check("s:99999999999:\"a\";", Err(Fault::Short));
        check("i:5;i:6;", Err(Fault::Not));
        check("hello", Err(Fault::Not));
        check(&"a:1:{s:1:\"a\";".repeat(10_000), Err(Fault::Bound));
        check(&"a:1:{i:0;".repeat(10_000), Err(Fault::Bound));
    }
}
