//! The demo store: what the window and the command line show where no server was named.
//!
//! A believable shop's records in two layouts, made from a fixed seed, with times that are fresh
//! when the file is made. It is made anew when its newest record is over an hour old. While somebody
//! looks, a real shop of the lab goes on where these records end.

mod live;
mod past;

use std::path::Path;

use crate::domain::{Duration, Timestamp};
use crate::guard::log::SQLITE_TABLE;
use crate::stores::own::{self, OwnRows, OwnValue};
use crate::stores::{EngineTarget, StoreError, StoreErrorKind, Target};
use crate::sys::{clock, files};

pub use live::LiveShop;

const SEED: u64 = 0x1de5_c09e;
const SHOP_RECORDS: usize = 2_400;
const INVOICE_RECORDS: usize = 180;
/// The newest record of a fresh store is at most this old.
const FRESH_FOR: Duration = Duration(3_600_000);
const RETENTION: Duration = Duration(86_400_000);
const LEASE: Duration = Duration(300_000);

const SCHEMA: &str = "
    CREATE TABLE idempotency_keys (
        scope TEXT NOT NULL,
        key TEXT NOT NULL,
        created_at TIMESTAMP NOT NULL,
        expires_at TIMESTAMP NOT NULL,
        request_path TEXT NOT NULL,
        payload_hash TEXT NOT NULL,
        response_status INTEGER,
        response_headers TEXT,
        response_body BLOB,
        locked_at TIMESTAMP,
        lock_until TIMESTAMP,
        owner TEXT,
        recovery_point TEXT,
        PRIMARY KEY (scope, key)
    );
    CREATE INDEX idempotency_keys_expires_at ON idempotency_keys (expires_at);
    CREATE TABLE drf_idempotency_idempotencyrecord (
        id INTEGER PRIMARY KEY,
        key VARCHAR(255) NOT NULL UNIQUE,
        fingerprint VARCHAR(64) NOT NULL,
        status VARCHAR(16) NOT NULL,
        response_status_code SMALLINT,
        response_headers TEXT NOT NULL,
        response_body TEXT NOT NULL,
        created_at DATETIME NOT NULL,
        completed_at DATETIME,
        expires_at DATETIME NOT NULL
    );
    CREATE TABLE orders (id INTEGER PRIMARY KEY, reference TEXT NOT NULL, amount INTEGER NOT NULL);
";

const SHOP_COLUMNS: &[&str] = &[
    "scope",
    "key",
    "created_at",
    "expires_at",
    "request_path",
    "payload_hash",
    "response_status",
    "response_body",
    "locked_at",
    "lock_until",
    "owner",
];
const INVOICE_COLUMNS: &[&str] = &[
    "id",
    "key",
    "fingerprint",
    "status",
    "response_status_code",
    "response_headers",
    "response_body",
    "created_at",
    "completed_at",
    "expires_at",
];
/// Fails on a file of an older make.
const NEWEST: &str = "SELECT max(created_at) FROM idempotency_keys \
    WHERE coalesce(response_headers, recovery_point, '') <> 'x' \
    AND EXISTS (SELECT 1 FROM idempotency_attempts)";

/// Makes the demo store where it is missing or old.
///
/// Errors: its folder or file cannot be written.
pub async fn prepare(target: &Target) -> Result<(), StoreError> {
    let EngineTarget::Sqlite(sqlite) = &target.engine else {
        return Ok(());
    };
    let path = &sqlite.path;
    let now = clock::now();
    if is_fresh(path, now).await {
        return Ok(());
    }
    let unwritable = |error: std::io::Error| {
        let text = format!("the demo store cannot be made: {error}: {}", path.display());
        StoreError::new(StoreErrorKind::Unreachable, text)
    };
    if let Some(folder) = path.parent() {
        files::private_folder(folder).map_err(unwritable)?;
    }
    // Two programs may do this at once: each makes its own and the last one stays.
    let mine = path.with_extension(format!("{}.new", std::process::id()));
    if files::exists(&mine) {
        files::remove(&mine).map_err(unwritable)?;
    }
    own::make(&mine, &[SCHEMA, SQLITE_TABLE], &rows(now)).await?;
    files::replace(&mine, path).map_err(unwritable)
}

/// One more record where no shop can be started.
///
/// Errors: the file cannot be written.
pub async fn add_one(path: &Path, number: u64) -> Result<(), StoreError> {
    let now = clock::now();
    let mut random = fastrand::Rng::with_seed(SEED ^ now.millis().unsigned_abs() ^ number);
    let row = shop_record(&mut random, now, Duration(40), Kind::Completed);
    own::append(path, &[shop_rows(vec![row])]).await
}

async fn is_fresh(path: &Path, now: Timestamp) -> bool {
    if !files::exists(path) {
        return false;
    }
    let Some(newest) = own::greatest(path, NEWEST).await else {
        return false;
    };
    let form = "%Y-%m-%d %H:%M:%S%.f";
    let Ok(newest) = chrono::NaiveDateTime::parse_from_str(&newest, form) else {
        return false;
    };
    let age = Timestamp(newest.and_utc().timestamp_millis()).until(now);
    age <= FRESH_FOR && age.millis() > -60_000
}

fn rows(now: Timestamp) -> Vec<OwnRows> {
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut shop = Vec::with_capacity(SHOP_RECORDS);
    for number in 0..SHOP_RECORDS {
        let kind = kind_of(number, &mut random);
        let age = age_of(kind, number, &mut random);
        shop.push(shop_record(&mut random, now, age, kind));
    }
    past::add_records(&mut shop, now);
    let attempts = past::attempts(&shop, now);
    let invoices = (1..=INVOICE_RECORDS)
        .map(|number| invoice_record(&mut random, now, number))
        .collect();
    vec![
        shop_rows(shop),
        OwnRows {
            table: "drf_idempotency_idempotencyrecord",
            columns: INVOICE_COLUMNS,
            rows: invoices,
        },
        attempts,
    ]
}

fn shop_rows(rows: Vec<Vec<OwnValue>>) -> OwnRows {
    OwnRows {
        table: "idempotency_keys",
        columns: SHOP_COLUMNS,
        rows,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Completed,
    Refused,
    Failed,
    Released,
    Running,
    Stuck,
    Expired,
    NoStatus,
}

/// A healthy shop: nearly all completed, and a little of everything that goes wrong.
fn kind_of(number: usize, random: &mut fastrand::Rng) -> Kind {
    match number {
        0..4 => Kind::Running,
        4..11 => Kind::Stuck,
        11..14 => Kind::NoStatus,
        _ => match random.u32(..1000) {
            0..30 => Kind::Failed,
            30..42 => Kind::Released,
            42..110 => Kind::Refused,
            110..165 => Kind::Expired,
            _ => Kind::Completed,
        },
    }
}

fn age_of(kind: Kind, number: usize, random: &mut fastrand::Rng) -> Duration {
    match kind {
        Kind::Running => Duration(2_000 + 5_000 * number as i64),
        Kind::Stuck => Duration::secs(420 + random.i64(0..240) + 900 * (number as i64 - 4)),
        Kind::Expired => Duration::secs(86_400 + random.i64(60..40_000)),
        // More of what is young: a shop is busier than it was at night.
        _ => {
            let share = random.f64();
            Duration((share * share * 84_000_000.0) as i64 + 8_000)
        }
    }
}

fn shop_record(
    random: &mut fastrand::Rng,
    now: Timestamp,
    age: Duration,
    kind: Kind,
) -> Vec<OwnValue> {
    let created = now.minus(age);
    let (path, amount) = (path(random), random.i64(120..48_000));
    let id: String = (0..6)
        .map(|_| random.alphanumeric().to_ascii_lowercase())
        .collect();
    let (status, body) = match kind {
        Kind::Completed | Kind::Expired => (
            Some(if path.ends_with("payments") { 201 } else { 200 }),
            Some(format!(
                "{{\"payment_id\":\"pay_{id}\",\"status\":\"accepted\",\"amount\":{amount},\"currency\":\"EUR\"}}"
            )),
        ),
        Kind::Refused => (
            Some(if random.bool() { 402 } else { 422 }),
            Some(format!(
                "{{\"error\":\"insufficient_funds\",\"available\":{}}}",
                amount / 3
            )),
        ),
        Kind::Failed => (
            Some(if random.bool() { 500 } else { 503 }),
            Some("{\"error\":\"payment provider unavailable\"}".to_owned()),
        ),
        Kind::NoStatus => (None, Some(format!("{{\"payment_id\":\"pay_{id}\"}}"))),
        Kind::Released | Kind::Running | Kind::Stuck => (None, None),
    };
    let locked = matches!(kind, Kind::Running | Kind::Stuck).then_some(created);
    let owner = locked.map(|_| format!("shop-{}/{}", random.u32(1..4), random.u32(100..900)));
    let text = |text: Option<String>| text.map_or(OwnValue::Null, OwnValue::Text);
    vec![
        OwnValue::Text(scope(random)),
        OwnValue::Text(key(random)),
        OwnValue::Text(time(created)),
        OwnValue::Text(time(created.plus(RETENTION))),
        OwnValue::Text(path),
        OwnValue::Text(hash(random)),
        status.map_or(OwnValue::Null, OwnValue::Int),
        text(body),
        text(locked.map(time)),
        text(locked.map(|at| time(at.plus(LEASE)))),
        text(owner),
    ]
}

fn invoice_record(random: &mut fastrand::Rng, now: Timestamp, number: usize) -> Vec<OwnValue> {
    let age = Duration::secs(random.i64(30..80_000));
    let stuck = number.is_multiple_of(90);
    let created = now.minus(age);
    let body = "eyJpbnZvaWNlIjogInNlbnQifQ==";
    let text = |text: &str| OwnValue::Text(text.to_owned());
    let expires = created.plus(if stuck { Duration::secs(30) } else { RETENTION });
    vec![
        OwnValue::Int(number as i64),
        OwnValue::Text(format!("inv-2026-11-{:04}:attempt", 4_000 + 7 * number)),
        OwnValue::Text(hash(random)),
        text(if stuck { "in_progress" } else { "completed" }),
        if stuck {
            OwnValue::Null
        } else {
            OwnValue::Int(if random.u8(..20) == 0 { 422 } else { 200 })
        },
        text(if stuck {
            "{}"
        } else {
            "{\"Content-Type\": \"application/json\"}"
        }),
        text(if stuck { "" } else { body }),
        OwnValue::Text(time(created)),
        if stuck {
            OwnValue::Null
        } else {
            OwnValue::Text(time(created.plus(Duration(240))))
        },
        OwnValue::Text(time(expires)),
    ]
}

fn time(at: Timestamp) -> String {
    chrono::DateTime::from_timestamp_millis(at.millis())
        .map(|time| time.format("%Y-%m-%d %H:%M:%S%.3f").to_string())
        .unwrap_or_default()
}

fn hex(random: &mut fastrand::Rng, digits: usize) -> String {
    (0..digits).map(|_| random.digit(16)).collect()
}

fn hash(random: &mut fastrand::Rng) -> String {
    hex(random, 64)
}

/// What clients send: mostly UUIDs, some keys of their own making.
fn key(random: &mut fastrand::Rng) -> String {
    match random.u8(..10) {
        0 => format!("ord_{:05}/confirm", random.u32(..100_000)),
        _ => format!(
            "{}-{}-4{}-a{}-{}",
            hex(random, 8),
            hex(random, 4),
            hex(random, 3),
            hex(random, 3),
            hex(random, 12)
        ),
    }
}

fn scope(random: &mut fastrand::Rng) -> String {
    match random.u8(..3) {
        0 => format!("acct_{}", random.u32(100..2_000)),
        _ => format!("user_{}", random.u32(1..1_000)),
    }
}

fn path(random: &mut fastrand::Rng) -> String {
    let path = match random.u8(..10) {
        0 => "/payments/{id}/refund",
        1 | 2 => "/payments/{id}/capture",
        3 => "/orders",
        4 => "/transfers",
        _ => "/payments",
    };
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_records() {
        let now = Timestamp(1_795_953_600_000);
        assert_eq!(rows(now), rows(now));
    }

    #[test]
    fn there_is_enough_of_everything() {
        let now = Timestamp(1_795_953_600_000);
        let made: Vec<usize> = rows(now).iter().map(|table| table.rows.len()).collect();
        assert!(made.iter().all(|rows| *rows >= 100), "{made:?}");
        assert!(made.iter().sum::<usize>() >= 5_000, "{made:?}");
    }
}
