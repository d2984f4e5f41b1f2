//! Settings: what the user said, in URLs, variables and files, resolved into plain values.
//!
//! Invariant: below here nobody looks at a file or a variable to find out how to connect.

pub mod layouts;
mod pgpass;
mod postgres;
mod redis;
pub mod settings;
pub mod target;
mod uri;

pub use target::{Resolved, TargetError, TargetOptions, resolve};
