//! Stores for the layer: each does its four steps atomically, by its own clock.

mod memory;
mod postgres;
mod redis;
mod sqlite;

pub use memory::MemoryStore;
pub use postgres::PostgresStore;
pub use redis::RedisStore;
pub use sqlite::SqliteStore;
