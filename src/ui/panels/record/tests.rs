//! What the panel says, as text.

use std::fmt::Write as _;
use std::sync::Arc;

use super::data::{RecordData, record_data};
use crate::app::State;
use crate::app::state::Opened;
use crate::app::view::{Part, Whole};
use crate::domain::raw::{RawAddress, Ttl};
use crate::domain::{Duration, LockFacts, Record, Status, Timestamp};
use crate::layouts::layout::RetryAction;
use crate::layouts::{KeyPlace, Layouts, Place, RetryAnswer, Source};
use crate::present::words::Standing;

const MINUTE: i64 = 60_000;
/// 2026-11-29 13:07:14 UTC.
const NOW: Timestamp = Timestamp(1_795_957_634_000);

fn ago(minutes: i64) -> Timestamp {
    Timestamp(NOW.0 - minutes * MINUTE)
}

fn record() -> Record {
    Record {
        address: RawAddress::Key(b"idempotency:7f3a".to_vec()),
        layout: "plain-article".into(),
        idempotency_key: Some("7f3a".to_owned()),
        key_digest: None,
        scope: vec![("user".to_owned(), "user_42".to_owned())],
        operation: None,
        method: Some("POST".to_owned()),
        path: Some("/payments".to_owned()),
        status: Status::Processing,
        payload_hash: Some("3f2a9c41".to_owned()),
        response_status: None,
        response_bytes: None,
        attempts: Some(6),
        replays: None,
        locked_at: Some(ago(19)),
        lock_until: Some(ago(14)),
        created_at: None,
        completed_at: None,
        failed_at: None,
        expires_at: Some(ago(-1421)),
        ttl: Ttl::Unknown,
        read_at: NOW,
        lock: Some(LockFacts {
            start: Some(ago(19)),
            deadline: Some(ago(14)),
            ..LockFacts::default()
        }),
        problems: Vec::new(),
    }
}

fn state(record: Record, retry: RetryAnswer) -> State {
    let layouts = Layouts::built_in();
    let layout = layouts.get("plain-article").expect("a layout").clone();
    let place = Place::Keys(KeyPlace {
        templates: vec![0],
        ..KeyPlace::default()
    });
    let mut state = State::default();
    state.clock.here = Timestamp(NOW.0 - 3);
    let opened = Opened {
        skew: Some(Duration(3)),
        ..Opened::default()
    };
    state.connection.store.ready(Arc::new(opened), NOW);
    state.record.open = Some(record.address.clone());
    let whole = Whole {
        record,
        source: Arc::new(Source::new(layout, place)),
        response_body: None,
        response_headers: None,
        request_body: None,
        error: None,
        owner: None,
        recovery_point: None,
        parts: vec![Part {
            address: "idempotency:7f3a".to_owned(),
            kind: "string".to_owned(),
            ttl: Ttl::Never,
            bytes: Some(214),
        }],
        raw: serde_json::Value::Null,
        retry,
        read_at: NOW,
    };
    state.record.whole.ready(Some(Arc::new(whole)), NOW);
    state
}

fn conflict() -> RetryAnswer {
    RetryAnswer {
        action: RetryAction::RefuseInProgress,
        status: Some(409),
        why: "the lock stands".to_owned(),
    }
}

fn text(data: &RecordData) -> String {
    let mut text = format!(
        "{} [{}]\n{}, {}\n",
        data.title,
        data.layout,
        data.standing.word(),
        data.lead
    );
    let _ = writeln!(text, "{}", data.note.as_deref().unwrap_or("-"));
    for point in data.time_line.iter().flat_map(|line| &line.points) {
        let _ = writeln!(text, "  {:.2} {} {}", point.at, point.word, point.time);
    }
    if let Some(evidence) = &data.evidence {
        let _ = writeln!(text, "{}", evidence.title);
        for (what, from) in &evidence.lines {
            let _ = writeln!(text, "  {what} ({from})");
        }
    }
    for fact in &data.facts {
        let _ = writeln!(text, "{}: {} | {}", fact.label, fact.value, fact.note);
    }
    if let Some(retry) = &data.retry {
        let _ = writeln!(text, "> {} | {} | {}", retry.lead, retry.words, retry.why);
    }
    text
}

#[track_caller]
fn check(state: &State, expected: &str) {
    let data = record_data(state).expect("a record is open");
    assert_eq!(text(&data), expected);
}

#[test]
fn a_stuck_lock_says_why() {
    check(
        &state(record(), conflict()),
        "7f3a [plain-article]
Stuck, 14 min past its lease
Retries get 409 until the record expires in 23 h 41 min
  0.00 locked 12:48:14
  0.16 lease ended 12:53:14
  0.60 now 13:07:14
  1.00 expires 30 Nov 12:48:14
Why it counts as stuck
  Deadline passed 14 min ago ()
  Locked for 19 min ()
  By the store’s clock, 3 ms ahead (store clock)
Status: Processing | 
Locked: 12:48:14 | 19 min ago
Lease until: 12:53:14 | 14 min ago
Expires: 30 Nov 12:48:14 | in 23 h 41 min
Payload hash: 3f2a9c41 | 
Response:  | none stored
Attempts: 6 | 
Address: idempotency:7f3a | 
Source: idempotency:{scope}:{key} | 
> 409 Conflict | Refused: still in progress | the lock stands
",
    );
}

#[test]
fn a_lock_without_times_says_that_it_cannot_be_told() {
    let mut record = record();
    record.locked_at = None;
    record.lock_until = None;
    record.lock = Some(LockFacts::default());
    let data = record_data(&state(record, conflict())).expect("a record is open");
    assert_eq!(data.standing, Standing::Processing);
    assert_eq!(data.lead, "stuck or not cannot be told");
    let evidence = data.evidence.expect("evidence");
    assert!(!evidence.is_told);
    assert_eq!(
        evidence.lines[0].0,
        "No deadline is stored and no lease is set"
    );
    assert_eq!(data.time_line, None);
}

#[test]
fn a_record_that_is_gone_says_so() {
    let mut state = state(record(), conflict());
    state.record.whole.ready(None, NOW);
    let data = record_data(&state).expect("a record is open");
    assert_eq!(data.trouble.as_deref(), Some("The record is gone"));
    assert_eq!(data.title, "idempotency:7f3a");
}
