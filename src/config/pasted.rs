//! What people paste when they want to connect: a URL, a line of an `.env` file, a `psql` or
//! `redis-cli` command, libpq's keywords, the path of a file.
//!
//! Apart from `address` because these are guesses at what is meant; what is not understood is left
//! as it is. Nothing is run and no file is looked at.

use super::address::{Address, Engine, Security, without_secret};
use super::connections::is_address;
use crate::domain::Secret;

const BYTES_MAX: usize = 8 << 10;

/// The URL that is meant, without its password, and the password.
pub fn read(text: &str) -> Option<(String, Option<Secret>)> {
    let text = text.trim();
    if text.len() > BYTES_MAX {
        return None;
    }
    let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
    if is_address(text) && scheme.chars().all(is_scheme) {
        return without_secret(text).ok();
    }
    if text.starts_with('/') && !text.contains('\n') {
        let is_file = [".db", ".sqlite", ".sqlite3"]
            .iter()
            .any(|end| text.ends_with(end));
        return is_file.then(|| (format!("sqlite:{text}"), None));
    }
    let words = words(text);
    let mut words = words.iter().map(String::as_str).peekable();
    let mut password = None;
    // `$`, `export` and assignments stand before a command.
    while let Some(word) = words.peek().copied() {
        match word.split_once('=') {
            None if matches!(word, "$" | "export" | "sudo") => {}
            Some((name, value)) if is_variable(name) => {
                if is_address(value) {
                    return without_secret(value).ok();
                }
                if matches!(name, "PGPASSWORD" | "REDISCLI_AUTH") {
                    password = Some(Secret::new(value));
                }
            }
            _ => break,
        }
        words.next();
    }
    let first = words.peek().copied()?;
    let name = first.rsplit('/').next().unwrap_or(first);
    let (url, found) = match name {
        "redis-cli" | "valkey-cli" => redis_cli(words.skip(1))?,
        "psql" => psql(words.skip(1))?,
        _ => keywords(words)?,
    };
    Some((url, found.or(password)))
}

fn is_variable(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    !name.is_empty() && name.chars().all(is_part)
}

type Read = Option<(String, Option<Secret>)>;

fn redis_cli<'w>(mut words: impl Iterator<Item = &'w str>) -> Read {
    let mut address = Address::of(Engine::Redis);
    let mut password = None;
    let owned = |text: &str| text.to_owned();
    while let Some(word) = words.next() {
        match word {
            "-h" => address.host = owned(words.next()?),
            "-p" => address.port = owned(words.next()?),
            "-n" => address.database = owned(words.next()?),
            "-s" => address.host = owned(words.next()?),
            "--user" => address.user = owned(words.next()?),
            "-a" | "--pass" => password = Some(Secret::new(words.next()?)),
            "-u" => return without_secret(words.next()?).ok(),
            "--tls" => address.security = Security::Verified,
            "--cacert" | "--cert" | "--key" | "--sni" => {
                words.next()?;
            }
            // What comes now is a command for the server.
            word if !word.starts_with('-') => break,
            _ => {}
        }
    }
    if address.host.is_empty() {
        address.host = "127.0.0.1".to_owned();
    }
    Some((address.url(), password))
}

fn psql<'w>(mut words: impl Iterator<Item = &'w str>) -> Read {
    let mut address = Address::of(Engine::Postgres);
    let mut plain = Vec::new();
    while let Some(word) = words.next() {
        let place = match word.get(..2).unwrap_or(word) {
            "-h" => &mut address.host,
            "-p" => &mut address.port,
            "-U" => &mut address.user,
            "-d" => &mut address.database,
            // Each of these takes a word that says nothing here.
            "-c" | "-f" | "-v" | "-P" | "-o" if word.len() == 2 => {
                words.next();
                continue;
            }
            _ => {
                let long = word
                    .strip_prefix("--")
                    .and_then(|word| word.split_once('='));
                match (long, word.starts_with('-')) {
                    (Some(("host", value)), _) => address.host = value.to_owned(),
                    (Some(("port", value)), _) => address.port = value.to_owned(),
                    (Some(("username", value)), _) => address.user = value.to_owned(),
                    (Some(("dbname", value)), _) => address.database = value.to_owned(),
                    (None, false) => plain.push(word),
                    _ => {}
                }
                continue;
            }
        };
        *place = match word.get(2..) {
            Some("") | None => words.next()?.to_owned(),
            Some(joined) => joined.to_owned(),
        };
    }
    let mut plain = plain.into_iter();
    let database = plain.next().or(Some(address.database.as_str()));
    if let Some(database) = database {
        if is_address(database) {
            return without_secret(database).ok();
        }
        if database.contains('=') {
            return keywords(database.split_whitespace());
        }
        address.database = database.to_owned();
    }
    if let Some(user) = plain.next() {
        address.user = user.to_owned();
    }
    Some((address.url(), None))
}

/// `host=db dbname=shop user=app`, `service=orders`.
fn keywords<'w>(words: impl Iterator<Item = &'w str>) -> Read {
    let mut address = Address::of(Engine::Postgres);
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
    is_any.then_some((url, password))
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
        let (found, secret) = read(text).expect("understood");
        assert_eq!(found, url, "{text}");
        assert_eq!(secret.as_ref().map(Secret::reveal), password, "{text}");
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
