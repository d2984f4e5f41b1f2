//! Child processes: only the command that a user names to get a password.
//!
//! Bound: it has so much time and may print so much; then it is ended.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// A person may have to type something first.
pub const PATIENCE: Duration = Duration::from_secs(60);
const OUTPUT_BYTES_MAX: u64 = 64 << 10;

/// Runs a shell command and gives the first line that it prints.
///
/// Errors: it cannot be started, fails, prints nothing, or takes too long. Nothing of its output is
/// in the error.
pub fn first_line(command: &str, patience: Duration) -> Result<String, String> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|error| format!("the password command could not be started: {error}"))?;
    let output = match read(&mut child, patience) {
        Ok(output) => output,
        Err(text) => {
            let _ = child.kill();
            let _ = child.wait();
            return Err(text);
        }
    };
    let status = child.wait().map_err(|error| cannot_read(&error))?;
    if !status.success() {
        return Err(format!("the password command ended with {status}"));
    }
    let text = String::from_utf8(output)
        .map_err(|_| "the password command printed something that is not text".to_owned())?;
    match text.lines().next() {
        Some(line) if !line.is_empty() => Ok(line.to_owned()),
        _ => Err("the password command printed nothing".to_owned()),
    }
}

fn cannot_read(error: &std::io::Error) -> String {
    format!("the password command cannot be read: {error}")
}

/// Reads to the end on a thread of its own, since a pipe cannot be waited for with a limit.
fn read(child: &mut Child, patience: Duration) -> Result<Vec<u8>, String> {
    let Some(pipe) = child.stdout.take() else {
        return Ok(Vec::new());
    };
    let (sender, receiver) = sync_channel(1);
    std::thread::Builder::new()
        .name("idemscope-password".to_owned())
        .spawn(move || {
            let mut output = Vec::new();
            let read = pipe.take(OUTPUT_BYTES_MAX).read_to_end(&mut output);
            // Nobody listens any more where it took too long.
            let _ = sender.send(read.map(|_| output));
        })
        .map_err(|error| cannot_read(&error))?;
    match receiver.recv_timeout(patience) {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(error)) => Err(cannot_read(&error)),
        Err(RecvTimeoutError::Timeout) => Err(format!(
            "the password command has not answered for {} s and was ended",
            patience.as_secs()
        )),
        Err(RecvTimeoutError::Disconnected) => {
            Err("the password command printed nothing".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_counts() {
        let run = |command| first_line(command, PATIENCE);
        assert_eq!(run("echo a; echo b").as_deref(), Ok("a"));
        assert!(run("exit 3").expect_err("failed").contains("3"));
        assert!(run("true").expect_err("nothing").contains("nothing"));
    }

    #[test]
    fn a_command_that_hangs_is_ended() {
        let answer = first_line("echo secret; sleep 60", Duration::from_millis(50));
        let text = answer.expect_err("too slow");
        assert!(text.contains("ended") && !text.contains("secret"), "{text}");
    }
}
