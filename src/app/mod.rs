//! The program without a window: what it knows, what can be asked of it, and what comes of that.
//!
//! A command or an event goes into a reducer, which changes the state and returns effects; the
//! worker carries effects out and answers with events. Apart from `ui` so that all of it is tested
//! without a display.
//! Invariant: reducers do no I/O and read no clock; what shows is read from [`State`].

pub mod command;
pub mod effect;
pub mod event;
pub mod program;
pub mod remote;
pub mod start;
pub mod state;
#[cfg(test)]
pub mod tests;
pub mod update;
pub mod view;
pub mod worker;

pub use command::{Command, Move, Named};
pub use effect::Effect;
pub use event::Event;
pub use program::Program;
pub use remote::{Failure, Phase, Remote};
pub use start::Start;
pub use state::State;
