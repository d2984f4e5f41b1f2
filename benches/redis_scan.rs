//! How fast a Redis is read, as a ratio to `redis-benchmark`, and what other clients feel.
//!
//! One key in 3.3 matches. `IDEMSCOPE_BENCH_KEYS` sets the number of matching keys (1 000 000).
//! Limits: full speed at least 0.35 of `redis-benchmark -c 1 -P 100` GET; gentle at least 0.4 of
//! full speed, with a foreground client's p90 at most 1.25 and p99 at most 1.6 times its own.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark measures and prints"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use idemscope::config::{TargetOptions, resolve};
use idemscope::inspect::Session;
use idemscope::inspect::detect::{SourceOptions, detect};
use idemscope::inspect::scan::{ScanOptions, ScanView, scan};
use idemscope::layouts::Layouts;
use idemscope::stores::Pace;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

const PREFIX: &str = "idempotency:00000000-0000-4000-8000-";

fn main() {
    let keys: usize = std::env::var("IDEMSCOPE_BENCH_KEYS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1_000_000);
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, port, keys, ..] = arguments.as_slice()
        && word == "--probe"
    {
        let number = |text: &str| text.parse().expect("a number");
        let (p90, p99) = probe(number(port) as u16, number(keys));
        return println!("{} {}", p90.as_nanos(), p99.as_nanos());
    }
    let server = support::redis::Server::start();
    pin(server.pid(), "0");
    pin(std::process::id(), "1");
    // A server core of its own, as far as that can be had on a machine that does other things.
    let _ = Command::new("renice")
        .args(["-n", "-15", "-p", &server.pid().to_string()])
        .output();
    fill(server.port(), keys);
    let limit = limit(server.port(), keys);
    println!("limit: {limit:.0} GET/s (redis-benchmark -c 1 -P 100)");
    let url = server.url();
    let full = median((0..3).map(|_| rate(&url, Pace::Full, keys)));
    println!(
        "full: {full:.0} records/s, ratio {:.2} (limit 0.35)",
        full / limit
    );
    let gentle = median((0..3).map(|_| rate(&url, Pace::Gentle, keys)));
    println!(
        "gentle: {gentle:.0} records/s, ratio {:.2} of full (limit 0.40)",
        gentle / full
    );
    overview(&url);
    foreground(&url, server.port(), keys);
}

fn pin(pid: u32, core: &str) {
    let _ = Command::new("taskset")
        .args(["-a", "-p", "-c", core, &pid.to_string()])
        .output();
}

/// Matching keys with JSON of 0.2 to 2 KB, one in a hundred in progress, among 2.3 times as many
/// others.
fn fill(port: u16, keys: usize) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a server");
    let mut reader = stream.try_clone().expect("a second handle");
    let others = keys * 23 / 10;
    let commands = keys + others;
    let drain = std::thread::Builder::new()
        .name("drain".into())
        .spawn(move || {
            let (mut seen, mut buffer) = (0, vec![0; 1 << 16]);
            while seen < commands {
                let read = reader.read(&mut buffer).expect("answers");
                seen += buffer[..read].iter().filter(|byte| **byte == b'\n').count();
            }
        });
    let mut batch = Vec::with_capacity(1 << 20);
    let padding = "x".repeat(2000);
    for number in 0..commands {
        let (key, value) = if number < keys {
            let value = if number % 100 == 0 {
                "processing".to_owned()
            } else {
                let body = &padding[..200 + number * 37 % 1800];
                format!("{{\"status\": 201, \"body\": {{\"id\": {number}, \"note\": \"{body}\"}}}}")
            };
            (format!("{PREFIX}{number:012}"), value)
        } else {
            (format!("cache:page:{number}"), "1".to_owned())
        };
        let head = format!(
            "*5\r\n$3\r\nSET\r\n${}\r\n{key}\r\n${}\r\n",
            key.len(),
            value.len()
        );
        batch.extend_from_slice(head.as_bytes());
        batch.extend_from_slice(value.as_bytes());
        batch.extend_from_slice(b"\r\n$2\r\nPX\r\n$8\r\n86000000\r\n");
        if batch.len() > 1 << 20 {
            stream.write_all(&batch).expect("room");
            batch.clear();
        }
    }
    stream.write_all(&batch).expect("room");
    drain.expect("a thread").join().expect("all answers");
}

fn limit(port: u16, keys: usize) -> f64 {
    let run = || {
        let output = Command::new("taskset")
            .args([
                "-c",
                "1",
                "redis-benchmark",
                "-p",
                &port.to_string(),
                "-c",
                "1",
                "-P",
                "100",
            ])
            .args(["-r", &keys.to_string(), "-n", "1000000", "--csv"])
            .args(["GET", &format!("{PREFIX}__rand_int__")])
            .output()
            .expect("redis-benchmark");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = text.lines().last().unwrap_or_default().to_owned();
        last.split(',')
            .nth(1)
            .and_then(|n| n.trim_matches('"').parse::<f64>().ok())
            .expect("a rate")
    };
    median((0..3).map(|_| run()))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

async fn open(url: &str) -> (Arc<Session>, Vec<idemscope::layouts::Source>) {
    let target = resolve(Some(url), &TargetOptions::default())
        .expect("a target")
        .target;
    let session = Session::open(&target).await.expect("an open store");
    let layouts = Layouts::built_in();
    let layout = layouts.get("plain-article").cloned();
    let options = SourceOptions {
        layout,
        ..SourceOptions::default()
    };
    let found = detect(&session, &layouts, &options)
        .await
        .expect("a detection")
        .found;
    (
        Arc::new(session),
        found.into_iter().map(|found| found.source).collect(),
    )
}

fn rate(url: &str, pace: Pace, keys: usize) -> f64 {
    runtime().block_on(async {
        let (session, sources) = open(url).await;
        let (updates, _views) = watch::channel(ScanView::empty());
        let options = ScanOptions {
            pace,
            ..ScanOptions::default()
        };
        let start = Instant::now();
        let outcome = scan(session, sources, options, updates, CancellationToken::new()).await;
        assert_eq!(
            outcome.view.progress.records as usize, keys,
            "every record once"
        );
        keys as f64 / start.elapsed().as_secs_f64()
    })
}

/// From nothing to the first estimate: connect, sample, and what is found.
fn overview(url: &str) {
    runtime().block_on(async {
        let start = Instant::now();
        let (session, sources) = open(url).await;
        let detected = start.elapsed();
        assert!(!sources.is_empty());
        let start = Instant::now();
        let sample = session.store.key_sample(20_000).await.expect("a sample");
        let share = sample.names.iter().filter(|name| name.starts_with(PREFIX.as_bytes())).count()
            as f64
            / sample.names.len() as f64;
        let estimate = share * sample.total.unwrap_or(0) as f64;
        println!(
            "first estimate: {estimate:.0} records in {:?} (limit 200 ms); detected in {detected:?}",
            start.elapsed()
        );
    });
}

/// A client that asks 2000 times a second, without and with a gentle scan beside it.
fn foreground(url: &str, port: u16, keys: usize) {
    let (mut p90, mut p99) = (Vec::new(), Vec::new());
    for window in 0..7 {
        let base = foreign_probe(port, keys);
        let stop = CancellationToken::new();
        let (token, target) = (stop.clone(), url.to_owned());
        let started = Arc::new(AtomicBool::new(false));
        let flag = started.clone();
        let scanning = std::thread::Builder::new()
            .name("scan".into())
            .spawn(move || {
                runtime().block_on(async {
                    let (session, sources) = open(&target).await;
                    flag.store(true, Ordering::SeqCst);
                    while !token.is_cancelled() {
                        let (updates, _views) = watch::channel(ScanView::empty());
                        let options = ScanOptions::default();
                        scan(
                            session.clone(),
                            sources.clone(),
                            options,
                            updates,
                            token.clone(),
                        )
                        .await;
                    }
                });
            });
        while !started.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        let loaded = foreign_probe(port, keys);
        stop.cancel();
        scanning.expect("a thread").join().expect("an end");
        println!(
            "window {window}: base p90 {:?} p99 {:?}, with scan p90 {:?} p99 {:?}",
            base.0, base.1, loaded.0, loaded.1
        );
        p90.push(loaded.0.as_secs_f64() / base.0.as_secs_f64());
        p99.push(loaded.1.as_secs_f64() / base.1.as_secs_f64());
    }
    println!(
        "foreground p90 x{:.2} (limit 1.25)",
        median(p90.into_iter())
    );
    println!(
        "foreground p99 x{:.2} (limit 1.60)",
        median(p99.into_iter())
    );
}

/// The probe in a process of its own that goes before ours: a foreground client does not share a
/// processor with an inspector.
fn foreign_probe(port: u16, keys: usize) -> (Duration, Duration) {
    let output = Command::new("nice")
        .args(["-n", "-18", "taskset", "-c", "1"])
        .arg(std::env::current_exe().expect("a program"))
        .args(["--probe", &port.to_string(), &keys.to_string()])
        .output()
        .expect("a probe");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut nanos = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .map(Duration::from_nanos);
    (nanos.next().expect("p90"), nanos.next().expect("p99"))
}

/// p90 and p99 of 2 s of GETs at 2000/s, each timed from when it is sent.
fn probe(port: u16, keys: usize) -> (Duration, Duration) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a server");
    stream.set_nodelay(true).expect("a socket");
    let mut times = Vec::with_capacity(4000);
    let mut buffer = vec![0; 1 << 16];
    let start = Instant::now();
    for number in 0..4000u32 {
        let due = Duration::from_micros(u64::from(number) * 500);
        if let Some(wait) = due.checked_sub(start.elapsed()) {
            std::thread::sleep(wait);
        }
        let key = format!("{PREFIX}{:012}", number as usize * 7919 % keys);
        let command = format!("*2\r\n$3\r\nGET\r\n${}\r\n{key}\r\n", key.len());
        let sent = Instant::now();
        stream.write_all(command.as_bytes()).expect("room");
        let mut seen = 0;
        let mut wanted = usize::MAX;
        while seen < wanted {
            seen += stream.read(&mut buffer[seen..]).expect("an answer");
            if let Some(end) = buffer[..seen].windows(2).position(|two| two == b"\r\n") {
                let length = std::str::from_utf8(&buffer[1..end])
                    .ok()
                    .and_then(|n| n.parse().ok());
                wanted = end + 2 + length.map_or(0, |length: usize| length + 2);
            }
        }
        times.push(sent.elapsed());
    }
    times.sort_unstable();
    (times[3600], times[3960])
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
