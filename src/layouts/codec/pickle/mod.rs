//! Python's pickle, protocols 0 to 5, walked and never run.
//!
//! Only plain values are built. A class is a name, an instance a map of its state with that name
//! as `$class`; what would call something is shown as what it would call and with which arguments.
//! A pickle of bytes gives these bytes, so that a pickle within is walked by a further step.
//! Bounds: operations, nodes, depth and output; a value that refers to itself is too deep.

mod machine;
mod scalar;
mod show;

use std::borrow::Cow;

use super::{Codec, Fault, Given, Slot, no_argument};
use machine::Node;

pub const CODEC: Codec = Codec {
    name: "pickle",
    gives_json: true,
    streams: false,
    check: no_argument,
    decode,
};

fn decode<'a>(slot: &Slot<'a>, _: Given<'_>) -> Result<Slot<'a>, Fault> {
    let bytes = slot.bytes().ok_or(Fault::Not)?;
    let (nodes, root) = machine::run(&bytes)?;
    if let Some(Node::Bytes(inner)) = nodes.get(root) {
        return Ok(super::slot_of(inner.to_vec()));
    }
    Ok(Slot::Json(Cow::Owned(show::text(&nodes, root)?)))
}

#[cfg(test)]
mod tests;
