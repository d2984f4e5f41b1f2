//! A server that is looked at and is behind: what it holds is not what was changed.

use serde_json::Value as Json;

use crate::Person;
use crate::support::postgres::{Server, text_at};
use crate::support::process::wait_for;
use crate::support::replica::{HBA, Replica};

const TABLE: &str = "CREATE TABLE idempotency_keys (key text PRIMARY KEY, created_at timestamptz, \
     locked_at timestamptz, request_path text, response_status int, response_body text); \
     INSERT INTO idempotency_keys SELECT 'k' || n, now(), now() - interval '1 hour', '/p' \
     FROM generate_series(1, 40) n";
const HELD: &str = "SELECT count(*)::text FROM idempotency_keys WHERE locked_at IS NOT NULL";

/// The standby still says that nothing was changed, when it is asked what to put back.
#[test]
fn what_is_put_back_is_looked_up_where_it_was_changed() {
    let primary = Server::options().hba(HBA).start();
    primary.execute("postgres", TABLE);
    let replica = Replica::of(&primary);
    wait_for("the standby to have the rows", || {
        (text_at(replica.port(), HELD)? == "40").then_some(())
    });
    text_at(replica.port(), "SELECT pg_wal_replay_pause()::text");
    wait_for("the standby to stand still", || {
        let state = text_at(replica.port(), "SELECT pg_get_wal_replay_pause_state()")?;
        (state == "paused").then_some(())
    });
    let (main, other) = (primary.port(), replica.port());
    let url =
        format!("postgres://postgres@127.0.0.1:{other},127.0.0.1:{main}/postgres?sslmode=disable");
    let person = Person::new();
    let run = |words: &[&str]| -> Json {
        let more = ["--replica", "--yes", "--format", "json"];
        let ran = person.run(&[words, &more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.json()
    };
    let released = run(&["release", &url, "--stuck", "--older-than", "10m"]);
    assert_eq!(released["outcomes"]["released"], 40, "{released}");
    assert_eq!(text_at(main, HELD).as_deref(), Some("0"));
    assert_eq!(text_at(other, HELD).as_deref(), Some("40"));
    let journal = released["journal_id"].as_str().expect("an id");
    let undone = run(&["undo", &url, journal]);
    assert_eq!(undone["outcomes"]["restored"], 40, "{undone}");
    assert_eq!(text_at(main, HELD).as_deref(), Some("40"));
}
