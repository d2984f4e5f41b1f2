//! Child processes: only the command that a user names to get a password.

use std::process::{Command, Stdio};

/// Runs a shell command and gives the first line that it prints.
///
/// Errors: it cannot be started, fails, or prints nothing. Nothing of its output is in the error.
pub fn first_line(command: &str) -> Result<String, String> {
    let output = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("the password command could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("the password command ended with {}", output.status));
    }
    let text = String::from_utf8(output.stdout)
        .map_err(|_| "the password command printed something that is not text".to_owned())?;
    match text.lines().next() {
        Some(line) if !line.is_empty() => Ok(line.to_owned()),
        _ => Err("the password command printed nothing".to_owned()),
    }
}
