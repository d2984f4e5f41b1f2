//! The window: reads the state, sends commands, decides nothing.
//!
//! Invariant: nothing here waits, asks a store, or knows how one is asked; colours and sizes come
//! from `theme`.

mod areas;
mod commands;
mod keyboard;
mod over;
mod panels;
pub mod picture;
mod pulse;
mod run;
pub mod theme;
pub mod widgets;
mod window;

pub use run::run;
pub use window::Window;
