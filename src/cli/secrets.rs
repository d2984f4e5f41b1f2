//! Opens a store, and asks on the terminal for a password or a passphrase that nobody wrote down.
//!
//! Apart from `open` because a script has nobody to ask: without a terminal, and with `--quiet`, the
//! refusal is all there is.

use super::error::{CliError, Code};
use super::options::CommonOptions;
use crate::inspect::Session;
use crate::present::escape;
use crate::stores::{StoreError, StoreErrorKind, Target};
use crate::sys::terminal;

/// As often as `ssh` asks.
const PASSPHRASES_MAX: usize = 3;

/// Errors: it does not open, and nothing that may be asked for would change that.
pub async fn open(target: &mut Target, common: &CommonOptions) -> Result<Session, CliError> {
    let may_ask = !common.quiet && terminal::stdin_is_terminal() && terminal::stderr_is_terminal();
    let mut passphrases = 0;
    loop {
        let error = match Session::open(target).await {
            Ok(session) => return Ok(session),
            Err(error) => error,
        };
        match error.kind {
            StoreErrorKind::Passphrase if may_ask && passphrases < PASSPHRASES_MAX => {
                passphrases += 1;
                let secret = ask(&error, "Passphrase: ").await?;
                target.give_passphrase(&secret);
            }
            StoreErrorKind::Login if may_ask => match target.password() {
                // One that is known was refused.
                None | Some(Some(_)) => return Err(error.into()),
                Some(None) => {
                    let secret = ask(&error, "Password: ").await?;
                    if let Some(password) = target.password() {
                        *password = Some(secret);
                    }
                }
            },
            _ => return Err(error.into()),
        }
    }
}

/// Says what was refused, and asks.
async fn ask(error: &StoreError, what: &str) -> Result<crate::domain::Secret, CliError> {
    let question = format!("{}\n{what}", escape::shown(&error.text, 500));
    let asked = tokio::task::spawn_blocking(move || terminal::ask_secret(&question)).await;
    match asked {
        Ok(Ok(secret)) if !secret.reveal().is_empty() => Ok(secret),
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::Interrupted => {
            let text = "interrupted before a record was read";
            Err(CliError::new(Code::Partly, text))
        }
        _ => Err(error.clone().into()),
    }
}
