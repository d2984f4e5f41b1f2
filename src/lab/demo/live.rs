//! The demo store while somebody looks at it: a real shop behind the layer, and clients that pay,
//! retry, fail and now and then leave a lock behind by a real crash.
//!
//! Apart from the records of the past, which are made at once: these come one by one, over HTTP.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::body::Bytes;
use hyper::Request;

use super::{SEED, key, path};
use crate::lab::http;
use crate::lab::service::{Ground, Service, Wanted};
use crate::lab::shop::StoreChoice;
use crate::lab::switches::{Events, Scope, Switches};
use crate::sys::clock;

const PATIENCE: Duration = Duration::from_secs(5);
/// One operation in so many is cut off by a crash of the shop: a few locks in an hour.
const CRASH_EVERY: u64 = 150;
/// The first of them comes while somebody still looks.
const CRASH_AT: u64 = 12;

/// The shop of the demo store, ended when this is dropped.
#[derive(Debug)]
pub struct LiveShop {
    service: Service,
    random: fastrand::Rng,
    number: u64,
}

impl LiveShop {
    /// Opens the shop on the demo store as it is.
    ///
    /// Errors: it could not be started; a sentence.
    pub async fn open(program: PathBuf, file: &Path) -> Result<LiveShop, String> {
        let switches = Switches {
            s1: Scope::User,
            lease_ms: 300_000,
            retention_ms: 86_400_000,
            // Nobody carries an outbox here.
            o1: Events::InlineLast,
            ..Switches::default()
        };
        let wanted = Wanted {
            program,
            store: StoreChoice::Sqlite {
                path: file.to_owned(),
            },
            ground: Ground::AsItIs,
            switches,
            port: 0,
            instances: 1,
            execution_ms: 40,
        };
        let now = clock::now().millis().unsigned_abs();
        Ok(LiveShop {
            service: Service::start(&wanted).await?,
            random: fastrand::Rng::with_seed(SEED ^ now),
            number: 0,
        })
    }

    /// One more operation of one more client, with its retries.
    pub async fn next(&mut self) {
        let Some(shop) = self.service.addresses.first().copied() else {
            return;
        };
        self.number += 1;
        let number = self.number;
        let operation = Operation {
            key: key(&mut self.random),
            user: format!("user_{}", self.random.u32(1..1_000)),
            path: match path(&mut self.random).as_str() {
                "/orders" => "/orders",
                "/payments/{id}/refund" => "/refunds",
                _ => "/payments",
            },
            amount: self.random.i64(120..48_000),
            client: match self.random.u8(0..3) {
                0 => "checkout-web/5.1",
                1 => "checkout-ios/8.4",
                _ => "backoffice/3.1",
            },
        };
        let fault = match number {
            _ if number % CRASH_EVERY == CRASH_AT => Some("after_execute_before_save"),
            _ if number % 31 == 9 => Some("execute_fails_before_effect"),
            _ => None,
        };
        operation.send(shop, 1, fault).await;
        // Some answers do not arrive, and some customers press twice.
        if number % 5 == 2 {
            operation.send(shop, 2, None).await;
        }
    }
}

struct Operation {
    key: String,
    user: String,
    path: &'static str,
    amount: i64,
    client: &'static str,
}

impl Operation {
    async fn send(&self, shop: SocketAddr, attempt: u32, fault: Option<&str>) {
        let mut request = Request::builder()
            .method("POST")
            .uri(self.path)
            .header("content-type", "application/json")
            .header("idempotency-key", &self.key)
            .header("user-agent", self.client)
            .header("x-lab-user", &self.user)
            .header("x-lab-attempt", attempt);
        if let Some(fault) = fault {
            request = request.header("x-lab-fault", fault);
        }
        let body = Bytes::from(format!(r#"{{"amount": {}}}"#, self.amount));
        if let Ok(request) = request.body(body) {
            // What comes of it stands in the store.
            let _ = http::send(shop, request, PATIENCE).await;
        }
    }
}
