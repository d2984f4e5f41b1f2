//! A small shop behind the layer, over each store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Request, Response, StatusCode};
use axum::routing::any;
use axum::{Extension, Router};
use idemscope::guard::store::{
    Claim, Claimed, Fence, GuardStore, Leaves, Saved, StoreTrouble, Ticket,
};
use idemscope::guard::stores::{MemoryStore, PostgresStore, RedisStore, SqliteStore};
use idemscope::guard::{
    Caller, Checkpoint, Executed, Guard, NotExecuted, Note, Notes, Outbox, OutboxCount, Policy,
    StoredAnswer,
};
use tokio::sync::Notify;
use tower::{Layer, Service};

use crate::support::process::Folder;
use crate::support::{postgres, redis as server};

/// Any of the stores.
#[derive(Debug)]
pub enum AnyStore {
    Memory(MemoryStore),
    Sqlite(SqliteStore),
    Redis(Box<RedisStore>),
    Postgres(PostgresStore),
}

macro_rules! of_any {
    ($self:ident, $store:ident => $work:expr) => {
        match $self {
            AnyStore::Memory($store) => $work.await,
            AnyStore::Sqlite($store) => $work.await,
            AnyStore::Redis($store) => $work.await,
            AnyStore::Postgres($store) => $work.await,
        }
    };
}

impl GuardStore for AnyStore {
    async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        of_any!(self, store => store.claim(claim))
    }

    async fn look(&self, scope: &str, key: &str) -> Result<Option<Claimed>, StoreTrouble> {
        of_any!(self, store => store.look(scope, key))
    }

    async fn save(
        &self,
        ticket: &Ticket,
        answer: &StoredAnswer,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        of_any!(self, store => store.save(ticket, answer, fence))
    }

    async fn release(
        &self,
        ticket: &Ticket,
        fence: Fence,
        leaves: Leaves,
    ) -> Result<Saved, StoreTrouble> {
        of_any!(self, store => store.release(ticket, fence, leaves))
    }

    async fn reach(
        &self,
        ticket: &Ticket,
        point: &str,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        of_any!(self, store => store.reach(ticket, point, fence))
    }

    async fn renew(
        &self,
        ticket: &Ticket,
        lease: std::time::Duration,
    ) -> Result<Saved, StoreTrouble> {
        of_any!(self, store => store.renew(ticket, lease))
    }
}

impl Outbox for AnyStore {
    async fn prepare_outbox(&self) -> Result<(), StoreTrouble> {
        of_any!(self, store => store.prepare_outbox())
    }

    async fn unsent(&self, max: usize) -> Result<Vec<Note>, StoreTrouble> {
        of_any!(self, store => store.unsent(max))
    }

    async fn mark_sent(&self, note: &Note) -> Result<(), StoreTrouble> {
        of_any!(self, store => store.mark_sent(note))
    }

    async fn outbox_count(&self) -> Result<OutboxCount, StoreTrouble> {
        of_any!(self, store => store.outbox_count())
    }
}

/// A store with all that keeps it alive.
pub struct Fixture {
    pub store: Arc<AnyStore>,
    /// How another process opens the same store.
    pub address: String,
    _folder: Folder,
    _server: Option<server::Server>,
}

fn fixture(store: AnyStore, address: String) -> Fixture {
    Fixture {
        store: Arc::new(store),
        address,
        _folder: Folder::new(),
        _server: None,
    }
}

pub async fn memory() -> Fixture {
    fixture(AnyStore::Memory(MemoryStore::default()), String::new())
}

pub async fn sqlite() -> Fixture {
    let folder = Folder::new();
    let address = format!("sqlite {}", folder.join("shop.sqlite").display());
    let store = open(&address).await;
    Fixture {
        _folder: folder,
        ..fixture(store, address)
    }
}

pub async fn redis() -> Fixture {
    let server = server::Server::start();
    let address = format!("redis {}", server.url());
    let store = open(&address).await;
    Fixture {
        _server: Some(server),
        ..fixture(store, address)
    }
}

pub async fn postgres() -> Fixture {
    let server = postgres::Server::shared();
    let database = server.create_database();
    let address = format!("postgres {}", server.database_url(&database));
    let store = open(&address).await;
    fixture(store, address)
}

/// Opens a store by its address, in this process or in another.
pub async fn open(address: &str) -> AnyStore {
    let (kind, rest) = address.split_once(' ').expect("a kind and a place");
    match kind {
        "sqlite" => {
            let store = SqliteStore::prepare(rest.as_ref(), "idempotency_keys").await;
            AnyStore::Sqlite(store.expect("a file"))
        }
        "redis" => {
            let client = redis::Client::open(rest).expect("an address");
            AnyStore::Redis(Box::new(RedisStore::new(client, "lab-shop")))
        }
        _ => {
            let pool = sqlx::postgres::PgPoolOptions::new().max_connections(8);
            let pool = pool.connect(rest).await.expect("a server");
            let store = PostgresStore::prepare(pool, "lab", "idempotency_keys").await;
            AnyStore::Postgres(store.expect("a table"))
        }
    }
}

/// What the handler does, and what it has done.
#[derive(Clone, Default)]
pub struct Till {
    pub charges: Arc<AtomicUsize>,
    /// Until this is notified a request with `x-wait` goes on no further.
    pub gate: Arc<Notify>,
}

impl Till {
    pub fn charges(&self) -> usize {
        self.charges.load(Ordering::SeqCst)
    }
}

/// Charges, and answers with the number of the charge. Headers say what goes wrong.
async fn pay(
    State(till): State<Till>,
    executed: Option<Extension<Executed>>,
    checkpoint: Option<Extension<Checkpoint>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    if headers.contains_key("x-reject") {
        let mut response = Response::new(Body::from("no"));
        *response.status_mut() = StatusCode::BAD_REQUEST;
        response.extensions_mut().insert(NotExecuted);
        return response;
    }
    let point = executed.and_then(|Extension(executed)| executed.point);
    let number = match point.and_then(|point| point.parse().ok()) {
        // Charged before, as the recovery point says.
        Some(number) => number,
        None => till.charges.fetch_add(1, Ordering::SeqCst) + 1,
    };
    if let (true, Some(Extension(checkpoint))) = (headers.contains_key("x-point"), checkpoint) {
        let reached = checkpoint.reach(&number.to_string()).await;
        reached.expect("a store that takes it");
    }
    if headers.contains_key("x-wait") {
        till.gate.notified().await;
    }
    if headers.contains_key("x-fail") {
        let mut response = Response::new(Body::from("failed"));
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        return response;
    }
    let binary = headers.contains_key("x-binary");
    let noted = headers.contains_key("x-note");
    let answer = match binary {
        true => vec![0, 0xff, b'\\', b'\n', 0xfe],
        false => format!("{{\"id\": {number}, \"bytes\": {}}}", body.len()).into_bytes(),
    };
    let mut response = Response::new(Body::from(answer));
    *response.status_mut() = StatusCode::CREATED;
    let location = format!("/payments/{number}");
    let headers = response.headers_mut();
    headers.insert("location", location.parse().expect("a header"));
    headers.insert(
        "content-type",
        "application/json".parse().expect("a header"),
    );
    headers.insert("set-cookie", "of=one".parse().expect("a header"));
    let note = Note {
        id: format!("paid {number}"),
        topic: "paid".to_owned(),
        payload: number.to_string(),
    };
    if noted {
        response.extensions_mut().insert(Notes(vec![note]));
    }
    response
}

/// One instance of the shop.
#[derive(Clone)]
pub struct Shop {
    guard: Guard<Arc<AnyStore>>,
    pub till: Till,
}

/// An answer, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
    pub replayed: Option<String>,
    pub location: Option<String>,
    pub cookie: Option<String>,
    pub retry_after: Option<String>,
}

impl Shop {
    pub fn new(fixture: &Fixture, policy: Policy, instance: &str) -> Shop {
        Shop {
            guard: Guard::new(fixture.store.clone(), policy, instance),
            till: Till::default(),
        }
    }

    /// Another instance over the same store, with the same till.
    pub fn sister(&self, fixture: &Fixture, policy: Policy, instance: &str) -> Shop {
        Shop {
            guard: Guard::new(fixture.store.clone(), policy, instance),
            till: self.till.clone(),
        }
    }

    pub async fn pay(&self, user: &str, key: &str, body: &str, more: &[&str]) -> Answer {
        self.send(user, "/payments", Some(key), body, more).await
    }

    pub async fn send(
        &self,
        user: &str,
        path: &str,
        key: Option<&str>,
        body: &str,
        more: &[&str],
    ) -> Answer {
        let router = Router::new()
            .fallback(any(pay))
            .with_state(self.till.clone());
        let mut request = Request::builder().method("POST").uri(path);
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        for header in more {
            let (name, value) = header.split_once(": ").unwrap_or((header, "1"));
            request = request.header(name, value);
        }
        let body = Body::from(body.to_owned());
        self.call(router, user, request.body(body).expect("a request"))
            .await
    }

    /// A payment whose body comes as it comes.
    pub async fn send_body(&self, user: &str, key: &str, body: Body) -> Answer {
        let router = Router::new()
            .fallback(any(pay))
            .with_state(self.till.clone());
        let request = Request::builder().method("POST").uri("/payments");
        let request = request.header("Idempotency-Key", key).body(body);
        self.call(router, user, request.expect("a request")).await
    }

    async fn call(&self, router: Router, user: &str, mut request: Request<Body>) -> Answer {
        request.extensions_mut().insert(Caller {
            user: user.to_owned(),
            ..Caller::default()
        });
        let mut service = self.guard.layer(router);
        let response = match service.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        read(response).await
    }
}

async fn read(response: Response<Body>) -> Answer {
    let (parts, body) = response.into_parts();
    let text = |name: &str| {
        let value = parts.headers.get(name)?;
        Some(value.to_str().expect("text").to_owned())
    };
    Answer {
        status: parts.status.as_u16(),
        replayed: text("idempotent-replayed"),
        location: text("location"),
        cookie: text("set-cookie"),
        retry_after: text("retry-after"),
        body: to_bytes(body, 1 << 20).await.expect("a body").to_vec(),
    }
}
