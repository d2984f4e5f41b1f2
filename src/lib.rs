//! Idemscope: a desktop inspector and admin tool for the idempotency keys of APIs.
//!
//! The map of the house. A module imports only from layers below it, and modules of one layer do
//! not see each other; `tests/tidy.rs` holds this.
//!
//! ```text
//! L6  main      chooses window or command line, exits
//! L5  ui        egui: reads State, sends Commands, decides nothing
//! L4  app       the program without a window      cli  its twin on the command line
//! L3  lab       experiments on stores of our own, and the demo store
//! L2  config    settings and targets              inspect  reading a store into a catalogue
//!     ops       changing a store: plan, run, journal, undo   guard  the idempotency layer (tower)
//! L1  present   words and numbers   layouts  the registry   stores  databases   sys  the OS
//! L0  domain    nouns and rules: no I/O, no clock, no async
//! ```

// Futures of ways over SSH lie in each other deeper than the compiler looks by itself.
#![recursion_limit = "256"]

pub mod app;
pub mod cli;
pub mod config;
pub mod domain;
pub mod guard;
pub mod inspect;
pub mod lab;
pub mod layouts;
pub mod ops;
pub mod present;
pub mod stats;
pub mod stores;
pub mod sys;
pub mod ui;
