//! What the layer writes, the inspector reads and repairs: the layer itself is the judge.

use std::process::Command;
use std::time::Duration;

use idemscope::guard::{Lease, Policy};
use serde_json::Value as Json;

use crate::fixture::{self, Fixture, Shop};
use crate::support::process::Folder;

const A: &str = r#"{"amount": 1500}"#;

struct Inspector {
    home: Folder,
    url: String,
}

impl Inspector {
    fn of(fixture: &Fixture) -> Inspector {
        let (kind, place) = fixture.address.split_once(' ').expect("a kind and a place");
        let url = match kind {
            "sqlite" => format!("sqlite:{place}"),
            _ => place.to_owned(),
        };
        let home = Folder::new();
        Inspector { home, url }
    }

    #[track_caller]
    fn run(&self, verb: &str, more: &[&str]) -> Json {
        let mut command = Command::new(env!("CARGO_BIN_EXE_idemscope"));
        command
            .args([verb, &self.url])
            .args(more)
            .args(["--format", "json"]);
        command.env_clear().env("PATH", "/usr/bin:/bin");
        for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
            command.env(name, self.home.path());
        }
        let output = command.output().expect("the binary runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

async fn check(fixture: Fixture) {
    let policy = Policy {
        lease: Lease::Own(Duration::from_millis(1)),
        stale: idemscope::guard::Stale::Never,
        ..Policy::default()
    };
    let shop = Shop::new(&fixture, policy, "shop-1");
    shop.pay("user_42", "done", A, &[]).await;
    shop.pay("user_42", "failed", A, &["x-fail"]).await;
    let mut slow = Vec::new();
    for key in ["lost-1", "lost-2"] {
        let shop = shop.clone();
        slow.push(tokio::spawn(async move {
            shop.pay("user_42", key, A, &["x-wait"]).await
        }));
    }
    while shop.till.charges() < 4 {
        tokio::task::yield_now().await;
    }
    let inspector = Inspector::of(&fixture);
    let records = inspector.run("keys", &["--sort", "key"]);
    let told: Vec<String> = records
        .as_array()
        .expect("a list")
        .iter()
        .map(|record| {
            let text = |name: &str| record[name].as_str().unwrap_or("-").to_owned();
            assert_eq!(record["layout"], "lab-shop", "{record}");
            assert_eq!(text("scope"), "user_42 POST /payments");
            assert_eq!(text("path"), "/payments");
            format!(
                "{} {} {}",
                text("idempotency_key"),
                text("status"),
                record["stuck"]
            )
        })
        .collect();
    let expected = [
        "done completed null",
        "failed failed null",
        "lost-1 processing true",
        "lost-2 processing true",
    ];
    assert_eq!(told, expected);
    // The clients are gone for good: what they did is not known to the shop.
    slow.iter().for_each(tokio::task::JoinHandle::abort);
    repaired(&shop, &inspector).await;
}

/// The layer does with a released and a settled record what the operator meant.
async fn repaired(shop: &Shop, inspector: &Inspector) {
    let ran = inspector.run("release", &["lost-1", "--yes"]);
    assert_eq!(ran["outcomes"]["released"], 1, "{ran}");
    let again = shop.pay("user_42", "lost-1", A, &[]).await;
    assert_eq!(
        (again.status, again.replayed.as_deref()),
        (201, Some("false"))
    );
    let body = inspector.home.write("body.json", r#"{"id": "by hand"}"#);
    let body = body.display().to_string();
    let settle = [
        "lost-2",
        "--response-status",
        "202",
        "--body",
        &body,
        "--yes",
    ];
    let ran = inspector.run("settle", &settle);
    assert_eq!(ran["outcomes"]["settled"], 1, "{ran}");
    let again = shop.pay("user_42", "lost-2", A, &[]).await;
    assert_eq!(
        (again.status, again.replayed.as_deref()),
        (202, Some("true"))
    );
    assert_eq!(again.body, br#"{"id": "by hand"}"#);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_in_sqlite_are_read_and_repaired() {
    check(fixture::sqlite().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_in_redis_are_read_and_repaired() {
    check(fixture::redis().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_in_postgres_are_read_and_repaired() {
    check(fixture::postgres().await).await;
}
