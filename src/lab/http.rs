//! One HTTP request over a connection of its own, to a server of the lab on loopback.
//!
//! Apart from a client library because the lab wants to see every connection: when it was lost, and
//! whether anything came of it.
//! Bound: bodies of at most a few megabytes, and a time-out for the whole.

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

const BODY_MAX: usize = 16 << 20;

/// An answer, read whole.
pub type Answer = Response<Bytes>;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    #[error("nobody listens there")]
    Refused,
    #[error("the connection was closed without an answer")]
    Closed,
    #[error("no answer came in time")]
    TimedOut,
}

/// Sends a request and reads its answer.
///
/// Errors: nobody listens, the connection ends without a whole answer, or the time is over.
pub async fn send(
    to: SocketAddr,
    request: Request<Bytes>,
    timeout: Duration,
) -> Result<Answer, Lost> {
    match tokio::time::timeout(timeout, exchange(to, request)).await {
        Ok(answer) => answer,
        Err(_) => Err(Lost::TimedOut),
    }
}

async fn exchange(to: SocketAddr, mut request: Request<Bytes>) -> Result<Answer, Lost> {
    let stream = TcpStream::connect(to).await.map_err(|_| Lost::Refused)?;
    let _ = stream.set_nodelay(true);
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|_| Lost::Closed)?;
    // Dropped with this future, which closes the line.
    let connection = tokio::spawn(connection);
    let _ended = AbortOnDrop(connection);
    if let Ok(host) = to.to_string().parse() {
        request.headers_mut().insert(hyper::header::HOST, host);
    }
    let response = sender
        .send_request(request.map(Full::new))
        .await
        .map_err(|_| Lost::Closed)?;
    let (parts, body) = response.into_parts();
    let body = Limited::new(body, BODY_MAX).collect().await;
    let body = body.map_err(|_| Lost::Closed)?.to_bytes();
    Ok(Response::from_parts(parts, body))
}

struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A POST of JSON.
pub fn post(path: &str, body: &serde_json::Value) -> Request<Bytes> {
    let mut request = Request::new(Bytes::from(body.to_string()));
    *request.method_mut() = hyper::Method::POST;
    if let Ok(uri) = path.parse() {
        *request.uri_mut() = uri;
    }
    request.headers_mut().insert(
        hyper::header::CONTENT_TYPE,
        hyper::header::HeaderValue::from_static("application/json"),
    );
    request
}

/// A GET.
pub fn get(path: &str) -> Request<Bytes> {
    let mut request = Request::new(Bytes::new());
    if let Ok(uri) = path.parse() {
        *request.uri_mut() = uri;
    }
    request
}
