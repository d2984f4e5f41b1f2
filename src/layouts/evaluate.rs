//! Fills a form's slots from one raw record: inputs first, then the decoded things in order.

use std::borrow::Cow;

use super::form::{Form, Input, Node};
use super::json::{self, JsonOutcome};
use super::predicate::Kind;
use super::slot::Slot;

/// The slots of one record.
#[derive(Debug)]
pub struct Values<'a> {
    slots: Vec<Slot<'a>>,
    /// A bit a node: it could be decoded.
    decoded: u64,
    /// Whether the value was cut, and what it was the beginning of.
    cut: bool,
    cut_kind: Option<Kind>,
}

impl<'a> Values<'a> {
    /// Runs `form` over inputs; `cut` says that the main value goes on in the store.
    pub fn fill(form: &Form, cut: bool, mut input: impl FnMut(&Input) -> Slot<'a>) -> Values<'a> {
        let mut values = Values {
            slots: vec![Slot::Absent; form.slots],
            decoded: 0,
            cut,
            cut_kind: None,
        };
        for (want, slot) in form.inputs.iter().zip(&form.input_slots) {
            if let Some(place) = values.slots.get_mut(*slot) {
                *place = input(want);
            }
        }
        for (at, node) in form.nodes.iter().enumerate() {
            if values.decode(node) {
                values.decoded |= 1 << (at & 63);
            }
        }
        values
    }

    pub fn slot(&self, at: usize) -> &Slot<'a> {
        self.slots.get(at).unwrap_or(&Slot::Absent)
    }

    pub fn decoded(&self, node: usize) -> bool {
        self.decoded & (1 << (node & 63)) != 0
    }

    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// What a cut value is the beginning of.
    pub fn cut_kind(&self) -> Option<Kind> {
        self.cut_kind
    }

    fn decode(&mut self, node: &Node) -> bool {
        let mut value = self.slot(node.of).clone();
        let mut cut = self.cut && matches!(value, Slot::Text(_) | Slot::Bytes(_));
        for codec in &node.codecs {
            let json = codec.name == "json";
            if cut && json && matches!(value, Slot::Bytes(_)) {
                break; // the cut may lie inside a character; the picker knows
            }
            match codec.decode(&value) {
                Some(decoded) => value = decoded,
                None => return false,
            }
            if !json && cut {
                cut = false; // a decoder of a whole format has accepted it: nothing is missing
            }
        }
        let outcome = match &value {
            Slot::Absent | Slot::Null => return false,
            Slot::Cut | Slot::Unseen => return false,
            Slot::Number(_) | Slot::Bool(_) => self.pick(&value, false, node),
            other => self.pick(other, cut, node),
        };
        if outcome == JsonOutcome::Cut {
            self.cut_kind =
                value
                    .bytes()
                    .and_then(|bytes| match bytes.trim_ascii_start().first() {
                        Some(b'{') => Some(Kind::Object),
                        Some(b'[') => Some(Kind::Array),
                        Some(b'"') => Some(Kind::Text),
                        _ => None,
                    });
        }
        outcome != JsonOutcome::No
    }

    fn pick(&mut self, value: &Slot<'a>, cut: bool, node: &Node) -> JsonOutcome {
        let bytes = match value {
            Slot::Number(text) => Cow::Owned(text.as_bytes().to_vec()),
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
