//! Many servers that are one store: each command goes to the node that has its key.
//!
//! Apart from `line` because keys move between nodes and nodes fail while we read. Invariants: only
//! what reads is sent from here, so that what was lost is asked again; where an answer came from a
//! node that has the key no more, it is not taken; waiting is bounded by the target's time-out.

mod slots;
mod topology;
mod walk;
mod way;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::redis::{Cmd, Pipeline, Value};
use futures_util::future::join_all;

use super::connect::Connector;
use super::line::Line;
use super::{push, text_of};
use crate::stores::target::{Endpoint, Look, RedisTarget, Ssh};
use crate::stores::{StoreError, StoreErrorKind};

pub use slots::slot;
pub use topology::{Map, Node};
use walk::Walks;
pub use way::{Elsewhere, Patience, elsewhere};
use way::{key_of, may_come_back};

pub struct Cluster {
    origin: Connector,
    seeds: Vec<Endpoint>,
    look: Look,
    is_encrypted: bool,
    timeout: Duration,
    map: Mutex<Arc<Map>>,
    lines: Mutex<HashMap<Endpoint, Arc<Line>>>,
    walks: Mutex<Walks>,
}

/// Where one command goes.
#[derive(Clone, Debug)]
enum Way {
    /// To whoever has the slot now; `None` to any node.
    Slot(Option<u16>),
    /// Where a node said that the key is.
    At(Endpoint),
    /// To the node that the key is moving to.
    Asking(Endpoint),
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
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = lines.get(endpoint) {
            return Ok(Arc::clone(line));
        }
        let line = Arc::new(Line::new(self.origin.at(endpoint, self.look)));
        lines.insert(endpoint.clone(), Arc::clone(&line));
        Ok(line)
    }

    /// Looks who has what, first at the node that was just heard of.
    ///
    /// Errors: no node tells.
    pub async fn refresh(&self, hint: Option<&Endpoint>) -> Result<Arc<Map>, StoreError> {
        let known = self.map();
        let mut asked: Vec<Endpoint> = hint.cloned().into_iter().collect();
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
                Ok(map) => {
                    let map = Arc::new(map);
                    let mut held = self.map.lock().unwrap_or_else(PoisonError::into_inner);
                    *held = Arc::clone(&map);
                    return Ok(map);
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

    /// The cluster as one node sees it.
    pub async fn told_by(&self, endpoint: &Endpoint) -> Result<Map, StoreError> {
        let line = self.line(endpoint)?;
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

    /// Where the commands of a pipeline go. One without a key goes where the next one with a key does:
    /// the clock that an expiry is reckoned by is that node's.
    fn ways(commands: &[&Cmd]) -> Vec<Way> {
        let mut ways = Vec::with_capacity(commands.len());
        let mut next = None;
        for command in commands.iter().rev() {
            next = key_of(command).map(slot).or(next);
            ways.push(Way::Slot(next));
        }
        ways.reverse();
        ways
    }

    fn place(&self, way: &Way, map: &Map) -> Result<(Endpoint, bool), StoreError> {
        let (slot, primary) = match way {
            Way::At(endpoint) => return Ok((endpoint.clone(), false)),
            Way::Asking(endpoint) => return Ok((endpoint.clone(), true)),
            Way::Slot(None) => (None, map.primaries().next()),
            Way::Slot(Some(slot)) => (Some(slot), map.owner(*slot)),
        };
        let Some(primary) = primary else {
            let text = match slot {
                Some(slot) => format!("no node of the cluster has slot {slot}"),
                None => "no node of the cluster has keys".to_owned(),
            };
            return Err(StoreError::new(StoreErrorKind::Unreachable, text));
        };
        let serving = map.serving(primary, self.look);
        let serving = serving.ok_or_else(|| self.no_replica(primary))?;
        Ok((serving.endpoint.clone(), false))
    }

    /// Sends each command to the node that has its key, and waits for all answers.
    ///
    /// Errors: a node cannot be reached, or a key is nowhere, for as long as the time-out.
    pub async fn send(&self, pipeline: &Pipeline, count: usize) -> Result<Vec<Value>, StoreError> {
        let commands: Vec<&Cmd> = pipeline.cmd_iter().collect();
        let mut answers = vec![Value::Nil; count];
        let mut open: Vec<(usize, Way)> = Self::ways(&commands).into_iter().enumerate().collect();
        let mut patience = Patience::of(self.timeout);
        loop {
            let turn = self.turn(&commands, open).await?;
            for (at, answer) in turn.answers {
                if let Some(place) = answers.get_mut(at) {
                    *place = answer;
                }
            }
            if turn.open.is_empty() {
                return Ok(answers);
            }
            let goes_on = match turn.waits {
                true => patience.wait().await,
                false => patience.turn(),
            };
            if !goes_on {
                return Err(turn.trouble.unwrap_or_else(|| {
                    let text = "keys of the cluster keep moving and could not be read";
                    StoreError::new(StoreErrorKind::Unreachable, text)
                }));
            }
            if let Err(error) = self.refresh(turn.hint.as_ref()).await
                && !may_come_back(&error)
            {
                return Err(error);
            }
            open = turn.open;
        }
    }

    async fn turn(&self, commands: &[&Cmd], open: Vec<(usize, Way)>) -> Result<Turn, StoreError> {
        let map = self.map();
        let mut groups: HashMap<(Endpoint, bool), Vec<usize>> = HashMap::new();
        let mut turn = Turn::default();
        for (at, way) in open {
            match self.place(&way, &map) {
                Ok(place) => groups.entry(place).or_default().push(at),
                Err(error) => turn.later(at, way, Some(error)),
            }
        }
        let asked = groups.into_iter().map(|((endpoint, asks), of)| async move {
            let answer = self.ask(&endpoint, asks, commands, &of).await;
            (endpoint, of, answer)
        });
        for (endpoint, of, answer) in join_all(asked).await {
            let said = match answer {
                Ok(said) => said,
                Err(error) if may_come_back(&error) => {
                    for at in of {
                        let way = Self::ways(commands).swap_remove(at);
                        turn.later(at, way, Some(error.clone()));
                    }
                    continue;
                }
                Err(error) => return Err(error),
            };
            for (at, answer) in of.into_iter().zip(said) {
                match elsewhere(&answer, &endpoint) {
                    None => turn.answers.push((at, answer)),
                    Some(Elsewhere::Moved(to)) => {
                        turn.hint = Some(to.clone());
                        turn.open.push((at, Way::At(to)));
                    }
                    Some(Elsewhere::Ask(to)) => turn.open.push((at, Way::Asking(to))),
                    Some(Elsewhere::Later) => {
                        let way = Self::ways(commands).swap_remove(at);
                        turn.later(at, way, None);
                    }
                }
            }
        }
        Ok(turn)
    }

    /// The answers of one node to some of the commands, in their order.
    async fn ask(
        &self,
        endpoint: &Endpoint,
        asks: bool,
        commands: &[&Cmd],
        of: &[usize],
    ) -> Result<Vec<Value>, StoreError> {
        let mut pipeline = Pipeline::with_capacity(of.len() * 2);
        for command in of.iter().filter_map(|at| commands.get(*at)) {
            if asks {
                push(&mut pipeline, "ASKING", &[]);
            }
            pipeline.add_command((*command).clone());
        }
        let count = pipeline.len();
        let answers = self.line(endpoint)?.send(&pipeline, count).await?;
        Ok(match asks {
            true => answers.into_iter().skip(1).step_by(2).collect(),
            false => answers,
        })
    }
}

/// What came of asking once.
#[derive(Default)]
struct Turn {
    answers: Vec<(usize, Value)>,
    open: Vec<(usize, Way)>,
    /// A node that knows better.
    hint: Option<Endpoint>,
    waits: bool,
    trouble: Option<StoreError>,
}

impl Turn {
    fn later(&mut self, at: usize, way: Way, error: Option<StoreError>) {
        self.open.push((at, way));
        self.waits = true;
        self.trouble = self.trouble.take().or(error);
    }
}
