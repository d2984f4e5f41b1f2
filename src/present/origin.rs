//! Where a setting of a connection came from, in words.

use super::escape::shown;
use super::say::say;

/// The words of an origin, by its code and what it is called.
pub fn words(code: &str, detail: Option<&str>) -> String {
    let name = shown(detail.unwrap_or_default(), 60);
    match (code, detail) {
        ("url", _) => say!("origin-url"),
        ("option" | "environment", Some(_)) => name,
        ("saved", Some(_)) => say!("origin-saved", name = name),
        ("saved", None) => say!("origin-kept"),
        ("service_file", _) => say!("origin-service", name = name),
        ("password_file", _) => say!("origin-password-file"),
        ("keyring", _) => say!("origin-keyring"),
        ("command", _) => say!("origin-command"),
        ("typed", _) => say!("origin-typed"),
        ("ssh_config", _) => "~/.ssh/config".to_owned(),
        _ => say!("origin-default"),
    }
}
