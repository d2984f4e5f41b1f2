//! What people paste when they want to connect: a URL, a line of an `.env` file, a `psql` or
//! `redis-cli` command, libpq's keywords, the path of a file.
//!
//! Apart from `address` because these are guesses at what is meant; what is not understood is left
//! as it is. Nothing is run and no file is looked at.

use super::TargetOptions;
use super::address::{Address, Engine, Security, fields, without_secret};
use super::connections::is_address;
use crate::domain::Secret;

const BYTES_MAX: usize = 8 << 10;

/// What is meant: a URL without its password, and what stands in no URL.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pasted {
    pub url: String,
    pub password: Option<Secret>,
    /// Certificates, and the name that the server's has to have.
    pub options: TargetOptions,
}

impl Pasted {
    fn plain(text: &str) -> Option<Pasted> {
        let (url, password) = without_secret(text).ok()?;
        Some(Pasted {
            url,
            password,
            ..Pasted::default()
        })
    }
}

/// What a text means; nothing where a part of it is not understood: half of it may be another server.
pub fn read(text: &str) -> Option<Pasted> {
    let text = text.trim();
    if text.len() > BYTES_MAX {
        return None;
    }
    let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
    if is_address(text) && scheme.chars().all(is_scheme) {
        return Pasted::plain(text);
    }
    if text.starts_with('/') && !text.contains('\n') {
        let is_file = [".db", ".sqlite", ".sqlite3"]
            .iter()
            .any(|end| text.ends_with(end));
        return is_file.then(|| Pasted {
            url: format!("sqlite:{text}"),
            ..Pasted::default()
        });
    }
    let words = words(text);
    // What else the shell does with it is not looked at.
    let ends = |word: &String| "|&;<>".contains(word.chars().next().unwrap_or('x'));
    if words.iter().any(ends) {
        return None;
    }
    let mut words = words.iter().map(String::as_str).peekable();
    let mut said = Vec::new();
    // `$`, `export` and assignments stand before a command.
    while let Some(word) = words.peek().copied() {
        match word.split_once('=') {
            None if matches!(word, "$" | "export" | "sudo") => {}
            Some((_, value)) if is_address(value) => return Pasted::plain(value),
            Some((name, value)) if is_variable(name) => said.push((name, value)),
            _ => break,
        }
        words.next();
    }
    let first = words.peek().copied()?;
    let name = first.rsplit('/').next().unwrap_or(first);
    match name {
        "redis-cli" | "valkey-cli" => redis_cli(&said, words.skip(1)),
        "psql" => psql(&said, words.skip(1)),
        _ => keywords(Address::of(Engine::Postgres), words),
    }
}

fn is_variable(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    !name.is_empty() && name.chars().all(is_part)
}

/// Long options of `redis-cli` that take a word which says nothing here.
const REDIS_WORDS: [&str; 13] = [
    "--pattern",
    "--quoted-pattern",
    "--count",
    "--eval",
    "--rdb",
    "--functions-rdb",
    "--intrinsic-latency",
    "--lru-test",
    "--pipe-timeout",
    "--show-pushes",
    "--memkeys-samples",
    "--tls-ciphers",
    "--tls-ciphersuites",
];
/// Others that take none.
const REDIS_FLAGS: [&str; 20] = [
    "--raw",
    "--no-raw",
    "--csv",
    "--json",
    "--quoted-json",
    "--quoted-input",
    "--scan",
    "--bigkeys",
    "--memkeys",
    "--hotkeys",
    "--stat",
    "--latency",
    "--latency-history",
    "--latency-dist",
    "--no-auth-warning",
    "--askpass",
    "-x",
    "-e",
    "-2",
    "-3",
];

fn redis_cli<'w>(
    said: &[(&str, &str)],
    mut words: impl Iterator<Item = &'w str>,
) -> Option<Pasted> {
    let mut address = Address::of(Engine::Redis);
    let mut pasted = Pasted::default();
    let auth = said.iter().find(|(name, _)| *name == "REDISCLI_AUTH");
    pasted.password = auth.map(|(_, value)| Secret::new(*value));
    let mut url = None;
    let mut is_cluster = false;
    let owned = |text: &str| text.to_owned();
    while let Some(word) = words.next() {
        match word {
            "-h" => address.host = owned(words.next()?),
            "-p" => address.port = owned(words.next()?),
            "-n" => address.database = owned(words.next()?),
            "-s" => address.host = owned(words.next()?),
            "--user" => address.user = owned(words.next()?),
            "-a" | "--pass" => pasted.password = Some(Secret::new(words.next()?)),
            "-u" => url = Some(words.next()?),
            "-c" => is_cluster = true,
            "--tls" => address.security = Security::Verified,
            "--cacert" => pasted.options.ca = Some(words.next()?.into()),
            "--cert" => pasted.options.cert = Some(words.next()?.into()),
            "--key" => pasted.options.cert_key = Some(words.next()?.into()),
            "--sni" => pasted.options.server_name = Some(owned(words.next()?)),
            // Whom it trusts is not said so that it could be kept.
            "--insecure" | "--cacertdir" => return None,
            "-r" | "-i" | "-d" | "-D" | "-t" | "-X" => _ = words.next()?,
            word if REDIS_WORDS.contains(&word) => _ = words.next()?,
            // What comes now is a command for the server.
            word if !word.starts_with('-') => break,
            word if REDIS_FLAGS.contains(&word) => {}
            _ => return None,
        }
    }
    if let Some(url) = url {
        let (plain, password) = without_secret(url).ok()?;
        pasted.password = password.or(pasted.password);
        address = fields(&plain)?.or(address);
    }
    if address.host.is_empty() {
        address.host = "127.0.0.1".to_owned();
    }
    pasted.url = address.url();
    if is_cluster {
        // A cluster has one database only.
        address.database.clear();
        pasted.url = address.url().replacen("://", "+cluster://", 1);
    }
    Some(pasted)
}

/// The variables of libpq that say which server is meant.
fn of_variables(said: &[(&str, &str)]) -> Option<(Address, Option<Secret>)> {
    let mut address = Address::of(Engine::Postgres);
    let (mut password, mut rest) = (None, Vec::new());
    for (name, value) in said {
        let value = (*value).to_owned();
        match *name {
            "PGHOST" => address.host = value,
            "PGPORT" => address.port = value,
            "PGUSER" => address.user = value,
            "PGDATABASE" => address.database = value,
            "PGPASSWORD" => password = Some(Secret::new(value)),
            "PGSERVICE" => rest.push(("service".to_owned(), value)),
            "PGSSLMODE" => rest.push(("sslmode".to_owned(), value)),
            "PGSSLROOTCERT" => rest.push(("sslrootcert".to_owned(), value)),
            "PGOPTIONS" => rest.push(("options".to_owned(), value)),
            name if name.starts_with("PG") => return None,
            _ => {}
        }
    }
    Some((address.with(rest), password))
}

/// Options of `psql` that take a word.
const PSQL_SHORT: &str = "cfvPoFRLTdhpU";
/// Others that take none.
const PSQL_FLAGS: [&str; 21] = [
    "no-psqlrc",
    "echo-all",
    "echo-errors",
    "echo-queries",
    "echo-hidden",
    "expanded",
    "html",
    "no-align",
    "csv",
    "tuples-only",
    "quiet",
    "single-step",
    "single-line",
    "single-transaction",
    "no-readline",
    "no-password",
    "password",
    "list",
    "field-separator-zero",
    "record-separator-zero",
    "version",
];
const PSQL_LONG: [&str; 14] = [
    "command",
    "file",
    "set",
    "variable",
    "pset",
    "output",
    "field-separator",
    "record-separator",
    "log-file",
    "table-attr",
    "dbname",
    "host",
    "port",
    "username",
];

fn psql<'w>(said: &[(&str, &str)], mut words: impl Iterator<Item = &'w str>) -> Option<Pasted> {
    let (mut address, password) = of_variables(said)?;
    let mut plain = Vec::new();
    let mut database = None;
    while let Some(word) = words.next() {
        let (name, value) = if let Some(long) = word.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            if PSQL_FLAGS.contains(&name) {
                continue;
            }
            if !PSQL_LONG.contains(&name) {
                return None;
            }
            (name, value.or_else(|| words.next())?)
        } else if let Some(short) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            // Several may stand together; the last of them may take a word.
            let Some(at) = short.find(|c| PSQL_SHORT.contains(c)) else {
                continue;
            };
            let (name, value) = (short.get(at..=at)?, short.get(at + 1..)?);
            let value = Some(value).filter(|value| !value.is_empty());
            (name, value.or_else(|| words.next())?)
        } else {
            plain.push(word);
            continue;
        };
        match name {
            "h" | "host" => address.host = value.to_owned(),
            "p" | "port" => address.port = value.to_owned(),
            "U" | "username" => address.user = value.to_owned(),
            "d" | "dbname" => database = Some(value),
            _ => {}
        }
    }
    let mut plain = plain.into_iter();
    let database = database.or_else(|| plain.next());
    if let Some(user) = plain.next() {
        address.user = user.to_owned();
    }
    if plain.next().is_some() {
        return None;
    }
    let mut found = connected(database, address)?;
    found.password = found.password.or(password);
    Some(found)
}

/// What stands for the database: its name, a URL, or keywords, which go before the options.
fn connected(database: Option<&str>, mut address: Address) -> Option<Pasted> {
    Some(match database {
        Some(uri) if is_address(uri) => {
            let (plain, in_uri) = without_secret(uri).ok()?;
            let url = match address == Address::of(Engine::Postgres) {
                true => plain,
                false => fields(&plain)?.or(address).url(),
            };
            Pasted {
                url,
                password: in_uri,
                ..Pasted::default()
            }
        }
        Some(text) if text.contains('=') => keywords(address, text.split_whitespace())?,
        database => {
            if let Some(database) = database {
                address.database = database.to_owned();
            }
            Pasted {
                url: address.url(),
                ..Pasted::default()
            }
        }
    })
}

/// `host=db dbname=shop user=app`, `service=orders`.
fn keywords<'w>(mut address: Address, words: impl Iterator<Item = &'w str>) -> Option<Pasted> {
    let mut password = None;
    let mut rest = Vec::new();
    let mut is_any = false;
    for word in words {
        let (name, value) = word.split_once('=')?;
        match name {
            "host" => address.host = value.to_owned(),
            "port" => address.port = value.to_owned(),
            "user" => address.user = value.to_owned(),
            "dbname" => address.database = value.to_owned(),
            "password" => password = Some(Secret::new(value)),
            "service" | "sslmode" | "sslrootcert" | "sslcert" | "sslkey" | "hostaddr"
            | "application_name" | "connect_timeout" | "options" | "passfile" => {
                rest.push((name.to_owned(), value.to_owned()));
            }
            _ => return None,
        }
        is_any = true;
    }
    let url = address.with(rest).url();
    is_any.then(|| Pasted {
        url,
        password,
        ..Pasted::default()
    })
}

/// Words as a shell has them, with quotes taken away.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_word = false;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.push(c),
            (_, '\\') => word.extend(chars.next().filter(|next| *next != '\n')),
            (Some(_), c) => word.push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                is_word = true;
            }
            (None, c) if c.is_whitespace() => {
                if is_word {
                    words.push(std::mem::take(&mut word));
                }
                is_word = false;
                continue;
            }
            (None, c) => word.push(c),
        }
        is_word |= quote.is_some() || !word.is_empty();
    }
    if is_word {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, url: &str, password: Option<&str>) {
        let found = read(text).expect("understood");
        assert_eq!(found.url, url, "{text}");
        assert_eq!(
            found.password.as_ref().map(Secret::reveal),
            password,
            "{text}"
        );
    }

    #[test]
    fn commands_are_understood() {
        check(
            "redis-cli -h cache.example -p 6380 -a 'p w' --tls -n 2 --user app GET x",
            "rediss://app@cache.example:6380/2",
            Some("p w"),
        );
        check("redis-cli", "redis://127.0.0.1", None);
        check(
            "redis-cli -u redis://u:x1y@h/3",
            "redis://u@h/3",
            Some("x1y"),
        );
        check(
            "$ PGPASSWORD=sesame psql -hdb.example -p 5433 -U app shop",
            "postgres://app@db.example:5433/shop",
            Some("sesame"),
        );
        check(
            "psql --host=db --username=app -c 'select 1' shop",
            "postgres://app@db/shop",
            None,
        );
        check("psql \"host=db dbname=shop\"", "postgres://db/shop", None);
        check("psql postgres://a:bcd@h/d", "postgres://a@h/d", Some("bcd"));
    }

    #[test]
    fn no_part_of_a_command_is_dropped() {
        let psql = "postgres://app@127.0.0.1:6110/app";
        for text in [
            "PGPASSWORD=sesame PGPORT=6110 psql --host 127.0.0.1 --username app app",
            "PGHOST=127.0.0.1 PGPORT=6110 PGUSER=app PGDATABASE=app PGPASSWORD=sesame psql -qAt",
            "PGPASSWORD=sesame psql -h 127.0.0.1 -p 6110 -qU app --dbname app -c 'select 1'",
            "psql -h 127.0.0.1 -p 6110 -U app 'dbname=app password=sesame'",
            "PGPASSWORD=sesame psql -p 6110 -U app postgres://127.0.0.1/app",
        ] {
            check(text, psql, Some("sesame"));
        }
        check("PGSERVICE=orders psql", "postgres://?service=orders", None);
        check(
            "PGSSLMODE=require psql -h db 'dbname=app user=u'",
            "postgres://u@db/app?sslmode=require",
            None,
        );
        check(
            "redis-cli --scan --pattern 'idempotency:*' -h h -p 6102",
            "redis://h:6102",
            None,
        );
        check(
            "redis-cli -u redis://h:1 -a abc -n 3",
            "redis://h:1/3",
            Some("abc"),
        );
        let text = "redis-cli -c -h h -p 6103 --tls --cacert /ca.pem --sni cache";
        let found = read(text).expect("understood");
        assert_eq!(found.url, "rediss+cluster://h:6103");
        assert_eq!(found.options.ca, Some("/ca.pem".into()));
        assert_eq!(found.options.server_name.as_deref(), Some("cache"));
        check(
            "PGSSLMODE=verify-full PGSSLROOTCERT=/ca psql postgres://h/d",
            "postgres://h/d?sslmode=verify-full&sslrootcert=/ca",
            None,
        );
        check(
            "PGSERVICE=orders psql 'dbname=app'",
            "postgres:///app?service=orders",
            None,
        );
        for text in [
            "psql -U app shop | less",
            "psql --user app shop",
            "psql a b c",
            "redis-cli --cluster check 10.0.0.1:6379",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read("redis-cli --tls --insecure -h h"), None);
        assert_eq!(read("PGTARGETSESSIONATTRS=read-write psql -h a"), None);
    }

    #[test]
    fn other_texts_are_understood() {
        check("service=orders", "postgres://?service=orders", None);
        check(
            "host=/run/pg dbname=shop sslmode=require password=sesame",
            "postgres:///shop?host=/run/pg&sslmode=require",
            Some("sesame"),
        );
        check(
            "export REDIS_URL=\"redis://:abc@h\"",
            "redis://h",
            Some("abc"),
        );
        check("DATABASE_URL='postgres://h/d'", "postgres://h/d", None);
        check(
            "/var/lib/shop.sqlite3",
            "sqlite:/var/lib/shop.sqlite3",
            None,
        );
    }

    #[test]
    fn what_is_not_understood_is_left() {
        for text in [
            "",
            "payments-prod",
            "hello world",
            "mysql -h x",
            "a=b",
            "psql -h",
            "'",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
