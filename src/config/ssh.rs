//! The way through SSH as `ssh` would take it: names, users, keys and jumps from `~/.ssh/config`.
//!
//! Apart from `target` because it is a language of its own. Source: `ssh_config(5)`. What is read
//! stands in [`said`]. A `ProxyCommand` is refused: nothing of a configuration is run.

mod lines;
mod pattern;
mod said;
mod tokens;

use std::path::{Path, PathBuf};

use super::origins::{Origin, Setting, setting};
use super::target::TargetError;
use crate::domain::Secret;
use crate::stores::target::{Hop, HostKeys, KeyOrigin, Ssh, SshKey};
use crate::sys::{env, files, folders};
use said::{Asked, Config, Said, is_none};
use tokens::Tokens;

/// Hosts of one way; a jump that leads back to itself has no end.
const HOPS_MAX: usize = 8;
const BYTES_MAX: u64 = 1 << 20;
/// Keys that are tried where none is named.
const USUAL_KEYS: [&str; 3] = ["id_ed25519", "id_ecdsa", "id_rsa"];
const PORT: u16 = 22;

/// Resolves `[USER@]HOST[:PORT]`.
///
/// Errors: it is no host, the configuration cannot be read, or it wants what is not served.
pub fn way(typed: &str) -> Result<(Ssh, Vec<Setting>), TargetError> {
    let home = folders::home().ok_or_else(|| TargetError::new("there is no home folder"))?;
    let mut reader = Reader {
        config: Config {
            folder: home.join(".ssh"),
            local_user: env::user_name().unwrap_or_default(),
        },
        agent: env::var("SSH_AUTH_SOCK").map(PathBuf::from),
        passphrase: env::var("IDEMSCOPE_SSH_PASSPHRASE").map(Secret::new),
        hops: Vec::new(),
        depth: 0,
    };
    reader.add(typed)?;
    let settings = reader.settings(typed)?;
    let way = Ssh { hops: reader.hops };
    Ok((way, settings))
}

struct Reader {
    config: Config,
    agent: Option<PathBuf>,
    passphrase: Option<Secret>,
    /// The nearest first.
    hops: Vec<Hop>,
    /// Jumps that are being followed.
    depth: usize,
}

/// `[USER@]HOST[:PORT]`, a host with colons in brackets.
fn parts(typed: &str) -> Option<(Option<&str>, &str, Option<u16>)> {
    let typed = typed
        .strip_prefix("ssh://")
        .unwrap_or(typed)
        .trim_end_matches('/');
    let (user, place) = match typed.rsplit_once('@') {
        Some((user, place)) => (Some(user), place),
        None => (None, typed),
    };
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']')?;
            (host, after.strip_prefix(':'))
        }
        None => match place.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') => (host, Some(port)),
            _ => (place, None),
        },
    };
    let port = port.map(str::parse).transpose().ok()?;
    let is_plain = |text: &str| {
        !text.is_empty() && !text.starts_with('-') && !text.contains(char::is_whitespace)
    };
    (is_plain(host) && user.is_none_or(is_plain)).then_some((user, host, port))
}

impl Reader {
    fn add(&mut self, typed: &str) -> Result<(), TargetError> {
        self.hop(typed, None)
    }

    /// Adds a host behind those that lead to it: `before` where they were added already, as `ssh -J`
    /// names them, else those of its own `ProxyJump`.
    fn hop(&mut self, typed: &str, before: Option<&str>) -> Result<(), TargetError> {
        let (user, host, port) = parts(typed).ok_or_else(|| {
            let text = format!("`{typed}` is no SSH host");
            TargetError::with_hint(text, "write `--ssh [USER@]HOST[:PORT]`")
        })?;
        let said = self.config.of(Asked { host, user })?;
        if before.is_none() && said.set("proxycommand").is_some() {
            return Err(TargetError::with_hint(
                format!("`{host}` has a `ProxyCommand` in ~/.ssh/config, which is not run"),
                "a `ProxyJump` is followed",
            ));
        }
        let named = |keyword: &str, name: Option<&str>| match (said.first(keyword), name) {
            (_, Some(typed)) => Some(typed.to_owned()),
            (said, None) => said.map(str::to_owned),
        };
        let said_port = said.first("port").map(str::parse).transpose();
        let said_port: Option<u16> = said_port.map_err(|_| {
            TargetError::new(format!(
                "`{host}` has a `Port` in ~/.ssh/config that is none"
            ))
        })?;
        let mut tokens = Tokens::of(host, &self.config);
        if let Some(name) = said.first("hostname") {
            tokens.host = tokens.expand(name, "h")?.to_ascii_lowercase();
        }
        tokens.port = port.or(said_port).unwrap_or(PORT);
        tokens.user = named("user", user).unwrap_or_else(|| self.config.local_user.clone());
        tokens.key_name = said.first("hostkeyalias").map(str::to_owned);
        tokens.jumps = match (before, said.set("proxyjump")) {
            (Some(before), _) => before.to_owned(),
            (None, Some(jumps)) => tokens.expand(jumps, "hnpr")?,
            (None, None) => String::new(),
        };
        if before.is_none() {
            self.jumps(host, &tokens.jumps)?;
        }
        self.hops.push(Hop {
            name: typed.to_owned(),
            agent: self.agent_of(&said, &tokens)?,
            host_keys: self.host_keys(&said, &tokens)?,
            keys: self.keys(&said, &tokens)?,
            only_these_keys: said.is_on("identitiesonly"),
            host: tokens.host,
            port: tokens.port,
            user: tokens.user,
        });
        Ok(())
    }

    /// Adds the hosts that lead to one. Only of the first the own jumps count: the others are reached
    /// through those before them, as `ssh` does it.
    fn jumps(&mut self, host: &str, jumps: &str) -> Result<(), TargetError> {
        let mut before = Vec::new();
        for jump in jumps
            .split(',')
            .map(str::trim)
            .filter(|jump| !jump.is_empty())
        {
            // Jumps that lead in a circle have no end.
            if self.depth >= HOPS_MAX {
                let text = format!("the way to `{host}` leads through more than {HOPS_MAX} hosts");
                return Err(TargetError::new(text));
            }
            self.depth += 1;
            match before.is_empty() {
                true => self.hop(jump, None)?,
                false => self.hop(jump, Some(&before.join(",")))?,
            }
            self.depth -= 1;
            before.push(jump);
        }
        Ok(())
    }

    /// What was added to what was typed.
    fn settings(&self, typed: &str) -> Result<Vec<Setting>, TargetError> {
        let (Some((user, host, port)), Some(last)) = (parts(typed), self.hops.last()) else {
            return Ok(Vec::new());
        };
        let said = self.config.of(Asked { host, user })?;
        let config = |is_there: bool| is_there.then_some(Origin::SshConfig);
        let mut all = Vec::new();
        if last.host != host {
            all.push(setting("ssh host", &last.host, config(true)));
        }
        if port.is_none() {
            let origin = config(said.is("port"));
            all.push(setting("ssh port", last.port.to_string(), origin));
        }
        if user.is_none() {
            let origin = config(said.is("user"));
            all.push(setting("ssh user", &last.user, origin));
        }
        let before: Vec<&str> = self.hops.iter().map(|hop| hop.name.as_str()).collect();
        if let [jumps @ .., _] = before.as_slice()
            && !jumps.is_empty()
        {
            all.push(setting("ssh jumps", jumps.join(", "), config(true)));
        }
        Ok(all)
    }

    fn agent_of(&self, said: &Said, tokens: &Tokens) -> Result<Option<PathBuf>, TargetError> {
        match said.first("identityagent") {
            Some(word) if is_none(word) => Ok(None),
            Some("SSH_AUTH_SOCK") | None => Ok(self.agent.clone()),
            Some(text) => match text.strip_prefix('$').filter(|name| !name.starts_with('{')) {
                Some(name) => Ok(env::var(name).map(PathBuf::from)),
                None => Ok(Some(self.path(text, tokens)?)),
            },
        }
    }

    fn path(&self, text: &str, tokens: &Tokens) -> Result<PathBuf, TargetError> {
        Ok(self.config.path(&tokens.expand(text, tokens::PATHS)?))
    }

    /// The files that know this host, and by which name.
    fn host_keys(&self, said: &Said, tokens: &Tokens) -> Result<HostKeys, TargetError> {
        let named = |keyword: &str, usual: &[PathBuf]| -> Result<Vec<PathBuf>, TargetError> {
            match said.all(keyword) {
                [] => Ok(usual.to_vec()),
                [none] if is_none(none) => Ok(Vec::new()),
                words => words.iter().map(|word| self.path(word, tokens)).collect(),
            }
        };
        let own = ["known_hosts", "known_hosts2"].map(|name| self.config.folder.join(name));
        let global =
            ["ssh_known_hosts", "ssh_known_hosts2"].map(|name| Path::new("/etc/ssh").join(name));
        let mut files = named("userknownhostsfile", &own)?;
        files.extend(named("globalknownhostsfile", &global)?);
        let revoked = said.set("revokedhostkeys");
        Ok(HostKeys {
            alias: tokens.key_name.clone(),
            files,
            revoked: revoked.map(|path| self.path(path, tokens)).transpose()?,
        })
    }

    /// Those that are named, else the usual ones; a file that is not there is none.
    fn keys(&self, said: &Said, tokens: &Tokens) -> Result<Vec<SshKey>, TargetError> {
        let usual = || USUAL_KEYS.iter().map(|name| self.config.folder.join(name));
        let (paths, origin) = match said.all("identityfile") {
            [] => (usual().collect(), KeyOrigin::Usual),
            words => {
                let words = words.iter().filter(|word| !is_none(word));
                let paths: Result<Vec<PathBuf>, TargetError> =
                    words.map(|word| self.path(word, tokens)).collect();
                (paths?, KeyOrigin::Named)
            }
        };
        let key = |path: PathBuf| {
            let read = |path: &Path| files::read_own_text(path, BYTES_MAX).ok();
            let beside = PathBuf::from(format!("{}.pub", path.display()));
            let (text, public) = (read(&path), read(&beside));
            (text.is_some() || public.is_some()).then(|| SshKey {
                path,
                origin,
                text: Secret::new(text.unwrap_or_default()),
                public,
                passphrase: self.passphrase.clone(),
            })
        };
        let mut keys: Vec<SshKey> = Vec::new();
        for key in paths.into_iter().filter_map(key) {
            if !keys.iter().any(|known| known.path == key.path) {
                keys.push(key);
            }
        }
        Ok(keys)
    }
}

#[cfg(test)]
mod tests;
