//! Repair, as an operator does it: the real binary against real servers.
//!
//! Apart from `command_line` because everything here writes, and each law is about what is, or is
//! not, in the store afterwards.

mod support;

#[path = "repair/contract.rs"]
mod contract;
#[path = "repair/libraries.rs"]
mod libraries;
#[path = "repair/rights.rs"]
mod rights;
#[path = "repair/shell.rs"]
mod shell;
#[path = "repair/trouble.rs"]
mod trouble;
