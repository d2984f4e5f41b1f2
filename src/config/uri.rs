//! Cuts a connection URI into its parts.
//!
//! Apart from a general URL parser because database URIs allow what URLs do not: several hosts,
//! none at all, and socket folders.

use percent_encoding::percent_decode_str;

#[derive(Debug, Default, PartialEq)]
pub struct Uri {
    pub user: Option<String>,
    pub password: Option<String>,
    /// Host and port; the host may be empty.
    pub hosts: Vec<(String, Option<u16>)>,
    /// Without the slash in front; empty for none.
    pub path: String,
    pub params: Vec<(String, String)>,
}

impl Uri {
    pub fn param(&self, name: &str) -> Option<&str> {
        // Of what is said twice the last counts, as with libpq.
        let mut last = self.params.iter().rev();
        last.find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Parses what stands behind `scheme://`.
///
/// Errors: a port that is no number, an encoding that is not UTF-8, an open bracket.
pub fn parse(rest: &str) -> Result<Uri, String> {
    check_login(rest)?;
    let (rest, _fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = match rest.find('/') {
        Some(at) => (
            rest.get(..at).unwrap_or_default(),
            rest.get(at + 1..).unwrap_or_default(),
        ),
        None => (rest, ""),
    };
    let mut uri = Uri {
        path: decode(path)?,
        ..Uri::default()
    };
    let hosts = match authority.rsplit_once('@') {
        None => authority,
        Some((login, hosts)) => {
            let (user, password) = match login.split_once(':') {
                Some((user, password)) => (user, Some(password)),
                None => (login, None),
            };
            uri.user = Some(decode(user)?).filter(|user| !user.is_empty());
            uri.password = password.map(decode).transpose()?;
            hosts
        }
    };
    for host in hosts.split(',').filter(|host| !host.is_empty()) {
        uri.hosts.push(host_and_port(host)?);
    }
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        uri.params.push((decode(name)?, decode(value)?));
    }
    Ok(uri)
}

/// Errors: a login that ends before its `@`, as with a password that holds a slash. The text is
/// not in the error: it is a piece of a password.
pub fn check_login(rest: &str) -> Result<(), String> {
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, after) = rest.split_at(end);
    // In the value of a parameter an `@` is no login's.
    let is_value = |at: usize| {
        let before = after.get(..at).unwrap_or_default();
        before.contains('?') && before.contains('=') && !before.contains('#')
    };
    let broken = after.find('@').is_some_and(|at| !is_value(at));
    if broken && !authority.contains('@') {
        return Err(
            "the login in the URL cannot be read: in a password write `/` as `%2F`, `?` as `%3F` \
             and `#` as `%23`"
                .to_owned(),
        );
    }
    Ok(())
}

fn host_and_port(text: &str) -> Result<(String, Option<u16>), String> {
    let (host, port) = if let Some(rest) = text.strip_prefix('[') {
        let (host, after) = rest.split_once(']').ok_or("an open `[` in the host")?;
        (host.to_owned(), after.strip_prefix(':'))
    } else {
        match text.rsplit_once(':') {
            Some((host, port)) => (decode(host)?, Some(port)),
            None => (decode(text)?, None),
        }
    };
    let port = match port {
        None | Some("") => None,
        Some(port) => Some(port.parse().map_err(|_| format!("`{port}` is no port"))?),
    };
    Ok((host, port))
}

pub fn decode(text: &str) -> Result<String, String> {
    percent_decode_str(text)
        .decode_utf8()
        .map(|text| text.into_owned())
        .map_err(|_| "a part of the URL is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_are_found() {
        let uri = parse("us%40er:p%3Aw@db.example:5433/my%20db?sslmode=require&x=").expect("a URI");
        assert_eq!(uri.user.as_deref(), Some("us@er"));
        assert_eq!(uri.password.as_deref(), Some("p:w"));
        assert_eq!(uri.hosts, [("db.example".to_owned(), Some(5433))]);
        assert_eq!(uri.path, "my db");
        assert_eq!(uri.param("sslmode"), Some("require"));
    }

    #[test]
    fn hosts_may_be_several_or_none_or_in_brackets() {
        assert_eq!(parse("/db").expect("a URI").hosts, []);
        assert_eq!(
            parse("[::1]:6380/0").expect("a URI").hosts,
            [("::1".to_owned(), Some(6380))]
        );
        assert_eq!(parse("a:1,b:2/m/0").expect("a URI").hosts.len(), 2);
        assert!(parse("host:port").is_err());
    }
}
