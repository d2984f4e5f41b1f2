//! The way through SSH as `ssh` would take it: names, users, keys and jumps from `~/.ssh/config`.
//!
//! Apart from `target` because it is a language of its own. Source: `ssh_config(5)`. What is read:
//! `HostName`, `Port`, `User`, `IdentityFile`, `IdentitiesOnly`, `IdentityAgent`, `ProxyJump`,
//! `UserKnownHostsFile`. A `ProxyCommand` is refused: nothing of a configuration is run.

use std::path::{Path, PathBuf};

use ssh2_config::{HostParams, ParseRule, SshConfig};

use super::origins::{Origin, Setting, setting};
use super::target::TargetError;
use crate::domain::Secret;
use crate::stores::target::{Hop, Ssh, SshKey};
use crate::sys::{env, files, folders};

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
    let folder = home.join(".ssh");
    let config = read(&home, &folder.join("config"))?;
    let mut reader = Reader {
        config,
        folder,
        agent: env::var("SSH_AUTH_SOCK").map(PathBuf::from),
        passphrase: env::var("IDEMSCOPE_SSH_PASSPHRASE").map(Secret::new),
        known_hosts: Vec::new(),
        hops: Vec::new(),
        depth: 0,
    };
    reader.add(typed)?;
    for name in ["known_hosts", "known_hosts2"] {
        reader.known_hosts.push(reader.folder.join(name));
    }
    reader
        .known_hosts
        .push(PathBuf::from("/etc/ssh/ssh_known_hosts"));
    let settings = reader.settings(typed);
    let way = Ssh {
        hops: reader.hops,
        agent: reader.agent,
        known_hosts: reader.known_hosts,
    };
    Ok((way, settings))
}

fn read(home: &Path, path: &Path) -> Result<SshConfig, TargetError> {
    let config = SshConfig::default().home_dir(home);
    if !files::exists(path) {
        return Ok(config);
    }
    let wrong =
        |error: String| TargetError::new(format!("{} cannot be read: {error}", path.display()));
    let text = files::read_own_text(path, BYTES_MAX).map_err(|error| wrong(error.to_string()))?;
    let rules = ParseRule::ALLOW_UNKNOWN_FIELDS | ParseRule::ALLOW_UNSUPPORTED_FIELDS;
    config
        .parse(&mut text.as_bytes(), rules)
        .map_err(|error| wrong(error.to_string()))
}

struct Reader {
    config: SshConfig,
    folder: PathBuf,
    agent: Option<PathBuf>,
    passphrase: Option<Secret>,
    known_hosts: Vec<PathBuf>,
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
        let (user, host, port) = parts(typed).ok_or_else(|| {
            let text = format!("`{typed}` is no SSH host");
            TargetError::with_hint(text, "write `--ssh [USER@]HOST[:PORT]`")
        })?;
        let params = self.config.query(host);
        if first(&params, "proxycommand").is_some_and(|command| command != "none") {
            return Err(TargetError::with_hint(
                format!("`{host}` has a `ProxyCommand` in ~/.ssh/config, which is not run"),
                "a `ProxyJump` is followed",
            ));
        }
        let jumps = params.proxy_jump.clone().unwrap_or_default();
        for jump in jumps.iter().filter(|jump| *jump != "none") {
            // Jumps that lead in a circle have no end.
            if self.depth >= HOPS_MAX {
                let text = format!("the way to `{host}` leads through more than {HOPS_MAX} hosts");
                return Err(TargetError::new(text));
            }
            self.depth += 1;
            self.add(jump)?;
            self.depth -= 1;
        }
        self.agent_of(&params);
        let own = params.user.clone().or_else(env::user_name);
        let real = params.host_name.clone().unwrap_or_else(|| host.to_owned());
        self.hops.push(Hop {
            name: typed.to_owned(),
            host: real.replace("%h", host),
            port: port.or(params.port).unwrap_or(PORT),
            user: user.map(str::to_owned).or(own).unwrap_or_default(),
            keys: self.keys(&params),
            only_these_keys: first(&params, "identitiesonly").is_some_and(|only| only == "yes"),
        });
        Ok(())
    }

    /// What was added to what was typed.
    fn settings(&self, typed: &str) -> Vec<Setting> {
        let (Some((user, host, port)), Some(last)) = (parts(typed), self.hops.last()) else {
            return Vec::new();
        };
        let params = self.config.query(host);
        let config = |is_there: bool| is_there.then_some(Origin::SshConfig);
        let mut all = Vec::new();
        if last.host != host {
            all.push(setting("ssh host", &last.host, config(true)));
        }
        if port.is_none() {
            let origin = config(params.port.is_some());
            all.push(setting("ssh port", last.port.to_string(), origin));
        }
        if user.is_none() {
            let origin = config(params.user.is_some());
            all.push(setting("ssh user", &last.user, origin));
        }
        let before: Vec<&str> = self.hops.iter().map(|hop| hop.name.as_str()).collect();
        if let [jumps @ .., _] = before.as_slice()
            && !jumps.is_empty()
        {
            all.push(setting("ssh jumps", jumps.join(", "), config(true)));
        }
        all
    }

    fn agent_of(&mut self, params: &HostParams) {
        match first(params, "identityagent") {
            Some("none") => self.agent = None,
            Some("SSH_AUTH_SOCK") | None => {}
            Some(path) => self.agent = Some(self.path(path)),
        }
        let named = all(params, "userknownhostsfile");
        let named: Vec<PathBuf> = named.iter().map(|path| self.path(path)).collect();
        for path in named {
            if !self.known_hosts.contains(&path) {
                self.known_hosts.push(path);
            }
        }
    }

    fn path(&self, text: &str) -> PathBuf {
        let home = self.folder.parent().unwrap_or(&self.folder);
        match text.trim_matches('"').strip_prefix("~/") {
            Some(rest) => home.join(rest),
            None => PathBuf::from(text.trim_matches('"')),
        }
    }

    /// Those that are named, else the usual ones; a file that is not there is none.
    fn keys(&self, params: &HostParams) -> Vec<SshKey> {
        let named = params.identity_file.clone().unwrap_or_default();
        let paths: Vec<PathBuf> = match named.is_empty() {
            true => USUAL_KEYS
                .iter()
                .map(|name| self.folder.join(name))
                .collect(),
            false => named,
        };
        let key = |path: PathBuf| {
            let text = files::read_own_text(&path, BYTES_MAX).ok()?;
            Some(SshKey {
                path,
                text: Secret::new(text),
                passphrase: self.passphrase.clone(),
            })
        };
        paths.into_iter().filter_map(key).collect()
    }
}

/// The words of a member that the reader keeps as they are, whatever its case.
fn all(params: &HostParams, name: &str) -> Vec<String> {
    let kept = params
        .unsupported_fields
        .iter()
        .chain(&params.ignored_fields);
    let found = kept.filter(|(known, _)| known.eq_ignore_ascii_case(name));
    found.flat_map(|(_, words)| words.clone()).collect()
}

fn first<'p>(params: &'p HostParams, name: &str) -> Option<&'p str> {
    let kept = params
        .unsupported_fields
        .iter()
        .chain(&params.ignored_fields);
    let mut found = kept.filter(|(known, _)| known.eq_ignore_ascii_case(name));
    found
        .next()
        .and_then(|(_, words)| words.first())
        .map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(text: &str) -> Reader {
        let rules = ParseRule::ALLOW_UNKNOWN_FIELDS | ParseRule::ALLOW_UNSUPPORTED_FIELDS;
        let config = SshConfig::default().home_dir("/home/ada");
        Reader {
            config: config
                .parse(&mut text.as_bytes(), rules)
                .expect("a configuration"),
            folder: PathBuf::from("/home/ada/.ssh"),
            agent: None,
            passphrase: None,
            known_hosts: Vec::new(),
            hops: Vec::new(),
            depth: 0,
        }
    }

    #[track_caller]
    fn check(config: &str, typed: &str, expected: &[&str]) {
        let mut reader = reader(config);
        let found = match reader.add(typed) {
            Ok(()) => reader
                .hops
                .iter()
                .map(|hop| format!("{}@{}:{}", hop.user, hop.host, hop.port))
                .collect(),
            Err(error) => vec![error.text],
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn names_users_ports_and_jumps_are_those_of_the_configuration() {
        let config = "Host db\n  HostName 10.0.0.7\n  User app\n  Port 2222\n  ProxyJump jump\n\
                      Host jump\n  HostName jump.example\n  User ada\n";
        check(config, "db", &["ada@jump.example:22", "app@10.0.0.7:2222"]);
        check(
            config,
            "eve@db:7",
            &["ada@jump.example:22", "eve@10.0.0.7:7"],
        );
        check("", "ada@[fe80::1]:7", &["ada@fe80::1:7"]);
        check("Host a\n User u\n ProxyJump none\n", "a", &["u@a:22"]);
    }

    #[test]
    fn what_cannot_be_followed_is_said() {
        check("", "", &["`` is no SSH host"]);
        check(
            "",
            "-oProxyCommand=x",
            &["`-oProxyCommand=x` is no SSH host"],
        );
        check("", "a b", &["`a b` is no SSH host"]);
        check(
            "Host a\n ProxyJump b\nHost b\n ProxyJump a\n",
            "a",
            &["the way to `a` leads through more than 8 hosts"],
        );
        check(
            "Host a\n ProxyCommand nc x 1\n",
            "a",
            &["`a` has a `ProxyCommand` in ~/.ssh/config, which is not run"],
        );
    }
}
