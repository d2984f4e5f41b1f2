//! What can go wrong between us and a store, in words that say what, why and what now.
//!
//! Invariant: no text here holds a secret; whoever makes an error from a library's text scrubs it.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoreErrorKind {
    /// Nobody answers at the address.
    Unreachable,
    /// The server refuses the login.
    Login,
    /// A host on the way refuses the login.
    Way,
    /// A host on the way does not prove that it is the one that is known.
    HostKey,
    /// A key for the way is locked.
    Passphrase,
    /// The connection is not trustworthy: certificate, name, protocol version.
    Tls,
    /// The login may not do this.
    Denied,
    /// No answer within the time-out.
    TimedOut,
    /// The connection was lost in the middle.
    Lost,
    /// What was to be read is not there any more.
    Vanished,
    /// This kind of target is not served.
    Unsupported,
    /// Another server has taken the place of the one that was talked to.
    Replaced,
    /// Several rows are meant by one address.
    Ambiguous,
    /// The server answered something that was not understood.
    Protocol,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    pub kind: StoreErrorKind,
    /// One sentence without a full stop.
    pub text: String,
}

impl StoreError {
    pub fn new(kind: StoreErrorKind, text: impl Into<String>) -> StoreError {
        StoreError {
            kind,
            text: text.into(),
        }
    }

    /// What to do now, in one sentence.
    pub fn hint(&self) -> &'static str {
        match self.kind {
            StoreErrorKind::Unreachable => "check host and port, and that the server runs",
            StoreErrorKind::Login => "check user and password",
            StoreErrorKind::Way => "check user and key: `ssh -v` tells what it tries",
            StoreErrorKind::HostKey => {
                "compare the key with the host's own before `known_hosts` is changed"
            }
            StoreErrorKind::Passphrase => {
                "give the key's passphrase, or add the key to the agent with `ssh-add`"
            }
            StoreErrorKind::Tls => {
                "check that the port speaks TLS, and its certificate: name, dates, CA (`--ca`)"
            }
            StoreErrorKind::Denied => "ask for the right to read, or look with another login",
            StoreErrorKind::TimedOut => {
                "the server may be stopped or busy: try again, or raise `--timeout`"
            }
            StoreErrorKind::Lost => "check that the server still runs, then try again",
            StoreErrorKind::Vanished => "look again: the store has changed meanwhile",
            StoreErrorKind::Unsupported => {
                "connect to a cluster with `redis+cluster://`, to one server with `redis://`"
            }
            StoreErrorKind::Replaced => "look at the records again, and plan anew",
            StoreErrorKind::Ambiguous => {
                "search for the key to see all of them; a key in the table would tell them apart"
            }
            StoreErrorKind::Protocol => "check that this is the right kind of server",
        }
    }

    /// Whether the store could not be used at all, as opposed to one thing in it.
    pub fn is_connection(&self) -> bool {
        matches!(
            self.kind,
            StoreErrorKind::Unreachable
                | StoreErrorKind::Login
                | StoreErrorKind::Way
                | StoreErrorKind::HostKey
                | StoreErrorKind::Passphrase
                | StoreErrorKind::Tls
                | StoreErrorKind::TimedOut
                | StoreErrorKind::Lost
                | StoreErrorKind::Unsupported
                | StoreErrorKind::Replaced
        )
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for StoreError {}
