//! The file of connections as text: read with the line of what is wrong, written by hand.
//!
//! Apart from `connections` because the form on disk may change while the values stay.
//! Invariant: what is not known here is kept as it was.

use std::fmt;
use std::fmt::Write as _;
use std::path::PathBuf;

use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::{Book, Colour, Connection, Password, RECENT_MAX, SAVED_MAX, check_name, check_url};
use crate::config::overrides::{Override, Overrides};
use crate::config::target::TargetOptions;
use crate::domain::{Duration, Timestamp};
use crate::present::clock::iso_utc;
use crate::stores::target::Look;

/// What is wrong with the file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookError {
    pub line: Option<usize>,
    pub text: String,
}

impl BookError {
    pub fn plain(text: impl Into<String>) -> BookError {
        BookError {
            line: None,
            text: text.into(),
        }
    }
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

const HEADER: &str = "# Connections of Idemscope. Passwords are never kept here: they are in the \
                      keyring, else asked for.\n";
/// Sources of one connection that something can be set for.
const SOURCES_MAX: usize = 500;

type Path<'p> = &'p [&'p str];
/// A wrong value: which member, and what is wrong.
type Wrong = (Vec<String>, String);

pub fn parse(text: &str) -> Result<Book, BookError> {
    let mut table: Table = text.parse().map_err(|error| broken(text, &error))?;
    let at_line = |(path, what): Wrong| BookError {
        line: line_of(text, &path),
        text: what,
    };
    book(&mut table).map_err(at_line)
}

fn broken(text: &str, error: &toml::de::Error) -> BookError {
    let start = error.span().map_or(0, |span| span.start);
    BookError {
        line: Some(line_at(text, start)),
        text: error.message().to_owned(),
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset.min(text.len()));
    1 + before.map_or(0, |before| before.iter().filter(|b| **b == b'\n').count())
}

/// Where a member stands; its table where it does not.
fn line_of(text: &str, path: &[String]) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut table = Some(root.get_ref());
    let mut start = None;
    for step in path {
        let found = table.and_then(|table| table.iter().find(|(key, _)| key.get_ref() == step));
        let Some((key, value)) = found else { break };
        start = Some(key.span().start);
        table = match value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => None,
        };
    }
    Some(line_at(text, start?))
}

fn wrong(path: Path<'_>, text: impl Into<String>) -> Wrong {
    let path = path.iter().map(|step| (*step).to_owned()).collect();
    (path, text.into())
}

fn book(table: &mut Table) -> Result<Book, Wrong> {
    let mut book = Book::default();
    match table.remove("connection") {
        None => {}
        Some(Value::Table(saved)) => {
            if saved.len() > SAVED_MAX {
                let text = format!("more than {SAVED_MAX} connections");
                return Err(wrong(&["connection"], text));
            }
            for (name, value) in saved {
                let path = ["connection", name.as_str()];
                check_name(&name).map_err(|text| wrong(&path, text))?;
                let mut connection = connection(&path, value)?;
                connection.name = Some(name);
                book.saved.push(connection);
            }
        }
        Some(_) => return Err(wrong(&["connection"], "expected `[connection.NAME]`")),
    }
    match table.remove("recent") {
        None => {}
        Some(Value::Array(recent)) => {
            for value in recent.into_iter().take(RECENT_MAX + 1) {
                book.recent.push(connection(&["recent"], value)?);
            }
        }
        Some(_) => return Err(wrong(&["recent"], "expected `[[recent]]`")),
    }
    book.saved.sort_by(|a, b| a.name.cmp(&b.name));
    book.unknown = std::mem::take(table);
    Ok(book)
}

/// Members of a table, taken one by one; the rest is what is not known.
struct Members<'p> {
    path: Path<'p>,
    table: Table,
}

impl Members<'_> {
    fn wrong(&self, member: &str, text: impl Into<String>) -> Wrong {
        let mut path: Vec<&str> = self.path.to_vec();
        path.push(member);
        wrong(&path, text)
    }

    fn text(&mut self, member: &str) -> Result<Option<String>, Wrong> {
        match self.table.remove(member) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(member, format!("`{member}` must be a text"))),
        }
    }

    fn path(&mut self, member: &str) -> Result<Option<PathBuf>, Wrong> {
        Ok(self.text(member)?.map(PathBuf::from))
    }

    fn yes(&mut self, member: &str) -> Result<bool, Wrong> {
        match self.table.remove(member) {
            None => Ok(false),
            Some(Value::Boolean(yes)) => Ok(yes),
            Some(_) => Err(self.wrong(member, format!("`{member}` must be true or false"))),
        }
    }

    fn span(&mut self, member: &str) -> Result<Option<Duration>, Wrong> {
        let Some(text) = self.text(member)? else {
            return Ok(None);
        };
        match Duration::parse(&text) {
            Some(span) if span > Duration::ZERO => Ok(Some(span)),
            _ => {
                let text = format!("`{member}` must be a span such as \"90s\" or \"24h\"");
                Err(self.wrong(member, text))
            }
        }
    }

    fn time(&mut self, member: &str) -> Result<Option<Timestamp>, Wrong> {
        let told = match self.table.remove(member) {
            None => return Ok(None),
            Some(Value::Datetime(time)) => time.to_string(),
            Some(other) => other.to_string(),
        };
        match chrono::DateTime::parse_from_rfc3339(&told) {
            Ok(time) => Ok(Some(Timestamp(time.timestamp_millis()))),
            Err(_) => Err(self.wrong(member, format!("`{member}` must be a time with its zone"))),
        }
    }
}

fn connection(path: Path<'_>, value: Value) -> Result<Connection, Wrong> {
    let Value::Table(table) = value else {
        return Err(wrong(path, "expected a table"));
    };
    let mut members = Members { path, table };
    let url = members.text("url")?;
    let url = url.ok_or_else(|| wrong(path, "`url` is missing"))?;
    check_url(&url).map_err(|text| members.wrong("url", text))?;
    let colour = members.text("colour")?.unwrap_or_default();
    let colour = match colour.as_str() {
        "" => Colour::Plain,
        name => Colour::named(name).ok_or_else(|| members.wrong("colour", no_colour(name)))?,
    };
    let password = match members.text("password")?.as_deref() {
        None | Some("ask") => Password::Asked,
        Some("keyring") => Password::Keyring,
        // It may be a password: it is not repeated.
        Some(_) => {
            let text = "`password` says where it is: \"keyring\" or \"ask\"";
            return Err(members.wrong("password", text));
        }
    };
    let timeout = members.span("timeout")?;
    let timeout = timeout.and_then(|span| u64::try_from(span.millis()).ok());
    Ok(Connection {
        name: None,
        url,
        colour,
        is_production: members.yes("production")?,
        options: TargetOptions {
            timeout: timeout.map(std::time::Duration::from_millis),
            ca: members.path("ca")?,
            cert: members.path("cert")?,
            cert_key: members.path("cert_key")?,
            password_command: members.text("password_command")?,
            server_name: members.text("server_name")?,
            ssh: members.text("ssh")?,
            look: Look::on_replica(members.yes("replica")?),
            ..TargetOptions::default()
        },
        password,
        opened: members.time("opened")?,
        sources: sources(&mut members)?,
        unknown: members.table,
    })
}

/// What is said where a colour is not known.
pub fn no_colour(name: &str) -> String {
    let names: Vec<&str> = Colour::ALL.iter().map(|colour| colour.name()).collect();
    let names = names.join(", ");
    match name {
        "magenta" => "magenta marks production: write `production = true`".to_owned(),
        _ => format!("`{name}` is no colour; there are {names}"),
    }
}

fn sources(members: &mut Members<'_>) -> Result<Overrides, Wrong> {
    let mut overrides = Overrides::default();
    let Some(value) = members.table.remove("source") else {
        return Ok(overrides);
    };
    let Value::Table(sources) = value else {
        return Err(members.wrong("source", "expected `[….source.\"NAME\"]`"));
    };
    for (name, value) in sources.into_iter().take(SOURCES_MAX) {
        let mut path: Vec<&str> = members.path.to_vec();
        path.extend(["source", name.as_str()]);
        let Value::Table(table) = value else {
            return Err(wrong(&path, "expected a table"));
        };
        let mut members = Members { path: &path, table };
        let set = Override {
            lease: members.span("lease")?,
            retention: members.span("retention")?,
            is_off: members.yes("off")?,
        };
        overrides.set(&name, set);
    }
    Ok(overrides)
}

pub fn print(book: &Book) -> String {
    let mut text = HEADER.to_owned();
    for (name, value) in &book.unknown {
        member(&mut text, name, value.clone());
    }
    for connection in &book.saved {
        let name = key(connection.name.as_deref().unwrap_or_default());
        let _ = write!(text, "\n[connection.{name}]\n");
        print_connection(&mut text, &format!("connection.{name}"), connection);
    }
    for connection in &book.recent {
        text.push_str("\n[[recent]]\n");
        print_connection(&mut text, "recent", connection);
    }
    text
}

fn member(text: &mut String, name: &str, value: impl Into<Value>) {
    let _ = writeln!(text, "{} = {}", key(name), inline(&value.into()));
}

/// A value on one line.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(inline).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Table(table) => {
            let members = table.iter();
            let members = members.map(|(name, value)| format!("{} = {}", key(name), inline(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(is_bare) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn print_connection(text: &mut String, path: &str, connection: &Connection) {
    member(text, "url", connection.url.as_str());
    if connection.is_production {
        member(text, "production", true);
    }
    if connection.colour != Colour::Plain {
        member(text, "colour", connection.colour.name());
    }
    if connection.password == Password::Keyring {
        member(text, "password", "keyring");
    }
    let options = &connection.options;
    if let Some(timeout) = options.timeout {
        let span = Duration(i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX));
        member(text, "timeout", typed(span));
    }
    let files = [
        ("ca", &options.ca),
        ("cert", &options.cert),
        ("cert_key", &options.cert_key),
    ];
    for (name, path) in files {
        if let Some(path) = path {
            member(text, name, path.display().to_string());
        }
    }
    if let Some(command) = &options.password_command {
        member(text, "password_command", command.as_str());
    }
    if let Some(name) = &options.server_name {
        member(text, "server_name", name.as_str());
    }
    if let Some(host) = &options.ssh {
        member(text, "ssh", host.as_str());
    }
    if options.look == Look::Replica {
        member(text, "replica", true);
    }
    if let Some(opened) = connection.opened {
        let _ = writeln!(text, "opened = {}", iso_utc(opened));
    }
    for (name, value) in &connection.unknown {
        member(text, name, value.clone());
    }
    for (name, set) in connection.sources.iter() {
        let _ = write!(text, "\n[{path}.source.{}]\n", key(name));
        if let Some(lease) = set.lease {
            member(text, "lease", typed(lease));
        }
        if let Some(retention) = set.retention {
            member(text, "retention", typed(retention));
        }
        if set.is_off {
            member(text, "off", true);
        }
    }
}

/// Exact, unlike what people type.
fn typed(span: Duration) -> String {
    match span.millis() % 1000 {
        0 => crate::present::span::typed(span),
        _ => format!("{}ms", span.millis()),
    }
}
