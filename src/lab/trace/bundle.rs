//! Messages in the order of their times, and many that are alike at one time as one.
//!
//! Apart from `build` because it does not ask what a message means.

use super::{Fact, Kind, Message};

/// Messages within so many milliseconds are of one time.
const SPAN_MS: u64 = 250;
/// Fewer than this are drawn one by one.
const MANY: usize = 5;

/// Sorts, and puts together; facts follow their messages.
pub fn bundle(messages: Vec<Message>, mut facts: Vec<Fact>) -> (Vec<Message>, Vec<Fact>) {
    let mut order: Vec<usize> = (0..messages.len()).collect();
    order.sort_by_key(|at| messages.get(*at).map(|message| message.at_ms));
    let leaders = leaders(&messages, &order);
    // Where each old message has gone.
    let mut moved = vec![0_usize; messages.len()];
    let mut kept: Vec<Message> = Vec::new();
    // Bundles whose messages do not all say the same.
    let mut mixed: Vec<bool> = Vec::new();
    let mut slots: Vec<Option<Message>> = messages.into_iter().map(Some).collect();
    for at in order {
        let leader = leaders.get(at).copied().unwrap_or(at);
        let Some(message) = slots.get_mut(at).and_then(Option::take) else {
            continue;
        };
        if leader == at {
            set(&mut moved, at, kept.len());
            kept.push(message);
            mixed.push(false);
            continue;
        }
        let place = moved.get(leader).copied().unwrap_or_default();
        set(&mut moved, at, place);
        if let Some(first) = kept.get_mut(place) {
            if first.says != message.says
                && let Some(mixed) = mixed.get_mut(place)
            {
                *mixed = true;
            }
            first.count += 1;
            if first.attempt != message.attempt {
                first.attempt = None;
            }
        }
    }
    for (message, mixed) in kept.iter_mut().zip(mixed) {
        if message.count > 1 {
            message.says = match mixed {
                true => message.says.of_several(),
                false => message.says.of_many(),
            };
        }
    }
    for fact in &mut facts {
        fact.message = moved.get(fact.message).copied().unwrap_or_default();
    }
    facts.sort_by_key(|fact| fact.message);
    (kept, facts)
}

fn set(places: &mut [usize], at: usize, place: usize) {
    if let Some(slot) = places.get_mut(at) {
        *slot = place;
    }
}

/// For each message the one that it is drawn with: itself, where it stands alone.
fn leaders(messages: &[Message], order: &[usize]) -> Vec<usize> {
    let mut leaders: Vec<usize> = (0..messages.len()).collect();
    // Groups that may still grow: the first, and all.
    let mut open: Vec<Vec<usize>> = Vec::new();
    for at in order {
        let Some(message) = messages.get(*at) else {
            continue;
        };
        if message.kind == Kind::Mark {
            continue;
        }
        let (over, still): (Vec<_>, Vec<_>) = open.into_iter().partition(|group| {
            let first = group.first().and_then(|first| messages.get(*first));
            first.is_none_or(|first| first.at_ms + SPAN_MS < message.at_ms)
        });
        over.iter().for_each(|group| close(group, &mut leaders));
        open = still;
        let first_of = |group: &Vec<usize>| messages.get(*group.first()?);
        let is_of =
            |group: &Vec<usize>| first_of(group).is_some_and(|first| is_alike(first, message));
        // What it hands on may have begun later than the group that it would stand with.
        let causes =
            |group: &Vec<usize>| first_of(group).is_some_and(|first| leads_to(first, message));
        let cause = open.iter().rposition(causes);
        let group = open.iter().rposition(is_of);
        match group.filter(|group| cause.is_none_or(|cause| cause < *group)) {
            Some(group) => open
                .get_mut(group)
                .into_iter()
                .for_each(|group| group.push(*at)),
            None => open.push(vec![*at]),
        }
    }
    open.iter().for_each(|group| close(group, &mut leaders));
    leaders
}

fn close(group: &[usize], leaders: &mut [usize]) {
    if group.len() < MANY {
        return;
    }
    if let Some(first) = group.first() {
        group.iter().for_each(|at| set(leaders, *at, *first));
    }
}

/// Whether a message is handed on by another one.
fn leads_to(a: &Message, b: &Message) -> bool {
    a.kind == b.kind && a.to == b.from && a.from != b.to && a.says.is_like(&b.says)
}

fn is_alike(a: &Message, b: &Message) -> bool {
    a.kind == b.kind && a.from == b.from && a.to == b.to && a.says.is_like(&b.says)
}
