//! One HTTP request to a server of the lab on loopback, over a connection of its own or a kept one.
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

async fn exchange(to: SocketAddr, request: Request<Bytes>) -> Result<Answer, Lost> {
    // Dropped with this future, which closes the line.
    let mut open = Open::to(to).await?;
    open.exchange(to, request).await
}

/// A connection that is kept for many requests, one after the other.
///
/// For what is told all the time, and for clients whose point is not the connection.
#[derive(Debug)]
pub struct Line {
    to: SocketAddr,
    open: Option<Open>,
}

impl Line {
    /// Connects with the first request.
    pub fn to(to: SocketAddr) -> Line {
        Line { to, open: None }
    }

    /// Connects now, so that the first request need not.
    pub async fn open(&mut self) -> Result<(), Lost> {
        let is_open = self
            .open
            .as_ref()
            .is_some_and(|open| !open.sender.is_closed());
        if !is_open {
            self.open = Some(Open::to(self.to).await?);
        }
        Ok(())
    }

    /// As [`send`]. After an answer that did not come the connection is not used again.
    pub async fn send(
        &mut self,
        request: Request<Bytes>,
        timeout: Duration,
    ) -> Result<Answer, Lost> {
        let to = self.to;
        let work = async {
            self.open().await?;
            match self.open.as_mut() {
                Some(open) => open.exchange(to, request).await,
                None => Err(Lost::Closed),
            }
        };
        let answer = tokio::time::timeout(timeout, work)
            .await
            .unwrap_or(Err(Lost::TimedOut));
        if answer.is_err() {
            self.open = None;
        }
        answer
    }
}

#[derive(Debug)]
struct Open {
    sender: http1::SendRequest<Full<Bytes>>,
    _connection: AbortOnDrop<hyper::Result<()>>,
}

impl Open {
    async fn to(to: SocketAddr) -> Result<Open, Lost> {
        let stream = TcpStream::connect(to).await.map_err(|_| Lost::Refused)?;
        let _ = stream.set_nodelay(true);
        let (sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|_| Lost::Closed)?;
        Ok(Open {
            sender,
            _connection: AbortOnDrop(tokio::spawn(connection)),
        })
    }

    async fn exchange(
        &mut self,
        to: SocketAddr,
        mut request: Request<Bytes>,
    ) -> Result<Answer, Lost> {
        if let Ok(host) = to.to_string().parse() {
            request.headers_mut().insert(hyper::header::HOST, host);
        }
        self.sender.ready().await.map_err(|_| Lost::Closed)?;
        let response = self
            .sender
            .send_request(request.map(Full::new))
            .await
            .map_err(|_| Lost::Closed)?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, BODY_MAX).collect().await;
        let body = body.map_err(|_| Lost::Closed)?.to_bytes();
        Ok(Response::from_parts(parts, body))
    }
}

#[derive(Debug)]
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
