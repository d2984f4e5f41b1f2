//! How a line to a PostgreSQL server begins: whether TLS is asked for, what the server has to prove,
//! and what is tried after a refusal.
//!
//! Apart from `dial` because this is what `sslmode` means, and nothing else is.
//! Source: PostgreSQL manual, "SSL Support" of libpq and "SSL Session Encryption" of the protocol.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::stores::target::{Endpoint, PostgresTarget, SslMode};
use crate::stores::wire::Stream;
use crate::stores::wire::tls::{Proof, TlsClient};
use crate::stores::{StoreError, StoreErrorKind};

/// What asks a server for TLS. Source: PostgreSQL manual, "Message Formats", `SSLRequest`.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// One way to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Greeting {
    Plain,
    /// TLS with whoever it is, and plain where the server has none.
    TlsOrPlain,
    Tls(Proof),
}

/// What a line turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secured {
    No,
    /// Encrypted, and with anybody.
    Encrypted,
    Verified,
}

/// A line that a login may go over.
pub struct Greeted {
    pub line: Box<dyn Stream>,
    pub secured: Secured,
}

/// Why a greeting led nowhere.
pub struct Refused {
    pub error: StoreError,
    /// Another greeting may be taken.
    pub is_of_greeting: bool,
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Refused {
        Refused {
            error,
            is_of_greeting: false,
        }
    }
}

/// In the order in which they are tried.
///
/// Unlike libpq, `allow` and `prefer` look at no CA: what does not verify would be spoken to in plain,
/// which is worse than TLS with anybody.
pub fn greetings(target: &PostgresTarget, endpoint: &Endpoint) -> &'static [Greeting] {
    use Greeting::{Plain, Tls, TlsOrPlain};
    // A socket goes over no network.
    if let Endpoint::Unix(_) = endpoint {
        return &[Plain];
    }
    match (target.ssl, &target.tls.ca) {
        (SslMode::Disable, _) => &[Plain],
        (SslMode::Allow, _) => &[Plain, Tls(Proof::None)],
        (SslMode::Prefer, _) => &[TlsOrPlain, Plain],
        (SslMode::Require, None) => &[Tls(Proof::None)],
        // As libpq has it: with a CA at hand it is looked at.
        (SslMode::Require, Some(_)) | (SslMode::VerifyCa, _) => &[Tls(Proof::Ca)],
        (SslMode::VerifyFull, _) => &[Tls(Proof::Full)],
    }
}

/// Greets a server over a line on which nothing was said yet.
pub async fn greet(
    mut line: Box<dyn Stream>,
    greeting: Greeting,
    target: &PostgresTarget,
    endpoint: &Endpoint,
) -> Result<Greeted, Refused> {
    let proof = match greeting {
        Greeting::Plain => return Ok(plain(line)),
        Greeting::TlsOrPlain => Proof::None,
        // Everybody can have a certificate of a public CA, if its name does not matter.
        Greeting::Tls(Proof::Ca) if target.tls.ca.is_none() => {
            let text = format!(
                "{endpoint} cannot prove who it is: `sslmode=verify-ca` needs a CA of your own \
                 (`sslrootcert`, `--ca`); with those of this machine take `verify-full`"
            );
            return Err(StoreError::new(StoreErrorKind::Tls, text).into());
        }
        Greeting::Tls(proof) => proof,
    };
    let lost = |error: std::io::Error| {
        let text = format!("{endpoint} closed the connection before the login: {error}");
        StoreError::new(StoreErrorKind::Unreachable, text)
    };
    line.write_all(&SSL_REQUEST).await.map_err(lost)?;
    line.flush().await.map_err(lost)?;
    let refused = |kind, what: &str| Refused {
        error: StoreError::new(kind, format!("{endpoint} {what}")),
        is_of_greeting: true,
    };
    match line.read_u8().await.map_err(lost)? {
        b'S' => {}
        b'N' if greeting == Greeting::TlsOrPlain => return Ok(plain(line)),
        b'N' => {
            let what = "does not speak TLS, and `sslmode` wants it";
            return Err(refused(StoreErrorKind::Tls, what));
        }
        // An error in its own words, which nobody has vouched for yet: they are not passed on.
        b'E' => {
            let what = "answers with an error when it is asked for TLS";
            return Err(refused(StoreErrorKind::Unreachable, what));
        }
        _ => {
            let text = format!("{endpoint} does not answer as PostgreSQL does");
            return Err(StoreError::new(StoreErrorKind::Protocol, text).into());
        }
    }
    let client = TlsClient::new(&target.tls, proof).map_err(|problem| {
        let text = format!("{endpoint} cannot be connected to: {problem}");
        StoreError::new(StoreErrorKind::Tls, text)
    })?;
    let host = match endpoint {
        Endpoint::Tcp { host, .. } => host.as_str(),
        Endpoint::Unix(_) => "localhost",
    };
    let greeted = client.greet(line, host, &endpoint.to_string()).await;
    let line = greeted.map_err(|error| Refused {
        error,
        is_of_greeting: true,
    })?;
    Ok(Greeted {
        line: Box::new(line),
        secured: match proof {
            Proof::None => Secured::Encrypted,
            Proof::Ca | Proof::Full => Secured::Verified,
        },
    })
}

fn plain(line: Box<dyn Stream>) -> Greeted {
    Greeted {
        line,
        secured: Secured::No,
    }
}
