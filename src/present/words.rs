//! Words that the window and the command line share.

use crate::domain::{LockAgeSource, ProblemCode, Status, Stuck};

/// What a record is called in a list: its status, with what time has made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    Stuck,
    Processing,
    Failed,
    Unknown,
    Completed,
    Expired,
}

impl Standing {
    pub const ALL: [Standing; 6] = [
        Standing::Stuck,
        Standing::Processing,
        Standing::Failed,
        Standing::Unknown,
        Standing::Completed,
        Standing::Expired,
    ];

    /// Stuck comes before expired: a dead lock is news, a record nobody purged is not.
    pub fn of(status: Status, stuck: Stuck, expired: Option<bool>) -> Standing {
        match (status, stuck) {
            (Status::Processing, Stuck::Yes) => Standing::Stuck,
            _ if expired == Some(true) => Standing::Expired,
            (Status::Processing, _) => Standing::Processing,
            (Status::Completed, _) => Standing::Completed,
            (Status::Failed, _) => Standing::Failed,
            (Status::Unknown, _) => Standing::Unknown,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Standing::Stuck => "Stuck",
            Standing::Processing => "Processing",
            Standing::Failed => "Failed",
            Standing::Unknown => "Unknown",
            Standing::Completed => "Completed",
            Standing::Expired => "Expired",
        }
    }
}

pub fn status_word(status: Status) -> &'static str {
    Standing::of(status, Stuck::CannotTell, None).word()
}

/// The verdict about a lock, as the Locks view has it.
pub fn verdict_word(stuck: Stuck) -> &'static str {
    match stuck {
        Stuck::Yes => "Stuck",
        Stuck::No => "Held",
        Stuck::CannotTell => "Cannot tell",
    }
}

/// What a lock's age, or the answer to stuck, rests on.
pub fn lock_age_source_words(source: LockAgeSource) -> &'static str {
    match source {
        LockAgeSource::Field => "the stored start of the lock",
        LockAgeSource::Deadline => "the stored deadline",
        LockAgeSource::ExpiryMinusTtl => "the stored expiry minus the lifetime, inferred",
        LockAgeSource::Pttl => "the lifetime minus the time left, inferred",
        LockAgeSource::None => "no time is stored",
    }
}

/// What a retry would get, by the name that the command line's JSON has for it; a name not known
/// stands for itself.
pub fn retry_words(action: &str) -> &str {
    match action {
        "execute" => "Executes",
        "replay" => "Gets the stored answer",
        "refuse_in_progress" => "Refused: still in progress",
        "refuse_mismatch" => "Refused: another payload",
        "unknown" => "Cannot be told",
        other => other,
    }
}

pub fn problem_word(code: ProblemCode) -> &'static str {
    match code {
        ProblemCode::NotUnderstood => "Not understood",
        ProblemCode::Cut => "Only the beginning was read",
        ProblemCode::BadField => "A field could not be read",
        ProblemCode::BadTime => "A time could not be read",
        ProblemCode::Refused => "This login may not read it",
        ProblemCode::Gone => "Gone when it was read",
    }
}

/// Words in place of a time left.
pub const NEVER_EXPIRES: &str = "never";
pub const EXPIRED: &str = "passed";
pub const NOT_TOLD: &str = "–";

/// `1 record`, `2 records`.
pub fn plural(count: u64, one: &str, many: &str) -> String {
    let noun = if count == 1 { one } else { many };
    format!("{count} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stuck_comes_before_expired_and_expired_before_the_status() {
        let of = Standing::of;
        assert_eq!(
            of(Status::Processing, Stuck::Yes, Some(true)),
            Standing::Stuck
        );
        assert_eq!(
            of(Status::Completed, Stuck::CannotTell, Some(true)),
            Standing::Expired
        );
        assert_eq!(
            of(Status::Processing, Stuck::No, Some(false)),
            Standing::Processing
        );
        assert_eq!(status_word(Status::Unknown), "Unknown");
    }

    #[test]
    fn an_unknown_action_stands_for_itself() {
        assert_eq!(retry_words("replay"), "Gets the stored answer");
        assert_eq!(retry_words("ponder"), "ponder");
    }
}
