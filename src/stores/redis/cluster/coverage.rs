//! Which slots a walk has seen whole, by what the nodes say of themselves before and after.
//!
//! Pure. Only a node's own word tells that it had a slot all the time: what others say of it is older.
//! Invariant: a slot counts as whole when no key that stood in it all the time can have been left out.

use super::slots::SLOTS;
use super::topology::{Map, Node};

/// Some of the slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotSet(Box<[bool]>);

impl SlotSet {
    pub fn none() -> SlotSet {
        SlotSet(vec![false; usize::from(SLOTS)].into())
    }

    pub fn of(slots: impl IntoIterator<Item = u16>) -> SlotSet {
        let mut set = SlotSet::none();
        for slot in slots {
            set.add(slot);
        }
        set
    }

    /// The slots that this node has, as the map tells.
    pub fn of_node(node: &Node) -> SlotSet {
        SlotSet::of(node.ranges.iter().flat_map(|(from, to)| *from..=*to))
    }

    pub fn has(&self, slot: u16) -> bool {
        self.0.get(usize::from(slot)).copied().unwrap_or(false)
    }

    pub fn add(&mut self, slot: u16) {
        if let Some(place) = self.0.get_mut(usize::from(slot)) {
            *place = true;
        }
    }

    fn take(&mut self, slot: u16) {
        if let Some(place) = self.0.get_mut(usize::from(slot)) {
            *place = false;
        }
    }

    pub fn slots(&self) -> impl Iterator<Item = u16> {
        (0..SLOTS).filter(|slot| self.has(*slot))
    }
}

/// What a primary says of its own slots.
#[derive(Clone, Debug)]
pub struct Hold {
    /// Has them, and is not giving them away.
    pub settled: SlotSet,
    /// Has them, and is giving them away: some keys may be there already.
    pub leaving: SlotSet,
    /// Does not have them yet: some keys may be here already.
    pub coming: SlotSet,
}

impl Hold {
    /// Of the node that was asked; nothing where it is no primary, or another node than the expected.
    pub fn own(map: &Map, id: &str) -> Hold {
        let own = map.own.as_ref().filter(|own| own.id == id);
        let node = own.and_then(|own| map.nodes.iter().find(|node| node.id == own.id));
        let node = node.filter(|node| node.follows.is_none());
        match (own, node) {
            (Some(own), Some(node)) => {
                let mut settled = SlotSet::of_node(node);
                for slot in &own.leaving {
                    settled.take(*slot);
                }
                Hold {
                    settled,
                    leaving: SlotSet::of(own.leaving.iter().copied()),
                    coming: SlotSet::of(own.coming.iter().copied()),
                }
            }
            _ => Hold::only(SlotSet::none()),
        }
    }

    /// Of a primary that cannot be asked, as its replica sees it.
    pub fn told(map: &Map, id: &str) -> Hold {
        let node = map.primaries().find(|node| node.id == id);
        Hold::only(node.map_or_else(SlotSet::none, SlotSet::of_node))
    }

    fn only(settled: SlotSet) -> Hold {
        Hold {
            settled,
            leaving: SlotSet::none(),
            coming: SlotSet::none(),
        }
    }

    fn has(&self, slot: u16) -> bool {
        self.settled.has(slot) || self.leaving.has(slot)
    }

    fn is_at_the_goal(&self, slot: u16) -> bool {
        self.settled.has(slot) || self.coming.has(slot)
    }
}

/// What a walk has seen so far.
pub struct Coverage {
    whole: SlotSet,
    /// Walked whole where they are leaving: what is not seen yet is where they go to.
    left: SlotSet,
    /// The same when this round began.
    left_before: SlotSet,
}

impl Coverage {
    pub fn new() -> Coverage {
        Coverage {
            whole: SlotSet::none(),
            left: SlotSet::none(),
            left_before: SlotSet::none(),
        }
    }

    /// All of one node was walked, between these two words of it.
    ///
    /// A key moves one way only. Where its slot was leaving to the end, it was seen, or had gone; then
    /// it is seen at the goal, where that is walked from its beginning afterwards.
    pub fn walked(&mut self, before: &Hold, after: &Hold) {
        for slot in 0..SLOTS {
            let stayed = before.settled.has(slot) && after.settled.has(slot);
            let at_goal = before.is_at_the_goal(slot) && after.is_at_the_goal(slot);
            if stayed || (at_goal && self.left_before.has(slot)) {
                self.whole.add(slot);
            } else if before.has(slot) && after.leaving.has(slot) {
                self.left.add(slot);
            }
        }
    }

    /// What is still to be walked, of all slots that anybody has. `all` is whether every primary told.
    pub fn missing(&mut self, claimed: &SlotSet, holds: &[Hold], all: AllTold) -> SlotSet {
        for slot in 0..SLOTS {
            // It is to leave, but nobody takes it.
            let nowhere = || !holds.iter().any(|hold| hold.is_at_the_goal(slot));
            if all == AllTold::Yes && self.left.has(slot) && nowhere() {
                self.whole.add(slot);
            }
        }
        SlotSet::of(claimed.slots().filter(|slot| !self.whole.has(*slot)))
    }

    /// Whether a node with this word has to be walked, for some of the missing slots.
    pub fn wants(&self, missing: &SlotSet, hold: &Hold) -> bool {
        missing.slots().any(|slot| match self.left.has(slot) {
            true => hold.is_at_the_goal(slot),
            false => hold.has(slot),
        })
    }

    /// A new round begins.
    pub fn next_round(&mut self) {
        self.left_before = self.left.clone();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllTold {
    Yes,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(settled: &[u16], leaving: &[u16], coming: &[u16]) -> Hold {
        let set = |slots: &[u16]| SlotSet::of(slots.iter().copied());
        Hold {
            settled: set(settled),
            leaving: set(leaving),
            coming: set(coming),
        }
    }

    #[track_caller]
    fn check(coverage: &mut Coverage, holds: &[Hold], expected: &[u16]) {
        let claimed = SlotSet::of([1, 2]);
        let missing = coverage.missing(&claimed, holds, AllTold::Yes);
        let missing: Vec<u16> = missing.slots().collect();
        assert_eq!(missing, expected);
    }

    #[test]
    fn what_a_node_had_all_the_time_is_whole() {
        let mut coverage = Coverage::new();
        let (before, after) = (hold(&[1, 2], &[], &[]), hold(&[1], &[], &[]));
        coverage.walked(&before, &after);
        check(&mut coverage, &[after], &[2]);
        // It came only while that node was walked.
        let there = hold(&[2], &[], &[]);
        coverage.walked(&hold(&[], &[], &[]), &there);
        check(&mut coverage, std::slice::from_ref(&there), &[2]);
        coverage.next_round();
        coverage.walked(&there, &there);
        check(&mut coverage, &[there], &[]);
    }

    #[test]
    fn a_slot_that_stays_half_moved_is_walked_at_both_nodes_one_after_the_other() {
        let mut coverage = Coverage::new();
        let (from, to) = (hold(&[1], &[2], &[]), hold(&[], &[], &[2]));
        // Side by side does not count: a key may have gone from the one to what was passed of the other.
        coverage.walked(&from, &from);
        coverage.walked(&to, &to);
        let holds = [from.clone(), to.clone()];
        check(&mut coverage, &holds, &[2]);
        let missing = SlotSet::of([2]);
        assert!(!coverage.wants(&missing, &from));
        assert!(coverage.wants(&missing, &to));
        coverage.next_round();
        coverage.walked(&to, &hold(&[2], &[], &[]));
        check(&mut coverage, &holds, &[]);
    }

    #[test]
    fn a_slot_that_leaves_to_nobody_is_whole_where_it_is() {
        let mut coverage = Coverage::new();
        let holds = [hold(&[1], &[2], &[])];
        coverage.walked(&holds[0], &holds[0]);
        let missing = coverage.missing(&SlotSet::of([2]), &holds, AllTold::No);
        assert!(missing.has(2));
        check(&mut coverage, &holds, &[]);
    }
}
