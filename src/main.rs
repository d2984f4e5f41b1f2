//! Chooses between the window and the command line, and ends the process.

fn main() {}
