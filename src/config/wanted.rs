//! From what somebody wants to open to what can be opened: a name becomes its connection, options
//! of the command line go before kept ones, a password comes from where it is.
//!
//! Apart from `target` because that knows no connections, and because a keyring may have to be
//! asked in between.

use super::address::without_secret;
use super::connections::{Book, Connection, DEMO, Password, is_address};
use super::origins::{Origin, Setting};
use super::target::{Resolved, Stage, TargetError, TargetOptions, resolve};
use crate::domain::Secret;
use crate::present::suggest;
use crate::sys::env;
use crate::sys::keyring::{Keyring, KeyringError};

/// What is to be opened, before any file, variable or keyring has been looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// A URL, which may hold a password, or a name; nothing for the default.
    pub target: Option<Secret>,
    /// Known already, whatever is kept.
    pub connection: Option<Box<Connection>>,
    /// Typed for this time.
    pub password: Option<Secret>,
    /// Of the keys for the way through SSH, typed for this time.
    pub passphrase: Option<Secret>,
    /// What the command line says of it.
    pub flags: TargetOptions,
}

impl Wanted {
    pub fn text(target: impl Into<String>) -> Wanted {
        Wanted {
            target: Some(Secret::new(target)),
            ..Wanted::default()
        }
    }

    pub fn known(connection: Connection) -> Wanted {
        Wanted {
            connection: Some(Box::new(connection)),
            ..Wanted::default()
        }
    }
}

/// A connection with all that opening it needs, but for what the keyring may add.
#[derive(Clone, Debug)]
pub struct Ready {
    pub connection: Connection,
    options: TargetOptions,
    /// What the command line said.
    flags: TargetOptions,
    /// Where the address comes from.
    address: Origin,
    /// Where a password that is known by now comes from.
    password: Origin,
    /// Others may see it on the command line.
    is_password_typed: bool,
}

const PASSWORD_IN_URL: &str = "the password in the URL can be seen by other users of this machine; \
                               `--password-command`, `.pgpass` or `IDEMSCOPE_URL` hide it";

/// Finds the connection that is meant.
///
/// Errors: what was typed is neither a URL nor a name that is kept.
pub fn ready(wanted: &Wanted, book: &Book) -> Result<Ready, TargetError> {
    let typed = wanted.target.as_ref().map(Secret::reveal);
    let variable = || Origin::Variable("IDEMSCOPE_URL".to_owned());
    let (text, mut address) = match (&wanted.connection, typed) {
        (Some(connection), _) => (
            connection.url.clone(),
            Origin::Saved(connection.name.clone()),
        ),
        (None, Some(typed)) => (typed.trim().to_owned(), Origin::Url),
        (None, None) => match env::var("IDEMSCOPE_URL") {
            Some(url) => (url, variable()),
            None => (DEMO.to_owned(), Origin::Default),
        },
    };
    let (connection, secret) = match &wanted.connection {
        Some(connection) => (Connection::clone(connection), None),
        None if is_address(&text) => {
            let (url, secret) = without_secret(&text).map_err(TargetError::new)?;
            let url = if url == "demo" { DEMO.to_owned() } else { url };
            let mut typed = Connection::of_url(url);
            typed.options.ssh.clone_from(&wanted.flags.ssh);
            let known = book.to_place(&typed.place()).cloned();
            let mut connection = known.unwrap_or(typed);
            if connection.name.is_none() {
                // How it was looked at last is nothing that a URL says.
                connection.options = TargetOptions::default();
            }
            (connection, secret)
        }
        None => {
            let connection = named(&text, book)?;
            address = Origin::Saved(connection.name.clone());
            (connection, None)
        }
    };
    let is_password_typed = address == Origin::Url && secret.is_some();
    let password = match &wanted.password {
        Some(_) => Origin::Typed,
        None => address.clone(),
    };
    let mut options = wanted.flags.clone().or(&connection.options);
    options.password = wanted.password.clone().or(secret).or(options.password);
    if connection.is_production {
        options.stage = Stage::Production;
    }
    Ok(Ready {
        connection,
        options,
        flags: wanted.flags.clone(),
        address,
        password,
        is_password_typed,
    })
}

fn named(name: &str, book: &Book) -> Result<Connection, TargetError> {
    if let Some(connection) = book.named(name) {
        return Ok(connection.clone());
    }
    let names = book
        .saved()
        .iter()
        .filter_map(|known| known.name.as_deref());
    Err(TargetError::unknown(name, suggest::closest(name, names)))
}

impl Ready {
    /// The connection with what the command line says of it, as a form is filled in: with the
    /// password that was typed, if there is one.
    pub fn asked(&self) -> Connection {
        let mut connection = self.connection.clone();
        connection.options = TargetOptions {
            timeout: connection.options.timeout,
            stage: connection.options.stage,
            ..self.options.clone()
        };
        connection
    }

    /// What is kept of it. What was said of a connection without a name belongs to it: without its
    /// way, the address would mean another server. A command may hold a secret.
    fn kept(&self) -> Connection {
        if self.connection.name.is_some() {
            return self.connection.clone();
        }
        let mut kept = self.asked();
        kept.options.password = None;
        kept.options.password_command = None;
        kept
    }

    /// Asks the keyring where the password is there, and resolves everything else. This waits for a
    /// person, a command or the keyring.
    ///
    /// Errors: see [`resolve`]. A keyring that does not answer is a warning: the store says what is
    /// missing.
    pub fn resolve(mut self, keyring: &Keyring) -> Result<(Connection, Resolved), TargetError> {
        let mut warning = None;
        let is_there = self.options.password.is_some() || self.options.password_command.is_some();
        if self.connection.password == Password::Keyring && !is_there {
            match keyring.get(&self.asked().account()) {
                Ok(password) => {
                    self.options.password = password;
                    self.password = Origin::Keyring;
                }
                Err(error) => warning = Some(no_password(&error)),
            }
        }
        let mut resolved = resolve(Some(&self.connection.url), &self.options)?;
        self.trace(&mut resolved.settings);
        resolved.warnings.extend(warning);
        if self.is_password_typed {
            resolved.warnings.push(PASSWORD_IN_URL.to_owned());
        }
        Ok((self.kept(), resolved))
    }

    /// What counts and where it comes from, without asking a keyring, a command or a store.
    ///
    /// Errors: see [`resolve`].
    pub fn settings(mut self) -> Result<(Connection, Vec<Setting>), TargetError> {
        let command = self.options.password_command.take();
        let is_kept = self.connection.password == Password::Keyring;
        match (&self.options.password, command) {
            (Some(_), _) => {}
            (None, Some(_)) => self.password = Origin::Command,
            (None, None) if is_kept => self.password = Origin::Keyring,
            (None, None) => {
                let mut settings = resolve(Some(&self.connection.url), &self.options)?.settings;
                self.trace(&mut settings);
                return Ok((self.connection, settings));
            }
        }
        // In the place of the one that is not asked for.
        self.options.password = Some(Secret::default());
        let mut settings = resolve(Some(&self.connection.url), &self.options)?.settings;
        self.trace(&mut settings);
        Ok((self.connection, settings))
    }

    /// Leads what the resolving could not know back to where it was said.
    fn trace(&self, settings: &mut [Setting]) {
        let saved = Origin::Saved(self.connection.name.clone());
        for setting in settings {
            setting.origin = match &setting.origin {
                Origin::Url => self.address.clone(),
                Origin::Typed => self.password.clone(),
                Origin::Option(name) if !self.flags.says(name) => saved.clone(),
                other => other.clone(),
            };
        }
    }
}

fn no_password(error: &KeyringError) -> String {
    format!("the password of this connection is in the keyring, but {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stores::EngineTarget;

    fn book() -> Book {
        let mut book = Book::default();
        let mut shop = Connection::of_url("redis://app@h:1");
        shop.name = Some("shop".to_owned());
        shop.is_production = true;
        shop.password = Password::Keyring;
        shop.options.timeout = Some(std::time::Duration::from_secs(3));
        book.save(None, shop).expect("saved");
        book
    }

    /// The name that is found and the password that is used.
    fn opened(wanted: &Wanted, keyring: &Keyring) -> (Option<String>, Option<String>, u64) {
        let ready = ready(wanted, &book()).expect("known");
        let (connection, resolved) = ready.resolve(keyring).expect("a target");
        let EngineTarget::Redis(redis) = &resolved.target.engine else {
            panic!("{resolved:?}")
        };
        let password = redis.password.as_ref().map(|p| p.reveal().to_owned());
        (connection.name, password, resolved.target.timeout.as_secs())
    }

    #[test]
    fn a_name_brings_its_options_and_its_password() {
        let keyring = Keyring::memory();
        let _ = keyring.set("redis://app@h:1", &Secret::new("kept"));
        let shop = || Some("shop".to_owned());
        let kept = || Some("kept".to_owned());
        assert_eq!(opened(&Wanted::text("shop"), &keyring), (shop(), kept(), 3));
        // By its URL it is the same connection.
        let url = Wanted::text("redis://app@h:1");
        assert_eq!(opened(&url, &keyring), (shop(), kept(), 3));
        let typed = Wanted::text("redis://app:typed@h:1");
        assert_eq!(opened(&typed, &keyring).1.as_deref(), Some("typed"));
        let mut asked = Wanted::text("shop");
        asked.password = Some(Secret::new("asked"));
        assert_eq!(opened(&asked, &keyring).1.as_deref(), Some("asked"));
    }

    #[test]
    fn options_of_the_command_line_go_first() {
        let mut wanted = Wanted::text("shop");
        wanted.flags.timeout = Some(std::time::Duration::from_secs(9));
        let ready = ready(&wanted, &book()).expect("known");
        let (_, resolved) = ready.resolve(&Keyring::Nowhere).expect("a target");
        assert_eq!(resolved.target.timeout.as_secs(), 9);
        // It is told that the password could not be had.
        assert!(resolved.warnings[0].contains("no keyring runs here"));
    }

    #[test]
    fn what_the_command_line_says_belongs_to_a_connection_without_a_name() {
        let mut wanted = Wanted::text("redis://:s3cret@db:1");
        wanted.flags.ssh = Some("bastion".to_owned());
        wanted.flags.password_command = Some("pass db".to_owned());
        wanted.flags.timeout = Some(std::time::Duration::from_secs(9));
        let mut book = book();
        let found = ready(&wanted, &book).expect("known");
        let asked = found.asked();
        assert_eq!(asked.options.ssh.as_deref(), Some("bastion"));
        assert_eq!(asked.options.password_command.as_deref(), Some("pass db"));
        assert!(asked.options.password.is_some() && asked.options.timeout.is_none());
        let kept = found.kept();
        assert_eq!(kept.options.ssh.as_deref(), Some("bastion"));
        assert_eq!(kept.options.password_command, None);
        assert_eq!(kept.options.password, None);
        // Typed without it, the URL means what it says.
        book.opened(&kept, crate::domain::Timestamp(1));
        let plain = ready(&Wanted::text("redis://db:1"), &book).expect("known");
        assert_eq!(plain.asked().options.ssh, None);
        // What is saved stays as it was saved.
        wanted.target = Some(Secret::new("shop"));
        assert_eq!(
            ready(&wanted, &book).expect("known").kept().options.ssh,
            None
        );
    }

    #[test]
    fn a_name_that_is_not_kept_is_told_with_the_nearest() {
        let ready = |text| ready(&Wanted::text(text), &book());
        let error = ready("shp").expect_err("unknown");
        assert_eq!(error.hint.as_deref(), Some("did you mean `shop`?"));
        let error = ready("payments-prod").expect_err("unknown");
        assert!(error.text.contains("neither a URL nor the name"), "{error}");
    }

    /// Where each setting comes from, a line each.
    #[track_caller]
    fn told(wanted: &Wanted, expected: &[&str]) {
        let (_, settings) = ready(wanted, &book())
            .expect("known")
            .settings()
            .expect("settings");
        let line = |setting: &Setting| {
            let value = setting.value.as_deref().unwrap_or("?");
            let origin = (setting.origin.code(), setting.origin.detail());
            let (code, detail) = (origin.0, origin.1.unwrap_or_default());
            format!("{} {value} {code} {detail}", setting.name)
        };
        let lines: Vec<String> = settings.iter().map(line).collect();
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        assert_eq!(lines, expected);
        assert!(!format!("{settings:?}").contains("s3cret"));
    }

    #[test]
    fn where_a_setting_comes_from_is_told() {
        let mut wanted = Wanted::text("shop");
        wanted.flags.ssh = None;
        told(
            &wanted,
            &[
                "host h saved shop",
                "port 1 saved shop",
                "user app saved shop",
                "database 0 default",
                "tls off saved shop",
                "timeout 3 s saved shop",
                "password ? keyring",
            ],
        );
        wanted.flags.timeout = Some(std::time::Duration::from_secs(9));
        wanted.flags.password_command = Some("never run".to_owned());
        told(
            &wanted,
            &[
                "host h saved shop",
                "port 1 saved shop",
                "user app saved shop",
                "database 0 default",
                "tls off saved shop",
                "timeout 9 s option --timeout",
                "password ? command",
            ],
        );
        told(
            &Wanted::text("postgres://ada:s3cret@db:7/orders?sslmode=require&connect_timeout=4"),
            &[
                "host db url",
                "port 7 url",
                "user ada url",
                "database orders url",
                "sslmode require url",
                "timeout 4 s url",
                "password ? url",
            ],
        );
        told(
            &Wanted::text("rediss+sentinel://a,b:2/main/3"),
            &[
                "host a, b url",
                "port 26379, 2 url",
                "master main url",
                "user default default",
                "database 3 url",
                "tls verified url",
                "timeout 10 s default",
            ],
        );
    }
}
