//! The server and the line while bulk work runs: it goes on after what was lost, and every word is
//! true at the end; and the hand that steers it.

use std::cell::Cell;

use idemscope::domain::change::Outcome;
use idemscope::domain::raw::RawAddress;
use idemscope::domain::{Timestamp, address};
use idemscope::ops::run::RunProgress;
use idemscope::ops::{Plan, Report, control};

use crate::library::{Desk, target};
use crate::support::wire::{End, Plan as Wire, Proxy};
use crate::support::{long, postgres, redis as server};

/// Fewer in the normal run are as good a law as ten thousand, and quicker to plan.
fn records() -> usize {
    if long() { 10_000 } else { 2_400 }
}

/// So many tenths of them.
fn tenths(many: usize) -> u64 {
    (records() * many / 10) as u64
}

fn name(number: usize) -> String {
    format!("node-idempotency:POST:/payments:ord-{number}")
}

fn fill(server: &server::Server) {
    let mut pipe = redis::pipe();
    for number in 0..records() {
        let value = format!(r#"{{"status":"IN_PROGRESS","fingerPrint":"{number}"}}"#);
        let set = pipe.cmd("SET").arg(name(number)).arg(value);
        set.arg("PXAT").arg(4_000_000_000_000_i64).ignore();
    }
    pipe.exec(&mut server.connection()).expect("written");
}

fn keys() -> Vec<(RawAddress, Option<Timestamp>)> {
    let key = |number| (RawAddress::Key(name(number).into_bytes()), None);
    (0..records()).map(key).collect()
}

const TABLE: &str = "CREATE TABLE idempotency_keys (key uuid PRIMARY KEY, created_at timestamptz \
    NOT NULL, expires_at timestamptz NOT NULL, request_path text, payload_hash text, \
    response_status int, response_body jsonb, locked_at timestamptz);
    INSERT INTO idempotency_keys SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, \
    now(), now() + interval '1 d', '/pay', md5(n::text), NULL, NULL, now() - interval '1 h' \
    FROM generate_series(0, $last) AS n";

fn rows() -> Vec<(RawAddress, Option<Timestamp>)> {
    let row = |number: usize| RawAddress::Row {
        schema: "public".into(),
        table: "idempotency_keys".into(),
        key: vec![format!("00000000-0000-4000-8000-{number:012}")],
    };
    (0..records()).map(|number| (row(number), None)).collect()
}

struct Keys {
    server: server::Server,
    proxy: Proxy,
    desk: Desk,
    plan: Plan,
}

async fn in_redis() -> Keys {
    let server = server::Server::start();
    fill(&server);
    let proxy = Proxy::before(server.port());
    let mut changes = target(&format!("redis://127.0.0.1:{}", proxy.port()));
    changes.timeout = std::time::Duration::from_secs(1);
    let desk = Desk::open(&target(&server.url()), changes, "node-idempotency").await;
    let plan = desk.plan(keys()).await;
    assert_eq!(plan.items().len(), records());
    Keys {
        server,
        proxy,
        desk,
        plan,
    }
}

impl Keys {
    fn left(&self) -> usize {
        redis::cmd("DBSIZE")
            .query(&mut self.server.connection())
            .expect("a count")
    }

    /// Every word of the report against what is there.
    fn words_are_true(&self, report: &Report) {
        let mut pipe = redis::pipe();
        for key in &report.keys {
            pipe.cmd("EXISTS").arg(&key.address);
        }
        let there: Vec<bool> = pipe.query(&mut self.server.connection()).expect("answers");
        for (key, there) in report.keys.iter().zip(there) {
            let fits = match key.outcome {
                Outcome::Done | Outcome::Gone => !there,
                Outcome::Unknown => {
                    let why = key.why.as_deref().unwrap_or_default();
                    why.contains("as it was before") == there
                }
                _ => there,
            };
            assert!(fits, "{there} {key:?}");
        }
    }
}

fn count(report: &Report, outcome: Outcome) -> usize {
    report.tally.of(outcome) as usize
}

/// Does something once, when so many records have an outcome.
fn once_at(records: u64, act: impl Fn()) -> impl Fn(&RunProgress) {
    let acted = Cell::new(false);
    move |progress| {
        if progress.tally.total() >= records && !acted.replace(true) {
            act();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_goes_on_when_the_line_comes_back() {
    let keys = in_redis().await;
    let (_control, steering) = control();
    let cut = once_at(tenths(3), || keys.proxy.set(Wire::Refuse));
    let show = |progress: &RunProgress| {
        cut(progress);
        if progress.waiting.is_some() {
            keys.proxy.set(Wire::Pass);
        }
    };
    let report = keys
        .desk
        .run(&keys.plan, steering, show)
        .await
        .expect("a run");
    assert_eq!(report.stopped, None);
    keys.words_are_true(&report);
    let (done, unknown) = (
        count(&report, Outcome::Done),
        count(&report, Outcome::Unknown),
    );
    assert_eq!(done + unknown, records(), "{:?}", report.tally);
    // At most what was on the way.
    assert!(unknown <= 120, "{unknown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_lost_everything_is_told_as_it_is() {
    let keys = in_redis().await;
    let (_control, steering) = control();
    let crash = once_at(tenths(3), || keys.server.restart());
    let report = keys
        .desk
        .run(&keys.plan, steering, crash)
        .await
        .expect("a run");
    assert_eq!(report.stopped, None);
    assert_eq!(keys.left(), 0);
    keys.words_are_true(&report);
    let (done, gone) = (count(&report, Outcome::Done), count(&report, Outcome::Gone));
    assert!(done as u64 >= tenths(3) && gone > 0, "{:?}", report.tally);
    assert_eq!(count(&report, Outcome::NotReached), 0, "{:?}", report.tally);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stands_still_is_waited_for() {
    let keys = in_redis().await;
    let (_control, steering) = control();
    let freeze = once_at(tenths(3), || keys.server.stop());
    let show = |progress: &RunProgress| {
        freeze(progress);
        if progress.waiting.is_some() {
            keys.server.cont();
        }
    };
    let report = keys
        .desk
        .run(&keys.plan, steering, show)
        .await
        .expect("a run");
    assert_eq!(report.stopped, None);
    keys.words_are_true(&report);
    assert_eq!(count(&report, Outcome::NotReached), 0, "{:?}", report.tally);
    assert!(
        count(&report, Outcome::Unknown) <= 120,
        "{:?}",
        report.tally
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_never_comes_back_ends_the_run_when_told() {
    let keys = in_redis().await;
    let (control, steering) = control();
    let lost = once_at(tenths(3), || keys.proxy.set(Wire::Refuse));
    let show = |progress: &RunProgress| {
        lost(progress);
        if progress.waiting.is_some() {
            control.stop();
        }
    };
    let report = keys
        .desk
        .run(&keys.plan, steering, show)
        .await
        .expect("a run");
    assert_eq!(report.stopped.as_deref(), Some("it was cancelled"));
    keys.words_are_true(&report);
    assert!(
        count(&report, Outcome::NotReached) as u64 > tenths(5),
        "{:?}",
        report.tally
    );
    assert_eq!(report.keys.len(), records());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_is_paused_goes_on_and_is_stopped() {
    let keys = in_redis().await;
    let (control, steering) = control();
    let pause = once_at(tenths(2), || control.pause());
    let at_pause = Cell::new(0);
    let stop = once_at(tenths(5), || control.stop());
    let show = |progress: &RunProgress| {
        pause(progress);
        if progress.waiting.as_deref() == Some("paused") {
            at_pause.set(progress.tally.total());
            // What is paused is all on the disk, and nothing is on its way.
            assert_eq!(
                keys.left() as u64,
                records() as u64 - progress.tally.total()
            );
            control.go_on();
        }
        stop(progress);
    };
    let report = keys
        .desk
        .run(&keys.plan, steering, show)
        .await
        .expect("a run");
    assert!(
        (tenths(2)..tenths(5)).contains(&at_pause.get()),
        "{}",
        at_pause.get()
    );
    assert_eq!(report.stopped.as_deref(), Some("it was cancelled"));
    keys.words_are_true(&report);
    let done = count(&report, Outcome::Done);
    assert!(
        (tenths(5)..tenths(6) + 400).contains(&(done as u64)),
        "{:?}",
        report.tally
    );
    assert_eq!(done + count(&report, Outcome::NotReached), records());
    assert_eq!(keys.left(), records() - done);
}

struct Rows {
    server: postgres::Server,
    database: String,
    proxy: Proxy,
    desk: Desk,
    plan: Plan,
}

async fn in_postgres() -> Rows {
    let server = postgres::Server::start();
    let database = server.create_database();
    server.execute(
        &database,
        &TABLE.replace("$last", &(records() - 1).to_string()),
    );
    let proxy = Proxy::before(server.port());
    let url = format!(
        "postgres://postgres@127.0.0.1:{}/{database}?sslmode=disable",
        proxy.port()
    );
    let mut changes = target(&url);
    changes.timeout = std::time::Duration::from_secs(2);
    let reads = target(&server.database_url(&database));
    let desk = Desk::open(&reads, changes, "uuid-key-locked-at").await;
    let plan = desk.plan(rows()).await;
    assert_eq!(plan.items().len(), records());
    Rows {
        server,
        database,
        proxy,
        desk,
        plan,
    }
}

impl Rows {
    fn words_are_true(&self, report: &Report) {
        let sql = "SELECT string_agg(key::text, ' ') FROM idempotency_keys WHERE locked_at IS NULL";
        let text = self.server.text(&self.database, sql).unwrap_or_default();
        let released: std::collections::HashSet<&str> = text.split(' ').collect();
        for (key, item) in report.keys.iter().zip(self.plan.items()) {
            assert_eq!(key.address, address::address_text(&item.address));
            let name = key.address.rsplit('/').next().unwrap_or_default();
            let is_released = released.contains(name);
            let fits = match key.outcome {
                Outcome::Done => is_released,
                Outcome::Unknown => true,
                _ => !is_released,
            };
            assert!(fits, "{is_released} {key:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_are_released_across_a_lost_line_and_a_restart() {
    let rows = in_postgres().await;
    let (_control, steering) = control();
    let cut = once_at(tenths(2), || {
        rows.proxy.set(Wire::CutUp {
            after: 40_000,
            end: End::Reset,
        });
    });
    let restart = once_at(tenths(6), || rows.server.restart());
    let show = |progress: &RunProgress| {
        cut(progress);
        restart(progress);
        if progress.waiting.is_some() {
            rows.proxy.set(Wire::Pass);
        }
    };
    let report = rows
        .desk
        .run(&rows.plan, steering, show)
        .await
        .expect("a run");
    assert_eq!(report.stopped, None);
    rows.words_are_true(&report);
    assert_eq!(
        count(&report, Outcome::Done),
        records(),
        "{:?}",
        report.tally
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_are_released_by_a_server_that_stood_still() {
    let rows = in_postgres().await;
    let (_control, steering) = control();
    let freeze = once_at(tenths(3), || rows.server.stop());
    let show = |progress: &RunProgress| {
        freeze(progress);
        if progress.waiting.is_some() {
            rows.server.cont();
        }
    };
    let report = rows
        .desk
        .run(&rows.plan, steering, show)
        .await
        .expect("a run");
    rows.server.cont();
    assert_eq!(report.stopped, None);
    rows.words_are_true(&report);
    assert_eq!(count(&report, Outcome::NotReached), 0, "{:?}", report.tally);
}
