//! PostgreSQL URLs with libpq's parameters, variables, password and service files.
//!
//! Order, as in libpq: the URL, then the service file, then `PG*` variables, then defaults.
//! Source: PostgreSQL manual, "Database Connection Control Functions" and "Environment Variables".

mod hosts;
pub(super) mod proof;
#[cfg(test)]
mod tests;

use std::time::Duration;

use super::origins::{self, Origin, Setting};
use super::target::{Stage, TargetError};
use super::uri::Uri;
use super::{pgpass, uri};
use crate::domain::Secret;
use crate::stores::target::{Look, OneServer, PostgresTarget, SessionAttrs, Tls};
use crate::sys::env;
use hosts::{Host, hosts};

/// Parameters that are understood; others are named in a warning.
const KNOWN: &[&str] = &[
    "host",
    "hostaddr",
    "port",
    "user",
    "password",
    "dbname",
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "application_name",
    "connect_timeout",
    "options",
    "passfile",
    "service",
    "target_session_attrs",
    "client_encoding",
    "channel_binding",
    "gssencmode",
];

/// Variables of libpq that mean something for where and how is connected, and nothing here.
const UNUSED: [&str; 15] = [
    "PGREQUIREAUTH",
    "PGREQUIREPEER",
    "PGREQUIRESSL",
    "PGSSLCRL",
    "PGSSLCRLDIR",
    "PGSSLSNI",
    "PGSSLNEGOTIATION",
    "PGSSLCERTMODE",
    "PGSSLMINPROTOCOLVERSION",
    "PGSSLMAXPROTOCOLVERSION",
    "PGKRBSRVNAME",
    "PGGSSLIB",
    "PGGSSDELEGATION",
    "PGLOADBALANCEHOSTS",
    "PGMINPROTOCOLVERSION",
];

/// Everything that was said about the connection, in libpq's order.
pub struct Said {
    pub uri: Uri,
    service: Vec<(String, String)>,
    service_name: String,
}

impl Said {
    fn of_uri(mut uri: Uri) -> Result<Said, TargetError> {
        // As JDBC has it; libpq takes it for this.
        let asks = |(name, value): &(String, String)| name == "ssl" && value == "true";
        if let Some(at) = uri.params.iter().position(asks) {
            uri.params.remove(at);
            if uri.param("sslmode").is_none() {
                uri.params
                    .push(("sslmode".to_owned(), "require".to_owned()));
            }
        }
        let named = uri.param("service").map(str::to_owned);
        let service_name = named.or_else(|| env::var("PGSERVICE"));
        let service = match &service_name {
            Some(name) => pgpass::service(name).map_err(TargetError::new)?,
            None => Vec::new(),
        };
        Ok(Said {
            uri,
            service,
            service_name: service_name.unwrap_or_default(),
        })
    }

    pub fn of(&self, name: &str, variable: &str) -> Option<String> {
        let in_service = || self.service.iter().find(|(known, _)| known == name);
        self.uri
            .param(name)
            .map(str::to_owned)
            .or_else(|| in_service().map(|(_, value)| value.clone()))
            .or_else(|| env::var(variable))
    }

    /// Where that comes from.
    pub fn origin(&self, name: &str, variable: &str) -> Option<Origin> {
        if self.uri.param(name).is_some() {
            return Some(Origin::Url);
        }
        if self.service.iter().any(|(known, _)| known == name) {
            return Some(Origin::Service(self.service_name.clone()));
        }
        env::var(variable).map(|_| Origin::Variable(variable.to_owned()))
    }

    /// What is said and means nothing here, so that nobody trusts in it.
    fn unused(&self) -> Vec<String> {
        let unknown = |(name, _): &&(String, String)| !KNOWN.contains(&name.as_str());
        let in_url = self.uri.params.iter().filter(unknown);
        let in_url =
            in_url.map(|(name, _)| format!("the parameter `{name}` is not known and not used"));
        let in_service = self.service.iter().filter(unknown).map(|(name, _)| {
            format!(
                "the parameter `{name}` of the service `{}` is not known and not used",
                self.service_name
            )
        });
        let variables = UNUSED.iter().filter(|name| env::var(name).is_some());
        let variables = variables.map(|name| format!("the variable `{name}` is not used"));
        in_url.chain(in_service).chain(variables).collect()
    }
}

/// What a URL came to.
pub struct Parsed {
    pub target: PostgresTarget,
    pub timeout: Option<Duration>,
    pub warnings: Vec<String>,
    pub settings: Vec<Setting>,
}

/// Resolves what stands behind `postgres://`. The password is asked for last, since that may run a
/// command.
pub fn parse(
    rest: &str,
    tls: Tls,
    (stage, look): (Stage, Look),
    password: impl FnOnce() -> Result<Option<Secret>, TargetError>,
) -> Result<Parsed, TargetError> {
    let uri = uri::parse(rest).map_err(TargetError::new)?;
    let said = Said::of_uri(uri)?;
    let mut warnings = said.unused();
    proof::check_bindings(&said)?;
    let hosts = hosts(&said)?;
    let ssl = proof::ssl_mode(&said, &tls, &hosts, stage)?;
    // A parameter goes before what stands in front of it.
    let part = |name: &str, part: Option<String>| said.uri.param(name).map(str::to_owned).or(part);
    let user = part("user", said.uri.user.clone())
        .or_else(|| said.of("user", "PGUSER"))
        .or_else(env::system_user)
        .unwrap_or_else(|| "postgres".to_owned());
    let path = Some(said.uri.path.clone()).filter(|path| !path.is_empty());
    let database = part("dbname", path)
        .or_else(|| said.of("dbname", "PGDATABASE"))
        .unwrap_or_else(|| user.clone());
    let password = match password()? {
        Some(password) => Some(password),
        None => given_password(&said),
    };
    let (singly, problems) = match &password {
        Some(_) => one_by_one(&hosts, |_| (None, None)),
        None => one_by_one(&hosts, |host| kept_password(&said, host, &database, &user)),
    };
    warnings.extend(problems);
    let mut endpoints = hosts.into_iter().map(|host| host.endpoint);
    let endpoint = endpoints
        .next()
        .ok_or_else(|| TargetError::new("no host is named"))?;
    let timeout = timeout(&said);
    let text = said.of("options", "PGOPTIONS").unwrap_or_default();
    let (options, others) = options(&text);
    warnings.extend(
        others
            .iter()
            .map(|word| format!("`{word}` among the `options` is not understood and not used")),
    );
    let target = PostgresTarget {
        endpoint,
        more: endpoints.collect(),
        singly,
        attrs: attrs(&said, look)?,
        user,
        password,
        renewal: None,
        database,
        ssl,
        tls: proof::certificates(&said, tls, ssl)?,
        application: said
            .of("application_name", "PGAPPNAME")
            .unwrap_or_else(|| "idemscope".to_owned()),
        options,
    };
    let settings = origins::of_postgres(&said, &target, look);
    Ok(Parsed {
        target,
        timeout,
        warnings,
        settings,
    })
}

/// What the connection says itself, for all hosts.
fn given_password(said: &Said) -> Option<Secret> {
    let param = said.uri.param("password").map(str::to_owned);
    let own = param.or_else(|| said.uri.password.clone());
    let given = own.or_else(|| said.of("password", "PGPASSWORD"));
    given.map(Secret::new)
}

/// What each host has of its own, and what is wrong with what was asked for it, once.
fn one_by_one(
    hosts: &[Host],
    kept: impl Fn(&Host) -> (Option<Secret>, Option<String>),
) -> (Vec<OneServer>, Vec<String>) {
    let mut problems = Vec::new();
    let one = |host: &Host| {
        let (password, problem) = kept(host);
        problems.extend(problem);
        OneServer {
            address: host.address,
            password,
        }
    };
    let singly = hosts.iter().map(one).collect();
    problems.dedup();
    (singly, problems)
}

/// What the password file says for one of them, and what is wrong with that file.
fn kept_password(
    said: &Said,
    host: &Host,
    database: &str,
    user: &str,
) -> (Option<Secret>, Option<String>) {
    let file = said.of("passfile", "PGPASSFILE");
    let (host, port) = host.in_password_file();
    pgpass::password(file.as_deref(), &host, port, database, user)
}

fn timeout(said: &Said) -> Option<Duration> {
    let text = said.of("connect_timeout", "PGCONNECT_TIMEOUT")?;
    let secs = text.parse::<u64>().ok().filter(|secs| *secs > 0)?;
    Some(Duration::from_secs(secs))
}

fn attrs(said: &Said, look: Look) -> Result<SessionAttrs, TargetError> {
    if look == Look::Replica {
        return Ok(SessionAttrs::Standby);
    }
    let Some(text) = said.of("target_session_attrs", "PGTARGETSESSIONATTRS") else {
        return Ok(SessionAttrs::Any);
    };
    SessionAttrs::named(&text).ok_or_else(|| {
        TargetError::with_hint(
            format!("`{text}` is no value of target_session_attrs"),
            "any, read-write, read-only, primary, standby, prefer-standby",
        )
    })
}

/// `-c name=value` pairs of libpq's `options`, and what else stands there. A backslash keeps the sign
/// behind it, as the server reads it.
fn options(text: &str) -> (Vec<(String, String)>, Vec<String>) {
    let mut words = split(text).into_iter();
    let (mut options, mut others) = (Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        let pair = match (word.strip_prefix("-c"), word.strip_prefix("--")) {
            (Some(""), _) => words.next(),
            (Some(joined), _) => Some(joined.to_owned()),
            (_, long) => long.map(str::to_owned),
        };
        match pair.as_deref().and_then(|pair| pair.split_once('=')) {
            // In names both mean the same.
            Some((name, value)) => options.push((name.replace('-', "_"), value.to_owned())),
            None => others.push(word),
        }
    }
    (options, others)
}

fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
