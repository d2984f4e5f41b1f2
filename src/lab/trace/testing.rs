//! Made-up events of three taps, for the tests of traces, panels and pictures.

use crate::lab::world::{Actor, Asked, Event, Happening, Said, Stored};

/// A run's events, one after the other.
#[derive(Debug, Default)]
pub struct Script {
    pub events: Vec<Event>,
    pub now: u64,
    pub attempt: u32,
}

impl Script {
    pub fn put(&mut self, from: Actor, to: Actor, what: Happening, text: &str) {
        self.events.push(Event {
            at_ms: self.now,
            from,
            to,
            what,
            intent: Some("i1".to_owned()),
            attempt: Some(self.attempt),
            text: text.to_owned(),
        });
        self.now += 3;
    }

    pub fn sent(&mut self, key: Option<&str>) {
        self.attempt += 1;
        let what = Happening::Sent {
            key: key.map(str::to_owned),
            brief: "1500".to_owned(),
        };
        self.put(Actor::Client, Actor::Proxy, what, "POST /payments");
        self.put(shop(), Actor::Client, Happening::Seen, "POST /payments");
    }

    pub fn stored(&mut self, asked: Asked, said: Said, status: Option<u16>) {
        let what = Happening::Stored(Stored {
            asked,
            said,
            scope: "user_42 POST /payments".to_owned(),
            key: "k1".to_owned(),
            fingerprint: "3f2a9c41d80e".to_owned(),
            status,
            bytes: status.map_or(0, |_| 84),
            lease_ms: 4_000,
            retention_ms: 20_000,
            took_ms: 1,
        });
        self.put(shop(), Actor::Store, what, "");
    }

    pub fn charged(&mut self, number: u32) {
        let execution = Happening::Execution;
        self.put(shop(), Actor::Store, execution, "executes");
        let what = Happening::Charged {
            id: format!("ch_{number}"),
            deduplicated: false,
            amount: 1_500,
            recipient: "user_42".to_owned(),
            key: None,
        };
        self.put(shop(), Actor::Bank, what, "");
        let id = format!("ch_{number}");
        self.put(shop(), Actor::Mailer, Happening::Mailed, &id);
    }

    pub fn answered(&mut self, outcome: &str) {
        let what = Happening::Answered {
            outcome: outcome.to_owned(),
            status: 201,
        };
        self.put(shop(), Actor::Client, what, "");
    }

    pub fn lost(&mut self) {
        let lost = Happening::Lost;
        self.put(Actor::Proxy, Actor::Client, lost, "answer lost");
    }

    pub fn received(&mut self) {
        let what = Happening::Received { status: 201 };
        self.put(Actor::Proxy, Actor::Client, what, "201");
    }
}

fn shop() -> Actor {
    Actor::Shop(1)
}

fn begun() -> Script {
    let mut script = Script::default();
    script.put(Actor::Client, Actor::Client, Happening::Began, "begins");
    script.now = 2;
    script
}

/// Without a key: two answers are lost, three charges.
pub fn without() -> Vec<Event> {
    let mut script = begun();
    for number in 1_u32..=3 {
        script.now = u64::from(number - 1) * 1_000 + 2;
        script.sent(None);
        script.charged(number);
        script.answered("unprotected");
        if number < 3 {
            script.lost();
        } else {
            script.received();
        }
    }
    script.events
}

/// With a key: one charge, two replays.
pub fn with() -> Vec<Event> {
    let mut script = begun();
    for number in 1_u32..=3 {
        script.now = u64::from(number - 1) * 1_000 + 2;
        script.sent(Some("k1"));
        if number == 1 {
            script.stored(Asked::Claim, Said::Claimed, None);
            script.charged(1);
            script.stored(Asked::Save, Said::Saved, Some(201));
            script.answered("executed");
        } else {
            script.stored(Asked::Claim, Said::Finished, Some(201));
            script.answered("replayed");
        }
        if number < 3 {
            script.lost();
        } else {
            script.received();
        }
    }
    script.events
}
