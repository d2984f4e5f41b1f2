//! Pieces of the layouts' own samples, released, settled and purged.

use std::sync::Arc;

use super::*;
use crate::domain::Status;
use crate::domain::change::ExactValue;
use crate::domain::stuck::LockState;
use crate::layouts::samples::repairs::{answer, repaired};
use crate::layouts::spec::SampleSpec;
use crate::layouts::{Layouts, check};

fn source_of(layout: &Arc<Layout>, sample: &SampleSpec) -> Source {
    let place = match sample.key {
        Some(_) => Place::every_key(layout),
        None => Place::Table(crate::layouts::source::TablePlace {
            schema: "sample".into(),
            table: "sample".into(),
            columns: Vec::new(),
            hidden: Vec::new(),
            scope: Vec::new(),
            key: Vec::new(),
            addressed: crate::layouts::source::Addressed::ByKey,
            lookups: Vec::new(),
            every: Vec::new(),
            rows: None,
            shows_holder: false,
        }),
    };
    Source::new(layout.clone(), place)
}

/// Every sample of every layout that comes with the program.
fn samples() -> Vec<(Arc<Layout>, SampleSpec, Status)> {
    let layouts = Layouts::built_in();
    let of = |layout: &Arc<Layout>| -> Vec<(Arc<Layout>, SampleSpec, Status)> {
        let samples = layout.spec().sample.iter();
        samples
            .map(|sample| {
                let status = sample
                    .expect
                    .get("status")
                    .and_then(|status| status.as_str());
                let status = status.and_then(Status::from_name).expect("a status");
                (layout.clone(), sample.clone(), status)
            })
            .collect()
    };
    layouts.iter().flat_map(of).collect()
}

#[test]
fn every_layout_says_what_each_verb_does_or_why_not() {
    for layout in Layouts::built_in().iter() {
        let redis = layout.redis.as_ref().map(|redis| &redis.recipes);
        let sql = layout.sql.as_ref().map(|sql| &sql.recipes);
        for recipes in [redis, sql].into_iter().flatten() {
            for verb in [Verb::Release, Verb::Settle, Verb::Purge] {
                let recipe = recipes.of(verb).expect("a recipe");
                assert!(recipe.is_said(), "{}: {}", layout.id, verb.name());
            }
        }
    }
}

#[test]
fn a_released_sample_is_no_lock_any_more() {
    let mut tried = 0;
    for (layout, sample, status) in samples() {
        let what = format!("{} `{}`", layout.id, sample.name);
        if status != Status::Processing || source_of(&layout, &sample).can(Verb::Release).is_err() {
            continue;
        }
        match repaired(&layout, &sample, Verb::Release) {
            Ok(None) => tried += 1,
            Ok(Some((record, _))) => {
                let waits = record
                    .lock
                    .is_some_and(|lock| lock.state == LockState::Waiting);
                assert!(record.status != Status::Processing || waits, "{what}");
                tried += 1;
            }
            // A message that waits has no lock to take away, and a guess is not acted on.
            Err(why) => {
                let is_right = why.starts_with("nothing is to be done") || why.contains("a guess");
                assert!(is_right, "{what}: {why}");
            }
        }
    }
    assert!(tried >= 30, "{tried}");
}

#[test]
fn a_settled_sample_reads_as_the_answer() {
    let mut tried = 0;
    for (layout, sample, status) in samples() {
        let what = format!("{} `{}`", layout.id, sample.name);
        if status != Status::Processing || source_of(&layout, &sample).can(Verb::Settle).is_err() {
            continue;
        }
        let after = match repaired(&layout, &sample, Verb::Settle) {
            Err(why) if &*layout.id == "plain-article" => {
                let is_right = why.contains("a key of this type") || why.contains("a guess");
                assert!(is_right, "{why}");
                continue;
            }
            after => after.unwrap_or_else(|why| panic!("{what}: {why}")),
        };
        let (record, extra) = after.unwrap_or_else(|| panic!("{what}: gone"));
        assert_eq!(record.status, Status::Completed, "{what}");
        // Functions and plain results keep no status.
        let keeps_none = ["idempotency-redis", "plain-lock-and-result"];
        let expected = (!keeps_none.contains(&&*layout.id)).then_some(201);
        assert_eq!(record.response_status, expected, "{what}");
        let body = extra.get("response_body").expect("a body");
        let json: serde_json::Value = serde_json::from_str(body).expect("JSON");
        let own: serde_json::Value = serde_json::from_slice(&answer().body).expect("JSON");
        let inner = json.get("body").and_then(|body| body.as_str());
        let inner = inner.and_then(|body| serde_json::from_str(body).ok());
        assert!(json == own || inner == Some(own), "{what}: {body}");
        tried += 1;
    }
    assert!(tried >= 15, "{tried}");
}

#[test]
fn an_edit_gives_a_state_for_each_piece() {
    let layout = Layouts::built_in().get("powertools-python-cache").cloned();
    let layout = layout.expect("a layout");
    let source = Source::new(layout.clone(), Place::every_key(&layout));
    let key = b"f#3e9cfda1eb624fe84008faff601f1d3f".to_vec();
    let pieces = source.pieces(&RawAddress::Key(key.clone()));
    let names: Vec<&[u8]> = pieces.iter().map(|piece| &piece.piece.key[..]).collect();
    let lock = [&key[..], b":lock"].concat();
    assert_eq!(names, [&key[..], &lock[..]]);
    assert!(
        source.pieces(&RawAddress::Key(lock)).is_empty(),
        "no record"
    );
}

#[test]
fn what_is_not_settled_stays_to_the_byte() {
    let layout = Layouts::built_in()
        .get("idempot-js")
        .cloned()
        .expect("a layout");
    let source = Source::new(layout.clone(), Place::every_key(&layout));
    let before = r#"{"key":"k","fingerprint":"5e","status":"processing","expiresAt":1796041685024, "big":123456789012345678901.50,"e":"\u0041"}"#;
    let expires_at = Some(Timestamp(1_796_041_685_024));
    let state = |text: &str| PieceState::Value {
        value: ExactValue::String(text.as_bytes().to_vec()),
        expires_at,
    };
    let address = RawAddress::Key(b"idempotency:k".to_vec());
    let piece = source.pieces(&address).remove(0);
    let answer = Answer {
        status: 409,
        body: b"no \"JSON\"".to_vec(),
    };
    let now = Timestamp(1_795_953_600_000);
    let then = source.edit_pieces(
        Verb::Settle,
        &[(piece.clone(), state(before))],
        Some(&answer),
        now,
    );
    let after = r#"{"key":"k","fingerprint":"5e","status":"complete","expiresAt":1796041685024,"big":123456789012345678901.50,"e":"\u0041","response":{"body":"no \"JSON\"","headers":{"content-type":"text/plain; charset=utf-8"},"status":409}}"#;
    assert_eq!(then, Ok(vec![state(after)]));
    let binary = Answer {
        status: 200,
        body: vec![0xff],
    };
    let why = source.edit_pieces(Verb::Settle, &[(piece, state(before))], Some(&binary), now);
    assert_eq!(
        why,
        Err("the body must be text here, and it is none".to_owned())
    );
}

#[test]
fn a_lock_and_its_record_are_paired() {
    let layout = Layouts::built_in().get("plain-lock-and-result").cloned();
    let layout = layout.expect("a layout");
    let source = Source::new(layout.clone(), Place::every_key(&layout));
    let keys = |key: &str| -> Vec<String> {
        let pieces = source.pieces(&RawAddress::Key(key.as_bytes().to_vec()));
        let name = |piece: RecordPiece| String::from_utf8(piece.piece.key).expect("text");
        pieces.into_iter().map(name).collect()
    };
    assert_eq!(
        keys("idempotency:lock:a"),
        ["idempotency:lock:a", "idempotency:result:a"]
    );
    assert_eq!(keys("idem:result:a"), ["idem:result:a", "idem:lock:a"]);
}

#[test]
fn a_layout_without_recipes_changes_nothing() {
    let text = "id = \"x\"\ntitle = \"t\"\nclass = \"c\"\n[redis]\nkeys = [\"a:{key}\"]\n\
                [redis.string]\nfields.idempotency_key = \"key.key\"\n\
                [[redis.string.case]]\nname = \"l\"\nstatus = \"processing\"\n";
    let layout = Arc::new(check(text).expect("a layout"));
    let source = Source::new(layout.clone(), Place::every_key(&layout));
    for verb in [Verb::Release, Verb::Settle, Verb::Purge] {
        let why = source.can(verb).expect_err("a reason");
        assert_eq!(why, "this layout does not say how");
    }
    assert_eq!(source.can(Verb::Undo), Ok(()));
}
