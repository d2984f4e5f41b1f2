//! Picks values out of JSON text without building a tree, also when the text is cut.
//!
//! Apart from the other codecs because lists of a million records read a few members each: one
//! pass, borrowed text, nothing allocated for what nobody asked for.
//! Bounds: nesting that is walked into is limited by the parser (128), values that are only passed
//! over are not walked recursively.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::slot::Slot;
use super::spelling::Spelling;

/// The members that are wanted, as a tree over their names.
#[derive(Clone, Debug, Default)]
pub struct Trie {
    /// Where the value at this place goes.
    slot: Option<usize>,
    children: Vec<(String, Trie)>,
    spelling: Spelling,
}

impl Trie {
    pub fn new(spelling: Spelling) -> Trie {
        Trie {
            spelling,
            ..Trie::default()
        }
    }

    pub fn add(&mut self, path: &[String], slot: usize) {
        let Some((first, rest)) = path.split_first() else {
            self.slot = Some(slot);
            return;
        };
        let at = match self.children.iter().position(|(name, _)| name == first) {
            Some(at) => at,
            None => {
                let child = Trie::new(self.spelling);
                self.children.push((first.clone(), child));
                self.children.len() - 1
            }
        };
        if let Some((_, child)) = self.children.get_mut(at) {
            child.add(rest, slot);
        }
    }

    fn child(&self, name: &str) -> Option<&Trie> {
        let exact = self.children.iter().find(|(child, _)| child == name);
        let mut children = self.children.iter();
        exact
            .or_else(|| children.find(|(child, _)| self.spelling.is_same(child, name)))
            .map(|(_, trie)| trie)
    }

    pub(super) fn set_all(&self, slots: &mut [Slot<'_>], value: &Slot<'static>) {
        if let Some(slot) = self.slot.and_then(|at| slots.get_mut(at)) {
            *slot = value.clone();
        }
        for (_, child) in &self.children {
            child.set_all(slots, value);
        }
    }

    /// What is still unseen when its parent has ended is not there.
    fn settle(&self, slots: &mut [Slot<'_>]) {
        if let Some(slot) = self.slot.and_then(|at| slots.get_mut(at))
            && *slot == Slot::Unseen
        {
            *slot = Slot::Absent;
        }
        self.settle_members(slots);
    }

    fn settle_members(&self, slots: &mut [Slot<'_>]) {
        for (_, child) in &self.children {
            child.settle(slots);
        }
    }
}

/// Whether a text was JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonOutcome {
    Whole,
    /// JSON as far as it was read.
    Cut,
    No,
}

/// Fills the slots that `trie` names from `bytes`; `cut` says that more bytes follow in the store.
pub fn pick<'a>(bytes: &'a [u8], cut: bool, trie: &Trie, slots: &mut [Slot<'a>]) -> JsonOutcome {
    trie.set_all(slots, &Slot::Unseen);
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let result = Pick {
        trie,
        slots: &mut *slots,
        what: What::All,
    }
    .deserialize(&mut deserializer);
    let result = result.and_then(|()| deserializer.end());
    match result {
        Ok(()) => {
            trie.settle(slots);
            JsonOutcome::Whole
        }
        Err(error) if cut && (error.is_eof() || ends_inside_a_character(bytes)) => JsonOutcome::Cut,
        Err(_) => {
            trie.set_all(slots, &Slot::Absent);
            JsonOutcome::No
        }
    }
}

fn ends_inside_a_character(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

struct Pick<'t, 's, 'a> {
    trie: &'t Trie,
    slots: &'s mut [Slot<'a>],
    what: What,
}

/// What of a place is wanted.
#[derive(Clone, Copy, PartialEq)]
enum What {
    All,
    /// Only its members: the value itself has been taken.
    Members,
}

impl<'de> DeserializeSeed<'de> for Pick<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Some(at) = self.trie.slot.filter(|_| self.what == What::All) else {
            return deserializer.deserialize_any(self);
        };
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = Slot::Cut;
        }
        let raw = <&RawValue as serde::Deserialize>::deserialize(deserializer)?;
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = Slot::from_json(raw);
        }
        if !self.trie.children.is_empty() {
            // A value too deep to walk leaves its members unread, not the record.
            let mut nested = serde_json::Deserializer::from_str(raw.get());
            let members = Pick {
                trie: self.trie,
                slots: &mut *self.slots,
                what: What::Members,
            };
            if members.deserialize(&mut nested).is_ok() {
                self.trie.settle_members(self.slots);
            }
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Pick<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Name(name)) = map.next_key()? {
            match self.trie.child(&name) {
                Some(trie) => map.next_value_seed(Pick {
                    trie,
                    slots: &mut *self.slots,
                    what: What::All,
                })?,
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        self.trie.settle_members(self.slots);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        for index in 0.. {
            let more = match self
                .trie
                .children
                .iter()
                .find(|(name, _)| is_index(name, index))
            {
                Some((_, trie)) => seq
                    .next_element_seed(Pick {
                        trie,
                        slots: &mut *self.slots,
                        what: What::All,
                    })?
                    .is_some(),
                None => seq.next_element::<IgnoredAny>()?.is_some(),
            };
            if !more {
                break;
            }
        }
        self.trie.settle_members(self.slots);
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

fn is_index(name: &str, index: usize) -> bool {
    name.parse() == Ok(index)
}

/// A member's name, borrowed where it holds no escapes.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] std::borrow::Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, cut: bool, paths: &[&str], outcome: JsonOutcome, expected: &[Slot<'_>]) {
        let mut trie = Trie::default();
        for (at, path) in paths.iter().enumerate() {
            let path: Vec<String> = path.split('.').map(str::to_owned).collect();
            trie.add(if path == [""] { &[] } else { &path }, at);
        }
        let mut slots = vec![Slot::Absent; paths.len()];
        assert_eq!(pick(text.as_bytes(), cut, &trie, &mut slots), outcome);
        assert_eq!(slots, expected);
    }

    fn text(text: &str) -> Slot<'_> {
        Slot::Text(text.into())
    }

    #[test]
    fn members_are_picked_at_any_depth() {
        check(
            r#"{"a":{"b":[1,{"c":"x"}]},"n":12345678901234567890,"z":null}"#,
            false,
            &["a.b.1.c", "n", "z", "q"],
            JsonOutcome::Whole,
            &[
                text("x"),
                Slot::Number("12345678901234567890".into()),
                Slot::Null,
                Slot::Absent,
            ],
        );
    }

    #[test]
    fn names_may_be_written_otherwise() {
        let mut trie = Trie::new(Spelling::Loose);
        trie.add(&["request_hash".to_owned()], 0);
        trie.add(&["response".to_owned(), "statusCode".to_owned()], 1);
        let json = br#"{"RequestHash":"h","Response":{"status-code":201},"requesthashes":1}"#;
        let mut slots = vec![Slot::Absent; 2];
        pick(json, false, &trie, &mut slots);
        assert_eq!(slots, [text("h"), Slot::Number("201".into())]);
        check(
            r#"{"A":1}"#,
            false,
            &["a"],
            JsonOutcome::Whole,
            &[Slot::Absent],
        );
    }

    #[test]
    fn a_member_and_its_own_members_can_both_be_picked() {
        check(
            r#"{"r":{"s":201}}"#,
            false,
            &["r", "r.s"],
            JsonOutcome::Whole,
            &[
                Slot::Json(r#"{"s":201}"#.into()),
                Slot::Number("201".into()),
            ],
        );
    }

    #[test]
    fn what_lies_behind_a_cut_is_unseen_and_what_is_cut_is_there() {
        check(
            r#"{"status":201,"body":{"a":"xx"#,
            true,
            &["status", "body", "later"],
            JsonOutcome::Cut,
            &[Slot::Number("201".into()), Slot::Cut, Slot::Unseen],
        );
    }

    #[test]
    fn the_same_text_is_no_json_when_nothing_follows() {
        check(
            r#"{"status":201,"#,
            false,
            &["status"],
            JsonOutcome::No,
            &[Slot::Absent],
        );
        check(
            "processing",
            true,
            &["status"],
            JsonOutcome::No,
            &[Slot::Absent],
        );
        check(
            "{} trailing",
            false,
            &["status"],
            JsonOutcome::No,
            &[Slot::Absent],
        );
    }

    #[test]
    fn ten_thousand_levels_are_passed_over() {
        let deep = format!(
            r#"{{"x":{}{},"s":1}}"#,
            "[".repeat(10_000),
            "]".repeat(10_000)
        );
        check(
            &deep,
            false,
            &["s"],
            JsonOutcome::Whole,
            &[Slot::Number("1".into())],
        );
    }
}
