//! The password file and the service file of PostgreSQL's clients.
//!
//! Formats: PostgreSQL manual, "The Password File" and "The Connection Service File".

use std::path::PathBuf;

use crate::domain::Secret;
use crate::sys::{env, files, folders};

const FILE_BYTES_MAX: u64 = 1 << 20;

/// The password for a login, with a warning where the file is not taken.
pub fn password(
    named: Option<&str>,
    host: &str,
    port: u16,
    database: &str,
    user: &str,
) -> (Option<Secret>, Option<String>) {
    let path = match named.map(str::to_owned).or_else(|| env::var("PGPASSFILE")) {
        Some(path) => PathBuf::from(path),
        None => match folders::home() {
            Some(home) => home.join(".pgpass"),
            None => return (None, None),
        },
    };
    let Ok(text) = files::read_own_text(&path, FILE_BYTES_MAX) else {
        return (None, None);
    };
    if files::is_open_to_others(&path) {
        let text = format!(
            "the password file is open to others and not used (chmod 0600): {}",
            path.display()
        );
        return (None, Some(text));
    }
    (
        find(&text, [host, &port.to_string(), database, user]).map(Secret::new),
        None,
    )
}

fn find(text: &str, wanted: [&str; 4]) -> Option<String> {
    text.lines()
        .map(|line| line.trim_end_matches('\r'))
        .filter(|line| !line.starts_with('#'))
        .find_map(|line| {
            let fits = |rest, wanted| past_field(rest, wanted);
            let password = wanted.into_iter().try_fold(line, fits)?;
            Some(plain(password))
        })
}

/// What stands behind a field that fits. Compared sign by sign, as libpq does: a host may have colons in
/// it.
fn past_field<'l>(line: &'l str, wanted: &str) -> Option<&'l str> {
    if let Some(rest) = line.strip_prefix("*:") {
        return Some(rest);
    }
    let mut rest = line;
    for c in wanted.chars() {
        rest = rest.strip_prefix('\\').unwrap_or(rest).strip_prefix(c)?;
    }
    rest.strip_prefix(':')
}

/// Without the backslashes that keep signs.
fn plain(field: &str) -> String {
    let mut text = String::new();
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.extend(chars.next()),
            ':' => break,
            other => text.push(other),
        }
    }
    text
}

/// The parameters of a service.
///
/// Errors: there is no such service.
pub fn service(name: &str) -> Result<Vec<(String, String)>, String> {
    service_files()
        .find_map(|text| section(&text, name))
        .ok_or_else(|| format!("no service file describes `{name}`"))
}

/// The names of all services, in the order in which they would be found.
pub fn services() -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for text in service_files() {
        for name in text.lines().filter_map(title) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

/// One of the person's own, and those of the system.
fn service_files() -> impl Iterator<Item = String> {
    let own = env::var("PGSERVICEFILE").map(PathBuf::from);
    let paths = [
        own.or_else(|| folders::home().map(|home| home.join(".pg_service.conf"))),
        env::var("PGSYSCONFDIR").map(|folder| PathBuf::from(folder).join("pg_service.conf")),
        Some(PathBuf::from("/etc/postgresql-common/pg_service.conf")),
    ];
    let paths = paths.into_iter().flatten();
    paths.filter_map(|path| files::read_own_text(&path, FILE_BYTES_MAX).ok())
}

fn title(line: &str) -> Option<&str> {
    line.trim().strip_prefix('[')?.strip_suffix(']')
}

fn section(text: &str, name: &str) -> Option<Vec<(String, String)>> {
    let mut params: Option<Vec<(String, String)>> = None;
    for line in text.lines().map(str::trim) {
        if let Some(title) = title(line) {
            if params.is_some() {
                break;
            }
            params = (title == name).then(Vec::new);
        } else if let (Some(params), Some((key, value))) = (&mut params, line.split_once('='))
            && !line.starts_with('#')
        {
            params.push((key.trim().to_owned(), value.trim().to_owned()));
        }
    }
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_is_taken() {
        let text = "# note\nother:5432:*:ada:no\n*:5432:app:ada:p\\:w\n*:*:*:*:last\n";
        let find = |host, database| find(text, [host, "5432", database, "ada"]);
        assert_eq!(find("db", "app").as_deref(), Some("p:w"));
        assert_eq!(find("db", "x").as_deref(), Some("last"));
        assert_eq!(find("other", "app").as_deref(), Some("no"));
        let text = "::1:5432:app:ada:six\nfe80\\:\\:2:*:app:ada:two\n";
        let find = |host| super::find(text, [host, "5432", "app", "ada"]);
        assert_eq!(find("::1").as_deref(), Some("six"));
        assert_eq!(find("fe80::2").as_deref(), Some("two"));
        assert_eq!(find("::2"), None);
    }

    #[test]
    fn a_service_has_its_own_parameters() {
        let text = "[a]\nhost=h1\n# c\nport = 5433\n[b]\nhost=h2\n";
        let expected = vec![("host".into(), "h1".into()), ("port".into(), "5433".into())];
        assert_eq!(section(text, "a"), Some(expected));
        assert_eq!(section(text, "c"), None);
    }
}
