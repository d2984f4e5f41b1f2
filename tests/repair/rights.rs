//! The rights that are printed are enough, and they are what is used: every law of repair holds for
//! a login that has exactly these.

use serde_json::Value as Json;

use crate::shell::Operator;
use crate::support::{corpus, postgres, redis as server};

fn lines(json: &Json, name: &str) -> Vec<String> {
    let lines = json[name].as_array().expect("lines").iter();
    lines
        .map(|line| line.as_str().expect("text").to_owned())
        .collect()
}

/// An ACL line as the arguments of a command.
fn words(line: &str) -> Vec<String> {
    line.split(' ')
        .map(|word| word.replace("PASSWORD", "pass"))
        .collect()
}

/// What each key is told to become, by outcome; times differ from run to run.
fn told(json: &Json) -> Vec<(String, String)> {
    let keys = json["keys"].as_array().expect("keys").iter();
    let text = |key: &Json, name: &str| key[name].as_str().unwrap_or_default().to_owned();
    let mut told: Vec<_> = keys
        .map(|key| (text(key, "address"), text(key, "outcome")))
        .collect();
    told.sort();
    told
}

/// Every key by its members, which a set may keep in another order.
fn everything(server: &server::Server) -> Vec<(Vec<u8>, Vec<Vec<u8>>, i64)> {
    let mut connection = server.connection();
    let mut keys: Vec<Vec<u8>> = redis::cmd("KEYS")
        .arg("*")
        .query(&mut connection)
        .expect("keys");
    keys.sort();
    let mut found = Vec::new();
    for key in keys {
        let kind: String = redis::cmd("TYPE")
            .arg(&key)
            .query(&mut connection)
            .expect("a type");
        let (command, more): (_, &[&str]) = match kind.as_str() {
            "hash" => ("HGETALL", &[]),
            "set" => ("SMEMBERS", &[]),
            "zset" => ("ZRANGE", &["0", "-1", "WITHSCORES"]),
            _ => ("GETRANGE", &["0", "-1"]),
        };
        let mut read = redis::cmd(command);
        read.arg(&key).arg(more);
        let mut value: Vec<Vec<u8>> = match kind.as_str() {
            "string" => vec![read.query(&mut connection).expect("a value")],
            _ => read.query(&mut connection).expect("members"),
        };
        value.sort();
        let expiry = redis::cmd("PEXPIRETIME").arg(&key).query(&mut connection);
        found.push((key, value, expiry.expect("an expiry")));
    }
    found
}

#[test]
fn the_printed_acl_is_enough_for_every_layout_in_redis() {
    let operator = Operator::new();
    let server = server::Server::start();
    for layout in corpus::redis_layouts() {
        if layout == "decoys" {
            continue;
        }
        let mut connection = server.connection();
        redis::cmd("FLUSHALL")
            .exec(&mut connection)
            .expect("emptied");
        let mut last = corpus::redis_snapshots(&layout);
        // The fullest of its snapshots; they may not be mixed.
        last.sort_by_key(|snapshot| snapshot.lines.len());
        let Some(snapshot) = last.pop() else { continue };
        corpus::load_snapshot(&mut connection, &snapshot.lines);
        let all = operator.run(&["rights", &server.url(), "--layout", &layout]);
        assert_eq!(all.code, 0, "{layout}: {}", all.err);
        let rights = all.json();
        for line in lines(&rights, "looking")
            .iter()
            .chain(&lines(&rights, "repairing"))
        {
            let words = words(line);
            let mut command = redis::cmd(&words[0]);
            for word in &words[1..] {
                command.arg(word);
            }
            command
                .exec(&mut connection)
                .expect("an ACL that the server takes");
        }
        let url = |name: &str| format!("redis://{name}:pass@127.0.0.1:{}", server.port());
        let looker = url("idemscope_looker");
        let list = |url: &str| {
            let ran = operator.run(&["keys", url, "--layout", &layout, "--format", "csv"]);
            ran.out.lines().count()
        };
        assert_eq!(list(&looker), list(&server.url()), "{layout}");
        if lines(&rights, "repairing").is_empty() {
            continue;
        }
        repair(
            &operator,
            &server,
            &url("idemscope_operator"),
            &looker,
            &layout,
        );
    }
}

#[test]
fn a_login_for_hashes_alone_finds_them_without_being_told_the_layout() {
    let operator = Operator::new();
    let server = server::Server::start();
    let mut connection = server.connection();
    redis::cmd("HSET")
        .arg("lab-shop:s:k1")
        .arg(&["created_at", "1000", "request_path", "/pay"])
        .arg(&["payload_hash", "aa", "locked_at", "1000"])
        .arg(&["lock_until", "2000", "expires_at", "99999999999999"])
        .exec(&mut connection)
        .expect("written");
    let rights = operator.run(&["rights", &server.url()]).json();
    for line in lines(&rights, "looking")
        .iter()
        .chain(&lines(&rights, "repairing"))
    {
        let words = words(line);
        let mut command = redis::cmd(&words[0]);
        for word in &words[1..] {
            command.arg(word);
        }
        command.exec(&mut connection).expect("an ACL");
    }
    let url = |name: &str| format!("redis://{name}:pass@127.0.0.1:{}", server.port());
    let seen = operator.run(&["keys", &url("idemscope_looker"), "--stuck"]);
    assert_eq!(seen.out.lines().count(), 1, "{}", seen.err);
    let ran = operator.run(&["release", &url("idemscope_operator"), "--stuck", "--yes"]);
    assert_eq!(ran.outcomes(), "released 1", "{}", ran.err);
}

/// Whether what was done takes in as much as what was planned a moment before: locks may have fallen due
/// meanwhile.
fn has_as_many(done: &Json, plan: &Json) -> bool {
    done["planned"].as_u64() >= plan["planned"].as_u64()
}

fn repair(operator: &Operator, server: &server::Server, login: &str, looker: &str, layout: &str) {
    let lease = ["--layout", layout, "--lease", "1s"];
    for verb in [
        &["release", "--stuck", "--older-than", "1ms"][..],
        &["purge", "--query", "status:completed status:failed"],
    ] {
        let of = |url: &str, more: &[&str]| {
            let whole = [&[verb[0], url], &verb[1..], &lease, more].concat();
            operator.run(&whole)
        };
        let before = everything(server);
        let plan = of(&server.url(), &[]).json();
        if plan["planned"].as_u64() == Some(0) {
            continue;
        }
        let refused = of(looker, &["--yes"]);
        assert_ne!(refused.code, 0, "{layout}: {}", refused.out);
        assert!(
            everything(server) == before,
            "{layout}: a looker changed something"
        );
        let done = of(login, &["--yes"]);
        let json = done.json();
        assert!(has_as_many(&json, &plan), "{layout}: {}", done.err);
        for (address, outcome) in told(&json) {
            let is_done = ["released", "purged", "refused"].contains(&outcome.as_str());
            assert!(is_done, "{layout} {verb:?} {address}: {}", done.out);
        }
        let undone = operator.run(&["undo", login, &done.journal_id(), "--yes"]);
        assert_eq!(
            undone.code, 0,
            "{layout} {verb:?}: {} {}",
            undone.out, undone.err
        );
        assert!(everything(server) == before, "{layout} {verb:?}");
    }
}

#[test]
fn the_printed_grants_are_enough_for_every_layout_in_postgres() {
    let operator = Operator::new();
    let server = postgres::Server::start();
    for role in ["idemscope_looker", "idemscope_operator"] {
        server.execute(
            "postgres",
            &format!("CREATE ROLE {role} LOGIN PASSWORD 'pass'"),
        );
    }
    for layout in corpus::postgres_layouts() {
        if layout == "decoys" {
            continue;
        }
        let database = server.create_database();
        let schema = corpus::load_layout(&server, &database, &layout);
        let root = server.database_url(&database);
        let rights = operator.run(&["rights", &root, "--layout", &layout]);
        assert_eq!(rights.code, 0, "{layout}: {}", rights.err);
        let rights = rights.json();
        let given: Vec<String> = [lines(&rights, "looking"), lines(&rights, "repairing")].concat();
        server.execute(&database, &given.join("\n"));
        let role = |name: &str| server.role_url(name, "pass", &database);
        let looker = role("idemscope_looker");
        let list = |url: &str| {
            let ran = operator.run(&["keys", url, "--layout", &layout, "--format", "csv"]);
            ran.out.lines().count()
        };
        assert_eq!(list(&looker), list(&root), "{layout}");
        for verb in [
            &["release", "--stuck", "--older-than", "1ms"][..],
            &["purge", "--query", "status:completed status:failed"],
        ] {
            let of = |url: &str, more: &[&str]| {
                let common = ["--layout", layout.as_str()];
                operator.run(&[&[verb[0], url], &verb[1..], &common, more].concat())
            };
            let rows = || rows(&server, &database, &schema);
            let before = rows();
            let plan = of(&root, &[]).json();
            if plan["planned"].as_u64() == Some(0) {
                continue;
            }
            let refused = of(&looker, &["--yes"]);
            assert_ne!(refused.code, 0, "{layout}: {}", refused.out);
            assert_eq!(rows(), before, "{layout}: a looker changed something");
            let done = of(&role("idemscope_operator"), &["--yes"]);
            let json = done.json();
            assert!(has_as_many(&json, &plan), "{layout}: {}", done.err);
            for (address, outcome) in told(&json) {
                let is_done = ["released", "purged", "refused"].contains(&outcome.as_str());
                assert!(is_done, "{layout} {verb:?} {address}: {}", done.out);
            }
            let login = role("idemscope_operator");
            let undone = operator.run(&["undo", &login, &done.journal_id(), "--yes"]);
            assert_eq!(
                undone.code, 0,
                "{layout} {verb:?}: {} {}",
                undone.out, undone.err
            );
            assert_eq!(rows(), before, "{layout} {verb:?}");
        }
    }
}

/// All rows of all tables of a schema, as text.
fn rows(server: &postgres::Server, database: &str, schema: &str) -> Option<String> {
    let tables = server.text(
        database,
        &format!(
            "SELECT string_agg(quote_ident(tablename), ',' ORDER BY tablename) \
             FROM pg_tables WHERE schemaname = '{schema}'"
        ),
    )?;
    let all = tables.split(',').map(|table| {
        let rows = format!(
            "SELECT string_agg(t::text, E'\\n' ORDER BY t::text) FROM \"{schema}\".{table} t"
        );
        server.text(database, &rows).unwrap_or_default()
    });
    Some(all.collect::<Vec<_>>().join("\n"))
}
