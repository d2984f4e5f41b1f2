//! Changes in a cluster: each record's keys in one slot, each call to the node that has it.
//!
//! Apart from the single server because a record that spans slots cannot be changed in one step, and
//! because a node that says that a key is elsewhere has done nothing: there, and only there, the same
//! change goes on to the node that has it. Invariant: nothing is sent twice to a node that may have
//! done it.

mod apart;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::Ordering;

use ::redis::Value;
use ::redis::aio::MultiplexedConnection;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::Mutex;

use super::allow::command;
use super::script::{Call, calls};
use super::{Called, RECORDS, RedisWriter, answers, watched};
use crate::domain::change::{Applied, Outcome, Piece, PieceChange};
use crate::stores::redis::cluster::{Cluster, Elsewhere, Patience, elsewhere, slot};
use crate::stores::target::Endpoint;
use crate::stores::{StoreError, StoreErrorKind};

/// Calls under way to all nodes together, most of them with one record.
const CALLS: usize = RECORDS;

/// The cluster as it is written to: its map, and connections that only changes use.
pub struct Nodes {
    pub cluster: Cluster,
    /// Those that followed others when this was opened: one of them that has slots took them over, and may
    /// not know what was changed just before.
    followers: HashSet<Endpoint>,
    connections: Mutex<HashMap<(Endpoint, Use), MultiplexedConnection>>,
}

/// What a connection is for: what is watched belongs to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    Scripts,
    Watching,
}

/// Why the keys of a record cannot be changed in one step; `None` where they can.
pub fn spans<'p>(pieces: impl Iterator<Item = &'p Piece>) -> Option<String> {
    let mut slots: Vec<u16> = pieces.map(|piece| slot(&piece.key)).collect();
    slots.sort_unstable();
    slots.dedup();
    (slots.len() > 1).then(|| {
        let count = slots.len();
        format!(
            "its keys stand in {count} slots of the cluster and cannot be changed in one atomic step"
        )
    })
}

/// Where the answer to a change came from.
pub enum Reached {
    Answer(Value),
    /// It was never sent, or the node did nothing with it.
    Not(StoreError),
    /// It was sent, and it is not known what was done.
    Lost(StoreError),
}

impl Nodes {
    pub fn new(cluster: Cluster) -> Nodes {
        let map = cluster.map();
        let followers = map.nodes.iter().filter(|node| node.follows.is_some());
        Nodes {
            followers: followers.map(|node| node.endpoint.clone()).collect(),
            cluster,
            connections: Mutex::default(),
        }
    }

    /// Forgets connections, so that each is asked whether it is alive before it is trusted again.
    pub async fn forget(&self) {
        self.connections.lock().await.clear();
    }

    /// A connection to one node that answered just now, or in this step.
    pub async fn connection(
        &self,
        writer: &RedisWriter,
        endpoint: &Endpoint,
        usage: Use,
    ) -> Result<MultiplexedConnection, StoreError> {
        self.stays(endpoint)?;
        let mut held = self.connections.lock().await;
        let place = (endpoint.clone(), usage);
        if let Some(connection) = held.get(&place) {
            return Ok(connection.clone());
        }
        let line = self.cluster.line(endpoint)?;
        let connection = line.connector.connect().await?;
        // A server that stands still accepts connections, and answers nothing on them.
        writer.one(connection.clone(), command(&[b"PING"])).await?;
        held.insert(place, connection.clone());
        Ok(connection)
    }

    /// Errors: it took the place of another node since this was opened.
    fn stays(&self, endpoint: &Endpoint) -> Result<(), StoreError> {
        match self.followers.contains(endpoint) {
            false => Ok(()),
            true => {
                let text = format!(
                    "{endpoint} took the place of another node of the cluster since this began: what \
                     it holds has to be looked at again before anything is changed there"
                );
                Err(StoreError::new(StoreErrorKind::Replaced, text))
            }
        }
    }

    /// A connection to one node, to learn what the login may do.
    pub async fn any(&self, writer: &RedisWriter) -> Result<MultiplexedConnection, StoreError> {
        let map = self.cluster.map();
        let first = map.primaries().next().ok_or_else(nowhere)?;
        self.connection(writer, &first.endpoint, Use::Scripts).await
    }

    pub fn owner(&self, slot: u16) -> Option<Endpoint> {
        let map = self.cluster.map();
        map.owner(slot).map(|node| node.endpoint.clone())
    }
}

fn nowhere() -> StoreError {
    let text = "the cluster has no node that takes this change at the moment";
    StoreError::new(StoreErrorKind::Unreachable, text)
}

/// Changes each record by itself.
pub async fn apply(
    writer: &RedisWriter,
    nodes: &Nodes,
    records: &[(usize, &[PieceChange])],
) -> Called {
    let mut all = Called {
        outcomes: Vec::with_capacity(records.len()),
        trouble: None,
    };
    let mut parts = Vec::with_capacity(records.len());
    for (at, pieces) in records {
        match apart::apart(pieces) {
            Ok(part) => parts.push((*at, part)),
            Err(why) => all
                .outcomes
                .push((*at, Applied::not(Outcome::Refused, why))),
        }
    }
    // Connections that lay idle may have been cut since the last step.
    nodes.forget().await;
    let looked = match nodes.cluster.refresh(None).await {
        Ok(_) => apart::look(&nodes.cluster, &parts).await,
        Err(error) => Err(error),
    };
    let stands = match looked {
        Ok(stands) => stands,
        Err(error) => {
            all.trouble = Some(error);
            return all;
        }
    };
    let mut by_slot: BTreeMap<u16, Vec<(usize, &[PieceChange])>> = BTreeMap::new();
    for (at, part) in &parts {
        match stands.get(at) {
            None => by_slot
                .entry(part.slot)
                .or_default()
                .push((*at, &part.pieces)),
            Some(applied) => all.outcomes.push((*at, applied.clone())),
        }
    }
    match writer.scripts.load(Ordering::Relaxed) {
        true => by_script(writer, nodes, by_slot, &mut all).await,
        false => by_watching(writer, nodes, by_slot, &mut all).await,
    }
    all
}

async fn by_script(
    writer: &RedisWriter,
    nodes: &Nodes,
    by_slot: BTreeMap<u16, Vec<(usize, &[PieceChange])>>,
    all: &mut Called,
) {
    let portions = by_slot.into_iter().flat_map(|(slot, records)| {
        let of_slot = calls(&records).into_iter();
        of_slot.map(move |call| (slot, call)).collect::<Vec<_>>()
    });
    let mut portions = portions.collect::<Vec<_>>().into_iter();
    let mut waiting = FuturesUnordered::new();
    loop {
        while waiting.len() < CALLS && all.trouble.is_none() {
            let Some((slot, call)) = portions.next() else {
                break;
            };
            waiting.push(one(writer, nodes, slot, call));
        }
        let Some(done) = waiting.next().await else {
            break;
        };
        all.outcomes.extend(done.outcomes);
        all.trouble = all.trouble.take().or(done.trouble);
    }
}

async fn one(writer: &RedisWriter, nodes: &Nodes, slot: u16, call: Call<'_>) -> Called {
    match reach(writer, nodes, slot, &call).await {
        Reached::Answer(answer) => writer.decoded(call, answer),
        Reached::Not(error) => call.all(answers::not_reached(), Some(error)),
        Reached::Lost(error) => call.all(answers::unanswered(), Some(error)),
    }
}

/// Sends a call to the node that has its slot, and on to where it says that the slot is.
async fn reach(writer: &RedisWriter, nodes: &Nodes, slot: u16, call: &Call<'_>) -> Reached {
    let arguments = call.arguments(writer.expiry());
    let mut patience = Patience::of(writer.timeout / 4);
    let mut place = nodes.owner(slot).map(|owner| (owner, Asks::Plainly));
    loop {
        let Some((endpoint, asks)) = place.take() else {
            return Reached::Not(nowhere());
        };
        let connection = match nodes.connection(writer, &endpoint, Use::Scripts).await {
            Ok(connection) => connection,
            Err(error) => return Reached::Not(error),
        };
        let answer = match asks {
            Asks::Plainly => writer.evaluate(connection, &arguments).await,
            Asks::Asking => writer.evaluate_asking(connection, &arguments).await,
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                nodes.forget().await;
                return Reached::Lost(error);
            }
        };
        let goes_on = match elsewhere(&answer, &endpoint) {
            None => return Reached::Answer(answer),
            Some(Elsewhere::Moved(to)) => {
                // One look for all that moved with it.
                let _ = nodes.cluster.refresh(Some(&to)).await;
                place = Some((nodes.cluster.map().known_as(to), Asks::Plainly));
                patience.turn()
            }
            Some(Elsewhere::Ask(to)) => {
                place = Some((nodes.cluster.map().known_as(to), Asks::Asking));
                patience.turn()
            }
            Some(Elsewhere::Later) => {
                let waited = patience.wait().await;
                let _ = nodes.cluster.refresh(None).await;
                place = nodes.owner(slot).map(|owner| (owner, Asks::Plainly));
                waited
            }
        };
        if !goes_on {
            return Reached::Not(nowhere());
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asks {
    Plainly,
    /// The slot is on its way to this node.
    Asking,
}

async fn by_watching(
    writer: &RedisWriter,
    nodes: &Nodes,
    by_slot: BTreeMap<u16, Vec<(usize, &[PieceChange])>>,
    all: &mut Called,
) {
    for (slot, records) in by_slot {
        let mut left = records.as_slice();
        let mut patience = Patience::of(writer.timeout / 4);
        while !left.is_empty() {
            let (done, trouble) = watch(writer, nodes, slot, left).await;
            let Some(error) = trouble else {
                all.outcomes.extend(done);
                break;
            };
            // Nothing stays watched on a connection that is used again.
            nodes.forget().await;
            let is_elsewhere = error.kind == StoreErrorKind::Unsupported;
            let count = done.len().saturating_sub(usize::from(is_elsewhere));
            all.outcomes.extend(done.into_iter().take(count));
            left = left.get(count..).unwrap_or_default();
            if !is_elsewhere || !patience.wait().await {
                all.trouble = Some(match is_elsewhere {
                    true => nowhere(),
                    false => error,
                });
                return;
            }
            // The node did nothing with the last one: it is for the node that has it now.
            let _ = nodes.cluster.refresh(None).await;
        }
    }
}

async fn watch(
    writer: &RedisWriter,
    nodes: &Nodes,
    slot: u16,
    records: &[(usize, &[PieceChange])],
) -> (Vec<(usize, Applied)>, Option<StoreError>) {
    let Some(endpoint) = nodes.owner(slot) else {
        return (Vec::new(), Some(nowhere()));
    };
    match nodes.connection(writer, &endpoint, Use::Watching).await {
        Ok(connection) => {
            let done = watched::by(writer, connection, records).await;
            (done.outcomes, done.trouble)
        }
        Err(error) => (Vec::new(), Some(error)),
    }
}
