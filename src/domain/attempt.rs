//! One attempt of a request, as a retry log has it, and what came of it.
//!
//! Apart from `record` because a record tells how things stand now, and attempts tell how they came
//! to stand so: a log also has the refusals that leave no record.

use sha2::{Digest, Sha256};

/// What came of an attempt: the word of the retry log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    #[default]
    Executed,
    Replayed,
    /// Replayed after waiting for the first one.
    WaitedReplay,
    InProgress,
    Mismatch,
    MissingKey,
    BadKey,
    /// Executed again, because the last execution ended with an error.
    ReexecError,
    /// Executed again, because its retention had ended.
    ReexecExpired,
    /// Executed again, because another's lock was past its lease.
    TakenOver,
    /// Executed, and the record belongs to somebody else meanwhile.
    StaleOwner,
    /// Refused by the handler before it did anything.
    Rejected,
    StoreError,
    /// Executed without a record.
    Unprotected,
}

/// What outcomes mean to an operator: the fourteen in six.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    Executed,
    Replayed,
    InProgress,
    Refused,
    /// Executed once more than wanted, or perhaps so.
    Repeated,
    Store,
}

impl Family {
    pub const ALL: [Family; 6] = [
        Family::Executed,
        Family::Replayed,
        Family::InProgress,
        Family::Refused,
        Family::Repeated,
        Family::Store,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Family::Executed => "executed",
            Family::Replayed => "replayed",
            Family::InProgress => "in_progress",
            Family::Refused => "refused",
            Family::Repeated => "repeated",
            Family::Store => "store",
        }
    }
}

impl Outcome {
    pub const ALL: [Outcome; 14] = [
        Outcome::Executed,
        Outcome::Replayed,
        Outcome::WaitedReplay,
        Outcome::InProgress,
        Outcome::Mismatch,
        Outcome::MissingKey,
        Outcome::BadKey,
        Outcome::ReexecError,
        Outcome::ReexecExpired,
        Outcome::TakenOver,
        Outcome::StaleOwner,
        Outcome::Rejected,
        Outcome::StoreError,
        Outcome::Unprotected,
    ];

    /// The word of the retry log.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Executed => "executed",
            Outcome::Replayed => "replayed",
            Outcome::WaitedReplay => "waited_replay",
            Outcome::InProgress => "in_progress",
            Outcome::Mismatch => "mismatch",
            Outcome::MissingKey => "missing_key",
            Outcome::BadKey => "bad_key",
            Outcome::ReexecError => "reexec_error",
            Outcome::ReexecExpired => "reexec_expired",
            Outcome::TakenOver => "taken_over",
            Outcome::StaleOwner => "stale_owner",
            Outcome::Rejected => "rejected",
            Outcome::StoreError => "store_error",
            Outcome::Unprotected => "unprotected",
        }
    }

    /// The outcome of a word, if it is one of them.
    pub fn of_name(name: &str) -> Option<Outcome> {
        Outcome::ALL
            .into_iter()
            .find(|outcome| outcome.name() == name)
    }

    pub fn family(self) -> Family {
        match self {
            Outcome::Executed => Family::Executed,
            Outcome::Replayed | Outcome::WaitedReplay => Family::Replayed,
            Outcome::InProgress => Family::InProgress,
            Outcome::Mismatch | Outcome::MissingKey | Outcome::BadKey | Outcome::Rejected => {
                Family::Refused
            }
            Outcome::ReexecError | Outcome::ReexecExpired | Outcome::TakenOver => Family::Repeated,
            Outcome::StoreError | Outcome::Unprotected | Outcome::StaleOwner => Family::Store,
        }
    }

    /// Whether the handler ran, so that there may have been an effect.
    pub fn is_execution(self) -> bool {
        matches!(
            self,
            Outcome::Executed
                | Outcome::ReexecError
                | Outcome::ReexecExpired
                | Outcome::TakenOver
                | Outcome::StaleOwner
                | Outcome::Unprotected
        )
    }
}

/// What a retry log calls a key: a digest of whose it is and of itself, since keys may carry
/// personal data. SHA-256 over the scope, one zero byte and the key; the first 32 hex digits.
pub fn key_hash(scope: &str, key: &str) -> String {
    let mut digest = Sha256::new();
    digest.update(scope.as_bytes());
    digest.update([0]);
    digest.update(key.as_bytes());
    hex(&digest.finalize(), 32)
}

/// What a retry log calls a user or tenant: the first 16 hex digits of its SHA-256.
pub fn scope_hash(scope: &str) -> String {
    hex(&Sha256::digest(scope.as_bytes()), 16)
}

fn hex(bytes: &[u8], digits: usize) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .take(digits)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_is_found_by_its_word_and_belongs_to_a_family() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::of_name(outcome.name()), Some(outcome));
            assert!(Family::ALL.contains(&outcome.family()));
        }
        assert_eq!(Outcome::of_name("vanished"), None);
    }

    #[test]
    fn scope_and_key_are_kept_apart() {
        assert_ne!(key_hash("ab", "c"), key_hash("a", "bc"));
        assert_eq!(key_hash("u", "k").len(), 32);
        assert_eq!(scope_hash("user_42").len(), 16);
        // printf 'u\0k' | sha256sum
        assert_eq!(key_hash("u", "k"), "bda0adc1cb9a33551adf169dd39c5aef");
    }
}
