//! What kind of terminal, or display, is there.

use std::io::IsTerminal;

pub fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

pub fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

pub fn stdin_is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

/// Whether a window could be opened at all.
pub fn has_display() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    super::env::var("DISPLAY").is_some() || super::env::var("WAYLAND_DISPLAY").is_some()
}
