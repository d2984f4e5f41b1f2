//! What is asked for on a terminal, and that nothing is where there is none.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::support::process::{Folder, children, wait_for};
use crate::support::redis;
use crate::support::ssh::{Server, key, user};
use crate::{Person, locks};

/// Runs it on a terminal, and types each answer when its question has come. Gives the code and all
/// that was to be seen.
fn typed(person: &Person, words: &[&str], answers: &[(&str, &str)]) -> (i32, String) {
    let line = [&[env!("CARGO_BIN_EXE_idemscope")], words]
        .concat()
        .join(" ");
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).env_clear();
    for (name, value) in person.command(&[]).get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = crate::support::process::spawn(command).expect("`script` of util-linux");
    let mut input = running.stdin.take().expect("a pipe");
    let mut output = running.stdout.take().expect("a pipe");
    let (mut seen, mut answers) = (Vec::new(), answers.iter().peekable());
    let mut from = 0;
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = output.read(&mut buffer) {
        seen.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&seen).into_owned();
        if let Some((question, answer)) = answers.peek()
            && text[from..].contains(question)
        {
            from = text.len();
            answers.next();
            // The question stands there a little before what is typed is hidden.
            wait_for("the terminal to hide what is typed", || {
                children(running.id()).into_iter().find(|pid| hides(*pid))
            });
            writeln!(input, "{answer}").expect("somebody reads");
        }
    }
    let code = running.wait().expect("an end").code().unwrap_or(-1);
    (code, String::from_utf8_lossy(&seen).into_owned())
}

/// Whether the terminal of a process does not show what is typed.
fn hides(pid: u32) -> bool {
    let terminal = std::fs::read_link(format!("/proc/{pid}/fd/0")).unwrap_or_default();
    let told = Command::new("stty")
        .arg("-a")
        .arg("-F")
        .arg(terminal)
        .output();
    told.is_ok_and(|told| String::from_utf8_lossy(&told.stdout).contains(" -echo "))
}

#[test]
fn a_password_that_nobody_wrote_down_is_asked_for() {
    let rule = "user default on >hunter22 ~* &* +@all";
    let server = redis::Server::options().acl(rule).start();
    let person = Person::new();
    let url = format!("redis://127.0.0.1:{}", server.port());
    let words = ["summary", &url, "--format", "json"];
    let (code, seen) = typed(&person, &words, &[("Password: ", "hunter22")]);
    assert_eq!(code, 0, "{seen}");
    assert!(
        seen.contains("\"total\"") && !seen.contains("hunter22"),
        "{seen}"
    );
    let (code, seen) = typed(&person, &words, &[("Password: ", "wrong")]);
    assert_eq!(code, 3, "{seen}");
    // With a password that is known, quietly, and without a terminal nothing is asked.
    let known = url.replace("127", ":wrong@127");
    let (code, seen) = typed(&person, &["summary", &known], &[]);
    assert_eq!((code, seen.contains("Password: ")), (3, false), "{seen}");
    let (code, seen) = typed(&person, &["summary", &url, "--quiet"], &[]);
    assert_eq!((code, seen.contains("Password: ")), (3, false), "{seen}");
    person.run(&words).says(3, "asks for a password");
}

#[test]
fn the_passphrase_of_a_key_is_asked_for() {
    let person = Person::new();
    let folder = Folder::new();
    let locked = key(&folder, "locked", "hunter22");
    let host = Server::start(&locked);
    let text = format!(
        "Host bastion\n  HostName 127.0.0.1\n  Port {}\n  User {}\n  IdentityFile {}\n",
        host.port(),
        user(),
        locked.display()
    );
    person.home.write(".ssh/config", &text);
    person.home.write(".ssh/known_hosts", &host.known());
    let server = redis::Server::start();
    locks(&mut server.connection(), 3);
    let url = server.url();
    let words = ["summary", &url, "--ssh", "bastion", "--format", "json"];
    let answers = [("Passphrase: ", "wrong"), ("Passphrase: ", "hunter22")];
    let (code, seen) = typed(&person, &words, &answers);
    assert_eq!(code, 0, "{seen}");
    assert!(!seen.contains("hunter22"), "{seen}");
    person.run(&words).says(3, "give the key's passphrase");
}
