//! Real libraries as the application: crash one in the middle of a request, see the client refused,
//! release, see the retry execute once; again with settle, see the retry replay what was settled.
//!
//! Apart from `contract` because here the library itself is the judge. They are fetched once, at
//! fixed versions, into a folder of the build; nothing of them is shipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value as Json, json};

use crate::shell::Operator;
use crate::support::process::Folder;
use crate::support::{postgres, redis as server};

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/repair/libraries");

/// Runs a command that must succeed, and gives what it printed.
#[track_caller]
fn done(command: &mut Command) -> String {
    let output = command.output().expect("a program that can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {} {}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("libraries")
        .join(name)
}

/// Fetches what a list names, unless exactly that is there already.
fn fetched(name: &str, list: &str, fetch: impl FnOnce(&Path)) -> PathBuf {
    let folder = folder(name);
    let wanted = std::fs::read_to_string(Path::new(HERE).join(list)).expect("a list");
    let mark = folder.join("fetched");
    if std::fs::read_to_string(&mark).ok().as_deref() != Some(wanted.as_str()) {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        fetch(&folder);
        std::fs::write(&mark, wanted).expect("written");
    }
    folder
}

fn python() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        fetched("python", "requirements.txt", |folder| {
            let mut pip = Command::new("python3");
            pip.args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ]);
            pip.args(["--root-user-action", "ignore", "--target"])
                .arg(folder);
            pip.arg("-r").arg(Path::new(HERE).join("requirements.txt"));
            done(&mut pip);
        })
    })
}

fn node() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        fetched("node", "package.json", |folder| {
            let list = folder.join("package.json");
            std::fs::copy(Path::new(HERE).join("package.json"), list).expect("copied");
            let mut npm = Command::new("npm");
            npm.args([
                "install",
                "--silent",
                "--no-audit",
                "--no-fund",
                "--no-package-lock",
            ]);
            done(npm.arg("--prefix").arg(folder).current_dir(folder));
        })
    })
}

/// One application, whatever it is written in.
struct Application {
    program: &'static str,
    script: &'static str,
    /// Where it finds its library.
    variable: (&'static str, PathBuf),
    /// Its first argument.
    store: String,
    ledger: Folder,
}

impl Application {
    fn python(script: &'static str, store: String) -> Application {
        Application {
            program: "python3",
            script,
            variable: ("PYTHONPATH", python().to_owned()),
            store,
            ledger: Folder::new(),
        }
    }

    fn node(script: &'static str, store: String) -> Application {
        Application {
            program: "node",
            script,
            variable: ("NODE_PATH", node().join("node_modules")),
            store,
            ledger: Folder::new(),
        }
    }

    fn command(&self, key: &str, mode: &str) -> Command {
        let mut command = Command::new(self.program);
        command.arg(Path::new(HERE).join(self.script));
        command
            .args([&self.store, key])
            .arg(self.ledger.join("ledger"))
            .arg(mode);
        command.env(self.variable.0, &self.variable.1);
        command
    }

    /// A request that dies between execute and save.
    #[track_caller]
    fn crash(&self, key: &str) {
        let output = self.command(key, "crash").output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(
            !text.contains("Traceback") && !text.contains("Error"),
            "{text}"
        );
    }

    #[track_caller]
    fn request(&self, key: &str) -> Json {
        serde_json::from_str(&done(&mut self.command(key, "run"))).expect("JSON")
    }

    /// How often a key was executed.
    fn executions(&self, key: &str) -> usize {
        let ledger = std::fs::read_to_string(self.ledger.join("ledger")).unwrap_or_default();
        ledger.lines().filter(|line| *line == key).count()
    }
}

/// The story of both ways out. `time_passes` makes a lock with a lease outlive it.
#[track_caller]
fn check(application: &Application, url: &str, time_passes: impl Fn()) {
    let operator = Operator::new();
    application.crash("ord-1");
    assert_eq!(
        application.request("ord-1")["status"],
        409,
        "the client is refused"
    );
    time_passes();
    let ran = operator.run(&["release", url, "ord-1", "--yes"]);
    assert_eq!(
        (ran.code, ran.outcomes()),
        (0, "released 1".to_owned()),
        "{} {}",
        ran.out,
        ran.err
    );
    let answer = json!({"status": 201, "body": {"paid": "ord-1"}});
    assert_eq!(application.request("ord-1"), answer, "the retry executes");
    assert_eq!(
        application.request("ord-1"),
        answer,
        "and is replayed from then on"
    );
    assert_eq!(
        application.executions("ord-1"),
        2,
        "the crashed one and one more"
    );

    application.crash("ord-2");
    assert_eq!(application.request("ord-2")["status"], 409);
    time_passes();
    let body = operator.home.write("body.json", r#"{"paid": "by hand"}"#);
    let body = body.display().to_string();
    let settle = [
        "settle",
        url,
        "ord-2",
        "--response-status",
        "200",
        "--body",
        &body,
        "--yes",
    ];
    let ran = operator.run(&settle);
    assert_eq!(
        (ran.code, ran.outcomes()),
        (0, "settled 1".to_owned()),
        "{} {}",
        ran.out,
        ran.err
    );
    let answer = json!({"status": 200, "body": {"paid": "by hand"}});
    assert_eq!(
        application.request("ord-2"),
        answer,
        "the retry replays what was settled"
    );
    assert_eq!(application.executions("ord-2"), 1, "and executes nothing");
}

#[test]
fn powertools_for_python_over_redis() {
    let server = server::Server::start();
    let application = Application::python("powertools.py", server.port().to_string());
    check(&application, &server.url(), || {});
}

#[test]
fn node_idempotency_over_redis() {
    let server = server::Server::start();
    let application = Application::node("node-idempotency.js", server.port().to_string());
    check(&application, &server.url(), || {});
}

#[test]
fn drf_idempotency_over_redis() {
    let server = server::Server::start();
    let application = Application::python("drf.py", format!("redis:{}", server.port()));
    // Its lock vanishes with its lease: while it is there, a person decides.
    check(&application, &server.url(), || {});
}

#[test]
fn drf_idempotency_over_postgres() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    let folder = server.socket_dir().display().to_string();
    let store = format!("postgres:{folder}:{}:postgres:{database}", server.port());
    let application = Application::python("drf.py", store);
    done(&mut application.command("-", "migrate"));
    let time_passes = || {
        server.execute(
            &database,
            "UPDATE drf_idempotency_idempotencyrecord SET expires_at = now() - interval '1 s' \
             WHERE status = 'in_progress'",
        );
    };
    check(&application, &server.database_url(&database), time_passes);
}
