//! Fills a form's slots from one raw record: inputs first, then the decoded things in order.

use std::borrow::Cow;

use super::codec::Fault;
use super::form::{Form, Input, Node};
use super::json::{self, JsonOutcome};
use super::predicate::{Answer, Kind};
use super::slot::Slot;

/// The slots of one record.
#[derive(Debug)]
pub struct Values<'a> {
    slots: Vec<Slot<'a>>,
    /// A bit a node: it could be decoded.
    decoded: u64,
    /// A bit a node: whether it can be decoded depends on what was not read.
    unread: u64,
    /// The slot whose value goes on in the store, and what it is the beginning of.
    cut: Option<usize>,
    cut_kind: Option<Kind>,
    /// Something was deeper or larger than anything is read.
    bound_hit: bool,
}

impl<'a> Values<'a> {
    /// Runs `form` over inputs; `cut` says that the main value goes on in the store.
    pub fn fill(form: &Form, cut: bool, mut input: impl FnMut(&Input) -> Slot<'a>) -> Values<'a> {
        let mut values = Values {
            slots: vec![Slot::Absent; form.slots],
            decoded: 0,
            unread: 0,
            cut: None,
            cut_kind: None,
            bound_hit: false,
        };
        for (want, slot) in form.inputs.iter().zip(&form.input_slots) {
            if let Some(place) = values.slots.get_mut(*slot) {
                *place = input(want);
            }
            if cut && *want == Input::Value {
                values.cut = Some(*slot);
            }
        }
        for (at, node) in form.nodes.iter().enumerate() {
            let bit = 1 << (at & 63);
            match values.decode(node) {
                Answer::Yes => values.decoded |= bit,
                Answer::Unread => values.unread |= bit,
                Answer::No => {}
            }
        }
        values
    }

    pub fn slot(&self, at: usize) -> &Slot<'a> {
        self.slots.get(at).unwrap_or(&Slot::Absent)
    }

    pub fn decoded(&self, node: usize) -> Answer {
        let bit = 1 << (node & 63);
        match (self.decoded & bit != 0, self.unread & bit != 0) {
            (true, _) => Answer::Yes,
            (false, true) => Answer::Unread,
            (false, false) => Answer::No,
        }
    }

    /// Whether the value at this place goes on in the store.
    pub fn is_cut(&self, slot: usize) -> bool {
        self.cut == Some(slot)
    }

    /// What a cut value is the beginning of.
    pub fn cut_kind(&self) -> Option<Kind> {
        self.cut_kind
    }

    pub fn bound_hit(&self) -> bool {
        self.bound_hit
    }

    fn decode(&mut self, node: &Node) -> Answer {
        let mut value = self.slot(node.of).clone();
        let mut cut = self.is_cut(node.of) && matches!(value, Slot::Text(_) | Slot::Bytes(_));
        for step in &node.codecs {
            if cut
                && matches!(step.codec.name, "json" | "members")
                && matches!(value, Slot::Bytes(_))
            {
                break; // the cut may lie inside a character; the picker knows
            }
            match step.decode(&value, cut) {
                Ok(decoded) => value = decoded,
                Err(Fault::Short) if cut => {
                    node.trie.set_all(&mut self.slots, &Slot::Unseen);
                    return Answer::Unread;
                }
                Err(fault) => {
                    self.bound_hit |= fault == Fault::Bound;
                    return Answer::No;
                }
            }
            // A decoder of a whole format has accepted it: nothing is missing.
            cut &= step.codec.streams;
        }
        let outcome = match &value {
            Slot::Absent | Slot::Null => return Answer::No,
            Slot::Cut | Slot::Unseen => {
                node.trie.set_all(&mut self.slots, &Slot::Unseen);
                return Answer::Unread;
            }
            Slot::Number(_) | Slot::Bool(_) => self.pick(&value, false, node),
            other => self.pick(other, cut, node),
        };
        if outcome == JsonOutcome::Cut {
            self.cut_kind = value.bytes().and_then(|bytes| kind_of_start(&bytes));
        }
        (outcome != JsonOutcome::No).into()
    }

    fn pick(&mut self, value: &Slot<'a>, cut: bool, node: &Node) -> JsonOutcome {
        let bytes = match value {
            Slot::Number(text) => Cow::Owned(text.as_bytes().to_vec()),
            Slot::Bool(value) => Cow::Owned(value.to_string().into_bytes()),
            other => match other.bytes() {
                Some(bytes) => bytes,
                None => return JsonOutcome::No,
            },
        };
        match bytes {
            Cow::Borrowed(bytes) => json::pick(bytes, cut, &node.trie, &mut self.slots),
            Cow::Owned(bytes) => {
                let mut picked = vec![Slot::Absent; self.slots.len()];
                let outcome = json::pick(&bytes, cut, &node.trie, &mut picked);
                for (place, found) in self.slots.iter_mut().zip(picked) {
                    if found != Slot::Absent {
                        *place = found.into_owned();
                    }
                }
                outcome
            }
        }
    }
}

fn kind_of_start(bytes: &[u8]) -> Option<Kind> {
    match bytes.trim_ascii_start().first() {
        Some(b'{') => Some(Kind::Object),
        Some(b'[') => Some(Kind::Array),
        Some(b'"') => Some(Kind::Text),
        _ => None,
    }
}

impl Slot<'_> {
    pub fn into_owned(self) -> Slot<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Slot::Text(text) => Slot::Text(owned(text)),
            Slot::Json(text) => Slot::Json(owned(text)),
            Slot::Number(text) => Slot::Number(owned(text)),
            Slot::Bytes(bytes) => Slot::Bytes(Cow::Owned(bytes.into_owned())),
            Slot::Absent => Slot::Absent,
            Slot::Null => Slot::Null,
            Slot::Bool(value) => Slot::Bool(value),
            Slot::Int(value) => Slot::Int(value),
            Slot::Float(value) => Slot::Float(value),
            Slot::Time(value) => Slot::Time(value),
            Slot::Cut => Slot::Cut,
            Slot::Unseen => Slot::Unseen,
        }
    }
}
