//! Many servers that are one store: each command goes to the node that has its key.
//!
//! Apart from `line` because keys move between nodes and nodes fail while we read. Invariants: only
//! what reads is sent from here, so that what was lost is asked again; where an answer came from a
//! node that has the key no more, it is not taken; waiting is bounded by the target's time-out.

mod coverage;
mod send;
mod slots;
mod topology;
mod walk;
mod way;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::redis::{Pipeline, Value};
use futures_util::future::join_all;

use super::connect::Connector;
use super::line::Line;
use super::{push, text_of};
use crate::stores::target::{Endpoint, Look, RedisTarget, Ssh};
use crate::stores::{StoreError, StoreErrorKind};

pub use slots::slot;
pub use topology::{Map, Node};
use walk::Walks;
pub use way::{Elsewhere, Patience, elsewhere, may_come_back};

pub struct Cluster {
    origin: Connector,
    seeds: Vec<Endpoint>,
    look: Look,
    is_encrypted: bool,
    timeout: Duration,
    map: Mutex<Arc<Map>>,
    /// By node and by what it is asked as.
    lines: Mutex<HashMap<(Endpoint, Look), Arc<Line>>>,
    walks: Mutex<Walks>,
}

impl Cluster {
    /// Errors: no node answers, the login is refused, or it is no cluster.
    pub async fn open(
        target: &RedisTarget,
        ssh: Option<&Ssh>,
        timeout: Duration,
    ) -> Result<Cluster, StoreError> {
        let cluster = Cluster {
            origin: Connector::new(target, ssh, timeout)?,
            seeds: target.seeds().cloned().collect(),
            look: target.look,
            is_encrypted: target.tls.is_some(),
            timeout,
            map: Mutex::default(),
            lines: Mutex::default(),
            walks: Mutex::default(),
        };
        cluster.refresh(None).await?;
        Ok(cluster)
    }

    /// What it is called in errors of no single node.
    pub fn label(&self) -> String {
        format!("the cluster of {}", self.origin.label())
    }

    pub fn encryption(&self) -> &'static str {
        self.origin.encryption()
    }

    pub fn look(&self) -> Look {
        self.look
    }

    /// The answer of each node that is looked at to the same command without a key.
    ///
    /// Errors: one cannot be reached.
    pub async fn each(&self, pipeline: &Pipeline) -> Result<Vec<Value>, StoreError> {
        let nodes = self.serving(&self.map())?;
        let asked = nodes.iter().map(|node| async {
            let answers = self.line(&node.endpoint)?.send(pipeline, 1).await?;
            Ok(answers.into_iter().next().unwrap_or(Value::Nil))
        });
        join_all(asked).await.into_iter().collect()
    }

    /// A line to each node that is looked at.
    pub async fn served(&self) -> Result<Vec<Arc<Line>>, StoreError> {
        let map = self.refresh(None).await?;
        let nodes = self.serving(&map)?;
        nodes.iter().map(|node| self.line(&node.endpoint)).collect()
    }

    /// The nodes at which keys are changed, whatever is looked at.
    pub async fn primaries(&self) -> Result<Vec<Connector>, StoreError> {
        let map = self.refresh(None).await?;
        let primaries = map.primaries();
        Ok(primaries
            .map(|node| self.origin.at(&node.endpoint, Look::Primary))
            .collect())
    }

    pub fn map(&self) -> Arc<Map> {
        let map = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&map)
    }

    pub fn line(&self, endpoint: &Endpoint) -> Result<Arc<Line>, StoreError> {
        self.line_as(endpoint, self.look)
    }

    fn line_as(&self, endpoint: &Endpoint, look: Look) -> Result<Arc<Line>, StoreError> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = lines.get(&(endpoint.clone(), look)) {
            return Ok(Arc::clone(line));
        }
        let line = Arc::new(Line::new(self.origin.at(endpoint, look)));
        lines.insert((endpoint.clone(), look), Arc::clone(&line));
        Ok(line)
    }

    /// Takes a new picture of the cluster, and closes what led to nodes that are gone.
    fn take(&self, map: Map) -> Arc<Map> {
        let map = Arc::new(map);
        let mut held = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        *held = Arc::clone(&map);
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.retain(|(endpoint, _), _| {
            let is_known = map.nodes.iter().any(|node| node.endpoint == *endpoint);
            is_known || self.seeds.contains(endpoint)
        });
        map
    }

    /// Looks who has what, first at the node that was just heard of.
    ///
    /// Errors: no node tells.
    pub async fn refresh(&self, hint: Option<&Endpoint>) -> Result<Arc<Map>, StoreError> {
        let known = self.map();
        let hint = hint.cloned().map(|hint| known.known_as(hint));
        let mut asked: Vec<Endpoint> = hint.into_iter().collect();
        asked.extend(known.primaries().map(|node| node.endpoint.clone()));
        asked.extend(self.seeds.iter().cloned());
        asked.extend(known.nodes.iter().map(|node| node.endpoint.clone()));
        let mut first_error = None;
        let mut tried: Vec<Endpoint> = Vec::new();
        for endpoint in asked {
            if tried.contains(&endpoint) {
                continue;
            }
            match self.told_by(&endpoint).await {
                Ok(map) => return Ok(self.take(map)),
                // A new node may have been told by an address that its certificate does not have.
                Err(error) if error.kind == StoreErrorKind::Tls => {
                    first_error = first_error.or(Some(error));
                }
                // What is refused here is refused everywhere.
                Err(error) if !may_come_back(&error) => return Err(error),
                Err(error) => first_error = first_error.or(Some(error)),
            }
            tried.push(endpoint);
        }
        Err(first_error.unwrap_or_else(|| {
            StoreError::new(
                StoreErrorKind::Unreachable,
                "no node of the cluster is known",
            )
        }))
    }

    /// The cluster as this node itself sees it, whatever it is by now.
    pub async fn told_by(&self, endpoint: &Endpoint) -> Result<Map, StoreError> {
        let line = self.line_as(endpoint, Look::Primary)?;
        let mut pipeline = Pipeline::new();
        push(&mut pipeline, "CLUSTER", &[b"NODES"]);
        let answer = line.send(&pipeline, 1).await?.into_iter().next();
        let fail = |kind, text: String| Err(StoreError::new(kind, format!("{endpoint} {text}")));
        match answer {
            Some(Value::ServerError(error)) if error.code() == "NOPERM" => fail(
                StoreErrorKind::Denied,
                "does not allow CLUSTER NODES, which tells where the keys are".to_owned(),
            ),
            Some(Value::ServerError(error)) if error.code() == "NOAUTH" => {
                fail(StoreErrorKind::Login, "asks for a password".to_owned())
            }
            Some(Value::ServerError(error)) => fail(
                StoreErrorKind::Unsupported,
                format!(
                    "is no node of a cluster: {}",
                    error.details().unwrap_or(error.code())
                ),
            ),
            Some(answer) => {
                let text = text_of(&answer).unwrap_or_default();
                let map = Map::read(&text, endpoint, self.is_encrypted);
                if map.primaries().next().is_none() {
                    let text = "knows no node of the cluster that has keys";
                    return fail(StoreErrorKind::Unreachable, text.to_owned());
                }
                Ok(map)
            }
            None => fail(StoreErrorKind::Protocol, "gave no answer".to_owned()),
        }
    }

    /// Where each primary's keys are looked at.
    ///
    /// Errors: a replica is wanted, and a primary has none.
    pub fn serving(&self, map: &Map) -> Result<Vec<Node>, StoreError> {
        let all = map.primaries().map(|primary| {
            let serving = map.serving(primary, self.look).cloned();
            serving.ok_or_else(|| self.no_replica(primary))
        });
        all.collect()
    }

    fn no_replica(&self, primary: &Node) -> StoreError {
        let text = format!("{} has no replica to look at", primary.endpoint);
        StoreError::new(StoreErrorKind::Unreachable, text)
    }
}
