//! What the integration tests share: real servers, certificates, a wire that breaks, the corpus.
//!
//! Apart from the tests because several of them need the same servers, and a test should show
//! its input and its expectation only. Used by `mod support;` at the top of a test file.
//! Invariant: servers listen on loopback and a socket in a private folder only, die with the test
//! process, and leave nothing in the folders of the user.
#![allow(
    dead_code,
    reason = "each test file builds its own copy and uses a part of it"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "these are the tests' own servers: they read the clock and the environment themselves"
)]

pub mod cluster;
pub mod corpus;
pub mod desk;
pub mod fetched;
pub mod hold;
pub mod pooler;
pub mod postgres;
pub mod process;
pub mod redis;
pub mod replica;
pub mod sentinel;
pub mod ssh;
pub mod tls;
pub mod wire;

/// Seed of this test run: printed by `tests/run`, so that a failure can be run again.
pub fn seed() -> u64 {
    std::env::var("IDEMSCOPE_TEST_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

/// True under `tests/run --long`: the same laws on more and larger inputs.
pub fn long() -> bool {
    std::env::var_os("IDEMSCOPE_TEST_LONG").is_some()
}
