//! A storm: many clients at once, each with one operation, that try again until it is done or their
//! budget is.
//!
//! Over connections that are kept and opened before, straight to the shop: what is measured is when
//! clients ask, not what connecting costs.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use hyper::Request;
use serde_json::Value;
use tokio::sync::{Barrier, watch};
use tokio::task::JoinSet;

use super::{Figure, Scene, client};
use crate::lab::counters::{Seen, View};
use crate::lab::http::Line;
use crate::lab::scenario::{Delay, Storm};
use crate::lab::world::{Actor, Event, Happening};
use crate::sys::clock::Stopwatch;

const PATIENCE: Duration = Duration::from_secs(10);
/// A bin of a second.
const BIN_MS: u64 = 100;
/// Seconds with fewer retries say nothing about how they are spread.
const RETRIES_MIN: usize = 20;

/// How one client fared.
#[derive(Clone, Debug, Default)]
struct Fared {
    /// When each attempt left, in milliseconds.
    left_ms: Vec<u64>,
    done_ms: Option<u64>,
}

pub async fn play(storm: Storm, shop: SocketAddr, scene: Scene) -> Result<Vec<Figure>, String> {
    let count = usize::try_from(storm.clients).unwrap_or(1).max(1);
    // All are connected; then one of them says when it begins.
    let ready = Arc::new(Barrier::new(count));
    let (begin, begun) = watch::channel(None::<Stopwatch>);
    let begin = Arc::new(begin);
    let mut clients = JoinSet::new();
    for number in 1..=count {
        let client = Client {
            intent: format!("c{number}"),
            random: fastrand::Rng::with_seed(scene.seed.wrapping_mul(1_000_003) ^ number as u64),
            line: Line::to(shop),
            storm: storm.clone(),
            scene: scene.clone(),
        };
        let (ready, begin, mut begun) = (ready.clone(), begin.clone(), begun.clone());
        clients.spawn(async move {
            let mut client = client;
            let _ = client.line.open().await;
            if ready.wait().await.is_leader() {
                begin.send_replace(Some(Stopwatch::start()));
            }
            let began = begun.wait_for(Option::is_some).await;
            let began = began.ok().and_then(|began| *began);
            client.go(began.unwrap_or_else(Stopwatch::start)).await
        });
    }
    let mut fared = Vec::new();
    while let Some(done) = clients.join_next().await {
        fared.push(done.map_err(|error| error.to_string())?);
    }
    Ok(figures(&fared))
}

struct Client {
    intent: String,
    random: fastrand::Rng,
    line: Line,
    storm: Storm,
    scene: Scene,
}

impl Client {
    async fn go(&mut self, began: Stopwatch) -> Fared {
        let now_ms = || u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut fared = Fared::default();
        for attempt in 1..=self.storm.budget {
            let left = began.elapsed();
            fared.left_ms.push(now_ms());
            // Whoever leaves at this moment is counted before the first of them is served.
            tokio::task::yield_now().await;
            let seen = self.attempt(attempt).await;
            let view = View::of(&seen);
            self.scene.seen.lock().await.push(seen);
            if view == View::Success {
                fared.done_ms = Some(now_ms());
                break;
            }
            if attempt < self.storm.budget {
                // From when it left: answers come at once, but for this machine's own load.
                let next = left + self.delay(attempt);
                tokio::time::sleep(next.saturating_sub(began.elapsed())).await;
            }
        }
        fared
    }

    fn delay(&mut self, attempt: u32) -> Duration {
        let Storm { ms, most_ms, .. } = self.storm;
        let doubled = ms.saturating_mul(1 << (attempt - 1).min(20)).min(most_ms);
        Duration::from_millis(match self.storm.delay {
            Delay::None => 0,
            Delay::Fixed => ms,
            Delay::Exponential => doubled,
            Delay::FullJitter => self.random.u64(0..=doubled),
        })
    }

    async fn attempt(&mut self, attempt: u32) -> Seen {
        let sent = Happening::Sent {
            key: Some(key(&self.intent, "c")),
            brief: "1500".to_owned(),
        };
        self.tell(
            Actor::Client,
            Actor::Shop(1),
            sent,
            attempt,
            "POST /payments",
        );
        let request = request(&self.intent, attempt, "c");
        let mut seen = Seen {
            intent: self.intent.clone(),
            attempt,
            user: self.intent.clone(),
            method: "POST".to_owned(),
            ..Seen::default()
        };
        match self.line.send(request, PATIENCE).await {
            Ok(answer) => {
                let status = answer.status().as_u16();
                client::read(&mut seen, status, answer.body());
                let what = Happening::Received { status };
                self.tell(
                    Actor::Shop(1),
                    Actor::Client,
                    what,
                    attempt,
                    &status.to_string(),
                );
            }
            Err(lost) => {
                let text = lost.to_string();
                self.tell(
                    Actor::Shop(1),
                    Actor::Client,
                    Happening::Lost,
                    attempt,
                    &text,
                );
            }
        }
        seen
    }

    fn tell(&self, from: Actor, to: Actor, what: Happening, attempt: u32, text: &str) {
        self.scene.world.record(Event {
            at_ms: 0,
            from,
            to,
            what,
            intent: Some(self.intent.clone()),
            attempt: Some(attempt),
            text: text.to_owned(),
        });
    }
}

/// The key of one client's operation.
pub fn key(intent: &str, prefix: &str) -> String {
    format!("{prefix}-{intent}")
}

/// A payment of one client's own.
pub fn request(intent: &str, attempt: u32, prefix: &str) -> Request<Bytes> {
    let request = Request::builder()
        .method("POST")
        .uri("/payments")
        .header("content-type", "application/json")
        .header("x-lab-user", intent)
        .header("x-lab-intent", intent)
        .header("x-lab-attempt", attempt)
        .header("idempotency-key", key(intent, prefix));
    let body = Bytes::from_static(br#"{"amount": 1500}"#);
    request.body(body).unwrap_or_default()
}

/// What is shown of a storm.
fn figures(fared: &[Fared]) -> Vec<Figure> {
    let attempts: usize = fared.iter().map(|one| one.left_ms.len()).sum();
    let successes = fared.iter().filter(|one| one.done_ms.is_some()).count();
    let all_done = fared
        .iter()
        .map(|one| one.done_ms)
        .collect::<Option<Vec<u64>>>();
    let done_s = all_done
        .and_then(|all| all.into_iter().max())
        .map(|ms| rounded(ms as f64 / 1000.0));
    let amplification = rounded(attempts as f64 / fared.len().max(1) as f64);
    let mut by_second: Vec<usize> = Vec::new();
    for ms in fared.iter().flat_map(|one| &one.left_ms) {
        tally(&mut by_second, ms / 1000);
    }
    let figure = |name: &str, value: Value| (name.to_owned(), value);
    vec![
        figure("amplification", Value::from(amplification)),
        figure(
            "peak_per_s",
            Value::from(by_second.iter().max().copied().unwrap_or(0)),
        ),
        figure("done_s", done_s.map_or(Value::Null, Value::from)),
        figure("successes", Value::from(successes)),
        figure("gave_up", Value::from(fared.len() - successes)),
        figure(
            "busiest_bin_share",
            busiest_bin_share(fared).map_or(Value::Null, Value::from),
        ),
    ]
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn tally(bins: &mut Vec<usize>, at: u64) {
    let at = usize::try_from(at).unwrap_or(usize::MAX).min(100_000);
    if bins.len() <= at {
        bins.resize(at + 1, 0);
    }
    if let Some(bin) = bins.get_mut(at) {
        *bin += 1;
    }
}

/// The share of a second's retries that leave in its busiest 100 ms: the median over the seconds that
/// have enough of them.
fn busiest_bin_share(fared: &[Fared]) -> Option<f64> {
    let mut bins: Vec<usize> = Vec::new();
    for ms in fared.iter().flat_map(|one| one.left_ms.iter().skip(1)) {
        tally(&mut bins, ms / BIN_MS);
    }
    let per_second = usize::try_from(1000 / BIN_MS).unwrap_or(10);
    let share = |second: &[usize]| {
        let all: usize = second.iter().sum();
        let busiest = second.iter().max().copied().unwrap_or(0);
        (all >= RETRIES_MIN).then(|| busiest as f64 / all as f64)
    };
    let mut shares: Vec<f64> = bins.chunks(per_second).filter_map(share).collect();
    shares.sort_by(f64::total_cmp);
    shares.get(shares.len() / 2).copied().map(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fared(left_ms: &[u64], done_ms: Option<u64>) -> Fared {
        Fared {
            left_ms: left_ms.to_vec(),
            done_ms,
        }
    }

    #[test]
    fn a_storm_is_measured_by_when_clients_ask() {
        let all: Vec<Fared> = (0..20)
            .map(|n| fared(&[0, 1000 + n, 2000 + n * 50], Some(2100)))
            .collect();
        let figures: std::collections::BTreeMap<String, Value> =
            figures(&all).into_iter().collect();
        assert_eq!(figures["amplification"], 3.0);
        assert_eq!(figures["peak_per_s"], 20);
        assert_eq!(figures["done_s"], 2.1);
        assert_eq!(figures["gave_up"], 0);
        // One second all in one bin, one evenly spread: the upper of the two.
        assert_eq!(figures["busiest_bin_share"], 1.0);
        let one = figures_of_nobody();
        assert_eq!(one["done_s"], Value::Null);
        assert_eq!(one["busiest_bin_share"], Value::Null);
    }

    fn figures_of_nobody() -> std::collections::BTreeMap<String, Value> {
        figures(&[fared(&[0], None)]).into_iter().collect()
    }
}
