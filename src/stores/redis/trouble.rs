//! Puts what goes wrong with a connection into our words.
//!
//! Apart from `connect` because a library's errors say little, and some only one look more can tell.
//! Invariant: no text holds a password.

use std::sync::PoisonError;

use ::redis::{ErrorKind, RedisError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::connect::{Connector, Phase};
use crate::stores::target::Endpoint;
use crate::stores::wire::Wire;
use crate::stores::wire::tls::reason_in;
use crate::stores::{StoreError, StoreErrorKind};

impl Connector {
    /// Why nothing was understood on a new connection, by one look without the library: it says
    /// only that the line broke.
    pub async fn diagnose(&self, error: StoreError) -> StoreError {
        let endpoint = &self.target.endpoint;
        if matches!(endpoint, Endpoint::Unix(_)) {
            return error;
        }
        if self.target.tls.is_some() && error.kind == StoreErrorKind::Lost {
            let what =
                "closed the connection after the handshake: it may want a client certificate";
            return StoreError::new(StoreErrorKind::Tls, format!("{} {what}", self.label()));
        }
        let looked = tokio::time::timeout(self.timeout / 4, first_byte(&self.wire, endpoint)).await;
        let (kind, what) = match (looked, &self.target.tls) {
            (Ok(Ok(Some(b'+' | b'-'))), Some(_)) => (
                StoreErrorKind::Tls,
                "does not speak TLS, but answers without",
            ),
            (Err(_) | Ok(Ok(Some(b'+' | b'-'))), _) | (_, Some(_)) => return error,
            // A TLS server answers with an alert, or with nothing.
            (Ok(Ok(Some(21) | None) | Err(BrokenOff::Talking)), None) => (
                StoreErrorKind::Unreachable,
                "closes the connection at once: it may want TLS (`rediss://`)",
            ),
            (Ok(Err(BrokenOff::Connecting)), None) => return error,
            (Ok(Ok(Some(_))), None) => (
                StoreErrorKind::Protocol,
                "does not answer as Redis does: it is another kind of server",
            ),
        };
        StoreError::new(kind, format!("{} {what}", self.label()))
    }

    pub fn silent(&self) -> StoreError {
        let text = format!(
            "{} gave no answer within {} s",
            self.label(),
            self.timeout.as_secs_f32()
        );
        StoreError::new(StoreErrorKind::TimedOut, text)
    }

    pub fn explain(&self, error: &RedisError, phase: Phase) -> StoreError {
        let text = self.scrubbed(error.to_string());
        if error.is_timeout() || text.to_lowercase().contains("timed out") {
            return self.silent();
        }
        let of_tls = match self.target.tls {
            Some(_) => reason_in(&text),
            None => None,
        };
        let (kind, what) = match error.kind() {
            // The crate keeps to itself what the server said.
            ErrorKind::AuthenticationFailed => {
                self.refused("the password is wrong, or it does not know the user")
            }
            ErrorKind::Server(_) | ErrorKind::Extension => self.answered(error, text),
            ErrorKind::Parse | ErrorKind::UnexpectedReturnType => (
                StoreErrorKind::Protocol,
                "does not answer as Redis does: another kind of server, or one that wants TLS"
                    .to_owned(),
            ),
            _ => match (of_tls, phase) {
                (Some(reason), _) => (StoreErrorKind::Tls, reason),
                (None, Phase::Talking) => (
                    StoreErrorKind::Lost,
                    format!("closed the connection: {text}"),
                ),
                (None, Phase::Connecting) => (
                    StoreErrorKind::Unreachable,
                    format!("cannot be reached: {text}"),
                ),
            },
        };
        StoreError::new(kind, format!("{} {what}", self.label()))
    }

    /// Without the password, and without the one that took its place.
    fn scrubbed(&self, text: String) -> String {
        let renewed = self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        let all = self.target.password.iter().chain(renewed.as_ref());
        all.fold(text, |text, password| password.scrub(&text))
    }

    fn refused(&self, text: &str) -> (StoreErrorKind, String) {
        let user = self.target.user.as_deref().unwrap_or("default");
        (
            StoreErrorKind::Login,
            format!("refuses the login of user `{user}`: {text}"),
        )
    }

    /// An error that the server itself sent.
    fn answered(&self, error: &RedisError, text: String) -> (StoreErrorKind, String) {
        let said = error.detail().map_or(text.clone(), str::to_owned);
        let said = self.scrubbed(said);
        match error.code().unwrap_or_default() {
            "WRONGPASS" | "NOAUTH" => self.refused(&said),
            "NOPERM" => (StoreErrorKind::Denied, format!("does not allow it: {said}")),
            "LOADING" => (
                StoreErrorKind::Unreachable,
                "is still loading its data".to_owned(),
            ),
            _ if said.contains("DB index") => (
                StoreErrorKind::Unreachable,
                format!("has no database {}: {said}", self.target.database),
            ),
            code => (
                StoreErrorKind::Protocol,
                format!("answered with an error: {code} {said}"),
            ),
        }
    }
}

/// Where a look broke off.
enum BrokenOff {
    Connecting,
    Talking,
}

/// The first byte of what is said to a `PING`; `None` if the line is closed without a word.
async fn first_byte(wire: &Wire, endpoint: &Endpoint) -> Result<Option<u8>, BrokenOff> {
    let stream = wire.dial(endpoint).await;
    let mut stream = stream.map_err(|_| BrokenOff::Connecting)?;
    let talk = async {
        stream.write_all(b"PING\r\n").await?;
        let mut byte = [0];
        let count = stream.read(&mut byte).await?;
        Ok(byte.first().copied().filter(|_| count > 0))
    };
    talk.await.map_err(|_: std::io::Error| BrokenOff::Talking)
}
