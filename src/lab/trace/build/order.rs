//! Events in the order in which they happened, where they were told in another one.
//!
//! Whoever acts tells of it afterwards, and of many at once one is told before another that came
//! first. Apart from `build` because it does not ask how anything is drawn.
//! Invariant: every event comes once, and none later than it was told.

use std::collections::{HashMap, VecDeque};

use super::ledger::number;
use crate::lab::world::{Event, Happening};

#[derive(Default)]
pub struct Order<'e> {
    /// Charges that are to come, by the numbers that the bank gave them.
    charges: VecDeque<(u64, &'e Event)>,
    /// Messages that are to be put into the queue, by their ids.
    published: HashMap<&'e str, VecDeque<&'e Event>>,
    /// Those whose turn came early, and which are still to be told.
    early: HashMap<&'e str, u32>,
    /// How often each was put into the queue beyond what was handed out.
    waiting: HashMap<&'e str, u32>,
}

impl<'e> Order<'e> {
    pub fn of(events: &'e [Event]) -> Order<'e> {
        let mut order = Order::default();
        let mut charges: Vec<(u64, &Event)> = Vec::new();
        for event in events {
            match &event.what {
                Happening::Published { id } => {
                    order.published.entry(id).or_default().push_back(event);
                }
                _ => charges.extend(charge_number(event).map(|number| (number, event))),
            }
        }
        charges.sort_by_key(|(number, _)| *number);
        order.charges = charges.into();
        order
    }

    /// Hands on what has happened by the time at which this is told, itself the last.
    pub fn until(&mut self, event: &'e Event, mut happened: impl FnMut(&Event)) {
        let early = match &event.what {
            Happening::Published { id } => return self.published(event, id, happened),
            Happening::Delivered { id } => self.put_before(event, id),
            _ => match charge_number(event) {
                Some(told) => return self.booked(event, told, happened),
                None => None,
            },
        };
        early.iter().for_each(&mut happened);
        happened(event);
    }

    /// By then all with smaller numbers had been booked as well.
    fn booked(&mut self, event: &Event, told: u64, mut happened: impl FnMut(&Event)) {
        while let Some((number, first)) = self.charges.front().copied()
            && number <= told
        {
            happened(&not_after(first, event));
            self.charges.pop_front();
        }
    }

    fn published(&mut self, event: &'e Event, id: &'e str, mut happened: impl FnMut(&Event)) {
        let early = self.early.entry(id).or_default();
        if *early > 0 {
            *early -= 1;
            return;
        }
        self.take_published(id);
        *self.waiting.entry(id).or_default() += 1;
        happened(event);
    }

    fn take_published(&mut self, id: &str) -> Option<&'e Event> {
        self.published.get_mut(id)?.pop_front()
    }

    /// What is handed out was put in before, unless it comes again.
    fn put_before(&mut self, event: &'e Event, id: &'e str) -> Option<Event> {
        let waiting = self.waiting.entry(id).or_default();
        if *waiting > 0 {
            *waiting -= 1;
            return None;
        }
        let put = self.take_published(id)?;
        *self.early.entry(id).or_default() += 1;
        Some(not_after(put, event))
    }
}

fn not_after(event: &Event, other: &Event) -> Event {
    Event {
        at_ms: event.at_ms.min(other.at_ms),
        ..event.clone()
    }
}

fn charge_number(event: &Event) -> Option<u64> {
    match &event.what {
        Happening::Charged {
            id,
            deduplicated: false,
            ..
        } => number(id),
        _ => None,
    }
}
