//! A wire that breaks on demand, and a server that never answers.
//!
//! Apart from the servers because any of them can stand behind it.
//! Invariant: bytes are counted from the moment a plan is set, over all connections together, so a
//! test can let a handshake pass and cut the very next command.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};

/// What the wire does to new and to open connections, from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Pass everything.
    Pass,
    /// End the connection after so many bytes from the client; the rest is lost.
    CutUp { after: u64, end: End },
    /// End it after so many bytes from the server; it has carried out what it was told.
    CutDown { after: u64, end: End },
    /// Accept and pass nothing more.
    Stall,
    /// Pass nothing more on the first so many connections, as what has forgotten them; new ones pass.
    Forget { connections: u64 },
    /// End all connections now; new ones are refused by the system.
    Refuse,
}

impl Plan {
    /// Whether bytes pass on the connection of this number, counted from one.
    fn passes_on(&self, number: u64) -> bool {
        match self {
            Plan::Stall => false,
            Plan::Forget { connections } => number > *connections,
            _ => true,
        }
    }
}

/// How an end looks to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Close,
    Reset,
}

/// Bytes passed since the plan was set, and connections since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub up: u64,
    pub down: u64,
    pub connections: u64,
}

/// Stands before a server on a port of its own.
pub struct Proxy {
    port: u16,
    plan: watch::Sender<Plan>,
    seen: Arc<Mutex<Seen>>,
    // Dropping it ends the thread.
    _alive: oneshot::Sender<()>,
}

impl Proxy {
    pub fn before(port: u16) -> Proxy {
        Proxy::before_address(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
    }

    pub fn before_address(upstream: SocketAddr) -> Proxy {
        let (plan, plans) = watch::channel(Plan::Pass);
        let seen = Arc::new(Mutex::new(Seen::default()));
        let tally = Arc::clone(&seen);
        let (port, alive) = serve(move |listener| listen(listener, upstream, plans, tally));
        Proxy {
            port,
            plan,
            seen,
            _alive: alive,
        }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn set(&self, plan: Plan) {
        let mut seen = self.seen.lock().expect("no panic while counting");
        seen.up = 0;
        seen.down = 0;
        self.plan.send_replace(plan);
    }

    pub fn seen(&self) -> Seen {
        *self.seen.lock().expect("no panic while counting")
    }
}

/// Accepts connections and never says a word.
pub struct Silent {
    pub port: u16,
    _alive: oneshot::Sender<()>,
}

pub fn silent_server() -> Silent {
    let (port, alive) = serve(async |listener: TcpListener| {
        let mut open = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            open.push(stream);
        }
    });
    Silent {
        port,
        _alive: alive,
    }
}

/// Gives the same answer to whatever it is sent, and hangs up.
pub fn answering_server(answer: &'static [u8]) -> Silent {
    let (port, alive) = serve(async move |listener: TcpListener| {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut buffer = [0; 1024];
            let _ = stream.read(&mut buffer).await;
            let _ = stream.write_all(answer).await;
            let _ = stream.shutdown().await;
        }
    });
    Silent {
        port,
        _alive: alive,
    }
}

/// Runs `work` with a listener on a thread of its own, until the sender given back is dropped.
fn serve<F>(work: impl FnOnce(TcpListener) -> F + Send + 'static) -> (u16, oneshot::Sender<()>)
where
    F: Future<Output = ()>,
{
    let (alive, mut gone) = oneshot::channel::<()>();
    let (tell, told) = channel();
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("runtime of a wire");
        let local = tokio::task::LocalSet::new();
        local.block_on(&runtime, async {
            let listener = bind(0).await.expect("a free port on loopback");
            let address = listener.local_addr().expect("address of a listener");
            let _ = tell.send(address.port());
            tokio::select! {
                () = work(listener) => {}
                _ = &mut gone => {}
            }
        });
    };
    std::thread::Builder::new()
        .name("test-wire".to_owned())
        .spawn(run)
        .expect("thread of a wire");
    (told.recv().expect("port of a wire"), alive)
}

async fn bind(port: u16) -> std::io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await
}

async fn listen(
    listener: TcpListener,
    upstream: SocketAddr,
    mut plans: watch::Receiver<Plan>,
    seen: Arc<Mutex<Seen>>,
) {
    let port = listener.local_addr().expect("address of a listener").port();
    let mut open = Some(listener);
    loop {
        if *plans.borrow_and_update() == Plan::Refuse {
            open = None;
        } else if open.is_none() {
            open = bind(port).await.ok();
        }
        let Some(listener) = &open else {
            if plans.changed().await.is_err() {
                return;
            }
            continue;
        };
        tokio::select! {
            accepted = listener.accept() => if let Ok((client, _)) = accepted {
                let number = {
                    let mut seen = seen.lock().expect("no panic while counting");
                    seen.connections += 1;
                    seen.connections
                };
                let carrying = carry(client, upstream, number, plans.clone(), Arc::clone(&seen));
                tokio::task::spawn_local(carrying);
            },
            changed = plans.changed() => if changed.is_err() {
                return;
            },
        }
    }
}

async fn carry(
    mut client: TcpStream,
    upstream: SocketAddr,
    number: u64,
    plans: watch::Receiver<Plan>,
    seen: Arc<Mutex<Seen>>,
) {
    let Ok(mut server) = TcpStream::connect(upstream).await else {
        return;
    };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    // Borrowed halves: dropping an owned one would say goodbye before the reset.
    let (client_read, client_write) = client.split();
    let (server_read, server_write) = server.split();
    let mut refused = plans.clone();
    let end = tokio::select! {
        end = pump(client_read, server_write, (Way::Up, number), plans.clone(), &seen) => end,
        end = pump(server_read, client_write, (Way::Down, number), plans, &seen) => end,
        _ = refused.wait_for(|plan| *plan == Plan::Refuse) => End::Reset,
    };
    if end == End::Reset {
        let _ = client.set_zero_linger();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

async fn pump(
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    (way, number): (Way, u64),
    mut plans: watch::Receiver<Plan>,
    seen: &Mutex<Seen>,
) -> End {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let Ok(count @ 1..) = from.read(&mut buffer).await else {
            return End::Close;
        };
        if plans.wait_for(|plan| plan.passes_on(number)).await.is_err() {
            return End::Close;
        }
        let (allowed, end) = allow(*plans.borrow(), way, count, seen);
        let passed = buffer.get(..allowed).unwrap_or_default();
        if to.write_all(passed).await.is_err() {
            return End::Close;
        }
        if let Some(end) = end {
            return end;
        }
    }
}

/// How many of `count` bytes pass, and whether that was the last of it.
fn allow(plan: Plan, way: Way, count: usize, seen: &Mutex<Seen>) -> (usize, Option<End>) {
    let mut seen = seen.lock().expect("no panic while counting");
    let so_far = match way {
        Way::Up => &mut seen.up,
        Way::Down => &mut seen.down,
    };
    let (after, end) = match (plan, way) {
        (Plan::CutUp { after, end }, Way::Up) | (Plan::CutDown { after, end }, Way::Down) => {
            (after, end)
        }
        _ => {
            *so_far += count as u64;
            return (count, None);
        }
    };
    let left = after.saturating_sub(*so_far);
    let allowed = count.min(usize::try_from(left).unwrap_or(usize::MAX));
    *so_far += allowed as u64;
    (allowed, (*so_far >= after).then_some(end))
}
