//! Whether the key that a host shows is the one that is known.
//!
//! Source: `sshd(8)`, "SSH_KNOWN_HOSTS FILE FORMAT": patterns, hashed names, markers. A line that
//! cannot be read is no line; certificate authorities of hosts are not followed.

use std::path::{Path, PathBuf};

use base64::Engine;
use hmac::{Hmac, KeyInit, Mac};
use russh::keys::PublicKey;
use sha1::Sha1;

/// Larger than any file of known hosts.
const BYTES_MAX: u64 = 16 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    Yes,
    No,
    /// Another key of the same kind is known; file and line.
    Changed(String),
    Revoked(String),
}

/// Looks through the files in their order; one that is not there has no lines.
pub fn look(host: &str, port: u16, shown: &PublicKey, files: &[PathBuf]) -> Known {
    let mut known = Known::No;
    for path in files {
        let Some(text) = text_of(path) else { continue };
        match look_in(&text, host, port, shown) {
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

fn text_of(path: &Path) -> Option<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).ok()?;
    file.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn look_in(text: &str, host: &str, port: u16, shown: &PublicKey) -> (Known, usize) {
    let name = match port {
        22 => host.to_owned(),
        port => format!("[{host}]:{port}"),
    };
    let (mut known, mut changed) = (false, None);
    for (at, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace().peekable();
        let marker = words.next_if(|word| word.starts_with('@'));
        let (Some(hosts), Some(kind), Some(data)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        if hosts.starts_with('#') || !matches(hosts, &name) {
            continue;
        }
        let Ok(key) = PublicKey::from_openssh(&format!("{kind} {data}")) else {
            continue;
        };
        let is_same = key.key_data() == shown.key_data();
        match marker {
            Some("@revoked") if is_same => return (Known::Revoked((at + 1).to_string()), at),
            Some(_) => {}
            None if is_same => known = true,
            None if key.algorithm() == shown.algorithm() => changed = changed.or(Some(at + 1)),
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

    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
    const OTHER: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";

    #[track_caller]
    fn check(text: &str, host: &str, port: u16, expected: Known) {
        let shown = PublicKey::from_openssh(KEY).expect("a key");
        assert_eq!(look_in(text, host, port, &shown).0, expected, "{text}");
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
    }
}
