//! Lines to the Redis server that takes changes, signed in, for somebody who has no more than a socket.
//!
//! Apart from `connect` because here the bytes of somebody else follow the login. Invariant: a line is
//! handed on only when the server took the login and the database.

use ::redis::{Cmd, cmd};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::cluster::{Cluster, slot};
use super::connect::Connector;
use crate::stores::target::{Look, RedisTarget, Shape, Ssh};
use crate::stores::wire::Stream;
use crate::stores::{StoreError, StoreErrorKind};

/// An answer to a login is no longer.
const ANSWER_MAX: usize = 1_000;

/// Knows the way anew for each line.
pub struct FarEnd {
    connector: Connector,
    /// The cluster, and the slot whose owner is meant.
    part: Option<(Cluster, u16)>,
}

impl FarEnd {
    /// In a cluster the node that has `key` now.
    ///
    /// Errors: no node tells, or what was given for TLS is of no use.
    pub async fn new(
        target: &RedisTarget,
        ssh: Option<&Ssh>,
        timeout: std::time::Duration,
        key: &str,
    ) -> Result<FarEnd, StoreError> {
        let target = target.for_changes();
        let part = match &target.shape {
            Shape::Cluster { .. } => {
                let cluster = Cluster::open(&target, ssh, timeout).await?;
                Some((cluster, slot(key.as_bytes())))
            }
            Shape::Single | Shape::Sentinel { .. } => None,
        };
        let connector = Connector::new(&target, ssh, timeout)?;
        Ok(FarEnd { connector, part })
    }

    /// Errors: nobody takes changes at the moment, or the login is refused.
    pub async fn line(&self) -> Result<Box<dyn Stream>, StoreError> {
        let node = match &self.part {
            None => match self.connector.named_now().await? {
                Some(endpoint) => self.connector.at(&endpoint, Look::Primary),
                None => self.connector.here(),
            },
            Some((cluster, slot)) => {
                let map = cluster.refresh(None).await?;
                let owner = map.owner(*slot).ok_or_else(|| {
                    let text = format!("no node of the cluster has slot {slot}");
                    StoreError::new(StoreErrorKind::Unreachable, text)
                })?;
                self.connector.at(&owner.endpoint, Look::Primary)
            }
        };
        let mut line = node.line().await?;
        for (words, kind) in node.login_commands() {
            told(&node, &mut line, &words, kind).await?;
        }
        Ok(line)
    }
}

impl Connector {
    /// What is said first, and what it means where it is refused.
    fn login_commands(&self) -> Vec<(Cmd, StoreErrorKind)> {
        let login = self.newest_login();
        let mut commands = Vec::new();
        if let Some(password) = login.password() {
            let mut auth = cmd("AUTH");
            if let Some(user) = login.username() {
                auth.arg(user);
            }
            auth.arg(password);
            commands.push((auth, StoreErrorKind::Login));
        }
        if self.target.database != 0 {
            let mut select = cmd("SELECT");
            select.arg(self.target.database);
            commands.push((select, StoreErrorKind::Denied));
        }
        commands
    }
}

async fn told(
    node: &Connector,
    line: &mut Box<dyn Stream>,
    command: &Cmd,
    kind: StoreErrorKind,
) -> Result<(), StoreError> {
    let lost = |error: std::io::Error| {
        let text = format!("{} closed the line at the login: {error}", node.label());
        StoreError::new(StoreErrorKind::Unreachable, text)
    };
    let asking = async {
        line.write_all(&command.get_packed_command()).await?;
        line.flush().await?;
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n") && answer.len() < ANSWER_MAX {
            answer.push(line.read_u8().await?);
        }
        Ok(answer)
    };
    let answer: Result<Vec<u8>, std::io::Error> =
        match tokio::time::timeout(node.timeout, asking).await {
            Ok(answer) => answer,
            Err(_) => return Err(node.silent()),
        };
    let answer = answer.map_err(lost)?;
    match answer.starts_with(b"+") {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&answer);
            let said = said.trim_start_matches('-').trim_end();
            let text = format!("{} answered at the login: {said}", node.label());
            Err(StoreError::new(kind, text))
        }
    }
}
