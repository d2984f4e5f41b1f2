//! What switches and their positions are called.
//!
//! Apart from `switches_ui` because these are words only. One that is not named here says its own
//! name.

use crate::present::say::say;

pub fn switch_word(id: &str) -> String {
    match id {
        "k1" => say!("switch-k1"),
        "k2" => say!("switch-k2"),
        "k3" => say!("switch-k3"),
        "s1" => say!("switch-s1"),
        "f1" => say!("switch-f1"),
        "c1" => say!("switch-c1"),
        "c2" => say!("switch-c2"),
        "a1" => say!("switch-a1"),
        "a2" => say!("switch-a2"),
        "e5" => say!("switch-e5"),
        "e4" => say!("switch-e4"),
        "l1" => say!("switch-l1"),
        "l2" => say!("switch-l2"),
        "t1" => say!("switch-t1"),
        "r1" => say!("switch-r1"),
        "r2" => say!("switch-r2"),
        "d2" => say!("switch-d2"),
        "b1" => say!("switch-b1"),
        "x1" => say!("switch-x1"),
        "p1" => say!("switch-p1"),
        "records" => say!("switch-records"),
        "unprotected" => say!("switch-unprotected"),
        "o1" => say!("switch-o1"),
        "o2" => say!("switch-o2"),
        "reference" => say!("switch-reference"),
        "tombstone" => say!("switch-tombstone"),
        other => other.to_uppercase(),
    }
}

pub fn time_word(id: &str) -> String {
    match id {
        "window_ms" => say!("switch-window-ms"),
        "wait_ms" => say!("switch-wait-ms"),
        "lease_ms" => say!("switch-lease-ms"),
        "retention_ms" => say!("switch-retention-ms"),
        other => plain(other),
    }
}

pub fn position_word(id: &str, position: &str) -> String {
    match id.as_bytes().first() {
        Some(b'k' | b's' | b'f' | b'c' | b'a') => asked(id, position),
        _ => kept(id, position),
    }
}

/// Of what is asked and claimed.
fn asked(id: &str, position: &str) -> String {
    match (id, position) {
        ("k1", "header") => "Idempotency-Key".to_owned(),
        ("k1", "other_header") => say!("switch-k1-other-header"),
        ("k1", "body_field") => say!("switch-k1-body-field"),
        ("k1", "repeatable") => "Repeatability-Request-ID".to_owned(),
        ("k2", "yes") => say!("switch-k2-yes"),
        ("k2", "no") => say!("switch-k2-no"),
        ("k3", "either") => say!("switch-k3-either"),
        ("k3", "bare") => say!("switch-k3-bare"),
        ("k3", "quoted") => say!("switch-k3-quoted"),
        ("k3", "uuid") => "UUID".to_owned(),
        ("s1", "user_method_route") => say!("switch-s1-user-method-route"),
        ("s1", "user") => say!("switch-s1-user"),
        ("s1", "global") => say!("switch-s1-global"),
        ("s1", "tenant_user_method_path") => say!("switch-s1-tenant-user-method-path"),
        ("f1", "canonical") => say!("switch-f1-canonical"),
        ("f1", "sorted") => say!("switch-f1-sorted"),
        ("f1", "raw") => say!("switch-f1-raw"),
        ("f1", "selected_fields") => say!("switch-f1-selected-fields"),
        ("f1", "none") => say!("switch-f1-none"),
        ("c1", "atomic") => say!("switch-c1-atomic"),
        ("c1", "none") => say!("switch-c1-none"),
        ("c1", "process_local") => say!("switch-c1-process-local"),
        ("c1", "row_lock") => say!("switch-c1-row-lock"),
        ("c2", "claim_execute_save") => say!("switch-c2-claim-execute-save"),
        ("c2", "execute_save") => say!("switch-c2-execute-save"),
        ("c2", "one_transaction") => say!("switch-c2-one-transaction"),
        ("c2", "recovery_points") => say!("switch-c2-recovery-points"),
        ("a1", "conflict_retry_after") => say!("switch-a1-conflict-retry-after"),
        ("a1", "conflict") => "409".to_owned(),
        ("a1", "accepted") => "202".to_owned(),
        ("a1", "unprocessable") => "422".to_owned(),
        ("a1", "wait") => say!("switch-a1-wait"),
        ("a2", "unprocessable") => "422".to_owned(),
        ("a2", "bad_request") => "400".to_owned(),
        ("a2", "conflict") => "409".to_owned(),
        ("a2", "replay") => say!("switch-a2-replay"),
        (_, other) => plain(other),
    }
}

/// Of what is kept and answered.
fn kept(id: &str, position: &str) -> String {
    match (id, position) {
        ("e5", "release") => say!("switch-e5-release"),
        ("e5", "store") => say!("switch-e5-store"),
        ("e5", "unknown") => say!("switch-e5-unknown"),
        ("e5", "resume") => say!("switch-e5-resume"),
        ("e5", "leave") => say!("switch-e5-leave"),
        ("e4", "if_executed") => say!("switch-e4-if-executed"),
        ("e4", "always") => say!("switch-e4-always"),
        ("e4", "never") => say!("switch-e4-never"),
        ("l1", "own") => say!("switch-l1-own"),
        ("l1", "retention") => say!("switch-l1-retention"),
        ("l1", "renewed") => say!("switch-l1-renewed"),
        ("l2", "taken_over") => say!("switch-l2-taken-over"),
        ("l2", "never") => say!("switch-l2-never"),
        ("l2", "fenced") => say!("switch-l2-fenced"),
        ("t1", "fixed") => say!("switch-t1-fixed"),
        ("t1", "extended") => say!("switch-t1-extended"),
        ("r1", "whole") => say!("switch-r1-whole"),
        ("r1", "status_and_body") => say!("switch-r1-status-and-body"),
        ("r1", "body_with_ok") => say!("switch-r1-body-with-ok"),
        ("r2", "replayed") => "Idempotent-Replayed".to_owned(),
        ("r2", "other_name") => say!("switch-r2-other-name"),
        ("r2", "none") => say!("switch-r2-none"),
        ("d2", "refuse") => "503".to_owned(),
        ("d2", "execute") => say!("switch-d2-execute"),
        ("b1", "derived") => say!("switch-b1-derived"),
        ("b1", "none") => say!("switch-b1-none"),
        ("x1", "not_found") => "404".to_owned(),
        ("x1", "no_content") => "204".to_owned(),
        ("x1", "gone") => "410".to_owned(),
        ("x1", "error") => "500".to_owned(),
        ("p1", "key") => say!("switch-p1-key"),
        ("p1", "if_match") => say!("switch-p1-if-match"),
        ("p1", "unprotected") => say!("switch-p1-unprotected"),
        ("records", "lab_shop") => say!("switch-records-lab-shop"),
        ("records", "article") => say!("switch-records-article"),
        ("unprotected", "false") => say!("switch-unprotected-false"),
        ("unprotected", "true") => say!("switch-unprotected-true"),
        ("o1", "outbox") => say!("switch-o1-outbox"),
        ("o1", "inline_first") => say!("switch-o1-inline-first"),
        ("o1", "inline_last") => say!("switch-o1-inline-last"),
        ("o2", "on") => say!("switch-o2-on"),
        ("o2", "off") => say!("switch-o2-off"),
        ("o2", "marked_first") => say!("switch-o2-marked-first"),
        ("reference", "any") => say!("switch-reference-any"),
        ("reference", "unique") => "409".to_owned(),
        ("tombstone", "kept") => say!("switch-tombstone-kept"),
        ("tombstone", "none") => say!("switch-tombstone-none"),
        (_, other) => plain(other),
    }
}

fn plain(name: &str) -> String {
    name.replace('_', " ")
}
