//! What answers and errors of a cluster's nodes say of where to ask next, and how long.
//!
//! Pure but for the pauses.

use std::time::Duration;

use ::redis::{Cmd, Value};
use tokio::time::Instant;

use crate::stores::target::Endpoint;
use crate::stores::{StoreError, StoreErrorKind};

/// Turns that one question takes at most, however often its key moves.
const TURNS_MAX: u32 = 60;
/// Between two looks at a cluster that is changing.
const PAUSE: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// What an answer says of the place of its key.
pub enum Elsewhere {
    Moved(Endpoint),
    Ask(Endpoint),
    /// Nowhere for the moment.
    Later,
}

/// What an error means for the way; `None` for an answer that counts.
pub fn elsewhere(answer: &Value, asked: &Endpoint) -> Option<Elsewhere> {
    let Value::ServerError(error) = answer else {
        return None;
    };
    let place = || {
        let address = error.details()?.split_ascii_whitespace().nth(1)?;
        let (host, port) = address.rsplit_once(':')?;
        let port = port.parse().ok()?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        Some(match (host, asked) {
            // The host that was asked, as far as the node knows.
            ("", Endpoint::Tcp { host, .. }) => Endpoint::Tcp {
                host: host.clone(),
                port,
            },
            (host, _) => Endpoint::Tcp {
                host: host.to_owned(),
                port,
            },
        })
    };
    match error.code() {
        "MOVED" => Some(place().map_or(Elsewhere::Later, Elsewhere::Moved)),
        "ASK" => Some(place().map_or(Elsewhere::Later, Elsewhere::Ask)),
        "TRYAGAIN" | "CLUSTERDOWN" | "LOADING" | "MASTERDOWN" => Some(Elsewhere::Later),
        _ => None,
    }
}

/// Whether it is worth asking again, of another node perhaps.
pub fn may_come_back(error: &StoreError) -> bool {
    use StoreErrorKind::{Lost, TimedOut, Unreachable};
    matches!(error.kind, Lost | TimedOut | Unreachable)
}

/// Pauses that grow, up to a bound in all; and an end, since nodes that stand still take a time-out each
/// time they are asked.
pub struct Patience {
    left: Duration,
    /// Since the first trouble of this kind, if there was one.
    since: Option<Instant>,
    last: Option<Instant>,
    all: Duration,
    next: Duration,
    turns: u32,
}

impl Patience {
    pub fn of(timeout: Duration) -> Patience {
        Patience::within(timeout, timeout * 2)
    }

    /// With another bound for pauses and asking together.
    pub fn within(pauses: Duration, all: Duration) -> Patience {
        Patience {
            left: pauses,
            since: None,
            last: None,
            all,
            next: PAUSE,
            turns: 0,
        }
    }

    /// Waits; false where it has an end.
    pub async fn wait(&mut self) -> bool {
        if self.left.is_zero() || !self.turn() {
            return false;
        }
        let pause = self.next.min(self.left);
        self.left -= pause;
        self.next = (self.next * 2).min(PAUSE_MAX);
        tokio::time::sleep(pause).await;
        true
    }

    /// Begins a piece of work: where all went well for long, what comes is another trouble.
    pub fn begin(&mut self) {
        if self.last.is_some_and(|last| last.elapsed() > self.all) {
            self.since = None;
        }
    }

    /// The next turn without a pause; false where there were too many.
    pub fn turn(&mut self) -> bool {
        self.turns += 1;
        self.last = Some(Instant::now());
        let since = *self.since.get_or_insert_with(Instant::now);
        self.turns < TURNS_MAX && since.elapsed() < self.all
    }
}

/// The key that a command is about.
pub fn key_of(command: &Cmd) -> Option<&[u8]> {
    let mut words = command.args_iter().map(|word| match word {
        ::redis::Arg::Simple(bytes) => bytes,
        _ => &[],
    });
    match words.next()? {
        b"PING" | b"TIME" | b"INFO" | b"DBSIZE" | b"SCAN" | b"CLIENT" | b"CLUSTER" => None,
        b"OBJECT" | b"MEMORY" => words.nth(1),
        _ => words.next(),
    }
}
