//! The idempotency layer held to its promises, on every store: the six points, under parallel load,
//! with the process killed between any two steps.
//!
//! To add a store: one line in the list below and a fixture.

mod support;

#[path = "guard/crash.rs"]
mod crash;
#[path = "guard/fixture.rs"]
mod fixture;
#[path = "guard/inspected.rs"]
mod inspected;
#[path = "guard/laws.rs"]
mod laws;
#[path = "guard/logged.rs"]
mod logged;
#[path = "guard/policies.rs"]
mod policies;

macro_rules! on_every_store {
    ($($store:ident),+; $laws:tt) => { $(on_every_store!(@ $store $laws);)+ };
    (@ $store:ident ($($law:ident),+ $(,)?)) => {
        mod $store {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $law() {
                    let fixture = crate::fixture::$store().await;
                    crate::laws::$law(&fixture).await;
                }
            )+
        }
    };
}

on_every_store!(memory, sqlite, redis, postgres; (
    one_key_is_executed_once_and_replayed,
    another_payload_is_refused_and_changes_nothing,
    a_key_belongs_to_its_scope,
    after_its_retention_a_key_is_new,
    a_replay_may_extend_the_retention,
    of_many_at_once_one_executes,
    waiting_requests_get_the_answer_of_the_first,
    an_error_releases_and_keeps_the_fingerprint,
    a_stale_lock_is_taken_over_and_its_owner_fenced,
    a_stale_lock_is_left_where_the_policy_says_so,
    a_lock_that_is_renewed_is_never_stale,
    what_is_stored_comes_back_byte_for_byte,
    a_client_that_gives_up_does_not_end_its_request,
    an_execution_goes_on_where_the_last_one_stopped,
    a_note_is_saved_with_its_answer_or_not_at_all,
));
