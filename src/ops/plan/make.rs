//! Makes a plan: reads each record again, exactly, judges it, and asks its layout what changes.
//!
//! What is compared later is what was read here. Bound: records in units of a few hundred, so that
//! the server is not held.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::rules::{self, Ruling};
use super::{Ask, Item, Plan, Refusal, Wanted, Warning};
use crate::domain::change::{
    Answer, Change, ExactCell, Outcome, Piece, PieceChange, PieceState, RowChange, RowState,
    TableShape, Verb,
};
use crate::domain::raw::{RawAddress, Ttl};
use crate::domain::{Duration, LockAgeSource, Record, Stuck, Timestamp};
use crate::layouts::field::Field;
use crate::layouts::form::Extent;
use crate::layouts::pieces::RecordPiece;
use crate::layouts::reading::Reading;
use crate::layouts::record::to_record;
use crate::layouts::{Place, Source, TablePlace};
use crate::ops::clock::StoreClock;
use crate::stores::{ExactQuery, ExactRow, ReadStore, StoreError, StoreErrorKind, Unread};

/// Records read at once.
const UNIT: usize = 200;

/// How far the making of a plan is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub looked_at: usize,
    pub of: usize,
}

/// Makes the plan for these records, in their order.
///
/// Errors: the store is lost or refuses. A cancelled plan holds what was looked at; the rest counts
/// as beyond it.
pub async fn make(
    store: &ReadStore,
    target: &str,
    ask: &Ask,
    wanted: &[Wanted],
    progress: impl Fn(Progress),
    cancel: &CancellationToken,
) -> Result<Plan, StoreError> {
    let clock = StoreClock::ask(store).await?;
    let mut maker = Maker {
        store,
        ask,
        clock,
        plan: Plan::empty(ask.verb, target, clock.now()),
        bytes: 0,
    };
    for key in &ask.missing {
        maker.plan.refuse(Refusal {
            address: RawAddress::Key(key.clone().into_bytes()),
            outcome: Outcome::Gone,
            why: "there is no record of this key".to_owned(),
        });
    }
    let mut looked_at = 0;
    for unit in units(wanted) {
        if cancel.is_cancelled() {
            maker.plan.beyond += (wanted.len() - looked_at) as u64;
            break;
        }
        match unit.first().map(|first| &first.source.place) {
            Some(Place::Table(place)) => maker.rows(unit, place).await?,
            Some(Place::Keys(_)) => maker.keys(unit).await?,
            None => {}
        }
        looked_at += unit.len();
        progress(Progress {
            looked_at,
            of: wanted.len(),
        });
    }
    Ok(maker.plan)
}

/// Neighbours of one source, a few hundred at a time.
fn units(wanted: &[Wanted]) -> impl Iterator<Item = &[Wanted]> {
    wanted
        .chunk_by(|a, b| Arc::ptr_eq(&a.source, &b.source))
        .flat_map(|same| same.chunks(UNIT))
}

struct Maker<'m> {
    store: &'m ReadStore,
    ask: &'m Ask,
    clock: StoreClock,
    plan: Plan,
    bytes: usize,
}

/// A record as the rules see it.
struct Judged {
    record: Record,
    recovery_point: Option<String>,
    held: Option<bool>,
    /// Whether holding could matter and could not be told.
    may_be_held: Option<Warning>,
}

impl Maker<'_> {
    async fn keys(&mut self, unit: &[Wanted]) -> Result<(), StoreError> {
        let of = |wanted: &Wanted| wanted.source.pieces(&wanted.address);
        let mut records: Vec<Vec<RecordPiece>> = unit.iter().map(of).collect();
        let asked: Vec<Piece> = records
            .iter()
            .flatten()
            .map(|piece| piece.piece.clone())
            .collect();
        let mut states = self.store.exact_pieces(&asked).await?.into_iter();
        for (wanted, record) in unit.iter().zip(records.drain(..)) {
            let states: Vec<Result<PieceState, Unread>> =
                states.by_ref().take(record.len()).collect();
            if let Err((outcome, why)) = self.key(wanted, record, states) {
                self.refuse(wanted, outcome, why);
            }
        }
        Ok(())
    }

    fn key(
        &mut self,
        wanted: &Wanted,
        record: Vec<RecordPiece>,
        states: Vec<Result<PieceState, Unread>>,
    ) -> Result<(), (Outcome, String)> {
        let refused = |why: String| (Outcome::Refused, why);
        if record.is_empty() || record.len() != states.len() {
            return Err(refused("its address is none of this layout's".to_owned()));
        }
        let mut pieces: Vec<(RecordPiece, PieceState)> = Vec::with_capacity(record.len());
        for (piece, state) in record.into_iter().zip(states) {
            let state = state.map_err(|unread| refused(words(&unread)))?;
            pieces.push((piece, state));
        }
        if pieces.iter().all(|(_, state)| *state == PieceState::Absent) {
            return Err((Outcome::Gone, "it is gone".to_owned()));
        }
        let now = self.clock.now();
        let reading = wanted.source.read_pieces(&pieces, now);
        let Some(reading) = reading.filter(|reading| reading.is_record) else {
            let why = "what stands there now is no record of this layout";
            return Err((Outcome::ChangedMeanwhile, why.to_owned()));
        };
        let ttl = ttl(pieces.first().map(|(_, state)| state), now);
        let judged = judged(reading, wanted, ttl, now);
        let item = self.judge(wanted, judged, |verb, answer| {
            let thens = wanted.source.edit_pieces(verb, &pieces, answer, now)?;
            if thens.len() != pieces.len() {
                return Err("the layout does not describe every piece".to_owned());
            }
            let changes = pieces
                .iter()
                .zip(thens)
                .map(|((piece, seen), then)| PieceChange {
                    piece: piece.piece.clone(),
                    seen: seen.clone(),
                    then,
                });
            Ok(Change::Keys(changes.collect()))
        })?;
        // What is not there and stays away stands nowhere.
        if let Change::Keys(changes) = &item.change {
            let standing = changes.iter().filter(|change| !change.stays_away());
            if let Some(why) = self.store.spans(standing.map(|change| &change.piece)) {
                return Err(refused(why));
            }
        }
        self.plan.add(item, &mut self.bytes);
        Ok(())
    }

    async fn rows(&mut self, unit: &[Wanted], place: &TablePlace) -> Result<(), StoreError> {
        let Some(source) = unit.first().map(|first| first.source.clone()) else {
            return Ok(());
        };
        let plan = source.row_plan(Extent::Whole);
        let key_of = |wanted: &Wanted| match &wanted.address {
            RawAddress::Row { key, .. } => key.clone(),
            RawAddress::Key(_) | RawAddress::Member { .. } => Vec::new(),
        };
        let query = ExactQuery {
            schema: place.schema.clone(),
            table: place.table.clone(),
            keys: unit.iter().map(key_of).collect(),
            wants: plan.wants.clone(),
        };
        let exact = match self.store.exact_rows(&query).await {
            // Of this place only: the tables beside it can be changed.
            Err(error) if error.kind == StoreErrorKind::Unsupported => {
                for wanted in unit {
                    self.refuse(wanted, Outcome::Refused, error.text.to_string());
                }
                return Ok(());
            }
            answer => answer?,
        };
        for (at, (wanted, row)) in unit.iter().zip(&exact.rows).enumerate() {
            let now = self.clock.now();
            let reading = source.read_row(&exact.typed, at, &plan, Extent::Whole, now);
            if let Err((outcome, why)) = self.row(wanted, &exact.shape, row, reading) {
                self.refuse(wanted, outcome, why);
            }
        }
        Ok(())
    }

    fn row(
        &mut self,
        wanted: &Wanted,
        shape: &Arc<TableShape>,
        row: &ExactRow,
        reading: Option<Reading<'_>>,
    ) -> Result<(), (Outcome, String)> {
        if shape.key.is_empty() {
            let why = "nothing tells this row from others: the table has no key";
            return Err((Outcome::Refused, why.to_owned()));
        }
        let (RowState::Row { cells, .. }, RawAddress::Row { key, .. }) =
            (&row.state, &wanted.address)
        else {
            return Err((Outcome::Gone, "it is gone".to_owned()));
        };
        if row.is_one_of_several {
            let why = "several rows have its address, and nothing tells them apart";
            return Err((Outcome::Refused, why.to_owned()));
        }
        let Some(reading) = reading.filter(|reading| reading.is_record) else {
            let why = "what stands there now is no record of this layout";
            return Err((Outcome::ChangedMeanwhile, why.to_owned()));
        };
        let now = self.clock.now();
        let mut judged = judged(reading, wanted, Ttl::Unknown, now);
        judged.held = row.held;
        let is_versioned = matches!(
            &row.state,
            RowState::Row {
                version: Some(_),
                ..
            }
        );
        if row.held.is_none() && is_versioned {
            judged.may_be_held = Some(Warning::MayBeHeld);
        }
        let item = self.judge(wanted, judged, |verb, answer| {
            let then = wanted.source.edit_row(verb, shape, cells, answer, now)?;
            restorable(shape, cells, &then)?;
            Ok(Change::Row(RowChange {
                shape: shape.clone(),
                key: key.clone(),
                seen: row.state.clone(),
                then,
            }))
        })?;
        self.plan.add(item, &mut self.bytes);
        Ok(())
    }

    /// The rules first, then the layout.
    fn judge(
        &self,
        wanted: &Wanted,
        judged: Judged,
        change: impl FnOnce(Verb, Option<&Answer>) -> Result<Change, String>,
    ) -> Result<Item, (Outcome, String)> {
        let now = self.clock.now();
        let record = judged.record;
        if rules::was_renewed(wanted.lives_until, &record) {
            let why = "its lease grew since it was listed: its request is alive";
            return Err((Outcome::Alive, why.to_owned()));
        }
        let verdict = rules::verdict(&record, self.ask.older_than, now);
        let ruling = rules::rule(self.ask, &record, verdict.as_ref(), judged.held, now);
        let warning = match ruling {
            Ruling::Left(outcome, why) => return Err((outcome, why)),
            Ruling::Allowed(warning) => warning,
        };
        let change = change(self.ask.verb, self.ask.answer.as_ref())
            .map_err(|why| (Outcome::Refused, why))?;
        Ok(Item {
            address: wanted.address.clone(),
            layout: wanted.source.layout.id.clone(),
            scope: record.scope_text(),
            stuck: verdict.map_or(Stuck::CannotTell, |verdict| verdict.stuck),
            age: verdict.and_then(|verdict| verdict.age(now)),
            age_source: verdict.map_or(LockAgeSource::None, |verdict| verdict.source),
            past_lease: verdict.and_then(|verdict| verdict.past_lease(now)),
            recovery_point: judged.recovery_point,
            response_status: record.response_status,
            status: record.status,
            operation: operation(&record),
            idempotency_key: record.idempotency_key,
            warning: warning.or(judged.may_be_held),
            change,
        })
    }

    fn refuse(&mut self, wanted: &Wanted, outcome: Outcome, why: String) {
        self.plan.refuse(Refusal {
            address: wanted.address.clone(),
            outcome,
            why,
        });
    }
}

fn judged(mut reading: Reading<'_>, wanted: &Wanted, ttl: Ttl, now: Timestamp) -> Judged {
    let extra = std::mem::take(&mut reading.extra);
    let point = extra
        .iter()
        .find(|(field, _)| *field == Field::RecoveryPoint);
    let recovery_point = point.and_then(|(_, slot)| slot.text().map(|text| text.into_owned()));
    let source: &Source = &wanted.source;
    let own = match ttl {
        Ttl::Left(left) => Some(Duration(left)),
        Ttl::Never | Ttl::Unknown => None,
    };
    let longest = own.max(wanted.longest_ttl);
    Judged {
        record: to_record(reading, source, wanted.address.clone(), ttl, longest, now),
        recovery_point,
        held: None,
        may_be_held: None,
    }
}

fn ttl(own: Option<&PieceState>, now: Timestamp) -> Ttl {
    match own {
        Some(PieceState::Value {
            expires_at: Some(at),
            ..
        }) => Ttl::Left(now.until(*at).millis()),
        Some(PieceState::Value { .. }) => Ttl::Never,
        _ => Ttl::Unknown,
    }
}

fn operation(record: &Record) -> Option<String> {
    let request = match (&record.method, &record.path) {
        (Some(method), Some(path)) => Some(format!("{method} {path}")),
        (None, Some(path)) => Some(path.clone()),
        _ => None,
    };
    record.operation.clone().or(request)
}

/// Whether undo could put the row back.
fn restorable(shape: &TableShape, cells: &[ExactCell], then: &RowState) -> Result<(), String> {
    let RowState::Row { cells: next, .. } = then else {
        if !shape.hidden.is_empty() {
            let hidden = shape.hidden.join("`, `");
            return Err(format!(
                "the row could not be put back: this login may not read `{hidden}`"
            ));
        }
        if let Some(table) = shape.cascades.first() {
            return Err(format!("deleting it would change rows of `{table}` too"));
        }
        return Ok(());
    };
    if next.len() != cells.len() {
        return Err("the layout does not describe the row".to_owned());
    }
    match next == cells {
        true => Err("it is already as it would be made".to_owned()),
        false => Ok(()),
    }
}

fn words(unread: &Unread) -> String {
    match unread {
        Unread::TooLarge(bytes) => {
            format!("it is too large to be kept for undo ({bytes} bytes)")
        }
        Unread::OtherType(kind) => format!("part of it is a {}", kind.name()),
        Unread::Refused(why) => why.clone(),
    }
}
