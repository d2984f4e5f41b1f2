//! Events as messages, in their order.
//!
//! Apart from `bundle` because this knows what each event means, and that only which are alike.

use std::collections::HashMap;

use super::bundle::bundle;
use super::{About, Bar, Change, Entry, Fact, Kind, Lane, Mails, Message, Says, Trace, rank};
use crate::lab::counters::{Seen, View};
use crate::lab::world::{Actor, Asked, Event, Happening, Said, Stored};

/// The story that events tell.
pub fn build(about: About, events: &[Event]) -> Trace {
    let mut builder = Builder {
        about,
        ..Builder::default()
    };
    for event in events {
        builder.take(event);
    }
    builder.finish()
}

/// An attempt of an intent.
type Attempt = (Option<String>, Option<u32>);

#[derive(Default)]
struct Builder {
    about: About,
    messages: Vec<Message>,
    facts: Vec<Fact>,
    ledger: Vec<Entry>,
    has_begun: bool,
    /// What each attempt asked, and with which method.
    asked: HashMap<Attempt, Says>,
    /// What the shop answered last to each.
    answered: HashMap<Attempt, (Says, Kind)>,
    last_at: HashMap<Attempt, u64>,
    /// Charges and refunds, by intent.
    booked: HashMap<(Option<String>, Book), u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Book {
    Charge,
    Refund,
}

impl Builder {
    fn take(&mut self, event: &Event) {
        let attempt = (event.intent.clone(), event.attempt);
        match &event.what {
            Happening::Began => self.has_begun = true,
            Happening::Sent { key, brief } => self.sent(event, key.as_ref(), brief),
            // Nobody's attempt: the experiment itself looks.
            Happening::Seen if event.intent.is_none() => {}
            Happening::Seen => {
                let known = self.asked.get(&attempt).cloned();
                let says = known.unwrap_or_else(|| Says::Text(event.text.clone()));
                let (from, to) = (Actor::Proxy, event.from.clone());
                self.add(event, (from, to), says, Kind::Request);
            }
            Happening::Execution => self.fact(Change::Execution),
            Happening::Charged { id, deduplicated, amount, recipient, key } => {
                let entry = Entry {
                    id: id.clone(),
                    amount: *amount,
                    who: recipient.clone(),
                    key: key.clone(),
                    is_refund: false,
                    is_wanted: true,
                };
                self.booked(event, Book::Charge, entry, *deduplicated);
            }
            Happening::Refunded { id, deduplicated, amount } => {
                let entry = Entry {
                    id: id.clone(),
                    amount: *amount,
                    who: String::new(),
                    key: None,
                    is_refund: true,
                    is_wanted: true,
                };
                self.booked(event, Book::Refund, entry, *deduplicated);
            }
            Happening::LookedUp { found } => {
                let shop = event.from.clone();
                self.add(event, (shop.clone(), Actor::Bank), Says::LookUp, Kind::Request);
                let says = if *found { Says::Found } else { Says::NotFound };
                self.add(event, (Actor::Bank, shop), says, Kind::Answer);
            }
            Happening::Mailed => {
                if self.about.mails == Mails::Shown {
                    let ends = (event.from.clone(), event.to.clone());
                    self.add(event, ends, Says::Mail, Kind::Effect);
                }
                self.fact(Change::Mail);
            }
            Happening::Stored(stored) => self.stored(event, stored),
            Happening::Answered { outcome, status } => {
                let (says, kind) = match outcome.as_str() {
                    "replayed" | "waited_replay" => (Says::Replayed(*status), Kind::Replay),
                    _ => (Says::Status(*status), Kind::Answer),
                };
                self.answered.insert(attempt, (says.clone(), kind));
                self.add(event, (event.from.clone(), Actor::Proxy), says, kind);
            }
            Happening::Received { status } => {
                let known = self.answered.get(&attempt).cloned();
                let (says, kind) = known.unwrap_or((Says::Status(*status), Kind::Answer));
                self.add(event, (event.from.clone(), event.to.clone()), says, kind);
                self.believes(event, Some(*status));
            }
            Happening::Lost => {
                let was_answered = self.answered.contains_key(&attempt);
                let says = if was_answered { Says::Lost } else { Says::CutOff };
                self.add(event, (event.from.clone(), event.to.clone()), says, Kind::Lost);
                self.believes(event, None);
            }
            Happening::Crashed => self.mark(event, Says::Crashed),
            Happening::Restarted => self.mark(event, Says::Back),
            Happening::StoreFailed => {
                let ends = (event.from.clone(), Actor::Store);
                self.add(event, ends, Says::NoAnswer, Kind::Lost);
            }
            // What is rarer says itself.
            other => self.other(event, other),
        }
    }

    fn other(&mut self, event: &Event, what: &Happening) {
        let says = Says::Text(event.text.clone());
        if event.from == event.to {
            return self.mark(event, says);
        }
        let kind = match what {
            Happening::Suppressed { .. } => Kind::Replay,
            Happening::Acknowledged { .. } => Kind::Answer,
            _ => Kind::Request,
        };
        self.add(event, (event.from.clone(), event.to.clone()), says, kind);
    }

    fn sent(&mut self, event: &Event, key: Option<&String>, brief: &str) {
        let (method, path) = event.text.split_once(' ').unwrap_or((&event.text, ""));
        let says = Says::Request {
            method: method.to_owned(),
            key: key.cloned(),
            brief: if brief.is_empty() { path } else { brief }.to_owned(),
        };
        let attempt = (event.intent.clone(), event.attempt);
        self.asked.insert(attempt.clone(), says.clone());
        self.answered.remove(&attempt);
        let ends = (event.from.clone(), event.to.clone());
        self.add(event, ends, says, Kind::Request);
        if let Some(message) = self.messages.last_mut() {
            message.attempt = event.attempt;
        }
        self.fact(Change::Attempt);
    }

    fn booked(&mut self, event: &Event, book: Book, mut entry: Entry, is_known: bool) {
        let shop = event.from.clone();
        let id = entry.id.clone();
        let (first, again) = match book {
            Book::Charge => (Says::Charge, Says::ChargeAgain),
            Book::Refund => (Says::Refund, Says::RefundAgain),
        };
        if is_known {
            self.add(event, (shop.clone(), Actor::Bank), first, Kind::Request);
            return self.add(event, (Actor::Bank, shop), Says::Known(id), Kind::Replay);
        }
        let all = self.ledger.iter().filter(|known| known.is_refund == entry.is_refund);
        let wanted_so_far = all.filter(|known| known.is_wanted).count() as u64;
        let of_intent = self.booked.entry((event.intent.clone(), book)).or_default();
        *of_intent += 1;
        let has_room = match book {
            Book::Charge => wanted_so_far < self.about.wanted,
            Book::Refund => true,
        };
        entry.is_wanted = *of_intent == 1 && has_room;
        let (says, kind) = match entry.is_wanted {
            true => (first, Kind::Effect),
            false => (again, Kind::Unwanted),
        };
        self.add(event, (shop.clone(), Actor::Bank), says, kind);
        self.ledger.push(entry);
        self.fact(Change::Entry(self.ledger.len() - 1));
        self.add(event, (Actor::Bank, shop), Says::Booked(id), Kind::Answer);
    }

    fn stored(&mut self, event: &Event, stored: &Stored) {
        let shop = event.from.clone();
        let key = || stored.key.clone();
        let says = match stored.asked {
            Asked::Claim => Says::Claim(key()),
            Asked::Look => Says::Look(key()),
            Asked::Save => Says::Save(stored.status),
            Asked::Release => Says::Release(key()),
            Asked::Renew => Says::Renew(key()),
        };
        let attempt = (event.intent.clone(), event.attempt);
        let not_before = self.last_at.get(&attempt).copied().unwrap_or_default();
        let asked_at = event.at_ms.saturating_sub(stored.took_ms).max(not_before);
        let asked = Event {
            at_ms: asked_at.min(event.at_ms),
            ..event.clone()
        };
        self.add(&asked, (shop.clone(), Actor::Store), says, Kind::Request);
        let answer = match stored.said {
            Said::Claimed => Some((Says::Claimed, Kind::Answer)),
            Said::TakenOver => Some((Says::TakenOver, Kind::Answer)),
            Said::Free => Some((Says::Free, Kind::Answer)),
            Said::InProgress => Some((Says::InProgress, Kind::Answer)),
            Said::Finished => Some((Says::Done(stored.status), Kind::Replay)),
            Said::NotOwner => Some((Says::NotOwner, Kind::Answer)),
            Said::Failed => Some((Says::NoAnswer, Kind::Lost)),
            // It is done, and nothing more is to be said of it.
            Said::Saved | Said::Released | Said::Forgotten | Said::Renewed => None,
        };
        if let Some((says, kind)) = answer {
            self.add(event, (Actor::Store, shop), says, kind);
        }
        self.fact(Change::Stored {
            at_ms: event.at_ms,
            stored: Box::new(stored.clone()),
        });
    }

    fn believes(&mut self, event: &Event, status: Option<u16>) {
        let asked = self.asked.get(&(event.intent.clone(), event.attempt));
        let method = match asked {
            Some(Says::Request { method, .. }) => method.clone(),
            _ => String::new(),
        };
        let intent = event.intent.clone().unwrap_or_default();
        let seen = Seen {
            intent: intent.clone(),
            attempt: event.attempt.unwrap_or_default(),
            user: String::new(),
            method,
            status,
            id: None,
        };
        let view = View::of(&seen);
        self.fact(Change::Believes { intent, view });
    }

    fn mark(&mut self, event: &Event, says: Says) {
        let ends = (event.from.clone(), event.from.clone());
        self.add(event, ends, says, Kind::Mark);
    }

    fn add(&mut self, event: &Event, (from, to): (Actor, Actor), says: Says, kind: Kind) {
        let attempt = (event.intent.clone(), event.attempt);
        self.last_at.insert(attempt, event.at_ms);
        self.messages.push(Message {
            from,
            to,
            at_ms: event.at_ms,
            says,
            kind,
            attempt: None,
            intent: event.intent.clone(),
            count: 1,
        });
    }

    fn fact(&mut self, change: Change) {
        let message = self.messages.len().saturating_sub(1);
        self.facts.push(Fact { message, change });
    }

    fn finish(self) -> Trace {
        let (messages, facts) = bundle(self.messages, self.facts);
        let mut trace = Trace {
            lanes: lanes(&messages),
            messages,
            bars: Vec::new(),
            facts,
            ledger: self.ledger,
            wanted: self.about.wanted,
            has_begun: self.has_begun,
        };
        trace.bars = bars(&trace);
        trace
    }
}

/// Those that always stand there, and whoever else takes part.
fn lanes(messages: &[Message]) -> Vec<Lane> {
    let takes_part = |actor: &Actor| {
        let mut all = messages.iter();
        all.any(|message| message.from == *actor || message.to == *actor)
    };
    let always = [
        Actor::Client,
        Actor::Proxy,
        Actor::Shop(1),
        Actor::Store,
        Actor::Bank,
    ];
    let mut actors: Vec<Actor> = always.to_vec();
    for message in messages {
        for actor in [&message.from, &message.to] {
            if !actors.contains(actor) {
                actors.push(actor.clone());
            }
        }
    }
    actors.sort_by_key(rank);
    let is_shop = |actor: &&Actor| matches!(actor, Actor::Shop(_));
    let shops = actors.iter().filter(is_shop).count();
    let lane = |actor: Actor| Lane {
        is_alone: shops == 1 || !is_shop(&&actor),
        takes_part: takes_part(&actor),
        actor,
    };
    actors.into_iter().map(lane).collect()
}

/// When shops and bank are at work.
fn bars(trace: &Trace) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    // By lane: the open bar, and how many requests it has.
    let mut open: HashMap<usize, (usize, u32)> = HashMap::new();
    for (at, message) in trace.messages.iter().enumerate() {
        let begins = match (&message.from, &message.to) {
            (Actor::Proxy, Actor::Shop(_)) | (_, Actor::Bank) => trace.lane(&message.to),
            _ => None,
        };
        let ends = match (&message.from, &message.to) {
            (Actor::Shop(_), Actor::Proxy) | (Actor::Bank, _) => trace.lane(&message.from),
            _ => None,
        };
        if let Some(lane) = begins {
            match open.get_mut(&lane) {
                Some((_, depth)) => *depth += message.count,
                None => {
                    open.insert(lane, (bars.len(), message.count));
                    bars.push(Bar {
                        lane,
                        from: at,
                        to: None,
                    });
                }
            }
        }
        let is_crash = message.says == Says::Crashed;
        let ended = if is_crash { trace.lane(&message.from) } else { ends };
        let Some(lane) = ended else { continue };
        let Some((bar, depth)) = open.get_mut(&lane) else { continue };
        *depth = if is_crash { 0 } else { depth.saturating_sub(message.count) };
        if *depth == 0 {
            if let Some(bar) = bars.get_mut(*bar) {
                bar.to = Some(at);
            }
            open.remove(&lane);
        }
    }
    bars
}
