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

/// The fields of the retry log that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    At,
    Key,
    Scope,
    Endpoint,
    Client,
    Number,
    Outcome,
    Status,
    Duration,
    SinceFirst,
    Fingerprint,
    FingerprintVersion,
    Instance,
    Owner,
    SampleRate,
}

impl Field {
    pub const ALL: [Field; 15] = [
        Field::At,
        Field::Key,
        Field::Scope,
        Field::Endpoint,
        Field::Client,
        Field::Number,
        Field::Outcome,
        Field::Status,
        Field::Duration,
        Field::SinceFirst,
        Field::Fingerprint,
        Field::FingerprintVersion,
        Field::Instance,
        Field::Owner,
        Field::SampleRate,
    ];

    /// The name in a stream, and that of a column.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Field::At => ("t", "at"),
            Field::Key => ("k", "key_hash"),
            Field::Scope => ("s", "scope"),
            Field::Endpoint => ("e", "endpoint"),
            Field::Client => ("c", "client"),
            Field::Number => ("n", "attempt_no"),
            Field::Outcome => ("o", "outcome"),
            Field::Status => ("h", "http_status"),
            Field::Duration => ("d", "duration_ms"),
            Field::SinceFirst => ("f0", "since_first_ms"),
            Field::Fingerprint => ("fp", "fingerprint"),
            Field::FingerprintVersion => ("fv", "fp_version"),
            Field::Instance => ("i", "instance"),
            Field::Owner => ("ow", "owner"),
            Field::SampleRate => ("sr", "sample_rate"),
        }
    }
}

/// The unit of a number that is a time or a period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogUnit {
    Seconds,
    #[default]
    Millis,
    Micros,
}

impl LogUnit {
    pub fn named(name: &str) -> Option<LogUnit> {
        match name {
            "s" => Some(LogUnit::Seconds),
            "ms" => Some(LogUnit::Millis),
            "us" => Some(LogUnit::Micros),
            _ => None,
        }
    }

    /// Milliseconds, rounded down.
    pub fn to_millis(self, number: i64) -> i64 {
        match self {
            LogUnit::Seconds => number.saturating_mul(1_000),
            LogUnit::Millis => number,
            LogUnit::Micros => number.div_euclid(1_000),
        }
    }

    /// The same of a number with a fraction.
    pub fn fraction_to_millis(self, number: f64) -> f64 {
        match self {
            LogUnit::Seconds => number * 1_000.0,
            LogUnit::Millis => number,
            LogUnit::Micros => number / 1_000.0,
        }
    }

    /// So many milliseconds, rounded down.
    pub fn down_from_millis(self, ms: i64) -> i64 {
        match self {
            LogUnit::Seconds => ms.div_euclid(1_000),
            LogUnit::Millis | LogUnit::Micros => self.from_millis(ms),
        }
    }

    /// The first number of this unit that is not before so many milliseconds.
    pub fn from_millis(self, ms: i64) -> i64 {
        match self {
            LogUnit::Seconds => ms.div_euclid(1_000) + i64::from(ms.rem_euclid(1_000) > 0),
            LogUnit::Millis => ms,
            LogUnit::Micros => ms.saturating_mul(1_000),
        }
    }
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
    fn no_time_of_a_unit_falls_out_of_its_window() {
        for (unit, per_ms) in [(LogUnit::Seconds, 0.001), (LogUnit::Micros, 1_000.0)] {
            for ms in [
                -1_001,
                -1_000,
                -1,
                0,
                1,
                999,
                1_000,
                1_001,
                1_795_953_600_123,
            ] {
                let first = unit.from_millis(ms);
                assert!(first as f64 >= ms as f64 * per_ms, "{unit:?} {ms}");
                assert!(((first - 1) as f64) < ms as f64 * per_ms, "{unit:?} {ms}");
                assert!(unit.to_millis(first) >= ms, "{unit:?} {ms}");
                let whole = unit.down_from_millis(ms);
                assert!(whole as f64 <= ms as f64 * per_ms, "{unit:?} {ms}");
            }
        }
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
