//! PostgreSQL URLs with libpq's parameters, variables, password and service files.
//!
//! Order, as in libpq: the URL, then the service file, then `PG*` variables, then defaults.
//! Source: PostgreSQL manual, "Database Connection Control Functions" and "Environment Variables".

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::target::{TargetError, read_pem};
use super::{pgpass, uri};
use crate::domain::Secret;
use crate::stores::target::{Endpoint, PostgresTarget, SslMode, Tls};
use crate::sys::{env, files};

const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

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

pub fn parse(
    rest: &str,
    mut tls: Tls,
    password: Option<Secret>,
) -> Result<(PostgresTarget, Option<Duration>, Vec<String>), TargetError> {
    let uri = uri::parse(rest).map_err(TargetError::new)?;
    let mut warnings: Vec<String> = uri
        .params
        .iter()
        .filter(|(name, _)| !KNOWN.contains(&name.as_str()))
        .map(|(name, _)| format!("the parameter `{name}` is not known and not used"))
        .collect();
    let service = match uri
        .param("service")
        .map(str::to_owned)
        .or_else(|| env::var("PGSERVICE"))
    {
        Some(name) => pgpass::service(&name).map_err(TargetError::new)?,
        None => Vec::new(),
    };
    let of = |name: &str, variable: &str| -> Option<String> {
        uri.param(name)
            .map(str::to_owned)
            .or_else(|| {
                service
                    .iter()
                    .find(|(known, _)| known == name)
                    .map(|(_, v)| v.clone())
            })
            .or_else(|| env::var(variable))
    };
    let (host, port) = match uri.hosts.as_slice() {
        [] => (None, None),
        [(host, port)] => (Some(host.clone()), *port),
        _ => {
            return Err(TargetError::with_hint(
                "several hosts in one URL are not served yet",
                "name the one to look at",
            ));
        }
    };
    let host = host
        .filter(|host| !host.is_empty())
        .or_else(|| of("host", "PGHOST"));
    let port = match (port, of("port", "PGPORT")) {
        (Some(port), _) => port,
        (None, Some(text)) => text
            .parse()
            .map_err(|_| TargetError::new(format!("`{text}` is no port")))?,
        (None, None) => 5432,
    };
    let endpoint = endpoint(host, port);
    let user = uri
        .user
        .clone()
        .or_else(|| of("user", "PGUSER"))
        .or_else(env::user_name)
        .unwrap_or_else(|| "postgres".to_owned());
    let database = Some(uri.path.clone())
        .filter(|path| !path.is_empty())
        .or_else(|| of("dbname", "PGDATABASE"))
        .unwrap_or_else(|| user.clone());
    let given = uri
        .password
        .clone()
        .or_else(|| of("password", "PGPASSWORD"))
        .map(Secret::new);
    let password = match password.or(given) {
        Some(password) => Some(password),
        None => {
            let host = host_for_pgpass(&endpoint);
            let passfile = of("passfile", "PGPASSFILE");
            let (found, warning) =
                pgpass::password(passfile.as_deref(), &host, port, &database, &user);
            warnings.extend(warning);
            found
        }
    };
    let ssl = match of("sslmode", "PGSSLMODE") {
        None => SslMode::default(),
        Some(text) => SslMode::named(&text).ok_or_else(|| {
            TargetError::with_hint(
                format!("`{text}` is no sslmode"),
                "disable, allow, prefer, require, verify-ca, verify-full",
            )
        })?,
    };
    let pem = |name: &str, variable: &str| -> Result<Option<String>, TargetError> {
        match of(name, variable) {
            Some(path) if path != "system" => read_pem(Path::new(&path)).map(Some),
            _ => Ok(None),
        }
    };
    if tls.ca.is_none() {
        tls.ca = pem("sslrootcert", "PGSSLROOTCERT")?.map(String::into_bytes);
    }
    if tls.certificate.is_none() {
        tls.certificate = pem("sslcert", "PGSSLCERT")?.map(String::into_bytes);
        tls.key = pem("sslkey", "PGSSLKEY")?.map(Secret::new);
    }
    let application = of("application_name", "PGAPPNAME").unwrap_or_else(|| "idemscope".to_owned());
    let timeout = of("connect_timeout", "PGCONNECT_TIMEOUT")
        .and_then(|text| text.parse::<u64>().ok())
        .filter(|secs| *secs > 0)
        .map(Duration::from_secs);
    let options = of("options", "PGOPTIONS")
        .map(|text| options(&text))
        .unwrap_or_default();
    let target = PostgresTarget {
        endpoint,
        user,
        password,
        database,
        ssl,
        tls,
        application,
        options,
    };
    Ok((target, timeout, warnings))
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

    #[test]
    fn a_socket_folder_may_stand_in_a_parameter() {
        let (target, _, _) =
            parse("/app?host=/run/pg&port=5433&user=ada", Tls::default(), None).expect("a target");
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
        assert!(parse("h/db?sslmode=maybe", Tls::default(), None).is_err());
        let (_, _, warnings) = parse("u@h/db?colour=red", Tls::default(), None).expect("a target");
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
