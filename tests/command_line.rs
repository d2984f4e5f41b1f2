//! The contract of the command line: formats, exit codes, what stands where.
//!
//! Apart from the tests of the modules because scripts and runbooks see only this: the real binary
//! against real servers.

mod support;

use std::io::Read as _;
use std::process::{Command, Output};

use serde_json::Value as Json;
use support::process::Folder;
use support::{corpus, postgres, redis as server, tls, wire};

struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    #[track_caller]
    fn json(&self) -> Json {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }

    fn lines(&self) -> Vec<Json> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON in a line"))
            .collect()
    }
}

/// Runs the binary with folders of its own and nothing of this machine's settings.
fn run(arguments: &[&str]) -> Ran {
    let folder = Folder::new();
    run_in(&folder, arguments, &[])
}

fn run_in(folder: &Folder, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_idemscope"));
    command.args(arguments).env_clear();
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
        command.env(name, folder.path());
    }
    command
        .env("USER", "nobody")
        .env("PATH", "/usr/bin:/bin")
        .envs(variables.iter().copied());
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the binary runs");
    Ran {
        code: status.code().unwrap_or(-1),
        out: String::from_utf8(stdout).expect("text"),
        err: String::from_utf8(stderr).expect("text"),
    }
}

fn article() -> server::Server {
    let server = server::Server::start();
    for snapshot in corpus::redis_snapshots("plain-article") {
        corpus::load_snapshot(&mut server.connection(), &snapshot.lines);
    }
    server
}

#[test]
fn the_demo_store_is_there_without_a_server() {
    let ran = run(&["summary", "demo:", "--format", "json"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let summary = ran.json();
    assert!(summary["total"].as_u64() >= Some(2000));
    for status in ["processing", "completed", "failed", "unknown"] {
        assert!(summary["by_status"][status].as_u64() > Some(0), "{status}");
    }
    assert!(summary["stuck"].as_u64() > Some(0));
    assert!(summary["expired"].as_u64() > Some(0));
    assert_eq!(summary["complete"], true);
}

#[test]
fn lists_are_json_lines_when_nobody_looks() {
    let server = article();
    let ran = run(&["keys", &server.url()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let records = ran.lines();
    assert_eq!(records.len(), 8);
    let members: Vec<&str> = records[0]
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    let expected = [
        "idempotency_key",
        "key_digest",
        "address",
        "layout",
        "scope",
        "scope_fields",
        "operation",
        "method",
        "path",
        "status",
        "expired",
        "stuck",
        "lock_age_ms",
        "lock_age_source",
        "locked_at_ms",
        "lock_until_ms",
        "created_at_ms",
        "completed_at_ms",
        "failed_at_ms",
        "expires_at_ms",
        "ttl_ms",
        "never_expires",
        "payload_hash",
        "response_status",
        "response_bytes",
        "attempts",
        "replays",
        "problems",
    ];
    assert_eq!(members, expected);
    let array = run(&["keys", &server.url(), "--format", "json"]).json();
    assert_eq!(array.as_array().map(Vec::len), Some(8));
    let csv = run(&["keys", &server.url(), "--format", "csv"]);
    assert_eq!(csv.out.lines().count(), 9);
    assert!(csv.out.starts_with("idempotency_key,key_digest,address,"));
}

#[test]
fn records_are_chosen_by_status_query_and_limit() {
    let server = article();
    let count = |arguments: &[&str]| {
        let url = server.url();
        let mut all = vec!["keys", url.as_str()];
        all.extend(arguments);
        let ran = run(&all);
        (ran.code, ran.out.lines().count())
    };
    assert_eq!(count(&["--status", "processing"]), (0, 3));
    assert_eq!(
        count(&["--status", "processing", "--status", "failed"]),
        (0, 4)
    );
    assert_eq!(count(&["--query", "scope:user_42"]), (0, 1));
    assert_eq!(count(&["--limit", "2"]), (0, 2));
    assert_eq!(count(&["--stuck"]), (0, 0));
    // Older than the lease that the operator sets: the lock of two hours.
    assert_eq!(count(&["--stuck", "--lease", "1h"]), (0, 1));
    assert_eq!(
        count(&["--stuck", "--lease", "1h", "--fail-if-any"]),
        (1, 1)
    );
    assert_eq!(count(&["--expired", "--fail-if-any"]), (0, 0));
    assert_eq!(count(&["--sort", "-key"]), (0, 8));
}

#[test]
fn what_is_not_wanted_may_be_asked_for_with_a_hyphen() {
    let ran = run(&["keys", "demo:", "--query", "-status:completed"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let records = ran.lines();
    assert!(!records.is_empty());
    let is_completed = |record: &Json| record["status"] == "completed";
    assert!(!records.iter().any(is_completed));
}

#[test]
fn csv_is_for_machines() {
    let empty = run(&["keys", "demo:", "--format", "csv", "--limit", "0"]);
    assert_eq!((empty.code, empty.out.lines().count()), (0, 1));
    assert!(empty.out.starts_with("idempotency_key,key_digest,address,"));
    let summary = run(&["summary", "demo:", "--format", "csv"]).out;
    let figures = summary
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(','));
    for (name, value) in figures {
        assert!(value.parse::<u64>().is_ok(), "{name}: {value}");
    }
    assert_eq!(summary.lines().count(), 11);
}

#[test]
fn an_interrupt_ends_with_four_also_before_the_first_record() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let target = format!("redis://127.0.0.1:{port}");
    let child = Command::new(env!("CARGO_BIN_EXE_idemscope"))
        .args(["keys", &target, "--timeout", "60s"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let (mut connection, _) = listener.accept().expect("it connects");
    let asked = connection.read(&mut [0; 1024]).expect("it asks");
    assert!(asked > 0);
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.expect("kill runs").success());
    let ended = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(4), "{said}");
    assert!(said.contains("interrupted"), "{said}");
}

#[test]
fn a_record_is_shown_whole_by_key_or_address() {
    let server = article();
    let key = "a8098c1a-f86e-11da-bd1a-00112444be02";
    let ran = run(&["show", &server.url(), key]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let record = ran.json();
    assert_eq!(record["scope"], "user_42");
    assert_eq!(record["retry"]["action"], "refuse_in_progress");
    assert_eq!(record["raw"], "processing");
    let address = format!("idempotency:user_42:{key}");
    assert_eq!(
        run(&["show", &server.url(), &address]).json()["idempotency_key"],
        key
    );
    let none = run(&["show", &server.url(), "no-such-key"]);
    assert_eq!((none.code, none.out.as_str()), (1, ""));
    assert!(none.err.contains("no record of `no-such-key`"));
}

#[test]
fn a_store_that_may_not_be_read_is_not_called_empty() {
    let server = server::Server::options()
        .acl("user ro on >pw ~nothing:* +scan +ping +get +type +pttl +getrange +strlen\nuser default on nopass ~* +@all\n")
        .start();
    for at in 0..5 {
        let set = redis::cmd("SET")
            .arg(&[format!("idempotency:k{at}"), "x".to_owned()])
            .to_owned();
        set.exec(&mut server.connection()).expect("it is set");
    }
    let url = format!("redis://ro:pw@127.0.0.1:{}", server.port());
    let ran = run(&["keys", &url]);
    assert!(
        ran.err.contains("this login may not read 5 of them"),
        "{}",
        ran.err
    );
}

#[test]
fn private_parts_of_a_record_are_masked_until_asked_for() {
    let server = server::Server::start();
    let body = r#"{"status":"completed","response":{"card_number":"4242424242424242","id":"p"}}"#;
    let name = "idempotency:7f3a0c1e-5b21-4d7e-9a44-0b6f3c9d1e02";
    let set = redis::cmd("SET")
        .arg(&[name, body])
        .arg(&["EX", "600"])
        .to_owned();
    set.exec(&mut server.connection()).expect("it is set");
    let url = server.url();
    let ran = run(&["show", &url, name]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.out.contains("4242"), "{}", ran.out);
    assert!(ran.err.contains("masked"), "{}", ran.err);
    let ran = run(&["show", &url, name, "--reveal"]);
    assert!(ran.out.contains("4242424242424242"), "{}", ran.out);
}

#[test]
fn a_key_that_fits_several_records_shows_all() {
    let postgres = postgres::Server::shared();
    let database = postgres.create_database();
    corpus::load_layout(postgres, &database, "brandur-rocket-rides");
    let url = postgres.database_url(&database);
    let several = run(&["show", &url, "ride-ok-0003", "--format", "json"]).json();
    assert_eq!(several.as_array().map(Vec::len), Some(2));
    let one = run(&[
        "show",
        &url,
        several[0]["address"].as_str().expect("an address"),
    ])
    .json();
    assert_eq!(one["address"], several[0]["address"]);
}

#[test]
fn detection_says_why() {
    let server = article();
    for snapshot in corpus::redis_snapshots("decoys") {
        corpus::load_snapshot(&mut server.connection(), &snapshot.lines);
    }
    let ran = run(&["detect", &server.url()]);
    let found = ran.json();
    assert_eq!(found["layouts"][0]["id"], "plain-article");
    assert_eq!(
        found["layouts"][0]["where"],
        "idempotency:{scope}:{key}, idempotency:{key}"
    );
    assert!(found["layouts"][0]["score"].as_f64() > Some(0.6));
    assert!(
        !found["layouts"][0]["reasons"]
            .as_array()
            .expect("reasons")
            .is_empty()
    );
    assert_eq!(found["sampled"], 18);
    assert_eq!(found["complete"], true);
}

#[test]
fn nothing_recognised_is_an_empty_list_and_a_word() {
    let server = server::Server::start();
    let ran = run(&["keys", &server.url(), "--format", "json"]);
    assert_eq!((ran.code, ran.json()), (0, Json::Array(Vec::new())));
    assert!(
        ran.err.contains("no idempotency records recognised"),
        "{}",
        ran.err
    );
    assert_eq!(run(&["keys", &server.url(), "--quiet"]).err, "");
}

#[test]
fn layouts_are_listed_shown_and_tested() {
    assert!(run(&["layouts"]).lines().len() >= 11);
    assert_eq!(
        run(&["layouts", "show", "plain-article"]).json()["id"],
        "plain-article"
    );
    let wrong = run(&["layouts", "show", "plain-artcle"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.err.contains("did you mean `plain-article`?"),
        "{}",
        wrong.err
    );
    let good = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/assets/layouts/plain-article.toml"
    );
    assert_eq!(run(&["layouts", "test", good]).code, 0);
    let folder = Folder::new();
    let broken = folder.write("broken.toml", "id = \"x\"\ntitle = 3\n");
    let ran = run(&["layouts", "test", &broken.display().to_string()]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("line 2"), "{}", ran.err);
}

#[test]
fn a_users_layout_is_read_beside_the_others_and_a_broken_one_hurts_nothing() {
    let folder = Folder::new();
    let layouts = folder.path().join("idemscope/layouts");
    std::fs::create_dir_all(&layouts).expect("a folder");
    let mine = "id = \"mine\"\ntitle = \"Mine\"\nclass = \"http-idempotency\"\n[redis]\n\
                keys = [\"mine:{key}\"]\n[redis.string]\nfields.idempotency_key = \"key.key\"\n\
                [[redis.string.case]]\nname = \"there\"\nstatus = \"completed\"\n";
    std::fs::write(layouts.join("mine.toml"), mine).expect("a file");
    std::fs::write(layouts.join("broken.toml"), "id = ").expect("a file");
    let server = server::Server::start();
    redis::cmd("SET")
        .arg("mine:7")
        .arg("x")
        .query::<()>(&mut server.connection())
        .expect("a key");
    let ran = run_in(&folder, &["keys", &server.url()], &[]);
    assert_eq!(ran.lines()[0]["layout"], "mine", "{}", ran.err);
    assert!(ran.err.contains("broken.toml: line 1"), "{}", ran.err);
}

#[test]
fn a_wrong_call_ends_with_two() {
    for arguments in [
        vec!["keys", "mysql://h/db"],
        vec!["keys", "payments-prod"],
        vec!["keys", "redis://h:port"],
        vec!["keys", "redis+cluster://"],
        vec!["keys", "redis+sentinel://a:1"],
        vec!["keys", "demo:", "--query", "is:stcuk"],
        vec!["keys", "demo:", "--sort", "colour"],
        vec!["keys", "demo:", "--layout", "nosuch"],
        vec!["keys", "demo:", "--lease", "soon"],
        vec!["keys", "demo:", "--set", "retention"],
        vec!["keys", "demo:", "--set", "=1h"],
        vec!["keys", "demo:", "--set", "table="],
        vec!["keys", "demo:", "--set", "retension=1h"],
        vec!["keys", "demo:", "--layout", "plain-article"],
        vec!["keys", "demo:", "--no-such-option"],
        vec!["nosuchcommand", "x"],
    ] {
        let ran = run(&arguments);
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (2, ""),
            "{arguments:?}: {}",
            ran.err
        );
        assert!(ran.err.contains("error"), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn a_target_that_cannot_be_reached_ends_with_three() {
    let silent = wire::silent_server();
    let silent_redis = format!("redis://127.0.0.1:{}", silent.port);
    let silent_postgres = format!("postgres://u@127.0.0.1:{}/db", silent.port);
    let nobody = support::process::free_port();
    let closed = format!("redis://127.0.0.1:{nobody}");
    let closed_postgres = format!("postgres://u@127.0.0.1:{nobody}/db");
    for target in [&silent_redis, &silent_postgres, &closed, &closed_postgres] {
        let ran = run(&["keys", target, "--timeout", "1s"]);
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (3, ""),
            "{target}: {}",
            ran.err
        );
        assert!(ran.err.contains("hint: "), "{target}: {}", ran.err);
    }
    let missing = run(&["keys", "sqlite:/nowhere/at/all.db"]);
    assert_eq!(missing.code, 3, "{}", missing.err);
}

#[test]
fn a_refused_login_ends_with_three_and_shows_no_password() {
    let server = server::Server::options()
        .acl("user default off\nuser ada on >opensesame ~* +@all")
        .start();
    let url = format!("redis://ada:hunter22@127.0.0.1:{}", server.port());
    let ran = run(&["keys", &url]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(
        ran.err.contains("refuses the login of user `ada`"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("hunter22"), "{}", ran.err);
    assert!(
        ran.err.contains("the password in the URL can be seen"),
        "{}",
        ran.err
    );
    // From the environment there is nothing to warn of.
    let good = format!("redis://ada:opensesame@127.0.0.1:{}", server.port());
    let ran = run_in(&Folder::new(), &["keys"], &[("IDEMSCOPE_URL", &good)]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.err.contains("warning"), "{}", ran.err);
    let by_command = format!("redis://ada@127.0.0.1:{}", server.port());
    let ran = run(&["keys", &by_command, "--password-command", "echo opensesame"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn the_smallest_rights_are_enough_to_look() {
    let rule = "user default on nopass ~* +@all\n\
                user viewer on >x %R~idempotency:* -@all +scan +get +pttl +type +ping";
    let server = server::Server::options().acl(rule).start();
    let mut connection = server.connection();
    for (key, value) in [
        ("idempotency:a", "processing"),
        ("idempotency:b", "{\"status\":201,\"body\":{}}"),
        ("other:1", "x"),
    ] {
        redis::cmd("SET")
            .arg(key)
            .arg(value)
            .query::<()>(&mut connection)
            .expect("a key");
    }
    let url = format!("redis://viewer:x@127.0.0.1:{}", server.port());
    let ran = run(&["keys", &url]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut statuses: Vec<String> = ran
        .lines()
        .iter()
        .map(|record| record["status"].as_str().expect("text").to_owned())
        .collect();
    statuses.sort();
    assert_eq!(statuses, ["completed", "processing"]);
    assert!(ran.err.contains("lacks TIME"), "{}", ran.err);
}

#[test]
fn keys_outside_the_pattern_are_records_with_a_problem() {
    let rule = "user default on nopass ~* +@all\nuser viewer on >x %R~idempotency:a* +@read +@connection +time +info +dbsize";
    let server = server::Server::options().acl(rule).start();
    let mut connection = server.connection();
    for key in ["idempotency:a1", "idempotency:a2", "idempotency:secret"] {
        redis::cmd("SET")
            .arg(key)
            .arg("processing")
            .query::<()>(&mut connection)
            .expect("a key");
    }
    let url = format!("redis://viewer:x@127.0.0.1:{}", server.port());
    let ran = run(&["keys", &url]);
    let records = ran.lines();
    assert_eq!(records.len(), 3, "{}", ran.err);
    let secret = records
        .iter()
        .find(|record| record["idempotency_key"] == "secret")
        .expect("it is listed");
    assert_eq!(secret["status"], "unknown");
    assert_eq!(secret["problems"][0]["code"], "refused");
    assert!(
        ran.err.contains("1 keys are outside") || ran.err.contains("1 key"),
        "{}",
        ran.err
    );
}

#[test]
fn hostile_keys_and_values_are_records_with_problems() {
    let server = server::Server::start();
    let mut connection = server.connection();
    let long = format!("idempotency:{}", "k".repeat(100_000));
    let big = "x".repeat(50 << 20);
    let set = |key: &[u8], value: &[u8], connection: &mut redis::Connection| {
        redis::cmd("SET")
            .arg(key)
            .arg(value)
            .query::<()>(connection)
            .expect("a key");
    };
    set(
        b"idempotency:good",
        b"{\"status\":201,\"body\":{}}",
        &mut connection,
    );
    set(
        b"idempotency:\xff\x00\x1b[31m",
        b"processing",
        &mut connection,
    );
    set(long.as_bytes(), b"processing", &mut connection);
    set(
        b"idempotency:big",
        format!("{{\"body\":\"{big}\",\"status\":201}}").as_bytes(),
        &mut connection,
    );
    set(b"idempotency:garbage", b"\x00\x01\x02", &mut connection);
    redis::cmd("RPUSH")
        .arg("idempotency:list")
        .arg("a")
        .query::<()>(&mut connection)
        .expect("a list");
    redis::cmd("SET")
        .arg("idempotency:far")
        .arg("processing")
        .arg("PX")
        .arg(1i64 << 53)
        .query::<()>(&mut connection)
        .expect("a key");
    let ran = run(&["keys", &server.url()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let records = ran.lines();
    let of = |address: &str| {
        let found = records.iter().find(|record| record["address"] == address);
        found.unwrap_or_else(|| panic!("{address} is not listed"))
    };
    assert_eq!(of("idempotency:good")["status"], "completed");
    assert_eq!(
        of("idempotency:\\xFF\u{0}\u{1b}[31m")["status"],
        "processing"
    );
    assert_eq!(of(&long)["status"], "processing");
    assert_eq!(of("idempotency:big")["problems"][0]["code"], "cut");
    assert_eq!(
        of("idempotency:garbage")["problems"][0]["code"],
        "not-understood"
    );
    assert_eq!(of("idempotency:list")["status"], "unknown");
    assert!(of("idempotency:far")["ttl_ms"].as_i64() > Some(9_000_000_000_000_000));
    assert_eq!(of("idempotency:good")["never_expires"], true);
    let table = run(&["keys", &server.url(), "--format", "table"]);
    assert!(
        !table.out.contains('\u{1b}'),
        "control characters are shown as escapes"
    );
    let shown = run(&["show", &server.url(), "idempotency:big"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
}

#[test]
fn rows_with_infinity_null_and_strange_names_are_read() {
    let postgres = postgres::Server::shared();
    let database = postgres.create_database();
    postgres.execute(
        &database,
        "CREATE SCHEMA \"we\"\"ird/s%chema\";
         CREATE TABLE \"we\"\"ird/s%chema\".\"Idempotency Keys\" (key text PRIMARY KEY,
           created_at timestamptz NOT NULL, expires_at timestamptz, request_path text,
           payload_hash text, response_status smallint, response_body jsonb, locked_at timestamptz);
         INSERT INTO \"we\"\"ird/s%chema\".\"Idempotency Keys\" VALUES
           ('inf', now(), 'infinity', '/a', 'h', 200, '{}', NULL),
           ('ninf', now(), '-infinity', NULL, NULL, NULL, NULL, '-infinity'),
           ('nulls', now(), NULL, NULL, NULL, NULL, NULL, NULL),
           ('a/b%c', now(), now(), '/a', 'h', 200, '{}', NULL);",
    );
    let url = postgres.database_url(&database);
    let ran = run(&["keys", &url]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let records = ran.lines();
    let of = |key: &str| {
        records
            .iter()
            .find(|record| record["idempotency_key"] == key)
            .expect("it is listed")
    };
    assert_eq!(of("inf")["never_expires"], true);
    assert_eq!(of("ninf")["problems"][0]["code"], "bad-time");
    assert_eq!(of("nulls")["status"], "failed");
    let address = of("a/b%c")["address"].as_str().expect("text").to_owned();
    assert!(address.ends_with("/a%2Fb%25c"), "{address}");
    assert_eq!(
        run(&["show", &url, &address]).json()["idempotency_key"],
        "a/b%c"
    );
}

#[test]
fn the_same_key_in_two_tables_is_two_records() {
    let postgres = postgres::Server::shared();
    let database = postgres.create_database();
    // Never analysed: the server has no estimate of their rows.
    for table in ["orders_idempotency", "refunds_idempotency"] {
        postgres.execute(
            &database,
            &format!(
                "CREATE TABLE {table} (id int PRIMARY KEY, idempotency_key text UNIQUE,
                   status text, request_hash text, response_status int);
                 INSERT INTO {table} VALUES (1, 'a', 'pending', 'h', NULL);"
            ),
        );
    }
    let records = run(&["keys", &postgres.database_url(&database)]).lines();
    let mut addresses: Vec<&str> = records
        .iter()
        .filter_map(|record| record["address"].as_str())
        .collect();
    addresses.sort_unstable();
    let expected = [
        "public.orders_idempotency/1",
        "public.refunds_idempotency/1",
    ];
    assert_eq!(addresses, expected);
}

#[test]
fn rows_are_shown_by_keys_of_every_type() {
    let postgres = postgres::Server::shared();
    let database = postgres.create_database();
    postgres.execute(
        &database,
        "CREATE TABLE idempotency_digests (digest bytea, at timestamptz, local timestamp, day date,
           flag boolean, list int[], idempotency_key text UNIQUE, request_hash text,
           response_status int, PRIMARY KEY (digest, at, local, day, flag, list, idempotency_key));
         INSERT INTO idempotency_digests VALUES
           ('\\x00ff', '2026-11-29 12:00:00.123456+02', '2026-11-29 12:00:00.123456',
            '2026-01-02', true, '{1,2}', E'a/%\\\\ \"x\"\\n', 'h', 200),
           ('\\x6162', '1969-12-31 23:59:59.999999+00', '0001-01-01', '2026-01-02', false, '{}',
            'b', 'h', 200);",
    );
    let url = postgres.database_url(&database);
    let records = run(&["keys", &url]).lines();
    assert_eq!(records.len(), 2);
    for record in records {
        let address = record["address"].as_str().expect("text");
        let shown = run(&["show", &url, address]);
        assert_eq!(shown.code, 0, "{}", shown.err);
        assert_eq!(shown.json()["address"], address);
    }
}

#[test]
fn a_database_without_an_encoding_is_read() {
    let postgres = postgres::Server::shared();
    let database = "no_encoding";
    postgres.execute(
        "postgres",
        &format!("CREATE DATABASE {database} ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"),
    );
    postgres.execute(
        database,
        "CREATE TABLE idempotency_keys (idempotency_key text PRIMARY KEY, request_hash text,
           status text, response_status int);
         INSERT INTO idempotency_keys VALUES (E'\\xff\\xfe', 'h', 'done', 200), ('a', 'h', 'done', 200);",
    );
    let ran = run(&["keys", &postgres.database_url(database)]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.lines().len(), 2, "{}", ran.err);
}

#[test]
fn tls_is_verified_and_a_wrong_name_is_told() {
    let certificates = tls::Certificates::new();
    let ca = certificates.ca.display().to_string();
    let good = server::Server::options().tls(&certificates.server).start();
    let ran = run(&["keys", &good.tls_url(), "--ca", &ca]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let wrong = server::Server::options()
        .tls(&certificates.wrong_name)
        .start();
    let ran = run(&["keys", &wrong.tls_url(), "--ca", &ca]);
    assert_eq!(ran.code, 3);
    assert!(
        ran.err.contains("certificate for another name"),
        "{}",
        ran.err
    );
    let ran = run(&["keys", &good.tls_url()]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("unknown CA"), "{}", ran.err);
}

#[test]
fn without_a_display_the_window_names_its_twin() {
    let ran = run(&["demo:"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
    assert!(ran.err.contains("idemscope keys"), "{}", ran.err);
}

#[test]
fn connections_are_saved_listed_tested_and_removed() {
    let server = article();
    let folder = Folder::new();
    let run = |arguments: &[&str]| run_in(&folder, arguments, &[]);
    let none = run(&["connections"]);
    assert_eq!((none.code, none.out.as_str()), (0, ""));
    assert!(none.err.contains("no connection is saved"), "{}", none.err);
    let url = server.url();
    let added = run(&[
        "connections",
        "add",
        "shop",
        &url,
        "--colour",
        "teal",
        "--lease",
        "5m",
    ]);
    assert_eq!((added.code, added.err.as_str()), (0, ""));
    let again = run(&["connections", "add", "shop", &url]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("there already"), "{}", again.err);
    let listed = run(&["connections", "list", "--format", "json"]).json();
    assert_eq!(listed[0]["name"], "shop");
    assert_eq!(
        (&listed[0]["colour"], &listed[0]["password"]),
        (&"teal".into(), &"ask".into())
    );
    let tested = run(&["connections", "test", "shop"]);
    assert_eq!(tested.code, 0, "{}", tested.err);
    let tested = tested.json();
    assert_eq!(tested["encryption"], "not encrypted");
    assert_eq!(tested["sources"][0]["layout"], "plain-article");
    // The name is a target like any other.
    assert_eq!(run(&["keys", "shop"]).lines().len(), 8);
    let near = run(&["keys", "shp"]);
    assert_eq!(near.code, 2);
    assert!(near.err.contains("did you mean `shop`?"), "{}", near.err);
    assert_eq!(run(&["connections", "remove", "shop"]).code, 0);
    assert_eq!(run(&["connections", "remove", "shop"]).code, 2);
    assert_eq!(run(&["connections", "test", "shop"]).code, 2);
}

#[test]
fn no_password_is_saved_or_printed() {
    let folder = Folder::new();
    let run = |arguments: &[&str]| run_in(&folder, arguments, &[]);
    let url = "postgres://app:hunter22@db.example/shop?sslmode=require";
    let added = run(&["connections", "add", "shop", url]);
    assert_eq!(added.code, 0, "{}", added.err);
    // No bus runs here, so there is no keyring.
    assert!(
        added.err.contains("the password was not kept"),
        "{}",
        added.err
    );
    let outputs = [
        added.err,
        run(&["connections", "--format", "json"]).out,
        run(&["connections", "export"]).out,
        run(&["connections", "--format", "csv"]).out,
        std::fs::read_to_string(folder.join("idemscope/connections.toml")).expect("a file"),
    ];
    for output in &outputs {
        assert!(!output.contains("hunter22"), "{output}");
    }
    assert!(outputs[2].contains("[connection.shop]"), "{}", outputs[2]);
    // A password that cannot be told from the rest is refused, and not repeated.
    let broken = run(&["connections", "add", "other", "redis://app:12/34@h"]);
    assert_eq!(broken.code, 2);
    assert!(
        !broken.err.contains("12/34") && broken.err.contains("%2F"),
        "{}",
        broken.err
    );
}

#[test]
fn production_has_to_say_how_the_server_is_verified() {
    let folder = Folder::new();
    let run = |arguments: &[&str]| run_in(&folder, arguments, &[]);
    let url = "postgres://app@db.example/shop";
    let refused = run(&["connections", "add", "shop", url, "--production"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("sslmode=verify-full"),
        "{}",
        refused.err
    );
    let text = format!("[connection.shop]\nurl = \"{url}\"\nproduction = true\n");
    let path = folder.join("idemscope/connections.toml");
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(&path, text).expect("a file");
    // However it is named.
    for target in ["shop", url] {
        let refused = run(&["keys", target]);
        assert_eq!(refused.code, 2, "{}", refused.err);
        assert!(
            refused.err.contains("marked as production"),
            "{}",
            refused.err
        );
    }
}

#[test]
fn a_broken_file_of_connections_is_told_with_its_line() {
    let folder = Folder::new();
    let path = folder.join("idemscope/connections.toml");
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(&path, "[connection.a]\nurl = 7\n").expect("a file");
    let run = |arguments: &[&str]| run_in(&folder, arguments, &[]);
    for action in [
        &["connections"][..],
        &["connections", "add", "b", "redis://h"],
    ] {
        let ran = run(action);
        assert_eq!(ran.code, 2);
        assert!(
            ran.err.contains("line 2: `url` must be a text"),
            "{}",
            ran.err
        );
    }
    // Everything else goes on without it.
    let ran = run(&["summary", "demo:", "--format", "json"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.err.contains("connections.toml is not used"),
        "{}",
        ran.err
    );
    let text = std::fs::read_to_string(&path).expect("a file");
    assert_eq!(text, "[connection.a]\nurl = 7\n");
}

#[test]
fn a_password_command_of_a_connection_is_run() {
    let server = server::Server::options()
        .acl("user app on >hunter22 ~* +@read +@connection +info +time\nuser default off\n")
        .start();
    let folder = Folder::new();
    let url = format!("redis://app@127.0.0.1:{}", server.port());
    let add = [
        "connections",
        "add",
        "shop",
        &url,
        "--password-command",
        "echo hunter22",
    ];
    assert_eq!(run_in(&folder, &add, &[]).code, 0);
    let ran = run_in(&folder, &["keys", "shop"], &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let wrong = ["keys", "shop", "--password-command", "echo wrong"];
    assert_eq!(run_in(&folder, &wrong, &[]).code, 3);
}

#[test]
fn a_user_without_a_password_is_not_taken_for_another_one() {
    let server = server::Server::options()
        .acl("user default on nopass ~* +@all\nuser app on >hunter22 ~* +@all\nuser free on nopass ~* +@all\n")
        .start();
    let url = |user: &str| format!("redis://{user}127.0.0.1:{}", server.port());
    assert_eq!(run(&["keys", &url("app@")]).code, 3);
    for user in ["free@", "", "app:hunter22@"] {
        let ran = run(&["keys", &url(user)]);
        assert_eq!(ran.code, 0, "{user}: {}", ran.err);
    }
}

#[test]
fn a_picture_of_a_scenario_that_is_not_there_is_refused() {
    for (view, said) in [
        ("lab:s99", "no scenario is called `s99`"),
        ("projector:s02@soon", "`soon` is no time in seconds"),
    ] {
        let folder = Folder::new();
        let file = folder.join("picture.png").display().to_string();
        let ran = run(&["--screenshot", &file, view]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains(said), "{}", ran.err);
        assert!(!folder.join("picture.png").exists());
    }
}
