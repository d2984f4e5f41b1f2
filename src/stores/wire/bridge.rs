//! A socket of our own that leads to a PostgreSQL server over a line that we have opened.
//!
//! Apart from `wire` because the library for PostgreSQL dials by itself: it knows no tunnel, no probes
//! of a silent line, and no more than half of what `sslmode` means. What goes through TLS is plain on
//! the socket, which stands in a folder that only its owner can enter, and is gone once it is used.
//! Invariants: one socket leads over one line; nothing of a login is looked at; whoever goes first
//! ends both sides.

use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::pin::Pin;
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
/// Of a folder's mode: the group and everybody else may put something in it or take it away.
const WRITTEN_BY_OTHERS: u32 = 0o022;
/// Of a folder's mode: what lies in it is only renamed by its owner.
const STICKY: u32 = 0o1000;
/// Where a socket stands if it can stand nowhere else.
const LAST_RESORT: &str = "/tmp";

/// A folder that vanishes with this.
pub struct Folder(pub PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What is not there any more is gone already.
        let _ = std::fs::remove_dir_all(&self.0);
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

/// Where the library is to dial, at once and once, to be led over a line.
///
/// Errors: the socket cannot be made.
pub fn lead(
    far: Box<dyn Stream>,
    scratch: &Path,
    patience: Duration,
) -> Result<(Endpoint, Trouble), StoreError> {
    let fail = |error: std::io::Error| {
        let text = format!("no socket can be made that leads to a server: {error}");
        StoreError::new(StoreErrorKind::Unsupported, text)
    };
    let folder = folder(scratch).map_err(fail)?;
    let path = socket_in(&folder.0);
    let listener = UnixListener::bind(&path).map_err(fail)?;
    let trouble = Trouble::default();
    let told = trouble.clone();
    tokio::spawn(async move {
        let came = tokio::time::timeout(patience, listener.accept()).await;
        drop((listener, folder));
        if let Ok(Ok((near, _))) = came {
            carry(near, far, &told).await;
        }
    });
    Ok((Endpoint::Unix(path), trouble))
}

/// A new one inside `scratch`, or where that is too deep or not ours, a shallow one.
pub fn folder(scratch: &Path) -> std::io::Result<Folder> {
    let name = format!("way-{}-{:08x}", std::process::id(), fastrand::u32(..));
    if let Some(deep) = inside(scratch, &name) {
        return Ok(deep);
    }
    let shallow = Path::new(LAST_RESORT).join(format!("idemscope-{name}"));
    private_folder(&shallow)?;
    Ok(Folder(shallow))
}

/// `None` where a socket's name does not fit, or somebody else could put another folder in the place
/// of this one: what is said on the socket would be said to them.
fn inside(scratch: &Path, name: &str) -> Option<Folder> {
    own_folders(scratch).ok()?;
    let path = scratch.canonicalize().ok()?.join(name);
    if socket_in(&path).as_os_str().len() >= PATH_BYTES_MAX {
        return None;
    }
    private_folder(&path).ok()?;
    if is_out_of_reach(&path).unwrap_or(false) {
        return Some(Folder(path));
    }
    // Not with what lies in it: it may be another one by now.
    let _ = std::fs::remove_dir(&path);
    None
}

/// Whether only we and root can rename the folder, and all that it lies in.
fn is_out_of_reach(path: &Path) -> std::io::Result<bool> {
    // Our number, from a file that was not there before: a folder of this name may be another's.
    let mark = path.join("owner");
    let us = std::fs::File::create_new(&mark)?.metadata()?.uid();
    std::fs::remove_file(&mark)?;
    // From the root down: what lies in a safe folder stays what it is while the next one is seen.
    let mut folders: Vec<&Path> = path.ancestors().collect();
    folders.reverse();
    for folder in folders {
        let seen = folder.symlink_metadata()?;
        let is_ours = seen.is_dir() && (seen.uid() == us || seen.uid() == 0);
        // In a sticky one others can write, and leave alone what is ours.
        let is_kept = seen.mode() & WRITTEN_BY_OTHERS == 0 || seen.mode() & STICKY != 0;
        if !is_ours || !is_kept {
            return Ok(false);
        }
    }
    Ok(true)
}

fn socket_in(folder: &Path) -> PathBuf {
    folder.join(".s.PGSQL.5432")
}

/// A folder that was not there before, for its owner alone.
fn private_folder(path: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

/// A folder with all that it lies in, where they are not there yet.
fn own_folders(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.mode(0o700).recursive(true).create(path)
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

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[test]
    fn a_folder_that_others_may_rename_is_not_used() {
        use std::os::unix::fs::PermissionsExt;

        let outer = tempfile::tempdir().expect("a folder");
        let scratch = outer.path().join("idemscope");
        let is_inside = || {
            let made = folder(&scratch).expect("a folder");
            let mode = made.0.metadata().expect("it is there").mode();
            assert_eq!(mode & 0o777, 0o700);
            made.0.starts_with(&scratch)
        };
        let set = |path: &Path, mode: u32| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(path, mode).expect("a mode");
        };
        assert!(is_inside());
        for (of_outer, of_scratch, expected) in [
            (0o777, 0o700, false),
            (0o700, 0o777, false),
            (0o770, 0o700, false),
            (0o1777, 0o700, true),
            (0o755, 0o1777, true),
        ] {
            set(outer.path(), of_outer);
            set(&scratch, of_scratch);
            assert_eq!(is_inside(), expected, "{of_outer:o} {of_scratch:o}");
        }
        let left = std::fs::read_dir(&scratch).expect("the folder").count();
        assert_eq!(left, 0);
    }

    #[tokio::test]
    async fn a_socket_leads_once_and_is_gone() {
        let too_deep = std::env::temp_dir().join("x".repeat(PATH_BYTES_MAX));
        for scratch in [std::env::temp_dir(), too_deep] {
            let (far, mut server) = tokio::io::duplex(64);
            let led = lead(Box::new(far), &scratch, Duration::from_secs(9));
            let (Endpoint::Unix(path), _) = led.expect("a socket") else {
                panic!("no socket")
            };
            let mut client = UnixStream::connect(&path).await.expect("a line");
            client.write_all(b"hello").await.expect("sent");
            let mut heard = [0; 5];
            server.read_exact(&mut heard).await.expect("heard");
            assert_eq!(&heard, b"hello");
            assert!(!path.exists() && !path.parent().is_some_and(Path::exists));
            // Whoever goes first ends both sides.
            drop(client);
            assert_eq!(server.read(&mut heard).await.expect("the end"), 0);
            assert!(server.write_all(b"too late").await.is_err());
        }
    }
}
