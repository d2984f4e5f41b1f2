//! One window for each person: the second call hands its target to the first one and ends.
//!
//! A lock on a file says who is first; a socket beside it, in a folder that only its owner can
//! enter, takes the calls. Where any of this is not possible, every call opens its own window.
//! Bound: a call is one line of a bounded length and is waited for only so long.

use serde::{Deserialize, Serialize};

#[cfg(not(unix))]
use crate::domain::Secret;

/// What a second call asks for.
#[derive(Debug, Serialize, Deserialize)]
struct Call {
    /// May hold a password: it goes through a socket of this person only.
    target: Option<String>,
}

/// Who this call is.
#[derive(Debug)]
pub enum Instance {
    /// The first: takes the calls of others.
    First(Calls),
    /// A window was there and has taken over.
    Second,
    /// It cannot be told: opens a window and takes no calls.
    Alone,
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io::{self, BufRead, BufReader, Write};
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::Path;
    use std::time::Duration;

    use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};

    use super::{Call, Instance};
    use crate::domain::Secret;
    use crate::sys::{files, folders};

    const CALL_BYTES_MAX: u64 = 64 << 10;
    const CALL_TIME_MAX: Duration = Duration::from_secs(2);
    const TAKEN: &[u8] = b"taken\n";

    /// The calls that come while this window is open.
    #[derive(Debug)]
    pub struct Calls {
        listener: UnixListener,
        /// Held as long as the window is open.
        _lock: File,
    }

    pub fn claim(target: Option<&str>) -> Instance {
        let Some(folder) = folders::runtime() else {
            return Instance::Alone;
        };
        claim_in(&folder, target).unwrap_or(Instance::Alone)
    }

    pub fn claim_in(folder: &Path, target: Option<&str>) -> io::Result<Instance> {
        files::private_folder(folder)?;
        if files::is_open_to_others(folder) {
            return Ok(Instance::Alone);
        }
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join("window.lock"))?;
        let socket = folder.join("window.sock");
        match lock.try_lock() {
            Ok(()) => {
                // What lies there is of a window that is gone.
                let _ = files::remove(&socket);
                let listener = UnixListener::bind(&socket)?;
                Ok(Instance::First(Calls {
                    listener,
                    _lock: lock,
                }))
            }
            Err(_) => call(&socket, target),
        }
    }

    fn call(socket: &Path, target: Option<&str>) -> io::Result<Instance> {
        let mut stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(CALL_TIME_MAX))?;
        stream.set_write_timeout(Some(CALL_TIME_MAX))?;
        let mut line = serde_json::to_vec(&Call {
            target: target.map(str::to_owned),
        })?;
        line.push(b'\n');
        stream.write_all(&line)?;
        let mut answer = Vec::new();
        BufReader::new(stream).read_until(b'\n', &mut answer)?;
        match answer == TAKEN {
            true => Ok(Instance::Second),
            false => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    impl Calls {
        /// Tells each call's target until it is dropped.
        pub async fn take(self, mut tell: impl AsyncFnMut(Option<Secret>)) {
            let Ok(()) = self.listener.set_nonblocking(true) else {
                return;
            };
            let Ok(listener) = tokio::net::UnixListener::from_std(self.listener) else {
                return;
            };
            while let Ok((stream, _)) = listener.accept().await {
                let heard = tokio::time::timeout(CALL_TIME_MAX, hear(stream)).await;
                if let Ok(Some(call)) = heard {
                    tell(call.target.map(Secret::new)).await;
                }
            }
        }
    }

    async fn hear(mut stream: tokio::net::UnixStream) -> Option<Call> {
        let mut line = Vec::new();
        let (reader, mut writer) = stream.split();
        let mut reader = tokio::io::BufReader::new(reader.take(CALL_BYTES_MAX));
        reader.read_until(b'\n', &mut line).await.ok()?;
        let call: Call = serde_json::from_slice(&line).ok()?;
        writer.write_all(TAKEN).await.ok()?;
        Some(call)
    }
}

#[cfg(unix)]
pub use unix::{Calls, claim};

#[cfg(not(unix))]
#[derive(Debug)]
pub struct Calls;

#[cfg(not(unix))]
impl Calls {
    pub async fn take(self, _tell: impl AsyncFnMut(Option<Secret>)) {}
}

/// Hands a target to the window that is open, or becomes the one that takes targets.
#[cfg(not(unix))]
pub fn claim(_target: Option<&str>) -> Instance {
    Instance::Alone
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::domain::Secret;

    #[tokio::test(flavor = "multi_thread")]
    async fn the_second_call_hands_its_target_over() {
        let folder = std::env::temp_dir().join(format!("idem-one-{}", std::process::id()));
        let first = unix::claim_in(&folder, None).expect("a claim");
        let Instance::First(calls) = first else {
            panic!("{first:?}");
        };
        let (heard, mut told) = tokio::sync::mpsc::channel(4);
        let taking = tokio::spawn(calls.take(async move |target: Option<Secret>| {
            let text = target.map(|target| target.reveal().to_owned());
            let _ = heard.send(text).await;
        }));
        for target in [Some("sqlite:/tmp/a.db"), None] {
            let path = folder.clone();
            let second = tokio::task::spawn_blocking(move || unix::claim_in(&path, target));
            let second = second.await.expect("no panic").expect("a claim");
            assert!(matches!(second, Instance::Second), "{second:?}");
            assert_eq!(told.recv().await.expect("a call").as_deref(), target);
        }
        taking.abort();
        let _ = taking.await;
        // It is gone: the next call is the first.
        let next = unix::claim_in(&folder, None).expect("a claim");
        assert!(matches!(next, Instance::First(_)), "{next:?}");
        let _ = std::fs::remove_dir_all(&folder);
    }
}
