//! The nouns and rules of idempotency records, and the glossary of the house.
//!
//! Invariant: nothing here does I/O, reads a clock or is asynchronous; `now` is always an argument.
//!
//! | word | meaning |
//! | --- | --- |
//! | record | what a store holds about one idempotency key |
//! | key | the idempotency key as the client sent it; its *address* is where the record stands |
//! | scope | whose key it is: user, tenant, account |
//! | operation | what the key is for: method and path, or a function name |
//! | status | `processing`, `completed`, `failed`, `unknown`; *expired* is apart from it |
//! | lock | the mark that some request is executing right now |
//! | lease | how long a lock is meant to hold; its end is the *deadline* |
//! | stuck | a lock past its lease with no sign of life: yes, no, cannot be told |
//! | payload hash | fingerprint of the request, kept to refuse another payload under the same key |
//! | replay | the stored answer given to a retry |
//! | retention | how long a record is kept |
//! | layout | the description of how one library stores its records |
//! | source | one layout found at one place in one store, with its parameters |
//! | release | take the lock away, so that the next retry executes again |
//! | settle | write the outcome into the record, so that retries replay it |
//! | purge | remove finished records, expired or not; never a processing one |
//! | attempt, outcome | one request as it was answered, and what came of it |
//! | plan, journal | the list of exact changes shown before they run; what came of them |

pub mod address;
pub mod attempt;
pub mod change;
pub mod raw;
pub mod record;
pub mod secret;
pub mod stuck;
pub mod survey;
pub mod time;

pub use record::{Problem, ProblemCode, Record, Status};
pub use secret::Secret;
pub use stuck::{LockAgeSource, LockFacts, LockVerdict, Stuck};
pub use time::{Duration, Timestamp};
