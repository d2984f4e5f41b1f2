//! The operating system: clock, environment, folders, files, terminal, child processes, keyring.
//!
//! Everything else takes these as arguments, so that it can be tested without them.

pub mod append;
pub mod clock;
pub mod command;
pub mod desktop;
pub mod env;
pub mod files;
pub mod folders;
pub mod instance;
pub mod keyring;
pub mod terminal;
