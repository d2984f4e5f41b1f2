//! Stored bodies that are not of the content type stored beside them: a stream kept as `{}`.
//!
//! Apart from the other findings because bodies stand in no list: some finished records are opened.
//! Bound: so many records, spread over all that are there.

use std::sync::Arc;

use super::{Finding, What, counted};
use crate::domain::Status;
use crate::domain::address::address_text;
use crate::domain::raw::RawAddress;
use crate::inspect::catalogue::{Snapshot, SourceId};
use crate::inspect::session::Session;
use crate::inspect::show::{Whole, open};
use crate::layouts::Source;
use crate::layouts::field::Field;
use crate::stores::{StoreError, StoreErrorKind};

/// Records that are opened.
const LOOKED_AT_MAX: usize = 200;
/// Records that the filter names.
const NAMED_MAX: usize = 12;

/// What was found in some bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bodies {
    pub looked_at: u64,
    /// Addresses of records whose body is of another type.
    pub wrong: Vec<String>,
}

impl Bodies {
    pub(super) fn finding(&self) -> Option<Finding> {
        let named = self.wrong.iter().take(NAMED_MAX);
        let terms: Vec<String> = named
            .map(|address| format!("address:\"{}\"", address.replace('"', "\\\"")))
            .collect();
        let what = What::WrongBodies {
            looked_at: self.looked_at,
        };
        counted(what, self.wrong.len() as u64, &terms.join(" "))
    }
}

/// Opens some finished records of the sources that keep a content type.
///
/// Errors: the store is lost.
pub async fn look_at_bodies(session: &Session, snapshot: &Snapshot) -> Result<Bodies, StoreError> {
    let mut bodies = Bodies::default();
    for (source, address) in sample(snapshot) {
        let sources = [source];
        let opened = match open(session, &sources, &address).await {
            // Which of several rows it would be is not known.
            Err(error) if error.kind == StoreErrorKind::Ambiguous => None,
            answer => answer?,
        };
        if let Some(whole) = opened {
            bodies.looked_at += 1;
            if is_wrong(&whole) {
                bodies.wrong.push(address_text(&address));
            }
        }
    }
    Ok(bodies)
}

/// Some finished records, evenly from all rows.
fn sample(snapshot: &Snapshot) -> Vec<(Arc<Source>, RawAddress)> {
    let keeps: Vec<(SourceId, Arc<Source>)> = snapshot
        .sources()
        .filter(|(_, source)| keeps_headers(source))
        .filter_map(|(id, _)| Some((id, snapshot.shared_source(id)?)))
        .collect();
    if keeps.is_empty() {
        return Vec::new();
    }
    let step = (snapshot.len() / (LOOKED_AT_MAX * 4)).max(1);
    let rows = snapshot.rows().step_by(step);
    let finished = rows.filter(|row| row.status() == Status::Completed);
    finished
        .filter_map(|row| {
            let kept = keeps.iter().find(|(id, _)| *id == row.source_id())?;
            Some((kept.1.clone(), row.address()))
        })
        .take(LOOKED_AT_MAX)
        .collect()
}

fn keeps_headers(source: &Source) -> bool {
    let layout = &source.layout;
    let redis = layout.redis.iter().flat_map(|redis| {
        let each = redis.each.as_ref().map(|each| &each.form);
        [redis.string.as_ref(), redis.hash.as_ref(), each]
    });
    let sql = layout.sql.iter().map(|sql| Some(&sql.row));
    redis.chain(sql).flatten().any(|pair| {
        let cases = pair.whole.cases.iter().map(|case| &case.fields);
        cases
            .chain([&pair.whole.fields])
            .any(|fields| fields.fields().any(|field| field == Field::ResponseHeaders))
    })
}

fn is_wrong(whole: &Whole) -> bool {
    let (Some(headers), Some(body)) = (&whole.response_headers, &whole.response_body) else {
        return false;
    };
    let Some(kind) = content_type(&headers.text) else {
        return false;
    };
    // Read with a bound, it may only seem broken.
    let is_whole = body.text.len() as u64 >= body.bytes;
    is_whole && !body.is_binary && contradicts(&kind, &body.text)
}

/// The media type that stored headers name, however they are written.
fn content_type(headers: &str) -> Option<String> {
    let lower = headers.to_ascii_lowercase();
    let after = lower
        .split_once("content-type")
        .or_else(|| lower.split_once("content_type"))?
        .1;
    let is_of_type = |c: char| c.is_ascii_alphanumeric() || "/+.-".contains(c);
    let start = after.find(|c: char| c.is_ascii_alphabetic())?;
    // Between the name and its value stand only quotes, blanks and the like.
    if start > 24 {
        return None;
    }
    let rest = after.get(start..)?;
    let end = rest.find(|c| !is_of_type(c)).unwrap_or(rest.len());
    let kind = rest.get(..end)?;
    kind.contains('/').then(|| kind.to_owned())
}

/// Whether a body cannot be of a media type.
fn contradicts(kind: &str, body: &str) -> bool {
    let trimmed = body.trim();
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(trimmed).is_ok();
    let is_empty_object = matches!(trimmed, "{}" | "[object Object]");
    if kind == "application/json" || kind.ends_with("+json") {
        return !trimmed.is_empty() && !is_json();
    }
    let is_streamed = kind == "text/csv"
        || kind == "application/x-ndjson"
        || kind == "application/octet-stream"
        || kind == "application/pdf"
        || ["image/", "audio/", "video/"]
            .iter()
            .any(|start| kind.starts_with(start));
    let is_text = kind == "text/html" || kind.ends_with("xml");
    (is_streamed || is_text) && is_empty_object
}

#[cfg(test)]
mod tests {
    use super::{content_type, contradicts};

    #[test]
    fn headers_are_read_however_they_are_kept() {
        let kind = |headers: &str| content_type(headers);
        assert_eq!(
            kind(r#"{"Content-Type":"text/csv; x"}"#).as_deref(),
            Some("text/csv")
        );
        assert_eq!(
            kind(r#"[["content-type", ["application/problem+json"]]]"#).as_deref(),
            Some("application/problem+json")
        );
        assert_eq!(
            kind("content-type: image/png\nx: y").as_deref(),
            Some("image/png")
        );
        assert_eq!(kind(r#"{"x":"y"}"#), None);
    }

    #[test]
    fn only_what_cannot_be_is_found() {
        for (kind, body, expected) in [
            ("text/csv", "{}", true),
            ("text/csv", "a,b\n1,2", false),
            ("application/json", "{}", false),
            ("application/json", "[object Object]", true),
            ("application/json", "", false),
            ("application/problem+json", "{\"a\":1}", false),
            ("text/plain", "{}", false),
            ("image/png", "{}", true),
        ] {
            assert_eq!(contradicts(kind, body), expected, "{kind} {body}");
        }
    }
}
