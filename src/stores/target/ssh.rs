//! The way through SSH, with everything resolved.
//!
//! Pure data: `config` reads the files that it comes from.

use std::path::PathBuf;

use crate::domain::Secret;

/// A way through hosts that are reached with SSH, the nearest first.
#[derive(Clone, Debug, Default)]
pub struct Ssh {
    pub hops: Vec<Hop>,
}

/// One host of the way.
#[derive(Clone, Debug)]
pub struct Hop {
    /// As it was typed: what it is called in words.
    pub name: String,
    pub host: String,
    pub port: u16,
    pub user: String,
    /// The socket of an agent that holds keys.
    pub agent: Option<PathBuf>,
    pub host_keys: HostKeys,
    pub keys: Vec<SshKey>,
    /// Only these keys are shown, none that an agent has beside them.
    pub only_these_keys: bool,
}

/// What a host is known by.
#[derive(Clone, Debug, Default)]
pub struct HostKeys {
    /// The name that its keys stand under, where it is not its own.
    pub alias: Option<String>,
    /// Files of the keys of hosts; those that are not there are none.
    pub files: Vec<PathBuf>,
    /// Keys that no host may have any more.
    pub revoked: Option<PathBuf>,
}

/// A private key as its file has it.
#[derive(Clone, Debug)]
pub struct SshKey {
    pub path: PathBuf,
    pub origin: KeyOrigin,
    /// Empty where only an agent has the private half.
    pub text: Secret,
    /// The public half, where a file beside it has it.
    pub public: Option<String>,
    pub passphrase: Option<Secret>,
}

/// Why a key is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOrigin {
    /// The configuration names it for this host.
    Named,
    /// It lies where keys lie.
    Usual,
}
