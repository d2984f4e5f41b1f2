//! Events as messages, in their order.
//!
//! Apart from `bundle` because this knows what each event means, and that only which are alike.

mod effects;
mod lanes;
mod ledger;
mod order;

use std::collections::{HashMap, HashSet};

use self::effects::Book;
use self::lanes::{bars, lanes};
use self::ledger::{ledger, mails};
use self::order::Order;
use super::bundle::bundle;
use super::{About, Behind, Change, Entry, Fact, Kind, Mail, Message, Says, Trace};
use crate::lab::counters::{Seen, View};
use crate::lab::world::{Actor, Asked, Event, Happening, Said, Stored};

/// The story that events tell.
pub fn build(about: About, events: &[Event]) -> Trace {
    let mut builder = Builder {
        about,
        ledger: ledger(about, events),
        mails: mails(events),
        ..Builder::default()
    };
    let mut order = Order::of(events);
    for event in events {
        order.until(event, |happened| builder.take(happened));
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
    mails: Vec<Mail>,
    /// Mails that were told so far.
    mails_told: usize,
    has_begun: bool,
    /// What each attempt asked, and with which method.
    asked: HashMap<Attempt, Says>,
    /// Those that go to the shop without a proxy.
    direct: HashSet<Attempt>,
    /// What the shop answered last to each, by the status.
    answered: HashMap<(Attempt, u16), Answer>,
    was_answered: HashSet<Attempt>,
    last_at: HashMap<Attempt, u64>,
}

/// Where the proxy makes room, what it does is done by whoever is behind it.
fn without_proxy(from: Actor, to: Actor) -> (Actor, Actor) {
    match (from, to) {
        (Actor::Proxy, Actor::Client) => (Actor::Shop(1), Actor::Client),
        (Actor::Proxy, to) => (Actor::Client, to),
        (Actor::Client, Actor::Proxy) => (Actor::Client, Actor::Shop(1)),
        (from, Actor::Proxy) => (from, Actor::Client),
        ends => ends,
    }
}

/// Whether an actor comes after the answer.
fn is_behind(actor: &Actor) -> bool {
    matches!(
        actor,
        Actor::Relay | Actor::Queue | Actor::Consumer | Actor::Mailer
    )
}

/// What the shop answered.
#[derive(Clone)]
struct Answer {
    says: Says,
    kind: Kind,
    progress: Progress,
}

/// Whether an answer says what came of it, or that another request is at work.
#[derive(Clone, Copy)]
enum Progress {
    Done,
    Open,
}

impl Builder {
    fn take(&mut self, event: &Event) {
        let attempt = (event.intent.clone(), event.attempt);
        match &event.what {
            Happening::Began => self.has_begun = true,
            Happening::Sent { key, brief } => self.sent(event, key.as_ref(), brief),
            // Nobody's attempt: the experiment itself looks.
            Happening::Seen if event.intent.is_none() || self.direct.contains(&attempt) => {}
            Happening::Seen => {
                let known = self.asked.get(&attempt).cloned();
                let says = known.unwrap_or_else(|| Says::Text(event.text.clone()));
                let from = self.before_shop();
                let ends = (from.clone(), event.from.clone());
                self.add(event, ends, says, Kind::Request);
                if from == Actor::Client
                    && let Some(message) = self.messages.last_mut()
                {
                    message.attempt = event.attempt;
                }
            }
            Happening::Execution => self.fact(Change::Execution),
            Happening::Charged {
                id, deduplicated, ..
            } => self.booked(event, Book::Charge, id, *deduplicated),
            Happening::Refunded {
                id, deduplicated, ..
            } => self.booked(event, Book::Refund, id, *deduplicated),
            Happening::LookedUp { found } => {
                let shop = event.from.clone();
                self.add(
                    event,
                    (shop.clone(), Actor::Bank),
                    Says::LookUp,
                    Kind::Request,
                );
                let says = if *found { Says::Found } else { Says::NotFound };
                self.add(event, (Actor::Bank, shop), says, Kind::Answer);
            }
            Happening::Mailed => self.mailed(event),
            Happening::Stored(stored) => self.stored(event, stored),
            Happening::Answered { .. } | Happening::Received { .. } | Happening::Lost => {
                self.answer(event, attempt);
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

    /// An answer on its way to the client.
    fn answer(&mut self, event: &Event, attempt: Attempt) {
        match &event.what {
            Happening::Answered { outcome, status } => {
                let (says, kind) = match outcome.as_str() {
                    "replayed" | "waited_replay" => (Says::Replayed(*status), Kind::Replay),
                    _ => (Says::Status(*status), Kind::Answer),
                };
                let answer = Answer {
                    says: says.clone(),
                    kind,
                    progress: match outcome.as_str() {
                        "in_progress" | "stale_owner" => Progress::Open,
                        _ => Progress::Done,
                    },
                };
                self.answered.insert((attempt.clone(), *status), answer);
                self.was_answered.insert(attempt.clone());
                if !self.direct.contains(&attempt) {
                    let ends = (event.from.clone(), self.before_shop());
                    self.add(event, ends, says, kind);
                }
            }
            Happening::Received { status } => {
                let known = self.answered.get(&(attempt, *status)).cloned();
                let answer = known.unwrap_or(Answer {
                    says: Says::Status(*status),
                    kind: Kind::Answer,
                    progress: Progress::Done,
                });
                let (says, kind) = (answer.says, answer.kind);
                if self.about.behind == Behind::Hidden {
                    let ends = (event.from.clone(), event.to.clone());
                    self.add(event, ends, says, kind);
                }
                self.believes(event, Some((*status, answer.progress)));
            }
            Happening::Lost => {
                let was_answered = self.was_answered.contains(&attempt);
                let says = if was_answered {
                    Says::Lost
                } else {
                    Says::CutOff
                };
                self.add(
                    event,
                    (event.from.clone(), event.to.clone()),
                    says,
                    Kind::Lost,
                );
                self.believes(event, None);
            }
            _ => {}
        }
    }

    fn other(&mut self, event: &Event, what: &Happening) {
        let says = match what {
            Happening::Acknowledged { .. } => Says::Acknowledged,
            // It was handed the message's id, and its text is the payment.
            Happening::Suppressed { .. } if event.to == Actor::Mailer => Says::KnownMail,
            _ => Says::Text(event.text.clone()),
        };
        if event.from == event.to {
            self.mark(event, says);
            if *what == Happening::StoreEvent {
                self.fact(Change::Befell);
            }
            return;
        }
        let kind = match what {
            Happening::Suppressed { .. } => Kind::Replay,
            Happening::Acknowledged { .. } => Kind::Answer,
            Happening::SagaStep if event.to == Actor::Queue => Kind::Answer,
            _ => Kind::Request,
        };
        // Whoever it is handed to tells of it, and the queue delivers.
        let is_handed_out = match what {
            Happening::Delivered { .. } => true,
            Happening::SagaStep => event.to == Actor::Queue,
            _ => false,
        };
        let ends = match is_handed_out {
            true => (event.to.clone(), event.from.clone()),
            false => (event.from.clone(), event.to.clone()),
        };
        self.add(event, ends, says, kind);
        if let (Happening::Repaired { outcome }, Some((key, _))) =
            (what, event.text.split_once(": "))
        {
            self.fact(Change::Repaired {
                key: key.to_owned(),
                outcome: outcome.clone(),
            });
        }
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
        self.was_answered.remove(&attempt);
        if matches!(event.to, Actor::Shop(_)) {
            self.direct.insert(attempt);
        }
        if self.about.behind == Behind::Hidden {
            let ends = (event.from.clone(), event.to.clone());
            self.add(event, ends, says, Kind::Request);
            if let Some(message) = self.messages.last_mut() {
                message.attempt = event.attempt;
            }
        }
        self.fact(Change::Attempt);
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

    fn believes(&mut self, event: &Event, answer: Option<(u16, Progress)>) {
        let asked = self.asked.get(&(event.intent.clone(), event.attempt));
        let method = match asked {
            Some(Says::Request { method, .. }) => method.clone(),
            _ => String::new(),
        };
        let intent = event.intent.clone().unwrap_or_default();
        let seen = Seen {
            intent: intent.clone(),
            attempt: event.attempt.unwrap_or_default(),
            method,
            status: answer.map(|(status, _)| status),
            is_in_progress: matches!(answer, Some((_, Progress::Open))),
            ..Seen::default()
        };
        let view = View::of(&seen);
        self.fact(Change::Believes { intent, view });
    }

    fn mark(&mut self, event: &Event, says: Says) {
        let ends = (event.from.clone(), event.from.clone());
        self.add(event, ends, says, Kind::Mark);
    }

    /// Who hands requests to the shop.
    fn before_shop(&self) -> Actor {
        match self.about.behind {
            Behind::Hidden => Actor::Proxy,
            Behind::Shown => Actor::Client,
        }
    }

    fn add(&mut self, event: &Event, (from, to): (Actor, Actor), says: Says, kind: Kind) {
        if self.about.behind == Behind::Hidden && (is_behind(&from) || is_behind(&to)) {
            return;
        }
        let (from, to) = match self.about.behind {
            Behind::Hidden => (from, to),
            Behind::Shown => without_proxy(from, to),
        };
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
            lanes: lanes(&messages, self.about.behind),
            messages,
            bars: Vec::new(),
            facts,
            ledger: self.ledger,
            mails: self.mails,
            about: self.about,
            has_begun: self.has_begun,
        };
        trace.bars = bars(&trace);
        trace
    }
}
