//! Retry statistics against the truth: the lab's own shop and clients that count, over each store, and
//! logs that no shop would write.

// Futures of the lab and of stores lie in each other deeper than the compiler looks by itself.
#![recursion_limit = "256"]
#![allow(clippy::print_stdout, reason = "a test says what it has seen")]

#[path = "retries/described.rs"]
mod described;
mod support;
#[path = "retries/tables.rs"]
mod tables;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Bytes;
use hyper::Request;
use idemscope::lab::counters::Counters;
use idemscope::lab::http;
use idemscope::lab::service::{Ground, Service, Wanted};
use idemscope::lab::shop::StoreChoice;
use idemscope::lab::switches::{Scope, Switches};
use idemscope::lab::world::Happening;
use serde_json::Value as Json;
use support::process::Folder;
use support::{long, postgres, redis as server};

struct Ran {
    code: i32,
    out: String,
    err: String,
}

fn run(arguments: &[&str]) -> Ran {
    let home = Folder::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_idemscope"));
    command
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/bin:/bin");
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
        command.env(name, home.path());
    }
    let output = command.output().expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

#[track_caller]
fn stats(target: &str, more: &[&str]) -> Json {
    let ran = run(&[
        &["stats", target, "--format", "json", "--window", "1h"],
        more,
    ]
    .concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.out))
}

/// What clients know of what they did.
#[derive(Debug, Default)]
struct Truth {
    /// Attempts of each key.
    keys: HashMap<String, u64>,
    without_key: u64,
    statuses: BTreeMap<u16, u64>,
}

/// A client that pays, now and then twice, now and then badly.
async fn client(
    number: u64,
    shop: std::net::SocketAddr,
    truth: Arc<Mutex<Truth>>,
    operations: std::ops::Range<u64>,
) {
    let mut random = fastrand::Rng::with_seed(0x5eed ^ number ^ (operations.start << 8));
    for operation in operations {
        let key = format!("c{number}-o{operation}");
        let attempts = 1 + random.u64(0..4) * random.u64(0..2);
        let is_keyless = random.u8(0..20) == 0;
        for attempt in 0..attempts {
            let is_other = attempt > 0 && random.u8(0..6) == 0;
            let fault = match random.u8(0..10) {
                0 if attempt == 0 => Some("execute_fails_before_effect"),
                _ => None,
            };
            let mut request = Request::builder()
                .method("POST")
                .uri(if operation % 5 == 0 {
                    "/refunds"
                } else {
                    "/payments"
                })
                .header("content-type", "application/json")
                .header("user-agent", format!("client-{}", number % 3))
                .header("x-lab-user", format!("user_{number}"));
            if let Some(fault) = fault {
                request = request.header("x-lab-fault", fault);
            }
            if !is_keyless {
                request = request.header("idempotency-key", &key);
            }
            let amount = if is_other { 7 } else { 100 + operation };
            let body = Bytes::from(format!(r#"{{"amount": {amount}}}"#));
            let request = request.body(body).expect("a request");
            let answer = http::send(shop, request, Duration::from_secs(30)).await;
            let status = answer.expect("an answer").status().as_u16();
            let mut truth = truth.lock().expect("no panic");
            *truth.statuses.entry(status / 100).or_default() += 1;
            match is_keyless {
                true => truth.without_key += 1,
                false => *truth.keys.entry(key.clone()).or_default() += 1,
            }
        }
    }
}

/// Lets clients loose on a shop over a store, and holds the figures against what they know.
async fn check(store: StoreChoice, target: &str) {
    // The lab remembers so many events: a long run is several of them, over one log. Each operation is
    // two attempts, about; a stream is trimmed past a hundred thousand.
    let (rounds, operations) = if long() { (4, 1_780) } else { (1, 12) };
    let truth = Arc::new(Mutex::new(Truth::default()));
    let mut told: BTreeMap<String, u64> = BTreeMap::new();
    let mut counters = Counters::default();
    for round in 0..rounds {
        let operations = round * operations..(round + 1) * operations;
        let (answered, counted) = let_loose(store.clone(), &truth, operations).await;
        for (outcome, times) in answered {
            *told.entry(outcome).or_default() += times;
        }
        counters.replays += counted.replays;
        counters.mismatches += counted.mismatches;
        counters.missing_key += counted.missing_key;
    }
    let truth = std::mem::take(&mut *truth.lock().expect("no panic"));
    let attempts = truth.keys.values().sum::<u64>() + truth.without_key;
    assert_eq!(
        told.values().sum::<u64>(),
        attempts,
        "each attempt was answered once"
    );
    let answer = stats(target, &["--lease", "1m", "--retention", "1h"]);
    assert_eq!(count(&answer["window"]["attempts"]), attempts);
    assert_eq!(answer["window"]["complete"], true);
    assert_eq!(answer["defects"], serde_json::json!({}));
    let figures = &answer["figures"];
    same_outcomes(figures, &told, &counters);
    same_rates(figures, &truth);
    same_places(figures, &truth);
    println!("{attempts} attempts, every figure as the clients and the lab count them: {told:?}");
}

/// One shop and its clients; what the lab saw of them.
async fn let_loose(
    store: StoreChoice,
    truth: &Arc<Mutex<Truth>>,
    operations: std::ops::Range<u64>,
) -> (BTreeMap<String, u64>, Counters) {
    let wanted = Wanted {
        program: PathBuf::from(env!("CARGO_BIN_EXE_idemscope")),
        store,
        ground: match operations.start {
            0 => Ground::Emptied,
            _ => Ground::AsItIs,
        },
        switches: Switches {
            s1: Scope::User,
            ..Switches::default()
        },
        port: 0,
        instances: 2,
        execution_ms: 1,
    };
    let service = Service::start(&wanted).await.expect("a shop");
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..8 {
        let at = number as usize % service.addresses.len();
        let shop = service.addresses[at];
        clients.spawn(client(number, shop, truth.clone(), operations.clone()));
    }
    clients.join_all().await;
    // An answer is told after it is logged and sent.
    let mut told: BTreeMap<String, u64> = BTreeMap::new();
    for event in service.world.events() {
        if let Happening::Answered { outcome, .. } = event.what {
            *told.entry(outcome).or_default() += 1;
        }
    }
    (told, service.counters().await.expect("counters"))
}

#[track_caller]
fn count(value: &Json) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no count"))
}

const EXECUTED: [&str; 3] = ["executed", "reexec_error", "reexec_expired"];

fn of_all(figures: &Json, names: &[&str]) -> u64 {
    let outcomes = &figures["outcomes"]["value"];
    names.iter().map(|name| count(&outcomes[*name])).sum()
}

/// The log tells an execution after an error from a first one, events do not.
fn same_outcomes(figures: &Json, told: &BTreeMap<String, u64>, counters: &Counters) {
    let told_all = |names: &[&str]| names.iter().filter_map(|name| told.get(*name)).sum::<u64>();
    assert_eq!(of_all(figures, &EXECUTED), told_all(&EXECUTED));
    for name in [
        "replayed",
        "waited_replay",
        "in_progress",
        "mismatch",
        "missing_key",
        "bad_key",
        "taken_over",
        "stale_owner",
        "rejected",
        "store_error",
        "unprotected",
    ] {
        assert_eq!(of_all(figures, &[name]), told_all(&[name]), "{name}");
    }
    let replays = of_all(figures, &["replayed", "waited_replay"]);
    assert_eq!(replays, counters.replays);
    assert_eq!(of_all(figures, &["mismatch"]), counters.mismatches);
    assert_eq!(of_all(figures, &["missing_key"]), counters.missing_key);
    assert_eq!(figures["outcomes"]["unknown"], 0);
}

fn same_rates(figures: &Json, truth: &Truth) {
    let keyed = truth.keys.values().sum::<u64>();
    assert_eq!(count(&figures["keyed_share"]["keyed"]), keyed);
    let rate = &figures["retry_rate"];
    assert_eq!(count(&rate["of"]), keyed);
    assert_eq!(count(&rate["retries"]), keyed - truth.keys.len() as u64);
    assert_eq!(rate["complete"], true);
    let mut bins = [0; 7];
    for attempts in truth.keys.values() {
        let from = [1, 2, 3, 4, 6, 11, 51];
        let at = from.iter().filter(|from| *from <= attempts).count();
        bins[at - 1] += 1;
    }
    let per_key = &figures["attempts_per_key"];
    let names = ["1", "2", "3", "4-5", "6-10", "11-50", ">50"];
    for (name, bin) in names.iter().zip(bins) {
        assert_eq!(count(&per_key["value"][*name]), bin, "{name}");
    }
    assert_eq!(per_key["source"], "retry_log_numbers");
    let highest = truth.keys.values().max().copied();
    assert_eq!(per_key["highest"].as_u64(), highest);
    let retries = count(&rate["retries"]);
    assert_eq!(count(&figures["first_retry_delay"]["sample"]), retries);
}

fn same_places(figures: &Json, truth: &Truth) {
    let breakdown = &figures["breakdown"]["value"];
    let classes = breakdown["status_class"].as_array().expect("lines");
    for (class, times) in &truth.statuses {
        let name = format!("{class}xx");
        let line = classes.iter().find(|line| line["name"] == *name);
        let attempts = line.map(|line| count(&line["attempts"]));
        assert_eq!(attempts, Some(*times), "{name}");
    }
    assert_eq!(breakdown["instance"].as_array().map(Vec::len), Some(2));
    let executions = count(&figures["execution_time"]["sample"]);
    assert_eq!(executions, of_all(figures, &EXECUTED));
    assert_eq!(figures["lease_suspects"]["value"], 0);
    assert_eq!(figures["late_share"]["counts"]["after_expiry"], 0);
    assert_eq!(figures["effect_suspects"]["value"], Json::Null);
    let why = figures["effect_suspects"]["why"].as_str().unwrap_or("");
    assert!(why.contains("ledger"), "{why}");
}

fn sqlite_target(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_are_those_of_the_clients_in_sqlite() {
    let folder = Folder::new();
    let path = folder.path().join("shop.sqlite");
    let target = sqlite_target(&path);
    check(StoreChoice::Sqlite { path }, &target).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_are_those_of_the_clients_in_redis() {
    let server = server::Server::start();
    let store = StoreChoice::Redis {
        url: server.url(),
        prefix: "shop".to_owned(),
    };
    check(store, &server.url()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_are_those_of_the_clients_in_postgres() {
    let server = postgres::Server::start();
    let store = StoreChoice::Postgres {
        url: server.url(),
        schema: "lab".to_owned(),
    };
    check(store, &server.url()).await;
}

fn add(connection: &mut redis::Connection, stream: &str, fields: &[(&str, &[u8])]) {
    let mut command = redis::cmd("XADD");
    command.arg(stream).arg("*");
    for (name, value) in fields {
        command.arg(*name).arg(*value);
    }
    command.query::<String>(connection).expect("added");
}

/// An attempt on the key `a`, with these fields instead of its own, or besides.
fn attempt(connection: &mut redis::Connection, other: &[(&str, &[u8])]) {
    let mut fields: Vec<(&str, &[u8])> = vec![
        ("k", b"a"),
        ("e", b"POST /a"),
        ("o", b"executed"),
        ("h", b"201"),
        ("n", b"1"),
    ];
    fields.retain(|(name, _)| !other.iter().any(|(set, _)| set == name));
    fields.extend_from_slice(other);
    fields.retain(|(_, value)| !value.is_empty());
    add(connection, "idem:log:shop", &fields);
}

fn fill_with_garbage(mut connection: redis::Connection) {
    let line = &mut connection;
    let huge = vec![b'x'; 3 << 20];
    attempt(line, &[]);
    attempt(line, &[("o", b"vanished"), ("n", b"2")]);
    let wrong: [(&str, &[u8]); 5] = [
        ("e", &huge),
        ("o", &huge),
        ("h", b"teapot"),
        ("n", b"-7"),
        ("f0", b"1e99"),
    ];
    attempt(line, &wrong);
    let strange: [(&str, &[u8]); 3] = [
        ("\u{1f}", b"?"),
        ("o", b"\xff\xfe"),
        ("d", b"99999999999999999999"),
    ];
    add(line, "idem:log:shop", &strange);
    let keyless: [(&str, &[u8]); 6] = [
        ("k", b""),
        ("n", b""),
        ("o", b"mismatch"),
        ("e", b"POST /a\n\"x\" \\"),
        ("h", b"422"),
        ("zz", b"ignored"),
    ];
    attempt(line, &keyless);
    attempt(line, &[("k", b"b"), ("t", b"9000000000000000")]);
    // A stream that is none, under a name that promises one, and one under a name that does not.
    add(line, "idem:log:events", &[("type", b"created")]);
    let sampled: [(&str, &[u8]); 6] = [
        ("o", b"replayed"),
        ("e", b"POST /b"),
        ("h", b"200"),
        ("k", b"c"),
        ("n", b"2"),
        ("sr", b"0.1"),
    ];
    add(line, "audit", &sampled);
}

#[test]
fn what_no_shop_would_write_is_counted_and_named() {
    let server = server::Server::start();
    fill_with_garbage(server.connection());
    let answer = stats(&server.url(), &[]);
    assert_eq!(answer["logs"].as_array().map(Vec::len), Some(2));
    assert_eq!(answer["logs_refused"][0]["where"], "idem:log:events");
    assert_eq!(answer["window"]["attempts"], 6);
    assert_eq!(answer["window"]["sampled"]["entries"], 1);
    assert_eq!(answer["window"]["sampled"]["stand_for_attempts"], 15);
    let figures = &answer["figures"];
    assert_eq!(
        figures["outcomes"]["complete"], false,
        "a sample is not the whole"
    );
    assert_eq!(figures["outcomes"]["unknown"], 3);
    assert_eq!(figures["outcomes"]["unknown_words"]["vanished"], 1);
    assert_eq!(answer["defects"]["from_the_future"], 1);
    assert_eq!(answer["defects"]["unknown_outcome"], 2);
    assert!(
        answer["defects"]["bad_field"]
            .as_u64()
            .is_some_and(|count| count >= 2)
    );
    // The same, for a scraper: every line is a comment or a sample, and no key is a label.
    let ran = run(&["stats", &server.url(), "--format", "prometheus"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for line in ran.out.lines() {
        let is_sample = line
            .rsplit_once(' ')
            .is_some_and(|(_, value)| value.parse::<f64>().is_ok());
        assert!(line.starts_with("# ") || is_sample, "{line}");
    }
    assert!(
        ran.out
            .contains(r#"idemscope_attempts{outcome="executed"} 1"#),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains(r#"endpoint="POST /a\n\"x\" \\""#),
        "{}",
        ran.out
    );
    let ran = run(&["keys", &server.url(), "--format", "prometheus"]);
    assert_eq!(ran.code, 2);
}

#[test]
fn a_store_without_a_log_says_so_and_gives_what_it_can() {
    let server = server::Server::start();
    let answer = stats(&server.url(), &[]);
    let figures = answer["figures"].as_object().expect("figures");
    assert_eq!(figures["retry_rate"]["value"], Json::Null);
    let why = figures["retry_rate"]["why"].as_str().unwrap_or_default();
    assert!(why.contains("no retry log"), "{why}");
    assert!(figures["evictions"]["value"]["expired"].is_u64());
    for (name, figure) in figures {
        let has_reason = figure["why"].is_string();
        assert_eq!(figure["value"].is_null(), has_reason, "{name}: {figure}");
        assert!(
            figure["source"].is_string() && figure["complete"].is_boolean(),
            "{name}"
        );
    }
}

#[test]
fn watching_tells_what_comes() {
    use std::io::{BufRead, BufReader};
    let server = server::Server::start();
    let mut connection = server.connection();
    let mut add = |number: u32| {
        let mut command = redis::cmd("XADD");
        command.arg("idem:log:shop").arg("*");
        for (name, value) in [
            ("k", "a"),
            ("e", "POST /a"),
            ("o", "executed"),
            ("h", "201"),
        ] {
            command.arg(name).arg(value);
        }
        command.arg("n").arg(number);
        command.query::<String>(&mut connection).expect("added");
    };
    add(1);
    let home = Folder::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_idemscope"));
    command.args([
        "stats",
        &server.url(),
        "--watch",
        "--every",
        "100ms",
        "--format",
        "jsonl",
    ]);
    command
        .env_clear()
        .env("HOME", home.path())
        .stdout(std::process::Stdio::piped());
    let mut child = support::process::spawn(command).expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut attempts = || {
        let line = lines.next().expect("a line").expect("text");
        let told: Json = serde_json::from_str(&line).expect("JSON");
        told["window"]["attempts"].as_u64().expect("a count")
    };
    assert_eq!(attempts(), 1);
    add(2);
    while attempts() < 2 {}
    support::process::send(child.id(), support::process::Signal::Interrupt);
    assert_eq!(child.wait().expect("an end").code(), Some(0));
}
