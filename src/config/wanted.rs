//! From what somebody wants to open to what can be opened: a name becomes its connection, options
//! of the command line go before kept ones, a password comes from where it is.
//!
//! Apart from `target` because that knows no connections, and because a keyring may have to be
//! asked in between.

use super::address::without_secret;
use super::connections::{Book, Connection, DEMO, Password, is_address};
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
    let (text, is_typed) = match (&wanted.connection, typed) {
        (Some(connection), _) => (connection.url.clone(), false),
        (None, Some(typed)) => (typed.trim().to_owned(), true),
        (None, None) => (
            env::var("IDEMSCOPE_URL").unwrap_or_else(|| DEMO.to_owned()),
            false,
        ),
    };
    let (connection, secret) = match &wanted.connection {
        Some(connection) => (Connection::clone(connection), None),
        None if is_address(&text) => {
            let (url, secret) = without_secret(&text).map_err(TargetError::new)?;
            let url = if url == "demo" { DEMO.to_owned() } else { url };
            let known = book.to_url(&url).cloned();
            (known.unwrap_or_else(|| Connection::of_url(url)), secret)
        }
        None => (named(&text, book)?, None),
    };
    let is_password_typed = is_typed && secret.is_some();
    let mut options = wanted.flags.clone().or(&connection.options);
    options.password = wanted.password.clone().or(secret).or(options.password);
    if connection.is_production {
        options.stage = Stage::Production;
    }
    Ok(Ready {
        connection,
        options,
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
    /// Asks the keyring where the password is there, and resolves everything else. This waits for a
    /// person, a command or the keyring.
    ///
    /// Errors: see [`resolve`]. A keyring that does not answer is a warning: the store says what is
    /// missing.
    pub fn resolve(mut self, keyring: &Keyring) -> Result<(Connection, Resolved), TargetError> {
        let mut warning = None;
        let is_there = self.options.password.is_some() || self.options.password_command.is_some();
        if self.connection.password == Password::Keyring && !is_there {
            match keyring.get(self.connection.account()) {
                Ok(password) => self.options.password = password,
                Err(error) => warning = Some(no_password(&error)),
            }
        }
        let mut resolved = resolve(Some(&self.connection.url), &self.options)?;
        resolved.warnings.extend(warning);
        if self.is_password_typed {
            resolved.warnings.push(PASSWORD_IN_URL.to_owned());
        }
        Ok((self.connection, resolved))
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
    fn a_name_that_is_not_kept_is_told_with_the_nearest() {
        let ready = |text| ready(&Wanted::text(text), &book());
        let error = ready("shp").expect_err("unknown");
        assert_eq!(error.hint.as_deref(), Some("did you mean `shop`?"));
        let error = ready("payments-prod").expect_err("unknown");
        assert!(error.text.contains("neither a URL nor the name"), "{error}");
    }
}
