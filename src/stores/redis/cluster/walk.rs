//! One walk through the keys of a cluster: all primaries side by side, each slot by a node that had it
//! from the beginning of its walk to the end.
//!
//! Apart from `send` because a cursor belongs to one server, and a slot that moved meanwhile was not
//! seen whole by anybody. Such slots are walked again where they are now (`coverage` tells which);
//! names may come twice, none is left out. Invariants: the number of walks and of turns is bounded;
//! what could not be walked whole is an error and no silence.

use std::collections::VecDeque;
use std::sync::PoisonError;

use ::redis::Pipeline;
use futures_util::future::join_all;

use super::coverage::{AllTold, Coverage, Hold, SlotSet};
use super::slots::{SLOTS, slot};
use super::topology::{Map, Node};
use super::{Cluster, Patience, may_come_back};
use crate::stores::redis::fetch;
use crate::stores::redis::line::Server;
use crate::stores::target::Endpoint;
use crate::stores::{ScanStep, StoreError, StoreErrorKind};

/// Walks that are open at once; the oldest is forgotten.
const WALKS_MAX: usize = 16;
/// How often what moved is walked again.
const ROUNDS_MAX: u32 = 40;
/// What moved is walked again at once so often; then with pauses.
const QUICK_ROUNDS: u32 = 2;
/// Names that one node is asked for at least.
const COUNT_MIN: usize = 5;

#[derive(Default)]
pub struct Walks {
    last: u64,
    open: VecDeque<(u64, Walk)>,
}

/// One node's part of a walk.
struct Part {
    /// The primary whose keys they are.
    primary: Node,
    endpoint: Endpoint,
    /// What it said of its slots before its walk began.
    before: Hold,
    /// Names of other slots are known already.
    only: Option<SlotSet>,
    cursor: u64,
    /// Whose cursor it is.
    server: Option<Server>,
    is_done: bool,
}

struct Walk {
    parts: Vec<Part>,
    coverage: Coverage,
    rounds: u32,
    patience: Patience,
    /// Why it cannot go on; said in the next step.
    trouble: Option<StoreError>,
    /// Cursors of this server do not tell how far they are.
    is_odd: bool,
}

/// A step of a walk.
pub struct Walked {
    /// 0 at the end.
    pub cursor: u64,
    pub names: Vec<Vec<u8>>,
    pub share: Option<f32>,
}

impl Cluster {
    /// The next names of a walk; a new walk where the cursor is 0.
    ///
    /// Errors: no node tells, a glob or a right is refused, or slots kept moving.
    pub async fn walk(&self, step: &ScanStep) -> Result<Walked, StoreError> {
        let mut walk = match step.cursor {
            0 => self.begin().await?,
            cursor => self.taken(cursor)?,
        };
        if let Some(trouble) = walk.trouble {
            return Err(trouble);
        }
        let mut names = Vec::new();
        self.go_on(&mut walk, step, &mut names).await?;
        if walk.parts.iter().all(|part| part.is_done) {
            match self.further(&mut walk).await {
                Ok(true) => {}
                Ok(false) => {
                    let share = Some(1.0);
                    return Ok(Walked {
                        cursor: 0,
                        names,
                        share,
                    });
                }
                // What was found is not lost by it.
                Err(error) if !names.is_empty() => walk.trouble = Some(error),
                Err(error) => return Err(error),
            }
        }
        let share = walk.share();
        let mut walks = self.walks.lock().unwrap_or_else(PoisonError::into_inner);
        let cursor = match step.cursor {
            0 => {
                walks.last += 1;
                walks.last
            }
            cursor => cursor,
        };
        walks.open.push_back((cursor, walk));
        if walks.open.len() > WALKS_MAX {
            walks.open.pop_front();
        }
        Ok(Walked {
            cursor,
            names,
            share,
        })
    }

    fn taken(&self, cursor: u64) -> Result<Walk, StoreError> {
        let mut walks = self.walks.lock().unwrap_or_else(PoisonError::into_inner);
        let at = walks.open.iter().position(|(id, _)| *id == cursor);
        let walk = at
            .and_then(|at| walks.open.remove(at))
            .map(|(_, walk)| walk);
        walk.ok_or_else(|| {
            let text = "a walk through the cluster was given up: begin again";
            StoreError::new(StoreErrorKind::Vanished, text)
        })
    }

    async fn begin(&self) -> Result<Walk, StoreError> {
        let map = self.refresh(None).await?;
        let mut parts = Vec::new();
        for (primary, hold) in self.holds(&map).await? {
            // One that does not answer now is met later.
            if let Some(before) = hold {
                parts.push(self.part(&map, primary, before, None)?);
            }
        }
        Ok(Walk {
            parts,
            coverage: Coverage::new(),
            rounds: 0,
            trouble: None,
            patience: Patience::within(self.timeout * 3, self.timeout * 3),
            is_odd: false,
        })
    }

    fn part(
        &self,
        map: &Map,
        primary: &Node,
        before: Hold,
        only: Option<SlotSet>,
    ) -> Result<Part, StoreError> {
        let serving = map.serving(primary, self.look);
        let serving = serving.ok_or_else(|| self.no_replica(primary))?;
        Ok(Part {
            primary: primary.clone(),
            endpoint: serving.endpoint.clone(),
            before,
            only,
            cursor: 0,
            server: None,
            is_done: false,
        })
    }

    /// What each primary says of its slots; `None` of one that does not answer.
    ///
    /// Errors: it will not be told later either.
    async fn holds<'m>(&self, map: &'m Map) -> Result<Vec<(&'m Node, Option<Hold>)>, StoreError> {
        let asked = map.primaries().map(|primary| async move {
            let serving = map.serving(primary, self.look);
            let replica = serving.map(|node| &node.endpoint);
            Ok((primary, self.hold(primary, replica).await?))
        });
        join_all(asked).await.into_iter().collect()
    }

    async fn hold(
        &self,
        primary: &Node,
        serving: Option<&Endpoint>,
    ) -> Result<Option<Hold>, StoreError> {
        match self.told_by(&primary.endpoint).await {
            Ok(map) => return Ok(Some(Hold::own(&map, &primary.id))),
            Err(error) if !may_come_back(&error) => return Err(error),
            Err(_) => {}
        }
        // A primary that is down gives nothing away: its replica's word is as good.
        let Some(replica) = serving.filter(|serving| **serving != primary.endpoint) else {
            return Ok(None);
        };
        match self.told_by(replica).await {
            Ok(map) => Ok(Some(Hold::told(&map, &primary.id))),
            Err(error) if !may_come_back(&error) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// One step of each part, side by side.
    async fn go_on(
        &self,
        walk: &mut Walk,
        step: &ScanStep,
        names: &mut Vec<Vec<u8>>,
    ) -> Result<(), StoreError> {
        let open = walk.parts.iter_mut().filter(|part| !part.is_done);
        let mut open: Vec<&mut Part> = open.collect();
        let count = (step.count / open.len().max(1)).max(COUNT_MIN);
        let asked = open.iter().map(|part| self.page(part, step, count));
        let pages = join_all(asked).await;
        let mut ended = Vec::new();
        for (part, page) in open.iter_mut().zip(pages) {
            match page {
                Ok((server, (cursor, found))) => {
                    let backwards = cursor.reverse_bits() < part.cursor.reverse_bits();
                    walk.is_odd |= cursor != 0 && backwards;
                    // After a new start a server has another order of names: its slots are walked again.
                    let is_same = part.server.is_none_or(|own| own == server);
                    part.server = Some(server);
                    part.cursor = cursor;
                    part.is_done = cursor == 0 || !is_same;
                    let is_wanted = |name: &Vec<u8>| {
                        let only = part.only.as_ref();
                        only.is_none_or(|only| only.has(slot(name)))
                    };
                    names.extend(found.into_iter().filter(is_wanted));
                    if part.is_done && is_same {
                        let place = part.endpoint.clone();
                        ended.push((part.primary.clone(), place, part.before.clone()));
                    }
                }
                // Its slots were not walked whole; whoever has them next is walked from the beginning.
                Err(error) if may_come_back(&error) => part.is_done = true,
                Err(error) => return Err(error),
            }
        }
        for (primary, place, before) in ended {
            if let Some(after) = self.hold(&primary, Some(&place)).await? {
                walk.coverage.walked(&before, &after);
            }
        }
        Ok(())
    }

    async fn page(
        &self,
        part: &Part,
        step: &ScanStep,
        count: usize,
    ) -> Result<(Server, (u64, Vec<Vec<u8>>)), StoreError> {
        let mut pipeline = Pipeline::new();
        fetch::scan_page(&mut pipeline, step, part.cursor, count);
        let line = self.line(&part.endpoint)?;
        let (answers, server) = line.ask(&pipeline, 1).await?;
        let page = fetch::page(&line.connector.label(), answers.into_iter().next())?;
        Ok((server, page))
    }

    /// Parts for what was not walked whole; false where that is nothing.
    ///
    /// Errors: it has been tried often enough.
    async fn further(&self, walk: &mut Walk) -> Result<bool, StoreError> {
        walk.patience.begin();
        loop {
            let map = match self.refresh(None).await {
                Ok(map) => map,
                Err(error) if !may_come_back(&error) => return Err(error),
                Err(_) => self.map(),
            };
            let holds = self.holds(&map).await?;
            let missing = walk.missing(&map, &holds);
            let count = missing.slots().count();
            if count == 0 {
                return Ok(false);
            }
            walk.rounds += 1;
            if walk.rounds > ROUNDS_MAX {
                return Err(kept_moving(count));
            }
            walk.coverage.next_round();
            walk.parts = Vec::new();
            for (primary, hold) in holds {
                if let Some(before) = hold.filter(|hold| walk.coverage.wants(&missing, hold)) {
                    let only = Some(missing.clone());
                    walk.parts.push(self.part(&map, primary, before, only)?);
                }
            }
            let is_busy = walk.parts.is_empty() || walk.rounds > QUICK_ROUNDS;
            if is_busy && !walk.patience.wait().await {
                return Err(kept_moving(count));
            }
            if !walk.parts.is_empty() {
                return Ok(true);
            }
        }
    }
}

fn kept_moving(count: usize) -> StoreError {
    let text = format!(
        "{count} of {SLOTS} slots of the cluster moved or had no node while it was read: some records \
         may be missing"
    );
    StoreError::new(StoreErrorKind::Vanished, text)
}

impl Walk {
    /// What nobody was seen to have all the time, of what anybody has: by its own word, and by what is
    /// said of nodes that do not answer or are not known yet.
    fn missing(&mut self, map: &Map, holds: &[(&Node, Option<Hold>)]) -> SlotSet {
        let told: Vec<Hold> = holds.iter().filter_map(|(_, hold)| hold.clone()).collect();
        let all = match told.len() == holds.len() {
            true => AllTold::Yes,
            false => AllTold::No,
        };
        let owned = (0..SLOTS).filter(|slot| map.owner(*slot).is_some());
        let mut claimed = SlotSet::of(owned);
        for hold in &told {
            let own = hold.settled.slots().chain(hold.leaving.slots());
            own.for_each(|slot| claimed.add(slot));
        }
        self.coverage.missing(&claimed, &told, all)
    }

    /// How far it is, where cursors tell; the first time through.
    fn share(&self) -> Option<f32> {
        if self.is_odd || self.rounds > 0 || self.parts.is_empty() {
            return None;
        }
        let of = |part: &Part| match part.is_done {
            true => 1.0,
            false => fetch::share(part.cursor),
        };
        let sum: f32 = self.parts.iter().map(of).sum();
        Some(sum / self.parts.len() as f32)
    }
}
