//! One server dialled: the line, its greeting, the login on it, and what is tried after a refusal.
//!
//! Apart from `session` because that lends connections, wherever they come from.
//! Invariants: a line over a network is opened and greeted by us, and never by the library; a login
//! that is refused is tried again only in another greeting, or with a password that was renewed.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::PoisonError;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgConnection};

use super::connect::{self, Explainer};
use super::greeting::{Greeted, Greeting, Refused, Secured, greet, greetings};
use crate::stores::target::{Endpoint, PostgresTarget, Target};
use crate::stores::wire::bridge::{Trouble, lead};
use crate::stores::wire::{Stream, Wire};
use crate::stores::{StoreError, StoreErrorKind};

/// One of those that may be taken.
pub struct Server {
    /// What it is called, and has to prove that it is.
    pub endpoint: Endpoint,
    /// Where it is, if it is not looked for by its name.
    address: Option<IpAddr>,
    options: PgConnectOptions,
}

/// A login, and what it goes over.
pub struct Line {
    pub connection: PgConnection,
    pub encryption: &'static str,
}

pub struct Dialler {
    target: PostgresTarget,
    wire: Wire,
    /// Where a socket of ours may stand until the library has come to it.
    scratch: PathBuf,
    timeout: Duration,
}

impl Dialler {
    /// With the servers of the target, in their order.
    pub fn new(whole: &Target, target: &PostgresTarget) -> (Dialler, Vec<Server>) {
        let endpoints = std::iter::once(&target.endpoint).chain(&target.more);
        let servers = endpoints.enumerate().map(|(at, endpoint)| Server {
            endpoint: endpoint.clone(),
            address: target.address_of(at),
            options: connect::options(target, target.password_of(at)),
        });
        let dialler = Dialler {
            target: target.clone(),
            wire: Wire::new(whole.ssh.as_ref(), whole.timeout),
            scratch: whole.scratch.clone(),
            timeout: whole.timeout,
        };
        (dialler, servers.collect())
    }

    /// A password that has expired is asked for anew, once.
    pub async fn signed_in(
        &self,
        server: &Server,
        explainer: &Explainer,
    ) -> Result<Line, StoreError> {
        let explainer = explainer.at(&server.endpoint);
        let refused = match self.dialled(server, &explainer).await {
            Err(error) if error.kind == StoreErrorKind::Login => error,
            other => return other,
        };
        let Some(renewal) = &self.target.renewal else {
            return Err(refused);
        };
        let password = renewal.password().await.map_err(|why| {
            let text = format!("{refused}; asked again for the password: {why}");
            StoreError::new(StoreErrorKind::Login, text)
        })?;
        *explainer
            .renewed
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(password);
        self.dialled(server, &explainer).await
    }

    async fn dialled(&self, server: &Server, explainer: &Explainer) -> Result<Line, StoreError> {
        let renewed = explainer.renewed.lock();
        let renewed = renewed.unwrap_or_else(PoisonError::into_inner).clone();
        let options = match renewed {
            Some(password) => server.options.clone().password(password.reveal()),
            None => server.options.clone(),
        };
        let mut first = None;
        for greeting in greetings(&self.target, &server.endpoint) {
            match self.attempt(server, *greeting, &options, explainer).await {
                Ok(line) => return Ok(line),
                Err(refused) => {
                    let error = match first.take() {
                        Some(first) => both(first, refused.error),
                        None => refused.error,
                    };
                    if !refused.is_of_greeting {
                        return Err(error);
                    }
                    first = Some(error);
                }
            }
        }
        Err(first.unwrap_or_else(|| explainer.silent()))
    }

    /// A line on which nobody has signed in yet.
    ///
    /// Errors: nobody answers, or not as the target wants it.
    pub async fn greeted(&self, server: &Server) -> Result<Box<dyn Stream>, StoreError> {
        let mut first = None;
        for greeting in greetings(&self.target, &server.endpoint) {
            let line = self.wire.dial(&server.reached_at()).await?;
            let greeting = greet(line, *greeting, &self.target, &server.endpoint);
            match tokio::time::timeout(self.timeout, greeting).await {
                Ok(Ok(greeted)) => return Ok(greeted.line),
                Ok(Err(refused)) => first = first.or(Some(refused.error)),
                Err(_) => first = first.or(Some(self.silent(server))),
            }
        }
        Err(first.unwrap_or_else(|| self.silent(server)))
    }

    fn silent(&self, server: &Server) -> StoreError {
        let secs = self.timeout.as_secs_f32();
        let text = format!("{} gave no answer within {secs} s", server.endpoint);
        StoreError::new(StoreErrorKind::TimedOut, text)
    }

    async fn attempt(
        &self,
        server: &Server,
        greeting: Greeting,
        options: &PgConnectOptions,
        explainer: &Explainer,
    ) -> Result<Line, Refused> {
        // The library finds a socket of this machine by itself.
        if matches!(server.endpoint, Endpoint::Unix(_)) && !self.wire.is_tunnelled() {
            let options = connect::at(options.clone(), &server.endpoint);
            let signing = tokio::time::timeout(self.timeout, options.connect()).await;
            return match signing {
                Ok(Ok(connection)) => Ok(Line {
                    connection,
                    encryption: explainer.encryption(Secured::No),
                }),
                Ok(Err(error)) => Err(explainer.connecting(&error).into()),
                Err(_) => Err(explainer.silent().into()),
            };
        }
        let line = self.wire.dial(&server.reached_at()).await?;
        let signing = async {
            let Greeted { line, secured } =
                greet(line, greeting, &self.target, &server.endpoint).await?;
            let (endpoint, trouble) = lead(line, &self.scratch, self.timeout)?;
            let options = connect::at(options.clone(), &endpoint);
            match options.connect().await {
                Ok(connection) => Ok(Line {
                    connection,
                    encryption: explainer.encryption(secured),
                }),
                Err(error) => Err(refused(explainer, &error, &trouble, greeting, secured)),
            }
        };
        match tokio::time::timeout(self.timeout, signing).await {
            Ok(done) => done,
            Err(_) => Err(explainer.silent().into()),
        }
    }
}

impl Server {
    fn reached_at(&self) -> Endpoint {
        match (&self.endpoint, self.address) {
            (Endpoint::Tcp { port, .. }, Some(address)) => Endpoint::Tcp {
                host: address.to_string(),
                port: *port,
            },
            (endpoint, _) => endpoint.clone(),
        }
    }
}

/// A login that failed. The rules of a server may allow it over the other kind of line.
fn refused(
    explainer: &Explainer,
    error: &sqlx::Error,
    trouble: &Trouble,
    greeting: Greeting,
    secured: Secured,
) -> Refused {
    if let Some(reason) = trouble.take() {
        return Refused {
            error: explainer.untrusted(&reason),
            is_of_greeting: true,
        };
    }
    // Asked for TLS and spoken to in plain, there is nothing else to try.
    let was_plain_already = greeting == Greeting::TlsOrPlain && secured == Secured::No;
    Refused {
        error: explainer.connecting(error),
        is_of_greeting: matches!(error, sqlx::Error::Database(_)) && !was_plain_already,
    }
}

/// What was said to two greetings; a refused login is what a password is asked for after.
fn both(first: StoreError, second: StoreError) -> StoreError {
    if first.text == second.text {
        return first;
    }
    let kind = match second.kind {
        StoreErrorKind::Login => StoreErrorKind::Login,
        _ => first.kind,
    };
    StoreError::new(kind, format!("{first}; tried in another way: {second}"))
}
