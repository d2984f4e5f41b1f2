//! Hashes of unknown libraries, whose fields are written as other programmers write them.

use crate::{check, hash};

#[test]
fn fields_are_told_in_any_writing() {
    check(
        vec![
            hash(
                "shop:idempotency:k1",
                &[
                    ("Status", "InProgress"),
                    ("RequestHash", "ab"),
                    ("LockedAt", "1795953500"),
                ],
            ),
            hash(
                "shop:idempotency:k2",
                &[
                    ("Status", "Completed"),
                    ("RequestHash", "ab"),
                    ("ResponseStatusCode", "201"),
                ],
            ),
            hash(
                "idem:k3",
                &[
                    ("request-state", "x"),
                    ("state", "running"),
                    ("request-hash", "ab"),
                ],
            ),
            hash(
                "idem:k4",
                &[
                    ("STATE", "DONE"),
                    ("REQUEST_HASH", "ab"),
                    ("STATUS_CODE", "200"),
                ],
            ),
            hash(
                "idem:k5",
                &[
                    ("state", "failed"),
                    ("requesthash", "ab"),
                    ("errormessage", "boom"),
                ],
            ),
        ],
        &[
            "generic-record shop:idempotency:k1 processing k1",
            "generic-record shop:idempotency:k2 completed k2",
            "generic-record idem:k3 processing k3",
            "generic-record idem:k4 completed k4",
            "generic-record idem:k5 failed k5",
        ],
    );
}

#[test]
fn a_hash_that_names_its_key_is_told_in_any_writing() {
    check(
        vec![
            hash(
                "api/requests/1",
                &[
                    ("IdempotencyKey", "k1"),
                    ("Status", "Started"),
                    ("PayloadHash", "ab"),
                ],
            ),
            hash(
                "api/requests/2",
                &[
                    ("idempotency-key", "k2"),
                    ("state", "done"),
                    ("response-code", "200"),
                ],
            ),
        ],
        &[
            "generic-keyed-record api/requests/1 processing k1",
            "generic-keyed-record api/requests/2 completed k2",
        ],
    );
}
