//! The queue: hands each message out at least once, and again until it is acknowledged.
//!
//! Faults of the way are its own: a message that comes twice, and one that another overtakes.
//! Bound: a message that fails three times is parked, where it is seen.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::guard::Note;

/// A message is parked when it has failed so often.
const TRIES_MAX: u32 = 3;
/// Messages that wait.
const WAITING_MAX: usize = 10_000;

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    pub seq: u64,
    pub message: Note,
    #[serde(default)]
    tries: u32,
}

/// What goes wrong on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disorder {
    /// Messages of this topic come twice.
    Twice { topic: String },
    /// Messages of one topic wait until one of the other was handled.
    Overtaken { topic: String, by: String },
}

#[derive(Debug, Default)]
pub struct Queue {
    waiting: VecDeque<Taken>,
    out: Vec<Taken>,
    held: Vec<Taken>,
    parked: Vec<Note>,
    disorders: Vec<Disorder>,
    next: u64,
}

impl Queue {
    pub fn disorder(&mut self, disorder: Disorder) {
        self.disorders.push(disorder);
    }

    pub fn publish(&mut self, message: Note) {
        let is_twice = self.disorders.iter().any(
            |disorder| matches!(disorder, Disorder::Twice { topic } if *topic == message.topic),
        );
        let is_held = self.disorders.iter().any(
            |disorder| matches!(disorder, Disorder::Overtaken { topic, .. } if *topic == message.topic),
        );
        for _ in 0..if is_twice { 2 } else { 1 } {
            self.next += 1;
            let taken = Taken {
                seq: self.next,
                message: message.clone(),
                tries: 0,
            };
            match is_held {
                true => self.held.push(taken),
                false if self.waiting.len() < WAITING_MAX => self.waiting.push_back(taken),
                false => {}
            }
        }
    }

    pub fn take(&mut self, topics: &[String]) -> Option<Taken> {
        let fits = |taken: &Taken| topics.contains(&taken.message.topic);
        let at = self.waiting.iter().position(fits)?;
        let taken = self.waiting.remove(at)?;
        self.out.push(taken.clone());
        Some(taken)
    }

    pub fn acknowledge(&mut self, seq: u64) {
        let Some(done) = self.end(seq) else { return };
        let is_over = |disorder: &Disorder| matches!(disorder, Disorder::Overtaken { by, .. } if *by == done.message.topic);
        if self.disorders.iter().any(is_over) {
            self.disorders.retain(|disorder| !is_over(disorder));
            self.waiting.extend(self.held.drain(..));
        }
    }

    /// It comes again, unless it has failed too often.
    pub fn fail(&mut self, seq: u64) {
        let Some(mut failed) = self.end(seq) else {
            return;
        };
        failed.tries += 1;
        match failed.tries >= TRIES_MAX {
            true => self.parked.push(failed.message),
            false => self.waiting.push_back(failed),
        }
    }

    /// Whoever had them is gone: what is not acknowledged comes again.
    pub fn come_again(&mut self) {
        self.waiting.extend(self.out.drain(..));
    }

    /// Nothing waits and nothing is being handled. Replies that nobody waits for do not count.
    pub fn is_idle(&self) -> bool {
        let is_asked_for = |taken: &&Taken| !taken.message.topic.starts_with("reply ");
        let is_empty = !self.waiting.iter().any(|taken| is_asked_for(&taken));
        is_empty && self.held.is_empty() && !self.out.iter().any(|taken| is_asked_for(&taken))
    }

    /// Messages that failed too often, and are kept to be seen.
    pub fn parked(&self) -> &[Note] {
        &self.parked
    }

    fn end(&mut self, seq: u64) -> Option<Taken> {
        let at = self.out.iter().position(|taken| taken.seq == seq)?;
        Some(self.out.swap_remove(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(topic: &str) -> Note {
        Note {
            id: format!("{topic} 1"),
            topic: topic.to_owned(),
            payload: String::new(),
        }
    }

    fn take(queue: &mut Queue) -> Option<Taken> {
        queue.take(&["charge".to_owned(), "refund".to_owned()])
    }

    #[test]
    fn what_is_not_acknowledged_comes_again() {
        let mut queue = Queue::default();
        queue.publish(note("charge"));
        let first = take(&mut queue).expect("a message");
        assert_eq!(take(&mut queue), None);
        queue.come_again();
        let again = take(&mut queue).expect("the same message");
        assert_eq!(first.message, again.message);
        queue.acknowledge(again.seq);
        assert!(queue.is_idle());
    }

    #[test]
    fn what_fails_too_often_is_parked_and_seen() {
        let mut queue = Queue::default();
        queue.publish(note("refund"));
        while let Some(taken) = take(&mut queue) {
            queue.fail(taken.seq);
        }
        assert_eq!(queue.parked(), [note("refund")]);
        assert!(queue.is_idle());
    }

    #[test]
    fn messages_come_twice_or_are_overtaken() {
        let mut queue = Queue::default();
        let topic = "refund".to_owned();
        queue.disorder(Disorder::Twice { topic });
        queue.disorder(Disorder::Overtaken {
            topic: "charge".to_owned(),
            by: "refund".to_owned(),
        });
        queue.publish(note("charge"));
        queue.publish(note("refund"));
        let mut order = Vec::new();
        while let Some(taken) = take(&mut queue) {
            queue.acknowledge(taken.seq);
            order.push(taken.message.topic);
        }
        assert_eq!(order, ["refund", "refund", "charge"]);
    }
}
