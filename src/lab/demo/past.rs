//! A day of the demo shop's retry log, made from its records: who tried when, and what came of it.
//!
//! Apart from the records because the log also has what left none: refusals, and answers that were
//! lost. An hour ago clients without jitter stormed the shop.
//! Invariant: every key of the log with a key of its own has a record in the demo store.

use super::{Kind, SEED, key, shop_record};
use crate::domain::attempt::{Outcome, key_hash, scope_hash};
use crate::domain::{Duration, Timestamp};
use crate::stores::own::{OwnRows, OwnValue};

/// When the storm began, before now, and how long the bank was away. Within the hour that is shown
/// at first.
const STORM_AGO: i64 = 25 * 60_000;
const STORM_MS: i64 = 220_000;
const STORM_KEYS: usize = 110;
const STORM_CLIENT: &str = "checkout-ios/8.4";
/// Payloads that came under two keys.
const PAIRS: usize = 12;
const DAY_MS: i64 = 86_400_000;

const COLUMNS: &[&str] = &[
    "at",
    "key_hash",
    "scope",
    "endpoint",
    "client",
    "attempt_no",
    "outcome",
    "http_status",
    "duration_ms",
    "since_first_ms",
    "fingerprint",
    "fp_version",
    "instance",
    "owner",
];

/// Records that the log's stories need: those of the storm, and those of clients that made a new key.
pub fn add_records(shop: &mut Vec<Vec<OwnValue>>, now: Timestamp) {
    let mut random = fastrand::Rng::with_seed(SEED ^ 7);
    for number in 0..STORM_KEYS {
        let late = number as i64 * STORM_MS * 7 / 10 / STORM_KEYS as i64;
        // Timers of one application, set when the bank went away: all fire at the same tenth.
        let age = now.millis().rem_euclid(1_000) + (STORM_AGO - late) / 1_000 * 1_000;
        let age = Duration(age - random.i64(0..30));
        let mut record = shop_record(&mut random, now, age, Kind::Completed);
        set(&mut record, PATH, "/payments".to_owned());
        shop.push(record);
    }
    let is_plain = |record: &&Vec<OwnValue>| status(record) == Some(201);
    let found = shop
        .iter()
        .filter(is_plain)
        .skip(300)
        .step_by(101)
        .take(PAIRS);
    let again = found.map(|record| {
        let mut again = record.clone();
        set(&mut again, KEY, key(&mut random));
        let at = created(&again).plus(Duration(random.i64(4_000..90_000)));
        set(&mut again, CREATED, super::time(at));
        again
    });
    let again: Vec<Vec<OwnValue>> = again.collect();
    shop.extend(again);
}

/// The log of the last day.
pub fn attempts(shop: &[Vec<OwnValue>], now: Timestamp) -> OwnRows {
    let mut past = Past {
        random: fastrand::Rng::with_seed(SEED ^ 11),
        now: now.millis(),
        rows: Vec::new(),
    };
    for record in shop {
        let life = past.life(record);
        past.write(record, &life);
    }
    past.strangers();
    past.rows
        .retain(|(at, _)| past.now - DAY_MS < *at && *at <= past.now);
    past.rows.sort_by_key(|(at, _)| *at);
    OwnRows {
        table: "idempotency_attempts",
        columns: COLUMNS,
        rows: past.rows.into_iter().map(|(_, row)| row).collect(),
    }
}

// Places in `SHOP_COLUMNS`.
const SCOPE: usize = 0;
const KEY: usize = 1;
const CREATED: usize = 2;
const PATH: usize = 4;
const HASH: usize = 5;
const STATUS: usize = 6;
const LOCKED: usize = 8;

fn text(record: &[OwnValue], at: usize) -> &str {
    match record.get(at) {
        Some(OwnValue::Text(text)) => text,
        _ => "",
    }
}

fn set(record: &mut [OwnValue], at: usize, text: String) {
    if let Some(value) = record.get_mut(at) {
        *value = OwnValue::Text(text);
    }
}

fn status(record: &[OwnValue]) -> Option<i64> {
    match record.get(STATUS) {
        Some(OwnValue::Int(status)) => Some(*status),
        _ => None,
    }
}

fn created(record: &[OwnValue]) -> Timestamp {
    let form = "%Y-%m-%d %H:%M:%S%.f";
    let read = chrono::NaiveDateTime::parse_from_str(text(record, CREATED), form);
    Timestamp(read.map_or(0, |time| time.and_utc().timestamp_millis()))
}

/// One attempt of a key: after how long, what came of it, and how long it took.
#[derive(Clone, Copy)]
struct Step {
    after: i64,
    outcome: Outcome,
    status: i64,
    took: i64,
}

struct Past {
    random: fastrand::Rng,
    now: i64,
    rows: Vec<(i64, Vec<OwnValue>)>,
}

impl Past {
    /// What the log of one key would hold.
    fn life(&mut self, record: &[OwnValue]) -> Vec<Step> {
        let age = self.now - created(record).millis();
        let took = 24 + (self.random.f64().powi(6) * 5_200.0) as i64 + self.random.i64(0..60);
        let answer = status(record);
        let is_locked = matches!(record.get(LOCKED), Some(OwnValue::Text(_)));
        let has_stormed = text(record, PATH) == "/payments"
            && (STORM_AGO - STORM_MS..=STORM_AGO).contains(&age)
            && answer == Some(201);
        let step = |after, outcome, status, took| Step {
            after,
            outcome,
            status,
            took,
        };
        let mut life = match answer {
            // It never answered: whoever asks again is told so.
            None if is_locked && age < 60_000 => return Vec::new(),
            None if is_locked => {
                let waits = [1_000, 3_000, 7_000, 15_000, 31_000, 61_000];
                let waits = waits.into_iter().take(self.random.usize(1..=6));
                return waits
                    .map(|after| step(after, Outcome::InProgress, 409, 3))
                    .collect();
            }
            None => {
                return vec![
                    step(took, Outcome::Executed, 503, took),
                    step(took + 2_000, Outcome::ReexecError, 503, took),
                ];
            }
            Some(_) if has_stormed => return self.storm(age),
            Some(status) => vec![step(took, Outcome::Executed, status, took)],
        };
        self.retries(&mut life, answer.unwrap_or(200));
        life
    }

    /// A calm day's retries: some lost an answer, some pressed twice, some are behind a proxy.
    fn retries(&mut self, life: &mut Vec<Step>, status: i64) {
        let replay = |after, outcome| Step {
            after,
            outcome,
            status,
            took: 4,
        };
        let Some(first) = life.first().copied() else {
            return;
        };
        match self.random.u32(0..1_000) {
            0..110 => {
                let jitter = (self.random.f64().powi(2) * 9_000.0) as i64 + 90;
                life.push(replay(first.after + jitter, Outcome::Replayed));
            }
            110..125 => life.push(replay(30_000 + self.random.i64(0..240), Outcome::Replayed)),
            125..175 => {
                for wait in [1_000, 2_000, 4_000]
                    .into_iter()
                    .take(self.random.usize(1..=3))
                {
                    life.push(replay(
                        first.after + wait + self.random.i64(2..14),
                        Outcome::Replayed,
                    ));
                }
            }
            175..200 => {
                // Pressed twice while it was at work.
                let busy = Step {
                    after: first.after / 3,
                    outcome: Outcome::InProgress,
                    status: 409,
                    took: 2,
                };
                life.insert(0, busy);
                life.push(replay(first.after + 1_200, Outcome::Replayed));
            }
            200..206 => life.insert(
                0,
                Step {
                    after: first.after + 9,
                    ..replay(0, Outcome::WaitedReplay)
                },
            ),
            206..231 => self.rare(life, first, status),
            _ => {}
        }
        life.sort_by_key(|step| step.after);
    }

    /// What goes wrong now and then: another payload, a lock that was cut off, a very late retry.
    fn rare(&mut self, life: &mut Vec<Step>, first: Step, status: i64) {
        match self.random.u32(0..25) {
            0..16 => life.push(Step {
                after: first.after + self.random.i64(400..700_000),
                outcome: Outcome::Mismatch,
                status: 422,
                took: 3,
            }),
            16..20 => {
                // Cut off, and taken over when its lease had passed.
                for step in life.iter_mut() {
                    step.after += 300_500;
                    step.outcome = Outcome::TakenOver;
                }
                let busy = Step {
                    after: 900,
                    outcome: Outcome::InProgress,
                    status: 409,
                    took: 2,
                };
                life.insert(0, busy);
            }
            _ => life.push(Step {
                after: first.after + self.random.i64(20_000_000..80_000_000),
                outcome: Outcome::Replayed,
                status,
                took: 4,
            }),
        }
    }

    /// The bank is away: errors, and a retry after exactly one, two and four seconds, and so on.
    fn storm(&mut self, age: i64) -> Vec<Step> {
        let over = age - (STORM_AGO - STORM_MS);
        let mut life = Vec::new();
        let first = self.random.i64(30..60);
        let (mut after, mut since) = (first, 1_000);
        while after < over {
            let (outcome, status) = match life.len() {
                0 => (Outcome::Executed, 503),
                number if number % 4 == 1 => (Outcome::ReexecError, 503),
                _ => (Outcome::InProgress, 409),
            };
            life.push(Step {
                after,
                outcome,
                status,
                took: self.random.i64(5..40),
            });
            after = first + since;
            since *= 2;
        }
        life.push(Step {
            after,
            outcome: Outcome::ReexecError,
            status: 201,
            took: 180,
        });
        if self.random.bool() {
            life.push(Step {
                after: after + 4_000,
                outcome: Outcome::Replayed,
                status: 201,
                took: 4,
            });
        }
        life
    }

    fn write(&mut self, record: &[OwnValue], life: &[Step]) {
        let Some(first) = life.first() else { return };
        let began = created(record).millis();
        let (scope, key) = (text(record, SCOPE), text(record, KEY));
        let client = match life.len() > 5 {
            true => STORM_CLIENT,
            false => self.client(text(record, PATH)),
        };
        let print: String = text(record, HASH).chars().take(16).collect();
        let first_at = first.after;
        for (number, step) in (1..).zip(life) {
            let print = match (step.outcome, self.random.u8(0..4)) {
                // Now and then the payload is the same after all.
                (Outcome::Mismatch, 1..) => print.chars().rev().collect(),
                _ => print.clone(),
            };
            let owner = step
                .outcome
                .is_execution()
                .then(|| super::hex(&mut self.random, 8));
            let row = vec![
                OwnValue::Int(began + step.after),
                OwnValue::Text(key_hash(scope, key)),
                OwnValue::Text(scope_hash(scope)),
                OwnValue::Text(format!("POST {}", text(record, PATH))),
                OwnValue::Text(client.to_owned()),
                OwnValue::Int(number),
                OwnValue::Text(step.outcome.name().to_owned()),
                OwnValue::Int(step.status),
                OwnValue::Int(step.took),
                OwnValue::Int(step.after - first_at),
                OwnValue::Text(print),
                OwnValue::Int(1),
                OwnValue::Text(format!("shop-{}", self.random.u32(1..4))),
                owner.map_or(OwnValue::Null, OwnValue::Text),
            ];
            self.rows.push((began + step.after, row));
        }
    }

    fn client(&mut self, path: &str) -> &'static str {
        match (path, self.random.u8(0..10)) {
            ("/payments/{id}/refund", _) => "backoffice/3.1",
            ("/payments/{id}/capture", _) => "settle-job/2.0",
            (_, 0..4) => STORM_CLIENT,
            (_, 4..8) => "checkout-web/5.1",
            _ => "checkout-android/7.9",
        }
    }

    /// Requests that left no record: without a key, with a bad one, while the store was away.
    fn strangers(&mut self) {
        for number in 0..64 {
            let share = self.random.f64();
            let at = self.now - (share * share * 84_000_000.0) as i64 - 5_000;
            let (outcome, status) = match number % 8 {
                0..5 => (Outcome::MissingKey, 400),
                5 | 6 => (Outcome::BadKey, 400),
                _ => (Outcome::StoreError, 503),
            };
            let path = super::path(&mut self.random);
            let client = self.client(&path);
            let row = vec![
                OwnValue::Int(at),
                OwnValue::Null,
                OwnValue::Null,
                OwnValue::Text(format!("POST {path}")),
                OwnValue::Text(client.to_owned()),
                OwnValue::Null,
                OwnValue::Text(outcome.name().to_owned()),
                OwnValue::Int(status),
                OwnValue::Int(2),
                OwnValue::Null,
                OwnValue::Null,
                OwnValue::Null,
                OwnValue::Text(format!("shop-{}", self.random.u32(1..4))),
                OwnValue::Null,
            ];
            self.rows.push((at, row));
        }
    }
}
