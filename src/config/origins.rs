//! Where each setting of a connection came from, for whoever wonders why it leads where it leads.
//!
//! Apart from the resolving because nothing is decided here: it asks the same places in the same order.
//! Invariant: of a secret there is no value here, only that there is one.

use super::postgres::Said;
use super::postgres::proof::own_file;
use super::target::TargetOptions;
use super::uri::Uri;
use crate::stores::target::{
    Endpoint, Look, PostgresTarget, RedisTarget, Shape, SslMode, Target, socket_of,
};

/// One setting that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub name: &'static str,
    /// Nothing where it is a secret.
    pub value: Option<String>,
    pub origin: Origin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The URL.
    Url,
    /// An option of the command line.
    Option(&'static str),
    /// The saved connection of this name; without a name what is kept of a URL.
    Saved(Option<String>),
    /// An environment variable.
    Variable(String),
    /// A service of PostgreSQL's service file.
    Service(String),
    /// PostgreSQL's password file.
    PasswordFile,
    Keyring,
    /// What the password command prints.
    Command,
    /// Typed for this time.
    Typed,
    /// `~/.ssh/config`.
    SshConfig,
    Default,
}

impl Origin {
    /// In one word, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Origin::Url => "url",
            Origin::Option(_) => "option",
            Origin::Saved(_) => "saved",
            Origin::Variable(_) => "environment",
            Origin::Service(_) => "service_file",
            Origin::PasswordFile => "password_file",
            Origin::Keyring => "keyring",
            Origin::Command => "command",
            Origin::Typed => "typed",
            Origin::SshConfig => "ssh_config",
            Origin::Default => "default",
        }
    }

    /// Which of them, where there are several.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Origin::Option(name) => Some(name),
            Origin::Saved(name) => name.as_deref(),
            Origin::Variable(name) | Origin::Service(name) => Some(name),
            _ => None,
        }
    }
}

pub(super) fn setting(
    name: &'static str,
    value: impl Into<String>,
    origin: Option<Origin>,
) -> Setting {
    Setting {
        name,
        value: Some(value.into()),
        origin: origin.unwrap_or(Origin::Default),
    }
}

pub(super) fn secret(name: &'static str, origin: Origin) -> Setting {
    Setting {
        name,
        value: None,
        origin,
    }
}

fn host_of(endpoint: &Endpoint) -> String {
    match endpoint {
        Endpoint::Tcp { host, .. } => host.clone(),
        Endpoint::Unix(path) => path.display().to_string(),
    }
}

fn port_of(endpoint: &Endpoint) -> String {
    match endpoint {
        Endpoint::Tcp { port, .. } => port.to_string(),
        Endpoint::Unix(path) => socket_of(path).1.to_string(),
    }
}

fn listed<'e>(all: impl Iterator<Item = &'e Endpoint>, of: fn(&Endpoint) -> String) -> String {
    all.map(of).collect::<Vec<_>>().join(", ")
}

fn in_url(is_there: bool) -> Option<Origin> {
    is_there.then_some(Origin::Url)
}

pub(super) fn of_redis(uri: &Uri, target: &RedisTarget) -> Vec<Setting> {
    let has_hosts = uri.hosts.iter().any(|(host, _)| !host.is_empty());
    let is_socket = matches!(target.endpoint, Endpoint::Unix(_));
    let mut all = vec![setting(
        "host",
        listed(target.seeds(), host_of),
        in_url(has_hosts || is_socket),
    )];
    if !is_socket {
        let has_ports = uri.hosts.iter().any(|(_, port)| port.is_some());
        let ports = listed(target.seeds(), port_of);
        all.push(setting("port", ports, in_url(has_ports)));
    }
    if let Shape::Sentinel { master, .. } = &target.shape {
        all.push(setting("master", master, Some(Origin::Url)));
    }
    let user = target.user.as_deref();
    all.push(setting(
        "user",
        user.unwrap_or("default"),
        in_url(user.is_some()),
    ));
    if uri.password.is_some() {
        all.push(secret("password", Origin::Url));
    }
    if let Some(login) = &target.sentinel_login {
        if let Some(user) = &login.user {
            all.push(setting("sentinel user", user, Some(Origin::Url)));
        }
        let variable = super::redis::SENTINEL_PASSWORD.to_owned();
        all.push(secret("sentinel password", Origin::Variable(variable)));
    }
    let says = !uri.path.is_empty() && !is_socket || uri.param("db").is_some();
    let is_said = match &target.shape {
        Shape::Sentinel { .. } => uri.path.contains('/'),
        _ => says,
    };
    all.push(setting(
        "database",
        target.database.to_string(),
        in_url(is_said),
    ));
    let tls = match target.tls {
        Some(_) => "verified",
        None => "off",
    };
    all.push(setting("tls", tls, Some(Origin::Url)));
    all
}

pub(super) fn of_postgres(said: &Said, target: &PostgresTarget, look: Look) -> Vec<Setting> {
    let hosts = &said.uri.hosts;
    let endpoints = || std::iter::once(&target.endpoint).chain(&target.more);
    let first = |url: bool, name, variable| in_url(url).or_else(|| said.origin(name, variable));
    let has_host = hosts.iter().any(|(host, _)| !host.is_empty());
    let has_port = hosts.iter().any(|(_, port)| port.is_some());
    let user = first(said.uri.user.is_some(), "user", "PGUSER");
    let database = first(!said.uri.path.is_empty(), "dbname", "PGDATABASE");
    let mut all = vec![
        setting(
            "host",
            listed(endpoints(), host_of),
            first(has_host, "host", "PGHOST"),
        ),
        setting(
            "port",
            listed(endpoints(), port_of),
            first(has_port, "port", "PGPORT"),
        ),
        setting("user", &target.user, user),
    ];
    let is_kept = target.singly.iter().any(|one| one.password.is_some());
    if target.password.is_some() || is_kept {
        let own = first(said.uri.password.is_some(), "password", "PGPASSWORD");
        all.push(secret("password", own.unwrap_or(Origin::PasswordFile)));
    }
    all.push(setting("database", &target.database, database));
    let mode = said.origin("sslmode", "PGSSLMODE");
    all.push(setting("sslmode", sslmode(target.ssl), mode));
    all.extend(own_files(said, target));
    let others = [
        ("address", "hostaddr", "PGHOSTADDR"),
        ("ca", "sslrootcert", "PGSSLROOTCERT"),
        ("cert", "sslcert", "PGSSLCERT"),
        ("cert_key", "sslkey", "PGSSLKEY"),
        (
            "target_session_attrs",
            "target_session_attrs",
            "PGTARGETSESSIONATTRS",
        ),
        ("application_name", "application_name", "PGAPPNAME"),
        ("options", "options", "PGOPTIONS"),
        ("timeout", "connect_timeout", "PGCONNECT_TIMEOUT"),
    ];
    for (name, parameter, variable) in others {
        let is_overruled = name == "target_session_attrs" && look == Look::Replica;
        if let Some(value) = said.of(parameter, variable).filter(|_| !is_overruled) {
            let origin = said.origin(parameter, variable);
            all.push(match name {
                "timeout" => setting(name, format!("{value} s"), origin),
                // They may hand a token to the policies of a table.
                "options" => secret(name, origin.unwrap_or(Origin::Default)),
                _ => setting(name, value, origin),
            });
        }
    }
    all
}

/// Certificates that are taken because they lie where libpq looks for them.
fn own_files(said: &Said, target: &PostgresTarget) -> Vec<Setting> {
    let tls = &target.tls;
    let files = [
        (
            "ca",
            "sslrootcert",
            "PGSSLROOTCERT",
            "root.crt",
            tls.ca.is_some(),
        ),
        (
            "cert",
            "sslcert",
            "PGSSLCERT",
            "postgresql.crt",
            tls.certificate.is_some(),
        ),
        (
            "cert_key",
            "sslkey",
            "PGSSLKEY",
            "postgresql.key",
            tls.key.is_some(),
        ),
    ];
    let taken = files
        .into_iter()
        .filter_map(|(name, parameter, variable, file, is_there)| {
            let is_said = said.of(parameter, variable).is_some();
            let path = own_file(file).filter(|_| is_there && !is_said)?;
            Some(setting(name, path.display().to_string(), None))
        });
    taken.collect()
}

fn sslmode(mode: SslMode) -> &'static str {
    match mode {
        SslMode::Disable => "disable",
        SslMode::Allow => "allow",
        SslMode::Prefer => "prefer",
        SslMode::Require => "require",
        SslMode::VerifyCa => "verify-ca",
        SslMode::VerifyFull => "verify-full",
    }
}

/// What options say goes before what the address says.
pub(super) fn with_options(all: &mut Vec<Setting>, options: &TargetOptions, target: &Target) {
    let mut put = |setting: Setting| {
        all.retain(|known| known.name != setting.name);
        all.push(setting);
    };
    let path = |path: &std::path::PathBuf| path.display().to_string();
    let said = [
        ("ca", "--ca", options.ca.as_ref().map(path)),
        ("cert", "--cert", options.cert.as_ref().map(path)),
        (
            "cert_key",
            "--cert-key",
            options.cert_key.as_ref().map(path),
        ),
        ("server_name", "--server-name", options.server_name.clone()),
        ("ssh", "--ssh", options.ssh.clone()),
        (
            "replica",
            "--replica",
            (options.look == Look::Replica).then(|| "yes".to_owned()),
        ),
        (
            "timeout",
            "--timeout",
            options.timeout.map(|_| secs(target)),
        ),
    ];
    for (name, option, value) in said {
        if let Some(value) = value {
            put(setting(name, value, Some(Origin::Option(option))));
        }
    }
    match (&options.password, &options.password_command) {
        (Some(_), _) => put(secret("password", Origin::Typed)),
        (None, Some(_)) => put(secret("password", Origin::Command)),
        (None, None) => {}
    }
    if !all.iter().any(|known| known.name == "timeout") {
        all.push(setting("timeout", secs(target), None));
    }
}

fn secs(target: &Target) -> String {
    format!("{} s", target.timeout.as_secs_f32())
}
