//! How fast locks are released, as a ratio to the same write without a comparison, and what other
//! clients feel of it.
//!
//! Limits: Redis at least 0.3 of a bare pipelined `UNLINK` for locks that are a word or a small object,
//! PostgreSQL at least 0.6 of a bare `UPDATE` or `DELETE … WHERE key = ANY`; a foreground client's p90
//! at most 1.5 and p99 at most 2 times its unloaded one (medians of five windows).
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark measures and prints"
)]

#[path = "repair/locks.rs"]
mod locks;
#[path = "repair/probe.rs"]
mod probe;
#[path = "repair/rows.rs"]
mod rows;
#[path = "../tests/support/mod.rs"]
mod support;

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use idemscope::config::{TargetOptions, resolve};
use idemscope::domain::change::{Change, Outcome, Verb};
use idemscope::domain::raw::RawAddress;
use idemscope::inspect::Session;
use idemscope::inspect::detect::{SourceOptions, detect};
use idemscope::layouts::Layouts;
use idemscope::ops::plan::{Ask, Selection, Wanted, make};
use idemscope::ops::run::RunProgress;
use idemscope::ops::{Plan, RunOptions, control, run};
use idemscope::stores::{Pace, Target, WriteStore, open_writing};
use locks::Lock;
use probe::{foreign_probe, probe_postgres, probe_redis};
use rows::{Deed, postgres_foreground, postgres_rate};
use support::process::Folder;
use support::{postgres, redis as server};
use tokio_util::sync::CancellationToken;

const LOCKS: usize = 10_000;
/// Locks that are released while somebody else asks.
const MANY: usize = 100_000;
const ROUNDS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, kind, port, ..] = arguments.as_slice()
        && word == "--probe"
    {
        let port = port.parse().expect("a port");
        let (p90, p99) = match kind.as_str() {
            "redis" => probe_redis(port),
            _ => runtime().block_on(probe_postgres(&arguments[4])),
        };
        return println!("{} {}", p90.as_nanos(), p99.as_nanos());
    }
    pin(std::process::id(), "1");
    ahead(std::process::id());
    // One of them alone, where it is named.
    let is_wanted = |name: &str| {
        let named = ["redis", "postgres"];
        let mut words = arguments
            .iter()
            .filter(|word| named.contains(&word.as_str()));
        words.next().is_none_or(|word| word == name)
    };
    if is_wanted("redis") {
        let redis = server::Server::start();
        pin(redis.pid(), "0");
        ahead(redis.pid());
        for lock in [Lock::Word, Lock::Object, Lock::Request] {
            redis_rate(&redis, lock);
        }
        redis_foreground(&redis);
    }
    if is_wanted("postgres") {
        // On both cores: each client has a process there.
        let options = postgres::Server::options();
        let postgres = options.setting("shared_buffers", "256MB").start();
        ahead(postgres.pid());
        postgres_rate(&postgres, Deed::Update);
        postgres_rate(&postgres, Deed::Delete);
        postgres_foreground(&postgres);
    }
}

/// Before all else, as far as that can be had on a machine that does other things.
fn ahead(pid: u32) {
    let _ = Command::new("renice")
        .args(["-n", "-15", "-p", &pid.to_string()])
        .output();
}

fn pin(pid: u32, core: &str) {
    let _ = Command::new("taskset")
        .args(["-a", "-p", "-c", core, &pid.to_string()])
        .output();
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

fn target(url: &str) -> Target {
    let resolved = resolve(Some(url), &TargetOptions::default());
    resolved.expect("a target").target
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The plan that releases these, each named.
async fn planned(session: &Session, target: &Target, addresses: Vec<RawAddress>) -> Plan {
    let found = detect(session, &Layouts::built_in(), &SourceOptions::default()).await;
    let found = found.expect("a detection").found;
    let source = Arc::new(found.into_iter().next().expect("a layout").source);
    let wanted: Vec<Wanted> = addresses
        .into_iter()
        .map(|address| Wanted {
            source: source.clone(),
            address,
            longest_ttl: None,
            lives_until: None,
        })
        .collect();
    let ask = Ask::new(Verb::Release, Selection::Named);
    let cancel = CancellationToken::new();
    let plan = make(
        &session.store,
        &target.to_string(),
        &ask,
        &wanted,
        |_| (),
        &cancel,
    )
    .await;
    let plan = plan.expect("a plan");
    assert_eq!(
        plan.items().len(),
        wanted.len(),
        "{:?}",
        plan.refused().first()
    );
    plan
}

fn keys(lock: Lock, count: usize) -> Vec<RawAddress> {
    (0..count)
        .map(|n| RawAddress::Key(lock.name(n).into_bytes()))
        .collect()
}

fn changes(plan: &Plan) -> Vec<&Change> {
    plan.items().iter().map(|item| &item.change).collect()
}

/// The rate at which these are changed, in batches as a run sends them.
async fn applied(writer: &WriteStore, changes: &[&Change]) -> f64 {
    let start = Instant::now();
    for batch in changes.chunks(writer.batch_max()) {
        let done = writer.apply(batch).await;
        let is_done = done.outcomes.iter().all(|one| one.outcome == Outcome::Done);
        assert!(is_done, "{:?}", done.outcomes.first());
    }
    changes.len() as f64 / start.elapsed().as_secs_f64()
}

/// The rate of a whole run, with its journal.
async fn journalled(target: &Target, session: &Session, plan: &Plan) -> f64 {
    let folder = Folder::new();
    let options = RunOptions {
        folder: folder.path().to_owned(),
        pace: Pace::Full,
        ..RunOptions::default()
    };
    let (_control, steering) = control();
    let start = Instant::now();
    let report = run(target, &session.store, plan, &options, steering, |_| ()).await;
    let report = report.expect("a run");
    assert_eq!(report.tally.of(Outcome::Done) as usize, plan.items().len());
    plan.items().len() as f64 / start.elapsed().as_secs_f64()
}

/// Locks of one library at a time.
fn empty(redis: &server::Server) {
    let flush = redis::cmd("FLUSHALL");
    flush.exec(&mut redis.connection()).expect("emptied");
}

fn redis_rate(redis: &server::Server, lock: Lock) {
    let (mut bare, mut ours, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    let (runtime, target) = (runtime(), target(&redis.url()));
    empty(redis);
    for _ in 0..ROUNDS {
        lock.fill(redis, LOCKS);
        let client = redis::Client::open(redis.url()).expect("a client");
        let mut connection = client.get_connection().expect("a connection");
        let start = Instant::now();
        for first in (0..LOCKS).step_by(1000) {
            let mut pipe = redis::pipe();
            for number in first..first + 1000 {
                pipe.cmd("UNLINK").arg(lock.name(number));
            }
            let _: Vec<i64> = pipe.query(&mut connection).expect("removed");
        }
        bare.push(LOCKS as f64 / start.elapsed().as_secs_f64());
        lock.fill(redis, LOCKS);
        runtime.block_on(async {
            let session = Session::open(&target).await.expect("a store");
            let plan = planned(&session, &target, keys(lock, LOCKS)).await;
            let writer = open_writing(&target).await.expect("a store");
            ours.push(applied(&writer, &changes(&plan)).await);
        });
        lock.fill(redis, LOCKS);
        runtime.block_on(async {
            let session = Session::open(&target).await.expect("a store");
            let plan = planned(&session, &target, keys(lock, LOCKS)).await;
            whole.push(journalled(&target, &session, &plan).await);
        });
    }
    let (bare, ours, whole) = (median(bare), median(ours), median(whole));
    let size = lock.value(0).len();
    println!("redis, {size} bytes a lock, bare: {bare:.0} keys/s (UNLINK, 1000 a pipeline)");
    let limit = match lock {
        Lock::Word | Lock::Object => "limit 0.30",
        // Sending and comparing them is most of the work, which a bare removal has none of.
        Lock::Request => "no limit",
    };
    println!(
        "redis, {size} bytes a lock, release: {ours:.0} keys/s, ratio {:.2} ({limit})",
        ours / bare
    );
    println!(
        "redis, {size} bytes a lock, whole run: {whole:.0} keys/s, ratio {:.2}",
        whole / bare
    );
}

/// A client that asks all the time, without and with a release beside it.
fn redis_foreground(redis: &server::Server) {
    let port = redis.port().to_string();
    let (mut p90, mut p99) = (Vec::new(), Vec::new());
    let target = target(&redis.url());
    empty(redis);
    for window in 0..ROUNDS {
        Lock::Word.fill(redis, MANY);
        let base = foreign_probe(&["redis", &port]);
        let loaded = beside(&target, || keys(Lock::Word, MANY), &["redis", &port]);
        tell(window, base, loaded);
        p90.push(loaded.0.as_secs_f64() / base.0.as_secs_f64());
        p99.push(loaded.1.as_secs_f64() / base.1.as_secs_f64());
    }
    println!("redis foreground p90 x{:.2} (limit 1.50)", median(p90));
    println!("redis foreground p99 x{:.2} (limit 2.00)", median(p99));
}

fn tell(window: usize, base: (Duration, Duration), loaded: (Duration, Duration)) {
    println!(
        "window {window}: base p90 {:?} p99 {:?}, with release p90 {:?} p99 {:?}",
        base.0, base.1, loaded.0, loaded.1
    );
}

/// What the probe finds while a whole run releases these.
fn beside(
    target: &Target,
    addresses: impl FnOnce() -> Vec<RawAddress>,
    probe: &[&str],
) -> (Duration, Duration) {
    let runtime = runtime();
    let session = runtime.block_on(Session::open(target)).expect("a store");
    let plan = runtime.block_on(planned(&session, target, addresses()));
    let (started, ended) = (AtomicBool::new(false), AtomicBool::new(false));
    let (control, steering) = control();
    std::thread::scope(|scope| {
        let work = || {
            let folder = Folder::new();
            let options = RunOptions {
                folder: folder.path().to_owned(),
                ..RunOptions::default()
            };
            let show = |progress: &RunProgress| {
                started.fetch_or(progress.tally.total() > 0, Ordering::SeqCst);
            };
            let run = run(target, &session.store, &plan, &options, steering, show);
            let report = runtime.block_on(run).expect("a run");
            ended.store(true, Ordering::SeqCst);
            let (done, left) = (Outcome::Done, Outcome::NotReached);
            let both = report.tally.of(done) + report.tally.of(left);
            assert_eq!(both as usize, plan.items().len());
            report.tally.of(done)
        };
        let builder = std::thread::Builder::new().name("release".into());
        let thread = builder.spawn_scoped(scope, work).expect("a thread");
        while !started.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let loaded = foreign_probe(probe);
        if ended.load(Ordering::SeqCst) {
            println!("note: the release ended before the window did");
        }
        control.stop();
        let done = thread.join().expect("an end");
        println!("released {done} in the window");
        loaded
    })
}
