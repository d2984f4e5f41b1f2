//! Resolves what a user typed into a [`Target`].

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::origins::{self, Setting};
use super::{pasted, postgres, redis, ssh};
use crate::domain::Secret;
use crate::stores::target::{
    EngineTarget, Look, PostgresTarget, Renewal, SqliteTarget, Target, Tls,
};
use crate::sys::{command, env, files, folders};

/// Connecting, and one answer, take at most this by default.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// What was said beside the target itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TargetOptions {
    pub timeout: Option<Duration>,
    pub ca: Option<PathBuf>,
    pub cert: Option<PathBuf>,
    pub cert_key: Option<PathBuf>,
    /// The name that the server's certificate must have, where it is not the host's.
    pub server_name: Option<String>,
    /// `[USER@]HOST[:PORT]` that the way leads through.
    pub ssh: Option<String>,
    pub password_command: Option<String>,
    /// Goes before all other places a password may come from.
    pub password: Option<Secret>,
    pub stage: Stage,
    /// Where is looked, where there are replicas.
    pub look: Look,
}

/// What hangs on the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    #[default]
    Usual,
    /// The server has to prove who it is, unless the connection says otherwise.
    Production,
}

impl TargetOptions {
    /// Whether this option was given.
    pub fn says(&self, option: &str) -> bool {
        match option {
            "--timeout" => self.timeout.is_some(),
            "--ca" => self.ca.is_some(),
            "--cert" => self.cert.is_some(),
            "--cert-key" => self.cert_key.is_some(),
            "--server-name" => self.server_name.is_some(),
            "--ssh" => self.ssh.is_some(),
            "--replica" => self.look == Look::Replica,
            _ => false,
        }
    }

    /// Whether both lead to a server in the same way: secrets and patience do not count.
    pub fn is_same_way(&self, other: &TargetOptions) -> bool {
        let way = |options: &TargetOptions| TargetOptions {
            timeout: None,
            password: None,
            password_command: None,
            stage: Stage::Usual,
            ..options.clone()
        };
        way(self) == way(other)
    }

    /// These, and where they say nothing, others.
    pub fn or(self, other: &TargetOptions) -> TargetOptions {
        // A certificate without its own key would be shown with another one's.
        let (cert, cert_key) = match (&self.cert, &self.cert_key) {
            (None, None) => (other.cert.clone(), other.cert_key.clone()),
            _ => (self.cert, self.cert_key),
        };
        TargetOptions {
            timeout: self.timeout.or(other.timeout),
            ca: self.ca.or_else(|| other.ca.clone()),
            cert,
            cert_key,
            server_name: self.server_name.or_else(|| other.server_name.clone()),
            ssh: self.ssh.or_else(|| other.ssh.clone()),
            password_command: self
                .password_command
                .or_else(|| other.password_command.clone()),
            password: self.password.or_else(|| other.password.clone()),
            stage: match self.stage {
                Stage::Usual => other.stage,
                Stage::Production => Stage::Production,
            },
            look: match self.look {
                Look::Primary => other.look,
                Look::Replica => Look::Replica,
            },
        }
    }
}

/// A target with what is to be said about it.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub target: Target,
    /// One line each.
    pub warnings: Vec<String>,
    /// The demo store, which is made when it is not there.
    pub is_demo: bool,
    /// What counts, and where it came from.
    pub settings: Vec<Setting>,
}

/// The call is wrong: what, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct TargetError {
    pub text: String,
    pub hint: Option<String>,
}

impl TargetError {
    pub fn new(text: impl Into<String>) -> TargetError {
        TargetError {
            text: text.into(),
            hint: None,
        }
    }

    /// Neither a URL nor a name. What may hold a password is not said again.
    pub fn unknown(text: &str, near: Option<&str>) -> TargetError {
        let is_name = !text.contains(['@', '=', ':']) && !text.contains(char::is_whitespace);
        let what = if is_name {
            format!("`{text}`")
        } else {
            "the target".to_owned()
        };
        let what = format!("{what} is neither a URL nor the name of a saved connection");
        let meant = pasted::read(text).map(|pasted| pasted.url);
        match near.map(str::to_owned).or(meant) {
            Some(meant) => TargetError::with_hint(what, format!("did you mean `{meant}`?")),
            None => TargetError::with_hint(what, KINDS),
        }
    }

    pub fn with_hint(text: impl Into<String>, hint: impl Into<String>) -> TargetError {
        TargetError {
            text: text.into(),
            hint: Some(hint.into()),
        }
    }
}

/// A target as it is meant from any folder: an SQLite file by its whole path.
pub fn whole(text: &str) -> String {
    match text.strip_prefix("sqlite:") {
        Some(path) => match std::path::absolute(path) {
            Ok(path) => format!("sqlite:{}", path.display()),
            Err(_) => text.to_owned(),
        },
        None => text.to_owned(),
    }
}

pub const KINDS: &str = "a target is `demo:`, `sqlite:PATH`, `redis://HOST`, `rediss://HOST`, \
                     `redis+unix:///PATH`, `redis+cluster://HOST,HOST`, \
                     `redis+sentinel://HOST,HOST/MASTER` or `postgres://HOST/DATABASE`";

/// Resolves the URL of a target. Without one, `IDEMSCOPE_URL` is taken, else the demo store.
///
/// Errors: what was typed is no target, or a file that it names cannot be read.
pub fn resolve(typed: Option<&str>, options: &TargetOptions) -> Result<Resolved, TargetError> {
    let text = typed
        .map(str::to_owned)
        .or_else(|| env::var("IDEMSCOPE_URL"))
        .unwrap_or_else(|| "demo:".to_owned());
    let mut resolved = parse(&text, options)?;
    if let Some(host) = &options.ssh {
        if let EngineTarget::Sqlite(_) = resolved.target.engine {
            return Err(TargetError::new("a file is not reached through SSH"));
        }
        let (way, settings) = ssh::way(host)?;
        resolved.target.ssh = Some(way);
        resolved.settings.extend(settings);
    }
    let mut settings = std::mem::take(&mut resolved.settings);
    origins::with_options(&mut settings, options, &resolved.target);
    resolved.settings = settings;
    Ok(resolved)
}

/// Errors: the text is no URL of a store, a file that it names cannot be read, or it does not say
/// what production has to say. No command runs.
pub fn check(url: &str, is_production: bool) -> Result<(), TargetError> {
    let options = TargetOptions {
        stage: match is_production {
            true => Stage::Production,
            false => Stage::Usual,
        },
        ..TargetOptions::default()
    };
    parse(url, &options).map(|_| ())
}

fn parse(text: &str, options: &TargetOptions) -> Result<Resolved, TargetError> {
    let text = text.trim();
    if text == "demo:" || text == "demo" {
        return demo(options);
    }
    if let Some(path) = text.strip_prefix("sqlite:") {
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() {
            return Err(TargetError::with_hint(
                "`sqlite:` names no file",
                "write `sqlite:PATH`",
            ));
        }
        let sqlite = SqliteTarget {
            path: PathBuf::from(path),
            name: None,
        };
        return Ok(plain(EngineTarget::Sqlite(sqlite), options));
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        return Err(TargetError::unknown(text, None));
    };
    match scheme {
        redis_scheme if redis::is_scheme(redis_scheme) => {
            let (mut redis, settings) = redis::parse(redis_scheme, rest, tls(options)?)?;
            redis.look = options.look;
            redis.renewal = renewal(options);
            if let Some(password) = password(options)? {
                redis.password = Some(password);
            }
            let mut resolved = plain(EngineTarget::Redis(redis), options);
            resolved.settings = settings;
            Ok(resolved)
        }
        "postgres" | "postgresql" => {
            let wants = (options.stage, options.look);
            let parsed = postgres::parse(rest, tls(options)?, wants, || password(options))?;
            let pg = PostgresTarget {
                renewal: renewal(options),
                ..parsed.target
            };
            let mut resolved = plain(EngineTarget::Postgres(pg), options);
            if options.timeout.is_none()
                && let Some(timeout) = parsed.timeout
            {
                resolved.target.timeout = timeout;
            }
            resolved.warnings = parsed.warnings;
            resolved.settings = parsed.settings;
            Ok(resolved)
        }
        other => {
            // Words in front of a URL may hold a secret.
            let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
            let text = match other.chars().all(is_scheme) {
                true => format!("no kind of target is called `{other}`"),
                false => "this is no URL: words stand in front of it".to_owned(),
            };
            Err(TargetError::with_hint(text, KINDS))
        }
    }
}

fn plain(engine: EngineTarget, options: &TargetOptions) -> Resolved {
    let timeout = options.timeout.unwrap_or(TIMEOUT);
    Resolved {
        target: Target {
            engine,
            timeout,
            ssh: None,
            scratch: folders::runtime().unwrap_or_else(|| folders::temporary().join("idemscope")),
        },
        warnings: Vec::new(),
        is_demo: false,
        settings: Vec::new(),
    }
}

fn demo(options: &TargetOptions) -> Result<Resolved, TargetError> {
    let folder = folders::data()
        .ok_or_else(|| TargetError::new("there is no home folder for the demo store"))?;
    let sqlite = SqliteTarget {
        path: folder.join("demo.sqlite"),
        name: Some("demo:".to_owned()),
    };
    let mut resolved = plain(EngineTarget::Sqlite(sqlite), options);
    resolved.is_demo = true;
    Ok(resolved)
}

/// A password that a command printed may expire, and then it is asked again.
fn renewal(options: &TargetOptions) -> Option<Renewal> {
    let line = options.password_command.clone()?;
    options.password.is_none().then(|| {
        Renewal(Arc::new(move || {
            command::first_line(&line, command::PATIENCE).map(Secret::new)
        }))
    })
}

fn password(options: &TargetOptions) -> Result<Option<Secret>, TargetError> {
    match (&options.password, &options.password_command) {
        (Some(password), _) => Ok(Some(password.clone())),
        (None, None) => Ok(None),
        (None, Some(line)) => command::first_line(line, command::PATIENCE)
            .map(Secret::new)
            .map(Some)
            .map_err(TargetError::new),
    }
}

/// Reads the certificate files that options name.
fn tls(options: &TargetOptions) -> Result<Tls, TargetError> {
    let read = |path: &Option<PathBuf>| path.as_deref().map(read_pem).transpose();
    Ok(Tls {
        ca: read(&options.ca)?.map(String::into_bytes),
        certificate: read(&options.cert)?.map(String::into_bytes),
        key: read(&options.cert_key)?.map(Secret::new),
        server_name: options.server_name.clone(),
    })
}

pub fn read_pem(path: &std::path::Path) -> Result<String, TargetError> {
    let text = files::read_text(path, 1 << 20).map_err(|error| {
        TargetError::new(format!(
            "the certificate file cannot be read: {error}: {}",
            path.display()
        ))
    })?;
    if !text.contains("-----BEGIN ") {
        let text = format!("the certificate file holds no PEM: {}", path.display());
        return Err(TargetError::new(text));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = match parse(text, &TargetOptions::default()) {
            Ok(resolved) => resolved.target.to_string(),
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn targets_show_no_secret() {
        check(
            "redis://u:hunter2@cache.example:6380/2",
            "redis://cache.example:6380/2",
        );
        check(
            "rediss://:hunter2@cache.example",
            "rediss://cache.example:6379",
        );
        check(
            "postgres://ada:hunter2@db.example/app",
            "postgres://db.example:5432/app",
        );
        check(
            "redis+unix:///run/redis.sock",
            "redis+unix:///run/redis.sock",
        );
        check("sqlite:/tmp/a.db", "sqlite:/tmp/a.db");
    }

    #[test]
    fn clusters_and_sentinels_are_named_by_their_nodes() {
        check(
            "redis+cluster://:hunter2@a:1,b",
            "redis+cluster://a:1,b:6379",
        );
        check(
            "redis+sentinel://u:hunter2@a:1,b/mymaster/2",
            "redis+sentinel://a:1,b:26379/mymaster/2",
        );
        check("rediss+cluster://a", "rediss+cluster://a:6379");
        check(
            "redis+sentinel://a:1",
            "error: the name of the master is missing",
        );
        check(
            "redis+sentinel://a:1/m/x",
            "error: `x` is no database number",
        );
    }

    #[test]
    fn what_is_no_target_is_refused_with_a_clear_word() {
        check(
            "redis+cluster://",
            "error: `redis+cluster://` names no node",
        );
        check("mysql://h", "error: no kind of target is called `mysql`");
        check(
            "payments-prod",
            "error: `payments-prod` is neither a URL nor the name of a saved connection",
        );
        check("redis://h:x", "error: `x` is no port");
    }

    #[test]
    fn a_pasted_command_is_not_said_again_with_its_password() {
        for text in [
            "host=db password=s3cret",
            "redis-cli -h db -a s3cret",
            "s3cret@db",
        ] {
            let error = resolve(Some(text), &TargetOptions::default()).expect_err(text);
            assert!(!error.to_string().contains("s3cret"), "{error}");
            assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
        }
    }
}
