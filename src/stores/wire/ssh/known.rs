//! Whether the key that a host shows is the one that is known.
//!
//! Source: `sshd(8)`, "SSH_KNOWN_HOSTS FILE FORMAT": patterns, hashed names, markers. A line that
//! cannot be read is no line; certificate authorities of hosts are not followed.

use std::path::{Path, PathBuf};

use base64::Engine;
use hmac::{Hmac, KeyInit, Mac};
use russh::Preferred;
use russh::keys::{Algorithm, PublicKey};
use sha1::Sha1;

use crate::stores::target::Hop;

/// Larger than any file of known hosts.
const BYTES_MAX: u64 = 16 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    Yes,
    No,
    /// Another key of the same kind is known; file and line.
    Changed(String),
    Revoked(String),
    /// The list of what was revoked cannot be read: nobody is trusted then.
    Unsure(String),
}

/// A host as it stands in files of known hosts.
#[derive(Clone, Debug)]
pub struct Host {
    name: String,
    files: Vec<PathBuf>,
    revoked: Option<PathBuf>,
}

impl Host {
    pub fn of(hop: &Hop) -> Host {
        // Another name is a name only, whatever the port.
        let name = match (&hop.host_keys.alias, hop.port) {
            (Some(alias), _) => alias.clone(),
            (None, 22) => hop.host.clone(),
            (None, port) => format!("[{}]:{port}", hop.host),
        };
        Host {
            name: name.to_ascii_lowercase(),
            files: hop.host_keys.files.clone(),
            revoked: hop.host_keys.revoked.clone(),
        }
    }

    /// Looks through the files in their order; one that is not there has no lines.
    pub fn look(&self, shown: &PublicKey) -> Known {
        if let Some(found) = self
            .revoked
            .as_deref()
            .and_then(|path| revoked_in(path, shown))
        {
            return found;
        }
        let mut known = Known::No;
        for path in &self.files {
            let Some(text) = text_of(path) else { continue };
            match look_in(&text, &self.name, shown) {
                (Known::Revoked(line), _) => {
                    return Known::Revoked(format!("{}:{line}", path.display()));
                }
                (Known::Yes, _) => known = Known::Yes,
                (Known::Changed(line), _) if known == Known::No => {
                    known = Known::Changed(format!("{}:{line}", path.display()));
                }
                _ => {}
            }
        }
        known
    }

    /// Kinds of keys to ask for: those that it is known by come first, so that it is not taken for
    /// another one that has a key of a better kind as well.
    pub fn kinds(&self) -> Vec<Algorithm> {
        let mut known: Vec<Algorithm> = Vec::new();
        for path in &self.files {
            let text = text_of(path).unwrap_or_default();
            let named = lines(&text).filter(|line| line.marker.is_none() && line.is_of(&self.name));
            known.extend(named.map(|line| line.key.algorithm()));
        }
        let is_known = |kind: &Algorithm| known.iter().any(|known| is_same_kind(known, kind));
        let usual = Preferred::DEFAULT.key.iter().cloned();
        let (mut first, others): (Vec<_>, Vec<_>) = usual.partition(is_known);
        first.extend(others);
        first
    }
}

/// Keys of RSA are signed with in several ways.
fn is_same_kind(a: &Algorithm, b: &Algorithm) -> bool {
    let is_rsa = |kind: &Algorithm| matches!(kind, Algorithm::Rsa { .. });
    a == b || (is_rsa(a) && is_rsa(b))
}

fn text_of(path: &Path) -> Option<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).ok()?;
    file.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A file of keys, one a line. Lists in the binary form of `ssh-keygen -k` are not read.
fn revoked_in(path: &Path, shown: &PublicKey) -> Option<Known> {
    let at = path.display();
    let Some(text) = text_of(path).filter(|text| !text.starts_with("SSHKRL")) else {
        return Some(Known::Unsure(at.to_string()));
    };
    let is_shown = |line: &str| {
        PublicKey::from_openssh(line.trim()).is_ok_and(|key| key.key_data() == shown.key_data())
    };
    let line = text.lines().position(is_shown)?;
    Some(Known::Revoked(format!("{at}:{}", line + 1)))
}

/// A line that names hosts and a key.
struct Line<'t> {
    /// From 1.
    number: usize,
    marker: Option<&'t str>,
    hosts: &'t str,
    key: PublicKey,
}

impl Line<'_> {
    fn is_of(&self, name: &str) -> bool {
        matches(self.hosts, name)
    }
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines().enumerate().filter_map(|(at, line)| {
        let mut words = line.split_whitespace().peekable();
        let marker = words.next_if(|word| word.starts_with('@'));
        let (hosts, kind, data) = (words.next()?, words.next()?, words.next()?);
        if hosts.starts_with('#') {
            return None;
        }
        Some(Line {
            number: at + 1,
            marker,
            hosts,
            key: PublicKey::from_openssh(&format!("{kind} {data}")).ok()?,
        })
    })
}

fn look_in(text: &str, name: &str, shown: &PublicKey) -> (Known, usize) {
    let (mut known, mut changed) = (false, None);
    for line in lines(text).filter(|line| line.is_of(name)) {
        let is_same = line.key.key_data() == shown.key_data();
        match line.marker {
            Some("@revoked") if is_same => {
                return (Known::Revoked(line.number.to_string()), line.number);
            }
            Some(_) => {}
            None if is_same => known = true,
            None if is_same_kind(&line.key.algorithm(), &shown.algorithm()) => {
                changed = changed.or(Some(line.number));
            }
            None => {}
        }
    }
    match (known, changed) {
        (true, _) => (Known::Yes, 0),
        (false, Some(line)) => (Known::Changed(line.to_string()), line),
        (false, None) => (Known::No, 0),
    }
}

/// Whether the names of a line hold this one; a `!` excludes.
fn matches(hosts: &str, name: &str) -> bool {
    let mut found = false;
    for pattern in hosts.split(',') {
        if let Some(hashed) = pattern.strip_prefix("|1|") {
            found |= is_hash_of(hashed, name);
        } else if let Some(excluded) = pattern.strip_prefix('!') {
            if fits(excluded, name) {
                return false;
            }
        } else {
            found |= fits(pattern, name);
        }
    }
    found
}

/// `SALT|HASH`, both in base64.
fn is_hash_of(hashed: &str, name: &str) -> bool {
    let decoded = |text: &str| base64::engine::general_purpose::STANDARD.decode(text).ok();
    let Some((salt, hash)) = hashed.split_once('|') else {
        return false;
    };
    let (Some(salt), Some(hash)) = (decoded(salt), decoded(hash)) else {
        return false;
    };
    let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(&salt) else {
        return false;
    };
    mac.update(name.as_bytes());
    mac.verify_slice(&hash).is_ok()
}

/// `*` is any text, `?` any one character; case does not count.
fn fits(pattern: &str, name: &str) -> bool {
    fn rest(pattern: &[u8], name: &[u8]) -> bool {
        match (pattern.split_first(), name.split_first()) {
            (None, None) => true,
            (Some((b'*', after)), _) => {
                // Several stars in a row are one, so that a long pattern does not take for ever.
                let after = match after.iter().position(|byte| *byte != b'*') {
                    Some(at) => after.get(at..).unwrap_or_default(),
                    None => return true,
                };
                (0..=name.len()).any(|at| rest(after, name.get(at..).unwrap_or_default()))
            }
            (Some((b'?', after)), Some((_, name))) => rest(after, name),
            (Some((a, after)), Some((b, name))) => a.eq_ignore_ascii_case(b) && rest(after, name),
            _ => false,
        }
    }
    // A pattern with many stars is nobody's.
    pattern.bytes().filter(|byte| *byte == b'*').count() <= 8
        && rest(pattern.as_bytes(), name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stores::target::HostKeys;

    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
    const ECDSA: &str = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBHCU/9ENhslgK29KmHVi/Kym96U1DfmvbOOnoRfE1Rjx52O0szKseANiFwigbh65x/CJTdrGs55MWDkDKBkDICk=";
    const OTHER: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";

    fn host_of(host: &str, port: u16, files: Vec<PathBuf>, revoked: Option<PathBuf>) -> Host {
        Host::of(&Hop {
            name: host.to_owned(),
            host: host.to_owned(),
            port,
            user: String::new(),
            agent: None,
            host_keys: HostKeys {
                alias: None,
                files,
                revoked,
            },
            keys: Vec::new(),
            only_these_keys: false,
        })
    }

    #[track_caller]
    fn check(text: &str, host: &str, port: u16, expected: Known) {
        let shown = PublicKey::from_openssh(KEY).expect("a key");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("known_hosts");
        std::fs::write(&file, text).expect("a file");
        let at = format!("{}:", file.display());
        let found = host_of(host, port, vec![file], None).look(&shown);
        let found = match found {
            Known::Changed(line) => Known::Changed(line.replace(&at, "")),
            Known::Revoked(line) => Known::Revoked(line.replace(&at, "")),
            found => found,
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_host_is_known_by_its_key() {
        check(&format!("jump {KEY} a comment"), "jump", 22, Known::Yes);
        check(&format!("a,jump\t{KEY}"), "jump", 22, Known::Yes);
        check(&format!("[jump]:2222 {KEY}"), "jump", 2222, Known::Yes);
        check(&format!("jump {KEY}"), "jump", 2222, Known::No);
        check(&format!("other {KEY}"), "jump", 22, Known::No);
        check(&format!("# jump {KEY}\nnonsense\n"), "jump", 22, Known::No);
        check(&format!("*.example {KEY}"), "a.example", 22, Known::Yes);
        check(
            &format!("*.example,!a.example {KEY}"),
            "a.example",
            22,
            Known::No,
        );
    }

    #[test]
    fn another_key_is_a_changed_one_and_a_revoked_one_is_told() {
        let changed = Known::Changed("2".to_owned());
        check(&format!("#\njump {OTHER}"), "jump", 22, changed);
        check(&format!("jump {OTHER}\njump {KEY}"), "jump", 22, Known::Yes);
        let revoked = Known::Revoked("2".to_owned());
        check(
            &format!("jump {KEY}\n@revoked * {KEY}"),
            "jump",
            22,
            revoked,
        );
        check(&format!("@cert-authority * {KEY}"), "jump", 22, Known::No);
    }

    #[test]
    fn hashed_names_are_understood() {
        let salt = base64::engine::general_purpose::STANDARD.encode([7; 20]);
        let mut mac = Hmac::<Sha1>::new_from_slice(&[7; 20]).expect("any length");
        mac.update(b"jump");
        let hash = base64::engine::general_purpose::STANDARD.encode(mac.finalize().into_bytes());
        check(&format!("|1|{salt}|{hash} {KEY}"), "jump", 22, Known::Yes);
        check(&format!("|1|{salt}|{hash} {KEY}"), "dump", 22, Known::No);
        // Names are hashed in small letters.
        check(&format!("|1|{salt}|{hash} {KEY}"), "JUMP", 22, Known::Yes);
    }

    #[test]
    fn kinds_that_a_host_is_known_by_are_asked_for_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("known_hosts");
        let text = format!("other {KEY}\n[jump]:7 {ECDSA}\n");
        std::fs::write(&file, text).expect("a file");
        let first = |name: &str, port: u16| -> String {
            let kinds = host_of(name, port, vec![file.clone()], None).kinds();
            assert_eq!(kinds.len(), Preferred::DEFAULT.key.len());
            kinds[0].to_string()
        };
        assert_eq!(first("jump", 7), "ecdsa-sha2-nistp256");
        assert_eq!(first("jump", 22), "ssh-ed25519");
    }

    #[test]
    fn another_name_stands_without_a_port_and_a_list_revokes() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, list) = (
            folder.path().join("known_hosts"),
            folder.path().join("revoked"),
        );
        std::fs::write(&file, format!("shop {KEY}\n")).expect("a file");
        let shown = PublicKey::from_openssh(KEY).expect("a key");
        let mut host = host_of("10.0.0.7", 7, vec![file], Some(list.clone()));
        assert_eq!(host.look(&shown), Known::Unsure(list.display().to_string()));
        std::fs::write(&list, format!("# old\n{OTHER}\n")).expect("a file");
        assert_eq!(host.look(&shown), Known::No);
        host.name = "shop".to_owned();
        assert_eq!(host.look(&shown), Known::Yes);
        std::fs::write(&list, format!("{OTHER}\n{KEY} lost\n")).expect("a file");
        assert_eq!(
            host.look(&shown),
            Known::Revoked(format!("{}:2", list.display()))
        );
    }
}
