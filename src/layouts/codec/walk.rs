//! What the binary tree formats have in common: a value that is walked from its first byte to its
//! last, and containers that say how many items they have.
//!
//! Apart from `tree`, which knows no bytes, and `reader`, which knows no JSON.

use std::borrow::Cow;

use super::reader::Reader;
use super::tree::Tree;
use super::{Fault, Slot};

/// Walks one value of a format.
pub type Value = fn(&mut Reader<'_>, &mut Tree) -> Result<(), Fault>;

/// Walks bytes that are one value and nothing else.
pub fn whole(mut reader: Reader<'_>, value: Value) -> Result<Slot<'static>, Fault> {
    let mut tree = Tree::default();
    value(&mut reader, &mut tree)?;
    if !reader.is_at_end() {
        return Err(Fault::Not);
    }
    Ok(Slot::Json(Cow::Owned(tree.into_text())))
}

/// So many items, without the brackets around them.
pub fn items(
    reader: &mut Reader<'_>,
    tree: &mut Tree,
    count: u64,
    value: Value,
) -> Result<(), Fault> {
    for at in 0..count {
        tree.separate(usize::from(at > 0))?;
        value(reader, tree)?;
    }
    Ok(())
}

pub fn list(
    reader: &mut Reader<'_>,
    tree: &mut Tree,
    count: u64,
    value: Value,
) -> Result<(), Fault> {
    tree.open("[")?;
    items(reader, tree, count, value)?;
    tree.close("]")
}

/// So many names, each with a value behind it; names are values too.
pub fn map(
    reader: &mut Reader<'_>,
    tree: &mut Tree,
    count: u64,
    value: Value,
) -> Result<(), Fault> {
    tree.open("{")?;
    for at in 0..count {
        tree.separate(usize::from(at > 0))?;
        let start = tree.position();
        value(reader, tree)?;
        tree.make_name(start)?;
        value(reader, tree)?;
    }
    tree.close("}")
}
