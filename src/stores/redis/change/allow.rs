//! The commands that the write half may send: its own list, apart from the read half's.

use ::redis::{Cmd, Pipeline};

/// Everything that the write half ever sends. The script's own commands stand in it.
fn allowed(command: &str) -> bool {
    let reads = [
        "PING",
        "INFO",
        "TIME",
        "PTTL",
        "PEXPIRETIME",
        "TYPE",
        "GET",
        "GETRANGE",
        "STRLEN",
        "HLEN",
        "HMGET",
        "HGETALL",
        "HSCAN",
        "SCARD",
        "SISMEMBER",
        "SSCAN",
        "ZCARD",
        "ZSCORE",
        "ZRANGE",
    ];
    let around = [
        "EVAL", "EVALSHA", "WATCH", "UNWATCH", "MULTI", "EXEC", "ASKING",
    ];
    let writes = [
        "SET",
        "UNLINK",
        "DEL",
        "HSET",
        "HDEL",
        "SADD",
        "SREM",
        "ZADD",
        "ZREM",
        "PEXPIREAT",
        "PERSIST",
    ];
    reads.contains(&command) || around.contains(&command) || writes.contains(&command)
}

/// Adds a command to a pipeline, if it may be sent at all.
pub fn push(pipeline: &mut Pipeline, command: Cmd) {
    let name = match command.args_iter().next() {
        Some(::redis::Arg::Simple(name)) => String::from_utf8_lossy(name).into_owned(),
        _ => String::new(),
    };
    debug_assert!(allowed(&name), "{name} is not on the allow-list");
    if allowed(&name) {
        pipeline.add_command(command);
    }
}

pub fn command(words: &[&[u8]]) -> Cmd {
    let mut command = Cmd::new();
    for word in words {
        command.arg(*word);
    }
    command
}
