//! What kind of terminal, or display, is there.

use std::io::IsTerminal;

use crate::domain::Secret;

pub fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

pub fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

pub fn stdin_is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

/// Asks for a line that is not shown while it is typed. This waits for a person.
///
/// Errors: there is no terminal, or the question was broken off.
pub fn ask_secret(question: &str) -> std::io::Result<Secret> {
    rpassword::prompt_password(question).map(Secret::new)
}

/// Whether a window could be opened at all.
pub fn has_display() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    super::env::var("DISPLAY").is_some() || super::env::var("WAYLAND_DISPLAY").is_some()
}
