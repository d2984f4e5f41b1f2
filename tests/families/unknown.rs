//! Stores of libraries that nobody here knows, plainly of idempotency records.

use crate::{DAY, bytes, check, hash, string};

#[test]
fn every_form_is_read_as_far_as_it_tells() {
    check(
        vec![
            string(
                "myapp:idempotency_keys:u-7:9f1c",
                r#"{"Result":null,"State":"Pending","Hash":"9f1c"}"#,
                DAY,
            ),
            string(
                "svc.idempotency.ord-9",
                r#"{"state":"finished","response":{"status":201,"body":"{}"}}"#,
                DAY,
            ),
            string(
                "idem|tenant-3|ord-10",
                r#"{"inFlight":true,"startedAt":1795953500123}"#,
                DAY,
            ),
            string(
                "IdempotencyKey_3f2504e0-4f89-41d3-9a0c-0305e82c3301",
                r#"{"StatusCode":201,"Headers":{},"Body":"e30="}"#,
                DAY,
            ),
            string("dedupe:webhook:evt_1", "1", DAY),
            string(
                "idempotent:pay:5",
                r#"{"locked":true,"owner":"w1","ts":1795953500}"#,
                DAY,
            ),
            bytes(
                "idempotency:mp:1",
                b"\x82\xa6status\xaaprocessing\xa4hash\xa2ab",
                DAY,
            ),
            string(
                "laravel:idempotency:php1",
                "a:2:{s:6:\"status\";s:9:\"completed\";s:4:\"code\";i:201;}",
                DAY,
            ),
            string(
                "idempotency/v2/acct_1/POST/ord-11",
                r#"{"st":"processing","fp":"ab"}"#,
                DAY,
            ),
            hash("idem:{acme}:k9", &[("st", "processing"), ("fp", "ab")]),
            string(
                "exactly-once:k12",
                r#"{"done":true,"result":{"id":1}}"#,
                DAY,
            ),
            string("req-idempotency:k13", "PROCESSING|1795953500|w1", DAY),
            string("idempotency:k14", "201", DAY),
            string("x-idempotency:k15", r#"["completed",201,"{}"]"#, DAY),
            string(
                "idempotency:k16",
                r#"{"meta":{"status":"processing","fingerprint":"ab"},"data":null}"#,
                DAY,
            ),
        ],
        &READ,
    );
}

const READ: [&str; 15] = [
    "generic-record IdempotencyKey_3f2504e0-4f89-41d3-9a0c-0305e82c3301 completed 3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "generic-record exactly-once:k12 completed k12",
    "generic-record idem:{acme}:k9 processing {acme}:k9",
    "generic-record idempotency/v2/acct_1/POST/ord-11 processing v2/acct_1/POST/ord-11",
    "generic-record idempotency:k14 unknown k14",
    "generic-record idempotency:k16 unknown k16",
    "generic-record idempotency:mp:1 processing mp:1",
    "generic-record idempotent:pay:5 processing pay:5",
    "generic-record idem|tenant-3|ord-10 processing tenant-3|ord-10",
    "generic-record laravel:idempotency:php1 completed php1",
    "generic-record myapp:idempotency_keys:u-7:9f1c processing 9f1c",
    "generic-record req-idempotency:k13 processing k13",
    "generic-record svc.idempotency.ord-9 completed ord-9",
    "plain-article x-idempotency:k15 completed k15",
    "plain-dedupe-flag dedupe:webhook:evt_1 unknown evt_1",
];

#[test]
fn a_failure_is_read_like_the_records_around_it() {
    let value = |state: &str| format!(r#"{{"status":"{state}","requestHash":"da4f"}}"#);
    check(
        vec![
            string("shop:idempotency:user_1:ord-1", &value("completed"), DAY),
            string("shop:idempotency:user_2:ord-2", &value("failed"), DAY),
            string("shop:idempotency:user_3:ord-3", &value("failed"), DAY),
        ],
        &[
            "generic-record shop:idempotency:user_1:ord-1 completed ord-1",
            "generic-record shop:idempotency:user_2:ord-2 failed ord-2",
            "generic-record shop:idempotency:user_3:ord-3 failed ord-3",
        ],
    );
}
