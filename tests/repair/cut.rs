//! The line of `idemscope release` is cut at places of all its talk: what it reports is true, what
//! was never sent is sent when the line is back, nothing is sent twice, and the journal agrees.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use fastrand::Rng;

use crate::shell::{Operator, Ran};
use crate::support::process::wait_for;
use crate::support::wire::{End, Plan, Proxy};
use crate::support::{long, postgres, redis as server, seed};

const RECORDS: usize = 5;

/// A store behind a line, whose locks can be put there again and again.
trait Locks {
    fn url(&self, proxy: &Proxy) -> String;
    fn put(&self);
    /// Addresses of the locks that are held.
    fn held(&self) -> Vec<String>;
}

/// Runs over a line that is cut once, and is whole again right after.
fn over_a_cut_line(operator: &Operator, proxy: &Proxy, cut: Plan, words: &[&str]) -> Ran {
    let (up, after) = match cut {
        Plan::CutUp { after, .. } => (true, after),
        Plan::CutDown { after, .. } => (false, after),
        _ => panic!("no cut"),
    };
    proxy.set(cut);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let mend = || {
            wait_for("the cut", || {
                let seen = proxy.seen();
                let is_cut = if up { seen.up } else { seen.down } >= after;
                (is_cut || over.load(Ordering::SeqCst)).then_some(())
            });
            proxy.set(Plan::Pass);
        };
        let mender = std::thread::Builder::new().name("mender".to_owned());
        let mender = mender.spawn_scoped(scope, mend).expect("a thread");
        let ran = operator.run(words);
        over.store(true, Ordering::SeqCst);
        mender.join().expect("the line is whole");
        ran
    })
}

fn outcomes(ran: &Ran) -> BTreeMap<String, (String, String)> {
    let json = ran.json();
    let text =
        |key: &serde_json::Value, name: &str| key[name].as_str().unwrap_or_default().to_owned();
    let keys = json["keys"].as_array().expect("keys").iter();
    keys.map(|key| {
        (
            text(key, "address"),
            (text(key, "outcome"), text(key, "why")),
        )
    })
    .collect()
}

/// Places all over what was said, from a random one on.
fn places(proxy: &Proxy, step: u64) -> Vec<Plan> {
    let (seen, mut random) = (proxy.seen(), Rng::with_seed(seed()));
    let up = (random.u64(1..=step)..seen.up).step_by(step as usize);
    let down = (random.u64(1..=step)..seen.down).step_by(step as usize);
    let up = up.map(|after| Plan::CutUp {
        after,
        end: End::Close,
    });
    let down = down.map(|after| Plan::CutDown {
        after,
        end: End::Reset,
    });
    up.chain(down).collect()
}

fn is_true(outcome: &str, why: &str, is_held: bool) -> bool {
    match (outcome, is_held) {
        ("released", is_held) => !is_held,
        ("unknown", true) => why.contains("looked at again it is as it was before"),
        ("unknown", false) => why.contains("looked at again it is as it was to become"),
        // Anything else would say that it was sent a second time.
        _ => false,
    }
}

fn law(name: &str, locks: &dyn Locks, proxy: &Proxy, steps: (u64, u64)) {
    let operator = Operator::new();
    let url = locks.url(proxy);
    let plan = operator.home.join("plan.json").display().to_string();
    let planned = || {
        locks.put();
        proxy.set(Plan::Pass);
        let words = [
            "release",
            &url,
            "--stuck",
            "--older-than",
            "1m",
            "--plan",
            &plan,
        ];
        let ran = operator.run(&words);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(ran.json()["planned"], RECORDS, "{} {}", ran.out, ran.err);
        proxy.set(Plan::Pass);
    };
    let words = [
        "release",
        &url,
        "--apply",
        &plan,
        "--yes",
        "--quiet",
        "--timeout",
        "5s",
    ];
    planned();
    let ran = operator.run(&words);
    assert_eq!(ran.outcomes(), format!("released {RECORDS}"), "{}", ran.err);
    let cuts = places(proxy, if long() { steps.1 } else { steps.0 });
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    for cut in &cuts {
        planned();
        let before = locks.held();
        let ran = over_a_cut_line(&operator, proxy, *cut, &words);
        let held = locks.held();
        if ran.code == 3 {
            assert_eq!(held, before, "{cut:?}: {}", ran.err);
            *told.entry("not opened".to_owned()).or_default() += 1;
            continue;
        }
        let words = outcomes(&ran);
        assert_eq!(words.len(), RECORDS, "{cut:?}: {}", ran.out);
        for (address, (outcome, why)) in &words {
            let is_held = held.contains(address);
            let seed = seed();
            assert!(
                is_true(outcome, why, is_held),
                "{cut:?}, seed {seed}: {address} {outcome} {why}, held {is_held}"
            );
            *told.entry(outcome.clone()).or_default() += 1;
        }
        let journal = operator.run(&["journal", &ran.journal_id()]);
        assert_eq!((journal.code, outcomes(&journal)), (0, words), "{cut:?}");
    }
    let count = cuts.len();
    crate::tell(&format!(
        "{name}: cut at {count} places, {told:?}, seed {}\n",
        seed()
    ));
}

struct Keys(server::Server);

impl Locks for Keys {
    fn url(&self, proxy: &Proxy) -> String {
        format!("redis://127.0.0.1:{}", proxy.port())
    }

    fn put(&self) {
        let mut pipe = redis::pipe();
        for number in 0..RECORDS {
            let set = pipe.cmd("SET").arg(format!("idempotency:lock-{number}"));
            set.arg("processing").arg("EX").arg(80_000).ignore();
        }
        pipe.exec(&mut self.0.connection()).expect("written");
    }

    fn held(&self) -> Vec<String> {
        let keys = redis::cmd("KEYS").arg("*").query(&mut self.0.connection());
        let mut keys: Vec<String> = keys.expect("keys");
        keys.sort();
        keys
    }
}

#[test]
fn keys_over_a_line_that_is_cut() {
    let server = server::Server::start();
    let proxy = Proxy::before(server.port());
    law("redis", &Keys(server), &proxy, (1511, 41));
}

struct Rows {
    server: &'static postgres::Server,
    database: String,
}

const TABLE: &str = "CREATE TABLE idempotency_keys (key uuid PRIMARY KEY, created_at timestamptz \
    NOT NULL DEFAULT now(), expires_at timestamptz NOT NULL, request_path text, payload_hash text, \
    response_status int, response_body jsonb, locked_at timestamptz)";

impl Locks for Rows {
    fn url(&self, proxy: &Proxy) -> String {
        let (port, database) = (proxy.port(), &self.database);
        format!("postgres://postgres@127.0.0.1:{port}/{database}?sslmode=disable")
    }

    fn put(&self) {
        let fill = format!(
            "TRUNCATE idempotency_keys; INSERT INTO idempotency_keys \
             SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, now(), \
             now() + interval '1 d', '/pay', 'aa', NULL, NULL, now() - interval '1 h' \
             FROM generate_series(1, {RECORDS}) AS n"
        );
        self.server.execute(&self.database, &fill);
    }

    fn held(&self) -> Vec<String> {
        let sql = "SELECT string_agg('public.idempotency_keys/' || key::text, ' ' ORDER BY key) \
                   FROM idempotency_keys WHERE locked_at IS NOT NULL";
        let text = self.server.text(&self.database, sql).unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect()
    }
}

#[test]
fn rows_over_a_line_that_is_cut() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(&database, TABLE);
    let proxy = Proxy::before(server.port());
    law("postgres", &Rows { server, database }, &proxy, (1999, 97));
}
