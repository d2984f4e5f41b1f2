//! One contract for all stores, and what they say to bad input.
//!
//! The store in memory is the oracle: the same data is put into each store, and what it answers
//! has to be what memory answers. To add a store: one line in the lists below.

mod support;

#[path = "stores/change_contract.rs"]
mod change_contract;
#[path = "stores/change_data.rs"]
mod change_data;
#[path = "stores/change_fixture.rs"]
mod change_fixture;
#[path = "stores/change_postgres.rs"]
mod change_postgres;
#[path = "stores/change_redis_bad.rs"]
mod change_redis_bad;
#[path = "stores/change_sqlite.rs"]
mod change_sqlite;
#[path = "stores/exact_contract.rs"]
mod exact_contract;
#[path = "stores/fixture.rs"]
mod fixture;
#[path = "stores/key_contract.rs"]
mod key_contract;
#[path = "stores/key_data.rs"]
mod key_data;
#[path = "stores/postgres_bad.rs"]
mod postgres_bad;
#[path = "stores/postgres_special.rs"]
mod postgres_special;
#[path = "stores/redis_bad.rs"]
mod redis_bad;
#[path = "stores/redis_special.rs"]
mod redis_special;
#[path = "stores/sqlite_bad.rs"]
mod sqlite_bad;
#[path = "stores/table_contract.rs"]
mod table_contract;
#[path = "stores/table_data.rs"]
mod table_data;
#[path = "stores/tls_bad.rs"]
mod tls_bad;
#[path = "stores/topologies.rs"]
mod topologies;

macro_rules! contract {
    ($contract:ident: $($store:ident),* $(,)?; $laws:tt) => {
        $(contract!(@ $contract $store $laws);)*
    };
    (@@ change_contract $store:ident) => { crate::change_fixture::$store() };
    (@@ exact_contract sqlite_exactly) => { crate::fixture::sqlite() };
    (@@ exact_contract postgres_exactly) => { crate::fixture::postgres_tcp() };
    (@@ exact_contract postgres_pooler_exactly) => { crate::fixture::postgres_pooler() };
    (@@ exact_contract postgres_ssh_exactly) => { crate::fixture::postgres_ssh() };
    (@@ exact_contract postgres_standby_exactly) => { crate::fixture::postgres_standby() };
    (@@ exact_contract postgres_tls_exactly) => { crate::fixture::postgres_tls() };
    (@@ $contract:ident $store:ident) => { crate::fixture::$store() };
    (@ $contract:ident $store:ident ($($law:ident),* $(,)?)) => {
        mod $store {
            $(
                #[tokio::test]
                async fn $law() {
                    let fixture = contract!(@@ $contract $store).await;
                    crate::$contract::$law(&fixture).await;
                }
            )*
        }
    };
}

contract!(key_contract:
    keys_in_memory, redis_tcp, redis_socket, redis_tls, redis_least_rights, redis_cluster,
    redis_sentinel, redis_replica, redis_ssh;
    (every_key_is_seen_once, values_are_read, a_missing_key_is_missing, a_sample_is_bounded));

contract!(table_contract:
    tables_in_memory, sqlite, postgres_tcp, postgres_socket, postgres_tls, postgres_pooler,
    postgres_standby, postgres_ssh;
    (tables_are_described, rows_are_found_by_text, every_row_is_read_once, a_scan_ends_early));

contract!(change_contract:
    changing_memory, changing_redis, changing_redis_least_rights, changing_redis_without_scripts,
    changing_redis_by_ttl, changing_redis_watched_by_ttl, changing_redis_cluster,
    changing_redis_cluster_without_scripts, changing_redis_sentinel, changing_redis_tls,
    changing_redis_ssh;
    (pieces_are_read_exactly, what_is_released_is_restored_by_turning_it_around,
    what_changed_meanwhile_is_left_alone, all_pieces_of_a_record_are_compared_together,
    many_records_have_an_outcome_each, random_turns_end_as_in_memory));

contract!(exact_contract:
    sqlite_exactly, postgres_exactly, postgres_pooler_exactly, postgres_ssh_exactly,
    postgres_standby_exactly, postgres_tls_exactly;
    (rows_read_exactly_show_what_lists_show, many_rows_keep_the_order_of_their_keys));
