//! Tables that are taken for stores of idempotency records, and tables that are not.

use super::propose;
use crate::domain::raw::ColumnKind;
use crate::domain::survey::{Column, Table};
use crate::layouts::detect::SURE;

fn table(name: &str, columns: &[(&str, ColumnKind)], unique: &[&str]) -> Table {
    Table {
        schema: "public".to_owned(),
        name: name.to_owned(),
        columns: columns
            .iter()
            .map(|(name, kind)| Column {
                name: (*name).to_owned(),
                declared: String::new(),
                kind: *kind,
                nullable: true,
                readable: true,
            })
            .collect(),
        unique: vec![unique.iter().map(|name| (*name).to_owned()).collect()],
        readable: true,
        ..Table::default()
    }
}

#[track_caller]
fn check(table: &Table, taken: bool) {
    match propose(table) {
        Ok(proposal) => {
            let layout = crate::layouts::parse("proposal", &proposal.text);
            assert!(layout.is_ok(), "{layout:?}: {}", proposal.text);
            assert_eq!(proposal.score >= SURE, taken, "{proposal:?}");
        }
        Err(why) => assert!(!taken, "{why:?}"),
    }
}

use ColumnKind::{Bool, Int, Json, Text, Time, Uuid};

#[test]
fn a_table_by_any_other_name_is_read() {
    let columns = [
        ("id", Int),
        ("TenantId", Uuid),
        ("IdempotencyKey", Text),
        ("RequestHash", Text),
        ("Status", Text),
        ("ResponseBody", Json),
        ("LockedAt", Time),
    ];
    check(
        &table("ApiIdempotency", &columns, &["TenantId", "IdempotencyKey"]),
        true,
    );
    let processed = [
        ("message_id", Text),
        ("consumer", Text),
        ("processed_at", Time),
    ];
    check(
        &table(
            "processed_messages",
            &processed,
            &["message_id", "consumer"],
        ),
        true,
    );
}

#[test]
fn a_name_that_says_it_needs_only_a_key() {
    let bytes = ColumnKind::Bytes;
    for (name, columns) in [
        (
            "IdempotentRequests",
            &[("Id", Text), ("Name", Text), ("CreatedOnUtc", Time)][..],
        ),
        (
            "idem_store",
            &[("idem_key", Text), ("data", Text), ("ts", Int)],
        ),
        (
            "http_requests_idem",
            &[
                ("key_hash", bytes),
                ("request_fingerprint", bytes),
                ("expires", Int),
            ],
        ),
        (
            "request_dedup",
            &[("request_id", Text), ("first_seen", Int)],
        ),
        ("dedup_keys", &[("k", Text), ("created_at", Time)]),
        (
            "event_inbox",
            &[
                ("EventId", Text),
                ("ReceivedAt", Time),
                ("ProcessedAt", Time),
            ],
        ),
    ] {
        check(&table(name, columns, &[columns[0].0]), true);
    }
}

#[test]
fn an_inbox_of_mail_is_no_inbox_of_messages() {
    let mail = [
        ("message_id", Text),
        ("sender", Text),
        ("subject", Text),
        ("body", Text),
        ("read_at", Time),
        ("processed_at", Time),
    ];
    check(&table("inbox", &mail, &["message_id"]), false);
    let plain = [
        ("message_id", Text),
        ("subject", Text),
        ("received_at", Time),
    ];
    check(&table("user_inbox", &plain, &["message_id"]), false);
    let other = [("Id", Text), ("Name", Text)];
    check(
        &table("idempotent_operations_config", &other, &["Id"]),
        false,
    );
}

#[test]
fn what_says_it_is_something_else_is_not_taken() {
    let outbox = [
        ("idempotency_key", Text),
        ("topic", Text),
        ("locked_until", Time),
    ];
    check(
        &table("outbox_messages", &outbox, &["idempotency_key"]),
        false,
    );
    let payments = [
        ("idempotency_key", Text),
        ("amount", Int),
        ("response_body", Json),
    ];
    check(&table("charges", &payments, &["idempotency_key"]), false);
    let without_index = [("idempotency_key", Text), ("response_status", Int)];
    check(
        &table("idempotency_records", &without_index, &["response_status"]),
        false,
    );
}

#[test]
fn a_table_without_a_telling_name_must_hold_records_and_little_else() {
    let records = [
        ("idempotency_key", Uuid),
        ("request_hash", Text),
        ("response_status", Int),
        ("response_body", Json),
        ("updated_at", Time),
    ];
    check(
        &table("transfer_requests", &records, &["idempotency_key"]),
        true,
    );
    for (name, columns) in [
        (
            "tasks",
            &[("status", Text), ("started_at", Time), ("result", Json)][..],
        ),
        ("uploads", &[("checksum", Text), ("completed_at", Time)]),
        ("refunds", &[("charge_id", Uuid), ("response_code", Int)]),
        (
            "emails",
            &[("recipient", Text), ("subject", Text), ("locked_at", Time)],
        ),
        (
            "subscriptions",
            &[
                ("request_hash", Text),
                ("response_status", Int),
                ("plan", Text),
                ("trial_days", Int),
                ("renews_on", Time),
            ],
        ),
    ] {
        let columns: Vec<(&str, ColumnKind)> = [("idempotency_key", Text)]
            .into_iter()
            .chain(columns.iter().copied())
            .collect();
        check(&table(name, &columns, &["idempotency_key"]), false);
    }
}

#[test]
fn what_only_speaks_of_idempotency_is_not_taken() {
    let columns = [("key", Text), ("result", Text), ("created_at", Time)];
    for name in [
        "idempotency_settings",
        "idempotency_metrics",
        "IdempotencyOutbox",
    ] {
        check(&table(name, &columns, &["key"]), false);
    }
}

#[track_caller]
fn check_text(columns: &[(&str, ColumnKind)], expected: &[&str]) {
    let table = table("idempotency_keys", columns, &["idempotency_key"]);
    let text = propose(&table).expect("a proposal").text;
    let layout = crate::layouts::parse("proposal", &text);
    assert!(layout.is_ok(), "{layout:?}: {text}");
    for line in expected {
        assert!(text.lines().any(|found| found == *line), "{line}: {text}");
    }
}

#[test]
fn times_and_states_of_every_kind_are_read() {
    check_text(
        &[
            ("idempotency_key", Text),
            ("CreatedOnUtc", Int),
            ("locked_at", Int),
            ("IsCompleted", Bool),
            ("response_code", Int),
        ],
        &[
            "created_at = { from = \"col.created_at\", unit = \"auto\" }",
            "when = [{ of = \"col.is_done\", one_of = [\"true\", \"1\"] }]",
            "when = [{ of = \"col.response_status\", between = [100, 599] }]",
            "when = [{ of = \"col.locked_at\", between = [1, 1e18] }]",
        ],
    );
}

#[test]
fn names_of_any_signs_are_written() {
    check_text(
        &[
            ("idempotency_key", Text),
            ("Response\u{200b}Body", Text),
            ("\u{7f}\"'\n", Text),
            ("response_status", Int),
        ],
        &[],
    );
    let mut odd = table(
        "idempotency\u{200b}\"\n\\",
        &[("idempotency_key", Text), ("response_status", Int)],
        &["idempotency_key"],
    );
    check(&odd, true);
    odd.unique.clear();
    check(&odd, false);
}
