//! Lines to the PostgreSQL server that takes changes, for somebody who has no more than a socket.
//!
//! Apart from `dial` because the login on them is somebody else's.

use super::PostgresStore;
use super::dial::{Dialler, Server};
use crate::stores::target::{Endpoint, PostgresTarget, Target};
use crate::stores::wire::Stream;
use crate::stores::{StoreError, StoreErrorKind};

/// One server, of those that are named.
pub struct FarEnd {
    dialler: Dialler,
    server: Server,
    target: PostgresTarget,
}

impl FarEnd {
    /// Of several servers the one that takes changes now.
    ///
    /// Errors: none of them does, or the login is refused.
    pub async fn new(whole: &Target, target: &PostgresTarget) -> Result<FarEnd, StoreError> {
        let nobody = || StoreError::new(StoreErrorKind::Unreachable, "no server is named");
        let mut first_error = None;
        for (at, endpoint) in std::iter::once(&target.endpoint)
            .chain(&target.more)
            .enumerate()
        {
            let target = alone(target, at, endpoint);
            match PostgresStore::open(whole, &target).await {
                Ok(_) => {
                    let (dialler, servers) = Dialler::new(whole, &target);
                    let server = servers.into_iter().next().ok_or_else(nobody)?;
                    return Ok(FarEnd {
                        dialler,
                        server,
                        target,
                    });
                }
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Err(first_error.unwrap_or_else(nobody))
    }

    /// What leads to this server and to no other one.
    pub fn target(&self) -> &PostgresTarget {
        &self.target
    }

    pub async fn line(&self) -> Result<Box<dyn Stream>, StoreError> {
        self.dialler.greeted(&self.server).await
    }
}

fn alone(target: &PostgresTarget, at: usize, endpoint: &Endpoint) -> PostgresTarget {
    PostgresTarget {
        endpoint: endpoint.clone(),
        more: Vec::new(),
        singly: target.singly.get(at).cloned().into_iter().collect(),
        ..target.for_changes()
    }
}
