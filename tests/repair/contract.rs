//! What each command does, says and leaves alone; exit codes and JSON as the contract has them.

use redis::Connection;

use crate::shell::Operator;
use crate::support::{postgres, redis as server};

fn set(connection: &mut Connection, key: &str, value: &str, ttl_s: u64) {
    redis::cmd("SET")
        .arg(key)
        .arg(value)
        .arg("EX")
        .arg(ttl_s)
        .exec(connection)
        .expect("written");
}

/// Value and absolute expiry of each key, as the server has them.
fn dump(connection: &mut Connection, keys: &[&str]) -> Vec<(Option<Vec<u8>>, i64)> {
    let mut one = |key: &&str| {
        let value = redis::cmd("GET").arg(key).query(connection).expect("read");
        let expiry = redis::cmd("PEXPIRETIME").arg(key).query(connection);
        (value, expiry.expect("read"))
    };
    keys.iter().map(&mut one).collect()
}

/// Two locks of an hour ago, one just taken, one answer.
fn articles() -> server::Server {
    let server = server::Server::start();
    let mut connection = server.connection();
    set(&mut connection, "idempotency:old-1", "processing", 82_800);
    set(&mut connection, "idempotency:old-2", "processing", 82_800);
    set(&mut connection, "idempotency:young", "processing", 86_399);
    let answer = r#"{"status": 201, "body": {"id": 7}}"#;
    set(&mut connection, "idempotency:done", answer, 80_000);
    server
}

const ALL: [&str; 4] = [
    "idempotency:old-1",
    "idempotency:old-2",
    "idempotency:young",
    "idempotency:done",
];

#[test]
fn nothing_is_changed_without_a_yes() {
    let (operator, server) = (Operator::new(), articles());
    let before = dump(&mut server.connection(), &ALL);
    let ran = operator.run(&["release", &server.url(), "old-1", "done"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let json = ran.json();
    assert_eq!(
        (json["dry_run"].as_bool(), json["planned"].as_u64()),
        (Some(true), Some(1))
    );
    assert!(json["journal_id"].is_null());
    assert_eq!(ran.outcomes(), "refused 1");
    assert_eq!(dump(&mut server.connection(), &ALL), before);
    assert!(!operator.journal().exists());
}

#[test]
fn released_locks_are_gone_and_come_back_by_undo() {
    let (operator, server) = (Operator::new(), articles());
    let url = server.url();
    let before = dump(&mut server.connection(), &ALL);
    let arguments = [
        "release",
        &url,
        "--stuck",
        "--older-than",
        "10m",
        "--yes",
        "--reason",
        "INC-1",
    ];
    let ran = operator.run(&arguments);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.outcomes(), "released 2");
    let after = dump(&mut server.connection(), &ALL);
    assert_eq!((&after[0].0, &after[1].0), (&None, &None));
    assert_eq!(after[2..], before[2..]);
    let id = ran.journal_id();
    let told = operator.run(&["journal", &id]).json();
    assert_eq!(
        (told["reason"].as_str(), told["by"].as_str()),
        (Some("INC-1"), Some("oncall"))
    );
    assert_eq!(told["keys"].as_array().map(Vec::len), Some(2));
    let undone = operator.run(&["undo", &url, &id, "--yes"]);
    assert_eq!(
        (undone.code, undone.outcomes()),
        (0, "restored 2".to_owned())
    );
    assert_eq!(dump(&mut server.connection(), &ALL), before);
    let again = operator.run(&["undo", &url, &id, "--yes"]);
    assert_eq!(
        (again.code, again.outcomes()),
        (0, "gone 2".to_owned()),
        "{}",
        again.out
    );
}

#[test]
fn an_undo_never_goes_over_a_newer_record() {
    let (operator, server) = (Operator::new(), articles());
    let url = server.url();
    let ran = operator.run(&["release", &url, "old-1", "old-2", "--yes"]);
    assert_eq!(ran.outcomes(), "released 2");
    set(
        &mut server.connection(),
        "idempotency:old-1",
        "processing",
        86_400,
    );
    let newer = dump(&mut server.connection(), &ALL[..1]);
    let undone = operator.run(&["undo", &url, &ran.journal_id(), "--yes"]);
    assert_eq!(undone.code, 4);
    assert_eq!(undone.outcomes(), "restored 1, changed_meanwhile 1");
    assert_eq!(dump(&mut server.connection(), &ALL[..1]), newer);
}

#[test]
fn what_changed_since_the_plan_was_written_is_left_alone() {
    let (operator, server) = (Operator::new(), articles());
    let url = server.url();
    let plan = operator.home.join("plan.json").display().to_string();
    let ran = operator.run(&["release", &url, "old-1", "old-2", "young", "--plan", &plan]);
    assert_eq!(
        (ran.code, ran.json()["planned"].as_u64()),
        (0, Some(3)),
        "{}",
        ran.err
    );
    let mut connection = server.connection();
    // A lease that was extended, and an answer that came.
    redis::cmd("EXPIRE")
        .arg("idempotency:old-1")
        .arg(86_400)
        .exec(&mut connection)
        .expect("done");
    redis::cmd("DEL")
        .arg("idempotency:young")
        .exec(&mut connection)
        .expect("done");
    let ran = operator.run(&["release", &url, "--apply", &plan, "--yes"]);
    assert_eq!(ran.code, 4);
    assert_eq!(ran.outcomes(), "released 1, changed_meanwhile 1, gone 1");
    assert!(dump(&mut connection, &ALL[..1])[0].0.is_some());
    let other = operator.run(&["purge", &url, "--apply", &plan, "--yes"]);
    assert_eq!(other.code, 2, "{}", other.err);
    let elsewhere = articles();
    let other = operator.run(&["release", &elsewhere.url(), "--apply", &plan, "--yes"]);
    assert_eq!(other.code, 2, "{}", other.err);
    let text = std::fs::read_to_string(&plan).expect("read");
    std::fs::write(&plan, text.replace("old-1", "old-9")).expect("written");
    let altered = operator.run(&["release", &url, "--apply", &plan, "--yes"]);
    assert_eq!(altered.code, 2, "{}", altered.err);
}

#[test]
fn what_is_finished_is_never_released_and_what_runs_never_purged() {
    let (operator, server) = (Operator::new(), articles());
    let url = server.url();
    let before = dump(&mut server.connection(), &ALL);
    let ran = operator.run(&["release", &url, "done", "nobody", "--yes"]);
    assert_eq!(
        (ran.code, ran.outcomes()),
        (4, "gone 1, refused 1".to_owned())
    );
    assert_eq!(dump(&mut server.connection(), &ALL), before);
    let ran = operator.run(&["purge", &url, "--query", "key:old* key:done", "--yes"]);
    assert_eq!(
        (ran.code, ran.outcomes()),
        (0, "purged 1".to_owned()),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("2 records are not finished"),
        "{}",
        ran.err
    );
    let after = dump(&mut server.connection(), &ALL);
    assert_eq!((&after[..3], &after[3].0), (&before[..3], &None));
    assert_eq!(operator.run(&["purge", &url, "--yes"]).code, 2);
}

#[test]
fn a_settled_record_is_replayed_as_it_was_written() {
    let operator = Operator::new();
    let server = server::Server::start();
    let url = server.url();
    let key = "node-idempotency:POST:/payments:ord-117";
    let lock = r#"{"status":"IN_PROGRESS","fingerPrint":"2b16"}"#;
    set(&mut server.connection(), key, lock, 80_000);
    let before = dump(&mut server.connection(), &[key]);
    let body = operator
        .home
        .write("body.json", r#"{"id": 9}"#)
        .display()
        .to_string();
    let arguments = [
        "settle",
        &url,
        "ord-117",
        "--response-status",
        "201",
        "--body",
        &body,
    ];
    let ran = operator.run(&[&arguments[..], &["--yes"]].concat());
    assert_eq!(
        (ran.code, ran.outcomes()),
        (0, "settled 1".to_owned()),
        "{}",
        ran.err
    );
    let shown = operator
        .run(&["show", &url, "ord-117", "--format", "json"])
        .json();
    assert_eq!(shown["status"], "completed");
    assert_eq!(shown["response_status"], 201);
    assert_eq!(shown["retry"]["action"], "replay");
    let undone = operator.run(&["undo", &url, &ran.journal_id(), "--yes"]);
    assert_eq!(undone.outcomes(), "restored 1");
    assert_eq!(dump(&mut server.connection(), &[key]), before);
}

#[test]
fn a_key_of_several_records_changes_nothing() {
    let operator = Operator::new();
    let server = server::Server::start();
    let mut connection = server.connection();
    for user in ["u1", "u2"] {
        set(
            &mut connection,
            &format!("idempotency:{user}:same"),
            "processing",
            80_000,
        );
    }
    let ran = operator.run(&["release", &server.url(), "same", "--yes"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("idempotency:u1:same") && ran.err.contains("idempotency:u2:same"));
    assert!(!operator.journal().exists());
}

#[test]
fn production_wants_its_name() {
    let (operator, server) = (Operator::new(), articles());
    let add = [
        "connections",
        "add",
        "payments",
        &server.url(),
        "--production",
    ];
    assert_eq!(operator.run(&add).code, 0);
    let refused = operator.run(&["release", "payments", "old-1", "--yes"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("--confirm payments"),
        "{}",
        refused.err
    );
    let wrong = operator.run(&[
        "release",
        "payments",
        "old-1",
        "--yes",
        "--confirm",
        "payment",
    ]);
    assert_eq!(wrong.code, 2);
    assert!(dump(&mut server.connection(), &ALL[..1])[0].0.is_some());
    let ran = operator.run(&[
        "release",
        "payments",
        "old-1",
        "--yes",
        "--confirm",
        "payments",
    ]);
    assert_eq!(
        (ran.code, ran.outcomes()),
        (0, "released 1".to_owned()),
        "{}",
        ran.err
    );
    let told = operator.run(&["journal", &ran.journal_id()]).json();
    assert_eq!(told["production"], true);
    assert_eq!(told["connection"], "payments");
}

const TABLE: &str = "CREATE TABLE idempotency_keys (key uuid PRIMARY KEY, created_at timestamptz \
    NOT NULL DEFAULT now(), expires_at timestamptz NOT NULL, request_path text, payload_hash text, \
    response_status int, response_body jsonb, locked_at timestamptz);
    INSERT INTO idempotency_keys VALUES
    ('00000000-0000-4000-8000-000000000001', now() - interval '1 h', now() + interval '23 h', \
     '/pay', 'aa', NULL, NULL, now() - interval '1 h'),
    ('00000000-0000-4000-8000-000000000002', now() - interval '1 h', now() + interval '23 h', \
     '/pay', 'bb', NULL, NULL, now() - interval '1 h'),
    ('00000000-0000-4000-8000-000000000003', now() - interval '9 d', now() - interval '8 d', \
     '/pay', 'cc', 201, '{\"b\": [1, 2], \"a\": 1.50}', NULL);";

const ROWS: &str = "SELECT string_agg(t::text, E'\\n' ORDER BY key) FROM idempotency_keys t";

#[test]
fn rows_are_released_purged_and_put_back_column_by_column() {
    let operator = Operator::new();
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(&database, TABLE);
    let url = server.database_url(&database);
    let before = server.text(&database, ROWS);
    let ran = operator.run(&["release", &url, "--stuck", "--yes"]);
    assert_eq!(
        (ran.code, ran.outcomes()),
        (0, "released 2".to_owned()),
        "{}",
        ran.err
    );
    let locked = "SELECT count(*)::text FROM idempotency_keys WHERE locked_at IS NOT NULL";
    assert_eq!(server.text(&database, locked).as_deref(), Some("0"));
    let undone = operator.run(&["undo", &url, &ran.journal_id(), "--yes"]);
    assert_eq!(undone.outcomes(), "restored 2", "{}", undone.out);
    assert_eq!(server.text(&database, ROWS), before);
    let ran = operator.run(&["purge", &url, "--expired", "--yes"]);
    assert_eq!(
        (ran.code, ran.outcomes()),
        (0, "purged 1".to_owned()),
        "{}",
        ran.err
    );
    let undone = operator.run(&["undo", &url, &ran.journal_id(), "--yes"]);
    assert_eq!(undone.outcomes(), "restored 1", "{}", undone.out);
    assert_eq!(server.text(&database, ROWS), before);
}

#[test]
fn a_row_without_a_key_comes_back_from_its_new_place() {
    let operator = Operator::new();
    let server = postgres::Server::shared();
    let database = server.create_database();
    let table = TABLE.replacen("PRIMARY KEY", "NOT NULL", 1);
    assert_ne!(table, TABLE);
    server.execute(&database, &table);
    let url = server.database_url(&database);
    let before = server.text(&database, ROWS);
    let ran = operator.run(&["release", &url, "--stuck", "--yes"]);
    assert_eq!(ran.outcomes(), "released 2", "{}", ran.err);
    let undone = operator.run(&["undo", &url, &ran.journal_id(), "--yes"]);
    assert_eq!(undone.outcomes(), "restored 2", "{}", undone.out);
    assert_eq!(server.text(&database, ROWS), before);
    // Written since: it stands at yet another place.
    let ran = operator.run(&["release", &url, "--stuck", "--yes"]);
    assert_eq!(ran.outcomes(), "released 2", "{}", ran.err);
    server.execute(
        &database,
        "UPDATE idempotency_keys SET payload_hash = 'new'",
    );
    let before = server.text(&database, ROWS);
    let undone = operator.run(&["undo", &url, &ran.journal_id(), "--yes"]);
    assert_eq!(undone.outcomes(), "changed_meanwhile 2", "{}", undone.out);
    assert_eq!(server.text(&database, ROWS), before);
}

#[test]
fn a_view_beside_its_table_does_not_stand_in_the_way() {
    let operator = Operator::new();
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(&database, TABLE);
    let view = "ALTER TABLE idempotency_keys RENAME TO keys_v2; \
        CREATE VIEW idempotency_keys AS SELECT * FROM keys_v2";
    server.execute(&database, view);
    let url = server.database_url(&database);
    let ran = operator.run(&["release", &url, "--stuck", "--yes"]);
    assert_eq!(ran.outcomes(), "released 2, refused 2", "{}", ran.err);
    assert!(ran.out.contains("is no table of its own"), "{}", ran.out);
}

#[test]
fn a_settled_row_comes_back_too() {
    let operator = Operator::new();
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(&database, TABLE);
    let url = server.database_url(&database);
    let before = server.text(&database, ROWS);
    let body = operator.home.write("body.json", "{\"z\": 1, \"id\":  9}");
    let body = body.display().to_string();
    let key = "00000000-0000-4000-8000-000000000001";
    let arguments = [
        "settle",
        &url,
        key,
        "--response-status",
        "201",
        "--body",
        &body,
        "--yes",
    ];
    let ran = operator.run(&arguments);
    assert_eq!(
        (ran.code, ran.outcomes()),
        (0, "settled 1".to_owned()),
        "{}",
        ran.err
    );
    let shown = operator
        .run(&["show", &url, key, "--format", "json"])
        .json();
    assert_eq!(
        (&shown["status"], &shown["retry"]["action"]),
        (&"completed".into(), &"replay".into())
    );
    let undone = operator.run(&["undo", &url, &ran.journal_id(), "--yes"]);
    assert_eq!(undone.outcomes(), "restored 1", "{}", undone.out);
    assert_eq!(server.text(&database, ROWS), before);
}

#[test]
fn a_row_that_a_live_request_holds_is_alive() {
    let operator = Operator::new();
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(&database, TABLE);
    let url = server.database_url(&database);
    let plan = operator.home.join("plan.json").display().to_string();
    let ran = operator.run(&["release", &url, "--stuck", "--plan", &plan]);
    assert_eq!(ran.json()["planned"], 2, "{}", ran.err);
    let hold = server.hold(
        &database,
        "UPDATE idempotency_keys SET payload_hash = 'held' \
         WHERE key = '00000000-0000-4000-8000-000000000001'",
    );
    // A look sees it, a plan, and the change.
    let shown = operator
        .run(&["show", &url, "00000000-0000-4000-8000-000000000001"])
        .json();
    assert_eq!(
        (&shown["status"], &shown["stuck"]),
        (&"processing".into(), &false.into())
    );
    let stuck = operator.run(&["keys", &url, "--stuck"]);
    assert_eq!(stuck.out.lines().count(), 1, "{}", stuck.out);
    let key = "00000000-0000-4000-8000-000000000001";
    let ran = operator.run(&["release", &url, key, "--yes"]);
    assert_eq!(ran.outcomes(), "alive 1", "{}", ran.out);
    let ran = operator.run(&["release", &url, "--apply", &plan, "--yes"]);
    assert_eq!(
        (ran.code, ran.outcomes()),
        (4, "released 1, alive 1".to_owned()),
        "{}",
        ran.out
    );
    drop(hold);
}

#[test]
fn a_written_plan_runs_whole_or_not_at_all() {
    let (operator, server) = (Operator::new(), articles());
    let url = server.url();
    let plan = operator.home.join("plan.json").display().to_string();
    operator.run(&["release", &url, "old-1", "old-2", "--plan", &plan]);
    let before = dump(&mut server.connection(), &ALL);
    for more in [&["old-1"][..], &["--stuck"], &["--older-than", "1h"]] {
        let mut arguments = vec!["release", &url, "--apply", &plan, "--yes"];
        arguments.extend(more);
        assert_eq!(operator.run(&arguments).code, 2, "{more:?}");
    }
    for (verb, more) in [
        ("settle", &["old-1", "--response-status", "201"][..]),
        ("purge", &["--expired"]),
        ("undo", &["20260101-000000-release"]),
    ] {
        let mut arguments = vec![verb, &url, "--apply", &plan, "--yes"];
        arguments.extend(more);
        let ran = operator.run(&arguments);
        assert_eq!(ran.code, 2, "{verb}");
        assert!(ran.err.contains("cannot be used with"), "{}", ran.err);
    }
    assert_eq!(dump(&mut server.connection(), &ALL), before);
}

#[test]
fn a_key_that_is_named_twice_is_one_record() {
    let (operator, server) = (Operator::new(), articles());
    let url = server.url();
    let names = ["old-1", "old-1", "idempotency:old-1"];
    let mut arguments = vec!["release", &url];
    arguments.extend(names);
    let planned = operator.run(&arguments).json();
    assert_eq!(planned["planned"].as_u64(), Some(1));
    arguments.push("--yes");
    assert_eq!(operator.run(&arguments).outcomes(), "released 1");
}

#[test]
fn locks_that_are_not_old_enough_are_not_asked_for() {
    let (operator, server) = (Operator::new(), articles());
    let url = server.url();
    let arguments = ["release", &url, "--stuck", "--lease", "10m"];
    let ran = operator.run(&arguments);
    assert_eq!(ran.json()["planned"].as_u64(), Some(2), "{}", ran.err);
    let mut arguments = arguments.to_vec();
    arguments.extend(["--older-than", "9h", "--yes"]);
    let ran = operator.run(&arguments);
    assert_eq!(
        (ran.code, ran.outcomes()),
        (0, String::new()),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("2 stuck locks are not held"),
        "{}",
        ran.err
    );
}

#[test]
fn where_nothing_is_left_to_do_it_is_still_no_run() {
    let (operator, server) = (Operator::new(), articles());
    let ran = operator.run(&["release", &server.url(), "done"]);
    assert_eq!((ran.code, ran.outcomes()), (0, "refused 1".to_owned()));
    assert_eq!(ran.json()["dry_run"].as_bool(), Some(true));
    let ran = operator.run(&["release", &server.url(), "done", "--yes"]);
    assert_eq!((ran.code, ran.outcomes()), (4, "refused 1".to_owned()));
}

#[test]
fn names_in_a_store_cannot_speak_to_the_terminal() {
    let (operator, server) = (Operator::new(), articles());
    let url = server.url();
    let answer = r#"{"status": 201, "body": {"id": 7}}"#;
    let key = "idempotency:\u{1b}[31mred";
    set(&mut server.connection(), key, answer, 80_000);
    for yes in [&[][..], &["--yes"]] {
        let mut arguments = vec!["release", &url, key, "--format", "table"];
        arguments.extend(yes);
        let ran = operator.run(&arguments);
        assert!(ran.out.contains("<U+001B>[31mred"), "{}", ran.out);
        assert!(!ran.out.contains('\u{1b}'), "{}", ran.out);
    }
}
