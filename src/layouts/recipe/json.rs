//! Changes members of a JSON object and leaves the rest as it was written, to the digit.
//!
//! Apart from `layouts::json`, which picks members out of what may be cut and never writes.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The members of an object in their order, each as it was written.
pub struct Object<'a>(pub Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, &'de RawValue>()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// The object in a text; `None` where it is none.
pub fn object(text: &[u8]) -> Option<Object<'_>> {
    serde_json::from_slice(text).ok()
}

/// The one value in a text, as it is written there; `None` where it is no JSON.
pub fn value(text: &[u8]) -> Option<&str> {
    serde_json::from_slice::<&RawValue>(text)
        .ok()
        .map(RawValue::get)
}

pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// An object of members that are JSON already.
pub fn written<'m>(members: impl IntoIterator<Item = (&'m str, &'m str)>) -> String {
    let members: Vec<String> = members
        .into_iter()
        .map(|(name, value)| format!("{}:{value}", quoted(name)))
        .collect();
    format!("{{{}}}", members.join(","))
}
