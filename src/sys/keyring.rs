//! The keyring of the desktop, where passwords may be kept.
//!
//! Apart from `files` because it is another program that may ask a person first, or hang.
//! Invariant: no error holds a secret; nobody waits longer than a set time, and only once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use keyring::{Entry, Error};

use crate::domain::Secret;

const SERVICE: &str = "idemscope";
/// A locked keyring asks the person to open it first.
const PATIENCE: Duration = Duration::from_secs(30);

/// Which keyring is asked.
#[derive(Clone, Debug, Default)]
pub enum Keyring {
    /// There is none.
    #[default]
    Nowhere,
    /// The system's. True inside: it has not answered once, and is not asked again.
    System(Arc<AtomicBool>),
    /// For tests.
    Memory(Arc<Mutex<BTreeMap<String, Secret>>>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyringError {
    /// No keyring runs here.
    Nowhere,
    /// It has not answered in time.
    Silent,
    /// It is locked, or something else; one sentence.
    Refused(String),
}

impl Keyring {
    pub fn system() -> Keyring {
        Keyring::System(Arc::default())
    }

    pub fn memory() -> Keyring {
        Keyring::Memory(Arc::default())
    }

    /// What is kept for an account, if anything is.
    pub fn get(&self, account: &str) -> Result<Option<Secret>, KeyringError> {
        match self {
            Keyring::Nowhere => Err(KeyringError::Nowhere),
            Keyring::Memory(kept) => {
                Ok(kept.lock().ok().and_then(|kept| kept.get(account).cloned()))
            }
            Keyring::System(is_silent) => {
                ask(is_silent, account, |entry| match entry.get_password() {
                    Ok(password) => Ok(Some(Secret::new(password))),
                    Err(Error::NoEntry) => Ok(None),
                    Err(error) => Err(error),
                })
            }
        }
    }

    pub fn set(&self, account: &str, secret: &Secret) -> Result<(), KeyringError> {
        match self {
            Keyring::Nowhere => Err(KeyringError::Nowhere),
            Keyring::Memory(kept) => {
                if let Ok(mut kept) = kept.lock() {
                    kept.insert(account.to_owned(), secret.clone());
                }
                Ok(())
            }
            Keyring::System(is_silent) => {
                let secret = secret.clone();
                ask(is_silent, account, move |entry| {
                    entry.set_password(secret.reveal())
                })
            }
        }
    }

    /// Forgets what is kept for an account.
    pub fn remove(&self, account: &str) -> Result<(), KeyringError> {
        match self {
            Keyring::Nowhere => Err(KeyringError::Nowhere),
            Keyring::Memory(kept) => {
                if let Ok(mut kept) = kept.lock() {
                    kept.remove(account);
                }
                Ok(())
            }
            Keyring::System(is_silent) => ask(is_silent, account, |entry| {
                match entry.delete_credential() {
                    Err(Error::NoEntry) => Ok(()),
                    done => done,
                }
            }),
        }
    }
}

/// Asks on a thread of its own: a bus that hangs takes that thread and nothing else.
fn ask<T: Send + 'static>(
    is_silent: &AtomicBool,
    account: &str,
    question: impl FnOnce(&Entry) -> keyring::Result<T> + Send + 'static,
) -> Result<T, KeyringError> {
    if is_silent.load(Ordering::Relaxed) {
        return Err(KeyringError::Silent);
    }
    let account = account.to_owned();
    let (sender, receiver) = sync_channel(1);
    let thread = std::thread::Builder::new()
        .name("idemscope-keyring".to_owned())
        .spawn(move || {
            let answer = Entry::new(SERVICE, &account).and_then(|entry| question(&entry));
            // Nobody listens any more where it took too long.
            let _ = sender.send(answer.map_err(|error| words(&error)));
        });
    if thread.is_err() {
        return Err(KeyringError::Nowhere);
    }
    match receiver.recv_timeout(PATIENCE) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout) => {
            is_silent.store(true, Ordering::Relaxed);
            Err(KeyringError::Silent)
        }
        Err(RecvTimeoutError::Disconnected) => Err(KeyringError::Nowhere),
    }
}

/// Only errors whose text cannot hold what was kept are told.
fn words(error: &Error) -> KeyringError {
    match error {
        Error::NoDefaultStore => KeyringError::Nowhere,
        Error::NoStorageAccess(cause) => {
            KeyringError::Refused(format!("the keyring cannot be opened: {cause}"))
        }
        Error::PlatformFailure(cause) => {
            KeyringError::Refused(format!("the keyring did not do it: {cause}"))
        }
        _ => KeyringError::Refused("the keyring has something else under this name".to_owned()),
    }
}

impl std::fmt::Display for KeyringError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            KeyringError::Nowhere => "no keyring runs here",
            KeyringError::Silent => "the keyring does not answer",
            KeyringError::Refused(text) => text,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyring_keeps_and_forgets_and_does_not_show() {
        let keyring = Keyring::memory();
        assert_eq!(keyring.get("a"), Ok(None));
        let set = keyring.set("a", &Secret::new("hunter22"));
        assert_eq!(set, Ok(()));
        assert_eq!(keyring.get("a"), Ok(Some(Secret::new("hunter22"))));
        assert!(!format!("{keyring:?}").contains("hunter22"));
        assert_eq!(keyring.remove("a"), Ok(()));
        assert_eq!(keyring.get("a"), Ok(None));
        assert_eq!(Keyring::Nowhere.get("a"), Err(KeyringError::Nowhere));
    }
}
