//! What a server has to prove, and what we show of ourselves: `sslmode` and the files of certificates.
//!
//! Source: PostgreSQL manual, "SSL Support" of libpq, with the files that it looks for by itself.

use std::path::{Path, PathBuf};

use super::Said;
use super::hosts::Host;
use crate::config::target::{Stage, TargetError, read_pem};
use crate::domain::Secret;
use crate::stores::target::{SslMode, Tls};
use crate::sys::{files, folders};

/// The CAs of this machine, instead of a file.
const SYSTEM: &str = "system";

/// The file that is taken where none is named, if it is there.
pub fn own_file(name: &str) -> Option<PathBuf> {
    let path = folders::home()?.join(".postgresql").join(name);
    files::exists(&path).then_some(path)
}

/// Errors: no such mode, one that is too weak for what else is said, or none where the connection is
/// marked as production. A socket goes over no network.
pub fn ssl_mode(
    said: &Said,
    options: &Tls,
    hosts: &[Host],
    stage: Stage,
) -> Result<SslMode, TargetError> {
    let by_system =
        options.ca.is_none() && said.of("sslrootcert", "PGSSLROOTCERT").as_deref() == Some(SYSTEM);
    let Some(text) = said.of("sslmode", "PGSSLMODE") else {
        if by_system {
            return Ok(SslMode::VerifyFull);
        }
        if stage == Stage::Production && !hosts.iter().all(Host::is_local) {
            return Err(TargetError::with_hint(
                "this connection is marked as production, and does not say how the server proves \
                 who it is",
                "add `sslmode=verify-full` to its URL, with `sslrootcert=FILE` or `--ca FILE` for \
                 a CA of your own; or another `sslmode` on purpose",
            ));
        }
        return Ok(SslMode::default());
    };
    let mode = SslMode::named(&text).ok_or_else(|| {
        TargetError::with_hint(
            format!("`{text}` is no sslmode"),
            "disable, allow, prefer, require, verify-ca, verify-full",
        )
    })?;
    match by_system && mode != SslMode::VerifyFull {
        true => Err(TargetError::with_hint(
            format!("`sslmode={text}` is too weak for `sslrootcert=system`"),
            "use `sslmode=verify-full`: anybody can have a certificate of a public CA, for a name \
             of theirs",
        )),
        false => Ok(mode),
    }
}

/// Errors: something is required that we do not do.
pub fn check_bindings(said: &Said) -> Result<(), TargetError> {
    let binding = said.of("channel_binding", "PGCHANNELBINDING");
    match binding.as_deref() {
        None | Some("disable" | "prefer") => {}
        Some("require") => {
            return Err(TargetError::with_hint(
                "`channel_binding=require` is not served: a login is not bound to its line",
                "`sslmode=verify-full` lets the server prove who it is before anything of a login \
                 is sent; leave `channel_binding` out then",
            ));
        }
        Some(other) => {
            return Err(TargetError::with_hint(
                format!("`{other}` is no value of channel_binding"),
                "disable, prefer, require",
            ));
        }
    }
    match said.of("gssencmode", "PGGSSENCMODE").as_deref() {
        Some("require") => Err(TargetError::with_hint(
            "`gssencmode=require` is not served: lines are encrypted by TLS only",
            "leave `gssencmode` out, and say what TLS has to prove with `sslmode`",
        )),
        _ => Ok(()),
    }
}

/// Options of the command line first, then what the connection says, then the files that libpq looks
/// for by itself.
///
/// Errors: a file cannot be read, or others can read the key.
pub fn certificates(said: &Said, mut tls: Tls, mode: SslMode) -> Result<Tls, TargetError> {
    if mode == SslMode::Disable {
        return Ok(tls);
    }
    let named = |name: &str, variable: &str| said.of(name, variable).map(PathBuf::from);
    let looks_at_ca = matches!(
        mode,
        SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull
    );
    if tls.ca.is_none() && looks_at_ca {
        let path = named("sslrootcert", "PGSSLROOTCERT").or_else(|| own_file("root.crt"));
        let path = path.filter(|path| path != Path::new(SYSTEM));
        let text = path.as_deref().map(read_pem).transpose()?;
        tls.ca = text.map(String::into_bytes);
    }
    if tls.certificate.is_none() {
        let path = named("sslcert", "PGSSLCERT").or_else(|| own_file("postgresql.crt"));
        let text = path.as_deref().map(read_pem).transpose()?;
        tls.certificate = text.map(String::into_bytes);
        let own_key = || path.as_ref().and_then(|_| own_file("postgresql.key"));
        let key = named("sslkey", "PGSSLKEY").or_else(own_key);
        tls.key = key.as_deref().map(private_key).transpose()?;
    }
    Ok(tls)
}

fn private_key(path: &Path) -> Result<Secret, TargetError> {
    if files::is_key_open_to_others(path) {
        return Err(TargetError::new(format!(
            "the client key is open to others and not used (chmod 0600): {}",
            path.display()
        )));
    }
    read_pem(path).map(Secret::new)
}
