//! Proposals for the stores of real libraries: what is proposed reads at least what the general
//! reading does.
//!
//! Apart from the proposals' own tests because the samples here come through real servers.

mod support;

use idemscope::config::{TargetOptions, resolve};
use idemscope::domain::raw::RawKey;
use idemscope::domain::{Record, Status};
use idemscope::inspect::Session;
use idemscope::inspect::describe::{Sampled, proposal, sample, subjects};
use idemscope::layouts::form::Extent;
use idemscope::layouts::reading::Fit;
use idemscope::layouts::record::to_record;
use idemscope::layouts::trial::{self, Outcome, Sample};
use idemscope::layouts::{Layouts, Place, Source};
use support::{corpus, postgres, redis as server};

async fn session(url: &str) -> Session {
    let target = resolve(Some(url), &TargetOptions::default()).expect("a target");
    Session::open(&target.target).await.expect("an open store")
}

/// Every subject with its sample and the text that is proposed.
async fn proposed(session: &Session) -> Vec<(String, Sampled, String)> {
    let subjects = subjects(session, &[]).await.expect("subjects");
    let mut found = Vec::new();
    for (at, subject) in subjects.list.iter().enumerate() {
        let sampled = sample(session, &subjects, at).await.expect("a sample");
        let text = proposal(&subjects, at, &sampled, &[], session.now()).expect("a text");
        found.push((subject.place.clone(), sampled, text));
    }
    found
}

/// Facts that are told of a record.
fn told(record: &Record) -> Vec<&'static str> {
    let status = (record.status != Status::Unknown).then_some("status");
    let key = record
        .idempotency_key
        .as_ref()
        .or(record.key_digest.as_ref());
    let operation = record.operation.is_some() || record.path.is_some();
    let all = [
        status,
        key.map(|_| "key"),
        record.payload_hash.as_ref().map(|_| "hash"),
        record.response_status.map(|_| "response status"),
        record.created_at.or(record.locked_at).map(|_| "begin"),
        record.completed_at.map(|_| "end"),
        record.lock_until.map(|_| "deadline"),
        record.expires_at.map(|_| "expiry"),
        operation.then_some("operation"),
    ];
    all.into_iter().flatten().collect()
}

fn by_general_reading(raw: &RawKey, session: &Session) -> Option<Record> {
    let layouts = Layouts::built_in();
    let sources = ["generic-record", "generic-keyed-record"].map(|id| {
        let layout = layouts.get(id).expect("a built-in layout");
        Source::new(layout.clone(), Place::every_key(layout))
    });
    sources.iter().find_map(|source| {
        let reading = source.read_key(raw, Extent::Whole, session.now())?;
        let address = idemscope::domain::raw::RawAddress::Key(raw.name.clone());
        let reads = reading.fit > Fit::Weak;
        let record = to_record(reading, source, address, raw.ttl, None, session.now());
        reads.then_some(record)
    })
}

#[test]
fn a_proposal_reads_at_least_what_the_general_reading_reads() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut less = Vec::new();
    let mut compared = 0;
    for layout in corpus::redis_layouts() {
        for snapshot in corpus::redis_snapshots(&layout) {
            let server = server::Server::start();
            corpus::load_snapshot(&mut server.connection(), &snapshot.lines);
            runtime.block_on(async {
                let session = session(&server.url()).await;
                for (place, sampled, text) in proposed(&session).await {
                    let tried = trial::run(&text, &sampled.sample, session.now(), &|| true);
                    let trial = tried
                        .unwrap_or_else(|mistake| panic!("{layout}: {mistake}\n{text}"))
                        .expect("nobody stops it");
                    let Sample::Keys { keys, .. } = &sampled.sample else {
                        continue;
                    };
                    for example in &trial.examples {
                        let Some(general) = by_general_reading(&keys[example.at], &session) else {
                            continue;
                        };
                        compared += 1;
                        let own = match &example.outcome {
                            Outcome::Read(decoded) => told(&decoded.record),
                            Outcome::Not(_) => Vec::new(),
                        };
                        let missing: Vec<&str> = told(&general)
                            .into_iter()
                            .filter(|fact| !own.contains(fact))
                            .collect();
                        if !missing.is_empty() {
                            less.push(format!(
                                "{layout} {place} {}: {missing:?}\n{text}",
                                example.address
                            ));
                        }
                    }
                }
            });
        }
    }
    assert!(compared > 20, "{compared}");
    assert!(
        less.is_empty(),
        "{} of {compared}\n{}",
        less.len(),
        less.join("\n")
    );
}

#[test]
fn a_proposal_for_every_table_is_a_layout() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for layout in corpus::postgres_layouts() {
        let server = postgres::Server::shared();
        let database = server.create_database();
        corpus::load_layout(server, &database, &layout);
        runtime.block_on(async {
            let session = session(&server.database_url(&database)).await;
            for (place, sampled, text) in proposed(&session).await {
                let tried = trial::run(&text, &sampled.sample, session.now(), &|| true);
                let trial = tried.unwrap_or_else(|mistake| panic!("{place}: {mistake}\n{text}"));
                let trial = trial.expect("nobody stops it");
                assert_eq!(trial.faults, Vec::new(), "{layout} {place}\n{text}");
                for example in &trial.examples {
                    let is_read = matches!(example.outcome, Outcome::Read(_));
                    assert!(is_read, "{layout} {place} {example:?}\n{text}");
                }
            }
        });
    }
}
