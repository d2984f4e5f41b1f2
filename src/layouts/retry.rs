//! What a retry sent right now would get, by the rules of the layout.

use super::layout::{Layout, RetryAction, RetryAnswer};
use crate::domain::{Record, Status, Stuck, Timestamp};

/// What is known of a record beside its fields.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    pub stuck: Stuck,
    /// A stored answer makes it finished, also where that answer is an error.
    pub finished: bool,
}

pub fn answer(layout: &Layout, record: &Record, standing: Standing, now: Timestamp) -> RetryAnswer {
    let rules = &layout.retry;
    if record.expired(now) == Some(true)
        && let Some(answer) = &rules.expired
    {
        return answer.clone();
    }
    let rule = match record.status {
        Status::Processing if standing.stuck == Stuck::Yes => {
            rules.stuck.as_ref().or(rules.processing.as_ref())
        }
        Status::Processing => rules.processing.as_ref(),
        Status::Completed => rules.completed.as_ref(),
        Status::Failed if standing.finished => rules.completed.as_ref(),
        Status::Failed => rules.failed.as_ref(),
        Status::Unknown => None,
    };
    let Some(rule) = rule else {
        return RetryAnswer {
            action: RetryAction::Unknown,
            status: None,
            why: "the layout does not say".to_owned(),
        };
    };
    let mut answer = rule.clone();
    if answer.action == RetryAction::Replay {
        answer.status = answer.status.or(record.response_status);
    }
    answer
}
