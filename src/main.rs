//! Chooses between the window and the command line, and ends the process.

use std::process::ExitCode;

use idemscope::cli::{self, Todo};

fn main() -> ExitCode {
    // One TLS provider for all: whoever comes first decides, so it is decided here.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let code = match cli::run(std::env::args_os()) {
        Todo::Done(code) => code,
        Todo::Window(_) => cli::Code::Wrong,
    };
    ExitCode::from(code as u8)
}
