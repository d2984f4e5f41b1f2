//! A gate in front of a store: what a network between shop and store does.
//!
//! Apart from the proxy because it knows no HTTP: bytes pass, late where that is set, or the gate is
//! shut, or leads to another server. So a store can be down for the shop without being touched.
//! Bounds: so many connections, and so many bytes under way on each.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc, watch};

use crate::sys::clock::Stopwatch;

const CONNECTIONS_MAX: usize = 256;
const PIECE_BYTES: usize = 16 << 10;
/// Pieces that are under way on one connection.
const PIECES_MAX: usize = 1_024;

/// Where the gate leads now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    to: SocketAddr,
    is_open: bool,
    delay: Duration,
}

/// A gate; connections through it end with it.
#[derive(Debug)]
pub struct Gate {
    pub address: SocketAddr,
    state: watch::Sender<State>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Gate {
    /// Opens a gate on a free port of loopback.
    ///
    /// Errors: no port can be had.
    pub async fn to(to: SocketAddr) -> std::io::Result<Gate> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (state, states) = watch::channel(State {
            to,
            is_open: true,
            delay: Duration::ZERO,
        });
        let task = tokio::spawn(accept(listener, states));
        Ok(Gate {
            address,
            state,
            task,
        })
    }

    /// Ends what is under way, and lets nothing through.
    pub fn shut(&self) {
        self.state.send_modify(|state| state.is_open = false);
    }

    pub fn open(&self) {
        self.state.send_modify(|state| state.is_open = true);
    }

    /// Leads elsewhere from now on; connections to the old place end.
    pub fn lead(&self, to: SocketAddr) {
        self.state.send_modify(|state| state.to = to);
    }

    /// What passes from now on comes so much later.
    pub fn delay(&self, delay: Duration) {
        self.state.send_modify(|state| state.delay = delay);
    }
}

async fn accept(listener: TcpListener, states: watch::Receiver<State>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let Ok(place) = places.clone().acquire_owned().await else {
            return;
        };
        let states = states.clone();
        tokio::spawn(async move {
            pass(stream, states).await;
            drop(place);
        });
    }
}

/// Carries one connection until it ends, or the gate changes.
async fn pass(near: TcpStream, mut states: watch::Receiver<State>) {
    let began = *states.borrow_and_update();
    if !began.is_open {
        return;
    }
    let Ok(far) = TcpStream::connect(began.to).await else {
        return;
    };
    let _ = near.set_nodelay(true);
    let _ = far.set_nodelay(true);
    let (near_in, near_out) = near.into_split();
    let (far_in, far_out) = far.into_split();
    let up = carry(near_in, far_out, states.clone());
    let down = carry(far_in, near_out, states.clone());
    let has_changed = async {
        while states.changed().await.is_ok() {
            let now = *states.borrow_and_update();
            if !now.is_open || now.to != began.to {
                return;
            }
        }
    };
    tokio::select! {
        () = up => {}
        () = down => {}
        () = has_changed => {}
    }
}

/// One direction: each piece is written when its delay is over.
async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    states: watch::Receiver<State>,
) {
    let clock = Stopwatch::start();
    let (pieces, mut late) = mpsc::channel::<(Duration, Vec<u8>)>(PIECES_MAX);
    let read = async move {
        let mut piece = vec![0; PIECE_BYTES];
        while let Ok(read) = from.read(&mut piece).await {
            if read == 0 {
                return;
            }
            let due = clock.elapsed() + states.borrow().delay;
            let bytes = piece.get(..read).unwrap_or_default().to_vec();
            if pieces.send((due, bytes)).await.is_err() {
                return;
            }
        }
    };
    let write = async move {
        while let Some((due, bytes)) = late.recv().await {
            tokio::time::sleep(due.saturating_sub(clock.elapsed())).await;
            if to.write_all(&bytes).await.is_err() {
                return;
            }
        }
    };
    tokio::join!(read, write);
}
