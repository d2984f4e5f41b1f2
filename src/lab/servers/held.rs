//! A server process that ends with this program, however that ends.
//!
//! A shell starts it and reads from a pipe whose other end is here: when the pipe is closed, by us or
//! by our death, the shell ends the server and removes its folder.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::sys::{env, files, folders};

const SCRIPT: &str = r#"
folder=$1; signal=$2; shift 2
"$@" </dev/null >"$folder/log" 2>&1 &
server=$!
read -r word
kill -s "$signal" "$server" 2>/dev/null
wait "$server" 2>/dev/null
[ "$word" = keep ] || rm -rf "$folder"
"#;

const PREFIX: &str = "idemscope-lab-";

/// Removes the folders of labs that were killed while they made them.
pub fn sweep() {
    for folder in files::folders_in(&folders::temporary()) {
        let name = folder.file_name().and_then(|name| name.to_str());
        let of = name.and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        if of.is_some_and(|pid| !env::is_running(pid)) {
            // Somebody else's is not ours to remove.
            let _ = files::remove_folder(&folder);
        }
    }
}

/// A folder of one server, removed with it.
#[derive(Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// Errors: it cannot be made; a sentence.
    pub fn new() -> Result<Folder, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        let path = folders::temporary().join(name);
        files::passable_folder(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The shell may have been quicker.
        let _ = files::remove_folder(&self.0);
    }
}

/// A server that runs; ended when this is dropped.
#[derive(Debug)]
pub struct Held {
    shell: Child,
}

impl Held {
    /// Starts a command. This does not wait until it serves.
    ///
    /// Errors: the shell cannot be started; a sentence.
    pub fn start(folder: &Path, signal: &str, command: &[String]) -> Result<Held, String> {
        let shell = Command::new("sh")
            .args(["-c", SCRIPT, "sh"])
            .arg(folder)
            .arg(signal)
            .args(command)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("no server could be started: {error}"))?;
        Ok(Held { shell })
    }

    /// Ends the server and keeps its folder.
    pub fn end_keeping(mut self) {
        if let Some(mut pipe) = self.shell.stdin.take() {
            let _ = pipe.write_all(b"keep\n");
        }
        let _ = self.shell.wait();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}
