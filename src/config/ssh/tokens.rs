//! What `%h` and the like stand for in an SSH configuration.
//!
//! Source: `ssh_config(5)`, "TOKENS" and "ENVIRONMENT VARIABLES". One that is not followed is an
//! error: a path with it left in it would be another path.

use super::said::Config;
use crate::config::target::TargetError;
use crate::sys::env;

/// The tokens of a path to a key or to known hosts.
pub const PATHS: &str = "dhjkLlnpru";

#[derive(Clone, Debug)]
pub struct Tokens {
    home: String,
    local_user: String,
    /// As it was typed.
    typed: String,
    pub host: String,
    pub port: u16,
    pub user: String,
    /// The name that the host's key is known by, where it is another one.
    pub key_name: Option<String>,
    pub jumps: String,
}

impl Tokens {
    pub fn of(host: &str, config: &Config) -> Tokens {
        let home = config.folder.parent().unwrap_or(&config.folder);
        Tokens {
            home: home.display().to_string(),
            local_user: config.local_user.clone(),
            typed: host.to_owned(),
            host: host.to_ascii_lowercase(),
            port: super::PORT,
            user: String::new(),
            key_name: None,
            jumps: String::new(),
        }
    }

    /// Puts in what these tokens, and variables, stand for.
    ///
    /// Errors: there is another token, or a variable that is not set.
    pub fn expand(&self, text: &str, known: &str) -> Result<String, TargetError> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['%', '$']) {
            let (before, after) = rest.split_at(at);
            out.push_str(before);
            rest = match after
                .strip_prefix("${")
                .and_then(|after| after.split_once('}'))
            {
                Some((name, after)) => {
                    let value = env::var(name).ok_or_else(|| {
                        TargetError::new(format!(
                            "`{text}` in ~/.ssh/config names a variable that is not set"
                        ))
                    })?;
                    out.push_str(&value);
                    after
                }
                None => {
                    let mut chars = after.chars();
                    match (chars.next(), chars.clone().next()) {
                        (Some('%'), Some('%')) => out.push('%'),
                        (Some('%'), Some(token)) if known.contains(token) => {
                            out.push_str(&self.value(token))
                        }
                        (Some('%'), _) => {
                            let text = format!(
                                "`{text}` in ~/.ssh/config has a token that is not followed"
                            );
                            return Err(TargetError::new(text));
                        }
                        // A dollar of its own.
                        _ => {
                            out.push('$');
                            rest = chars.as_str();
                            continue;
                        }
                    }
                    chars.next();
                    chars.as_str()
                }
            };
        }
        out.push_str(rest);
        Ok(out)
    }

    fn value(&self, token: char) -> String {
        let own_host = || env::host_name().unwrap_or_default();
        match token {
            'd' => self.home.clone(),
            'h' => self.host.clone(),
            'j' => self.jumps.clone(),
            'k' => self.key_name.clone().unwrap_or_else(|| self.typed.clone()),
            'L' => own_host().split('.').next().unwrap_or_default().to_owned(),
            'l' => own_host(),
            'n' => self.typed.clone(),
            'p' => self.port.to_string(),
            'r' => self.user.clone(),
            'u' => self.local_user.clone(),
            _ => String::new(),
        }
    }
}
