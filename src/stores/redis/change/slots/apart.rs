//! What of a record stands in one slot and is changed there, and what is only to stay away elsewhere.
//!
//! Apart from the sending because most layouts know keys beside a record's own, which in a cluster are in
//! other slots and of most records not there. Such a key is looked at just before the change: a moment is
//! left in which it may come, and none in which what is changed may.

use std::borrow::Cow;
use std::collections::HashMap;

use ::redis::{Pipeline, Value};

use super::spans;
use crate::domain::change::{Applied, Outcome, Piece, PieceChange, PiecePart};
use crate::stores::StoreError;
use crate::stores::redis::cluster::{Cluster, slot};
use crate::stores::redis::{push, text_of};

/// One record.
pub struct Part<'c> {
    pub slot: u16,
    /// All of it that stands in the slot.
    pub pieces: Cow<'c, [PieceChange]>,
    /// What is not there, elsewhere.
    away: Vec<&'c Piece>,
}

/// Errors: its keys stand in several slots; a sentence.
pub fn apart(pieces: &[PieceChange]) -> Result<Part<'_>, String> {
    let own = || pieces.iter().filter(|change| !change.stays_away());
    if let Some(why) = spans(own().map(|change| &change.piece)) {
        return Err(why);
    }
    let first = own().next().or(pieces.first());
    let first = first.ok_or("it names no key")?;
    let slot = slot(&first.piece.key);
    let is_here = |change: &PieceChange| super::slot(&change.piece.key) == slot;
    if pieces.iter().all(is_here) {
        let (pieces, away) = (Cow::Borrowed(pieces), Vec::new());
        return Ok(Part { slot, pieces, away });
    }
    let (here, away): (Vec<&PieceChange>, Vec<&PieceChange>) =
        pieces.iter().partition(|change| is_here(change));
    Ok(Part {
        slot,
        pieces: here.into_iter().cloned().collect(),
        away: away.into_iter().map(|change| &change.piece).collect(),
    })
}

/// Records of which something stands elsewhere by now, with the outcome of each.
///
/// Errors: a node cannot be asked.
pub async fn look(
    cluster: &Cluster,
    parts: &[(usize, Part<'_>)],
) -> Result<HashMap<usize, Applied>, StoreError> {
    let mut pipeline = Pipeline::new();
    let mut of = Vec::new();
    for (at, part) in parts {
        for piece in &part.away {
            let key = piece.key.as_slice();
            match &piece.part {
                PiecePart::Whole => push(&mut pipeline, "TYPE", &[key]),
                PiecePart::Member(name) => push(&mut pipeline, "SISMEMBER", &[key, name]),
                PiecePart::Field(name) => push(&mut pipeline, "HMGET", &[key, name]),
                PiecePart::Score(name) => push(&mut pipeline, "ZSCORE", &[key, name]),
            }
            of.push(*at);
        }
    }
    let mut stands = HashMap::new();
    if of.is_empty() {
        return Ok(stands);
    }
    let (answers, _) = cluster.ask(&pipeline, of.len()).await?;
    for (at, answer) in of.into_iter().zip(answers) {
        let applied = match &answer {
            Value::ServerError(error) => Applied::not(
                Outcome::Refused,
                format!(
                    "a key beside it cannot be looked at: {}",
                    error.details().unwrap_or(error.code())
                ),
            ),
            answer if is_absent(answer) => continue,
            _ => Applied::not(Outcome::ChangedMeanwhile, "a key beside it is there now"),
        };
        stands.insert(at, applied);
    }
    Ok(stands)
}

/// As `TYPE`, `SISMEMBER`, `HMGET` of one field and `ZSCORE` say it.
fn is_absent(answer: &Value) -> bool {
    match answer {
        Value::Nil | Value::Int(0) => true,
        Value::Array(fields) => fields.iter().all(|field| *field == Value::Nil),
        answer => text_of(answer).as_deref() == Some("none"),
    }
}
