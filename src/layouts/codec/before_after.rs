//! Cuts text at the first place where something stands: `before( )`, `after( )`.
//!
//! Both in one file because they are two sides of one cut.

use std::borrow::Cow;

use super::{Codec, Fault, Given, Slot};

pub const BEFORE: Codec = Codec {
    name: "before",
    gives_json: false,
    streams: false,
    check,
    decode: before,
};

pub const AFTER: Codec = Codec {
    name: "after",
    gives_json: false,
    streams: false,
    check,
    decode: after,
};

fn check(argument: &str) -> Result<(), String> {
    if argument.is_empty() {
        return Err("what to cut at stands in parentheses".to_owned());
    }
    Ok(())
}

fn before<'a>(slot: &Slot<'a>, given: Given<'_>) -> Result<Slot<'a>, Fault> {
    cut(slot, given).map(|(before, _)| Slot::Text(before.into()))
}

fn after<'a>(slot: &Slot<'a>, given: Given<'_>) -> Result<Slot<'a>, Fault> {
    cut(slot, given).map(|(_, after)| Slot::Text(after.into()))
}

fn cut(slot: &Slot<'_>, given: Given<'_>) -> Result<(String, String), Fault> {
    let text: Cow<'_, str> = slot.text().ok_or(Fault::Not)?;
    let (before, after) = text.split_once(given.argument).ok_or(Fault::Not)?;
    Ok((before.to_owned(), after.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::decoded;
    use super::*;

    #[test]
    fn text_is_cut_once() {
        assert_eq!(decoded("before( )", b"POST /a b"), Ok("POST".to_owned()));
        assert_eq!(decoded("after( )", b"POST /a b"), Ok("/a b".to_owned()));
        assert_eq!(decoded("after( )", b"POST"), Err(Fault::Not));
    }
}
