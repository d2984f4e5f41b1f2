//! One client of a fleet: operation after operation, each tried again until it is done or given up.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use hyper::Request;

use super::{Board, Keys, Patience, Plan, delay};
use crate::lab::http::{Answer, Line};

/// What a server may ask a client to wait.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);

pub(super) struct Client {
    number: u16,
    plan: Arc<Plan>,
    board: Board,
    random: fastrand::Rng,
    line: Line,
}

/// What came of one attempt.
enum Fared {
    Done,
    /// Not done, or not known to be; and how long the server asked to wait.
    Again(Duration),
    /// Refused for good.
    Refused,
}

impl Client {
    pub(super) fn new(number: u16, shop: SocketAddr, plan: Arc<Plan>, board: Board) -> Client {
        let seed = plan.seed.wrapping_mul(1_000_003) ^ u64::from(number);
        Client {
            number,
            board,
            random: fastrand::Rng::with_seed(seed),
            line: Line::to(shop),
            plan,
        }
    }

    pub(super) async fn work(mut self) {
        // Not all at the same moment.
        self.rest().await;
        while let Some(operation) = self.board.begin() {
            let done = self.operate(operation).await;
            self.board.end(done);
            self.rest().await;
        }
    }

    async fn rest(&mut self) {
        let rest = self.plan.rest_ms;
        let rest = self.random.u64(rest / 2..=rest + rest / 2);
        tokio::time::sleep(Duration::from_millis(rest)).await;
    }

    /// True where the client learned of a success.
    async fn operate(&mut self, operation: u64) -> bool {
        for attempt in 1..=self.plan.budget {
            self.board.attempt(attempt);
            let asked = match self.attempt(operation, attempt).await {
                Fared::Done => return true,
                Fared::Refused => return false,
                Fared::Again(asked) => asked,
            };
            if attempt < self.plan.budget {
                let own = delay(&self.plan, attempt, &mut self.random);
                tokio::time::sleep(own.max(asked)).await;
            }
        }
        false
    }

    async fn attempt(&mut self, operation: u64, attempt: u32) -> Fared {
        let request = self.request(operation, attempt);
        let patience = Duration::from_millis(self.plan.patience_ms);
        let answer = self.line.send(request, patience).await;
        let is_lost = self.falls(self.plan.lost_answers);
        let answer = match answer {
            Ok(answer) if !is_lost => answer,
            _ => {
                self.board.answer(0, false);
                return Fared::Again(Duration::ZERO);
            }
        };
        let status = answer.status().as_u16();
        let marker = answer.headers().get("idempotent-replayed");
        let is_replay = marker.is_some_and(|value| value == "true");
        self.board.answer(status, is_replay);
        match status {
            202 | 409 | 425 | 429 | 500.. => Fared::Again(self.asked(&answer)),
            200..=299 => Fared::Done,
            _ => Fared::Refused,
        }
    }

    fn asked(&self, answer: &Answer) -> Duration {
        if self.plan.honours_retry_after == Patience::Ignored {
            return Duration::ZERO;
        }
        let value = answer.headers().get("retry-after");
        let secs = value.and_then(|value| value.to_str().ok()?.parse().ok());
        Duration::from_secs(secs.unwrap_or(0)).min(RETRY_AFTER_MAX)
    }

    fn falls(&mut self, percent: u8) -> bool {
        self.random.u8(0..100) < percent
    }

    fn request(&mut self, operation: u64, attempt: u32) -> Request<Bytes> {
        let fault = match attempt {
            1 if self.falls(self.plan.crashes) => Some("after_execute_before_save"),
            1 if self.falls(self.plan.errors) => Some("execute_fails_after_effect"),
            _ => None,
        };
        // The same body in each attempt: it follows from the operation alone.
        let amount = 100 + 100 * (operation % 50);
        let body = format!(r#"{{"amount": {amount}, "reference": "order-{operation}"}}"#);
        let mut request = Request::builder()
            .method("POST")
            .uri("/payments")
            .header("content-type", "application/json")
            .header("user-agent", "lab-fleet/1.0")
            .header("x-lab-user", format!("user_{}", self.number + 1))
            .header("x-lab-intent", format!("o{operation}"))
            .header("x-lab-attempt", attempt);
        if let Some(fault) = fault {
            request = request.header("x-lab-fault", fault);
        }
        let key = match self.plan.keys {
            Keys::OnePerOperation => Some(format!("order-{operation}")),
            Keys::NewPerAttempt => Some(format!("order-{operation}-{attempt}")),
            Keys::None => None,
        };
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        request.body(Bytes::from(body)).unwrap_or_default()
    }
}
