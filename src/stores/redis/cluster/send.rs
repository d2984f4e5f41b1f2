//! Sends each command to the node that has its key, and asks again where the key is elsewhere.
//!
//! Apart from the map because one question may take many turns while keys move.

use ::redis::{Cmd, Pipeline, Value};
use futures_util::future::join_all;

use super::slots::slot;
use super::topology::Map;
use super::way::{Elsewhere, Patience, elsewhere, key_of, may_come_back};
use super::{Cluster, push};
use crate::stores::redis::line::Server;
use crate::stores::target::Endpoint;
use crate::stores::{StoreError, StoreErrorKind};

/// Where one command goes.
#[derive(Clone, Debug, PartialEq)]
enum Way {
    /// To whoever has the slot now; `None` to any node.
    Slot(Option<u16>),
    /// Where a node said that the key is.
    At(Endpoint),
    /// To the node that the key is moving to.
    Asking(Endpoint),
}

/// A node that cannot answer now, in its own words.
fn said_no(endpoint: &Endpoint, answer: &Value) -> Option<StoreError> {
    let Value::ServerError(error) = answer else {
        return None;
    };
    let words = format!("{} {}", error.code(), error.details().unwrap_or_default());
    let text = format!(
        "{endpoint} cannot answer for its keys now: {}",
        words.trim()
    );
    Some(StoreError::new(StoreErrorKind::Unreachable, text))
}

impl Cluster {
    /// Where the commands of a pipeline go. One without a key goes where the next one with a key does:
    /// the clock that an expiry is reckoned by is that node's.
    fn ways(commands: &[&Cmd]) -> Vec<Way> {
        let mut ways = Vec::with_capacity(commands.len());
        let (mut next, mut known): (Option<u16>, Option<&[u8]>) = (None, None);
        for command in commands.iter().rev() {
            let key = key_of(command);
            // Some commands on end are about the same key.
            if key.is_some() && key != known {
                (next, known) = (key.map(slot), key);
            }
            ways.push(Way::Slot(next));
        }
        ways.reverse();
        ways
    }

    fn place(&self, way: &Way, map: &Map) -> Result<(Endpoint, bool), StoreError> {
        let (slot, primary) = match way {
            Way::At(endpoint) => return Ok((map.known_as(endpoint.clone()), false)),
            Way::Asking(endpoint) => return Ok((map.known_as(endpoint.clone()), true)),
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

    /// Sends each command to the node that has its key, and waits for all answers; the server that gave the
    /// last of them.
    ///
    /// Errors: a node cannot be reached, or a key is nowhere, for as long as the time-out.
    pub async fn ask(
        &self,
        pipeline: &Pipeline,
        count: usize,
    ) -> Result<(Vec<Value>, Server), StoreError> {
        let commands = Commands {
            all: pipeline,
            each: pipeline.cmd_iter().collect(),
        };
        let mut answers = vec![Value::Nil; count];
        let mut last = Server::default();
        let ways = Self::ways(&commands.each);
        let mut open: Vec<(usize, Way)> = ways.iter().cloned().enumerate().collect();
        let mut patience = Patience::of(self.timeout);
        loop {
            let turn = self.turn(&commands, &ways, open).await?;
            for (at, answer, server) in turn.answers {
                if at + 1 == count {
                    last = server;
                }
                if let Some(place) = answers.get_mut(at) {
                    *place = answer;
                }
            }
            if turn.open.is_empty() {
                return Ok((answers, last));
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

    async fn turn(
        &self,
        commands: &Commands<'_>,
        ways: &[Way],
        open: Vec<(usize, Way)>,
    ) -> Result<Turn, StoreError> {
        let way = |at: usize| ways.get(at).cloned().unwrap_or(Way::Slot(None));
        let mut turn = Turn::default();
        let groups = self.groups(open, &mut turn);
        let asked = groups.into_iter().map(|group| async move {
            let (endpoint, asks) = group.place;
            let answer = self.ask_node(&endpoint, asks, commands, &group.of).await;
            (endpoint, group.of, answer)
        });
        for (endpoint, of, answer) in join_all(asked).await {
            let (said, server) = match answer {
                Ok(said) => said,
                Err(error) if may_come_back(&error) => {
                    for at in of {
                        turn.later(at, way(at), Some(error.clone()));
                    }
                    continue;
                }
                Err(error) => return Err(error),
            };
            for (at, answer) in of.into_iter().zip(said) {
                match elsewhere(&answer, &endpoint) {
                    None => turn.answers.push((at, answer, server)),
                    Some(Elsewhere::Moved(to)) => {
                        turn.hint = Some(to.clone());
                        turn.open.push((at, Way::At(to)));
                    }
                    Some(Elsewhere::Ask(to)) => turn.open.push((at, Way::Asking(to))),
                    Some(Elsewhere::Later) => turn.later(at, way(at), said_no(&endpoint, &answer)),
                }
            }
        }
        Ok(turn)
    }

    /// What goes where.
    fn groups(&self, open: Vec<(usize, Way)>, turn: &mut Turn) -> Vec<Group> {
        let map = self.map();
        let mut groups: Vec<Group> = Vec::new();
        // Some commands on end are about the same key.
        let mut last: Option<(Way, usize)> = None;
        for (at, way) in open {
            let known = last.as_ref().filter(|(known, _)| *known == way);
            let group = match known.map(|(_, group)| *group) {
                Some(group) => group,
                None => {
                    let place = match self.place(&way, &map) {
                        Ok(place) => place,
                        Err(error) => {
                            turn.later(at, way, Some(error));
                            continue;
                        }
                    };
                    let known = groups.iter().position(|group| group.place == place);
                    let group = known.unwrap_or(groups.len());
                    if known.is_none() {
                        let of = Vec::new();
                        groups.push(Group { place, of });
                    }
                    last = Some((way, group));
                    group
                }
            };
            if let Some(group) = groups.get_mut(group) {
                group.of.push(at);
            }
        }
        groups
    }

    /// The answers of one node to some of the commands, in their order.
    async fn ask_node(
        &self,
        endpoint: &Endpoint,
        asks: bool,
        commands: &Commands<'_>,
        of: &[usize],
    ) -> Result<(Vec<Value>, Server), StoreError> {
        let line = self.line(endpoint)?;
        if !asks && of.len() == commands.each.len() {
            return line.ask(commands.all, of.len()).await;
        }
        let mut pipeline = Pipeline::with_capacity(of.len() * 2);
        for command in of.iter().filter_map(|at| commands.each.get(*at)) {
            if asks {
                push(&mut pipeline, "ASKING", &[]);
            }
            pipeline.add_command((*command).clone());
        }
        let count = pipeline.len();
        let (answers, server) = line.ask(&pipeline, count).await?;
        let answers = match asks {
            true => answers.into_iter().skip(1).step_by(2).collect(),
            false => answers,
        };
        Ok((answers, server))
    }
}

/// All of a question.
struct Commands<'c> {
    all: &'c Pipeline,
    each: Vec<&'c Cmd>,
}

/// The commands, by their places, that go to one node; whether as `ASKING`.
struct Group {
    place: (Endpoint, bool),
    of: Vec<usize>,
}

/// What came of asking once.
#[derive(Default)]
struct Turn {
    answers: Vec<(usize, Value, Server)>,
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
