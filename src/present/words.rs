//! Words that the window and the command line share.

use super::say::say;
use crate::domain::change::{Outcome, Verb};
use crate::domain::{ProblemCode, Status, Stuck};

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

    pub fn word(self) -> String {
        match self {
            Standing::Stuck => say!("word-stuck"),
            Standing::Processing => say!("word-processing"),
            Standing::Failed => say!("word-failed"),
            Standing::Unknown => say!("word-unknown"),
            Standing::Completed => say!("word-completed"),
            Standing::Expired => say!("word-expired"),
        }
    }
}

pub fn status_word(status: Status) -> String {
    Standing::of(status, Stuck::CannotTell, None).word()
}

/// The verdict about a lock, as the Locks view has it.
pub fn verdict_word(stuck: Stuck) -> String {
    match stuck {
        Stuck::Yes => say!("word-stuck"),
        Stuck::No => say!("word-held"),
        Stuck::CannotTell => say!("word-cannot-tell"),
    }
}

/// What came of a change, with the verb's own word for success.
pub fn outcome_word(outcome: Outcome, verb: Verb) -> String {
    match (outcome, verb) {
        (Outcome::Done, Verb::Release) => say!("outcome-released"),
        (Outcome::Done, Verb::Settle) => say!("outcome-settled"),
        (Outcome::Done, Verb::Purge) => say!("outcome-purged"),
        (Outcome::Done, Verb::Undo) => say!("outcome-restored"),
        (Outcome::ChangedMeanwhile, _) => say!("outcome-changed"),
        (Outcome::Gone, _) => say!("outcome-gone"),
        (Outcome::Alive, _) => say!("outcome-alive"),
        (Outcome::Refused, _) => say!("outcome-refused"),
        (Outcome::Unknown, _) => say!("outcome-unknown"),
        (Outcome::NotReached, _) => say!("outcome-not-reached"),
    }
}

/// What a retry would get, by the name that the command line's JSON has for it; a name not known
/// stands for itself.
pub fn retry_words(action: &str) -> String {
    match action {
        "execute" => say!("retry-execute"),
        "replay" => say!("retry-replay"),
        "refuse_in_progress" => say!("retry-in-progress"),
        "refuse_mismatch" => say!("retry-mismatch"),
        "unknown" => say!("retry-unknown"),
        other => other.to_owned(),
    }
}

pub fn problem_word(code: ProblemCode) -> String {
    match code {
        ProblemCode::NotUnderstood => say!("problem-not-understood"),
        ProblemCode::Cut => say!("problem-cut"),
        ProblemCode::BadField => say!("problem-bad-field"),
        ProblemCode::BadTime => say!("problem-bad-time"),
        ProblemCode::Refused => say!("problem-refused"),
        ProblemCode::Gone => say!("problem-gone"),
    }
}

/// In place of a time left that nothing ends.
pub fn never_expires() -> String {
    say!("word-never")
}

/// In place of a time left that is over.
pub fn passed() -> String {
    say!("word-passed")
}

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
