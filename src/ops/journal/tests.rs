//! Journals in a folder of their own: written, read, broken and altered.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::domain::change::{Applied, Change, ExactValue, Piece, PieceChange, PieceState, Verb};
use crate::domain::raw::RawAddress;
use crate::domain::{LockAgeSource, Status, Stuck};
use crate::ops::plan::{Item, Refusal};

const AT: Timestamp = Timestamp(1_795_953_600_000);

fn header(verb: Verb) -> Header {
    Header {
        id: String::new(),
        verb,
        target: "redis://127.0.0.1:1".to_owned(),
        connection: Some("payments".to_owned()),
        production: true,
        login: Some("ops".to_owned()),
        by: Some("somebody".to_owned()),
        host: Some("here".to_owned()),
        reason: Some("stuck since the deploy".to_owned()),
        started_at: AT,
        planned: 3,
        undoes: None,
        after: None,
    }
}

fn item(name: &str) -> Item {
    Item {
        address: RawAddress::Key(name.as_bytes().to_vec()),
        layout: Arc::from("plain-article"),
        idempotency_key: Some(name.to_owned()),
        scope: None,
        operation: None,
        status: Status::Processing,
        stuck: Stuck::Yes,
        age: None,
        age_source: LockAgeSource::None,
        past_lease: None,
        recovery_point: None,
        response_status: None,
        warning: None,
        change: Change::Keys(vec![PieceChange {
            piece: Piece::whole(name),
            seen: PieceState::Value {
                value: ExactValue::String(b"processing\xff".to_vec()),
                expires_at: Some(Timestamp(5)),
            },
            then: PieceState::Absent,
        }]),
    }
}

/// A run of three of which one was done, one has no outcome and one was never reached.
fn write(folder: &Path) -> String {
    let journal = Journal::begin(folder, header(Verb::Release)).expect("begun");
    journal.before(0, &[item("a"), item("b")]).expect("written");
    journal.sync().expect("synced");
    journal.outcome(0, &Applied::done(), AT).expect("written");
    journal
        .left(&[Refusal {
            address: RawAddress::Key(b"c".to_vec()),
            outcome: Outcome::Refused,
            why: "it is completed".to_owned(),
        }])
        .expect("written");
    journal.id.clone()
}

fn file(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.jsonl"))
}

#[test]
fn a_run_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let id = write(folder.path());
    assert_eq!(id, "20261129-120000-release");
    let run = read(folder.path(), &id, Depth::Changes).expect("a run");
    assert_eq!(run.chain, ChainState::Whole);
    assert_eq!(run.header.reason.as_deref(), Some("stuck since the deploy"));
    assert_eq!(run.entries[0].outcome, Some(Outcome::Done));
    assert_eq!(run.entries[1].change.as_ref(), Some(&item("b").change));
    assert_eq!(run.end, None);
    let tally = run.tally();
    let of = |outcome| tally.of(outcome);
    assert_eq!((of(Outcome::Done), of(Outcome::Unknown)), (1, 1));
    assert_eq!((of(Outcome::NotReached), of(Outcome::Refused)), (1, 1));
    assert_eq!(run.open_entries().count(), 1);
}

#[test]
#[cfg(unix)]
fn only_the_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().join("journal");
    fs::create_dir(&journal).expect("made");
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o755)).expect("set");
    let id = write(&journal);
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&journal), mode(&file(&journal, &id))), (0o700, 0o600));
}

#[test]
fn a_broken_tail_is_told_and_what_stands_before_it_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let id = write(folder.path());
    let text = fs::read(file(folder.path(), &id)).expect("read");
    for cut in 1..40 {
        fs::write(file(folder.path(), &id), &text[..text.len() - cut]).expect("written");
        let run = read(folder.path(), &id, Depth::Changes).expect("a run");
        assert_eq!(run.chain, ChainState::BrokenTail, "{cut} bytes short");
        assert_eq!(run.entries.len(), 2);
    }
}

#[test]
fn what_was_altered_is_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let id = write(folder.path());
    let path = file(folder.path(), &id);
    let text = fs::read_to_string(&path).expect("read");
    fs::write(&path, text.replace("\"released\"", "\"gone\"")).expect("written");
    let run = read(folder.path(), &id, Depth::Changes).expect("a run");
    assert_eq!(run.chain, ChainState::Altered(4));
    let lines: Vec<&str> = text.lines().collect();
    let without: Vec<&str> = [&lines[..2], &lines[3..]].concat();
    fs::write(&path, without.join("\n") + "\n").expect("written");
    let run = read(folder.path(), &id, Depth::Changes).expect("a run");
    assert_eq!(run.chain, ChainState::Altered(3));
}

#[test]
fn runs_are_chained_to_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = write(folder.path());
    let second = write(folder.path());
    assert_eq!(second, "20261129-120000-release-2");
    let chain = |folder: &Path| -> Vec<ChainState> {
        runs(folder).into_iter().map(|run| run.chain).collect()
    };
    assert_eq!(chain(folder.path()), [ChainState::Whole, ChainState::Whole]);
    fs::remove_file(file(folder.path(), &first)).expect("removed");
    assert_eq!(chain(folder.path()), [ChainState::BeforeMissing(first)]);
}

#[test]
fn a_place_that_cannot_be_written_is_an_error_before_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let in_the_way = folder.path().join("journal");
    fs::write(&in_the_way, "a file").expect("written");
    let error = Journal::begin(&in_the_way, header(Verb::Purge)).expect_err("no folder");
    assert!(error.text.starts_with("the journal"), "{error}");
}

#[test]
fn ids_that_lead_elsewhere_are_none() {
    let folder = tempfile::tempdir().expect("a folder");
    for id in ["../x", "", "nothing", "/etc/passwd"] {
        assert!(read(folder.path(), id, Depth::Outcomes).is_err(), "{id}");
    }
}
