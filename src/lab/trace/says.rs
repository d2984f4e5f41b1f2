//! What a message says: its label, in the language of whoever looks.
//!
//! Apart from the messages because a label is words only when it is drawn.

mod texts;

use super::Message;
use crate::lab::world::Actor;
use crate::present::escape;
use crate::present::say::say;

/// Of what somebody else put into a message.
const WORDS_MAX: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// Method, and what it is about.
    Request {
        method: String,
        key: Option<String>,
        brief: String,
    },
    Claim(String),
    Look(String),
    Claimed,
    TakenOver,
    Free,
    InProgress,
    Done(Option<u16>),
    Save(Option<u16>),
    Release(String),
    Renew(String),
    NotOwner,
    NoAnswer,
    Charge,
    ChargeAgain,
    Refund,
    RefundAgain,
    /// What was booked.
    Booked(String),
    /// The same, and it should not have been.
    BookedAgain(String),
    /// What was booked before, under the same key.
    Known(String),
    LookUp,
    Found,
    NotFound,
    Mail,
    MailAgain,
    /// One that was sent before, under the same key.
    KnownMail,
    Acknowledged,
    Status(u16),
    Replayed(u16),
    Lost,
    CutOff,
    Crashed,
    Back,
    /// As the recorder has it.
    Text(String),
}

impl Says {
    /// The label.
    pub fn words(&self) -> String {
        match self {
            Says::Request { method, key, brief } => match key {
                Some(key) => say!("trace-request-key", method = method, key = key),
                None => format!("{method} {brief}").trim_end().to_owned(),
            },
            Says::Claim(key) => trimmed(say!("trace-claim", key = key)),
            Says::Look(key) => trimmed(say!("trace-look", key = key)),
            Says::Claimed => say!("trace-claimed"),
            Says::TakenOver => say!("trace-taken-over"),
            Says::Free => say!("trace-free"),
            Says::InProgress => say!("trace-in-progress"),
            Says::Done(status) => say!("trace-done", status = number(*status)),
            Says::Save(status) => say!("trace-save", status = number(*status)),
            Says::Release(key) => trimmed(say!("trace-release", key = key)),
            Says::Renew(key) => say!("trace-renew", key = key),
            Says::NotOwner => say!("trace-not-owner"),
            Says::NoAnswer => say!("trace-no-answer"),
            Says::Charge => say!("trace-charge"),
            Says::ChargeAgain => say!("trace-charge-again"),
            Says::Refund => say!("trace-refund"),
            Says::RefundAgain => say!("trace-refund-again"),
            Says::Booked(id) | Says::BookedAgain(id) => id.clone(),
            Says::Known(id) => say!("trace-known", id = id),
            Says::LookUp => say!("trace-look-up"),
            Says::Found => say!("trace-found"),
            Says::NotFound => say!("trace-not-found"),
            Says::Mail => say!("trace-mail"),
            Says::MailAgain => say!("trace-mail-again"),
            Says::KnownMail => say!("trace-mail-known"),
            Says::Acknowledged => say!("trace-acknowledged"),
            Says::Status(status) => status.to_string(),
            Says::Replayed(status) => say!("trace-replayed", status = status.to_string()),
            Says::Lost => say!("trace-lost"),
            Says::CutOff => say!("trace-cut-off"),
            Says::Crashed => say!("trace-crashed"),
            Says::Back => say!("trace-back"),
            Says::Text(text) => texts::told(text),
        }
    }

    /// Those that say the same but for a key or an id can be one message.
    pub fn is_like(&self, other: &Says) -> bool {
        match (self, other) {
            (
                Says::Request { method, key, .. },
                Says::Request {
                    method: m, key: k, ..
                },
            ) => method == m && key.is_some() == k.is_some(),
            (Says::Done(a), Says::Done(b)) | (Says::Save(a), Says::Save(b)) => a == b,
            (Says::Status(a), Says::Status(b)) | (Says::Replayed(a), Says::Replayed(b)) => a == b,
            (Says::Text(a), Says::Text(b)) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// Where there is little room.
    pub fn brief(&self) -> String {
        match self {
            Says::Replayed(status) | Says::Done(Some(status)) => status.to_string(),
            Says::Claim(key) | Says::Look(key) | Says::Release(key) if !key.is_empty() => {
                key.clone()
            }
            Says::Booked(id) | Says::BookedAgain(id) | Says::Known(id) => id.clone(),
            Says::InProgress => say!("trace-in-progress-brief"),
            Says::Text(text) => texts::brief(text),
            other => other.of_many().words(),
        }
    }

    /// For many that say the same, in fewer words.
    pub fn of_many(&self) -> Says {
        match self {
            Says::Request {
                method,
                key: Some(key),
                ..
            } => Says::Text(format!("{method} {key}")),
            other => other.clone(),
        }
    }

    /// For many that differ: without what only one of them has.
    pub fn of_several(&self) -> Says {
        match self {
            Says::Request { method, .. } => Says::Text(method.clone()),
            Says::Booked(id) | Says::BookedAgain(id) => Says::Text(format!("{id}…")),
            Says::Claim(_) => Says::Claim(String::new()),
            Says::Look(_) => Says::Look(String::new()),
            Says::Release(_) => Says::Release(String::new()),
            other => other.clone(),
        }
    }
}

fn trimmed(words: String) -> String {
    words.trim_end().to_owned()
}

fn number(status: Option<u16>) -> String {
    status.map(|status| status.to_string()).unwrap_or_default()
}

/// The label of a message in at most so many characters.
pub fn label(message: &Message, chars: usize) -> String {
    let many = match message.count {
        1 => String::new(),
        count => format!(" ×{count}"),
    };
    let room = chars.saturating_sub(many.chars().count());
    let mut words = escape::shown(&message.says.words(), WORDS_MAX);
    if words.chars().count() > room {
        words = escape::shown(&message.says.brief(), WORDS_MAX);
    }
    if words.chars().count() <= room {
        return format!("{words}{many}");
    }
    let cut: String = words.chars().take(room.saturating_sub(1)).collect();
    format!("{}…{many}", cut.trim_end())
}

/// What an actor is called.
pub fn actor_word(actor: &Actor, is_alone: bool) -> String {
    match actor {
        Actor::Client => say!("trace-client"),
        Actor::Proxy => say!("trace-proxy"),
        Actor::Shop(_) if is_alone => say!("trace-shop"),
        Actor::Shop(instance) => say!("trace-shop-number", number = instance.to_string()),
        Actor::Store => say!("trace-store"),
        Actor::Bank => say!("trace-bank"),
        Actor::Mailer => say!("trace-mailer"),
        Actor::Relay => say!("trace-relay"),
        Actor::Queue => say!("trace-queue"),
        Actor::Consumer => say!("trace-consumer"),
        Actor::Operator => say!("trace-operator"),
    }
}
