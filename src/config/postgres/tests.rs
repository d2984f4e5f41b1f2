//! What URLs come to, without the help of files and variables.

use std::path::PathBuf;

use super::*;
use crate::stores::target::{Endpoint, SslMode};

fn resolve(rest: &str, stage: Stage) -> Result<(PostgresTarget, Vec<String>), TargetError> {
    let parsed = parse(rest, Tls::default(), (stage, Look::Primary), || Ok(None))?;
    Ok((parsed.target, parsed.warnings))
}

#[test]
fn production_says_how_the_server_is_verified() {
    let error = resolve("u@h/db", Stage::Production).expect_err("refused");
    assert!(error.text.contains("production"), "{error}");
    for (rest, expected) in [
        ("u@h/db?sslmode=verify-full", SslMode::VerifyFull),
        ("u@h/db?sslmode=disable", SslMode::Disable),
        ("u@/db?host=/run/pg", SslMode::Prefer),
    ] {
        let (target, ..) = resolve(rest, Stage::Production).expect("a target");
        assert_eq!(target.ssl, expected, "{rest}");
    }
}

#[test]
fn a_socket_folder_may_stand_in_a_parameter() {
    let (target, _) =
        resolve("/app?host=/run/pg&port=5433&user=ada", Stage::Usual).expect("a target");
    assert_eq!(
        target.endpoint,
        Endpoint::Unix(PathBuf::from("/run/pg/.s.PGSQL.5433"))
    );
    assert_eq!(
        (target.user.as_str(), target.database.as_str()),
        ("ada", "app")
    );
}

#[test]
fn unknown_words_are_told() {
    assert!(resolve("h/db?sslmode=maybe", Stage::Usual).is_err());
    let (_, warnings) = resolve("u@h/db?colour=red", Stage::Usual).expect("a target");
    assert_eq!(
        warnings,
        ["the parameter `colour` is not known and not used"]
    );
}

#[test]
fn options_are_pairs() {
    let expected = vec![
        ("search_path".to_owned(), "a".to_owned()),
        ("x".into(), "1".into()),
    ];
    assert_eq!(options("-c search_path=a --x=1"), (expected, Vec::new()));
    // As the server reads it.
    let (pairs, others) = options("-capp.tenant=acme\\ corp --search-path=b -d");
    let pairs: Vec<String> = pairs.into_iter().map(|(k, v)| format!("{k}={v}")).collect();
    assert_eq!(pairs, ["app.tenant=acme corp", "search_path=b"]);
    assert_eq!(others, ["-d"]);
}

fn told(target: &PostgresTarget) -> String {
    format!("{} {} {}", target.user, target.endpoint, target.database)
}

#[test]
fn parameters_go_before_what_stands_in_front_of_them() {
    let of = |rest| resolve(rest, Stage::Usual).expect("a target").0;
    let target = of("u@localhost:6220/shop?host=/run/pg&user=app&dbname=other");
    assert_eq!(told(&target), "app /run/pg/.s.PGSQL.6220 other");
    let target = of("u@127.0.0.1:1/shop?host=db&port=6220");
    assert_eq!(told(&target), "u db:6220 shop");
    let target = of("u@/shop?host=a,b&port=,6220");
    assert_eq!(told(&target), "u a:5432 shop");
    assert_eq!(target.more[0].to_string(), "b:6220");
    assert_eq!(of("u@h/d?ssl=true").ssl, SslMode::Require);
    assert_eq!(
        of("u@h/d?ssl=true&sslmode=verify-full").ssl,
        SslMode::VerifyFull
    );
}

#[track_caller]
fn refused(rest: &str, words: &str) {
    let error = resolve(rest, Stage::Usual).expect_err("refused");
    assert!(error.text.contains(words), "{error}");
}

#[test]
fn an_address_is_where_a_host_is_and_no_name() {
    let (target, _) = resolve(
        "u:p@a,b:7/db?hostaddr=192.0.2.1,2001:db8::2&sslmode=disable",
        Stage::Usual,
    )
    .expect("a target");
    let ends = (target.endpoint.to_string(), target.more[0].to_string());
    assert_eq!(ends, ("a:5432".to_owned(), "b:7".to_owned()));
    let at = |server| target.address_of(server).map(|address| address.to_string());
    assert_eq!(at(0).as_deref(), Some("192.0.2.1"));
    assert_eq!(at(1).as_deref(), Some("2001:db8::2"));
    // Without a name it is what the host is called.
    let (target, _) = resolve("u:p@/db?hostaddr=::1,192.0.2.1&port=9", Stage::Usual).expect("one");
    let ends = (target.endpoint.to_string(), target.more[0].to_string());
    assert_eq!(ends, ("[::1]:9".to_owned(), "192.0.2.1:9".to_owned()));
    // One of them may be looked up.
    let (target, _) = resolve("u:p@a,b/db?hostaddr=,192.0.2.1", Stage::Usual).expect("two");
    assert_eq!(target.address_of(0), None);
    assert!(target.address_of(1).is_some());
    refused("u:p@a,b/db?hostaddr=192.0.2.1", "not as many addresses");
    refused("u:p@a/db?hostaddr=b", "is no address");
}

#[test]
fn the_cas_of_the_machine_want_the_name_too() {
    let (target, _) = resolve("u:p@h/db?sslrootcert=system", Stage::Production).expect("a target");
    assert_eq!(target.ssl, SslMode::VerifyFull);
    assert_eq!(target.tls.ca, None);
    let weak = "u:p@h/db?sslrootcert=system&sslmode=";
    for mode in ["disable", "allow", "prefer", "require", "verify-ca"] {
        refused(&format!("{weak}{mode}"), "too weak");
    }
    assert!(resolve(&format!("{weak}verify-full"), Stage::Usual).is_ok());
}

#[test]
fn what_cannot_be_served_is_refused() {
    refused("u@h/db?channel_binding=require", "not served");
    refused("u@h/db?channel_binding=maybe", "no value");
    refused("u@h/db?gssencmode=require", "not served");
    assert!(
        resolve(
            "u@h/db?channel_binding=prefer&gssencmode=prefer",
            Stage::Usual
        )
        .is_ok()
    );
}
