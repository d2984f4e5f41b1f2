//! The proxy between clients and shops: a real one, on a port of its own.
//!
//! It routes requests to instances, and does to them what a network does: delays them, loses them or
//! their answers, and delivers one twice, the second time perhaps much later. Whatever it does not
//! answer ends in a closed connection.
//! Bounds: bodies of some megabytes; so many requests at once.

pub mod gate;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::http;
use super::world::{Actor, Event, Happening, World};

const BODY_MAX: usize = 4 << 20;
const AT_ONCE_MAX: usize = 512;
/// A shop may take its time: the client decides how long it waits.
const PATIENCE: Duration = Duration::from_secs(60);

/// What happens to the requests of one attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    pub intent: String,
    pub attempt: u32,
    pub delay_ms: u64,
    /// The instance that it reaches, from 1 on; 0 for each in turn.
    pub instance: u8,
    pub loses_request: bool,
    pub loses_answer: bool,
    /// Delivered once more, so long after it came.
    pub again_after_ms: Option<u64>,
}

#[derive(Debug)]
struct Inner {
    shops: Vec<SocketAddr>,
    ways: Vec<Way>,
    next: AtomicUsize,
    places: Semaphore,
    world: World,
}

/// The proxy; ended when this is dropped, with the requests on their way.
#[derive(Debug)]
pub struct Proxy {
    pub address: SocketAddr,
    inner: Arc<Inner>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
        self.inner.places.close();
    }
}

impl Proxy {
    /// Listens on a free port of loopback.
    ///
    /// Errors: no port can be had.
    pub async fn start(
        shops: Vec<SocketAddr>,
        ways: Vec<Way>,
        world: World,
    ) -> std::io::Result<Proxy> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let inner = Arc::new(Inner {
            shops,
            ways,
            next: AtomicUsize::new(0),
            places: Semaphore::new(AT_ONCE_MAX),
            world,
        });
        let task = tokio::spawn(accept(listener, inner.clone()));
        Ok(Proxy {
            address,
            inner,
            task,
        })
    }
}

async fn accept(listener: TcpListener, inner: Arc<Inner>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        tokio::spawn(serve(stream, inner.clone()));
    }
}

async fn serve(stream: TcpStream, inner: Arc<Inner>) {
    let Ok(_place) = inner.places.acquire().await else {
        return;
    };
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| forward(inner.clone(), request));
    // An error of the service closes the connection without an answer: that is what is wanted.
    let _ = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// The connection is to be closed without an answer.
#[derive(Debug, thiserror::Error)]
#[error("lost on the way")]
struct LostOnTheWay;

async fn forward(
    inner: Arc<Inner>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, LostOnTheWay> {
    let (parts, body) = request.into_parts();
    let Ok(body) = Limited::new(body, BODY_MAX).collect().await else {
        let mut refused = Response::new(Full::default());
        *refused.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
        return Ok(refused);
    };
    let request = Request::from_parts(parts, body.to_bytes());
    let header = |name: &str| Some(request.headers().get(name)?.to_str().ok()?.to_owned());
    let intent = header("x-lab-intent").unwrap_or_default();
    let attempt = header("x-lab-attempt").and_then(|n| n.parse().ok());
    let fits = |way: &&Way| way.intent == intent && Some(way.attempt) == attempt;
    let way = inner.ways.iter().find(fits).cloned().unwrap_or_default();
    let to = inner.route(way.instance).ok_or(LostOnTheWay)?;
    let tell = |from: Actor, to: Actor, what: Happening, text: &str| {
        inner.world.record(Event {
            at_ms: 0,
            from,
            to,
            what,
            intent: Some(intent.clone()).filter(|intent| !intent.is_empty()),
            attempt,
            text: text.to_owned(),
        });
    };
    if let Some(after_ms) = way.again_after_ms {
        tell(
            Actor::Proxy,
            Actor::Proxy,
            Happening::Kept,
            "a duplicate is kept",
        );
        tokio::spawn(again(inner.clone(), request.clone(), to, after_ms));
    }
    tokio::time::sleep(Duration::from_millis(way.delay_ms)).await;
    if way.loses_request {
        tell(Actor::Client, Actor::Proxy, Happening::Lost, "request lost");
        return Err(LostOnTheWay);
    }
    let answer = http::send(to, request, PATIENCE).await;
    let answer = answer.map_err(|_| LostOnTheWay)?;
    if way.loses_answer {
        tell(Actor::Proxy, Actor::Client, Happening::Lost, "answer lost");
        return Err(LostOnTheWay);
    }
    Ok(answer.map(Full::new))
}

/// Delivers a request once more; nobody waits for its answer.
async fn again(inner: Arc<Inner>, request: Request<Bytes>, to: SocketAddr, after_ms: u64) {
    tokio::time::sleep(Duration::from_millis(after_ms)).await;
    if inner.places.is_closed() {
        return;
    }
    let text = format!("{} {} once more", request.method(), request.uri().path());
    let (intent, attempt) = (
        request.headers().get("x-lab-intent"),
        request.headers().get("x-lab-attempt"),
    );
    let text_of = |value: Option<&hyper::header::HeaderValue>| {
        value
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned)
    };
    let instance = inner.shops.iter().position(|shop| *shop == to);
    let instance = instance.and_then(|at| u8::try_from(at + 1).ok());
    inner.world.record(Event {
        at_ms: 0,
        from: Actor::Proxy,
        to: Actor::Shop(instance.unwrap_or(1)),
        what: Happening::Sent {
            key: text_of(request.headers().get("idempotency-key")),
            brief: "once more".to_owned(),
        },
        intent: text_of(intent),
        attempt: text_of(attempt).and_then(|n| n.parse().ok()),
        text,
    });
    let _ = http::send(to, request, PATIENCE).await;
}

impl Inner {
    /// Where a request goes.
    fn route(&self, instance: u8) -> Option<SocketAddr> {
        let count = self.shops.len().max(1);
        let at = match instance {
            0 => self.next.fetch_add(1, Ordering::Relaxed),
            named => usize::from(named - 1),
        };
        self.shops.get(at % count).copied()
    }
}
