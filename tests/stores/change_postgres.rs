//! Changes of PostgreSQL's rows: put back column by column, and never made to a row that is not as
//! it was seen, or that somebody holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use idemscope::domain::change::{
    Applied, Change, ExactCell, Outcome, RowChange, RowState, TableShape,
};
use idemscope::stores::target::SslMode;
use idemscope::stores::{
    Batch, ExactQuery, ExactRows, ReadStore, StoreErrorKind, Target, WriteStore, open_writing,
};
use sqlx::{ConnectOptions, PgConnection};

use crate::change_fixture::writing;
use crate::fixture::{check, impatient, opened, postgres_of, postgres_target, unhung};
use crate::support::postgres::Server;
use crate::support::process::wait_for;
use crate::support::wire::{End, Plan, Proxy};
use crate::support::{long, seed};
use crate::topologies;

/// Every kind of column that a text could spoil.
const KINDS: &str = "
    CREATE SCHEMA odd; CREATE TYPE odd.mood AS ENUM ('so so', 'good');
    CREATE TYPE odd.pair AS (a int, b text);
    CREATE DOMAIN odd.short AS varchar(9);
    CREATE TABLE kinds (
        id bigint GENERATED ALWAYS AS IDENTITY, k text, PRIMARY KEY (k, id),
        status varchar(20), locked_at timestamptz, at timestamp, day date, every interval,
        y bytea, j json, jb jsonb, tags text[], pairs odd.pair[], pair odd.pair, mood odd.mood,
        n numeric, money numeric(12,2), f double precision, r real, c character(5), b boolean,
        net inet, spans tstzrange, short odd.short, u uuid, \"Odd \"\"name\" xml,
        twice text GENERATED ALWAYS AS (k || k) STORED);
    INSERT INTO kinds (k, status, locked_at, at, day, every, y, j, jb, tags, pairs, pair, mood, n,
        money, f, r, c, b, net, spans, short, u, \"Odd \"\"name\")
    VALUES ('a''b\\\\', 'processing', 'infinity', '2024-02-29 12:00:00.000001', '0044-03-15 BC',
        '-1 year 3 days -02:03:04.5', '\\x00ff5c', '{\"a\" : 1,\"a\":2}', '{\"b\": [1.10, null]}',
        '{\"x,y\",NULL,\"\"}', ARRAY[(1,'q\"'),(NULL,'')]::odd.pair[], ROW(NULL, 'z'), 'so so',
        123456789012345678901234567890.1234567890, -0.10, '0.1'::float8 + '0.2'::float8, '1e-30',
        'ab', true, '10.0.0.1/8', '[2024-01-01,infinity)', 'short',
        '00000000-0000-0000-0000-000000000001', '<a>1</a>'),
        ('', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'NaN', NULL,
        '-0', 'infinity', NULL, NULL, NULL, 'empty', NULL, NULL, NULL);";

struct Place {
    server: &'static Server,
    database: String,
    reader: ReadStore,
    writer: WriteStore,
}

/// What leads to the server.
#[derive(Clone, Copy)]
enum Way {
    Straight,
    Tls,
    Ssh,
    Pooler,
    /// It is the second of two hosts, and nobody is at the first.
    Several,
}

async fn place(script: &str) -> Place {
    place_by(Way::Straight, script).await
}

async fn place_by(way: Way, script: &str) -> Place {
    let server = match way {
        Way::Tls => &topologies::tls_server().0,
        _ => Server::shared(),
    };
    let database = server.create_database();
    server.execute(&database, script);
    let straight = || postgres_target(server.port(), &database);
    let target = match way {
        Way::Straight => straight(),
        Way::Tls => topologies::in_tls(&database),
        Way::Ssh => topologies::behind(straight()),
        Way::Pooler => topologies::pooled(&database),
        Way::Several => topologies::second_of_two(&database),
    };
    Place {
        reader: opened(&target).await,
        writer: writing(&target).await,
        server,
        database,
    }
}

impl Place {
    fn target(&self, role: &str) -> Target {
        let mut target = postgres_target(self.server.port(), &self.database);
        postgres_of(&mut target).user = role.to_owned();
        target
    }

    async fn read(&self, table: &str, keys: &[&[&str]]) -> ExactRows {
        read(&self.reader, table, keys).await
    }

    fn sql(&self, sql: &str) {
        self.server.execute(&self.database, sql);
    }

    fn text(&self, sql: &str) -> Option<String> {
        self.server.text(&self.database, sql)
    }
}

async fn read(reader: &ReadStore, table: &str, keys: &[&[&str]]) -> ExactRows {
    let query = ExactQuery {
        schema: "public".into(),
        table: table.into(),
        keys: keys
            .iter()
            .map(|key| key.iter().map(|part| (*part).to_owned()).collect())
            .collect(),
        wants: Vec::new(),
    };
    reader.exact_rows(&query).await.expect("rows")
}

fn change(rows: &ExactRows, at: usize, key: &[&str], then: RowState) -> RowChange {
    RowChange {
        shape: rows.shape.clone(),
        key: key.iter().map(|part| (*part).to_owned()).collect(),
        seen: rows.rows[at].state.clone(),
        then,
    }
}

/// The row with one column set.
fn with(shape: &TableShape, state: &RowState, column: &str, cell: ExactCell) -> RowState {
    let RowState::Row { cells, .. } = state else {
        panic!("no row")
    };
    let mut cells = cells.clone();
    cells[shape.column(column).expect("a column")] = cell;
    RowState::Row {
        version: None,
        cells,
    }
}

async fn apply(writer: &WriteStore, changes: &[RowChange]) -> Batch {
    let changes: Vec<Change> = changes.iter().cloned().map(Change::Row).collect();
    let all: Vec<&Change> = changes.iter().collect();
    let batch = unhung(writer.apply(&all)).await;
    assert_eq!(batch.outcomes.len(), changes.len());
    for applied in &batch.outcomes {
        assert_eq!(
            applied.why.is_some(),
            applied.outcome != Outcome::Done,
            "{applied:?}"
        );
    }
    batch
}

async fn one(writer: &WriteStore, change: &RowChange) -> Applied {
    apply(writer, std::slice::from_ref(change))
        .await
        .outcomes
        .remove(0)
}

/// The change that undoes one that was made, as a journal has it.
fn undo(change: &RowChange, applied: &Applied) -> RowChange {
    let Change::Row(mut undo) = Change::Row(change.clone()).inverted() else {
        unreachable!()
    };
    if let RowState::Row { version, .. } = &mut undo.seen {
        *version = applied.version.clone();
    }
    undo
}

const LOCKS: &str =
    "CREATE TABLE locks (k text PRIMARY KEY, status text NOT NULL, n int NOT NULL DEFAULT 0);
    INSERT INTO locks SELECT 'k' || i, 'processing' FROM generate_series(0, 999) AS i";

fn text(text: &str) -> ExactCell {
    ExactCell::Text(text.to_owned())
}

async fn releases(place: &Place, count: usize) -> Vec<RowChange> {
    let names: Vec<String> = (0..count).map(|number| format!("k{number}")).collect();
    let keys: Vec<[&str; 1]> = names.iter().map(|name| [name.as_str()]).collect();
    let keys: Vec<&[&str]> = keys.iter().map(|key| key.as_slice()).collect();
    let rows = place.read("locks", &keys).await;
    (0..count)
        .map(|at| {
            let then = with(
                &rows.shape,
                &rows.rows[at].state,
                "status",
                text("released"),
            );
            change(&rows, at, keys[at], then)
        })
        .collect()
}

/// The laws of changes by each way that leads to a server.
macro_rules! by_each_way {
    ($($name:ident: $way:ident),* $(,)?; $laws:tt) => {
        $(by_each_way!(@ $name $way $laws);)*
    };
    (@ $name:ident $way:ident ($($law:ident),* $(,)?)) => {
        mod $name {
            $(
                #[tokio::test]
                async fn $law() {
                    super::$law(super::Way::$way).await;
                }
            )*
        }
    };
}

by_each_way!(
    straight: Straight, through_tls: Tls, through_ssh: Ssh, through_a_pooler: Pooler,
    at_the_second_host: Several;
    (every_kind_of_column_is_put_back, what_is_too_long_is_refused_and_not_cut,
    rows_that_changed_are_left_alone, a_deleted_row_is_not_put_over_a_newer_one,
    rows_without_a_key_are_found_by_their_place, rows_that_were_packed_anew_are_found_by_their_key,
    a_place_is_one_in_its_partition, a_row_with_an_empty_key_is_put_back, one_bad_row_does_not_keep_the_others));

async fn every_kind_of_column_is_put_back(way: Way) {
    let place = place_by(way, KINDS).await;
    let whole = "SELECT string_agg(t::text, '|' ORDER BY id) FROM kinds t";
    let before = place.text(whole);
    let keys: [&[&str]; 3] = [&["", "2"], &["nobody", "7"], &["a'b\\\\", "1"]];
    let rows = place.read("kinds", &keys).await;
    assert_eq!(rows.rows[1].state, RowState::Absent);
    assert_eq!(rows.shape.key, ["k", "id"]);
    for (at, key) in [(0, keys[0]), (2, keys[2])] {
        assert_eq!(rows.rows[at].held, Some(false));
        // Deleted and put back.
        let purge = change(&rows, at, key, RowState::Absent);
        let done = one(&place.writer, &purge).await;
        assert_eq!(done.outcome, Outcome::Done, "{done:?}");
        let back = undo(&purge, &done);
        let undone = one(&place.writer, &back).await;
        assert_eq!(undone.outcome, Outcome::Done, "{undone:?}");
        assert_eq!(place.text(whole), before);
        // Changed and put back, by the version that undoing made.
        let rows = place.read("kinds", &keys).await;
        let RowState::Row { version, .. } = &rows.rows[at].state else {
            panic!("no row")
        };
        assert_eq!(*version, undone.version);
        for column in &rows.shape.columns {
            if column.generated || ["id", "k"].contains(&column.name.as_str()) {
                continue;
            }
            let rows = place.read("kinds", &keys).await;
            let there = with(
                &rows.shape,
                &rows.rows[at].state,
                &column.name,
                ExactCell::Null,
            );
            let release = change(&rows, at, key, there);
            let done = one(&place.writer, &release).await;
            assert_eq!(done.outcome, Outcome::Done, "{column:?} {done:?}");
            let undone = one(&place.writer, &undo(&release, &done)).await;
            assert_eq!(undone.outcome, Outcome::Done, "{column:?} {undone:?}");
            assert_eq!(place.text(whole), before, "{column:?}");
        }
        // Without versions every cell is compared.
        let rows = place.read("kinds", &keys).await;
        let mut purge = change(&rows, at, key, RowState::Absent);
        if let RowState::Row { version, .. } = &mut purge.seen {
            *version = None;
        }
        let done = one(&place.writer, &purge).await;
        assert_eq!(done.outcome, Outcome::Done, "{done:?}");
        assert_eq!(
            one(&place.writer, &undo(&purge, &done)).await.outcome,
            Outcome::Done
        );
        assert_eq!(place.text(whole), before);
    }
}

async fn what_is_too_long_is_refused_and_not_cut(way: Way) {
    let place = place_by(way, KINDS).await;
    let rows = place.read("kinds", &[&["", "2"]]).await;
    let then = with(
        &rows.shape,
        &rows.rows[0].state,
        "status",
        text(&"long ".repeat(9)),
    );
    let done = one(&place.writer, &change(&rows, 0, &["", "2"], then)).await;
    assert_eq!(done.outcome, Outcome::Refused, "{done:?}");
}

async fn rows_that_changed_are_left_alone(way: Way) {
    let place = place_by(way, LOCKS).await;
    let changes = releases(&place, 500).await;
    place.sql(
        "UPDATE locks SET status = 'completed' WHERE k = 'k3'; DELETE FROM locks WHERE k = 'k4';
        UPDATE locks SET status = status WHERE k = 'k5'",
    );
    let mut holder = connect(&place).await;
    sqlx::raw_sql("BEGIN; SELECT 1 FROM locks WHERE k = 'k6' FOR UPDATE; UPDATE locks SET n = 1 WHERE k = 'k7'")
        .execute(&mut holder)
        .await
        .expect("a lock");
    let held = place.read("locks", &[&["k6"], &["k7"], &["k8"]]).await;
    let held: Vec<_> = held.rows.iter().map(|row| row.held).collect();
    assert_eq!(held, [Some(true), Some(true), Some(false)]);
    let batch = apply(&place.writer, &changes).await;
    assert_eq!(batch.trouble, None);
    for (number, applied) in batch.outcomes.iter().enumerate() {
        let expected = match number {
            3 | 5 => Outcome::ChangedMeanwhile,
            4 => Outcome::Gone,
            6 | 7 => Outcome::Alive,
            _ => Outcome::Done,
        };
        assert_eq!(applied.outcome, expected, "{number} {applied:?}");
    }
    let released = place.text("SELECT count(*) FROM locks WHERE status = 'released'");
    assert_eq!(released.as_deref(), Some("495"));
    // Never over a newer record.
    place.sql("UPDATE locks SET status = 'processing' WHERE k = 'k0'");
    let undone = one(&place.writer, &undo(&changes[0], &batch.outcomes[0])).await;
    assert_eq!(undone.outcome, Outcome::ChangedMeanwhile);
    let undone = one(&place.writer, &undo(&changes[1], &batch.outcomes[1])).await;
    assert_eq!(undone.outcome, Outcome::Done);
}

async fn a_deleted_row_is_not_put_over_a_newer_one(way: Way) {
    let place = place_by(way, LOCKS).await;
    let rows = place.read("locks", &[&["k1"], &["k2"]]).await;
    let purges: Vec<RowChange> = [["k1"], ["k2"]]
        .iter()
        .enumerate()
        .map(|(at, key)| change(&rows, at, key, RowState::Absent))
        .collect();
    let batch = apply(&place.writer, &purges).await;
    place.sql("INSERT INTO locks VALUES ('k2', 'newer')");
    let undo: Vec<RowChange> = purges
        .iter()
        .zip(&batch.outcomes)
        .map(|(purge, done)| undo(purge, done))
        .collect();
    let batch = apply(&place.writer, &undo).await;
    let outcomes: Vec<_> = batch
        .outcomes
        .iter()
        .map(|applied| applied.outcome)
        .collect();
    assert_eq!(outcomes, [Outcome::Done, Outcome::ChangedMeanwhile]);
    let newer =
        place.text("SELECT string_agg(status, ' ' ORDER BY k) FROM locks WHERE k IN ('k1', 'k2')");
    assert_eq!(newer.as_deref(), Some("processing newer"));
    // One that is being put there right now.
    assert_eq!(
        apply(&place.writer, &purges[..1]).await.outcomes[0].outcome,
        Outcome::ChangedMeanwhile
    );
    place.sql("DELETE FROM locks WHERE k = 'k1'");
    let mut holder = connect(&place).await;
    sqlx::raw_sql("BEGIN; INSERT INTO locks VALUES ('k1', 'coming')")
        .execute(&mut holder)
        .await
        .expect("a row");
    assert_eq!(one(&place.writer, &undo[0]).await.outcome, Outcome::Alive);
}

async fn connect(place: &Place) -> PgConnection {
    let options = sqlx::postgres::PgConnectOptions::new_without_pgpass()
        .host("127.0.0.1")
        .port(place.server.port())
        .username("postgres")
        .database(&place.database);
    options
        .connect()
        .await
        .expect("a connection of the application")
}

async fn rows_without_a_key_are_found_by_their_place(way: Way) {
    let place = place_by(
        way,
        "CREATE TABLE heap (t text, status text); INSERT INTO heap VALUES ('a', 'x'), ('a', 'x')",
    )
    .await;
    let rows = place
        .read("heap", &[&["(0,1)"], &["(0,2)"], &["(7,7)"], &["nonsense"]])
        .await;
    assert_eq!(rows.shape.key, ["ctid"]);
    assert_eq!(rows.rows[2].state, RowState::Absent);
    assert_eq!(rows.rows[3].state, RowState::Absent);
    let then = with(&rows.shape, &rows.rows[0].state, "status", text("released"));
    let release = change(&rows, 0, &["(0,1)"], then);
    let done = one(&place.writer, &release).await;
    assert_eq!(done.outcome, Outcome::Done, "{done:?}");
    assert_eq!(
        one(&place.writer, &undo(&release, &done)).await.outcome,
        Outcome::Done
    );
    let purge = change(&rows, 1, &["(0,2)"], RowState::Absent);
    let done = one(&place.writer, &purge).await;
    assert_eq!(done.outcome, Outcome::Done, "{done:?}");
    assert_eq!(
        one(&place.writer, &undo(&purge, &done)).await.outcome,
        Outcome::Done
    );
    let all = place.text("SELECT string_agg(heap::text, '') FROM heap");
    assert_eq!(all.as_deref(), Some("(a,x)(a,x)"));
}

async fn rows_that_were_packed_anew_are_found_by_their_key(way: Way) {
    let place = place_by(way, LOCKS).await;
    // So that their places change, and others stand where they stood.
    place.sql("DELETE FROM locks WHERE length(k) > 3");
    let all = "SELECT string_agg(locks::text, '' ORDER BY k) FROM locks WHERE k <> 'k8'";
    let before = place.text(all);
    let changes = releases(&place, 40).await;
    place.sql("VACUUM FULL locks");
    place.sql("UPDATE locks SET n = 1 WHERE k = 'k7'; DELETE FROM locks WHERE k = 'k8'");
    let batch = apply(&place.writer, &changes).await;
    place.sql("UPDATE locks SET n = 0 WHERE k = 'k7'");
    place.sql("VACUUM FULL locks");
    for ((number, release), applied) in changes.iter().enumerate().zip(&batch.outcomes) {
        let expected = match number {
            7 => Outcome::ChangedMeanwhile,
            8 => Outcome::Gone,
            _ => Outcome::Done,
        };
        assert_eq!(applied.outcome, expected, "{number} {applied:?}");
        if applied.outcome == Outcome::Done {
            let undone = one(&place.writer, &undo(release, applied)).await;
            assert_eq!(undone.outcome, Outcome::Done, "{number} {undone:?}");
        }
    }
    assert_eq!(place.text(all), before);
}

async fn a_place_is_one_in_its_partition(way: Way) {
    let place = place_by(way,
        "CREATE TABLE parts (k text, day int, status text, PRIMARY KEY (k, day)) PARTITION BY LIST (day);
        CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
        CREATE TABLE parts_2 PARTITION OF parts FOR VALUES IN (2);
        INSERT INTO parts VALUES ('a', 1, 'processing'), ('a', 2, 'processing'), ('b', 1, 'x')",
    )
    .await;
    let rows = place.read("parts", &[&["a", "1"], &["a", "2"]]).await;
    let released = with(&rows.shape, &rows.rows[0].state, "status", text("released"));
    let release = change(&rows, 0, &["a", "1"], released);
    let purge = change(&rows, 1, &["a", "2"], RowState::Absent);
    let batch = apply(&place.writer, &[release.clone(), purge.clone()]).await;
    let all = "SELECT string_agg(k || day || status, ' ' ORDER BY day, k) FROM parts";
    assert_eq!(place.text(all).as_deref(), Some("a1released b1x"));
    for (change, applied) in [release, purge].iter().zip(&batch.outcomes) {
        assert_eq!(
            one(&place.writer, &undo(change, applied)).await.outcome,
            Outcome::Done
        );
    }
    let before = "a1processing b1x a2processing";
    assert_eq!(place.text(all).as_deref(), Some(before));
}

async fn a_row_with_an_empty_key_is_put_back(way: Way) {
    let place = place_by(way,
        "CREATE TABLE parts (k text, day int, status text, UNIQUE (k, day)) PARTITION BY LIST (day);
        CREATE TABLE parts_1 PARTITION OF parts DEFAULT;
        INSERT INTO parts VALUES (NULL, 1, 'a'), ('', 2, 'b'), (NULL, NULL, 'c'), (NULL, 3, 'd'), ('', 3, 'e')",
    )
    .await;
    let keys: [&[&str]; 5] = [&["", "1"], &["", "2"], &["", ""], &["", "3"], &["", "4"]];
    let rows = place.read("parts", &keys).await;
    let several = rows.rows.iter().map(|row| row.is_one_of_several);
    assert_eq!(
        several.collect::<Vec<_>>(),
        [false, false, false, true, false]
    );
    assert_eq!(rows.rows[4].state, RowState::Absent);
    let all = "SELECT string_agg(t::text, ' ' ORDER BY status) FROM parts t";
    let before = place.text(all);
    let changes: Vec<RowChange> = (0..3)
        .map(|at| change(&rows, at, keys[at], RowState::Absent))
        .collect();
    let batch = apply(&place.writer, &changes).await;
    assert_eq!(place.text(all).as_deref(), Some("(,3,d) (\"\",3,e)"));
    for (change, applied) in changes.iter().zip(&batch.outcomes) {
        assert_eq!(applied.outcome, Outcome::Done, "{applied:?}");
        let undone = one(&place.writer, &undo(change, applied)).await;
        assert_eq!(undone.outcome, Outcome::Done, "{undone:?}");
    }
    assert_eq!(place.text(all), before);
}

async fn one_bad_row_does_not_keep_the_others(way: Way) {
    let place = place_by(way, &format!("{LOCKS}; ALTER TABLE locks ADD CHECK (n < 5 OR status <> 'released');
        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NEW.k = 'k9' AND NEW.status = 'released' THEN RAISE EXCEPTION 'not this one.'; END IF;
            IF NEW.k = 'k10' AND NEW.status = 'released' THEN RETURN NULL; END IF;
            RETURN NEW; END $$;
        CREATE TRIGGER no BEFORE UPDATE ON locks FOR EACH ROW EXECUTE FUNCTION no();
        UPDATE locks SET n = 7 WHERE k = 'k2'")).await;
    let batch = apply(&place.writer, &releases(&place, 20).await).await;
    assert_eq!(batch.trouble, None);
    for (number, applied) in batch.outcomes.iter().enumerate() {
        let words = match number {
            2 => "rule of the table",
            9 => "not this one",
            10 => "kept it as it was",
            _ => {
                assert_eq!(applied.outcome, Outcome::Done, "{number} {applied:?}");
                continue;
            }
        };
        assert_eq!(applied.outcome, Outcome::Refused, "{number} {applied:?}");
        assert!(
            applied.why.as_ref().is_some_and(|why| why.contains(words)),
            "{applied:?}"
        );
    }
}

#[tokio::test]
async fn rights_that_are_missing_are_named() {
    let place = place(&format!(
        "{LOCKS};
        CREATE TABLE items (k text REFERENCES locks ON DELETE CASCADE)"
    ))
    .await;
    let database = &place.database;
    place.sql(&format!(
        "DROP ROLE IF EXISTS {database}_looks; DROP ROLE IF EXISTS {database}_repairs;
        CREATE ROLE {database}_looks LOGIN; CREATE ROLE {database}_repairs LOGIN;
        GRANT SELECT ON locks TO {database}_looks, {database}_repairs;
        GRANT UPDATE (status) ON locks TO {database}_repairs"
    ));
    let changes = releases(&place, 3).await;
    let looks = writing(&place.target(&format!("{database}_looks"))).await;
    let batch = apply(&looks, &changes).await;
    for applied in &batch.outcomes {
        assert_eq!(applied.outcome, Outcome::Refused);
        let why = applied.why.clone().unwrap_or_default();
        assert!(
            why.contains("needs SELECT and UPDATE on public.locks"),
            "{why}"
        );
    }
    let repairs = writing(&place.target(&format!("{database}_repairs"))).await;
    assert_eq!(one(&repairs, &changes[0]).await.outcome, Outcome::Done);
    // Rows of another table would go with it.
    let mut purge = changes[1].clone();
    purge.then = RowState::Absent;
    assert_eq!(purge.shape.cascades, ["public.items"]);
    let refused = one(&place.writer, &purge).await;
    assert_eq!(refused.outcome, Outcome::Refused);
    let mut shape = (*purge.shape).clone();
    (shape.cascades, shape.hidden) = (Vec::new(), vec!["secret".to_owned()]);
    purge.shape = Arc::new(shape);
    (purge.seen, purge.then) = (RowState::Absent, purge.seen);
    assert_eq!(one(&place.writer, &purge).await.outcome, Outcome::Refused);
}

#[tokio::test]
async fn a_server_that_lets_read_only_is_not_opened() {
    let place = place(LOCKS).await;
    let changes = releases(&place, 3).await;
    place.sql(&format!(
        "ALTER DATABASE {} SET default_transaction_read_only = on",
        place.database
    ));
    let error = open_writing(&place.target("postgres"))
        .await
        .expect_err("read only");
    check(
        &error,
        StoreErrorKind::Denied,
        "default_transaction_read_only",
    );
    // One that was opened before: the setting comes with a new connection, so by hand.
    let mut target = place.target("postgres");
    postgres_of(&mut target).options = vec![("default_transaction_read_only".into(), "off".into())];
    let writer = writing(&target).await;
    assert_eq!(one(&writer, &changes[0]).await.outcome, Outcome::Done);
}

#[tokio::test]
async fn what_takes_too_long_is_ended_and_said() {
    let place = place(&format!(
        "{LOCKS};
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM pg_sleep(60); RETURN NEW; END $$;
        CREATE TRIGGER slow BEFORE UPDATE ON locks FOR EACH ROW WHEN (NEW.k = 'k1')
        EXECUTE FUNCTION slow()"
    ))
    .await;
    let changes = releases(&place, 3).await;
    let writer = writing(&impatient(place.target("postgres"))).await;
    let batch = apply(&writer, &changes).await;
    for applied in &batch.outcomes {
        assert_eq!(applied.outcome, Outcome::Refused, "{applied:?}");
    }
    check(
        &batch.trouble.expect("trouble"),
        StoreErrorKind::TimedOut,
        "time-out",
    );
    // A table that is locked as a whole.
    let mut holder = connect(&place).await;
    sqlx::raw_sql("BEGIN; LOCK TABLE locks IN ACCESS EXCLUSIVE MODE")
        .execute(&mut holder)
        .await
        .expect("a lock");
    let batch = apply(&writer, &changes[..1]).await;
    assert_eq!(batch.outcomes[0].outcome, Outcome::Alive);
}

#[tokio::test]
async fn deadlocks_and_serialization_failures_are_of_one_row() {
    let place = place(&format!(
        "{LOCKS};
        CREATE FUNCTION unlucky() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NEW.k = 'k1' THEN RAISE EXCEPTION 'x' USING ERRCODE = '40P01'; END IF;
            IF NEW.k = 'k2' THEN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END IF;
            IF NEW.k = 'k3' THEN RAISE EXCEPTION 'x' USING ERRCODE = '53100'; END IF;
            RETURN NEW; END $$;
        CREATE TRIGGER unlucky BEFORE UPDATE ON locks FOR EACH ROW EXECUTE FUNCTION unlucky()"
    ))
    .await;
    let changes = releases(&place, 6).await;
    let batch = apply(&place.writer, &changes[..3]).await;
    let words = ["", "deadlock", "serialization"];
    for (applied, words) in batch.outcomes.iter().zip(words) {
        assert_eq!(
            applied.outcome == Outcome::Done,
            words.is_empty(),
            "{applied:?}"
        );
        assert!(
            applied.why.clone().unwrap_or_default().contains(words),
            "{applied:?}"
        );
    }
    let batch = apply(&place.writer, &changes[3..]).await;
    assert!(
        batch
            .outcomes
            .iter()
            .all(|applied| applied.outcome == Outcome::Refused)
    );
    assert!(batch.trouble.is_some());
}

/// An application that finishes, touches, deletes and holds rows while they are released: what it
/// did between the look and the lock is never overwritten.
#[tokio::test]
async fn races_with_an_application_are_never_won_by_mistake() {
    let place = place(LOCKS).await;
    let rounds = if long() { 20 } else { 3 };
    let mut random = fastrand::Rng::with_seed(seed());
    for round in 0..rounds {
        place.sql("TRUNCATE locks; INSERT INTO locks SELECT 'k' || i, 'processing' FROM generate_series(0, 999) AS i");
        let changes = releases(&place, 1000).await;
        let mut application = connect(&place).await;
        let mut random = random.fork();
        let work = tokio::spawn(async move {
            for _ in 0..400 {
                let k = random.usize(0..1000);
                let sql = match random.u8(0..4) {
                    0 => format!("DELETE FROM locks WHERE k = 'k{k}' AND status = 'processing'"),
                    1 => format!(
                        "BEGIN; SELECT 1 FROM locks WHERE k = 'k{k}' FOR UPDATE; SELECT pg_sleep(0.001); COMMIT"
                    ),
                    _ => format!(
                        "UPDATE locks SET status = 'completed', n = n + 1 WHERE k = 'k{k}' AND status = 'processing'"
                    ),
                };
                sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
                    .execute(&mut application)
                    .await
                    .expect("SQL");
            }
        });
        let mut done = Vec::new();
        for portion in changes.chunks(100) {
            done.extend(apply(&place.writer, portion).await.outcomes);
        }
        work.await.expect("the application");
        let released = done
            .iter()
            .filter(|applied| applied.outcome == Outcome::Done)
            .count();
        let there = place.text("SELECT count(*) FROM locks WHERE status = 'released' AND n = 0");
        assert_eq!(
            there,
            Some(released.to_string()),
            "round {round}, seed {}",
            seed()
        );
        let wrong = place.text("SELECT count(*) FROM locks WHERE status = 'released' AND n <> 0");
        assert_eq!(wrong.as_deref(), Some("0"));
        for (number, applied) in done.iter().enumerate() {
            if applied.outcome == Outcome::Gone {
                let there =
                    place.text(&format!("SELECT count(*) FROM locks WHERE k = 'k{number}'"));
                assert_eq!(there.as_deref(), Some("0"));
            }
        }
    }
}

#[tokio::test]
async fn a_line_that_is_cut_anywhere_never_brings_a_wrong_word() {
    let place = place(LOCKS).await;
    let proxy = Arc::new(Proxy::before(place.server.port()));
    let mut target = impatient(postgres_target(proxy.port(), &place.database));
    postgres_of(&mut target).ssl = SslMode::Disable;
    let writer = writing(&target).await;
    let reset = "UPDATE locks SET status = 'processing', n = 0 WHERE status <> 'processing'";
    let count = 5;
    let warm = releases(&place, count).await;
    apply(&writer, &warm[..1]).await;
    place.sql(reset);
    proxy.set(Plan::Pass);
    let stale = releases(&place, count).await;
    apply(&writer, &stale).await;
    let seen = proxy.seen();
    let mut random = fastrand::Rng::with_seed(seed());
    let step = if long() { 1 } else { 61 };
    for (up, bytes) in [(true, seen.up), (false, seen.down)] {
        let first = random.u64(0..step);
        let mut places: Vec<u64> = (first..bytes).step_by(step as usize).collect();
        // The last bytes are the end of the transaction and its answer: all of them.
        places.extend(bytes.saturating_sub(24)..bytes);
        for after in places {
            // On a connection that is open already, so that the places mean the same each time.
            apply(&writer, &stale).await;
            place.sql(reset);
            let changes = releases(&place, count).await;
            let end = End::Close;
            let plan = if up {
                Plan::CutUp { after, end }
            } else {
                Plan::CutDown { after, end }
            };
            proxy.set(plan);
            let over = Arc::new(AtomicBool::new(false));
            let mended = mend(Arc::clone(&proxy), up, after, Arc::clone(&over));
            let batch = apply(&writer, &changes).await;
            over.store(true, Ordering::Relaxed);
            mended.await.expect("the line is whole");
            let released = place.text("SELECT count(*) FROM locks WHERE status = 'released'");
            let done = batch
                .outcomes
                .iter()
                .filter(|one| one.outcome == Outcome::Done);
            assert_eq!(
                released,
                Some(done.count().to_string()),
                "{plan:?}: {batch:?}"
            );
            // Once the line is back, the server knows what became of it.
            let known = |one: &Applied| one.outcome != Outcome::Unknown;
            assert!(batch.outcomes.iter().all(known), "{plan:?}: {batch:?}");
        }
    }
}

/// Lets the line pass again once it was cut.
fn mend(
    proxy: Arc<Proxy>,
    up: bool,
    after: u64,
    over: Arc<AtomicBool>,
) -> tokio::task::JoinHandle<()> {
    tokio::task::spawn_blocking(move || {
        wait_for("the cut", || {
            let seen = proxy.seen();
            let cut = if up { seen.up } else { seen.down } >= after;
            (cut || over.load(Ordering::Relaxed)).then_some(())
        });
        proxy.set(Plan::Pass);
    })
}

#[tokio::test]
async fn an_end_that_nobody_tells_is_unknown() {
    let place = place(LOCKS).await;
    let proxy = Proxy::before(place.server.port());
    let mut target = impatient(postgres_target(proxy.port(), &place.database));
    postgres_of(&mut target).ssl = SslMode::Disable;
    let writer = writing(&target).await;
    proxy.set(Plan::Pass);
    let changes = releases(&place, 5).await;
    apply(&writer, &changes).await;
    let seen = proxy.seen();
    place.sql("UPDATE locks SET status = 'processing'");
    let changes = releases(&place, 5).await;
    proxy.set(Plan::CutDown {
        after: seen.down - 1,
        end: End::Close,
    });
    let batch = apply(&writer, &changes).await;
    assert!(
        batch
            .outcomes
            .iter()
            .all(|one| one.outcome == Outcome::Unknown),
        "{batch:?}"
    );
    assert!(batch.trouble.is_some());
}
