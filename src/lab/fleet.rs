//! A fleet of simulated clients against a served shop, for as long as somebody watches.
//!
//! Apart from scenarios because nothing is expected of it: how many clients, how patient, which
//! faults and how often are turned like knobs, and what comes of it is counted live.
//! Invariants: no more than [`CLIENTS_MAX`] clients and [`OPERATIONS_MAX`] operations; when the
//! fleet is dropped, its clients stop.

mod client;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;

use super::world::World;
use crate::sys::clock::Stopwatch;

pub use super::scenario::Delay;

pub const CLIENTS_MAX: u16 = 500;
/// Operations of one fleet; it rests after so many.
pub const OPERATIONS_MAX: u64 = 100_000;
/// Seconds that the live plots show.
pub const SECONDS: usize = 120;

/// Which key the attempts of an operation have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    #[default]
    OnePerOperation,
    NewPerAttempt,
    None,
}

/// How the clients behave, and what goes wrong on their way.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub clients: u16,
    /// How long a client rests between two operations.
    pub rest_ms: u64,
    pub keys: Keys,
    pub delay: Delay,
    pub delay_ms: u64,
    pub delay_most_ms: u64,
    /// Attempts of one operation.
    pub budget: u32,
    /// Whether a `Retry-After` is waited for.
    pub honours_retry_after: Patience,
    /// How long an answer is waited for.
    pub patience_ms: u64,
    /// Percent of the answers that are lost on their way.
    pub lost_answers: u8,
    /// Percent of the first attempts whose shop crashes between the charge and the save.
    pub crashes: u8,
    /// Percent of the first attempts that end with 500 after the charge.
    pub errors: u8,
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Patience {
    #[default]
    AsAsked,
    Ignored,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            clients: 8,
            rest_ms: 500,
            keys: Keys::OnePerOperation,
            delay: Delay::FullJitter,
            delay_ms: 500,
            delay_most_ms: 4_000,
            budget: 6,
            honours_retry_after: Patience::AsAsked,
            patience_ms: 5_000,
            lost_answers: 20,
            crashes: 0,
            errors: 2,
            seed: 1,
        }
    }
}

impl Plan {
    /// Within what the lab allows.
    pub fn bounded(mut self) -> Plan {
        self.clients = self.clients.clamp(1, CLIENTS_MAX);
        self.rest_ms = self.rest_ms.clamp(1, 600_000);
        self.delay_ms = self.delay_ms.min(600_000);
        self.delay_most_ms = self.delay_most_ms.clamp(self.delay_ms, 600_000);
        self.budget = self.budget.clamp(1, 1_000);
        self.patience_ms = self.patience_ms.clamp(10, 60_000);
        for percent in [&mut self.lost_answers, &mut self.crashes, &mut self.errors] {
            *percent = (*percent).min(100);
        }
        self
    }
}

/// What happened in one second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Second {
    pub attempts: u32,
    pub retries: u32,
    pub charges: u32,
}

/// The truth so far: what clients wanted and believe, and what the bank did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FleetView {
    pub secs: u64,
    /// Operations that were begun.
    pub operations: u64,
    pub attempts: u64,
    pub retries: u64,
    pub succeeded: u64,
    pub gave_up: u64,
    /// Answers by status, 0 for none.
    pub statuses: Vec<(u16, u64)>,
    pub charges: u64,
    /// Charges of an operation beyond its first.
    pub excess: u64,
    pub replays: u64,
    /// The last seconds, oldest first; at most [`SECONDS`].
    pub seconds: Vec<Second>,
    pub is_over: bool,
}

/// Clients at work.
#[derive(Debug)]
pub struct Fleet {
    board: Board,
    world: World,
    clients: Vec<JoinHandle<()>>,
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.clients.iter().for_each(JoinHandle::abort);
    }
}

impl Fleet {
    /// Sends its clients off, round the instances.
    pub fn start(plan: Plan, shops: &[SocketAddr], world: &World) -> Fleet {
        let plan = Arc::new(plan.bounded());
        let board = Board::new();
        let clients = (0..plan.clients)
            .filter_map(|number| {
                let shop = shops.get(usize::from(number) % shops.len().max(1))?;
                let client = client::Client::new(number, *shop, plan.clone(), board.clone());
                Some(tokio::spawn(client.work()))
            })
            .collect();
        Fleet {
            board,
            world: world.clone(),
            clients,
        }
    }

    /// How things stand.
    pub fn view(&self) -> FleetView {
        let sums = self.world.sums();
        let mut inner = self.board.inner();
        let second = inner.second();
        let new = sums.charges.saturating_sub(inner.charges_told);
        inner.charges_told = sums.charges;
        if let Some(second) = inner.view.seconds.get_mut(second) {
            second.charges += u32::try_from(new).unwrap_or(u32::MAX);
        }
        let mut view = inner.view.clone();
        view.secs = inner.began.elapsed().as_secs();
        view.charges = sums.charges;
        view.excess = sums.excess;
        let skipped = view.seconds.len().saturating_sub(SECONDS);
        view.seconds.drain(..skipped);
        view.is_over = self.clients.iter().all(JoinHandle::is_finished);
        view
    }
}

/// Where clients write down how they fare.
#[derive(Clone, Debug)]
struct Board(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    began: Stopwatch,
    view: FleetView,
    charges_told: u64,
}

impl Inner {
    /// The second that it is, with a place in the list.
    fn second(&mut self) -> usize {
        let at = usize::try_from(self.began.elapsed().as_secs()).unwrap_or(usize::MAX);
        // A day of seconds is the most that is kept; a fleet is over long before.
        let at = at.min(86_400);
        if self.view.seconds.len() <= at {
            self.view.seconds.resize(at + 1, Second::default());
        }
        at
    }
}

impl Board {
    fn new() -> Board {
        Board(Arc::new(Mutex::new(Inner {
            began: Stopwatch::start(),
            view: FleetView::default(),
            charges_told: 0,
        })))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a new operation; none where there were enough.
    fn begin(&self) -> Option<u64> {
        let mut inner = self.inner();
        let next = inner.view.operations + 1;
        (next <= OPERATIONS_MAX).then(|| {
            inner.view.operations = next;
            next
        })
    }

    fn attempt(&self, number: u32) {
        let mut inner = self.inner();
        let at = inner.second();
        let retries = u32::from(number > 1);
        inner.view.attempts += 1;
        inner.view.retries += u64::from(retries);
        if let Some(second) = inner.view.seconds.get_mut(at) {
            second.attempts += 1;
            second.retries += retries;
        }
    }

    fn answer(&self, status: u16, is_replay: bool) {
        let mut inner = self.inner();
        inner.view.replays += u64::from(is_replay);
        let statuses = &mut inner.view.statuses;
        match statuses.binary_search_by_key(&status, |(known, _)| *known) {
            Ok(at) => {
                if let Some((_, count)) = statuses.get_mut(at) {
                    *count += 1;
                }
            }
            Err(at) => statuses.insert(at, (status, 1)),
        }
    }

    fn end(&self, succeeded: bool) {
        let mut inner = self.inner();
        match succeeded {
            true => inner.view.succeeded += 1,
            false => inner.view.gave_up += 1,
        }
    }
}

/// How long a client waits after this attempt.
fn delay(plan: &Plan, attempt: u32, random: &mut fastrand::Rng) -> Duration {
    let doubled = plan
        .delay_ms
        .saturating_mul(1 << attempt.saturating_sub(1).min(20))
        .min(plan.delay_most_ms);
    Duration::from_millis(match plan.delay {
        Delay::None => 0,
        Delay::Fixed => plan.delay_ms,
        Delay::Exponential => doubled,
        Delay::FullJitter => random.u64(0..=doubled),
    })
}
