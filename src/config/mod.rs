//! Settings: what the user said, in URLs, variables and files, resolved into plain values.
//!
//! Invariant: below here nobody looks at a file or a variable to find out how to connect.

pub mod address;
pub mod connections;
pub mod found;
pub mod layouts;
pub mod origins;
pub mod overrides;
pub mod pasted;
mod pgpass;
mod postgres;
mod redis;
pub mod settings;
mod ssh;
pub mod target;
mod uri;
pub mod wanted;

pub use connections::{Book, BookError, Colour, Connection, Password, Who};
pub use origins::{Origin, Setting};
pub use target::{Resolved, Stage, TargetError, TargetOptions, resolve};
pub use wanted::{Ready, Wanted, ready};
