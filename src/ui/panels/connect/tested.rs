//! What a test of a connection has found, in words.
//!
//! Apart from `data` because it is a page of its own: what the store is, what the login may do.

use super::data::{Found, Mood, sentence};
use crate::app::state::Tested;
use crate::domain::Duration;
use crate::present::escape::shown;
use crate::present::say::say;
use crate::present::span;
use crate::ui::panels::top_bar::servers;

pub fn lines(tested: &Tested) -> Vec<Found> {
    let opened = &tested.opened;
    let good = |word: String, text: String| Found {
        mood: Mood::Good,
        word,
        text,
        note: String::new(),
    };
    let mut lines = vec![Found {
        note: ms(tested.reached_ms),
        ..good(
            say!("connect-reached"),
            format!("{}, {}", shown(&opened.label, 80), opened.product),
        )
    }];
    let servers = servers(&opened.servers);
    if !servers.is_empty() {
        let cut_off = opened.servers.lag.is_some_and(|lag| !lag.is_linked);
        let mut line = good(say!("connect-servers"), servers.join(", "));
        if cut_off {
            line.mood = Mood::Lacking;
        }
        lines.push(line);
    }
    if let Some(encryption) = &opened.encryption {
        let mut line = good(say!("connect-encryption"), encryption_word(encryption));
        if encryption != "encrypted, server verified" {
            line.mood = Mood::Lacking;
        }
        lines.push(line);
    }
    if let Some(user) = &tested.user {
        let text = say!("connect-signed-in-as", user = shown(user, 60));
        lines.push(good(say!("connect-signed-in"), text));
    }
    lines.push(match opened.skew {
        Some(skew) => good(say!("connect-clock"), clock(skew)),
        None => Found {
            mood: Mood::Lacking,
            ..good(say!("connect-clock"), say!("connect-clock-none"))
        },
    });
    lines.push(match opened.missing_rights.as_slice() {
        [] => good(say!("connect-rights"), say!("connect-rights-all")),
        missing => Found {
            mood: Mood::Lacking,
            ..good(
                say!("connect-rights"),
                say!("connect-rights-lack", what = missing.join(", ")),
            )
        },
    });
    lines.push(Found {
        note: ms(tested.looked_ms),
        ..records(tested)
    });
    lines
}

/// How a connection is encrypted; what the stores tell is English.
pub fn encryption_word(told: &str) -> String {
    match told {
        "not encrypted" => say!("connect-not-encrypted"),
        "encrypted, server not verified" => say!("connect-encrypted"),
        "encrypted, server verified" => say!("connect-verified"),
        "encrypted up to the SSH host" => sentence(&say!("top-through-ssh")),
        other => sentence(other),
    }
}

fn clock(skew: Duration) -> String {
    if skew.millis() == 0 {
        return say!("connect-clock-same");
    }
    let away = match skew.millis().saturating_abs() {
        ms @ 0..=999 => format!("{ms} ms"),
        ms => span::sentence(Duration(ms)),
    };
    if skew.millis() < 0 {
        say!("connect-clock-behind", away = away)
    } else {
        say!("connect-clock-ahead", away = away)
    }
}

fn records(tested: &Tested) -> Found {
    let opened = &tested.opened;
    let sources = &opened.sources;
    if sources.is_empty() {
        let text = match opened.sampled_word {
            "tables" => say!("connect-no-records-tables", count = opened.sampled),
            _ => say!("connect-no-records-keys", count = opened.sampled),
        };
        return Found {
            mood: Mood::Lacking,
            word: say!("connect-records"),
            text,
            note: String::new(),
        };
    }
    let mut names: Vec<&str> = sources
        .iter()
        .map(|source| source.layout.as_str())
        .collect();
    names.dedup();
    let names = names.join(", ");
    Found {
        mood: Mood::Good,
        word: say!("connect-records"),
        text: say!("connect-sources", count = sources.len(), names = names),
        note: String::new(),
    }
}

fn ms(ms: u64) -> String {
    match ms {
        0..=999 => format!("{ms} ms"),
        _ => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
    }
}
