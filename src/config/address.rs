//! A URL as the fields of a form, and the fields as a URL; and URLs without their secrets.
//!
//! Apart from `uri` because nothing is resolved here: what is not said stays unsaid, so that a
//! field and the URL can follow each other while somebody types.
//! Invariant: no text made here holds a password.

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

use super::uri;
use crate::domain::Secret;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    #[default]
    Redis,
    Postgres,
    Sqlite,
}

/// What is said about encryption.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Security {
    /// Nothing: as the engine has it.
    #[default]
    Unsaid,
    Off,
    Required,
    Verified,
    /// Another `sslmode`.
    Other(String),
}

/// The fields; empty where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    pub engine: Engine,
    /// A name, or the path of a socket or its folder.
    pub host: String,
    pub port: String,
    pub user: String,
    /// For SQLite the path of the file.
    pub database: String,
    pub security: Security,
    /// What no field is for, as it stands in the URL.
    rest: Vec<(String, String)>,
}

/// What stays readable in a part of a URL.
const PART: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');
/// In paths the slash is plain, in parameters a few signs more.
const PATH: &AsciiSet = &PART.remove(b'/');
const VALUE: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'+')
    .add(b'@');

fn part(text: &str) -> String {
    utf8_percent_encode(text, PART).to_string()
}

const SECRET_PARAMS: [&str; 3] = ["password", "sslpassword", "sentinel_password"];

/// The fields of a URL; nothing where it has others than these, or cannot be read.
pub fn fields(text: &str) -> Option<Address> {
    let text = text.trim();
    if let Some(path) = text.strip_prefix("sqlite:") {
        return Some(Address {
            engine: Engine::Sqlite,
            database: path.strip_prefix("//").unwrap_or(path).to_owned(),
            ..Address::default()
        });
    }
    let (scheme, rest) = text.split_once("://")?;
    let engine = match scheme {
        "redis" | "valkey" | "rediss" | "valkeys" | "redis+tls" | "redis+unix" => Engine::Redis,
        "postgres" | "postgresql" => Engine::Postgres,
        _ => return None,
    };
    let mut uri = uri::parse(rest).ok()?;
    let (host, port) = match uri.hosts.as_slice() {
        [] => (String::new(), None),
        [(host, port)] => (host.clone(), *port),
        _ => return None,
    };
    let mut take = |name: &str| {
        let at = uri.params.iter().position(|(known, _)| known == name)?;
        Some(uri.params.remove(at).1)
    };
    let mut address = Address {
        engine,
        host,
        port: port.map(|port| port.to_string()).unwrap_or_default(),
        user: uri.user.clone().unwrap_or_default(),
        database: uri.path.clone(),
        ..Address::default()
    };
    match (engine, scheme) {
        (Engine::Postgres, _) => {
            address.security = take("sslmode").map_or(Security::Unsaid, |mode| security(&mode));
            parts_said_again(&mut address, &mut take);
            if address.host.contains(',') || address.port.contains(',') {
                return None;
            }
        }
        (_, "redis+unix") => {
            address.host = format!("/{}", uri.path);
            address.database = take("db").unwrap_or_default();
        }
        (_, scheme) => {
            let is_plain = matches!(scheme, "redis" | "valkey");
            address.security = if is_plain {
                Security::Off
            } else {
                Security::Verified
            };
            if address.database.is_empty() {
                address.database = take("db").unwrap_or_default();
            }
        }
    }
    uri.params
        .retain(|(name, _)| !SECRET_PARAMS.contains(&name.as_str()));
    address.rest = uri.params;
    Some(address)
}

/// A parameter goes before what stands in front of it.
fn parts_said_again(address: &mut Address, mut take: impl FnMut(&str) -> Option<String>) {
    let places = [
        ("host", &mut address.host),
        ("port", &mut address.port),
        ("user", &mut address.user),
        ("dbname", &mut address.database),
    ];
    for (name, place) in places {
        if let Some(said) = take(name).filter(|said| !said.is_empty()) {
            *place = said;
        }
    }
}

fn security(mode: &str) -> Security {
    match mode {
        "disable" => Security::Off,
        "require" => Security::Required,
        "verify-full" => Security::Verified,
        other => Security::Other(other.to_owned()),
    }
}

impl Address {
    pub fn of(engine: Engine) -> Address {
        Address {
            engine,
            ..Address::default()
        }
    }

    /// What the first says, and where it says nothing, what the other does.
    pub fn or(mut self, other: Address) -> Address {
        let of = |own: &mut String, other: String| {
            if own.is_empty() {
                *own = other;
            }
        };
        of(&mut self.host, other.host);
        of(&mut self.port, other.port);
        of(&mut self.user, other.user);
        of(&mut self.database, other.database);
        let says_little = match self.engine {
            Engine::Redis => self.security != Security::Verified,
            _ => self.security == Security::Unsaid,
        };
        if says_little && other.security != Security::Unsaid {
            self.security = other.security;
        }
        for (name, value) in other.rest {
            if !self.rest.iter().any(|(known, _)| *known == name) {
                self.rest.push((name, value));
            }
        }
        self
    }

    /// What else a password is shown to, or where.
    pub fn more(&self) -> &[(String, String)] {
        &self.rest
    }

    /// With parameters that no field is for, in the place of those of the same name.
    pub fn with(mut self, params: Vec<(String, String)>) -> Address {
        let is_new = |name: &String| params.iter().any(|(new, _)| new == name);
        self.rest.retain(|(name, _)| !is_new(name));
        self.rest.extend(params);
        if let Some(at) = self.rest.iter().position(|(name, _)| name == "sslmode") {
            self.security = security(&self.rest.remove(at).1);
        }
        self
    }

    /// The URL of these fields.
    pub fn url(&self) -> String {
        if self.engine == Engine::Sqlite {
            return format!("sqlite:{}", self.database);
        }
        let is_socket = self.host.starts_with('/');
        let mut params: Vec<(&str, &str)> = Vec::new();
        let (scheme, host, path) = match self.engine {
            Engine::Postgres => {
                if is_socket {
                    params.push(("host", &self.host));
                    params.push(("port", &self.port));
                }
                params.push(("sslmode", self.sslmode()));
                let host = if is_socket { "" } else { self.host.as_str() };
                ("postgres", host, part(&self.database))
            }
            _ if is_socket => {
                params.push(("db", &self.database));
                let path = utf8_percent_encode(self.host.trim_start_matches('/'), PATH);
                ("redis+unix", "", path.to_string())
            }
            _ => {
                let is_plain = matches!(self.security, Security::Off | Security::Unsaid);
                let scheme = if is_plain { "redis" } else { "rediss" };
                (scheme, self.host.as_str(), part(&self.database))
            }
        };
        let mut url = format!("{scheme}://");
        if !self.user.is_empty() {
            url.push_str(&format!("{}@", part(&self.user)));
        }
        match host.contains(':') {
            true => url.push_str(&format!("[{host}]")),
            false => url.push_str(&part(host)),
        }
        if !self.port.is_empty() && !is_socket {
            url.push_str(&format!(":{}", self.port));
        }
        if !path.is_empty() || is_socket {
            url.push_str(&format!("/{path}"));
        }
        let rest = self.rest.iter().map(|(n, v)| (n.as_str(), v.as_str()));
        let params = params.into_iter().filter(|(_, value)| !value.is_empty());
        for (at, (name, value)) in params.chain(rest).enumerate() {
            let sign = if at == 0 { '?' } else { '&' };
            let value = utf8_percent_encode(value, VALUE);
            url.push_str(&format!("{sign}{name}={value}"));
        }
        url
    }

    fn sslmode(&self) -> &str {
        match &self.security {
            Security::Unsaid => "",
            Security::Off => "disable",
            Security::Required => "require",
            Security::Verified => "verify-full",
            Security::Other(mode) => mode,
        }
    }

    /// The port that is meant where none is said.
    pub fn usual_port(&self) -> &'static str {
        match self.engine {
            Engine::Redis => "6379",
            Engine::Postgres => "5432",
            Engine::Sqlite => "",
        }
    }
}

/// A URL without its password, and the password. Other texts stay as they are.
///
/// Errors: it cannot be told where the password ends.
pub fn without_secret(text: &str) -> Result<(String, Option<Secret>), String> {
    let text = text.trim();
    let Some((scheme, rest)) = text.split_once("://") else {
        return Ok((text.to_owned(), None));
    };
    uri::check_login(rest)?;
    let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
    let (main, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = match main.find('/') {
        Some(at) => main.split_at(at),
        None => (main, ""),
    };
    let mut secret = None;
    let authority = match authority.rsplit_once('@') {
        None => authority.to_owned(),
        Some((login, hosts)) => {
            let (user, password) = login.split_once(':').unwrap_or((login, ""));
            if !password.is_empty() {
                secret = Some(uri::decode(password)?);
            }
            match user {
                "" => hosts.to_owned(),
                user => format!("{user}@{hosts}"),
            }
        }
    };
    let mut kept = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = uri::decode(name)?.to_lowercase();
        if name == "password" {
            secret = Some(uri::decode(value)?);
        } else if !SECRET_PARAMS.contains(&name.as_str()) {
            kept.push(pair);
        }
    }
    let query = match kept.as_slice() {
        [] => String::new(),
        kept => format!("?{}", kept.join("&")),
    };
    let url = format!("{scheme}://{authority}{path}{query}");
    Ok((url, secret.map(Secret::new)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A URL as fields, and the URL that they make.
    #[track_caller]
    fn check(text: &str, expected: [&str; 4], url: &str) {
        let found = fields(text).expect("fields");
        let shown = [&found.host, &found.port, &found.user, &found.database];
        assert_eq!(shown.map(String::as_str), expected, "{text}");
        assert_eq!(found.url(), url);
        assert_eq!(fields(url), Some(found), "the URL has the same fields");
    }

    #[test]
    fn a_url_and_its_fields_follow_each_other() {
        check(
            "rediss://idem_ro@db.example:6380/2",
            ["db.example", "6380", "idem_ro", "2"],
            "rediss://idem_ro@db.example:6380/2",
        );
        check(
            "postgresql://us%40er@[::1]/my%20db?sslmode=require&application_name=x",
            ["::1", "", "us@er", "my db"],
            "postgres://us%40er@[::1]/my%20db?sslmode=require&application_name=x",
        );
        check(
            "postgres:///app?host=/run/pg&port=5433",
            ["/run/pg", "5433", "", "app"],
            "postgres:///app?host=/run/pg&port=5433",
        );
        check(
            "redis+unix:///run/redis.sock?db=3",
            ["/run/redis.sock", "", "", "3"],
            "redis+unix:///run/redis.sock?db=3",
        );
        check(
            "sqlite:/var/lib/shop.db",
            ["", "", "", "/var/lib/shop.db"],
            "sqlite:/var/lib/shop.db",
        );
    }

    #[test]
    fn what_has_other_fields_has_none() {
        for text in [
            "redis+cluster://a:1,b:2",
            "demo:",
            "payments-prod",
            "redis://h:x",
            "",
        ] {
            assert_eq!(fields(text), None, "{text}");
        }
    }

    #[track_caller]
    fn stripped(text: &str, url: &str, secret: Option<&str>) {
        let (found, password) = without_secret(text).expect("a URL");
        assert_eq!(found, url);
        assert_eq!(password.as_ref().map(Secret::reveal), secret);
    }

    #[test]
    fn passwords_are_taken_out_wherever_they_stand() {
        stripped("redis://:p%3Aw@h/1", "redis://h/1", Some("p:w"));
        stripped("redis://u:a@b@h:1", "redis://u@h:1", Some("a@b"));
        stripped("redis://u@h", "redis://u@h", None);
        stripped(
            "postgres://h/d?a=1&Password=x&sslpassword=y#z",
            "postgres://h/d?a=1",
            Some("x"),
        );
        stripped(
            "redis+cluster://u:x@a:1,b:2",
            "redis+cluster://u@a:1,b:2",
            Some("x"),
        );
        stripped(" payments-prod ", "payments-prod", None);
    }

    #[test]
    fn a_password_that_breaks_the_url_is_refused_and_not_told() {
        for text in [
            "redis://u:12/34@h",
            "postgres://u:1#2@h/d",
            "redis://u:9?8@h",
        ] {
            let error = without_secret(text).expect_err("refused");
            assert!(error.contains("%2F"), "{error}");
            assert!(!error.contains("12") && !error.contains("9?8"), "{error}");
        }
    }
}
