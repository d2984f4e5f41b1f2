//! Releases, settles and purges what real libraries left, and reads it again.
//!
//! Apart from the layouts' own samples because here every snapshot of the corpus is tried, and rows
//! go through a real server. Invariant: nothing is written by the program itself, only what its
//! layouts say is.

mod support;

use std::sync::Arc;

use idemscope::config::{TargetOptions, resolve};
use idemscope::domain::change::{
    Answer, ExactCell, ExactValue, PieceState, RowState, ShapeColumn, TableShape, Verb,
};
use idemscope::domain::raw::RawAddress;
use idemscope::domain::stuck::LockState;
use idemscope::domain::{Duration, Record, Status, Timestamp};
use idemscope::inspect::Session;
use idemscope::inspect::detect::{SourceOptions, detect};
use idemscope::inspect::scan::{ScanOptions, ScanView, scan};
use idemscope::inspect::show::{Whole, open};
use idemscope::layouts::pieces::RecordPiece;
use idemscope::layouts::samples::Extra;
use idemscope::layouts::samples::repairs::read_after;
use idemscope::layouts::{Layouts, Place, Source};
use serde_json::Value as Json;
use sqlx::Row as _;
use support::{corpus, postgres};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

fn answer() -> Answer {
    Answer {
        status: 201,
        body: br#"{"payment_id":"pay_7","amount":15.00}"#.to_vec(),
    }
}

/// Whether a body is the answer's, or holds it as a function's result does.
fn is_answer(body: &str) -> bool {
    let own: Json = serde_json::from_slice(&answer().body).expect("JSON");
    let found: Json = serde_json::from_str(body).unwrap_or(Json::Null);
    let inner = found["body"].as_str();
    let inner = inner.and_then(|body| serde_json::from_str::<Json>(body).ok());
    found == own || inner == Some(own)
}

fn waits(record: &Record) -> bool {
    record
        .lock
        .as_ref()
        .is_some_and(|lock| lock.state == LockState::Waiting)
}

fn state_of(piece: &RecordPiece, lines: &[corpus::Line]) -> PieceState {
    use idemscope::domain::change::PiecePart::{Field, Member, Score, Whole};
    let Some(line) = lines.iter().find(|line| line.key == piece.piece.key) else {
        return PieceState::Absent;
    };
    let there = |bytes: Option<Vec<u8>>| bytes.map_or(PieceState::Absent, PieceState::There);
    let value = match (&line.value, &piece.piece.part) {
        (corpus::Value::String(bytes), Whole) => ExactValue::String(bytes.clone()),
        (corpus::Value::Hash(fields), Whole) => {
            let mut fields = fields.clone();
            fields.sort();
            ExactValue::Hash(fields)
        }
        (corpus::Value::Set(members), Member(member)) => {
            return there(members.contains(member).then(Vec::new));
        }
        (corpus::Value::Hash(fields), Field(field)) => {
            let found = fields.iter().find(|(name, _)| name == field);
            return there(found.map(|(_, value)| value.clone()));
        }
        (corpus::Value::SortedSet(members), Score(member)) => {
            let found = members.iter().find(|(name, _)| name == member);
            return there(found.map(|(_, score)| score.to_string().into_bytes()));
        }
        _ => panic!("{piece:?} is of another type"),
    };
    let expires_at =
        (line.ttl_ms > 0).then(|| Timestamp(line.captured_at_ms).plus(Duration(line.ttl_ms)));
    PieceState::Value { value, expires_at }
}

/// The records of a snapshot: where they stand, and what is expected of each.
fn records(lines: &[corpus::Line]) -> Vec<(RawAddress, Json)> {
    let mut all = Vec::new();
    for line in lines {
        match &line.expect {
            Json::Object(_) => all.push((RawAddress::Key(line.key.clone()), line.expect.clone())),
            Json::Array(list) => {
                let names: Vec<Vec<u8>> = match &line.value {
                    corpus::Value::Set(members) => members.clone(),
                    corpus::Value::Hash(fields) => fields.iter().map(|(f, _)| f.clone()).collect(),
                    _ => Vec::new(),
                };
                for expect in list {
                    let key = expect["idempotency_key"].as_str().expect("a key");
                    let quoted = Json::from(key).to_string();
                    let member = names
                        .iter()
                        .find(|name| **name == key.as_bytes() || **name == quoted.as_bytes());
                    let address = RawAddress::Member {
                        key: line.key.clone(),
                        member: member.expect("a member").clone(),
                    };
                    all.push((address, expect.clone()));
                }
            }
            _ => {}
        }
    }
    all
}

#[test]
fn every_record_of_the_redis_corpus_is_released_settled_and_purged() {
    let mut done = [0, 0, 0];
    for snapshot in corpus::all_redis_snapshots() {
        let Some(layout) = Layouts::built_in().get(&snapshot.layout).cloned() else {
            continue; // keys of other kinds
        };
        let source = Source::new(layout.clone(), Place::every_key(&layout));
        let now = Timestamp(snapshot.captured_at_ms);
        for (address, expect) in records(&snapshot.lines) {
            let what = format!("{} {} {address:?}", snapshot.layout, snapshot.case);
            let states: Vec<(RecordPiece, PieceState)> = source
                .pieces(&address)
                .into_iter()
                .map(|piece| {
                    let state = state_of(&piece, &snapshot.lines);
                    (piece, state)
                })
                .collect();
            assert!(!states.is_empty(), "{what}: no pieces");
            let reading = source.read_pieces(&states, now);
            let reading = reading.unwrap_or_else(|| panic!("{what}: not read"));
            let status = match reading.status {
                Status::Unknown => Json::Null,
                status => status.name().into(),
            };
            assert_eq!(status, expect["status"], "{what}");
            let is_finished = matches!(reading.status, Status::Completed | Status::Failed);
            let apply = |verb| -> Option<Option<(Record, Extra)>> {
                let then = source.edit_pieces(verb, &states, Some(&answer()), now);
                let then = match then {
                    Ok(then) => then,
                    Err(why) => {
                        let is_right = source.can(verb).is_err()
                            || why.contains("of this type")
                            || is_finished;
                        assert!(is_right, "{what}: {} {why}", verb.name());
                        return None;
                    }
                };
                assert_eq!(then.len(), states.len());
                let pieces = states.iter().map(|(piece, _)| piece.clone());
                let after = pieces.zip(then).collect();
                Some(read_after(&source, address.clone(), after, now))
            };
            if !is_finished && let Some(after) = apply(Verb::Release) {
                assert!(after.is_none(), "{what}: {after:?}");
                done[0] += 1;
            }
            if reading.status == Status::Processing
                && let Some(after) = apply(Verb::Settle)
            {
                let (record, extra) = after.unwrap_or_else(|| panic!("{what}: gone"));
                assert_eq!(record.status, Status::Completed, "{what}");
                let body = extra.get("response_body").expect("a body");
                assert!(is_answer(body), "{what}: {body}");
                done[1] += 1;
            }
            if is_finished && let Some(after) = apply(Verb::Purge) {
                assert!(after.is_none(), "{what}: {after:?}");
                done[2] += 1;
            }
        }
    }
    assert!(done[0] >= 40 && done[1] >= 20 && done[2] >= 40, "{done:?}");
}

/// What is left of a snapshot with one record belongs to no record.
#[test]
fn no_key_of_a_record_is_left_out_of_its_pieces() {
    for snapshot in corpus::all_redis_snapshots() {
        let Some(layout) = Layouts::built_in().get(&snapshot.layout).cloned() else {
            continue;
        };
        let source = Source::new(layout.clone(), Place::every_key(&layout));
        let records = records(&snapshot.lines);
        let pieces: Vec<RecordPiece> = records
            .iter()
            .flat_map(|(address, _)| source.pieces(address))
            .collect();
        for line in &snapshot.lines {
            let is_part = matches!(line.role.as_str(), "record" | "lock" | "part" | "container");
            // The global lock of a look-up belongs to no record.
            if is_part && line.key != b"MyLock" {
                assert!(
                    pieces.iter().any(|piece| piece.piece.key == line.key),
                    "{} {}: {:?}",
                    snapshot.layout,
                    snapshot.case,
                    String::from_utf8_lossy(&line.key)
                );
            }
        }
    }
}

/// A row of a real table, exact, and the source that reads it.
struct Found {
    source: Arc<Source>,
    record: Record,
}

struct Shop {
    session: Arc<Session>,
    pool: sqlx::PgPool,
    sources: Vec<Arc<Source>>,
}

async fn scanned(url: &str) -> (Shop, Vec<Found>) {
    let target = resolve(Some(url), &TargetOptions::default())
        .expect("a target")
        .target;
    let session = Arc::new(Session::open(&target).await.expect("an open store"));
    let detection = detect(&session, &Layouts::built_in(), &SourceOptions::default())
        .await
        .expect("a detection");
    let sources: Vec<Source> = detection.found.into_iter().map(|f| f.source).collect();
    let (updates, _views) = watch::channel(ScanView::empty());
    let outcome = scan(
        session.clone(),
        sources.clone(),
        ScanOptions::default(),
        updates,
        CancellationToken::new(),
    )
    .await;
    let snapshot = outcome.view.snapshot;
    let shared: Vec<Arc<Source>> = sources.into_iter().map(Arc::new).collect();
    let found = (0..snapshot.len() as u32)
        .filter_map(|row| snapshot.row(row))
        .map(|row| row.record())
        .filter_map(|record| {
            let source = shared.iter().find(|s| s.layout.id == record.layout)?;
            Some(Found {
                source: source.clone(),
                record,
            })
        })
        .collect();
    let pool = sqlx::PgPool::connect(url).await.expect("a connection");
    let shop = Shop {
        session,
        pool,
        sources: shared,
    };
    (shop, found)
}

impl Shop {
    /// The shape of a table and one row of it as PostgreSQL's own text.
    async fn exact(&self, address: &RawAddress, source: &Source) -> (TableShape, Vec<ExactCell>) {
        let RawAddress::Row { schema, table, .. } = address else {
            panic!("a row")
        };
        let columns = sqlx::query(
            "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute \
             WHERE attrelid = format('%I.%I', $1::text, $2::text)::regclass \
             AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        )
        .bind(&**schema)
        .bind(&**table)
        .fetch_all(&self.pool)
        .await
        .expect("columns");
        let columns: Vec<ShapeColumn> = columns
            .iter()
            .map(|row| ShapeColumn {
                name: row.get(0),
                declared: row.get(1),
                generated: false,
            })
            .collect();
        let list: Vec<String> = columns
            .iter()
            .map(|c| format!("\"{}\"::text", c.name))
            .collect();
        let text = format!(
            "SELECT {} FROM \"{schema}\".\"{table}\" WHERE {}",
            list.join(", "),
            where_(address, source)
        );
        let row = sqlx::query(sqlx::AssertSqlSafe(text))
            .fetch_one(&self.pool)
            .await
            .expect("a row");
        let cells = (0..columns.len())
            .map(|at| match row.get::<Option<String>, _>(at) {
                None => ExactCell::Null,
                Some(text) => ExactCell::Text(text),
            })
            .collect();
        let shape = TableShape {
            schema: schema.to_string(),
            table: table.to_string(),
            columns,
            ..TableShape::default()
        };
        (shape, cells)
    }

    async fn write(
        &self,
        address: &RawAddress,
        source: &Source,
        shape: &TableShape,
        cells: &[ExactCell],
    ) {
        let set: Vec<String> = shape
            .columns
            .iter()
            .zip(cells)
            .map(|(column, cell)| {
                let value = match cell {
                    ExactCell::Null => "NULL".to_owned(),
                    ExactCell::Text(text) => format!("'{}'", text.replace('\'', "''")),
                    other => panic!("{}: {other:?} is no text", column.name),
                };
                format!("\"{}\" = {value}::{}", column.name, column.declared)
            })
            .collect();
        let text = format!(
            "UPDATE {}.\"{}\" SET {} WHERE {}",
            shape.schema,
            shape.table,
            set.join(", "),
            where_(address, source)
        );
        sqlx::query(sqlx::AssertSqlSafe(text.clone()))
            .execute(&self.pool)
            .await
            .unwrap_or_else(|error| panic!("{text}: {error}"));
    }

    async fn opened(&self, address: &RawAddress) -> Whole {
        let whole = open(&self.session, &self.sources, address).await;
        whole.expect("an answer").expect("a record")
    }
}

fn where_(address: &RawAddress, source: &Source) -> String {
    let (RawAddress::Row { key, .. }, Place::Table(place)) = (address, &source.place) else {
        panic!("a row")
    };
    if place.key.is_empty() {
        return format!("ctid::text = '{}'", key.concat());
    }
    let equal = |((column, _), value): (&(String, _), &String)| {
        format!("\"{column}\"::text = '{}'", value.replace('\'', "''"))
    };
    let all: Vec<String> = place.key.iter().zip(key).map(equal).collect();
    all.join(" AND ")
}

async fn check_layout(url: &str, layout: &str) -> [usize; 2] {
    let (shop, found) = scanned(url).await;
    let now = shop.session.now();
    let mut done = [0, 0];
    for one in found
        .iter()
        .filter(|one| one.record.status == Status::Processing)
    {
        let (source, address) = (&one.source, &one.record.address);
        for (at, verb) in [Verb::Release, Verb::Settle].into_iter().enumerate() {
            let (shape, cells) = shop.exact(address, source).await;
            let then = source.edit_row(verb, &shape, &cells, Some(&answer()), now);
            let what = format!("{layout} {address:?} {}", verb.name());
            let then = match then {
                Err(why) => {
                    let is_right =
                        source.can(verb).is_err() || why.starts_with("nothing is to be done");
                    assert!(is_right, "{what}: {why}");
                    continue;
                }
                Ok(RowState::Absent) => {
                    done[at] += 1;
                    continue;
                }
                Ok(RowState::Row { cells, .. }) => cells,
            };
            shop.write(address, source, &shape, &then).await;
            let whole = shop.opened(address).await;
            let record = &whole.record;
            if verb == Verb::Release {
                let is_free = record.status != Status::Processing || waits(record);
                assert!(is_free, "{what}: {record:?}");
            } else {
                assert_eq!(record.status, Status::Completed, "{what}");
                assert_eq!(record.response_status, Some(201), "{what}");
                let body = whole.response_body.expect("a body").text;
                assert!(is_answer(&body), "{what}: {body}");
            }
            // As it was: the other verb is tried on the same row.
            shop.write(address, source, &shape, &cells).await;
            done[at] += 1;
        }
    }
    shop.pool.close().await;
    done
}

#[test]
fn every_locked_row_of_the_postgres_corpus_is_released_and_settled() {
    let server = postgres::Server::shared();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut done = [0, 0];
    for layout in corpus::postgres_layouts() {
        if layout == "decoys" {
            continue;
        }
        let database = server.create_database();
        corpus::load_layout(server, &database, &layout);
        let counts = runtime.block_on(check_layout(&server.database_url(&database), &layout));
        done[0] += counts[0];
        done[1] += counts[1];
    }
    assert!(done[0] >= 20 && done[1] >= 8, "{done:?}");
}
