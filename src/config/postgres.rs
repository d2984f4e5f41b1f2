//! PostgreSQL URLs with libpq's parameters, variables, password and service files.
//!
//! Order, as in libpq: the URL, then the service file, then `PG*` variables, then defaults.
//! Source: PostgreSQL manual, "Database Connection Control Functions" and "Environment Variables".

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::origins::{self, Origin, Setting};
use super::target::{Stage, TargetError, read_pem};
use super::uri::Uri;
use super::{pgpass, uri};
use crate::domain::Secret;
use crate::stores::target::{Endpoint, Look, PostgresTarget, SessionAttrs, SslMode, Tls};
use crate::sys::{env, files};

const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// Hosts that one URL may name.
const HOSTS_MAX: usize = 20;

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

/// Everything that was said about the connection, in libpq's order.
pub struct Said {
    pub uri: Uri,
    service: Vec<(String, String)>,
    service_name: String,
}

impl Said {
    fn of_uri(uri: Uri) -> Result<Said, TargetError> {
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

    fn pem(&self, name: &str, variable: &str) -> Result<Option<String>, TargetError> {
        match self.of(name, variable) {
            Some(path) if path != "system" => read_pem(Path::new(&path)).map(Some),
            _ => Ok(None),
        }
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
    let mut warnings: Vec<String> = uri
        .params
        .iter()
        .filter(|(name, _)| !KNOWN.contains(&name.as_str()))
        .map(|(name, _)| format!("the parameter `{name}` is not known and not used"))
        .collect();
    let said = Said::of_uri(uri)?;
    let (endpoints, port) = places(&said)?;
    let mut endpoints = endpoints.into_iter();
    let endpoint = endpoints
        .next()
        .ok_or_else(|| TargetError::new("no host is named"))?;
    let ssl = ssl_mode(&said, &endpoint, stage)?;
    let user = said
        .uri
        .user
        .clone()
        .or_else(|| said.of("user", "PGUSER"))
        .or_else(env::user_name)
        .unwrap_or_else(|| "postgres".to_owned());
    let database = Some(said.uri.path.clone())
        .filter(|path| !path.is_empty())
        .or_else(|| said.of("dbname", "PGDATABASE"))
        .unwrap_or_else(|| user.clone());
    let host = host_for_pgpass(&endpoint);
    let password = match password()? {
        Some(password) => Some(password),
        None => {
            let who = (host.as_str(), port, database.as_str(), user.as_str());
            let (found, warning) = kept_password(&said, who);
            warnings.extend(warning);
            found
        }
    };
    let timeout = timeout(&said);
    let target = PostgresTarget {
        endpoint,
        more: endpoints.collect(),
        singly: Vec::new(),
        attrs: attrs(&said, look)?,
        user,
        password,
        renewal: None,
        database,
        ssl,
        tls: certificates(&said, tls)?,
        application: said
            .of("application_name", "PGAPPNAME")
            .unwrap_or_else(|| "idemscope".to_owned()),
        options: said
            .of("options", "PGOPTIONS")
            .map(|text| options(&text))
            .unwrap_or_default(),
    };
    let settings = origins::of_postgres(&said, &target, look);
    Ok(Parsed {
        target,
        timeout,
        warnings,
        settings,
    })
}

/// What the connection says itself, else the password file; and what is wrong with that file.
fn kept_password(
    said: &Said,
    (host, port, database, user): (&str, u16, &str, &str),
) -> (Option<Secret>, Option<String>) {
    let own = said.uri.password.clone();
    if let Some(given) = own.or_else(|| said.of("password", "PGPASSWORD")) {
        return (Some(Secret::new(given)), None);
    }
    let file = said.of("passfile", "PGPASSFILE");
    pgpass::password(file.as_deref(), host, port, database, user)
}

fn timeout(said: &Said) -> Option<Duration> {
    let text = said.of("connect_timeout", "PGCONNECT_TIMEOUT")?;
    let secs = text.parse::<u64>().ok().filter(|secs| *secs > 0)?;
    Some(Duration::from_secs(secs))
}

/// Hosts and ports, in their order: from the URL, or lists with commas as libpq has them. The port of
/// the first is for the password file.
fn places(said: &Said) -> Result<(Vec<Endpoint>, u16), TargetError> {
    let list = |text: Option<String>| -> Vec<String> {
        let text = text.unwrap_or_default();
        text.split(',')
            .filter(|one| !one.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let number = |text: &String| {
        text.parse::<u16>()
            .map_err(|_| TargetError::new(format!("`{text}` is no port")))
    };
    let ports = list(said.of("port", "PGPORT"));
    let ports: Vec<u16> = ports.iter().map(number).collect::<Result<_, _>>()?;
    let named = said.uri.hosts.iter().filter(|(host, _)| !host.is_empty());
    let mut hosts: Vec<(Option<String>, Option<u16>)> = named
        .map(|(host, port)| (Some(host.clone()), *port))
        .collect();
    if hosts.is_empty() {
        // A port in the URL is for the hosts that are named elsewhere.
        let port = said.uri.hosts.first().and_then(|(_, port)| *port);
        let others = list(said.of("host", "PGHOST"));
        hosts.extend(others.into_iter().map(|host| (Some(host), port)));
        if hosts.is_empty() {
            hosts.push((None, port));
        }
    }
    if hosts.len() > HOSTS_MAX {
        return Err(TargetError::new(format!(
            "more than {HOSTS_MAX} hosts are named"
        )));
    }
    if ports.len() > 1 && ports.len() != hosts.len() {
        return Err(TargetError::new("there are not as many ports as hosts"));
    }
    let all: Vec<(Option<String>, u16)> = hosts
        .into_iter()
        .enumerate()
        .map(|(at, (host, port))| {
            let listed = ports.get(at).or(ports.first()).copied();
            (host, port.or(listed).unwrap_or(5432))
        })
        .collect();
    let first = all.first().map_or(5432, |(_, port)| *port);
    let endpoints = all.into_iter().map(|(host, port)| endpoint(host, port));
    Ok((endpoints.collect(), first))
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

/// A socket goes over no network.
fn ssl_mode(said: &Said, endpoint: &Endpoint, stage: Stage) -> Result<SslMode, TargetError> {
    let is_local = matches!(endpoint, Endpoint::Unix(_));
    let Some(text) = said.of("sslmode", "PGSSLMODE") else {
        if stage == Stage::Production && !is_local {
            return Err(TargetError::with_hint(
                "this connection is marked as production, and does not say how the server proves \
                 who it is",
                "add `sslmode=verify-full` to its URL, with `sslrootcert=FILE` or `--ca FILE` for \
                 a CA of your own; or another `sslmode` on purpose",
            ));
        }
        return Ok(SslMode::default());
    };
    SslMode::named(&text).ok_or_else(|| {
        TargetError::with_hint(
            format!("`{text}` is no sslmode"),
            "disable, allow, prefer, require, verify-ca, verify-full",
        )
    })
}

/// Options of the command line first, then what the connection says.
fn certificates(said: &Said, mut tls: Tls) -> Result<Tls, TargetError> {
    if tls.ca.is_none() {
        tls.ca = said
            .pem("sslrootcert", "PGSSLROOTCERT")?
            .map(String::into_bytes);
    }
    if tls.certificate.is_none() {
        tls.certificate = said.pem("sslcert", "PGSSLCERT")?.map(String::into_bytes);
        tls.key = said.pem("sslkey", "PGSSLKEY")?.map(Secret::new);
    }
    Ok(tls)
}

fn endpoint(host: Option<String>, port: u16) -> Endpoint {
    let folder = match host {
        Some(host) if host.starts_with('/') => PathBuf::from(host),
        Some(host) => return Endpoint::Tcp { host, port },
        None => {
            let name = format!(".s.PGSQL.{port}");
            match SOCKET_FOLDERS
                .iter()
                .find(|folder| files::exists(&Path::new(folder).join(&name)))
            {
                Some(folder) => PathBuf::from(folder),
                None => {
                    return Endpoint::Tcp {
                        host: "localhost".to_owned(),
                        port,
                    };
                }
            }
        }
    };
    Endpoint::Unix(folder.join(format!(".s.PGSQL.{port}")))
}

/// The password file says `localhost` for sockets in the standard folders.
fn host_for_pgpass(endpoint: &Endpoint) -> String {
    match endpoint {
        Endpoint::Tcp { host, .. } => host.clone(),
        Endpoint::Unix(path) => {
            let folder = path
                .parent()
                .map(|folder| folder.display().to_string())
                .unwrap_or_default();
            if SOCKET_FOLDERS.contains(&folder.as_str()) {
                "localhost".to_owned()
            } else {
                folder
            }
        }
    }
}

/// `-c name=value` pairs of libpq's `options`.
fn options(text: &str) -> Vec<(String, String)> {
    let mut words = text.split_whitespace();
    let mut options = Vec::new();
    while let Some(word) = words.next() {
        let pair = match word.strip_prefix("-c").or_else(|| word.strip_prefix("--")) {
            Some("") => words.next(),
            other => other,
        };
        if let Some((name, value)) = pair.and_then(|pair| pair.split_once('=')) {
            options.push((name.to_owned(), value.to_owned()));
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(rest: &str, stage: Stage) -> Result<(PostgresTarget, Vec<String>), TargetError> {
        let parsed = parse(rest, Tls::default(), (stage, Look::Primary), || Ok(None))?;
        Ok((parsed.target, parsed.warnings))
    }

    #[test]
    fn production_says_how_the_server_is_verified() {
        let error = resolve("u@h/db", Stage::Production).expect_err("refused");
        assert!(error.text.contains("production"), "{error}");
        for (rest, expected) in [
            ("u@h/db?sslmode=verify-full", SslMode::VerifyFull),
            ("u@h/db?sslmode=disable", SslMode::Disable),
            ("u@/db?host=/run/pg", SslMode::Prefer),
        ] {
            let (target, ..) = resolve(rest, Stage::Production).expect("a target");
            assert_eq!(target.ssl, expected, "{rest}");
        }
    }

    #[test]
    fn a_socket_folder_may_stand_in_a_parameter() {
        let (target, _) =
            resolve("/app?host=/run/pg&port=5433&user=ada", Stage::Usual).expect("a target");
        assert_eq!(
            target.endpoint,
            Endpoint::Unix(PathBuf::from("/run/pg/.s.PGSQL.5433"))
        );
        assert_eq!(
            (target.user.as_str(), target.database.as_str()),
            ("ada", "app")
        );
    }

    #[test]
    fn unknown_words_are_told() {
        assert!(resolve("h/db?sslmode=maybe", Stage::Usual).is_err());
        let (_, warnings) = resolve("u@h/db?colour=red", Stage::Usual).expect("a target");
        assert_eq!(
            warnings,
            ["the parameter `colour` is not known and not used"]
        );
    }

    #[test]
    fn options_are_pairs() {
        let expected = vec![
            ("search_path".to_owned(), "a".to_owned()),
            ("x".into(), "1".into()),
        ];
        assert_eq!(options("-c search_path=a --x=1"), expected);
    }
}
