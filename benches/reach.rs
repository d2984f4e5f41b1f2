//! What it costs to reach a store that is not one open server: a cluster against its nodes side by
//! side, a way through SSH against none, and the time until the first rows are there.
//!
//! Limits: a cluster of three primaries at 0.9 of three single servers scanned at once; SSH at 0.7 of
//! the plain scan; first rows within 1 s through TLS and 2 s through SSH.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark measures and prints"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use idemscope::config::{TargetOptions, resolve};
use idemscope::inspect::Session;
use idemscope::inspect::detect::{SourceOptions, detect};
use idemscope::inspect::scan::{ScanOptions, ScanView, scan};
use idemscope::layouts::Layouts;
use idemscope::stores::{Pace, Target};
use redis::ConnectionLike;
use support::cluster::Cluster;
use support::process::Folder;
use support::{redis as server, ssh, tls};
use tokio_util::sync::CancellationToken;

/// Keys of one node.
const KEYS: usize = 100_000;
const ROUNDS: usize = 5;

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    cluster(&runtime);
    way(&runtime);
    encrypted(&runtime);
}

fn name(number: usize) -> String {
    format!("idempotency:00000000-0000-4000-8000-{number:012}")
}

fn value(number: usize) -> String {
    format!(r#"{{"status":"completed","response":{{"id":"pay_{number}","amount":1500}}}}"#)
}

fn fill(connection: &mut impl ConnectionLike, numbers: impl Iterator<Item = usize>) {
    for number in numbers {
        let mut set = redis::cmd("SET");
        set.arg(name(number))
            .arg(value(number))
            .arg("PX")
            .arg(82_800_000);
        set.exec(connection).expect("written");
    }
}

/// The same by many at once, at one server.
fn fill_one(server: &server::Server, numbers: std::ops::Range<usize>) {
    let mut connection = server.connection();
    for first in numbers.clone().step_by(1000) {
        let mut pipe = redis::pipe();
        for number in first..(first + 1000).min(numbers.end) {
            let set = pipe.cmd("SET").arg(name(number)).arg(value(number));
            set.arg("PX").arg(82_800_000).ignore();
        }
        pipe.exec(&mut connection).expect("written");
    }
}

fn target(url: &str, options: &TargetOptions) -> Target {
    resolve(Some(url), options).expect("a target").target
}

/// Scans all; records, and how long it took from before the connection and to the first rows.
async fn scanned(target: &Target) -> (u64, Duration, Duration) {
    let start = Instant::now();
    let session = Arc::new(Session::open(target).await.expect("a store"));
    let found = detect(&session, &Layouts::built_in(), &SourceOptions::default()).await;
    let sources = found.expect("a detection").found;
    let sources = sources.into_iter().map(|found| found.source).collect();
    let options = ScanOptions {
        pace: Pace::Full,
        ..ScanOptions::default()
    };
    let (updates, mut seen) = tokio::sync::watch::channel(ScanView::empty());
    let first = tokio::spawn(async move {
        while seen.changed().await.is_ok() {
            if !seen.borrow().snapshot.is_empty() {
                break;
            }
        }
        start.elapsed()
    });
    let begun = Instant::now();
    let done = scan(session, sources, options, updates, CancellationToken::new()).await;
    let took = begun.elapsed();
    assert_eq!(done.error, None);
    let rows = done.view.snapshot.len() as u64;
    (rows, took, first.await.expect("first rows"))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn cluster(runtime: &tokio::runtime::Runtime) {
    let cluster = Cluster::start(0);
    fill(&mut cluster.client(), 0..3 * KEYS);
    let whole = target(&cluster.url(), &TargetOptions::default());
    let alone: Vec<server::Server> = (0..3).map(|_| server::Server::start()).collect();
    for (at, server) in alone.iter().enumerate() {
        fill_one(server, at * KEYS..(at + 1) * KEYS);
    }
    let singles: Vec<Target> = alone
        .iter()
        .map(|server| target(&server.url(), &TargetOptions::default()))
        .collect();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        runtime.block_on(async {
            let (rows, took, _) = scanned(&whole).await;
            assert_eq!(rows, 3 * KEYS as u64);
            ours.push(rows as f64 / took.as_secs_f64());
            let start = Instant::now();
            let mut scans = tokio::task::JoinSet::new();
            for single in singles.clone() {
                scans.spawn(async move { scanned(&single).await });
            }
            let longest = scans
                .join_all()
                .await
                .into_iter()
                .map(|(_, took, _)| took)
                .max();
            let _ = start;
            let longest = longest.expect("three scans").as_secs_f64();
            theirs.push(3.0 * KEYS as f64 / longest);
        });
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!("cluster of 3: {ours:.0} keys/s; 3 servers side by side: {theirs:.0} keys/s");
    println!("cluster ratio {:.2} (limit 0.90)", ours / theirs);
}

/// A host that is known, and a home to know it in.
fn way(runtime: &tokio::runtime::Runtime) {
    let home = Folder::new();
    std::fs::create_dir(home.join(".ssh")).expect("a folder");
    let key = ssh::key(&home, ".ssh/id_ed25519", "");
    let host = ssh::Server::start(&key);
    home.write(".ssh/known_hosts", &host.known());
    // Nobody else reads the environment of this process.
    let at = format!("127.0.0.1:{}", host.port());
    let server = server::Server::start();
    fill_one(&server, 0..KEYS);
    let plain = target(&server.url(), &TargetOptions::default());
    let options = TargetOptions {
        ssh: Some(at),
        ..TargetOptions::default()
    };
    let mut through = target(&server.url(), &TargetOptions::default());
    through.ssh = Some(idemscope::stores::target::Ssh {
        hops: vec![idemscope::stores::target::Hop {
            name: options.ssh.clone().expect("a host"),
            host: "127.0.0.1".to_owned(),
            port: host.port(),
            user: user(),
            agent: None,
            host_keys: idemscope::stores::target::HostKeys {
                files: vec![home.join(".ssh/known_hosts")],
                ..Default::default()
            },
            keys: vec![idemscope::stores::target::SshKey {
                origin: idemscope::stores::target::KeyOrigin::Named,
                public: None,
                path: key.clone(),
                text: idemscope::domain::Secret::new(std::fs::read_to_string(&key).expect("a key")),
                passphrase: None,
            }],
            only_these_keys: false,
        }],
    });
    let (mut straight, mut tunnelled, mut first) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        runtime.block_on(async {
            let (rows, took, _) = scanned(&plain).await;
            straight.push(rows as f64 / took.as_secs_f64());
            let (rows, took, rows_after) = scanned(&through).await;
            tunnelled.push(rows as f64 / took.as_secs_f64());
            first.push(rows_after.as_secs_f64());
        });
    }
    let (straight, tunnelled, first) = (median(straight), median(tunnelled), median(first));
    println!("plain: {straight:.0} keys/s; through SSH: {tunnelled:.0} keys/s");
    println!("SSH ratio {:.2} (limit 0.70)", tunnelled / straight);
    println!("first rows through SSH after {first:.2} s (limit 2.00)");
}

fn user() -> String {
    let output = std::process::Command::new("id").arg("-un").output();
    let output = output.expect("id");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn encrypted(runtime: &tokio::runtime::Runtime) {
    let certificates = tls::Certificates::new();
    let server = server::Server::options().tls(&certificates.server).start();
    fill_one(&server, 0..KEYS);
    let options = TargetOptions {
        ca: Some(certificates.ca.clone()),
        ..TargetOptions::default()
    };
    let target = target(&server.tls_url(), &options);
    let mut first = Vec::new();
    for _ in 0..ROUNDS {
        let (_, _, after) = runtime.block_on(scanned(&target));
        first.push(after.as_secs_f64());
    }
    println!(
        "first rows through TLS after {:.2} s (limit 1.00)",
        median(first)
    );
}
