//! A stored answer, and how it is sent again.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::policy::{Policy, Replay};

/// What a store keeps of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredAnswer {
    pub status: u16,
    /// Those that the policy lists, in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Written in the same step as the answer, and never replayed.
    pub notes: Vec<Note>,
}

/// An event that is to be published because of an answer: a row of an outbox.
///
/// A handler hands them over as an extension of its answer, [`Notes`]; whoever publishes them reads
/// the store's outbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Unique in the outbox.
    pub id: String,
    pub topic: String,
    pub payload: String,
}

/// What a handler wants published.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(pub Vec<Note>);

impl StoredAnswer {
    /// What of an answer is kept.
    pub fn of(policy: &Policy, response: &Response<Body>, body: &[u8]) -> StoredAnswer {
        let kept = |name: &String| {
            let value = response.headers().get(name.as_str())?.to_str().ok()?;
            Some((name.clone(), value.to_owned()))
        };
        StoredAnswer {
            status: response.status().as_u16(),
            headers: policy.replayed_headers.iter().filter_map(kept).collect(),
            body: body.to_vec(),
            notes: response
                .extensions()
                .get::<Notes>()
                .map(|notes| notes.0.clone())
                .unwrap_or_default(),
        }
    }

    /// The headers as one text: a JSON object.
    pub fn headers_text(&self) -> String {
        let pairs = self
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        Value::Object(pairs.collect()).to_string()
    }

    /// Undoes [`StoredAnswer::headers_text`]; what is no such text gives no headers.
    pub fn read_headers(text: &str) -> Vec<(String, String)> {
        let Ok(Value::Object(pairs)) = serde_json::from_str(text) else {
            return Vec::new();
        };
        let text = |(name, value): (String, Value)| Some((name, value.as_str()?.to_owned()));
        pairs.into_iter().filter_map(text).collect()
    }

    /// The answer to a retry.
    pub fn replay(&self, policy: &Policy) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body.clone()));
        let status = match policy.replay {
            Replay::BodyWithOk => 200,
            Replay::Whole | Replay::StatusAndBody => self.status,
        };
        // A status that is none can only come from a store that somebody else wrote to.
        *response.status_mut() =
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let is_kept = |name: &str| policy.replay == Replay::Whole || name == "content-type";
        for (name, value) in self.headers.iter().filter(|(name, _)| is_kept(name)) {
            let name = HeaderName::from_bytes(name.as_bytes());
            if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) {
                response.headers_mut().append(name, value);
            }
        }
        mark(policy, &mut response, "true");
        response
    }
}

/// Says whether an answer is a replay, where the policy wants that said.
pub(super) fn mark(policy: &Policy, response: &mut Response<Body>, value: &'static str) {
    let name = policy.marker.as_ref();
    if let Some(Ok(name)) = name.map(|name| HeaderName::from_bytes(name.as_bytes())) {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
}
