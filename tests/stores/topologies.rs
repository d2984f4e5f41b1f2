//! The same stores where they are more than one open server, or where the way to them is longer.
//!
//! Apart from the other fixtures because each takes some servers: they are started once for all tests of
//! this program, and those of sentinels are one test's at a time.

use std::sync::OnceLock;

use idemscope::domain::Secret;
use idemscope::stores::Target;
use idemscope::stores::target::{
    Hop, HostKeys, KeyOrigin, Look, SessionAttrs, Shape, Ssh, SshKey, SslMode,
};
use sqlx::Connection;
use tokio::sync::{Mutex, MutexGuard};

use crate::change_fixture::{Changing, RedisApp};
use crate::fixture::{
    Fixture, keys, loopback, opened, postgres_of, postgres_target, redis_of, redis_target, tables,
    trusting,
};
use crate::support::pooler::Pooler;
use crate::support::process::Folder;
use crate::support::replica::{HBA, Replica};
use crate::support::sentinel::{MASTER, Watched};
use crate::support::{postgres, redis, ssh, tls};
use crate::table_data::Dialect;
use crate::{key_data, table_data};

async fn watched() -> (&'static Watched, MutexGuard<'static, ()>) {
    static WATCHED: OnceLock<Watched> = OnceLock::new();
    static TURN: Mutex<()> = Mutex::const_new(());
    let turn = TURN.lock().await;
    let watched = WATCHED.get_or_init(Watched::start);
    let mut connection = watched.servers[0].connection();
    ::redis::cmd("FLUSHALL")
        .exec(&mut connection)
        .expect("emptied");
    (watched, turn)
}

fn sentinel_target(watched: &Watched) -> Target {
    let mut places = watched.sentinel_ports().into_iter().map(loopback);
    let mut target = redis_target(0);
    let redis = redis_of(&mut target);
    redis.endpoint = places.next().expect("a sentinel");
    redis.shape = Shape::Sentinel {
        more: places.collect(),
        master: MASTER.to_owned(),
    };
    target
}

pub async fn redis_sentinel() -> Fixture {
    let (watched, turn) = watched().await;
    key_data::fill(&mut watched.servers[0].connection());
    let store = opened(&sentinel_target(watched)).await;
    keys(store, turn).await
}

pub async fn redis_replica() -> Fixture {
    let (watched, turn) = watched().await;
    let mut connection = watched.servers[0].connection();
    key_data::fill(&mut connection);
    watched.until_replicated(&mut connection);
    let mut target = sentinel_target(watched);
    redis_of(&mut target).look = Look::Replica;
    keys(opened(&target).await, turn).await
}

pub async fn changing_redis_sentinel() -> Changing {
    let (watched, turn) = watched().await;
    let app = RedisApp(std::sync::Mutex::new(watched.servers[0].connection()));
    Changing::of(&sentinel_target(watched), app, turn).await
}

pub async fn changing_redis_tls() -> Changing {
    let certificates = tls::Certificates::new();
    let server = redis::Server::options().tls(&certificates.server).start();
    let mut target = redis_target(server.port());
    redis_of(&mut target).tls = Some(trusting(&certificates.ca));
    let app = RedisApp(std::sync::Mutex::new(server.connection()));
    Changing::of(&target, app, (server, certificates)).await
}

/// The same target behind a host that takes a key.
pub fn behind(target: Target) -> Target {
    static HOST: OnceLock<(ssh::Server, Folder)> = OnceLock::new();
    let (host, folder) = HOST.get_or_init(|| {
        let folder = Folder::new();
        let host = ssh::Server::start(&ssh::key(&folder, "id", ""));
        folder.write("known_hosts", &host.known());
        (host, folder)
    });
    let path = folder.join("id");
    let hop = Hop {
        name: "host".to_owned(),
        host: "127.0.0.1".to_owned(),
        port: host.port(),
        user: ssh::user(),
        agent: None,
        host_keys: HostKeys {
            files: vec![folder.join("known_hosts")],
            ..HostKeys::default()
        },
        keys: vec![SshKey {
            origin: KeyOrigin::Named,
            public: None,
            text: Secret::new(std::fs::read_to_string(&path).expect("a key")),
            path,
            passphrase: None,
        }],
        only_these_keys: true,
    };
    let ssh = Ssh { hops: vec![hop] };
    Target {
        ssh: Some(ssh),
        ..target
    }
}

pub async fn redis_ssh() -> Fixture {
    let server = redis::Server::start();
    key_data::fill(&mut server.connection());
    let store = opened(&behind(redis_target(server.port()))).await;
    keys(store, server).await
}

pub async fn changing_redis_ssh() -> Changing {
    let server = redis::Server::start();
    let app = RedisApp(std::sync::Mutex::new(server.connection()));
    Changing::of(&behind(redis_target(server.port())), app, server).await
}

/// A database with the contract's tables.
fn filled(server: &postgres::Server) -> String {
    let database = server.create_database();
    server.execute(&database, &table_data::script(Dialect::Postgres));
    database
}

async fn tables_of(target: &Target) -> Fixture {
    tables(opened(target).await, Dialect::Postgres, ()).await
}

/// One server with TLS, and what it is trusted by.
pub fn tls_server() -> &'static (postgres::Server, tls::Certificates) {
    static SERVER: OnceLock<(postgres::Server, tls::Certificates)> = OnceLock::new();
    SERVER.get_or_init(|| {
        let certificates = tls::Certificates::new();
        let options = postgres::Server::options().tls(&certificates.server);
        (options.start(), certificates)
    })
}

/// A database of that server.
pub fn in_tls(database: &str) -> Target {
    let (server, certificates) = tls_server();
    let mut target = postgres_target(server.port(), database);
    let pg = postgres_of(&mut target);
    (pg.ssl, pg.tls) = (SslMode::VerifyCa, trusting(&certificates.ca));
    target
}

pub async fn postgres_tls() -> Fixture {
    tables_of(&in_tls(&filled(&tls_server().0))).await
}

/// A database of the shared server, behind a pooler.
pub fn pooled(database: &str) -> Target {
    static POOLER: OnceLock<Pooler> = OnceLock::new();
    let pooler = POOLER.get_or_init(|| Pooler::before(postgres::Server::shared()));
    let mut target = postgres_target(pooler.port(), database);
    postgres_of(&mut target).ssl = SslMode::Disable;
    target
}

pub async fn postgres_pooler() -> Fixture {
    tables_of(&pooled(&filled(postgres::Server::shared()))).await
}

/// A database of the shared server, after a host where nobody is.
pub fn second_of_two(database: &str) -> Target {
    let mut target = postgres_target(1, database);
    let pg = postgres_of(&mut target);
    pg.more = vec![loopback(postgres::Server::shared().port())];
    pg.attrs = SessionAttrs::ReadWrite;
    target
}

pub async fn postgres_ssh() -> Fixture {
    let server = postgres::Server::shared();
    let target = postgres_target(server.port(), &filled(server));
    tables_of(&behind(target)).await
}

pub async fn postgres_standby() -> Fixture {
    static PAIR: OnceLock<(postgres::Server, Replica)> = OnceLock::new();
    let (primary, replica) = PAIR.get_or_init(|| {
        let primary = postgres::Server::options().hba(HBA).start();
        let replica = Replica::of(&primary);
        (primary, replica)
    });
    let database = filled(primary);
    let written = primary.text("postgres", "SELECT pg_current_wal_lsn()");
    let written = written.expect("a place in the log");
    let url = format!("postgres://postgres@127.0.0.1:{}/postgres", replica.port());
    let mut is_behind = true;
    for _ in 0..600 {
        let asked = async {
            let mut connection = sqlx::PgConnection::connect(&url).await?;
            let question = "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn";
            let question = sqlx::query_scalar::<_, Option<bool>>(question).bind(&written);
            question.fetch_one(&mut connection).await
        };
        is_behind = !matches!(asked.await, Ok(Some(true)));
        if !is_behind {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(!is_behind, "the standby does not follow");
    tables_of(&postgres_target(replica.port(), &database)).await
}
