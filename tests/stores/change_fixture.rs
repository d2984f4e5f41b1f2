//! Stores with both halves open, and an application that works in them behind our back.
//!
//! Apart from the contract because only this knows how each store is started, and by whose rights.

use std::any::Any;
use std::sync::Mutex;

use ::redis::ConnectionLike;
use idemscope::domain::Secret;
use idemscope::domain::change::{ExactValue, Piece, PiecePart, PieceState};
use idemscope::stores::{ExactMemory, MemoryStore, ReadStore, Target, WriteStore, open_writing};

use crate::fixture::{PASSWORD, cluster, cluster_target, opened, redis_of, redis_target};
use crate::support::redis;

/// What an application does to a piece, whatever was there.
pub trait App {
    fn put(&self, piece: &Piece, state: &PieceState);
}

pub struct Changing {
    pub reader: ReadStore,
    pub writer: WriteStore,
    pub app: Box<dyn App>,
    /// Milliseconds by which an expiry may be read wrong.
    pub tolerance: u64,
    /// Keys that a record may have, wherever they stand.
    pub keys_max: usize,
    _keep: Box<dyn Any>,
}

impl Changing {
    /// Both halves of one target.
    pub async fn of(target: &Target, app: impl App + 'static, keep: impl Any) -> Changing {
        Changing {
            reader: opened(target).await,
            writer: writing(target).await,
            app: Box::new(app),
            tolerance: 0,
            keys_max: 3,
            _keep: Box::new(keep),
        }
    }
}

pub async fn writing(target: &Target) -> WriteStore {
    open_writing(target)
        .await
        .unwrap_or_else(|error| panic!("opening {target} to change it: {error}"))
}

impl App for ExactMemory {
    fn put(&self, piece: &Piece, state: &PieceState) {
        ExactMemory::put(self, piece, state.clone());
    }
}

pub use crate::topologies::{changing_redis_sentinel, changing_redis_ssh, changing_redis_tls};

pub async fn changing_memory() -> Changing {
    let memory = ExactMemory::default();
    let store = MemoryStore {
        exact: memory.clone(),
        ..MemoryStore::default()
    };
    Changing {
        reader: ReadStore::memory(store),
        writer: WriteStore::memory(memory.clone()),
        app: Box::new(memory),
        tolerance: 0,
        keys_max: 3,
        _keep: Box::new(()),
    }
}

pub struct RedisApp<C>(pub Mutex<C>);

impl<C: ConnectionLike> App for RedisApp<C> {
    fn put(&self, piece: &Piece, state: &PieceState) {
        let mut connection = self.0.lock().expect("no panic while writing");
        put(&mut connection, piece, state);
    }
}

fn put(connection: &mut impl ConnectionLike, piece: &Piece, state: &PieceState) {
    let mut run = |words: &[&[u8]]| {
        let mut command = ::redis::Cmd::new();
        for word in words {
            command.arg(*word);
        }
        command
            .exec(connection)
            .expect("a command of the application");
    };
    let key = piece.key.as_slice();
    match (&piece.part, state) {
        (PiecePart::Whole, PieceState::Value { value, expires_at }) => {
            run(&[b"DEL", key]);
            match value {
                ExactValue::String(bytes) => run(&[b"SET", key, bytes]),
                ExactValue::Hash(fields) => {
                    for (field, value) in fields {
                        run(&[b"HSET", key, field, value]);
                    }
                }
                ExactValue::Set(members) => {
                    for member in members {
                        run(&[b"SADD", key, member]);
                    }
                }
                ExactValue::SortedSet(members) => {
                    for (member, score) in members {
                        run(&[b"ZADD", key, score, member]);
                    }
                }
            }
            if let Some(at) = expires_at {
                run(&[b"PEXPIREAT", key, at.0.to_string().as_bytes()]);
            }
        }
        (PiecePart::Whole, _) => run(&[b"DEL", key]),
        (PiecePart::Field(name), PieceState::There(value)) => run(&[b"HSET", key, name, value]),
        (PiecePart::Field(name), _) => run(&[b"HDEL", key, name]),
        (PiecePart::Member(name), PieceState::There(_)) => run(&[b"SADD", key, name]),
        (PiecePart::Member(name), _) => run(&[b"SREM", key, name]),
        (PiecePart::Score(name), PieceState::There(score)) => run(&[b"ZADD", key, score, name]),
        (PiecePart::Score(name), _) => run(&[b"ZREM", key, name]),
    }
}

/// What both ways of changing need, for every type of value.
pub const TYPES: &str = "+get +set +unlink +hlen +hmget +hset +hdel +scard +sismember +sadd +srem \
    +zcard +zscore +zadd +zrem +pexpireat +persist";
/// What the script needs beside that.
pub const SCRIPT: &str = "+eval +evalsha +pexpiretime +time";
/// What a login without scripts needs beside that.
pub const WATCH: &str = "+watch +unwatch +multi +exec +pexpiretime +time +type +hgetall +hscan +sscan \
    +zrange +ping";
/// What the reader needs to read pieces exactly.
pub const READ: &str = "+ping +pexpiretime +time +type +get +hlen +hmget +hgetall +hscan +scard +sscan \
    +sismember +zcard +zrange +zscore";

/// A server with a login that may look, and one that may change.
pub fn redis_with(viewer: &str, operator: &str) -> redis::Server {
    let acl = format!(
        "user default on nopass ~* &* +@all\nuser viewer on >{PASSWORD} ~* -@all {viewer}\n\
         user operator on >{PASSWORD} ~* -@all {operator}"
    );
    redis::Server::options().acl(&acl).start()
}

pub fn as_user(port: u16, user: &str) -> Target {
    let mut target = redis_target(port);
    redis_of(&mut target).user = Some(user.to_owned());
    redis_of(&mut target).password = Some(Secret::new(PASSWORD));
    target
}

async fn redis_by(viewer: &str, operator: &str, tolerance: u64) -> Changing {
    let server = redis_with(viewer, operator);
    Changing {
        reader: opened(&as_user(server.port(), "viewer")).await,
        writer: writing(&as_user(server.port(), "operator")).await,
        app: Box::new(RedisApp(Mutex::new(server.connection()))),
        tolerance,
        keys_max: 3,
        _keep: Box::new(server),
    }
}

pub async fn changing_redis() -> Changing {
    let server = redis::Server::start();
    let target = redis_target(server.port());
    let app = RedisApp(Mutex::new(server.connection()));
    Changing::of(&target, app, server).await
}

pub async fn changing_redis_cluster() -> Changing {
    let (cluster, turn) = cluster().await;
    let target = cluster_target(cluster);
    Changing {
        reader: opened(&target).await,
        writer: writing(&target).await,
        app: Box::new(RedisApp(Mutex::new(cluster.client()))),
        tolerance: 0,
        keys_max: 1,
        _keep: Box::new(turn),
    }
}

/// A cluster whose operator may run no scripts.
pub async fn changing_redis_cluster_without_scripts() -> Changing {
    let (cluster, turn) = cluster().await;
    let rules = format!("on >{PASSWORD} ~* -@all +cluster|nodes");
    for node in &cluster.nodes {
        for (user, rights) in [
            ("viewer", READ.to_owned()),
            ("operator", format!("{TYPES} {WATCH}")),
        ] {
            let mut command = ::redis::cmd("ACL");
            command.arg("SETUSER").arg(user);
            command.arg(format!("{rules} {rights}").split(' ').collect::<Vec<_>>());
            command.exec(&mut node.connection()).expect("a user");
        }
    }
    let by = |user: &str| {
        let mut target = cluster_target(cluster);
        redis_of(&mut target).user = Some(user.to_owned());
        redis_of(&mut target).password = Some(Secret::new(PASSWORD));
        target
    };
    Changing {
        reader: opened(&by("viewer")).await,
        writer: writing(&by("operator")).await,
        app: Box::new(RedisApp(Mutex::new(cluster.client()))),
        tolerance: 0,
        keys_max: 1,
        _keep: Box::new(turn),
    }
}

pub async fn changing_redis_least_rights() -> Changing {
    redis_by(READ, &format!("{TYPES} {SCRIPT}"), 0).await
}

pub async fn changing_redis_without_scripts() -> Changing {
    redis_by(READ, &format!("{TYPES} {WATCH}"), 0).await
}

/// As before Redis 7.0, which does not know `PEXPIRETIME`; and with `DEL` only.
pub async fn changing_redis_by_ttl() -> Changing {
    let read = format!("{READ} -pexpiretime +pttl");
    let change = format!("{TYPES} {SCRIPT} -pexpiretime +pttl -unlink +del");
    redis_by(&read, &change, 5).await
}

pub async fn changing_redis_watched_by_ttl() -> Changing {
    let read = format!("{READ} -pexpiretime +pttl");
    let change = format!("{TYPES} {WATCH} -pexpiretime +pttl -unlink +del");
    redis_by(&read, &change, 5).await
}
