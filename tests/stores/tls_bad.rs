//! Which servers are trusted over TLS, and what is said of the others.

use std::path::Path;

use idemscope::domain::Secret;
use idemscope::stores::target::{SslMode, Tls};
use idemscope::stores::{StoreErrorKind, Target};

use crate::fixture::{
    PASSWORD, check, impatient, opened, postgres_of, postgres_target, redis_of, redis_target,
    refused, trusting,
};
use crate::support::pooler::Pooler;
use crate::support::tls::{Certificates, Identity};
use crate::support::wire::silent_server;
use crate::support::{postgres, redis};

fn redis_over_tls(port: u16, ca: &Path) -> Target {
    let mut target = impatient(redis_target(port));
    redis_of(&mut target).tls = Some(trusting(ca));
    target
}

fn postgres_by(port: u16, ssl: SslMode, ca: Option<&Path>) -> Target {
    let mut target = impatient(postgres_target(port, "postgres"));
    postgres_of(&mut target).ssl = ssl;
    postgres_of(&mut target).tls = ca.map(trusting).unwrap_or_default();
    target
}

#[tokio::test]
async fn redis_with_a_certificate_that_is_not_trusted() {
    let certificates = Certificates::new();
    let cases: [(&Identity, &Path, &str); 3] = [
        (&certificates.server, &certificates.other_ca, "unknown CA"),
        (&certificates.wrong_name, &certificates.ca, "another name"),
        (&certificates.expired, &certificates.ca, "expired"),
    ];
    for (identity, ca, words) in cases {
        let server = redis::Server::options().tls(identity).start();
        let error = refused(&redis_over_tls(server.port(), ca)).await;
        check(&error, StoreErrorKind::Tls, words);
    }
}

#[tokio::test]
async fn redis_where_one_side_only_speaks_tls() {
    let certificates = Certificates::new();
    let plain = redis::Server::start();
    let error = refused(&redis_over_tls(plain.port(), &certificates.ca)).await;
    check(&error, StoreErrorKind::Tls, "does not speak TLS");
    let server = redis::Server::options().tls(&certificates.server).start();
    let error = refused(&impatient(redis_target(server.port()))).await;
    check(&error, StoreErrorKind::Unreachable, "TLS");
    let silent = silent_server();
    let error = refused(&redis_over_tls(silent.port, &certificates.ca)).await;
    check(&error, StoreErrorKind::TimedOut, "no answer");
}

#[tokio::test]
async fn redis_that_wants_a_client_certificate() {
    let certificates = Certificates::new();
    let server = redis::Server::options()
        .mutual_tls(&certificates.server, &certificates.ca)
        .start();
    let mut target = redis_over_tls(server.port(), &certificates.ca);
    let error = refused(&target).await;
    check(&error, StoreErrorKind::Tls, "client certificate");
    redis_of(&mut target).tls = Some(Tls {
        certificate: Some(certificates.client.cert_pem().into_bytes()),
        key: Some(Secret::new(certificates.client.key_pem())),
        ..trusting(&certificates.ca)
    });
    let facts = opened(&target).await.facts().await.expect("facts");
    assert_eq!(
        facts.encryption.as_deref(),
        Some("encrypted, server verified")
    );
}

#[tokio::test]
async fn a_ca_file_that_holds_none() {
    let mut target = impatient(redis_target(1));
    let tls = Tls {
        ca: Some(b"no certificate".to_vec()),
        ..Tls::default()
    };
    redis_of(&mut target).tls = Some(tls.clone());
    check(&refused(&target).await, StoreErrorKind::Tls, "certificate");
    let certificates = Certificates::new();
    let server = postgres::Server::options()
        .tls(&certificates.server)
        .start();
    let mut target = postgres_by(server.port(), SslMode::VerifyFull, None);
    postgres_of(&mut target).tls = tls;
    check(&refused(&target).await, StoreErrorKind::Tls, "CA");
}

async fn encryption(target: &Target) -> Option<String> {
    opened(target)
        .await
        .facts()
        .await
        .expect("facts")
        .encryption
}

#[tokio::test]
async fn postgres_says_how_it_is_encrypted() {
    let plain = postgres::Server::shared();
    let said = encryption(&postgres_by(plain.port(), SslMode::Prefer, None)).await;
    assert_eq!(said.as_deref(), Some("not encrypted"));
    let required = refused(&postgres_by(plain.port(), SslMode::Require, None)).await;
    check(&required, StoreErrorKind::Tls, "TLS");

    let certificates = Certificates::new();
    let server = postgres::Server::options()
        .tls(&certificates.server)
        .start();
    let ca = Some(certificates.ca.as_path());
    for (mode, words) in [
        (SslMode::Disable, "not encrypted"),
        (SslMode::Allow, "not encrypted"),
        (SslMode::Prefer, "encrypted, server not verified"),
        (SslMode::Require, "encrypted, server verified"),
        (SslMode::VerifyCa, "encrypted, server verified"),
        (SslMode::VerifyFull, "encrypted, server verified"),
    ] {
        let said = encryption(&postgres_by(server.port(), mode, ca)).await;
        assert_eq!(said.as_deref(), Some(words), "{mode:?}");
    }
    // Without a CA there is nothing to look at, or a name at least.
    let said = encryption(&postgres_by(server.port(), SslMode::Require, None)).await;
    assert_eq!(said.as_deref(), Some("encrypted, server not verified"));
    let error = refused(&postgres_by(server.port(), SslMode::VerifyCa, None)).await;
    check(&error, StoreErrorKind::Tls, "needs a CA of your own");
    let other = Some(certificates.other_ca.as_path());
    for mode in [SslMode::Require, SslMode::VerifyCa, SslMode::VerifyFull] {
        let error = refused(&postgres_by(server.port(), mode, other)).await;
        check(&error, StoreErrorKind::Tls, "unknown CA");
    }
}

#[tokio::test]
async fn postgres_with_a_certificate_that_is_not_trusted() {
    let certificates = Certificates::new();
    let ca = Some(certificates.ca.as_path());
    let server = postgres::Server::options()
        .tls(&certificates.wrong_name)
        .start();
    let error = refused(&postgres_by(server.port(), SslMode::VerifyFull, ca)).await;
    check(&error, StoreErrorKind::Tls, "another name");
    let said = encryption(&postgres_by(server.port(), SslMode::VerifyCa, ca)).await;
    assert_eq!(said.as_deref(), Some("encrypted, server verified"));
    let server = postgres::Server::options()
        .tls(&certificates.expired)
        .start();
    let error = refused(&postgres_by(server.port(), SslMode::VerifyFull, ca)).await;
    check(&error, StoreErrorKind::Tls, "expired");
}

#[tokio::test]
async fn postgres_that_takes_one_kind_of_line_only() {
    let certificates = Certificates::new();
    let only = |rule: &str| {
        let rules = format!("{rule} all all 127.0.0.1/32 trust");
        let options = postgres::Server::options().hba(&rules);
        options.tls(&certificates.server).start()
    };
    let server = only("hostssl");
    for mode in [SslMode::Allow, SslMode::Prefer, SslMode::Require] {
        let said = encryption(&postgres_by(server.port(), mode, None)).await;
        let words = Some("encrypted, server not verified");
        assert_eq!(said.as_deref(), words, "{mode:?}");
    }
    let error = refused(&postgres_by(server.port(), SslMode::Disable, None)).await;
    check(&error, StoreErrorKind::Login, "no encryption");
    let server = only("hostnossl");
    for mode in [SslMode::Disable, SslMode::Allow, SslMode::Prefer] {
        let said = encryption(&postgres_by(server.port(), mode, None)).await;
        assert_eq!(said.as_deref(), Some("not encrypted"), "{mode:?}");
    }
    let error = refused(&postgres_by(server.port(), SslMode::Require, None)).await;
    check(&error, StoreErrorKind::Login, "SSL encryption");
}

#[tokio::test]
async fn postgres_that_refuses_both_kinds_of_lines_says_so_once() {
    let certificates = Certificates::new();
    let server = postgres::Server::options()
        .hba("host all all 127.0.0.1/32 scram-sha-256")
        .tls(&certificates.server)
        .start();
    for mode in [SslMode::Allow, SslMode::Prefer] {
        let mut target = postgres_by(server.port(), mode, None);
        postgres_of(&mut target).password = Some(Secret::new(PASSWORD));
        let error = refused(&target).await;
        check(
            &error,
            StoreErrorKind::Login,
            "password authentication failed",
        );
        assert_eq!(
            error.text.matches("refuses the login").count(),
            1,
            "{error}"
        );
    }
}

#[tokio::test]
async fn postgres_that_wants_a_client_certificate() {
    let certificates = Certificates::new();
    let server = postgres::Server::options()
        .mutual_tls(&certificates.server, &certificates.ca)
        .hba("hostssl all all 127.0.0.1/32 trust clientcert=verify-ca")
        .start();
    let mut target = postgres_by(server.port(), SslMode::VerifyFull, Some(&certificates.ca));
    let error = refused(&target).await;
    check(&error, StoreErrorKind::Login, "client certificate");
    let shown = |of: &Certificates| Tls {
        certificate: Some(of.client.cert_pem().into_bytes()),
        key: Some(Secret::new(of.client.key_pem())),
        ..trusting(&certificates.ca)
    };
    postgres_of(&mut target).tls = shown(&certificates);
    let said = encryption(&target).await;
    assert_eq!(said.as_deref(), Some("encrypted, server verified"));
    postgres_of(&mut target).tls = shown(&Certificates::new());
    let error = refused(&target).await;
    check(
        &error,
        StoreErrorKind::Tls,
        "client certificate that it trusts",
    );
}

#[tokio::test]
async fn postgres_whose_tls_is_too_old() {
    let certificates = Certificates::new();
    let server = postgres::Server::options()
        .tls(&certificates.server)
        .setting("ssl_min_protocol_version", "TLSv1.1")
        .setting("ssl_max_protocol_version", "TLSv1.1")
        .start();
    let error = refused(&postgres_by(server.port(), SslMode::Require, None)).await;
    check(&error, StoreErrorKind::Tls, "too old");
    let said = encryption(&postgres_by(server.port(), SslMode::Prefer, None)).await;
    assert_eq!(said.as_deref(), Some("not encrypted"));
}

#[tokio::test]
async fn postgres_behind_a_pooler_says_what_our_line_is() {
    let certificates = Certificates::new();
    let server = postgres::Server::options()
        .tls(&certificates.server)
        .start();
    let pooler = Pooler::before(&server);
    let target = postgres_by(pooler.port(), SslMode::Prefer, None);
    assert_eq!(encryption(&target).await.as_deref(), Some("not encrypted"));
}
