//! Runs the binary as an operator would, with a home of its own.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value as Json;

use crate::support::process::Folder;

/// A machine's user: settings and the journal of their own.
pub struct Operator {
    pub home: Folder,
}

pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    #[track_caller]
    pub fn json(&self) -> Json {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.out, self.err))
    }

    /// The outcomes that are not zero, such as `released 2, refused 1`.
    #[track_caller]
    pub fn outcomes(&self) -> String {
        let json = self.json();
        let outcomes = json["outcomes"].as_object().expect("outcomes");
        let told: Vec<String> = outcomes
            .iter()
            .filter(|(_, count)| count.as_u64() != Some(0))
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        told.join(", ")
    }

    #[track_caller]
    pub fn journal_id(&self) -> String {
        let json = self.json();
        json["journal_id"].as_str().expect("a run").to_owned()
    }
}

impl Operator {
    pub fn new() -> Operator {
        Operator {
            home: Folder::new(),
        }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_idemscope"));
        command.args(arguments);
        self.at_home(&mut command);
        command
    }

    fn at_home(&self, command: &mut Command) {
        command.env_clear();
        for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
            command.env(name, self.home.path());
        }
        command.env("USER", "oncall").env("PATH", "/usr/bin:/bin");
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        ran(self.command(arguments).output().expect("the binary runs"))
    }

    /// Runs it through a shell that first does something, such as setting a limit.
    pub fn run_after(&self, first: &str, arguments: &[&str]) -> Ran {
        let mut command = Command::new("bash");
        let script = format!("{first}; exec \"$0\" \"$@\"");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_idemscope")]);
        command.args(arguments);
        self.at_home(&mut command);
        ran(command.output().expect("a shell runs"))
    }

    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the binary runs")
    }

    pub fn journal(&self) -> PathBuf {
        self.home.join("idemscope/journal")
    }
}

pub fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}
