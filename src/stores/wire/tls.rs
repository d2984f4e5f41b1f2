//! TLS over a line, with the certificates and names that a target gives.
//!
//! Apart from the engines so that what is refused is refused for the same reasons, in the same words.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore,
    SignatureScheme,
};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::Stream;
use crate::stores::target::Tls;
use crate::stores::{StoreError, StoreErrorKind};

/// How much a server has to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// A certificate of a known CA for the name.
    Full,
    /// A certificate of a known CA, for whatever name.
    Ca,
    /// Nothing: encrypted, and with anybody.
    None,
}

/// What TLS lines are made with.
#[derive(Clone)]
pub struct TlsClient {
    connector: TlsConnector,
    name: Option<String>,
}

impl TlsClient {
    /// Errors: a certificate or key cannot be read; a sentence without the server.
    pub fn new(tls: &Tls, proof: Proof) -> Result<TlsClient, String> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let roots = match proof {
            Proof::None => RootCertStore::empty(),
            Proof::Full | Proof::Ca => roots(tls)?,
        };
        let builder = match proof {
            Proof::Full => builder.with_root_certificates(roots),
            Proof::Ca | Proof::None => {
                let roots = (proof == Proof::Ca).then_some(roots);
                let verifier = Arc::new(Lenient { roots, provider });
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(verifier)
            }
        };
        let config = match (&tls.certificate, &tls.key) {
            (Some(certificate), Some(key)) => {
                let chain: Result<Vec<_>, _> =
                    CertificateDer::pem_slice_iter(certificate).collect();
                let chain = chain.map_err(|_| "the client certificate cannot be read")?;
                let key = PrivateKeyDer::from_pem_slice(key.reveal().as_bytes())
                    .map_err(|_| "the client key cannot be read")?;
                builder
                    .with_client_auth_cert(chain, key)
                    .map_err(|error| format!("the client certificate is of no use: {error}"))?
            }
            _ => builder.with_no_client_auth(),
        };
        Ok(TlsClient {
            connector: TlsConnector::from(Arc::new(config)),
            name: tls.server_name.clone(),
        })
    }

    /// Greets a server over an open line.
    ///
    /// Errors: it is not who it should be, or does not speak TLS as we do; the text begins with `label`.
    pub async fn greet<S: Stream>(
        &self,
        stream: S,
        host: &str,
        label: &str,
    ) -> Result<TlsStream<S>, StoreError> {
        let name = self.name.as_deref().unwrap_or(host).to_owned();
        let fail = |what: String| StoreError::new(StoreErrorKind::Tls, format!("{label} {what}"));
        let broken =
            |what: String| StoreError::new(StoreErrorKind::Unreachable, format!("{label} {what}"));
        let server = ServerName::try_from(name.clone()).map_err(|_| {
            fail(format!(
                "cannot prove who it is: `{name}` is no name for a certificate"
            ))
        })?;
        self.connector
            .connect(server, stream)
            .await
            .map_err(|error| {
                let inner = error
                    .get_ref()
                    .and_then(|inner| inner.downcast_ref::<Error>());
                match inner {
                    Some(inner) => fail(reason(inner)),
                    // The line is to blame, and may come back.
                    None => broken(match error.kind() {
                        std::io::ErrorKind::UnexpectedEof => {
                            "closed the connection instead of greeting through TLS".to_owned()
                        }
                        _ => other(&error),
                    }),
                }
            })
    }
}

/// The CA that is given, else those of the system.
fn roots(tls: &Tls) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let Some(ca) = &tls.ca else {
        let found = rustls_native_certs::load_native_certs();
        let (added, _) = roots.add_parsable_certificates(found.certs);
        return match added {
            0 => Err("this machine knows no CA: name one with `--ca`".to_owned()),
            _ => Ok(roots),
        };
    };
    let given: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(ca).collect();
    let given = given.map_err(|_| "the CA file cannot be read")?;
    let (added, _) = roots.add_parsable_certificates(given);
    match added {
        0 => Err("the CA file holds no certificate that can be read".to_owned()),
        _ => Ok(roots),
    }
}

const EXPIRED: &str = "shows a certificate that has expired";
const OTHER_NAME: &str = "shows a certificate for another name";
const UNKNOWN_CA: &str = "shows a certificate of an unknown CA";
const TOO_OLD: &str = "speaks a TLS version that is too old";
const WANTS_ONE: &str = "wants a client certificate that it trusts (`--cert`, `--cert-key`)";

/// In one sentence, after the server's name.
pub fn reason(error: &Error) -> String {
    let words = match error {
            Error::InvalidCertificate(why) => match why {
                CertificateError::Expired | CertificateError::ExpiredContext { .. } => EXPIRED,
                CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                    "shows a certificate that is not valid yet: compare the clocks"
                }
                CertificateError::NotValidForName
                | CertificateError::NotValidForNameContext { .. } => OTHER_NAME,
                CertificateError::UnknownIssuer => UNKNOWN_CA,
                CertificateError::Revoked => "shows a certificate that was revoked",
                _ => return other(error),
            },
            Error::PeerIncompatible(_)
            | Error::AlertReceived(AlertDescription::ProtocolVersion) => TOO_OLD,
            Error::AlertReceived(
                AlertDescription::CertificateRequired
                | AlertDescription::BadCertificate
                | AlertDescription::CertificateExpired
                | AlertDescription::CertificateRevoked
                | AlertDescription::CertificateUnknown
                | AlertDescription::UnsupportedCertificate
                // A signature on it that is not of the CA that it names.
                | AlertDescription::DecryptError
                | AlertDescription::UnknownCA,
            ) => WANTS_ONE,
            Error::InvalidMessage(_) => "does not speak TLS",
            _ => return other(error),
        };
    words.to_owned()
}

/// What TLS says of a line that was greeted already; `None` where the line is to blame.
pub fn reason_of(error: &std::io::Error) -> Option<String> {
    let inner = error.get_ref()?.downcast_ref::<Error>()?;
    Some(reason(inner))
}

/// What has no words of its own.
pub fn other(error: impl std::fmt::Display) -> String {
    format!("could not be connected to through TLS: {error}")
}

/// The same from the words of a library that passes no more on; `None` where they are not about TLS.
///
/// A line that was cut is no matter of TLS, though it says that a farewell is missing: it may come back.
pub fn reason_in(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let about = [
        "certificate",
        "tls",
        "handshake",
        "alert",
        "corrupt message",
    ];
    if has(&["close_notify", "handshake eof"]) || !has(&about) {
        return None;
    }
    let alert = ["certificaterequired", "badcertificate", "unknownca"];
    let words = if has(&["alert"]) && has(&alert) {
        WANTS_ONE
    } else if has(&["expired"]) {
        EXPIRED
    } else if has(&["notvalidforname", "not valid for name"]) {
        OTHER_NAME
    } else if has(&["unknownissuer", "unknown issuer"]) {
        UNKNOWN_CA
    } else if has(&["protocol version", "protocolversion"]) {
        TOO_OLD
    } else {
        return Some(other(text));
    };
    Some(words.to_owned())
}

/// Looks at less than the whole: at the CA alone, or at nothing, as `sslmode` may want it.
#[derive(Debug)]
struct Lenient {
    roots: Option<RootCertStore>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Some(roots) = &self.roots {
            verify_server_cert_signed_by_trust_anchor(
                &ParsedCertificate::try_from(end_entity)?,
                roots,
                intermediates,
                now,
                self.provider.signature_verification_algorithms.all,
            )?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        if self.roots.is_none() {
            // Anybody may have made it: its form does not count either.
            return Ok(HandshakeSignatureValid::assertion());
        }
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        if self.roots.is_none() {
            // Anybody may have made it: its form does not count either.
            return Ok(HandshakeSignatureValid::assertion());
        }
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
