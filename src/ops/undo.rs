//! Plans that put back what a run changed.
//!
//! Each change is turned around, and compared in the store like any other: a newer record is never
//! written over. What has expired since is not put back. Apart from `plan`, which starts from what
//! is stored; this starts from the journal.

use std::borrow::Cow;

use super::clock::StoreClock;
use super::journal::{Entry, Found, Run};
use super::look::{Now, look};
use super::plan::{Item, Plan, Refusal, Warning};
use crate::domain::change::{Change, Outcome, PieceChange, PieceState, RowChange, RowState, Verb};
use crate::domain::{LockAgeSource, Status, Stuck, Timestamp};
use crate::stores::target::is_same_store;
use crate::stores::{ReadStore, StoreError, Target, open_where_changes_go};

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UndoError {
    #[error("run `{id}` was on {theirs}, not on {target}")]
    OtherStore {
        id: String,
        theirs: String,
        target: String,
    },
    #[error("run `{0}` is an undo: run what it undid once more instead")]
    OfUndo(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes the plan that undoes a run. The run must have been read with its changes.
///
/// Errors: it was on another store, is an undo itself, or the store cannot be read.
pub async fn plan(store: &ReadStore, target: &Target, run: &Run) -> Result<Plan, UndoError> {
    let (header, named) = (&run.header, target.to_string());
    if !is_same_store(&named, &header.target) {
        return Err(UndoError::OtherStore {
            id: header.id.clone(),
            theirs: header.target.clone(),
            target: named,
        });
    }
    if header.verb == Verb::Undo {
        return Err(UndoError::OfUndo(header.id.clone()));
    }
    let primary = open_where_changes_go(target).await?;
    let store = primary.as_ref().unwrap_or(store);
    let clock = StoreClock::ask(store).await?;
    let mut plan = Plan::empty(Verb::Undo, &named, clock.now()).undoing(&header.id);
    let made =
        |entry: &&Entry| matches!(entry.outcome, None | Some(Outcome::Done | Outcome::Unknown));
    let entries: Vec<&Entry> = run.entries.iter().filter(made).collect();
    let (mut known, mut changes) = (Vec::new(), Vec::new());
    for entry in entries {
        match &entry.change {
            Some(change) => {
                known.push(entry);
                changes.push(where_it_stands(entry, change));
            }
            None => refuse(
                &mut plan,
                entry,
                Outcome::Refused,
                "its old state cannot be read",
            ),
        }
    }
    let asked: Vec<&Change> = changes.iter().map(AsRef::as_ref).collect();
    let found = look(store, &asked).await?;
    let mut bytes = 0;
    for ((entry, change), now) in known.into_iter().zip(asked).zip(found) {
        match back(entry, change, &now, clock.now()) {
            Ok(change) => {
                let warning = warning(header.verb, entry);
                if let Some(item) = item(entry, change, warning) {
                    plan.add(item, &mut bytes);
                }
            }
            Err((outcome, why)) => refuse(&mut plan, entry, outcome, why),
        }
    }
    Ok(plan)
}

fn warning(undone: Verb, entry: &Entry) -> Option<Warning> {
    match (entry.outcome, undone) {
        // Where a version is known, the store said that the run had written it.
        (None | Some(Outcome::Unknown), _) if entry.version.is_none() => {
            Some(Warning::MayBeOfOthers)
        }
        (_, Verb::Release) => Some(Warning::LockComesBack),
        _ => None,
    }
}

/// A row that only its place addresses stands in another one since it was changed.
fn where_it_stands<'e>(entry: &Entry, change: &'e Change) -> Cow<'e, Change> {
    let place = entry.version.as_deref().and_then(|v| v.split_once(' '));
    match (change, place) {
        (Change::Row(row), Some((_, place))) if row.shape.key == ["ctid"] => {
            let key = vec![place.to_owned()];
            Cow::Owned(Change::Row(RowChange { key, ..row.clone() }))
        }
        _ => Cow::Borrowed(change),
    }
}

/// The change turned around, with what is known of the row as it is now.
fn back(
    entry: &Entry,
    change: &Change,
    now: &Now,
    at: Timestamp,
) -> Result<Change, (Outcome, &'static str)> {
    // A store may write a value in its own way (jsonb), so the version says more than the cells.
    let is_ours = match (change, entry.version.as_deref(), now.version()) {
        (Change::Row(row), Some(ours), Some(there)) => row.shape.is_same_write(ours, there),
        _ => false,
    };
    match now.found {
        _ if is_ours => {}
        Found::AsBefore => {
            return Err((
                Outcome::Gone,
                "it stands as it was before: nothing to put back",
            ));
        }
        Found::SomethingElse => {
            return Err((Outcome::ChangedMeanwhile, "something newer stands there"));
        }
        Found::AsPlanned if entry.version.is_some() => {
            return Err((Outcome::ChangedMeanwhile, "the row was written since"));
        }
        Found::AsPlanned => {}
    }
    match change.inverted() {
        Change::Keys(pieces) => {
            let pieces: Vec<PieceChange> = pieces
                .into_iter()
                .map(|piece| if_still_valid(piece, at))
                .collect();
            match pieces.iter().all(|piece| piece.seen == piece.then) {
                true => Err((Outcome::Refused, "its time has passed: nothing is put back")),
                false => Ok(Change::Keys(pieces)),
            }
        }
        Change::Row(row) if is_keyless(&row) && matches!(row.seen, RowState::Absent) => Err((
            Outcome::Refused,
            "the table has no key that a newer record could be told by: put the row back by hand, \
             from the journal",
        )),
        Change::Row(mut row) => {
            if let Some(there) = &now.row {
                row.seen.clone_from(there);
            }
            Ok(Change::Row(row))
        }
    }
}

/// Whether rows are addressed by their place alone, which the store gives to others as well.
fn is_keyless(row: &RowChange) -> bool {
    matches!(row.shape.key.as_slice(), [only] if only == "ctid" || only == "rowid")
}

/// What would have expired by now stays as it is.
fn if_still_valid(piece: PieceChange, at: Timestamp) -> PieceChange {
    match &piece.then {
        PieceState::Value {
            expires_at: Some(end),
            ..
        } if *end <= at => PieceChange {
            then: piece.seen.clone(),
            ..piece
        },
        _ => piece,
    }
}

fn item(entry: &Entry, change: Change, warning: Option<Warning>) -> Option<Item> {
    Some(Item {
        address: entry.address.clone()?,
        layout: entry.layout.as_str().into(),
        idempotency_key: entry.idempotency_key.clone(),
        scope: None,
        operation: None,
        status: Status::Unknown,
        stuck: Stuck::CannotTell,
        age: None,
        age_source: LockAgeSource::None,
        past_lease: None,
        recovery_point: None,
        response_status: None,
        warning,
        change,
    })
}

fn refuse(plan: &mut Plan, entry: &Entry, outcome: Outcome, why: &str) {
    if let Some(address) = &entry.address {
        plan.refuse(Refusal {
            address: address.clone(),
            outcome,
            why: why.to_owned(),
        });
    }
}
