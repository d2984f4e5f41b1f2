//! The bank's ledger, and which of its lines were wanted.
//!
//! Apart from `build` because it looks at the whole run before the first message.

use std::collections::HashMap;

use crate::lab::trace::{About, Entry};
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
            } => Entry {
                id: id.clone(),
                amount: *amount,
                who: String::new(),
                key: None,
                is_refund: true,
                is_wanted: true,
            },
            _ => continue,
        };
        let number = entry.id.rsplit('_').next().and_then(|n| n.parse().ok());
        booked.push((number.unwrap_or(u64::MAX), &event.intent, entry));
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
