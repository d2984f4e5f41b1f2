//! Opens each store with the contract's data in it, beside an oracle with the same data.
//!
//! Apart from the contract because only this knows how a store is started and filled.

use std::any::Any;
use std::future::Future;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use idemscope::domain::Secret;
use idemscope::stores::target::{
    Endpoint, Look, PostgresTarget, RedisTarget, SessionAttrs, Shape, SqliteTarget, SslMode, Tls,
};
use idemscope::stores::{
    EngineTarget, MemoryStore, ReadStore, StoreError, StoreErrorKind, Target, open,
};

use crate::support::cluster::Cluster;
use crate::support::process::Folder;
use crate::support::{postgres, redis, tls};
use crate::table_data::Dialect;
pub use crate::topologies::{
    postgres_pooler, postgres_ssh, postgres_standby, postgres_tls, redis_replica, redis_sentinel,
    redis_ssh,
};
use crate::{key_data, table_data};
use tokio::sync::{Mutex, MutexGuard};

/// A store, its oracle, and what has to live as long as they do.
pub struct Fixture {
    pub store: ReadStore,
    pub oracle: ReadStore,
    _keep: Box<dyn Any>,
}

/// What the tests of failures wait for an answer.
pub const SHORT: Duration = Duration::from_secs(1);
/// What the tests of the contract wait, on a machine that is busy with other things.
pub const LONG: Duration = Duration::from_secs(20);

pub const PASSWORD: &str = "s3cret-pa55";

pub async fn keys(store: ReadStore, keep: impl Any) -> Fixture {
    Fixture {
        store,
        oracle: ReadStore::memory(MemoryStore::of_keys(key_data::keys())),
        _keep: Box::new(keep),
    }
}

pub async fn keys_in_memory() -> Fixture {
    keys(
        ReadStore::memory(MemoryStore::of_keys(key_data::keys())),
        (),
    )
    .await
}

pub async fn redis_tcp() -> Fixture {
    let server = redis::Server::start();
    key_data::fill(&mut server.connection());
    let store = opened(&redis_target(server.port())).await;
    keys(store, server).await
}

pub async fn redis_socket() -> Fixture {
    let server = redis::Server::start();
    key_data::fill(&mut server.connection());
    let mut target = redis_target(0);
    redis_of(&mut target).endpoint = Endpoint::Unix(server.socket());
    let store = opened(&target).await;
    keys(store, server).await
}

pub async fn redis_tls() -> Fixture {
    let certificates = tls::Certificates::new();
    let server = redis::Server::options().tls(&certificates.server).start();
    key_data::fill(&mut server.connection());
    let mut target = redis_target(server.port());
    redis_of(&mut target).tls = Some(trusting(&certificates.ca));
    let store = opened(&target).await;
    keys(store, (server, certificates)).await
}

/// One cluster for all tests of this program, and one test at a time in it.
pub async fn cluster() -> (&'static Cluster, MutexGuard<'static, ()>) {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    static TURN: Mutex<()> = Mutex::const_new(());
    let turn = TURN.lock().await;
    let cluster = CLUSTER.get_or_init(|| Cluster::start(0));
    cluster.empty();
    (cluster, turn)
}

pub fn cluster_target(cluster: &Cluster) -> Target {
    let mut nodes = cluster.nodes.iter().map(|node| loopback(node.port()));
    let mut target = redis_target(0);
    let redis = redis_of(&mut target);
    redis.endpoint = nodes.next().expect("a node");
    redis.shape = Shape::Cluster {
        more: nodes.collect(),
    };
    target
}

pub async fn redis_cluster() -> Fixture {
    let (cluster, turn) = cluster().await;
    key_data::fill(&mut cluster.client());
    let store = opened(&cluster_target(cluster)).await;
    keys(store, turn).await
}

pub async fn redis_least_rights() -> Fixture {
    let rights = "+ping +scan +pttl +type +get +hmget +hgetall +hlen +scard +sscan +zcard +zrange";
    let acl = format!("user viewer on >{PASSWORD} ~* -@all {rights}");
    let server = redis::Server::options()
        .acl(&format!("user default on nopass ~* &* +@all\n{acl}"))
        .start();
    key_data::fill(&mut server.connection());
    let mut target = redis_target(server.port());
    redis_of(&mut target).user = Some("viewer".to_owned());
    redis_of(&mut target).password = Some(Secret::new(PASSWORD));
    let store = opened(&target).await;
    keys(store, server).await
}

pub async fn tables(store: ReadStore, dialect: Dialect, keep: impl Any) -> Fixture {
    Fixture {
        store,
        oracle: table_data::oracle(dialect),
        _keep: Box::new(keep),
    }
}

pub async fn tables_in_memory() -> Fixture {
    let store = table_data::oracle(Dialect::Postgres);
    tables(store, Dialect::Postgres, ()).await
}

pub async fn sqlite() -> Fixture {
    let folder = Folder::new();
    let file = folder.join("store.db");
    sqlite_run(&file, &table_data::script(Dialect::Sqlite)).await;
    let store = opened(&sqlite_target(&file)).await;
    tables(store, Dialect::Sqlite, folder).await
}

pub async fn postgres_tcp() -> Fixture {
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(&database, &table_data::script(Dialect::Postgres));
    let store = opened(&postgres_target(server.port(), &database)).await;
    tables(store, Dialect::Postgres, ()).await
}

pub async fn postgres_socket() -> Fixture {
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(&database, &table_data::script(Dialect::Postgres));
    let mut target = postgres_target(0, &database);
    let socket = server
        .socket_dir()
        .join(format!(".s.PGSQL.{}", server.port()));
    postgres_of(&mut target).endpoint = Endpoint::Unix(socket);
    let store = opened(&target).await;
    tables(store, Dialect::Postgres, ()).await
}

/// Runs SQL on a file of its own connection.
pub async fn sqlite_run(file: &Path, script: &str) {
    use sqlx::ConnectOptions;
    let options = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true);
    let mut connection = options.connect().await.expect("a file of the test");
    sqlx::raw_sql(sqlx::AssertSqlSafe(script.to_owned()))
        .execute(&mut connection)
        .await
        .expect("SQL of the test");
    sqlx::Connection::close(connection)
        .await
        .expect("the file is written");
}

pub async fn opened(target: &Target) -> ReadStore {
    open(target)
        .await
        .unwrap_or_else(|error| panic!("opening {target}: {error}"))
}

pub fn redis_target(port: u16) -> Target {
    Target {
        engine: EngineTarget::Redis(RedisTarget {
            endpoint: loopback(port),
            shape: Shape::Single,
            look: Look::Primary,
            tls: None,
            database: 0,
            user: None,
            password: None,
            renewal: None,
            sentinel_login: None,
        }),
        timeout: LONG,
        ssh: None,
        scratch: std::env::temp_dir(),
    }
}

pub fn redis_of(target: &mut Target) -> &mut RedisTarget {
    match &mut target.engine {
        EngineTarget::Redis(redis) => redis,
        _ => panic!("a target of another kind"),
    }
}

pub fn postgres_target(port: u16, database: &str) -> Target {
    Target {
        engine: EngineTarget::Postgres(PostgresTarget {
            endpoint: loopback(port),
            more: Vec::new(),
            singly: Vec::new(),
            attrs: SessionAttrs::Any,
            user: "postgres".to_owned(),
            password: None,
            renewal: None,
            database: database.to_owned(),
            ssl: SslMode::Prefer,
            tls: Tls::default(),
            application: "idemscope".to_owned(),
            options: Vec::new(),
        }),
        timeout: LONG,
        ssh: None,
        scratch: std::env::temp_dir(),
    }
}

pub fn postgres_of(target: &mut Target) -> &mut PostgresTarget {
    match &mut target.engine {
        EngineTarget::Postgres(pg) => pg,
        _ => panic!("a target of another kind"),
    }
}

pub fn sqlite_target(file: &Path) -> Target {
    Target {
        engine: EngineTarget::Sqlite(SqliteTarget {
            path: file.to_owned(),
            name: None,
        }),
        timeout: LONG,
        ssh: None,
        scratch: std::env::temp_dir(),
    }
}

pub fn loopback(port: u16) -> Endpoint {
    Endpoint::Tcp {
        host: "127.0.0.1".to_owned(),
        port,
    }
}

pub fn trusting(ca: &Path) -> Tls {
    Tls {
        ca: Some(std::fs::read(ca).expect("CA of the test")),
        ..Tls::default()
    }
}

pub fn impatient(mut target: Target) -> Target {
    target.timeout = SHORT;
    target
}

/// Ends a test that hangs, long after every time-out should have come.
pub async fn unhung<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), work)
        .await
        .expect("an answer or an error, not silence")
}

/// An error has its kind, says what happened in one sentence, and keeps the password.
#[track_caller]
pub fn check(error: &StoreError, kind: StoreErrorKind, words: &str) {
    let text = &error.text;
    assert_eq!(error.kind, kind, "{text}");
    assert!(text.contains(words), "`{words}` is not in: {text}");
    assert!(!text.contains(PASSWORD), "shows the password: {text}");
    assert!(!text.ends_with('.'), "{text}");
    assert!(!text.contains('\n'), "{text}");
}

/// What opening says when it does not work.
pub async fn refused(target: &Target) -> StoreError {
    match unhung(open(target)).await {
        Ok(_) => panic!("{target} was opened"),
        Err(error) => error,
    }
}
