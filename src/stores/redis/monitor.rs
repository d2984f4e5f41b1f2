//! Every command that a server carries out, for a while: on request only, since the server is slower
//! meanwhile and its lines hold other people's data.
//!
//! On a line of its own that is read by hand: a library would hold whole lines, and one line may be as
//! large as the largest value. Invariants: of a line no more is held than a command's name, its first
//! key and one short argument; nothing of it leaves this module but the kind of the command and a key
//! that is a record's.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ::redis::RedisConnectionInfo;
use futures_util::future::try_join_all;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::RedisStore;
use super::connect::Connector;
use crate::stores::logs::{CommandKind, SeenCommand, Untold};
use crate::stores::{StoreErrorKind, glob};

/// Bytes that are held of one argument.
const HELD_MAX: usize = 1_024;
const READ_BYTES: usize = 64 << 10;
/// Of an answer to a login.
const ANSWER_MAX: usize = 512;

impl RedisStore {
    /// Tells each command that is seen until the time is over.
    ///
    /// Errors: why nothing can be seen.
    pub async fn monitor(
        &self,
        globs: &[Vec<u8>],
        span: Duration,
        see: impl FnMut(SeenCommand<'_>),
    ) -> Result<(), Untold> {
        let servers = self.servers().await.map_err(|_| Untold::LineLost)?;
        let see = Mutex::new(see);
        let watched = servers
            .iter()
            .map(|server| watched(server, globs, span, &see));
        try_join_all(watched).await.map(drop)
    }
}

/// One server, from when it lets us.
async fn watched(
    server: &Connector,
    globs: &[Vec<u8>],
    span: Duration,
    see: &Mutex<impl FnMut(SeenCommand<'_>)>,
) -> Result<(), Untold> {
    // A line as any other first: a password that has expired is asked for anew there.
    let known = server
        .connect_here()
        .await
        .map_err(|error| match error.kind {
            StoreErrorKind::Login => Untold::NoRights,
            _ => Untold::LineLost,
        })?;
    drop(known);
    let line = server.line().await.map_err(|_| Untold::LineLost)?;
    let lines = Lines::new(server.target.database, globs, |command: SeenCommand<'_>| {
        let mut see = see.lock().unwrap_or_else(PoisonError::into_inner);
        (*see)(command);
    });
    watch(line, &server.newest_login(), server.timeout, span, lines).await
}

async fn within<T>(
    timeout: Duration,
    work: impl Future<Output = std::io::Result<T>>,
) -> Result<T, Untold> {
    match tokio::time::timeout(timeout, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) | Err(_) => Err(Untold::LineLost),
    }
}

async fn watch<S: FnMut(SeenCommand<'_>)>(
    mut line: impl AsyncRead + AsyncWrite + Unpin,
    login: &RedisConnectionInfo,
    timeout: Duration,
    span: Duration,
    mut lines: Lines<'_, S>,
) -> Result<(), Untold> {
    for command in before(login) {
        within(timeout, line.write_all(&command)).await?;
        within(timeout, answer(&mut line)).await??;
    }
    let mut buffer = vec![0; READ_BYTES];
    let end = tokio::time::sleep(span);
    let mut end = std::pin::pin!(end);
    loop {
        let count = tokio::select! {
            () = &mut end => return Ok(()),
            count = line.read(&mut buffer) => count.map_err(|_| Untold::LineLost)?,
        };
        match buffer.get(..count) {
            None | Some([]) => return Err(Untold::LineLost),
            Some(bytes) => bytes.iter().for_each(|byte| lines.take(*byte)),
        }
    }
}

/// The commands before the first line: one after the other, each with its answer.
fn before(login: &RedisConnectionInfo) -> Vec<Vec<u8>> {
    let mut commands = Vec::new();
    match (login.username(), login.password()) {
        (Some(user), password) if user != "default" || password.is_some() => {
            commands.push(packed(&["AUTH", user, password.unwrap_or_default()]));
        }
        (_, Some(password)) => commands.push(packed(&["AUTH", password])),
        _ => {}
    }
    // No database is chosen: lines say whose they are.
    commands.push(packed(&["MONITOR"]));
    commands
}

fn packed(words: &[&str]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        bytes.extend_from_slice(format!("${}\r\n{word}\r\n", word.len()).as_bytes());
    }
    bytes
}

/// The one line that a login is answered with.
async fn answer(line: &mut (impl AsyncRead + Unpin)) -> std::io::Result<Result<(), Untold>> {
    let mut text = Vec::new();
    while text.len() < ANSWER_MAX && !text.ends_with(b"\r\n") {
        text.push(line.read_u8().await?);
    }
    Ok(match text.first() {
        Some(b'+') => Ok(()),
        _ if text.starts_with(b"-NOPERM") => Err(Untold::NoRights),
        _ if text.starts_with(b"-ERR unknown") => Err(Untold::NotByThisStore),
        _ => Err(Untold::NoRights),
    })
}

/// Where in a line the next byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Before the bracket.
    Time,
    /// In it: the database, then the address.
    Source,
    Between,
    Quoted,
    Escaped,
    /// The digits of `\xHH`: how many have come, and what they are.
    Hex(u8, u8),
}

/// Lines as they come, byte by byte.
struct Lines<'g, S> {
    database: Vec<u8>,
    globs: &'g [Vec<u8>],
    see: S,
    at: At,
    is_other_database: bool,
    source: Vec<u8>,
    /// Arguments that have ended.
    ended: usize,
    held: Vec<u8>,
    is_too_long: bool,
    name: Vec<u8>,
    key: Option<Vec<u8>>,
    is_conditional: bool,
}

impl<'g, S: FnMut(SeenCommand<'_>)> Lines<'g, S> {
    fn new(database: i64, globs: &'g [Vec<u8>], see: S) -> Lines<'g, S> {
        Lines {
            database: database.to_string().into_bytes(),
            globs,
            see,
            at: At::Time,
            is_other_database: false,
            source: Vec::new(),
            ended: 0,
            held: Vec::new(),
            is_too_long: false,
            name: Vec::new(),
            key: None,
            is_conditional: false,
        }
    }

    fn take(&mut self, byte: u8) {
        // A line break within a text is escaped: it ends the line wherever it comes.
        if byte == b'\n' {
            self.line_ended();
            return;
        }
        self.at = match (self.at, byte) {
            (At::Time, b'[') => At::Source,
            (At::Time, _) => At::Time,
            (At::Source, b' ') if self.source.is_empty() && !self.held.is_empty() => {
                self.is_other_database = self.held != self.database;
                self.source.push(b' ');
                At::Source
            }
            (At::Source, b']') => {
                self.held.clear();
                At::Between
            }
            (At::Source, byte) => {
                if self.source.is_empty() {
                    self.hold(byte);
                }
                At::Source
            }
            (At::Between, b'"') => At::Quoted,
            (At::Between, _) => At::Between,
            (At::Quoted, b'"') => {
                self.argument_ended();
                At::Between
            }
            (At::Quoted, b'\\') => At::Escaped,
            (At::Quoted, byte) => {
                self.hold(byte);
                At::Quoted
            }
            (At::Escaped, b'x') => At::Hex(0, 0),
            (At::Escaped, byte) => {
                self.hold(match byte {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'a' => 7,
                    b'b' => 8,
                    other => other,
                });
                At::Quoted
            }
            (At::Hex(digits, value), byte) => {
                let digit = char::from(byte).to_digit(16).unwrap_or(0) as u8;
                let value = value.wrapping_mul(16).wrapping_add(digit);
                match digits {
                    0 => At::Hex(1, value),
                    _ => {
                        self.hold(value);
                        At::Quoted
                    }
                }
            }
        };
    }

    fn hold(&mut self, byte: u8) {
        match self.held.len() < HELD_MAX {
            true => self.held.push(byte),
            false => self.is_too_long = true,
        }
    }

    fn argument_ended(&mut self) {
        match (self.ended, self.is_too_long) {
            (0, false) => self.name = self.held.to_ascii_uppercase(),
            (1, false) => {
                let is_ours = self
                    .globs
                    .iter()
                    .any(|glob| glob::matches(glob, &self.held));
                self.key = is_ours.then(|| self.held.clone());
            }
            (2.., false) => self.is_conditional |= self.held.eq_ignore_ascii_case(b"NX"),
            _ => {}
        }
        self.ended += 1;
        self.held.clear();
        self.is_too_long = false;
    }

    fn line_ended(&mut self) {
        if !self.name.is_empty() && !self.is_other_database {
            let kind = kind(&self.name, self.is_conditional);
            let key = self.key.as_deref();
            (self.see)(SeenCommand { kind, key });
        }
        self.at = At::Time;
        self.is_other_database = false;
        self.source.clear();
        self.ended = 0;
        self.held.clear();
        self.is_too_long = false;
        self.name.clear();
        self.key = None;
        self.is_conditional = false;
    }
}

/// What a command does; what a script does comes as lines of its own.
fn kind(name: &[u8], is_conditional: bool) -> CommandKind {
    match name {
        b"SET" if is_conditional => CommandKind::Claim,
        b"SETNX" | b"HSETNX" | b"MSETNX" => CommandKind::Claim,
        b"GET" | b"HGET" | b"HMGET" | b"HGETALL" | b"GETRANGE" | b"MGET" | b"STRLEN"
        | b"HEXISTS" | b"EXISTS" | b"JSON.GET" => CommandKind::Read,
        b"SET" | b"SETEX" | b"PSETEX" | b"GETSET" | b"HSET" | b"HMSET" | b"HINCRBY" | b"INCR"
        | b"SADD" | b"ZADD" | b"JSON.SET" => CommandKind::Write,
        b"DEL" | b"UNLINK" | b"GETDEL" | b"HDEL" => CommandKind::Delete,
        _ => CommandKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is seen of these lines: kinds, and keys of records.
    fn seen(text: &[u8]) -> Vec<(CommandKind, Option<Vec<u8>>)> {
        let mut all = Vec::new();
        let globs = [b"idem:*".to_vec()];
        let mut lines = Lines::new(0, &globs, |command: SeenCommand<'_>| {
            all.push((command.kind, command.key.map(<[u8]>::to_vec)));
        });
        text.iter().for_each(|byte| lines.take(*byte));
        all
    }

    #[test]
    fn a_line_is_a_kind_and_a_key_of_ours() {
        let text =
            b"+1700000000.1 [0 127.0.0.1:1] \"SET\" \"idem:a\" \"v\" \"NX\" \"PX\" \"1000\"\r\n\
            +1700000000.2 [0 lua] \"get\" \"idem:a\\x00b\"\r\n\
            +1700000000.3 [1 127.0.0.1:1] \"get\" \"idem:other database\"\r\n\
            +1700000000.4 [0 unix:/tmp/s] \"hset\" \"cart:1\" \"idem:a\" \"NX\"\r\n\
            +1700000000.5 [0 127.0.0.1:1] \"ping\"\r\n";
        assert_eq!(
            seen(text),
            [
                (CommandKind::Claim, Some(b"idem:a".to_vec())),
                (CommandKind::Read, Some(b"idem:a\0b".to_vec())),
                (CommandKind::Write, None),
                (CommandKind::Other, None),
            ]
        );
    }

    #[test]
    fn a_value_of_any_size_is_not_held() {
        let mut text = b"+1.1 [0 a:1] \"SET\" \"idem:a\" \"".to_vec();
        text.extend(std::iter::repeat_n(b'x', 5 << 20));
        text.extend_from_slice(b"\" \"NX\"\r\n");
        let globs = [b"idem:*".to_vec()];
        let mut count = 0;
        let mut lines = Lines::new(0, &globs, |command: SeenCommand<'_>| {
            count += usize::from(command.kind == CommandKind::Claim);
        });
        for byte in text {
            lines.take(byte);
            assert!(lines.held.len() <= HELD_MAX);
        }
        assert_eq!(count, 1);
    }

    proptest! {
        #[test]
        fn any_bytes_are_borne(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let all = seen(&bytes);
            prop_assert!(all.len() <= bytes.iter().filter(|byte| **byte == b'\n').count());
        }
    }
}
