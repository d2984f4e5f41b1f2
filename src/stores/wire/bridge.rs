//! A socket of our own that leads to a PostgreSQL server over a line that we have opened.
//!
//! Apart from `wire` because the library for PostgreSQL dials by itself: it knows no tunnel, no probes
//! of a silent line, and no more than half of what `sslmode` means. What goes through TLS is plain on
//! the socket, which stands in a folder that only its owner can enter, and is gone once it is used.
//! Invariants: one socket leads over one line; nothing of a login is looked at; whoever goes first
//! ends both sides.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, copy_bidirectional_with_sizes};
use tokio::net::{UnixListener, UnixStream};

use super::{Stream, tls};
use crate::stores::target::Endpoint;
use crate::stores::{StoreError, StoreErrorKind};

/// Read at once: questions are short, and answers may be a whole table.
const UP_BYTES: usize = 16 << 10;
const DOWN_BYTES: usize = 128 << 10;
/// The longest name that a socket may have on every system, with the zero at its end.
const PATH_BYTES_MAX: usize = 104;
/// Where a socket stands if it can stand nowhere else.
const LAST_RESORT: &str = "/tmp";

/// A folder for sockets, which vanishes with this.
pub struct Shore {
    folder: PathBuf,
    last: AtomicU16,
}

impl Drop for Shore {
    fn drop(&mut self) {
        // What is not there any more is gone already.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// What went wrong on a line after it was greeted, for whoever sees no more than its end.
#[derive(Clone, Default)]
pub struct Trouble(Arc<Mutex<Option<String>>>);

impl Trouble {
    /// A sentence without the server; told once.
    pub fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Shore {
    /// Makes a new folder inside `scratch`, or where that is too deep or not ours, a shallow one.
    ///
    /// Errors: it cannot be made.
    pub fn new(scratch: &Path) -> Result<Shore, StoreError> {
        let name = format!("way-{}-{:08x}", std::process::id(), fastrand::u32(..));
        let shallow = Path::new(LAST_RESORT).join(format!("idemscope-{name}"));
        let deep = scratch.join(name);
        let fits = socket_in(&deep, u16::MAX).as_os_str().len() < PATH_BYTES_MAX;
        let made = match fits && private_folder(&deep).is_ok() {
            true => Ok(deep),
            false => private_folder(&shallow).map(|()| shallow),
        };
        let folder = made.map_err(|error| {
            let text = format!("no socket can be made that leads to a server: {error}");
            StoreError::new(StoreErrorKind::Unsupported, text)
        })?;
        Ok(Shore {
            folder,
            last: AtomicU16::new(0),
        })
    }

    /// Where the library is to dial, at once and once, to be led over a line.
    ///
    /// Errors: the socket cannot be made.
    pub fn lead(
        &self,
        far: Box<dyn Stream>,
        patience: Duration,
    ) -> Result<(Endpoint, Trouble), StoreError> {
        let path = socket_in(&self.folder, self.last.fetch_add(1, Ordering::Relaxed));
        // One that nobody came to.
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path).map_err(|error| {
            let text = format!("no socket can be made that leads to a server: {error}");
            StoreError::new(StoreErrorKind::Unsupported, text)
        })?;
        let trouble = Trouble::default();
        let (told, socket) = (trouble.clone(), path.clone());
        tokio::spawn(async move {
            let came = tokio::time::timeout(patience, listener.accept()).await;
            drop(listener);
            let _ = std::fs::remove_file(&socket);
            if let Ok(Ok((near, _))) = came {
                carry(near, far, &told).await;
            }
        });
        Ok((Endpoint::Unix(path), trouble))
    }
}

fn socket_in(folder: &Path, number: u16) -> PathBuf {
    folder.join(format!(".s.PGSQL.{number}"))
}

/// A folder that was not there before, for its owner alone.
fn private_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    if let Some(parent) = path.parent() {
        builder.recursive(true).create(parent)?;
    }
    builder.recursive(false).create(path)
}

async fn carry(near: UnixStream, mut far: Box<dyn Stream>, told: &Trouble) {
    let mut near = Near(near);
    let carried = copy_bidirectional_with_sizes(&mut near, &mut far, UP_BYTES, DOWN_BYTES).await;
    // Before the near end is dropped, which is all that the library sees.
    if let Err(error) = carried
        && let Some(reason) = tls::reason_of(&error)
    {
        *told.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
    }
}

/// The library's end. That it went away is an error here, so that the server is not kept waiting by
/// one who may still have something to say.
struct Near(UnixStream);

impl AsyncRead for Near {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.0).poll_read(cx, buffer))?;
        Poll::Ready(match buffer.filled().len() > before {
            true => Ok(()),
            false => Err(std::io::ErrorKind::ConnectionAborted.into()),
        })
    }
}

impl AsyncWrite for Near {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
