//! A run as a story: messages between actors, the ledger, the rows and the counters at any time.
//!
//! Apart from `world`, which records what happened, because this is for people to look at: window,
//! saved page and tests read the same story. Pure: events in, a [`Trace`] out.
//! Invariant: what is many and alike at one time is one message with a count, so that a trace of a
//! storm stays small.

pub mod axis;
mod build;
mod bundle;
pub mod moment;
pub mod says;
#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;

pub use axis::{Axis, Placed};
pub use build::build;
pub use moment::{Entry, Mail, Moment, Row, RowState};
pub use says::Says;

use super::counters::View;
use super::world::{Actor, Stored};

/// How a message is drawn, which is what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Request,
    Answer,
    /// A request that moves money.
    Effect,
    /// One that should not have been made.
    Unwanted,
    /// An answer that repeats an earlier one.
    Replay,
    /// It did not arrive.
    Lost,
    /// Something befell the actor itself.
    Mark,
}

/// One message, or several alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub from: Actor,
    pub to: Actor,
    /// As it was measured, from the beginning of the run.
    pub at_ms: u64,
    pub says: Says,
    pub kind: Kind,
    /// It begins this attempt of a client.
    pub attempt: Option<u32>,
    pub intent: Option<String>,
    /// For how many it stands.
    pub count: u32,
}

/// Something to count, with the message that brings it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// A place in the messages.
    pub message: usize,
    pub change: Change,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Attempt,
    Execution,
    /// A place in the ledger.
    Entry(usize),
    /// A place in the mails.
    Mail(usize),
    Believes {
        intent: String,
        view: View,
    },
    /// An operator did something to the record of this key.
    Repaired {
        key: String,
        outcome: String,
    },
    /// Something befell the store: what it holds was last seen before.
    Befell,
    Stored {
        at_ms: u64,
        stored: Box<Stored>,
    },
}

/// A span in which an actor is at work: from one message to another, or without an end yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// A place in the lanes.
    pub lane: usize,
    pub from: usize,
    pub to: Option<usize>,
}

/// The story of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    pub lanes: Vec<Lane>,
    pub messages: Vec<Message>,
    pub bars: Vec<Bar>,
    /// In the order of their messages.
    pub facts: Vec<Fact>,
    /// All that the bank ever booked.
    pub ledger: Vec<Entry>,
    /// All that the mailer ever sent.
    pub mails: Vec<Mail>,
    /// What the story is about.
    pub about: About,
    /// The clients have begun.
    pub has_begun: bool,
}

/// An actor with a line of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    pub actor: Actor,
    /// It is the only one of its kind.
    pub is_alone: bool,
    /// It sends or receives something.
    pub takes_part: bool,
}

/// What a trace is made of, besides events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Operations that should be charged.
    pub wanted: u64,
    pub behind: Behind,
    pub also: Also,
    pub kept: Kept,
}

/// Whether a replay starts the time anew that a record is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kept {
    #[default]
    Fixed,
    Extended,
}

/// What the story is about besides charges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Also {
    #[default]
    Nothing,
    Mails,
    Refunds,
}

/// Whether what happens behind the answer is drawn: relay, queue, consumer and mailer. Where it is,
/// the proxy makes room for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behind {
    #[default]
    Hidden,
    Shown,
}

impl Trace {
    /// The lane of an actor.
    pub fn lane(&self, actor: &Actor) -> Option<usize> {
        self.lanes.iter().position(|lane| lane.actor == *actor)
    }
}

/// From left to right.
pub fn rank(actor: &Actor) -> u16 {
    match actor {
        Actor::Operator => 0,
        Actor::Client => 1,
        Actor::Proxy => 2,
        Actor::Shop(instance) => 10 + u16::from(*instance),
        Actor::Store => 300,
        Actor::Relay => 301,
        Actor::Queue => 302,
        Actor::Consumer => 303,
        Actor::Bank => 304,
        Actor::Mailer => 305,
    }
}
