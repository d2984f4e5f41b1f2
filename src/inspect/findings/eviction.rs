//! A server that may drop locks when its memory is full.
//!
//! Any policy but `noeviction` may; the `volatile` ones drop only keys that expire, which locks are.

use super::{Eviction, Finding, Ground, What};
use crate::domain::Status;

pub(super) fn find(ground: &Ground<'_>) -> Option<Finding> {
    let Eviction {
        policy,
        memory_max,
        evicted,
    } = ground.facts.eviction.as_ref()?;
    // Without a bound the memory is never full for Redis, whatever the policy.
    if policy == "noeviction" || *memory_max == Some(0) || ground.summary.total == 0 {
        return None;
    }
    let count = ground.summary.of_status(Status::Processing);
    Some(Finding {
        what: What::MayEvict {
            policy: policy.clone(),
            evicted: *evicted,
        },
        count,
        query: "status:processing".to_owned(),
    })
}
