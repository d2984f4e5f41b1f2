//! Words and numbers: how spans, times, counts, texts and records are put for a person or a script.
//!
//! Apart from the window and the command line because both must say the same thing the same way.
//! Invariant: no I/O, no clock, no zone of the machine; `now` and the offset are arguments.

pub mod clock;
pub mod copy;
pub mod count;
pub mod escape;
pub mod mask;
pub mod origin;
pub mod payload;
pub mod phrase;
pub mod record_json;
pub mod say;
pub mod sheet;
pub mod span;
pub mod suggest;
mod unicode;
pub mod words;

pub use record_json::{record_json, record_members};
