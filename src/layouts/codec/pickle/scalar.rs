//! Single values of a pickle: numbers, texts and bytes in the forms of all protocols.

use super::super::Fault;
use super::super::reader::Reader;
use super::machine::Node;

pub fn line<'b>(reader: &mut Reader<'b>) -> Result<&'b str, Fault> {
    let line = reader.until(b'\n')?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    std::str::from_utf8(line).map_err(|_| Fault::Not)
}

pub fn number<'b>(digits: &'b str) -> Result<Node<'b>, Fault> {
    if let Ok(number) = digits.parse() {
        return Ok(Node::Int(number));
    }
    let bare = digits.strip_prefix('-').unwrap_or(digits);
    let is_number = !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        Ok(Node::Digits(digits.into()))
    } else {
        Err(Fault::Not)
    }
}

/// Two's complement, the least significant byte first.
pub fn long<'b>(bytes: &'b [u8]) -> Node<'b> {
    let Some(last) = bytes.last() else {
        return Node::Int(0);
    };
    if bytes.len() > 16 {
        return Node::Bytes(bytes.into());
    }
    let sign = if *last >= 0x80 { -1i128 } else { 0 };
    let number = bytes
        .iter()
        .rev()
        .fold(sign, |number, byte| number << 8 | i128::from(*byte));
    i64::try_from(number).map_or_else(|_| Node::Digits(number.to_string().into()), Node::Int)
}

pub fn piece<'b>(operation: u8, bytes: &'b [u8]) -> Result<Node<'b>, Fault> {
    Ok(match operation {
        b'X' | 0x8c | 0x8d => {
            Node::Text(std::str::from_utf8(bytes).map_err(|_| Fault::Not)?.into())
        }
        _ => Node::Bytes(bytes.into()),
    })
}

/// The text of protocol 0's strings, in quotes and with escapes.
pub fn repr(text: &str) -> Result<Vec<u8>, Fault> {
    let quote = text
        .chars()
        .next()
        .filter(|c| matches!(c, '\'' | '"'))
        .ok_or(Fault::Not)?;
    let inner = text
        .get(1..)
        .and_then(|rest| rest.strip_suffix(quote))
        .ok_or(Fault::Not)?;
    let mut out = Vec::new();
    let mut rest = inner.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'\\' {
            out.push(*first);
            continue;
        }
        let (escape, after) = rest.split_first().ok_or(Fault::Not)?;
        rest = after;
        out.push(match escape {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'x' => {
                let (digits, after) = rest.split_at_checked(2).ok_or(Fault::Not)?;
                rest = after;
                let digits = std::str::from_utf8(digits).map_err(|_| Fault::Not)?;
                u8::from_str_radix(digits, 16).map_err(|_| Fault::Not)?
            }
            other => *other,
        });
    }
    Ok(out)
}

/// `\uNNNN` and `\UNNNNNNNN` are characters, everything else stands for itself.
pub fn raw_unicode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let len = match after.as_bytes().get(1) {
            Some(b'u') => 4,
            Some(b'U') => 8,
            _ => 0,
        };
        let character = after
            .get(2..2 + len)
            .filter(|_| len > 0)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .and_then(char::from_u32);
        match character {
            Some(character) => {
                out.push(character);
                rest = after.get(2 + len..).unwrap_or_default();
            }
            None => {
                out.push('\\');
                rest = after.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

pub fn latin1(text: &str) -> Option<Vec<u8>> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).ok())
        .collect()
}
