//! Who takes part, and when they are at work.
//!
//! Apart from `build` because it is read from the messages alone.

use std::collections::HashMap;

use crate::lab::trace::{Bar, Behind, Lane, Message, Says, Trace, rank};
use crate::lab::world::Actor;

/// Those that always stand there, and whoever else takes part.
pub fn lanes(messages: &[Message], behind: Behind) -> Vec<Lane> {
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
    if behind == Behind::Shown {
        actors.retain(|actor| *actor != Actor::Proxy);
    }
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
pub fn bars(trace: &Trace) -> Vec<Bar> {
    let mut bars = Bars::default();
    for (at, message) in trace.messages.iter().enumerate() {
        let (from, to) = (trace.lane(&message.from), trace.lane(&message.to));
        match (&message.from, &message.to) {
            _ if message.says == Says::Crashed => bars.end(from, at, u32::MAX),
            (Actor::Proxy | Actor::Client, Actor::Shop(_)) | (_, Actor::Bank) => {
                bars.begin(to, at, message.count)
            }
            (Actor::Shop(_), Actor::Proxy | Actor::Client) | (Actor::Bank, _) => {
                bars.end(from, at, message.count)
            }
            _ => {}
        }
    }
    bars.bars
}

#[derive(Default)]
struct Bars {
    bars: Vec<Bar>,
    /// By lane: the open bar, and how many requests it has.
    open: HashMap<usize, (usize, u32)>,
    /// Answers that stand before their requests, since they were put together with earlier ones.
    early: HashMap<usize, u32>,
}

impl Bars {
    fn begin(&mut self, lane: Option<usize>, at: usize, count: u32) {
        let Some(lane) = lane else { return };
        let early = self.early.remove(&lane).unwrap_or_default();
        let open = count.saturating_sub(early);
        if let Some((_, depth)) = self.open.get_mut(&lane) {
            *depth = depth.saturating_add(open);
            return;
        }
        if open > 0 {
            self.open.insert(lane, (self.bars.len(), open));
        }
        self.bars.push(Bar {
            lane,
            from: at,
            to: (open == 0).then_some(at),
        });
    }

    fn end(&mut self, lane: Option<usize>, at: usize, count: u32) {
        let Some(lane) = lane else { return };
        let Some((bar, depth)) = self.open.get_mut(&lane) else {
            return;
        };
        if count != u32::MAX && count > *depth {
            self.early.insert(lane, count - *depth);
        }
        *depth = depth.saturating_sub(count);
        if *depth == 0 {
            if let Some(bar) = self.bars.get_mut(*bar) {
                bar.to = Some(at);
            }
            self.open.remove(&lane);
        }
    }
}
