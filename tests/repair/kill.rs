//! `kill -9` of the real binary at random points of bulk work: the journal tells what happened, and
//! undo brings back everything that is gone.

use std::collections::BTreeSet;
use std::process::Child;

use fastrand::Rng;

use crate::shell::Operator;
use crate::support::process::{Signal, send, wait_for};
use crate::support::{long, postgres, redis as server, seed};

/// A store that bulk work runs in.
trait Store {
    fn url(&self) -> String;
    /// Everything in it: type, value, absolute expiry; every column.
    fn picture(&self) -> String;
    /// How many of the records are changed.
    fn changed(&self) -> usize;
    /// Addresses of records that are changed, as a journal writes them.
    fn missing(&self) -> BTreeSet<String>;
    /// Waits until the server has nothing more to do for a client that is gone.
    fn settled(&self);
}

/// More than one part of a plan.
fn records() -> usize {
    if long() { 3000 } else { 1200 }
}

fn kills(few: usize, many: usize) -> usize {
    if long() { many } else { few }
}

/// Where a run is killed.
#[derive(Clone, Copy, Debug)]
enum Point {
    /// When so many records are changed.
    Changed(usize),
    /// When the journal holds so many bytes.
    Journal(u64),
}

fn journal_bytes(operator: &Operator, known: &BTreeSet<String>) -> u64 {
    let files = std::fs::read_dir(operator.journal()).into_iter().flatten();
    let fresh = files.flatten().filter(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        name.ends_with(".jsonl") && !known.contains(&name)
    });
    fresh
        .filter_map(|file| Some(file.metadata().ok()?.len()))
        .sum()
}

fn journals(operator: &Operator) -> BTreeSet<String> {
    let files = std::fs::read_dir(operator.journal()).into_iter().flatten();
    let names = files
        .flatten()
        .map(|file| file.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".jsonl")).collect()
}

/// True where the run was killed, false where it ended before.
fn killed_at(
    store: &dyn Store,
    operator: &Operator,
    known: &BTreeSet<String>,
    mut run: Child,
    point: Point,
) -> bool {
    loop {
        let is_there = match point {
            Point::Changed(records) => store.changed() >= records,
            Point::Journal(bytes) => journal_bytes(operator, known) >= bytes,
        };
        if is_there {
            send(run.id(), Signal::Kill);
            return !run.wait().expect("it ends").success();
        }
        if let Some(status) = run.try_wait().expect("its state") {
            assert!(status.success(), "it ended by itself with {status}");
            return false;
        }
    }
}

/// Addresses that a journal does not rule out.
fn may_be_changed(journal: &serde_json::Value) -> BTreeSet<String> {
    let text = |key: &serde_json::Value, name: &str| key[name].as_str().expect("text").to_owned();
    let keys = journal["keys"].as_array().expect("keys").iter();
    keys.filter(|key| ["released", "purged", "unknown"].contains(&text(key, "outcome").as_str()))
        .map(|key| text(key, "address"))
        .collect()
}

/// Kills, looks, undoes and compares, again and again.
fn law(name: &str, store: &dyn Store, arguments: &[&str], times: usize) {
    let operator = Operator::new();
    let (url, before) = (store.url(), store.picture());
    let words: Vec<&str> = [arguments[0], &url]
        .iter()
        .chain(&arguments[1..])
        .copied()
        .collect();
    // Once to the end, to know how long a journal is.
    let ran = operator.run(&words);
    assert_eq!(ran.code, 0, "{} {}", ran.out, ran.err);
    assert_eq!(store.changed(), records());
    let most = journal_bytes(&operator, &BTreeSet::new());
    undone(store, &operator, &ran.journal_id(), &before);
    let mut random = Rng::with_seed(seed());
    let (mut killed, mut broken, mut part) = (0, 0, 0);
    for round in 0..times {
        let known = journals(&operator);
        let point = match random.bool() {
            true => Point::Changed(random.usize(1..records() * 9 / 10)),
            false => Point::Journal(random.u64(1..most * 9 / 10)),
        };
        let run = operator.start(&words);
        killed += usize::from(killed_at(store, &operator, &known, run, point));
        store.settled();
        let missing = store.missing();
        let fresh: Vec<String> = journals(&operator).difference(&known).cloned().collect();
        let Some(file) = fresh.first() else {
            assert!(
                missing.is_empty(),
                "{point:?}, round {round}: changed without a journal"
            );
            continue;
        };
        let id = file.trim_end_matches(".jsonl");
        let told = operator.run(&["journal", id]);
        assert_eq!(
            told.code, 0,
            "{point:?}, round {round}: {} {}",
            told.out, told.err
        );
        let json = told.json();
        let chain = json["chain"].as_str().expect("a chain");
        assert!(
            ["whole", "broken_tail"].contains(&chain),
            "{point:?}, round {round}: {chain}"
        );
        broken += usize::from(chain == "broken_tail");
        part += usize::from(!missing.is_empty() && missing.len() < records());
        let may_be = may_be_changed(&json);
        let untold: Vec<&String> = missing.difference(&may_be).collect();
        assert!(
            untold.is_empty(),
            "{point:?}, round {round}, seed {}: not in the journal: {untold:?}",
            seed()
        );
        undone(store, &operator, id, &before);
    }
    crate::tell(&format!(
        "{name}: killed {killed} of {times} runs, {part} in the middle of the changes, \
         {broken} broken tails, seed {}\n",
        seed()
    ));
}

#[track_caller]
fn undone(store: &dyn Store, operator: &Operator, id: &str, before: &str) {
    let undone = operator.run(&["undo", &store.url(), id, "--yes"]);
    assert_eq!(undone.code, 0, "{} {}", undone.out, undone.err);
    let after = store.picture();
    if after != *before {
        let lines: BTreeSet<&str> = before.lines().collect();
        let other: Vec<&str> = after.lines().filter(|line| !lines.contains(line)).collect();
        panic!(
            "undo of {id} left something else: {:.2000?} of {:.500}",
            other, undone.out
        );
    }
}

/// Keys of a server, with what tells how many of them are changed.
struct Keys {
    server: server::Server,
    /// What counts the records that are left.
    count: redis::Cmd,
    all: usize,
    addresses: redis::Cmd,
    names: BTreeSet<String>,
    /// What an address is of a name.
    address: fn(&str) -> String,
}

/// Every key with type, value and expiry, a line each.
const PICTURE: &str = "
    local keys, lines = redis.call('KEYS', '*'), {}
    table.sort(keys)
    for _, key in ipairs(keys) do
      local kind = redis.call('TYPE', key).ok
      local value
      if kind == 'string' then value = { redis.call('GET', key) }
      elseif kind == 'hash' then
        local flat = redis.call('HGETALL', key)
        value = {}
        for i = 1, #flat, 2 do value[#value + 1] = flat[i] .. '=' .. flat[i + 1] end
        table.sort(value)
      elseif kind == 'set' then
        value = redis.call('SMEMBERS', key)
        table.sort(value)
      else value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end
      lines[#lines + 1] = key .. ' ' .. kind .. ' ' .. redis.call('PEXPIRETIME', key) .. ' '
        .. table.concat(value, ',')
    end
    return table.concat(lines, '\\n')";

impl Store for Keys {
    fn url(&self) -> String {
        self.server.url()
    }

    fn picture(&self) -> String {
        let script = redis::Script::new(PICTURE);
        let picture = script.invoke(&mut self.server.connection());
        picture.expect("a picture")
    }

    fn changed(&self) -> usize {
        let left: usize = self
            .count
            .query(&mut self.server.connection())
            .expect("a count");
        self.all - left
    }

    fn missing(&self) -> BTreeSet<String> {
        let there: BTreeSet<String> = self
            .addresses
            .query(&mut self.server.connection())
            .expect("names");
        self.names
            .difference(&there)
            .map(|name| (self.address)(name))
            .collect()
    }

    fn settled(&self) {
        wait_for("the clients to be gone", || {
            let list: String = redis::cmd("CLIENT")
                .arg("LIST")
                .query(&mut self.server.connection())
                .expect("clients");
            (list.lines().count() == 1).then_some(())
        });
    }
}

fn command(words: &[&str]) -> redis::Cmd {
    let mut command = redis::Cmd::new();
    command.arg(words);
    command
}

#[test]
fn keys_that_were_released_come_back() {
    let server = server::Server::start();
    let mut pipe = redis::pipe();
    let mut names = BTreeSet::new();
    let hour_ago = hour_ago_s(&server);
    for number in 0..records() / 2 {
        let key = format!("node-idempotency:POST:/payments:ord-{number}");
        let value = format!(r#"{{"status":"IN_PROGRESS","fingerPrint":"{number}"}}"#);
        let expiry = 4_000_000_000_000_i64 + number as i64;
        pipe.cmd("SET").arg(&key).arg(value).ignore();
        // Hours before its end, so that it is an old one.
        pipe.cmd("PEXPIREAT")
            .arg(&key)
            .arg((hour_ago + 60_000) * 1000 + expiry % 1000)
            .ignore();
        names.insert(key);
        let key = format!("idem:{{u{}}}:{number:08}", number % 7);
        pipe.cmd("HSET")
            .arg(&key)
            .arg(&[
                "status",
                "processing",
                "payload_hash",
                "ab",
                "attempts",
                "1",
            ])
            .arg("locked_at")
            .arg(hour_ago)
            .ignore();
        if number % 3 > 0 {
            pipe.cmd("PEXPIREAT").arg(&key).arg(expiry).ignore();
        }
        names.insert(key);
    }
    pipe.exec(&mut server.connection()).expect("written");
    let keys = Keys {
        server,
        count: command(&["DBSIZE"]),
        all: records(),
        addresses: command(&["KEYS", "*"]),
        names,
        address: str::to_owned,
    };
    let arguments = [
        "release",
        "--stuck",
        "--older-than",
        "1m",
        "--yes",
        "--quiet",
    ];
    law("strings and hashes", &keys, &arguments, kills(2, 80));
}

#[test]
fn members_that_were_purged_come_back() {
    let server = server::Server::start();
    let mut pipe = redis::pipe();
    let mut names = BTreeSet::new();
    for number in 0..records() {
        let member = format!("5f1c2a90-0d7e-4a31-9a2b-{number:012}");
        pipe.cmd("SADD")
            .arg("idempotency-key-keys")
            .arg(&member)
            .ignore();
        for (end, value) in [
            ("", format!(r#"{{"id": {number}}}"#)),
            ("status-code", "201".into()),
        ] {
            pipe.cmd("SET")
                .arg(format!("idempotency-key-responses{member}{end}"))
                .arg(value)
                .arg("PXAT")
                .arg(4_000_000_000_000_i64 + number as i64)
                .ignore();
        }
        names.insert(member);
    }
    // One in flight, which stays.
    pipe.cmd("SADD")
        .arg("idempotency-key-keys")
        .arg("in-flight")
        .ignore();
    pipe.exec(&mut server.connection()).expect("written");
    let keys = Keys {
        server,
        count: command(&["SCARD", "idempotency-key-keys"]),
        all: records() + 1,
        addresses: command(&["SMEMBERS", "idempotency-key-keys"]),
        names,
        address: |member| format!("idempotency-key-keys[{member}]"),
    };
    let arguments = ["purge", "--query", "status:completed", "--yes", "--quiet"];
    law(
        "members of a set with two keys each",
        &keys,
        &arguments,
        kills(2, 50),
    );
}

fn hour_ago_s(server: &server::Server) -> i64 {
    let time = redis::cmd("TIME").query(&mut server.connection());
    let (seconds, _): (i64, i64) = time.expect("the server's clock");
    seconds - 3600
}

struct Rows {
    server: &'static postgres::Server,
    database: String,
    /// Which rows are changed.
    changed: &'static str,
}

const ROW_NAMES: &str = "00000000-0000-4000-8000-";

impl Store for Rows {
    fn url(&self) -> String {
        self.server.database_url(&self.database)
    }

    fn picture(&self) -> String {
        let all = "SELECT string_agg(t::text, E'\\n' ORDER BY key) FROM idempotency_keys t";
        self.server.text(&self.database, all).unwrap_or_default()
    }

    fn changed(&self) -> usize {
        let sql = format!(
            "SELECT count(*) FROM generate_series(1, {}) AS n WHERE {}",
            records(),
            self.changed
        );
        let count = self.server.text(&self.database, &sql);
        count.and_then(|text| text.parse().ok()).expect("a count")
    }

    fn missing(&self) -> BTreeSet<String> {
        let sql = format!(
            "SELECT string_agg('public.idempotency_keys/{ROW_NAMES}' || lpad(n::text, 12, '0'), ' ') \
             FROM generate_series(1, {}) AS n WHERE {}",
            records(),
            self.changed
        );
        let names = self.server.text(&self.database, &sql).unwrap_or_default();
        names.split_whitespace().map(str::to_owned).collect()
    }

    fn settled(&self) {
        let busy = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'idemscope%' \
                    AND datname = current_database()";
        wait_for("the sessions to be gone", || {
            (self.server.text(&self.database, busy).as_deref() == Some("0")).then_some(())
        });
    }
}

const TABLE: &str = "CREATE TABLE idempotency_keys (key uuid PRIMARY KEY, created_at timestamptz \
    NOT NULL DEFAULT now(), expires_at timestamptz NOT NULL, request_path text, payload_hash text, \
    response_status int, response_body jsonb, locked_at timestamptz);";

fn rows(changed: &'static str, values: &str) -> Rows {
    let server = postgres::Server::shared();
    let database = server.create_database();
    let fill = format!(
        "INSERT INTO idempotency_keys SELECT ('{ROW_NAMES}' || lpad(n::text, 12, '0'))::uuid, \
         now() - interval '9 d', now() - n * interval '1 s', '/pay', md5(n::text), {values} \
         FROM generate_series(1, {}) AS n",
        records()
    );
    server.execute(&database, &format!("{TABLE} {fill}"));
    Rows {
        server,
        database,
        changed,
    }
}

#[test]
fn rows_that_were_released_come_back() {
    let rows = rows(
        "EXISTS (SELECT 1 FROM idempotency_keys WHERE key = \
         ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid AND locked_at IS NULL)",
        "NULL, NULL, now() - interval '1 h' - n * interval '1 us'",
    );
    let arguments = ["release", "--stuck", "--yes", "--quiet"];
    law("rows that lose their lock", &rows, &arguments, kills(2, 40));
}

#[test]
fn rows_that_were_purged_come_back() {
    let rows = rows(
        "NOT EXISTS (SELECT 1 FROM idempotency_keys WHERE key = \
         ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid)",
        "201, jsonb_build_object('n', n, 'b', 1.50), NULL",
    );
    let arguments = ["purge", "--expired", "--yes", "--quiet"];
    law("rows that are deleted", &rows, &arguments, kills(2, 30));
}
