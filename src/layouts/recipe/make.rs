//! Makes of an expression what is written: JSON, or the bytes of a value.
//!
//! Apart from `cell` because a key's value has no declared type to follow.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, SecondsFormat};

use super::expr::{BodyForm, Expr, TextForm, TimeForm};
use super::json;
use crate::domain::change::Answer;
use crate::domain::{Duration, Timestamp};
use crate::layouts::form::Period;
use crate::layouts::reading::Params;
use crate::layouts::slot::Slot;

/// What an expression may speak of.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'f> {
    pub answer: Option<&'f Answer>,
    pub now: Timestamp,
    pub params: &'f Params,
    /// What the paths hold.
    pub stored: &'f [Slot<'f>],
}

const NO_JSON: &str = "the body must be JSON here, and it is none";
const NO_TEXT: &str = "the body must be text here, and it is none";

impl<'f> Facts<'f> {
    pub fn answer(&self) -> Result<&'f Answer, String> {
        self.answer
            .ok_or_else(|| "no answer was given to write".to_owned())
    }

    pub fn period(&self, period: &Period) -> Result<Duration, String> {
        match period {
            Period::Fixed(period) => Ok(*period),
            Period::Param(name) => self
                .params
                .get(name)
                .ok_or_else(|| format!("the parameter `{name}` is not set")),
        }
    }

    pub fn later(&self, plus: Option<&Period>) -> Result<Timestamp, String> {
        let plus = plus.map(|plus| self.period(plus)).transpose()?;
        Ok(self.now.plus(plus.unwrap_or_default()))
    }

    pub fn body_text(&self) -> Result<&'f str, String> {
        std::str::from_utf8(&self.answer()?.body).map_err(|_| NO_TEXT.to_owned())
    }

    pub fn body_json(&self) -> Result<&'f str, String> {
        json::value(&self.answer()?.body).ok_or_else(|| NO_JSON.to_owned())
    }

    /// What the body is, as far as it tells by itself.
    pub fn content_type(&self) -> Result<&'static str, String> {
        let body = &self.answer()?.body;
        Ok(match std::str::from_utf8(body) {
            _ if json::value(body).is_some() => "application/json",
            Ok(_) => "text/plain; charset=utf-8",
            Err(_) => "application/octet-stream",
        })
    }

    /// The result of a function behind a gateway: the body itself where it says its `statusCode`,
    /// else the status and the body as a text.
    fn result(&self) -> Result<String, String> {
        let answer = self.answer()?;
        let code = json::object(&answer.body).and_then(|object| {
            let mut members = object.0.into_iter();
            members.find(|(name, _)| name == "statusCode")
        });
        let status = answer.status.to_string();
        match code {
            Some((_, code)) if code.get() == status => self.body_json().map(str::to_owned),
            Some((_, code)) => Err(format!(
                "the body's own `statusCode` is {} and the status given is {status}",
                code.get()
            )),
            None => {
                let body = json::quoted(self.body_text()?);
                Ok(json::written([
                    ("statusCode", status.as_str()),
                    ("body", body.as_str()),
                ]))
            }
        }
    }
}

impl Expr {
    /// The expression as JSON; `None` for what is taken away. `before` is what stands there.
    pub fn json(&self, facts: &Facts<'_>, before: Option<&str>) -> Result<Option<String>, String> {
        Ok(Some(match self {
            Expr::Absent => return Ok(None),
            Expr::Null => "null".to_owned(),
            Expr::Text(text) => json::quoted(text),
            Expr::Number(number) => number.to_string(),
            Expr::Bool(value) => value.to_string(),
            Expr::List(items) => {
                let items: Result<Vec<Option<String>>, String> =
                    items.iter().map(|item| item.json(facts, None)).collect();
                let items: Vec<String> = items?.into_iter().flatten().collect();
                format!("[{}]", items.join(","))
            }
            Expr::Members(members) => object_of(members, facts, "{}")?,
            Expr::Set(members) => object_of(members, facts, before.unwrap_or("{}"))?,
            Expr::Status => facts.answer()?.status.to_string(),
            Expr::Body(form) => body(*form, facts)?,
            Expr::Result(BodyForm::Json) => facts.result()?,
            Expr::Result(_) => json::quoted(&facts.result()?),
            Expr::ContentType(form) => {
                let text = facts.content_type()?;
                match form {
                    TextForm::Text => json::quoted(text),
                    TextForm::Base64 => json::quoted(&STANDARD.encode(text)),
                    TextForm::ByteArray => byte_array(text.as_bytes()),
                }
            }
            Expr::Now { form, plus } => {
                let text = time_text(facts.later(plus.as_ref())?, *form);
                match form {
                    TimeForm::Seconds | TimeForm::Millis | TimeForm::Fraction => text,
                    _ => json::quoted(&text),
                }
            }
            Expr::Epoch => "0".to_owned(),
            Expr::Stored(at) => stored_json(facts.stored.get(*at))?,
            Expr::Column(_) => "null".to_owned(),
        }))
    }

    /// The expression as the bytes of a string or field; `None` for what is taken away. What has
    /// members becomes the text of their JSON.
    pub fn bytes(
        &self,
        facts: &Facts<'_>,
        before: Option<&[u8]>,
    ) -> Result<Option<Vec<u8>>, String> {
        Ok(Some(match self {
            Expr::Absent => return Ok(None),
            Expr::Text(text) => text.clone().into_bytes(),
            Expr::Null => Vec::new(),
            Expr::Body(BodyForm::Bytes) => facts.answer()?.body.clone(),
            Expr::Body(BodyForm::Text) => facts.body_text()?.to_owned().into_bytes(),
            Expr::Body(BodyForm::Base64) => STANDARD.encode(&facts.answer()?.body).into_bytes(),
            Expr::Body(BodyForm::Json | BodyForm::JsonText) => {
                facts.body_json()?.to_owned().into_bytes()
            }
            Expr::Result(_) => facts.result()?.into_bytes(),
            Expr::ContentType(TextForm::Text) => facts.content_type()?.as_bytes().to_vec(),
            Expr::Now { form, plus } => time_text(facts.later(plus.as_ref())?, *form).into_bytes(),
            Expr::Stored(at) => match facts.stored.get(*at) {
                Some(slot) if slot.is_present() => {
                    let text = || {
                        slot.text()
                            .map(|text| Cow::Owned(text.into_owned().into_bytes()))
                    };
                    let bytes = slot.bytes().or_else(text);
                    bytes.map(Cow::into_owned).unwrap_or_default()
                }
                _ => Vec::new(),
            },
            Expr::Set(_) => {
                let before = before.map(|bytes| {
                    json::object(bytes)
                        .and_then(|_| std::str::from_utf8(bytes).ok())
                        .ok_or_else(|| "what stands there is no JSON object".to_owned())
                });
                let made = self.json(facts, before.transpose()?)?;
                return Ok(made.map(String::into_bytes));
            }
            other => return Ok(other.json(facts, None)?.map(String::into_bytes)),
        }))
    }
}

fn body(form: BodyForm, facts: &Facts<'_>) -> Result<String, String> {
    Ok(match form {
        BodyForm::Json => facts.body_json()?.to_owned(),
        BodyForm::JsonText => json::quoted(facts.body_json()?),
        BodyForm::Own | BodyForm::Value => match json::value(&facts.answer()?.body) {
            Some(value) => value.to_owned(),
            None => json::quoted(facts.body_text()?),
        },
        BodyForm::Text => json::quoted(facts.body_text()?),
        BodyForm::Base64 => json::quoted(&STANDARD.encode(&facts.answer()?.body)),
        BodyForm::Bytes | BodyForm::ByteArray => byte_array(&facts.answer()?.body),
    })
}

fn byte_array(bytes: &[u8]) -> String {
    let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
    format!("[{}]", numbers.join(","))
}

fn stored_json(slot: Option<&Slot<'_>>) -> Result<String, String> {
    Ok(match slot {
        None | Some(Slot::Absent | Slot::Null) => "null".to_owned(),
        Some(Slot::Text(text)) => json::quoted(text),
        Some(Slot::Bytes(_) | Slot::Cut | Slot::Unseen) => {
            return Err("what is to be taken over from the record is no text".to_owned());
        }
        Some(other) => other.text().map_or("null".to_owned(), Cow::into_owned),
    })
}

/// The members of an object, some of them made anew.
fn object_of(
    members: &[(String, Expr)],
    facts: &Facts<'_>,
    before: &str,
) -> Result<String, String> {
    let found = json::object(before.as_bytes())
        .ok_or_else(|| "what stands there is no JSON object".to_owned())?;
    let mut kept: Vec<(String, String)> = Vec::new();
    for (name, value) in found.0 {
        if !members.iter().any(|(made, _)| *made == name) {
            kept.push((name, value.get().to_owned()));
            continue;
        }
        let made = members.iter().find(|(made, _)| *made == name);
        if kept.iter().any(|(known, _)| *known == name) {
            continue; // a name twice: the last is what readers see, and both become the new one
        }
        if let Some((_, expr)) = made
            && let Some(json) = expr.json(facts, Some(value.get()))?
        {
            kept.push((name, json));
        }
    }
    for (name, expr) in members {
        if kept.iter().any(|(known, _)| known == name) {
            continue;
        }
        if let Some(json) = expr.json(facts, None)? {
            kept.push((name.clone(), json));
        }
    }
    let pairs = kept
        .iter()
        .map(|(name, json)| (name.as_str(), json.as_str()));
    Ok(json::written(pairs))
}

/// A time as a text or as digits.
pub fn time_text(at: Timestamp, form: TimeForm) -> String {
    let millis = at.millis();
    let date = || DateTime::from_timestamp_millis(millis).unwrap_or_default();
    match form {
        TimeForm::Seconds => millis.div_euclid(1000).to_string(),
        TimeForm::Millis => millis.to_string(),
        TimeForm::Fraction => {
            format!("{}.{:03}", millis.div_euclid(1000), millis.rem_euclid(1000))
        }
        TimeForm::Offset => date().to_rfc3339_opts(SecondsFormat::Millis, false),
        TimeForm::Iso | TimeForm::Own => date().to_rfc3339_opts(SecondsFormat::Millis, true),
    }
}
