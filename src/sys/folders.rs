//! Where things are kept: the folders of the XDG base directory specification.

use std::path::PathBuf;

use etcetera::base_strategy::{BaseStrategy, choose_base_strategy};

const NAME: &str = "idemscope";

/// Users' layouts and saved connections.
pub fn config() -> Option<PathBuf> {
    Some(choose_base_strategy().ok()?.config_dir().join(NAME))
}

/// The demo store.
pub fn data() -> Option<PathBuf> {
    Some(choose_base_strategy().ok()?.data_dir().join(NAME))
}

/// What is remembered between runs, and the journal.
pub fn state() -> Option<PathBuf> {
    let strategy = choose_base_strategy().ok()?;
    // Where the system has no such folder, with the data.
    let folder = strategy.state_dir().unwrap_or(strategy.data_dir());
    Some(folder.join(NAME))
}

/// What lives only as long as the person is logged in.
pub fn runtime() -> Option<PathBuf> {
    let folder = super::env::var("XDG_RUNTIME_DIR").map(|path| PathBuf::from(path).join(NAME));
    // Without a session there is none; what is remembered is as private.
    folder.or_else(state)
}

/// The home folder.
pub fn home() -> Option<PathBuf> {
    etcetera::home_dir().ok()
}

/// What may go at any time.
pub fn temporary() -> PathBuf {
    std::env::temp_dir()
}
