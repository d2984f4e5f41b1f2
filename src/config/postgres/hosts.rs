//! The hosts of a connection: their names, ports and addresses, which are lists that belong together.
//!
//! Source: PostgreSQL manual, "Specifying Multiple Hosts" and the parameter `hostaddr`.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use super::Said;
use crate::config::target::TargetError;
use crate::stores::target::Endpoint;
use crate::sys::files;

const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// Hosts that one URL may name.
const HOSTS_MAX: usize = 20;

/// One of them.
pub struct Host {
    /// What it is called; its address where it has no name.
    pub endpoint: Endpoint,
    /// Where it is, if its name is not looked up.
    pub address: Option<IpAddr>,
    port: u16,
}

impl Host {
    /// What it is called in the password file, which says `localhost` for sockets in the standard folders.
    pub fn in_password_file(&self) -> (String, u16) {
        let name = match &self.endpoint {
            Endpoint::Tcp { host, .. } => host.clone(),
            Endpoint::Unix(path) => {
                let folder = path.parent().unwrap_or(Path::new(""));
                match SOCKET_FOLDERS
                    .iter()
                    .any(|known| Path::new(known) == folder)
                {
                    true => "localhost".to_owned(),
                    false => folder.display().to_string(),
                }
            }
        };
        (name, self.port)
    }

    pub fn is_local(&self) -> bool {
        matches!(self.endpoint, Endpoint::Unix(_))
    }
}

/// In their order: from the URL, or lists with commas as libpq has them.
///
/// Errors: a port or an address that is none, lists of different length.
pub fn hosts(said: &Said) -> Result<Vec<Host>, TargetError> {
    let addresses = addresses(said)?;
    let names = names(said, addresses.len());
    if names.len() > HOSTS_MAX {
        return Err(TargetError::new(format!(
            "more than {HOSTS_MAX} hosts are named"
        )));
    }
    if !addresses.is_empty() && addresses.len() != names.len() {
        return Err(TargetError::new(
            "there are not as many addresses (`hostaddr`) as hosts",
        ));
    }
    // What a parameter says goes before what stands in front of it.
    let is_param = said.uri.param("port").is_some_and(|text| !text.is_empty());
    let ports = said.of("port", "PGPORT").unwrap_or_default();
    let number = |text: &str| match text {
        // The usual one.
        "" => Ok(None),
        text => text
            .parse::<u16>()
            .map(Some)
            .map_err(|_| TargetError::new(format!("`{text}` is no port"))),
    };
    let ports: Vec<Option<u16>> = ports.split(',').map(number).collect::<Result<_, _>>()?;
    if ports.len() > 1 && ports.len() != names.len() {
        return Err(TargetError::new("there are not as many ports as hosts"));
    }
    let of = |(at, (name, port)): (usize, (Option<String>, Option<u16>))| {
        let listed = ports.get(at).or(ports.first()).copied().flatten();
        let port = match is_param {
            true => listed,
            false => port.or(listed),
        };
        let port = port.unwrap_or(5432);
        let address = addresses.get(at).copied().flatten();
        Host {
            endpoint: endpoint(name, address, port),
            address,
            port,
        }
    };
    Ok(names.into_iter().enumerate().map(of).collect())
}

fn list(text: Option<String>) -> Vec<String> {
    let text = text.unwrap_or_default();
    text.split(',')
        .filter(|one| !one.is_empty())
        .map(str::to_owned)
        .collect()
}

/// One of them may be left out: its name is looked up then.
fn addresses(said: &Said) -> Result<Vec<Option<IpAddr>>, TargetError> {
    // A variable that is about servers on a network turns no socket into one: a socket that the URL names
    // may lead to another server, and is spoken to in plain.
    let mut named = said.uri.hosts.iter().map(|(host, _)| host.as_str());
    let names_sockets = match said.uri.param("host") {
        Some(hosts) => hosts.split(',').any(|host| host.starts_with('/')),
        None => named.any(|host| host.starts_with('/')),
    };
    let text = match names_sockets {
        true => said.uri.param("hostaddr").map(str::to_owned),
        false => said.of("hostaddr", "PGHOSTADDR"),
    };
    let text = text.unwrap_or_default();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let address = |text: &str| match text {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            TargetError::with_hint(
                format!("`{text}` is no address (`hostaddr`)"),
                "an address is like `192.0.2.7` or `2001:db8::7`; a name belongs in `host`",
            )
        }),
    };
    text.split(',').map(address).collect()
}

/// Names, and the ports that the URL gives them. Addresses need no names.
fn names(said: &Said, addresses: usize) -> Vec<(Option<String>, Option<u16>)> {
    let by_param = list(said.uri.param("host").map(str::to_owned));
    let named = said.uri.hosts.iter().filter(|(host, _)| !host.is_empty());
    let mut names: Vec<_> = match by_param.is_empty() {
        true => named
            .map(|(host, port)| (Some(host.clone()), *port))
            .collect(),
        false => Vec::new(),
    };
    if names.is_empty() {
        // A port in the URL is for the hosts that are named elsewhere.
        let port = said.uri.hosts.first().and_then(|(_, port)| *port);
        let others = list(said.of("host", "PGHOST"));
        names.extend(others.into_iter().map(|host| (Some(host), port)));
        if names.is_empty() {
            names.resize(addresses.max(1), (None, port));
        }
    }
    names
}

fn endpoint(name: Option<String>, address: Option<IpAddr>, port: u16) -> Endpoint {
    let socket = format!(".s.PGSQL.{port}");
    let folder = match (name, address) {
        (Some(host), Some(_)) => return Endpoint::Tcp { host, port },
        (None, Some(address)) => {
            let host = address.to_string();
            return Endpoint::Tcp { host, port };
        }
        (Some(host), None) if host.starts_with('/') => PathBuf::from(host),
        (Some(host), None) => return Endpoint::Tcp { host, port },
        (None, None) => {
            let has_socket = |folder: &&&str| files::exists(&Path::new(folder).join(&socket));
            match SOCKET_FOLDERS.iter().find(has_socket) {
                Some(folder) => PathBuf::from(folder),
                None => {
                    let host = "localhost".to_owned();
                    return Endpoint::Tcp { host, port };
                }
            }
        }
    };
    Endpoint::Unix(folder.join(socket))
}
