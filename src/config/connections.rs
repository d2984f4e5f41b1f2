//! Connections that are kept: saved ones by their names, recent ones by their URLs.
//!
//! Apart from `target` because this is what is kept, not what is opened.
//! Invariant: nothing here holds a secret; every list has a bound.

pub mod file;
mod format;
mod merge;

pub use format::{BookError, no_colour};

use std::path::Path;

use super::address::without_secret;
use super::overrides::Overrides;
use super::target::TargetOptions;
use crate::domain::Timestamp;

pub const SAVED_MAX: usize = 500;
pub const RECENT_MAX: usize = 12;
const NAME_CHARS_MAX: usize = 64;
const URL_CHARS_MAX: usize = 4096;

/// The mark at a connection's name. Production has its own, which is not among these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    #[default]
    Plain,
    Slate,
    Teal,
    Olive,
    Sand,
    Violet,
}

impl Colour {
    pub const ALL: [Colour; 6] = [
        Colour::Plain,
        Colour::Slate,
        Colour::Teal,
        Colour::Olive,
        Colour::Sand,
        Colour::Violet,
    ];

    /// As it is written in the file and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Colour::Plain => "plain",
            Colour::Slate => "slate",
            Colour::Teal => "teal",
            Colour::Olive => "olive",
            Colour::Sand => "sand",
            Colour::Violet => "violet",
        }
    }

    pub fn named(name: &str) -> Option<Colour> {
        Colour::ALL.into_iter().find(|colour| colour.name() == name)
    }
}

/// Where the password comes from, where neither a file nor a variable nor a command gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Password {
    #[default]
    Asked,
    Keyring,
}

/// What a connection is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    Named(String),
    /// By its place, without secrets.
    Url(String),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Connection {
    /// Nothing where it is not saved, only recent.
    pub name: Option<String>,
    /// Without secrets.
    pub url: String,
    pub colour: Colour,
    pub is_production: bool,
    /// A password among them is never kept.
    pub options: TargetOptions,
    pub password: Password,
    pub sources: Overrides,
    pub opened: Option<Timestamp>,
    /// Members that another version has written.
    unknown: toml::Table,
}

impl Connection {
    /// A connection that is not saved.
    pub fn of_url(url: impl Into<String>) -> Connection {
        Connection {
            url: url.into(),
            ..Connection::default()
        }
    }

    pub fn who(&self) -> Who {
        match &self.name {
            Some(name) => Who::Named(name.clone()),
            None => Who::Url(self.place()),
        }
    }

    /// Its URL, and the SSH host that the way leads through: the same address behind another host is
    /// another server.
    pub fn place(&self) -> String {
        match &self.options.ssh {
            Some(ssh) => format!("{} through {ssh}", self.url),
            None => self.url.clone(),
        }
    }

    /// Whether both lead to the same server in the same way, whatever they are called.
    pub fn leads_where(&self, other: &Connection) -> bool {
        self.url == other.url && self.options.is_same_way(&other.options)
    }

    pub fn is(&self, who: &Who) -> bool {
        match (who, &self.name) {
            (Who::Named(wanted), Some(name)) => wanted == name,
            (Who::Url(place), None) => *place == self.place(),
            _ => false,
        }
    }

    /// What the keyring knows its password by.
    pub fn account(&self) -> String {
        self.place()
    }
}

/// All connections that are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Book {
    /// By their names.
    saved: Vec<Connection>,
    /// The newest first.
    recent: Vec<Connection>,
    unknown: toml::Table,
}

impl Book {
    pub fn saved(&self) -> &[Connection] {
        &self.saved
    }

    /// Without the demo store, which is always there.
    pub fn recent(&self) -> impl Iterator<Item = &Connection> {
        self.recent.iter().filter(|known| known.url != DEMO)
    }

    pub fn named(&self, name: &str) -> Option<&Connection> {
        self.saved
            .iter()
            .find(|known| known.name.as_deref() == Some(name))
    }

    pub fn find(&self, who: &Who) -> Option<&Connection> {
        self.all().find(|known| known.is(who))
    }

    /// The connection to a place: production before others and a saved one before a recent one, so
    /// that its marks hold however it is opened. Behind another host the address is another place.
    pub fn to_place(&self, place: &str) -> Option<&Connection> {
        let mut all = self.all().filter(|known| known.place() == place);
        let first = all.next()?;
        let is_marked = |known: &&Connection| known.is_production;
        Some(
            Some(first)
                .filter(is_marked)
                .or_else(|| all.find(is_marked))
                .unwrap_or(first),
        )
    }

    /// Whether a connection has its password there.
    pub fn uses(&self, account: &str) -> bool {
        let mut all = self.all();
        all.any(|known| known.password == Password::Keyring && known.account() == account)
    }

    fn all(&self) -> impl Iterator<Item = &Connection> {
        self.saved.iter().chain(&self.recent)
    }

    fn get_mut(&mut self, who: &Who) -> Option<&mut Connection> {
        let mut all = self.saved.iter_mut().chain(&mut self.recent);
        all.find(|known| known.is(who))
    }

    /// Saves a connection under its name; `old` is what it was known by until now.
    ///
    /// Errors: no name or a bad one, a name that another connection has, a secret in the URL.
    pub fn save(&mut self, old: Option<&Who>, mut connection: Connection) -> Result<(), BookError> {
        let name = connection.name.clone().unwrap_or_default();
        check_name(&name).map_err(BookError::plain)?;
        check_url(&connection.url).map_err(BookError::plain)?;
        let own = Who::Named(name.clone());
        if old != Some(&own) && self.find(&own).is_some() {
            let text = format!("a connection named `{name}` is there already");
            return Err(BookError::plain(text));
        }
        if let Some(known) = old.and_then(|old| self.find(old)) {
            connection.unknown = known.unknown.clone();
            connection.opened = connection.opened.or(known.opened);
        }
        let url = Who::Url(connection.place());
        self.recent.retain(|known| !known.is(&url));
        if let Some(old) = old {
            self.remove(old);
        }
        if self.saved.len() >= SAVED_MAX {
            let text = format!("{SAVED_MAX} connections are saved, which is the most");
            return Err(BookError::plain(text));
        }
        let at = self
            .saved
            .partition_point(|known| known.name.as_deref().unwrap_or_default() < name.as_str());
        self.saved.insert(at, connection);
        Ok(())
    }

    /// Forgets a connection; gives what it was.
    pub fn remove(&mut self, who: &Who) -> Option<Connection> {
        for list in [&mut self.saved, &mut self.recent] {
            if let Some(at) = list.iter().position(|known| known.is(who)) {
                return Some(list.remove(at));
            }
        }
        None
    }

    /// A connection was opened: it is the newest one.
    pub fn opened(&mut self, connection: &Connection, at: Timestamp) {
        let who = connection.who();
        if let (Who::Named(_), Some(known)) = (&who, self.get_mut(&who)) {
            known.opened = Some(at);
            return;
        }
        let mut connection = match self.remove(&who) {
            Some(known) => Connection {
                options: connection.options.clone(),
                ..known
            },
            None if check_url(&connection.url).is_ok() => connection.clone(),
            None => return,
        };
        connection.name = None;
        connection.opened = Some(at);
        self.recent.insert(0, connection);
        while self.recent().count() > RECENT_MAX {
            let oldest = self.recent.iter().rposition(|known| known.url != DEMO);
            self.recent.remove(oldest.unwrap_or_default());
        }
    }

    /// What is saved, as another machine can use it: without what only this one knows.
    ///
    /// Whether a command, the options of a session or what another version wrote hold a secret cannot
    /// be told: they are left out, and named.
    pub fn portable(&self) -> (Book, Vec<LeftOut>) {
        let mut saved = self.saved.clone();
        let mut left_out = Vec::new();
        for connection in &mut saved {
            connection.opened = None;
            connection.password = Password::Asked;
            let mut members = Vec::new();
            if connection.options.password_command.take().is_some() {
                members.push("password_command".to_owned());
            }
            if let Some(url) = without_options(&connection.url) {
                connection.url = url;
                members.push("options".to_owned());
            }
            let unknown = std::mem::take(&mut connection.unknown);
            members.extend(unknown.keys().cloned());
            if !members.is_empty() {
                let connection = connection.name.clone().unwrap_or_default();
                left_out.push(LeftOut {
                    connection,
                    members,
                });
            }
        }
        let book = Book {
            saved,
            ..Book::default()
        };
        (book, left_out)
    }

    /// Keeps what was set for the sources of a connection.
    pub fn remember(&mut self, who: &Who, sources: Overrides) {
        if let Some(known) = self.get_mut(who) {
            known.sources = sources;
        }
    }
}

/// What an export does not have of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub connection: String,
    pub members: Vec<String>,
}

/// A URL without `options`, where it has them.
fn without_options(url: &str) -> Option<String> {
    let (address, query) = url.split_once('?')?;
    let (query, fragment) = match query.split_once('#') {
        Some((query, fragment)) => (query, format!("#{fragment}")),
        None => (query, String::new()),
    };
    let is_options = |part: &&str| {
        let name = part.split('=').next().unwrap_or_default();
        percent_encoding::percent_decode_str(name)
            .decode_utf8_lossy()
            .eq_ignore_ascii_case("options")
    };
    query.split('&').find(is_options)?;
    let kept: Vec<&str> = query.split('&').filter(|part| !is_options(part)).collect();
    Some(match kept.join("&").as_str() {
        "" => format!("{address}{fragment}"),
        query => format!("{address}?{query}{fragment}"),
    })
}

/// The embedded store.
pub const DEMO: &str = "demo:";

/// Errors: a text that cannot be the name of a connection.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err("a connection needs a name to be saved".to_owned());
    }
    let is_long = name.chars().count() > NAME_CHARS_MAX;
    let is_odd = name.chars().any(char::is_control) || name.trim() != name;
    if is_long || is_odd {
        return Err(format!(
            "a name has at most {NAME_CHARS_MAX} characters, and no blank at its ends"
        ));
    }
    if is_address(name) {
        return Err(format!("`{name}` reads as an address, not as a name"));
    }
    Ok(())
}

/// Whether a text is meant as an address, not as a name.
pub fn is_address(text: &str) -> bool {
    text.contains("://") || text == "demo" || text.starts_with(DEMO) || text.starts_with("sqlite:")
}

fn check_url(url: &str) -> Result<(), String> {
    if !is_address(url) || url.chars().any(char::is_control) {
        return Err("the address of the store is missing or is no URL".to_owned());
    }
    if url.chars().count() > URL_CHARS_MAX {
        return Err(format!("a URL has at most {URL_CHARS_MAX} characters"));
    }
    match without_secret(url)? {
        (_, None) => Ok(()),
        (_, Some(_)) => Err("a password in a URL is not kept; leave it out".to_owned()),
    }
}

/// Where they are kept.
pub fn usual_path() -> Option<std::path::PathBuf> {
    Some(crate::sys::folders::config()?.join("connections.toml"))
}

/// The connections at the usual place; none where there is no file.
///
/// Errors: the file is broken or cannot be read.
pub fn load(path: Option<&Path>) -> Result<Book, BookError> {
    match path {
        Some(path) => Ok(file::load(path)?.unwrap_or_default()),
        None => Ok(Book::default()),
    }
}

#[cfg(test)]
mod tests;
