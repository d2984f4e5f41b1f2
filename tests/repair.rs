//! Repair, as an operator does it: the real binary against real servers.
//!
//! Apart from `command_line` because everything here writes, and each law is about what is, or is
//! not, in the store afterwards.

mod support;

#[path = "repair/chaos.rs"]
mod chaos;
#[path = "repair/contract.rs"]
mod contract;
#[path = "repair/cut.rs"]
mod cut;
#[path = "repair/kill.rs"]
mod kill;
#[path = "repair/libraries.rs"]
mod libraries;
#[path = "repair/library.rs"]
mod library;
#[path = "repair/race.rs"]
mod race;
#[path = "repair/race_apps.rs"]
mod race_apps;
#[path = "repair/rights.rs"]
mod rights;
#[path = "repair/shell.rs"]
mod shell;
#[path = "repair/trouble.rs"]
mod trouble;

/// Figures of a law that is proved on random inputs, shown with `--nocapture`.
#[expect(clippy::print_stderr, reason = "a test says what it has seen")]
fn tell(text: &str) {
    eprint!("{text}");
}
