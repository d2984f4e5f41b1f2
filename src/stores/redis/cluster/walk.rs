//! One walk through the keys of a cluster: all primaries side by side, each slot by a node that had it
//! from the beginning of its walk to the end.
//!
//! Apart from `send` because a cursor belongs to one server, and a slot that moved meanwhile was not
//! seen whole by anybody. Such slots are walked again where they are now; names may come twice, none is
//! left out. Invariants: the number of walks and of turns is bounded; what could not be walked whole
//! is an error and no silence.

use std::collections::VecDeque;
use std::sync::PoisonError;

use ::redis::{Pipeline, Value};
use futures_util::future::join_all;

use super::slots::{SLOTS, slot};
use super::topology::{Map, Node};
use super::{Cluster, Patience, may_come_back};
use crate::stores::redis::fetch;
use crate::stores::target::Endpoint;
use crate::stores::{ScanStep, StoreError, StoreErrorKind};

/// Walks that are open at once; the oldest is forgotten.
const WALKS_MAX: usize = 16;
/// How often what moved is walked again.
const ROUNDS_MAX: u32 = 40;
/// Names that one node is asked for at least.
const COUNT_MIN: usize = 5;

#[derive(Default)]
pub struct Walks {
    last: u64,
    open: VecDeque<(u64, Walk)>,
}

/// Some of the slots.
#[derive(Clone)]
struct SlotSet(Box<[bool]>);

impl SlotSet {
    fn none() -> SlotSet {
        SlotSet(vec![false; usize::from(SLOTS)].into())
    }

    fn of(node: &Node) -> SlotSet {
        let mut set = SlotSet::none();
        for (from, to) in &node.ranges {
            if let Some(range) = set.0.get_mut(usize::from(*from)..=usize::from(*to)) {
                range.fill(true);
            }
        }
        set
    }

    fn has(&self, slot: u16) -> bool {
        self.0.get(usize::from(slot)).copied().unwrap_or(false)
    }

    fn set(&mut self, slot: u16, to: Holds) {
        if let Some(place) = self.0.get_mut(usize::from(slot)) {
            *place = to == Holds::Yes;
        }
    }

    fn slots(&self) -> impl Iterator<Item = u16> {
        (0..SLOTS).filter(|slot| self.has(*slot))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Yes,
    No,
}

/// One node's part of a walk.
struct Part {
    /// The primary whose keys they are.
    primary: String,
    endpoint: Endpoint,
    /// What it had when its walk began, and was not moving then.
    had: SlotSet,
    /// Names of other slots are known already.
    only: Option<SlotSet>,
    cursor: u64,
    is_done: bool,
}

struct Walk {
    parts: Vec<Part>,
    /// Walked whole.
    covered: SlotSet,
    rounds: u32,
    patience: Patience,
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
        let mut names = Vec::new();
        self.go_on(&mut walk, step, &mut names).await?;
        if walk.parts.iter().all(|part| part.is_done) && !self.further(&mut walk).await? {
            let share = Some(1.0);
            return Ok(Walked {
                cursor: 0,
                names,
                share,
            });
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
        for primary in map.primaries() {
            parts.push(self.part(&map, primary, None).await?);
        }
        Ok(Walk {
            parts,
            covered: SlotSet::none(),
            rounds: 0,
            patience: Patience::of(self.timeout * 3),
            is_odd: false,
        })
    }

    async fn part(
        &self,
        map: &Map,
        primary: &Node,
        only: Option<SlotSet>,
    ) -> Result<Part, StoreError> {
        let serving = map.serving(primary, self.look);
        let serving = serving.ok_or_else(|| self.no_replica(primary))?;
        let mut had = SlotSet::of(primary);
        for slot in self.moving(primary).await {
            had.set(slot, Holds::No);
        }
        Ok(Part {
            primary: primary.id.clone(),
            endpoint: serving.endpoint.clone(),
            had,
            only,
            cursor: 0,
            is_done: false,
        })
    }

    /// Slots on their way from or to a primary; one that does not answer now will be met later.
    async fn moving(&self, primary: &Node) -> Vec<u16> {
        match self.told_by(&primary.endpoint).await {
            Ok(map) => map.moving,
            Err(_) => Vec::new(),
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
                Ok((cursor, found)) => {
                    let backwards = cursor.reverse_bits() < part.cursor.reverse_bits();
                    walk.is_odd |= cursor != 0 && backwards;
                    part.cursor = cursor;
                    part.is_done = cursor == 0;
                    let is_wanted = |name: &Vec<u8>| {
                        let only = part.only.as_ref();
                        only.is_none_or(|only| only.has(slot(name)))
                    };
                    names.extend(found.into_iter().filter(is_wanted));
                    if part.is_done {
                        ended.push((part.primary.clone(), part.had.clone()));
                    }
                }
                // Its slots were not walked whole; whoever has them next is walked from the beginning.
                Err(error) if may_come_back(&error) => part.is_done = true,
                Err(error) => return Err(error),
            }
        }
        for (primary, had) in ended {
            self.cover(walk, &primary, &had).await;
        }
        Ok(())
    }

    async fn page(
        &self,
        part: &Part,
        step: &ScanStep,
        count: usize,
    ) -> Result<(u64, Vec<Vec<u8>>), StoreError> {
        let mut pipeline = Pipeline::new();
        fetch::scan_page(&mut pipeline, step, part.cursor, count);
        let line = self.line(&part.endpoint)?;
        let answer: Option<Value> = line.send(&pipeline, 1).await?.into_iter().next();
        fetch::page(&line.connector.label(), answer)
    }

    /// What a node had at the beginning and has at the end was walked whole, unless it is moving.
    async fn cover(&self, walk: &mut Walk, primary: &str, had: &SlotSet) {
        let Ok(map) = self.refresh(None).await else {
            return;
        };
        let Some(node) = map.primaries().find(|node| node.id == primary) else {
            return;
        };
        let moving = self.moving(node).await;
        let has = SlotSet::of(node);
        for slot in had.slots().filter(|slot| has.has(*slot)) {
            if !moving.contains(&slot) {
                walk.covered.set(slot, Holds::Yes);
            }
        }
    }

    /// Parts for what was not walked whole; false where that is nothing.
    ///
    /// Errors: it has been tried often enough.
    async fn further(&self, walk: &mut Walk) -> Result<bool, StoreError> {
        loop {
            let map = self.map();
            let mut missing = SlotSet::none();
            for slot in (0..SLOTS).filter(|slot| map.owner(*slot).is_some()) {
                if !walk.covered.has(slot) {
                    missing.set(slot, Holds::Yes);
                }
            }
            let count = missing.slots().count();
            if count == 0 {
                return Ok(false);
            }
            walk.rounds += 1;
            if walk.rounds > ROUNDS_MAX || !walk.patience.wait().await {
                let text = format!(
                    "{count} of {SLOTS} slots of the cluster moved or had no node while it was read: \
                     some records may be missing"
                );
                return Err(StoreError::new(StoreErrorKind::Vanished, text));
            }
            let Ok(map) = self.refresh(None).await else {
                continue;
            };
            walk.parts = Vec::new();
            for primary in map.primaries() {
                let moving = self.moving(primary).await;
                let has = SlotSet::of(primary);
                let here = |slot: u16| has.has(slot) || moving.contains(&slot);
                if missing.slots().any(here) {
                    let only = Some(missing.clone());
                    walk.parts.push(self.part(&map, primary, only).await?);
                }
            }
            if !walk.parts.is_empty() {
                return Ok(true);
            }
        }
    }
}

impl Walk {
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
