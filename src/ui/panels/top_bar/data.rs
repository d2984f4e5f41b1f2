//! What the top bar says: which store, how it is open, what is known of it.

use crate::app::State;
use crate::app::state::{Running, Servers};
use crate::app::view::{self, connection_name};
use crate::config::Colour;
use crate::domain::Duration;
use crate::present::escape;
use crate::present::say::say;
use crate::present::span;

/// How the store is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ChangesChip {
    #[default]
    ReadOnly,
    On,
    /// For a while: what is left of it.
    Timed(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopBarData {
    pub store: String,
    pub is_open: bool,
    pub colour: Colour,
    /// The word of the mark, where it is production.
    pub production: Option<String>,
    /// Whether it may be changed.
    pub changes: ChangesChip,
    /// Product, encryption, clock; joined by points.
    pub facts: String,
    /// How new rows come.
    pub live: Option<String>,
    pub is_lost: bool,
}

pub fn top_bar_data(state: &State) -> TopBarData {
    let connection = &state.connection;
    let Some(opened) = connection.store.value() else {
        let store = if connection.store.is_loading() {
            say!("stores-opening")
        } else {
            say!("stores-none")
        };
        return TopBarData {
            store,
            ..TopBarData::default()
        };
    };
    let mut facts = vec![opened.product.clone()];
    facts.extend(servers(&opened.servers));
    let sources = opened.sources.len();
    if sources > 0 {
        facts.push(say!("top-sources", count = sources));
    }
    facts.extend(opened.encryption.as_deref().map(encryption));
    facts.extend(opened.skew.map(|skew| clock(skew.millis())));
    if opened.is_demo {
        facts.push(say!("top-filled-by-lab"));
    }
    TopBarData {
        store: connection_name(connection),
        is_open: true,
        colour: connection.kept.colour,
        production: connection
            .kept
            .is_production
            .then(|| say!("stores-production")),
        changes: changes(state),
        facts: opening(state).unwrap_or_else(|| facts.join(" · ")),
        live: live(state, opened.is_demo),
        is_lost: connection.lost.is_some(),
    }
}

fn changes(state: &State) -> ChangesChip {
    let here = state.clock.here;
    match (state.changes.is_on(here), state.changes.left(here)) {
        (false, _) => ChangesChip::ReadOnly,
        (true, None) => ChangesChip::On,
        (true, Some(left)) => {
            let secs = left.millis().max(0) / 1000;
            ChangesChip::Timed(format!("{}:{:02}", secs / 60, secs % 60))
        }
    }
}

/// What is said while another store is being opened.
fn opening(state: &State) -> Option<String> {
    let (_, opening) = state.opening()?;
    let known = opening.wanted.connection.as_ref();
    let name = known.map(|known| known.name.as_ref().unwrap_or(&known.url));
    let name = name.map(|name| escape::shown(name, 60)).unwrap_or_default();
    Some(format!("{} {name}", say!("stores-opening")))
}

/// Which of several servers is looked at, and how far a replica is behind.
pub fn servers(servers: &Servers) -> Vec<String> {
    let cluster = servers.primaries;
    let cluster = cluster.map(|count| say!("top-cluster", count = count));
    let server = servers.server.as_deref();
    let server = server.map(|server| escape::shown(server, 60));
    let server = server.map(|server| match servers.is_replica {
        true => server,
        false => say!("top-primary", server = server),
    });
    let lag = servers.lag.filter(|_| servers.is_replica);
    let replica = servers.is_replica.then(|| match lag {
        Some(lag) if !lag.is_linked => say!("top-replica-cut-off"),
        Some(lag) => match lag.heard_ms {
            Some(heard) => {
                let ago = span::sentence(Duration(i64::try_from(heard).unwrap_or(i64::MAX)));
                say!("top-replica-heard", ago = ago)
            }
            None if lag.behind_bytes == Some(0) => say!("top-replica-level"),
            None => say!("top-replica"),
        },
        None => say!("top-replica"),
    });
    let part = servers.is_part.then(|| say!("top-one-node"));
    let cluster = cluster.into_iter().chain(part);
    cluster.chain(server).chain(replica).collect()
}

/// The words of stores, said in the language of the window.
fn encryption(words: &str) -> String {
    match words {
        "not encrypted" => say!("top-not-encrypted"),
        "encrypted, server verified" => say!("top-encrypted"),
        "encrypted, server not verified" => say!("top-not-verified"),
        "encrypted up to the SSH host" => say!("top-through-ssh"),
        other => other.to_owned(),
    }
}

fn clock(skew_ms: i64) -> String {
    match skew_ms {
        -999..=999 => {
            let skew = format!("{skew_ms:+}").replace('-', "\u{2212}");
            say!("top-clock", skew = skew)
        }
        _ => {
            let away = span::sentence(Duration(skew_ms.saturating_abs()));
            if skew_ms < 0 {
                say!("top-clock-behind", away = away)
            } else {
                say!("top-clock-ahead", away = away)
            }
        }
    }
}

fn live(state: &State, is_demo: bool) -> Option<String> {
    let is_counting = state.keys.scan.running == Running::First;
    if state.connection.lost.is_some() || is_counting || state.keys.scan.read_at.is_none() {
        None
    } else if is_demo && state.settings.live_secs > 0 {
        Some(say!("top-live"))
    } else {
        let every = Duration(view::live_every_ms(state)? as i64);
        Some(say!("top-live-every", every = span::sentence(every)))
    }
}
