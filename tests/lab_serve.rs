//! The lab's shop for anybody's client: plain HTTP over a socket, good and bad, and an end that leaves
//! nothing behind.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use idemscope::lab::presets::presets;
use idemscope::lab::shop::openapi::document;
use serde_json::Value as Json;
use support::process::{self, Folder, Signal};
use support::{postgres, redis};

const PAY: &str = r#"{"amount": 1500}"#;

/// A service that was started, with what it prints.
struct Serving {
    child: Child,
    lines: BufReader<ChildStdout>,
    at: SocketAddr,
    home: Folder,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(home: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_idemscope"));
    command.args(["lab", "serve"]).args(arguments);
    command.env_clear().env("PATH", "/usr/bin:/bin");
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
        command.env(name, home.path());
    }
    command
}

/// How a call ends that cannot serve.
#[track_caller]
fn refused(arguments: &[&str]) -> (i32, String) {
    let home = Folder::new();
    let output = command(&home, arguments).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap_or(-1), text)
}

impl Serving {
    fn start(arguments: &[&str]) -> Serving {
        let home = Folder::new();
        let mut command = command(&home, arguments);
        command.args(["--format", "jsonl"]).stdout(Stdio::piped());
        let mut child = process::spawn(command).expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
        let first = line(&mut lines);
        let url = first["listening"][0].as_str().expect("an address");
        let at = url.strip_prefix("http://").expect("a URL");
        let at = at.parse().expect("an address");
        Serving {
            child,
            lines,
            at,
            home,
        }
    }

    /// Sends these bytes as they are; the answer's status, head and body, or nothing.
    fn send(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = TcpStream::connect(self.at).ok()?;
        let patience = Some(Duration::from_secs(30));
        stream.set_read_timeout(patience).expect("a time-out");
        // A server that refuses early may close before everything was sent.
        let _ = stream.write_all(bytes);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        Answer::of(&text)
    }

    fn pay(&self, headers: &[&str], body: &str) -> Answer {
        let answer = self.send(&request("POST", "/payments", headers, body));
        answer.expect("an answer")
    }

    fn get(&self, path: &str) -> Answer {
        self.send(&request("GET", path, &[], ""))
            .expect("an answer")
    }

    /// Asks it to stop; the lines that it printed until its end.
    fn stop(mut self) -> Vec<Json> {
        process::send(self.child.id(), Signal::Interrupt);
        let mut rest = Vec::new();
        let mut text = String::new();
        while self.lines.read_line(&mut text).is_ok_and(|read| read > 0) {
            rest.push(serde_json::from_str(&text).expect("JSON in a line"));
            text.clear();
        }
        let status = self.child.wait().expect("an end");
        assert_eq!(status.code(), Some(0));
        let left = files(self.home.path());
        assert!(!left.iter().any(|name| name.contains("sqlite")), "{left:?}");
        rest
    }
}

fn files(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path().is_dir() {
            true => all.extend(files(&entry.path())),
            false => all.push(entry.path().display().to_string()),
        }
    }
    all
}

fn line(lines: &mut impl BufRead) -> Json {
    let mut text = String::new();
    lines.read_line(&mut text).expect("a line");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn request(method: &str, path: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let mut text = format!(
        "{method} {path} HTTP/1.1\r\nhost: shop\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    for header in headers {
        text.push_str(header);
        text.push_str("\r\n");
    }
    format!("{text}\r\n{body}").into_bytes()
}

#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn of(bytes: &[u8]) -> Option<Answer> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Answer {
            status,
            head: head.to_lowercase(),
            body: body.to_owned(),
        })
    }

    fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

#[test]
fn a_plain_client_pays_once_and_sees_what_the_shop_says_of_it() {
    let serving = Serving::start(&[]);
    let key = ["idempotency-key: k1"];
    let first = serving.pay(&key, PAY);
    let second = serving.pay(&["idempotency-key: \"k1\""], PAY);
    assert_eq!((first.status, second.status), (201, 201));
    assert_eq!(first.body, second.body);
    assert!(second.head.contains("idempotent-replayed: true"));
    assert_eq!(serving.pay(&key, r#"{"amount": 2}"#).status, 422);
    let list = serving.get("/payments").json();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    let id = first.json()["id"].as_str().expect("an id").to_owned();
    assert_eq!(
        serving.get(&format!("/payments/{id}")).json()["amount"],
        1500
    );
    assert_eq!(serving.get("/payments/ch_9").status, 404);
    assert_eq!(serving.get("/openapi.json").json()["openapi"], "3.1.0");

    // A crash that the client asks for is a real one.
    let crash = ["idempotency-key: k2", "x-lab-fault: after_claim"];
    assert!(
        serving
            .send(&request("POST", "/payments", &crash, PAY))
            .is_none()
    );
    let retry = request("POST", "/payments", &["idempotency-key: k2"], PAY);
    // Nobody listens, or one that is on its way out, until it is back.
    let again = process::wait_for("the shop to be back", || serving.send(&retry));
    assert_eq!(again.status, 409);

    let told = serving.stop();
    let counters = &told.last().expect("counters")["counters"];
    assert_eq!(counters["charges"], 1);
    assert_eq!(
        (&counters["replays"], &counters["mismatches"]),
        (&1.into(), &1.into())
    );
    let kinds = told
        .iter()
        .filter_map(|event| event["what"]["kind"].as_str());
    let kinds: Vec<&str> = kinds.collect();
    for kind in ["seen", "charged", "answered", "crashed", "restarted"] {
        assert!(kinds.contains(&kind), "{kind} is not told");
    }
}

#[test]
fn garbage_gets_the_right_answer_and_nothing_hangs() {
    let serving = Serving::start(&[]);
    let status = |headers: &[&str], body: &str| serving.pay(headers, body).status;
    assert_eq!(status(&[], PAY), 400);
    assert_eq!(status(&["idempotency-key:"], PAY), 400);
    assert_eq!(
        status(&["idempotency-key: a", "idempotency-key: b"], PAY),
        400
    );
    assert_eq!(status(&["idempotency-key: white space"], PAY), 400);
    assert_eq!(status(&["idempotency-key: \"open"], PAY), 400);
    let long = format!("idempotency-key: {}", "k".repeat(256));
    assert_eq!(status(&[&long], PAY), 400);
    let key = "idempotency-key: g1";
    for body in [
        "",
        "{",
        "[]",
        "null",
        r#"{"amount": "x"}"#,
        r#"{"amount": -1}"#,
    ] {
        assert_eq!(status(&[key], body), 400, "{body}");
    }
    assert_eq!(status(&[key, "x-lab-fault: nonsense"], PAY), 400);
    assert_eq!(status(&[key], &format!("\"{}\"", "x".repeat(2 << 20))), 413);
    // Ten megabytes of key are not read to their end: refused, or the line is closed.
    let huge = format!("idempotency-key: {}", "k".repeat(10 << 20));
    let answer = serving.send(&request("POST", "/payments", &[&huge], PAY));
    assert!(answer.is_none_or(|answer| answer.status == 431));
    let answer = serving.send(b"\x16\x03\x01 no HTTP at all\r\n\r\n");
    assert!(answer.is_none_or(|answer| answer.status == 400));
    let both =
        b"POST /payments HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 9\r\n\r\n{}";
    assert!(serving.send(both).is_none_or(|answer| answer.status == 400));
    // Less than was promised, and then the end of the line: nothing is executed.
    let mut short = TcpStream::connect(serving.at).expect("it listens");
    let head =
        b"POST /payments HTTP/1.1\r\nhost: x\r\nidempotency-key: g2\r\ncontent-length: 90\r\n\r\n{";
    short.write_all(head).expect("sent");
    drop(short);
    // A method and a path that there are not.
    assert_eq!(serving.get("/nowhere").status, 404);
    let answer = serving.send(&request("TRACE", "/payments", &[], ""));
    assert_eq!(answer.map(|answer| answer.status), Some(405));
    // After all that it works as before.
    assert_eq!(status(&["idempotency-key: g3"], PAY), 201);
    let told = serving.stop();
    let counters = &told.last().expect("counters")["counters"];
    assert_eq!(
        (&counters["charges"], &counters["executions"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn what_cannot_be_served_is_said() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let (code, text) = refused(&["--port", &port]);
    assert_eq!(code, 3);
    assert!(
        text.contains(&format!("port {port} cannot be had")),
        "{text}"
    );
    let (code, text) = refused(&["--preset", "stripe"]);
    assert_eq!(code, 2);
    assert!(text.contains("stripe-v1"), "{text}");
    let (code, text) = refused(&["--store", "redis://127.0.0.1:1/0"]);
    assert_eq!(code, 3);
    assert!(!text.is_empty());
    let (code, _) = refused(&["--store", "mongodb://127.0.0.1"]);
    assert_eq!(code, 2);
}

#[test]
fn a_store_that_goes_away_is_told_and_comes_back() {
    let server = redis::Server::start();
    let serving = Serving::start(&["--store", &server.url()]);
    assert_eq!(serving.pay(&["idempotency-key: r1"], PAY).status, 201);
    server.kill();
    let answer = serving.pay(&["idempotency-key: r2"], PAY);
    assert_eq!(answer.status, 503);
    assert!(answer.head.contains("retry-after: 1"));
    server.restart();
    assert_eq!(serving.pay(&["idempotency-key: r3"], PAY).status, 201);
    let told = serving.stop();
    let counters = &told.last().expect("counters")["counters"];
    assert_eq!(
        (&counters["charges"], &counters["store_errors"]),
        (&2.into(), &1.into())
    );
}

/// The first is at work; the second says so and touches nothing; after the first was killed a third one
/// takes the place over.
#[track_caller]
fn one_at_a_time(store: &str) {
    let mut first = Serving::start(&["--store", store]);
    let key = "idempotency-key: o1";
    assert_eq!(first.pay(&[key], PAY).status, 201);
    let (code, text) = refused(&["--store", store]);
    assert_eq!((code, text.contains("another lab")), (3, true), "{text}");
    let again = first.pay(&[key], PAY);
    assert_eq!(
        (again.status, again.head.contains("idempotent-replayed")),
        (201, true)
    );
    first.child.kill().expect("a process");
    first.child.wait().expect("it ends");
    let third = Serving::start(&["--store", store]);
    let told = third.stop();
    assert_eq!(told.last().expect("counters")["counters"]["rows_total"], 0);
    // Who ends by itself frees the place at once.
    Serving::start(&["--store", store]).stop();
}

#[test]
fn two_labs_are_never_at_work_in_one_place() {
    let server = redis::Server::start();
    one_at_a_time(&server.url());
    let server = postgres::Server::shared();
    one_at_a_time(&server.database_url(&server.create_database()));
}

#[test]
fn what_only_a_script_knows_is_null_and_the_outbox_is_counted() {
    let serving = Serving::start(&[]);
    assert_eq!(serving.pay(&["idempotency-key: n1"], PAY).status, 201);
    let told = serving.stop();
    let counters = &told.last().expect("counters")["counters"];
    for name in ["intents", "client_attempts", "excess", "leaks"] {
        assert!(counters[name].is_null(), "{name}");
    }
    let notes = |name: &str| counters[name].as_u64().expect("a count");
    assert_eq!(notes("outbox_sent") + notes("outbox_pending"), 1);
}

#[test]
fn every_preset_describes_itself_in_a_valid_document() {
    let folder = Folder::new();
    let presets = presets().expect("good files");
    let paths = presets.iter().map(|preset| {
        let text = document(&preset.switches).to_string();
        folder.write(&format!("{}.json", preset.id), &text)
    });
    let paths: Vec<_> = paths.collect();
    let mut validate = Command::new("python3");
    validate.args(["-m", "openapi_spec_validator", "--schema", "3.1"]);
    validate.args(paths).env("PYTHONPATH", validator());
    let output = validate.output().expect("Python");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out} {err}");
    assert_eq!(out.matches(": OK").count(), presets.len(), "{out} {err}");
}

/// The validator of the OpenAPI's own schema, fetched once at a fixed version.
fn validator() -> std::path::PathBuf {
    const WANTED: &str = "openapi-spec-validator==0.9.0";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("openapi");
    let mark = folder.join("fetched");
    if std::fs::read_to_string(&mark).ok().as_deref() != Some(WANTED) {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--upgrade"]);
        pip.args([
            "--disable-pip-version-check",
            "--root-user-action",
            "ignore",
        ]);
        let fetched = pip.arg("--target").arg(&folder).arg(WANTED).output();
        let fetched = fetched.expect("Python");
        let text = String::from_utf8_lossy(&fetched.stderr).into_owned();
        assert!(fetched.status.success(), "{text}");
        std::fs::write(&mark, WANTED).expect("written");
    }
    folder
}
