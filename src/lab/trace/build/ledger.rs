//! The bank's ledger and the mails, and which of them were wanted.
//!
//! Apart from `build` because it looks at the whole run before the first message.

use std::collections::{HashMap, HashSet};

use crate::lab::trace::{About, Entry, Mail};
use crate::lab::world::{Event, Happening};

/// All that was booked, in the bank's order, which is not that of the telling.
pub fn ledger(about: About, events: &[Event]) -> Vec<Entry> {
    let mut booked: Vec<(u64, &Option<String>, Entry)> = Vec::new();
    for event in events {
        let entry = match &event.what {
            Happening::Charged {
                id,
                deduplicated: false,
                amount,
                recipient,
                key,
            } => Entry {
                id: id.clone(),
                amount: *amount,
                who: recipient.clone(),
                key: key.clone(),
                is_refund: false,
                is_wanted: true,
            },
            Happening::Refunded {
                id,
                deduplicated: false,
                amount,
                key,
            } => Entry {
                id: id.clone(),
                amount: *amount,
                who: String::new(),
                key: key.clone(),
                is_refund: true,
                is_wanted: true,
            },
            _ => continue,
        };
        let number = number(&entry.id).unwrap_or(u64::MAX);
        booked.push((number, &event.intent, entry));
    }
    booked.sort_by_key(|(number, _, entry)| (entry.is_refund, *number));
    let mut of_intent: HashMap<(bool, &Option<String>), u64> = HashMap::new();
    let mut wanted = 0;
    for (_, intent, entry) in &mut booked {
        let before = of_intent.entry((entry.is_refund, *intent)).or_default();
        *before += 1;
        let has_room = entry.is_refund || wanted < about.wanted;
        entry.is_wanted = *before == 1 && has_room;
        wanted += u64::from(entry.is_wanted && !entry.is_refund);
    }
    booked.into_iter().map(|(_, _, entry)| entry).collect()
}

/// All that was sent, in the order of the telling. One mail for each payment is wanted.
pub fn mails(events: &[Event]) -> Vec<Mail> {
    let mut known: HashSet<(&Option<String>, &str)> = HashSet::new();
    let sent = events
        .iter()
        .filter(|event| event.what == Happening::Mailed);
    sent.map(|event| Mail {
        of: event.text.clone(),
        is_wanted: known.insert((&event.intent, &event.text)),
    })
    .collect()
}

/// The bank numbers what it books.
pub fn number(id: &str) -> Option<u64> {
    id.rsplit('_').next().and_then(|number| number.parse().ok())
}
