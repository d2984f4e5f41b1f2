//! Finds the primary of a name, or one of its replicas, and asks it whether it is one.
//!
//! Apart from `connect` because sentinels are other servers, with fewer commands. Invariant: what a
//! sentinel says is believed only after the server itself said that it is what was looked for; a
//! primary that was cut off may be told for a while.

use std::time::Duration;

use ::redis::aio::MultiplexedConnection;
use ::redis::{Pipeline, Value};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::timeout;

use super::connect::{Connector, Phase};
use super::{push, text_of};
use crate::stores::target::{Endpoint, Look};
use crate::stores::{StoreError, StoreErrorKind};

/// Replicas that are looked at.
const REPLICAS_MAX: usize = 100;
/// How long the others are waited for when one sentinel has answered.
const GRACE: Duration = Duration::from_millis(500);

/// Whose word is enough.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// Most of those that answer: what is read can be read again.
    OfThoseThatAnswer,
    /// At least half of all, and more than name any other.
    OfMost,
}

/// The server to talk to: the primary that most sentinels name, since one that is cut off from the
/// others names what was.
///
/// Errors: no sentinel answers, none knows the name, or a replica is wanted and none is up.
pub async fn find(
    connector: &Connector,
    sentinels: &[Endpoint],
    master: &str,
    look: Look,
    word: Word,
) -> Result<Endpoint, StoreError> {
    let mut asked: FuturesUnordered<_> = sentinels
        .iter()
        .map(|sentinel| told_by(connector, sentinel, master, look))
        .collect();
    let mut votes: Vec<(Endpoint, usize)> = Vec::new();
    let mut first_error = None;
    loop {
        let next = match votes.is_empty() {
            true => asked.next().await,
            false => timeout(GRACE, asked.next()).await.unwrap_or_default(),
        };
        match next {
            None => break,
            // Which replica it is is all the same.
            Some(Ok(Some(endpoint))) if look == Look::Replica => return Ok(endpoint),
            Some(Ok(Some(endpoint))) => {
                if vote(&mut votes, endpoint) > sentinels.len() / 2 {
                    break;
                }
            }
            Some(Ok(None)) => {
                let text = match look {
                    Look::Primary => format!("no sentinel knows a primary named `{master}`"),
                    Look::Replica => format!("no replica of `{master}` is up"),
                };
                // Of all that may be wrong this says the most.
                first_error = Some(StoreError::new(StoreErrorKind::Unreachable, text));
            }
            Some(Err(error)) => first_error = first_error.or(Some(error)),
        }
    }
    votes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let others = votes.get(1).map_or(0, |(_, count)| *count);
    match votes.into_iter().next() {
        Some((_, count))
            if word == Word::OfMost && (count * 2 < sentinels.len() || count == others) =>
        {
            let all = sentinels.len();
            let text = format!(
                "only {count} of {all} sentinels named a primary of `{master}`, which is too few to \
                 change anything there"
            );
            Err(StoreError::new(StoreErrorKind::Unreachable, text))
        }
        Some((endpoint, _)) => Ok(endpoint),
        None => {
            let nobody = || StoreError::new(StoreErrorKind::Unreachable, "no sentinel is named");
            Err(first_error.unwrap_or_else(nobody))
        }
    }
}

/// How many have named it by now.
fn vote(votes: &mut Vec<(Endpoint, usize)>, endpoint: Endpoint) -> usize {
    match votes.iter_mut().find(|(known, _)| *known == endpoint) {
        Some((_, count)) => {
            *count += 1;
            *count
        }
        None => {
            votes.push((endpoint, 1));
            1
        }
    }
}

async fn told_by(
    connector: &Connector,
    sentinel: &Endpoint,
    master: &str,
    look: Look,
) -> Result<Option<Endpoint>, StoreError> {
    let question: &[u8] = match look {
        Look::Primary => b"GET-MASTER-ADDR-BY-NAME",
        Look::Replica => b"REPLICAS",
    };
    let mut pipeline = Pipeline::new();
    push(&mut pipeline, "SENTINEL", &[question, master.as_bytes()]);
    let mut answer = Value::Nil;
    for login in connector.sentinel_logins() {
        let node = connector.at_sentinel(sentinel, login);
        answer = send(&node, node.connect_here().await?, &pipeline).await?;
        let asks = matches!(&answer, Value::ServerError(error) if error.code() == "NOAUTH");
        if !asks {
            break;
        }
    }
    match (answer, look) {
        (Value::Array(parts), Look::Primary) => Ok(address(&parts)),
        (Value::Array(replicas), Look::Replica) => {
            let up = replicas.iter().take(REPLICAS_MAX).filter_map(replica);
            Ok(up.min_by_key(|(behind, _)| *behind).map(|(_, at)| at))
        }
        (Value::Nil, _) => Ok(None),
        (Value::ServerError(error), _) => {
            let said = error.details().unwrap_or(error.code());
            if said.contains("No such master") {
                return Ok(None);
            }
            let kind = match error.code() {
                "NOAUTH" | "WRONGPASS" => StoreErrorKind::Login,
                "NOPERM" => StoreErrorKind::Denied,
                _ => StoreErrorKind::Unsupported,
            };
            let own = match kind {
                StoreErrorKind::Login => " (IDEMSCOPE_SENTINEL_PASSWORD is theirs alone)",
                _ => "",
            };
            let text = format!(
                "the sentinel {sentinel} was asked for `{master}` and answered: {said}{own}"
            );
            Err(StoreError::new(kind, text))
        }
        _ => {
            let text = format!("{sentinel} does not answer as a sentinel does");
            Err(StoreError::new(StoreErrorKind::Protocol, text))
        }
    }
}

async fn send(
    connector: &Connector,
    mut connection: MultiplexedConnection,
    pipeline: &Pipeline,
) -> Result<Value, StoreError> {
    let answers = connection.send_packed_commands(pipeline, 0, 1).await;
    let answers = answers.map_err(|error| connector.explain(&error, Phase::Talking))?;
    Ok(answers.into_iter().next().unwrap_or(Value::Nil))
}

/// A replica of the server that is named, or that server itself where it is one.
///
/// Errors: it is not reached, or has none.
pub async fn replica_of(connector: &Connector) -> Result<Endpoint, StoreError> {
    let here = connector.endpoint();
    let connection = connector.connect_here().await?;
    let parts = role(connector, connection).await?;
    let Some(Value::Array(replicas)) = parts.get(2) else {
        return Ok(here.clone());
    };
    // Host, port and how far it has come.
    let known = replicas.iter().take(REPLICAS_MAX).filter_map(|told| {
        let Value::Array(parts) = told else {
            return None;
        };
        let offset: i64 = parts.get(2).and_then(text_of)?.parse().ok()?;
        Some((offset, address(parts)?))
    });
    let ahead = known.max_by_key(|(offset, _)| *offset);
    ahead.map(|(_, endpoint)| endpoint).ok_or_else(|| {
        let text = format!("{here} has no replica to look at");
        StoreError::new(StoreErrorKind::Unreachable, text)
    })
}

/// What `ROLE` says, from `master` or `slave` on.
async fn role(
    node: &Connector,
    connection: MultiplexedConnection,
) -> Result<Vec<Value>, StoreError> {
    let mut pipeline = Pipeline::new();
    push(&mut pipeline, "ROLE", &[]);
    match send(node, connection, &pipeline).await? {
        Value::Array(parts) => Ok(parts),
        Value::ServerError(error) => {
            let said = error.details().unwrap_or(error.code());
            let kind = match error.code() {
                "NOAUTH" | "WRONGPASS" => StoreErrorKind::Login,
                "LOADING" => StoreErrorKind::Unreachable,
                _ => StoreErrorKind::Denied,
            };
            let text = format!(
                "{} does not say whether it is the primary: {said}",
                node.label()
            );
            Err(StoreError::new(kind, text))
        }
        _ => {
            let text = format!("{} does not say what it is in words we know", node.label());
            Err(StoreError::new(StoreErrorKind::Protocol, text))
        }
    }
}

/// Whether a server is what it was looked for: a primary that was cut off may be told for a while, and
/// a replica may have become a primary.
///
/// Errors: it is not.
pub async fn confirm(
    node: &Connector,
    connection: MultiplexedConnection,
    look: Look,
) -> Result<(), StoreError> {
    let parts = role(node, connection).await?;
    let role = parts.first().and_then(text_of).unwrap_or_default();
    match (look, role.as_str()) {
        (Look::Primary, "master") | (Look::Replica, "slave" | "replica") => Ok(()),
        (look, role) => {
            let wanted = match look {
                Look::Primary => "the primary",
                Look::Replica => "a replica",
            };
            let text = format!(
                "{} is not {wanted} at the moment, but `{role}`",
                node.label()
            );
            Err(StoreError::new(StoreErrorKind::Unreachable, text))
        }
    }
}

/// Host and port, as two texts.
fn address(parts: &[Value]) -> Option<Endpoint> {
    let host = parts.first().and_then(text_of)?;
    let port = parts.get(1).and_then(text_of)?.parse().ok()?;
    Some(Endpoint::Tcp { host, port })
}

/// A replica that is up, and how long its line to the primary is down.
fn replica(told: &Value) -> Option<(u64, Endpoint)> {
    let pairs: Vec<(String, String)> = match told {
        Value::Array(words) => words
            .chunks(2)
            .filter_map(|pair| Some((text_of(pair.first()?)?, text_of(pair.get(1)?)?)))
            .collect(),
        Value::Map(pairs) => pairs
            .iter()
            .filter_map(|(name, value)| Some((text_of(name)?, text_of(value)?)))
            .collect(),
        _ => return None,
    };
    let of = |name: &str| {
        let pair = pairs.iter().find(|(known, _)| known == name);
        pair.map(|(_, value)| value.as_str())
    };
    let flags = of("flags").unwrap_or_default();
    let is_down = ["s_down", "o_down", "disconnected"]
        .iter()
        .any(|down| flags.contains(down));
    if is_down {
        return None;
    }
    let behind = of("master-link-down-time").and_then(|ms| ms.parse().ok());
    let (host, port) = (of("ip")?.to_owned(), of("port")?.parse().ok()?);
    Some((behind.unwrap_or(0), Endpoint::Tcp { host, port }))
}
