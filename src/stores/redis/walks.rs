//! Walks through the names of one server, and through the members of one key.
//!
//! Apart from `fetch` because a cursor counts in one server's own order of names: another server has
//! another order, and so has the same one after it was started anew. Invariants: what a cursor of
//! another server gave is not taken; such a walk begins again, so that names may come twice and none
//! is left out; how often is bounded, and so is the wait for a line that breaks in the middle.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ::redis::{Pipeline, Value};

use super::cluster::{Patience, may_come_back};
use super::fetch::{self, ask_all, page, scan_page};
use super::line::{Line, Server};
use super::{Lines, RedisStore, whole};
use crate::domain::raw::{KeyType, MemberPage};
use crate::stores::{KeyStep, KeyStepResult, ScanStep, StoreError, StoreErrorKind};

/// Walks that are open at once; the oldest is forgotten.
const WALKS_MAX: usize = 64;
/// How often one walk begins again.
const BEGINNINGS_MAX: u32 = 16;
/// A walk waits so long for a line to come back, of one server; longer where another may take its
/// place.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Default)]
pub struct Cursors {
    given: Mutex<VecDeque<Walk>>,
}

/// How far one walk is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walk {
    /// 0 at the beginning, and at the end.
    pub cursor: u64,
    /// The key whose members are walked through, by a digest; `None` for the names of all keys.
    of: Option<u64>,
    /// Whose cursor it is.
    server: Option<Server>,
    beginnings: u32,
}

impl Cursors {
    /// Goes on with a walk, through the members of a key where there is one.
    pub fn taken(&self, cursor: u64, key: Option<&[u8]>) -> Walk {
        let of = key.map(digest);
        let new = Walk {
            cursor,
            of,
            ..Walk::default()
        };
        if cursor == 0 {
            return new;
        }
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |walk: &Walk| walk.cursor == cursor && walk.of == of;
        let at = given.iter().position(is_it);
        at.and_then(|at| given.remove(at)).unwrap_or(new)
    }

    /// Remembers what `server` answered; its cursor.
    pub fn given(&self, walk: Walk, cursor: u64, server: Server) -> u64 {
        self.kept(Walk {
            cursor,
            server: Some(server),
            ..walk
        });
        cursor
    }

    /// Remembers how far a walk is.
    pub fn kept(&self, walk: Walk) {
        if walk.cursor == 0 {
            return;
        }
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.push_back(walk);
        if given.len() > WALKS_MAX {
            given.pop_front();
        }
    }
}

impl Walk {
    /// The same, further on.
    pub fn at(self, cursor: u64) -> Walk {
        Walk { cursor, ..self }
    }

    /// Whether the answer of this server goes on with the walk.
    pub fn goes_on_at(&self, server: Server) -> bool {
        self.cursor == 0 || self.server.is_none_or(|own| own == server)
    }

    /// Begins anew, at another server.
    ///
    /// Errors: it has begun too often.
    pub fn begin_again(&mut self, label: &str) -> Result<(), StoreError> {
        self.beginnings += 1;
        (self.cursor, self.server) = (0, None);
        if self.beginnings <= BEGINNINGS_MAX {
            return Ok(());
        }
        let text = format!(
            "{label} was another server {} times while it was read: some records may be missing",
            self.beginnings
        );
        Err(StoreError::new(StoreErrorKind::Vanished, text))
    }
}

/// Tells keys apart; of two that it does not, one walk would begin again for the other's sake.
fn digest(key: &[u8]) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    hasher.write(key);
    hasher.finish()
}

/// The next cursor, names, and the answers to what else was asked.
type Stepped = (u64, Vec<Vec<u8>>, std::vec::IntoIter<Value>);

/// A step of a walk through one server. In the middle of one a line that breaks may come back.
pub async fn step(
    store: &RedisStore,
    line: &Line,
    step: &KeyStep<'_>,
    scan: &ScanStep,
) -> Result<Stepped, StoreError> {
    match one_step(store, line, step, scan).await {
        Err(error) if scan.cursor != 0 && may_come_back(&error) => {
            again(line, error, async || {
                one_step(store, line, step, scan).await
            })
            .await
        }
        other => other,
    }
}

/// How long a line that breaks is waited for.
fn limit(line: &Line) -> Duration {
    let timeout = line.connector.timeout;
    match line.connector.follows() {
        true => timeout * 3,
        false => timeout.min(PATIENCE),
    }
}

/// Values alone, in the middle of a walk: a line that breaks may come back here too.
pub async fn values(
    store: &RedisStore,
    line: &Line,
    step: &KeyStep<'_>,
) -> Result<KeyStepResult, StoreError> {
    match fetch::step(store, step).await {
        Err(error) if may_come_back(&error) => {
            again(line, error, || fetch::step(store, step)).await
        }
        other => other,
    }
}

impl RedisStore {
    /// A page of a set, hash or sorted set, in the middle of a walk through all keys: a line that breaks
    /// may come back here too.
    pub async fn members(
        &self,
        name: &[u8],
        kind: KeyType,
        cursor: u64,
        count: usize,
    ) -> Result<MemberPage, StoreError> {
        let page = || whole::page(self, name, kind, cursor, count);
        match (page().await, &self.lines) {
            (Err(error), Lines::One(line)) if may_come_back(&error) => {
                again(line, error, page).await
            }
            (page, _) => page,
        }
    }
}

/// Asks again what a line that broke left without an answer, until it has come back.
///
/// Errors: the first one, where it does not come back in time.
async fn again<T, F: Future<Output = Result<T, StoreError>>>(
    line: &Line,
    first: StoreError,
    ask: impl Fn() -> F,
) -> Result<T, StoreError> {
    let limit = limit(line);
    let mut patience = Patience::of(limit);
    let asked = async {
        while patience.wait().await {
            match ask().await {
                Err(error) if may_come_back(&error) => {}
                other => return other,
            }
        }
        Err(first.clone())
    };
    // What is silent each time would take long.
    match tokio::time::timeout(limit, asked).await {
        Ok(done) => done,
        Err(_) => Err(first),
    }
}

/// A step through the members of a key: `ask` makes the question for a cursor, which is the last of
/// `count` commands. Begins again at another server, so that members may come twice. The answers, and
/// the walk that they belong to.
pub async fn member_step(
    store: &RedisStore,
    mut walk: Walk,
    ask: impl Fn(u64) -> (Pipeline, usize),
) -> Result<(Vec<Value>, Walk), StoreError> {
    loop {
        let (pipeline, count) = ask(walk.cursor);
        let (answers, server) = store.ask(&pipeline, count).await?;
        if walk.goes_on_at(server) {
            walk.server = Some(server);
            return Ok((answers, walk));
        }
        walk.begin_again(&store.label())?;
    }
}

/// Names and values in one round trip; a walk that another server began begins again here.
async fn one_step(
    store: &RedisStore,
    line: &Line,
    step: &KeyStep<'_>,
    scan: &ScanStep,
) -> Result<Stepped, StoreError> {
    let mut walk = store.cursors.taken(scan.cursor, None);
    let kept = walk;
    loop {
        let mut pipeline = Pipeline::new();
        scan_page(&mut pipeline, scan, walk.cursor, scan.count);
        let count = 1 + ask_all(&mut pipeline, step, store.abilities);
        let (answers, server) = match line.ask(&pipeline, count).await {
            Ok(answered) => answered,
            Err(error) => {
                // It may be asked again.
                store.cursors.kept(kept);
                return Err(error);
            }
        };
        if !walk.goes_on_at(server) {
            walk.begin_again(&store.label())?;
            continue;
        }
        let mut answers = answers.into_iter();
        let (cursor, names) = page(&store.label(), answers.next())?;
        let cursor = store.cursors.given(walk, cursor, server);
        return Ok((cursor, names, answers));
    }
}
