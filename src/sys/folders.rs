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

/// The home folder.
pub fn home() -> Option<PathBuf> {
    etcetera::home_dir().ok()
}
