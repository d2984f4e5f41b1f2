//! What the form says of its fields: the choices, and where the password comes from.
//!
//! Apart from `data` because that is the page as a whole.

use super::data::scheme_of;
use crate::app::State;
use crate::app::state::{Asking, ConnectForm, Origin};
use crate::config::address::{Engine, Security};
use crate::config::{Password, Who};
use crate::present::escape::shown;
use crate::present::say::say;

pub fn engines(chosen: Engine) -> Vec<(Engine, String, bool)> {
    let all = [
        (Engine::Redis, "Redis"),
        (Engine::Postgres, "PostgreSQL"),
        (Engine::Sqlite, "SQLite"),
    ];
    let all = all.into_iter();
    all.map(|(engine, name)| (engine, name.to_owned(), engine == chosen))
        .collect()
}

pub fn securities(form: &ConnectForm) -> Vec<(Security, String, bool)> {
    let off = (Security::Off, say!("connect-tls-off"));
    let verified = (Security::Verified, say!("connect-tls-verified"));
    let all = match form.address.engine {
        Engine::Redis => vec![off, verified],
        Engine::Postgres => vec![
            (Security::Unsaid, say!("connect-tls-offered")),
            (Security::Required, say!("connect-tls-required")),
            verified,
            off,
        ],
        Engine::Sqlite => Vec::new(),
    };
    let chosen = match (&form.address.security, form.address.engine) {
        (Security::Unsaid, Engine::Redis) => &Security::Off,
        (security, _) => security,
    };
    let all = all.into_iter();
    all.map(|(security, word)| {
        let is_chosen = security == *chosen;
        (security, word, is_chosen)
    })
    .collect()
}

pub fn security_note(form: &ConnectForm) -> String {
    match (&form.address.security, form.address.engine) {
        (Security::Other(mode), _) => format!("sslmode={}", shown(mode, 20)),
        (Security::Unsaid, Engine::Postgres) if form.is_production => {
            say!("connect-tls-production")
        }
        _ => String::new(),
    }
}

/// By the address, where the fields are of another one.
fn engine_of(form: &ConnectForm) -> Engine {
    match form.has_fields() {
        true => form.address.engine,
        false if scheme_of(form.url()).starts_with("postgres") => Engine::Postgres,
        false => Engine::Redis,
    }
}

/// Several servers have no fields of their own.
pub fn kind(form: &ConnectForm) -> String {
    match scheme_of(form.url()) {
        _ if form.has_fields() => String::new(),
        scheme if scheme.ends_with("+cluster") => say!("connect-kind-cluster"),
        scheme if scheme.ends_with("+sentinel") => say!("connect-kind-sentinel"),
        "postgres" | "postgresql" => say!("connect-kind-hosts"),
        _ => String::new(),
    }
}

/// The name of the field, and where the password comes from otherwise.
pub fn password(state: &State) -> (String, String) {
    if state.connect.asking == Asking::Passphrase {
        return (say!("connect-passphrase"), say!("connect-passphrase-note"));
    }
    let form = &state.connect.form;
    let address = &form.address;
    let name = match (address.user.as_str(), address.host.as_str()) {
        // The fields are of another address then.
        _ if !form.has_fields() => say!("connect-password"),
        (_, "") => say!("connect-password"),
        ("", host) => say!("connect-password-at", host = shown(host, 60)),
        (user, host) => say!(
            "connect-password-for",
            user = shown(user, 40),
            host = shown(host, 60)
        ),
    };
    let kept = match &form.origin {
        Origin::Saved(name) => state.connect.book.named(name),
        Origin::Recent(url) => state.connect.book.find(&Who::Url(url.clone())),
        _ => None,
    };
    let has_typed = !form.password.reveal().is_empty();
    let note = match &form.origin {
        Origin::Found(name) if has_typed => say!("connect-password-from", name = shown(name, 40)),
        _ if has_typed => String::new(),
        _ if !form.command.is_empty() => say!("connect-password-command"),
        _ if kept.is_some_and(|kept| kept.password == Password::Keyring) => {
            say!("connect-password-keyring")
        }
        _ if engine_of(form) == Engine::Postgres => say!("connect-password-pgpass"),
        _ => say!("connect-password-asked"),
    };
    (name, note)
}
