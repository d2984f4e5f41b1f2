//! Key spaces of other things than idempotency records, under names that were never seen before.

use crate::{DAY, bytes, check, hash, string};
use idemscope::domain::raw::{KeyValue, RawKey, Ttl};

fn list(name: &str) -> RawKey {
    RawKey {
        name: name.as_bytes().to_vec(),
        ttl: Ttl::Never,
        value: KeyValue::Opaque(idemscope::domain::raw::KeyType::List),
    }
}

#[test]
fn queues_jobs_and_outboxes_are_left_alone() {
    check(
        vec![
            list("emails:pending"),
            hash(
                "resque:worker:host-1",
                &[
                    ("queue", "default"),
                    ("run_at", "2026-11-29T12:00:00Z"),
                    ("payload", "{}"),
                ],
            ),
            hash(
                "outbox:7f1c2a",
                &[
                    ("event_type", "OrderPlaced"),
                    ("status", "pending"),
                    ("payload", "{}"),
                ],
            ),
            string(
                "task:9f1c:result",
                r#"{"status":"SUCCESS","result":7,"task_id":"9f1c"}"#,
                DAY,
            ),
            string("worker-17:heartbeat", "1795953600", DAY),
            hash(
                "Mail.Outgoing.17",
                &[("State", "Pending"), ("Attempts", "2"), ("To", "a@b")],
            ),
            string(
                "delayed/44",
                r#"{"state":"scheduled","runAt":1795953600,"attempts":0}"#,
                DAY,
            ),
        ],
        &[],
    );
}

#[test]
fn sessions_carts_caches_and_limits_are_left_alone() {
    check(
        vec![
            string("PHPREDIS_SESSION:4f1c", "user|a:1:{s:2:\"id\";i:7;}", DAY),
            bytes("session:9f", b"\x80\x04}\x94\x8c\x04user\x94K\x07s.", DAY),
            hash(
                "Cart.9",
                &[
                    ("Status", "Open"),
                    ("Items", "[]"),
                    ("CreatedAt", "1795953600"),
                ],
            ),
            string(
                "cart:77",
                r#"{"status":"completed","items":[],"total":10}"#,
                DAY,
            ),
            string("page:/home:v3", "<html></html>", DAY),
            string(
                "response:GET:/v1/things",
                r#"{"status":200,"body":"{}","headers":{}}"#,
                DAY,
            ),
            string("throttle:10.0.0.7", "17", DAY),
            hash(
                "bucket:acme",
                &[("tokens", "9"), ("updated_at", "1795953600")],
            ),
            string("lock.settlement", "9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d", DAY),
            string(
                "user:17",
                r#"{"status":"completed","hash":"ab","createdAt":1795953600}"#,
                DAY,
            ),
            string(
                "webhook:log:17",
                r#"{"status":200,"request":{},"response":{}}"#,
                DAY,
            ),
        ],
        &[],
    );
}

#[test]
fn what_only_speaks_about_idempotency_is_left_alone() {
    check(
        vec![
            string("idempotency:last_cleanup", "1795953600", Ttl::Never),
            string("idempotency:schema", "3", Ttl::Never),
            string("idempotency:migrations:3", "done", Ttl::Never),
            hash("idempotency:config:v2", &[("ttl", "60"), ("enabled", "1")]),
            hash(
                "idempotency-metrics:2026-11-29",
                &[("hits", "60"), ("misses", "1")],
            ),
            string("idempotency:queue:len:7", "12", DAY),
            string("docs:idempotency-guide", "<html></html>", DAY),
        ],
        &[],
    );
}
