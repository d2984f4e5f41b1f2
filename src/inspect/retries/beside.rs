//! What records and server tell of retries beside a log: locks, counters, evictions, use.
//!
//! Apart from the log's figures because none of it survives a record, and some of it is inferred.

use super::looks::Looks;
use super::monitor::Monitored;
use crate::domain::{Duration, Status};
use crate::inspect::catalogue::Snapshot;
use crate::inspect::session::Session;
use crate::inspect::summary::Summary;
use crate::layouts::needs::Needs;
use crate::layouts::{Place, Source};
use crate::stats::{Basis, Figure, Why};
use crate::stores::logs::{self, Listened, ServerCounts, TableCounts, Untold};
use crate::stores::{Family, KeyStep, ScanStep};

/// Keys that are asked when they were last touched.
const IDLE_KEYS_MAX: usize = 2_000;
const IDLE_STEPS_MAX: usize = 200;
/// What a key's own writing may be off by.
const WRITING_MS: i64 = 5_000;

/// The oldest lock, and how many are past their lease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OldestLock {
    pub ms: i64,
    pub locked: u64,
    pub past_lease: u64,
}

/// Keys that somebody touched after they were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    pub touched: u64,
    pub of: u64,
    /// Touched so lately that it may have been us.
    pub not_told: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    pub oldest_lock: Figure<OldestLock>,
    /// Sums of what records count.
    pub record_attempts: Figure<u64>,
    pub record_replays: Figure<u64>,
    pub evictions: Figure<ServerCounts>,
    pub tables: Figure<Vec<(String, TableCounts)>>,
    /// Calls and rows of the statement that claims keys.
    pub claims: Figure<(u64, u64)>,
    pub touched: Figure<Touched>,
    /// Records by layout and by status.
    pub breakdown: Figure<RecordsBy>,
    /// What changed between looks at the records.
    pub looks: Figure<Looks>,
    pub heard: Heard,
    pub monitor: Figure<Monitored>,
}

/// What the server told while it was listened to.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// From when to when, by the store's clock.
    pub from: i64,
    pub to: i64,
    pub events: Figure<logs::Heard>,
    pub pushes: Figure<u64>,
}

/// Records by what they are; in the order of `Status::ALL`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordsBy {
    pub layouts: Vec<(String, u64)>,
    pub statuses: Vec<(String, u64)>,
}

impl Beside {
    /// What is told before anybody has looked.
    pub fn unasked() -> Beside {
        Beside {
            oldest_lock: Figure::none(Why::NotAsked, Basis::Records),
            record_attempts: Figure::none(Why::NotAsked, Basis::Records),
            record_replays: Figure::none(Why::NotAsked, Basis::Records),
            evictions: Figure::none(Why::NotAsked, Basis::Server),
            tables: Figure::none(Why::NotAsked, Basis::Server),
            claims: Figure::none(Why::NotAsked, Basis::Server),
            touched: Figure::none(Why::NotAsked, Basis::Idle),
            breakdown: Figure::none(Why::NotAsked, Basis::Records),
            looks: Figure::none(Why::OneLook, Basis::Snapshots),
            heard: Heard {
                from: 0,
                to: 0,
                events: Figure::none(Why::OneLook, Basis::Events),
                pushes: Figure::none(Why::OneLook, Basis::Pushes),
            },
            monitor: Figure::none(Why::NotAsked, Basis::Monitor),
        }
    }

    /// Puts in what the server told since `from`, by the store's clock.
    pub fn listened(&mut self, listened: &Listened, (from, to): (i64, i64)) {
        // What is heard is lossy by nature: a line that breaks loses what came meanwhile.
        self.heard = Heard {
            from,
            to,
            events: match listened.events {
                Ok(heard) => Figure::of(heard, Basis::Events, heard.all()).but_only_if(false),
                Err(untold) => Figure::none(why(untold), Basis::Events),
            },
            pushes: match listened.pushes {
                Ok(count) => Figure::of(count, Basis::Pushes, count).but_only_if(false),
                Err(untold) => Figure::none(why(untold), Basis::Pushes),
            },
        };
    }

    /// Puts in what changed between looks.
    pub fn looked(&mut self, looks: &Looks) {
        if looks.pairs > 0 {
            // What came and went between two looks was not seen.
            let figure = Figure::of(*looks, Basis::Snapshots, looks.records);
            self.looks = figure.but_only_if(false);
        }
    }

    /// Puts in what the records of a scan tell; `complete` says whether it has seen all.
    pub fn records(&mut self, snapshot: &Snapshot, summary: &Summary, complete: bool) {
        let (mut attempts, mut replays) = ((0, 0), (0, 0));
        let add = |sum: &mut (u64, u64), count: Option<i64>| {
            if let Some(count) = count.and_then(|count| u64::try_from(count).ok()) {
                sum.0 = sum.0.saturating_add(count);
                sum.1 += 1;
            }
        };
        for row in snapshot.rows() {
            add(&mut attempts, row.attempts());
            add(&mut replays, row.replays());
        }
        let is_whole = complete && summary.counted_only == 0;
        let sum = |(sum, of): (u64, u64)| match of {
            0 => Figure::none(Why::NoCounters, Basis::Records),
            _ => Figure::of(sum, Basis::Records, of).but_only_if(is_whole),
        };
        self.breakdown = match summary.total {
            0 => Figure::none(Why::NoRecords, Basis::Records),
            total => {
                let statuses = Status::ALL.map(|status| {
                    let name = status.name().to_owned();
                    (name, summary.of_status(status))
                });
                let by = RecordsBy {
                    layouts: summary.by_layout.counts.clone(),
                    statuses: statuses.into(),
                };
                Figure::of(by, Basis::Records, total).but_only_if(is_whole)
            }
        };
        self.record_attempts = sum(attempts);
        self.record_replays = sum(replays);
        let oldest = summary.oldest_lock;
        self.oldest_lock = match oldest {
            Some(age) => {
                let lock = OldestLock {
                    ms: age.millis(),
                    locked: summary.locked,
                    past_lease: summary.stuck,
                };
                Figure::of(lock, Basis::Records, summary.locked).but_only_if(is_whole)
            }
            None if summary.locked > 0 => Figure::none(Why::NoLocks, Basis::Records),
            // No lock at all is an answer.
            None => Figure::of(OldestLock::default(), Basis::Records, summary.total)
                .but_only_if(is_whole),
        };
    }
}

/// Asks the server what it counts of itself.
pub async fn beside(session: &Session, sources: &[Source]) -> Beside {
    let mut all = Beside::unasked();
    if session.family() == Family::Tables {
        all.heard.events = Figure::none(Why::NotByThisStore, Basis::Events);
        all.heard.pushes = Figure::none(Why::NotByThisStore, Basis::Pushes);
    }
    if session.facts.place.is_replica {
        all.evictions = Figure::none(Why::OnReplica, Basis::Server);
        all.claims = Figure::none(Why::OnReplica, Basis::Server);
        all.tables = Figure::none(Why::OnReplica, Basis::Server);
        return all;
    }
    all.evictions = match session.store.server_counts().await {
        Ok(counts) => Figure::of(counts, Basis::Server, 0),
        Err(untold) => Figure::none(why(untold), Basis::Server),
    };
    tables(session, sources, &mut all).await;
    all
}

async fn tables(session: &Session, sources: &[Source], all: &mut Beside) {
    let mut found = Vec::new();
    let mut last = Untold::NotByThisStore;
    let mut claims: Result<(u64, u64), Untold> = Err(Untold::NotByThisStore);
    for source in sources {
        let Place::Table(place) = &source.place else {
            continue;
        };
        match session
            .store
            .table_counts(&place.schema, &place.table)
            .await
        {
            Ok(counts) => {
                claims = match (claims, counts.claims) {
                    (Ok(sum), Ok(more)) => Ok((sum.0 + more.0, sum.1 + more.1)),
                    (Ok(sum), Err(_)) => Ok(sum),
                    (Err(_), other) => other,
                };
                found.push((format!("{}.{}", place.schema, place.table), counts));
            }
            Err(untold) => last = untold,
        }
    }
    all.claims = match claims {
        Ok(claims) => Figure::of(claims, Basis::Server, claims.0),
        Err(untold) => Figure::none(why(untold), Basis::Server),
    };
    all.tables = match found.len() {
        0 => Figure::none(why(last), Basis::Server),
        count => Figure::of(found, Basis::Server, count as u64),
    };
}

/// How many keys were touched after they were made: replays, where the layer reads the key to answer.
/// To be asked before the values are read, since reading a value is a touch.
/// `retention` is the operator's, where no layout states one.
pub async fn touched(
    session: &Session,
    sources: &[Source],
    (open_for_ms, retention): (i64, Option<Duration>),
) -> Figure<Touched> {
    if session.family() == Family::Tables {
        return Figure::none(Why::NotByThisStore, Basis::Idle);
    }
    if session.facts.place.is_replica {
        return Figure::none(Why::OnReplica, Basis::Idle);
    }
    let mut sum = Touched::default();
    for source in sources {
        let Needs::Keys(keys) = source.needs() else {
            continue;
        };
        let Some(glob) = keys.globs.first() else {
            continue;
        };
        let names = names(session, glob).await;
        let idle = match session.store.idle_times(&names).await {
            Ok(idle) => idle,
            Err(untold) => return Figure::none(why(untold), Basis::Idle),
        };
        let Some(lifetime) = source.lifetime(None).or(retention) else {
            continue;
        };
        for (idle, left) in idle.keys {
            let age = lifetime.millis().saturating_sub(left);
            if idle <= open_for_ms.saturating_add(1_000) {
                sum.not_told += 1;
            } else {
                sum.of += 1;
                sum.touched += u64::from(idle.saturating_add(WRITING_MS) < age);
            }
        }
    }
    match sum.of + sum.not_told {
        0 => Figure::none(Why::NoRetention, Basis::Idle),
        of => Figure::of(sum, Basis::Idle, of).but_only_if(false),
    }
}

async fn names(session: &Session, glob: &[u8]) -> Vec<Vec<u8>> {
    let (mut names, mut cursor) = (Vec::new(), 0);
    for _ in 0..IDLE_STEPS_MAX {
        let step = KeyStep {
            scan: Some(ScanStep {
                cursor,
                glob: Some(glob.to_vec()),
                count: 1_000,
            }),
            fetch: &[],
        };
        let Ok(page) = session.store.key_step(step).await else {
            break;
        };
        names.extend(page.names);
        cursor = page.cursor.unwrap_or(0);
        if cursor == 0 || names.len() >= IDLE_KEYS_MAX {
            break;
        }
    }
    names.truncate(IDLE_KEYS_MAX);
    names
}

pub fn why(untold: Untold) -> Why {
    match untold {
        Untold::NotByThisStore => Why::NotByThisStore,
        Untold::NoRights => Why::NoRights,
        Untold::NotInstalled => Why::NotInstalled,
        Untold::CountsUse => Why::CountsUse,
        Untold::NotEnabled => Why::NotEnabled,
        Untold::NothingHeard => Why::NothingHeard,
        Untold::LineLost => Why::LineLost,
        Untold::WideNames => Why::WideNames,
    }
}
