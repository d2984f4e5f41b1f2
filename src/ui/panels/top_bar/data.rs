//! What the top bar says: which store, how it is open, what is known of it.

use crate::app::State;
use crate::app::state::Running;
use crate::app::view;
use crate::present::span;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopBarData {
    pub store: String,
    pub is_open: bool,
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
            "Opening…"
        } else {
            "No store"
        };
        return TopBarData {
            store: store.to_owned(),
            ..TopBarData::default()
        };
    };
    let mut facts = vec![opened.product.clone()];
    match opened.sources.len() {
        0 => {}
        1 => facts.push("1 source".to_owned()),
        count => facts.push(format!("{count} sources")),
    }
    facts.extend(opened.encryption.clone());
    facts.extend(opened.skew.map(|skew| clock(skew.millis())));
    if opened.is_demo {
        facts.push("filled by the lab".to_owned());
    }
    TopBarData {
        store: super::super::store_name(opened),
        is_open: true,
        facts: facts.join(" · "),
        live: live(state, opened.is_demo),
        is_lost: connection.lost.is_some(),
    }
}

fn clock(skew_ms: i64) -> String {
    match skew_ms {
        -999..=999 => format!("clock {skew_ms:+} ms").replace('-', "\u{2212}"),
        _ => {
            let away = span::sentence(crate::domain::Duration(skew_ms.saturating_abs()));
            let way = if skew_ms < 0 { "behind" } else { "ahead" };
            format!("clock {away} {way}")
        }
    }
}

fn live(state: &State, is_demo: bool) -> Option<String> {
    let is_counting = state.keys.scan.running == Running::First;
    if state.connection.lost.is_some() || is_counting || state.keys.scan.read_at.is_none() {
        None
    } else if is_demo && state.settings.live_secs > 0 {
        Some("Live".to_owned())
    } else {
        let every = crate::domain::Duration(view::live_every_ms(state)? as i64);
        Some(format!("Live, every {}", span::sentence(every)))
    }
}
