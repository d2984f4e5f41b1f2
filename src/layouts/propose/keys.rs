//! The proposal for a family of keys.

use super::decoder::{Decoded, best};
use super::families::KeyFamily;
use super::form::{Ingredients, Node};
use super::grid::{Grid, Value};
use super::roles::unit;
use super::status::{Case, known};
use super::text::{comment, id, key, list, quoted, records};
use super::token::{Token, is_plain};
use super::{Ground, head, untold};
use crate::domain::raw::{KeyType, KeyValue, RawKey};
use crate::layouts::vocabulary::{Vocabulary, vocabulary};

/// From so many fields on a hash whose fields are ids holds a record in each.
const FIELDS_OF_RECORDS: usize = 3;
/// Members looked at of one key that holds many records.
const MEMBERS_OF_EACH: usize = 40;
/// Different bare values that are told of.
const BARE_MAX: usize = 6;

/// A layout for a family of keys, in its own text.
pub fn keys(family: &KeyFamily, sample: &[RawKey], ground: Ground<'_>) -> String {
    let Some(words) = vocabulary() else {
        return String::new();
    };
    let forms = forms(family, sample);
    let parts: Vec<_> = forms
        .iter()
        .map(|form| form.parts(words, &ground))
        .collect();
    let deadline = parts.iter().any(|parts| parts.has("lock_until"));
    let answers = ["response_status", "response_body", "payload_hash", "state"];
    let is_http = parts
        .iter()
        .any(|parts| answers.iter().any(|role| parts.has(role)));
    let class = if is_http {
        "http-idempotency"
    } else {
        "deduplication"
    };
    let of = ground.of.unwrap_or(sample.len() as u64);
    let looked_at = format!("{} of {of} keys like {}", sample.len(), family.template);
    let id = id(&family.template, ground.taken);
    let mut text = head(&family.template, &id, class, &looked_at);
    untold("redis", deadline, &mut text);
    text.push_str(&comment(
        "Nothing may stand in front of these names; without this line anything may.",
    ));
    text.push_str("[redis]\nprefix = \"none\"\n");
    text.push_str(&format!("keys = {}\n", list([family.template.as_str()])));
    if !family.captures.is_empty() {
        text.push_str("\n[redis.captures]\n");
        for (name, class) in &family.captures {
            text.push_str(&format!("{} = {}\n", key(name), quoted(class)));
        }
    }
    if forms.is_empty() {
        text.push('\n');
        text.push_str(&comment(&unreadable(sample)));
    }
    for (form, parts) in forms.iter().zip(&parts) {
        text.push('\n');
        text.push_str(&form.write(words, parts));
    }
    text
}

fn unreadable(sample: &[RawKey]) -> String {
    let kind = sample.iter().find_map(|raw| raw.value.key_type());
    match kind {
        Some(kind) => format!(
            "These keys are of type {}: no layout reads those.",
            kind.name()
        ),
        None => {
            "None of these keys could be read: they are gone, or this login may not.".to_owned()
        }
    }
}

/// The forms that the values of the sample have.
fn forms(family: &KeyFamily, sample: &[RawKey]) -> Vec<Ingredients> {
    let of = |kind: KeyType| -> Vec<&RawKey> {
        let fitting = sample
            .iter()
            .filter(|raw| raw.value.key_type() == Some(kind));
        fitting.collect()
    };
    let mut forms = Vec::new();
    let strings: Vec<&[u8]> = of(KeyType::String).into_iter().filter_map(whole).collect();
    if !of(KeyType::String).is_empty() {
        forms.push(string_form(
            "redis.string",
            &strings,
            names_of(family),
            is_lock(family),
        ));
    }
    let hashes = of(KeyType::Hash);
    if !hashes.is_empty() {
        forms.push(match holds_records(&hashes) {
            true => each_field(&hashes, family),
            false => hash_form(&hashes, family),
        });
    }
    let has_each = forms.iter().any(|form| form.form == "redis.each_field");
    if !of(KeyType::Set).is_empty() && !has_each {
        forms.push(each_member(family));
    } else if !of(KeyType::SortedSet).is_empty() && !has_each {
        forms.push(each_scored(&of(KeyType::SortedSet), family));
    }
    forms
}

/// The bytes of a string that was read whole.
fn whole(raw: &RawKey) -> Option<&[u8]> {
    match &raw.value {
        KeyValue::String { bytes, len } if bytes.len() as u64 == *len => Some(bytes),
        _ => None,
    }
}

/// What the name of a key tells.
fn names_of(family: &KeyFamily) -> Ingredients {
    let mut form = Ingredients::default();
    for name in captures(&family.template) {
        let path = format!("key.{name}");
        match name.as_str() {
            "key" => form.by_name.push(("idempotency_key", path)),
            "digest" => form.by_name.push(("key_digest", path)),
            "method" => form.by_name.push(("method", path)),
            "path" => form.by_name.push(("path", path)),
            _ => form.scope.push(path),
        }
    }
    form
}

/// Whether the fixed text of a name says lock.
fn is_lock(family: &KeyFamily) -> bool {
    let mut words = family.template.split(|c: char| !c.is_ascii_alphabetic());
    words.any(|word| matches!(word, "lock" | "locks"))
}

/// The names in braces, without the doubled braces of fixed text.
fn captures(template: &str) -> Vec<String> {
    let plain = template.replace("{{", "").replace("}}", "");
    let parts = plain.split('{').skip(1);
    parts
        .filter_map(|part| Some(part.split_once('}')?.0.to_owned()))
        .collect()
}

fn string_form(
    name: &'static str,
    values: &[&[u8]],
    names: Ingredients,
    is_lock: bool,
) -> Ingredients {
    let mut form = Ingredients {
        form: name,
        ..names
    };
    let decoded = best(values);
    let has_members = |at: usize| {
        let values = decoded.as_ref().map(|decoded| &decoded.values);
        values
            .and_then(|values| values.get(at))
            .is_some_and(Option::is_some)
    };
    let bare: Vec<&[u8]> = values
        .iter()
        .enumerate()
        .filter(|(at, _)| !has_members(*at))
        .map(|(_, value)| *value)
        .collect();
    if let Some(Decoded { way, values }) = &decoded {
        let node = Node {
            name: "value".to_owned(),
            of: "raw".to_owned(),
            way: way.to_vec(),
        };
        form.nodes.push(node);
        form.grid = Grid::of(values.iter().flatten().count());
        for (record, json) in values.iter().flatten().enumerate() {
            form.grid
                .put_json(record, &mut vec!["value".to_owned()], 1, json);
        }
        form.rest = Some("{ decoded = \"value\" }".to_owned());
        form.open_members();
    }
    if let Some(words) = vocabulary() {
        bare_values(words, &bare, is_lock, &mut form);
    }
    form
}

/// Values that are a word, a token or a time.
fn bare_values(words: &Vocabulary, values: &[&[u8]], is_lock: bool, form: &mut Ingredients) {
    let mut texts: Vec<(&str, usize)> = Vec::new();
    for value in values {
        let Ok(text) = std::str::from_utf8(value) else {
            continue;
        };
        match texts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => texts.push((text, 1)),
        }
    }
    let mut grid = Grid::of(values.len());
    for (record, value) in values.iter().enumerate() {
        grid.put(record, &["raw".to_owned()], 1, Some(Value::of_bytes(value)));
    }
    let times = grid.members.first().filter(|member| member.is_time());
    if let Some(member) = times {
        let unit = unit(member).unwrap_or("auto");
        form.whole.push((
            "created_at",
            format!("{{ from = \"raw\", unit = \"{unit}\" }}"),
        ));
        let asked = "{ of = \"raw\", present = true }".to_owned();
        let why = "The value is a time. Nothing says whether the request runs or is finished.";
        form.bare
            .push(Case::new("a time", "unknown", asked).because(why));
        return;
    }
    let others = form.grid.records > 0;
    let is_token = |text: &str| text.len() >= 6 && Token::of(text.as_bytes()) != Token::Word;
    let (tokens, fixed): (Vec<_>, Vec<_>) = texts
        .into_iter()
        .partition(|(text, count)| *count == 1 && is_token(text) && known(words, text).is_none());
    for (text, count) in fixed.into_iter().take(BARE_MAX) {
        form.bare.push(fixed_value(words, text, count, others));
    }
    if !tokens.is_empty() {
        form.bare.push(token_value(tokens.len(), others, is_lock));
        form.whole.push(("owner", "\"raw\"".to_owned()));
    }
}

fn fixed_value(words: &Vocabulary, text: &str, count: usize, others: bool) -> Case {
    let name = match text {
        "" => "empty".to_owned(),
        text if text.len() <= 40 && text.chars().all(is_plain) => format!("the text {text}"),
        _ => "a fixed text".to_owned(),
    };
    let asked = format!("{{ of = \"raw\", equals = {} }}", quoted(text));
    match (known(words, text), others) {
        (Some(status), _) => Case::new(&name, status, asked),
        (None, true) => Case::new(&name, "processing", asked).because(format!(
            "A guess: {} with it, and others hold an answer.",
            records(count)
        )),
        (None, false) => Case::new(&name, "unknown", asked)
            .because("What does it mean? Write processing, completed or failed."),
    }
}

fn token_value(count: usize, others: bool, is_lock: bool) -> Case {
    let asked = "{ of = \"raw\", matches = '[^{\\[\\s][^{\\[\\s]{0,200}' }".to_owned();
    let tokens = records(count);
    match others || is_lock {
        true if is_lock => Case::new("a token", "processing", asked)
            .because("A guess: the name says that it is a lock."),
        true => Case::new("a token", "processing", asked).because(format!(
            "A guess: {tokens} with a token, and others hold an answer."
        )),
        false => Case::new("a token", "unknown", asked)
            .because("A token of whoever wrote it: a lock, or a mark of what was done?"),
    }
}

/// Whether each field of a hash is a record: its fields have no names but ids.
fn holds_records(hashes: &[&RawKey]) -> bool {
    let (mut ids, mut all) = (0, 0);
    for raw in hashes {
        if let KeyValue::Hash { fields, .. } = &raw.value {
            all += fields.len();
            ids += fields
                .iter()
                .filter(|(name, _)| Token::of(name) != Token::Word)
                .count();
        }
    }
    all >= FIELDS_OF_RECORDS && ids * 10 >= all * 9
}

fn hash_form(hashes: &[&RawKey], family: &KeyFamily) -> Ingredients {
    let mut form = Ingredients {
        form: "redis.hash",
        ..names_of(family)
    };
    form.grid = Grid::of(hashes.len());
    for (record, raw) in hashes.iter().enumerate() {
        if let KeyValue::Hash { fields, .. } = &raw.value {
            for (name, value) in fields {
                let path = [
                    "hash".to_owned(),
                    String::from_utf8_lossy(name).into_owned(),
                ];
                form.grid
                    .put(record, &path, 1, Some(Value::of_bytes(value)));
            }
        }
    }
    form.open_members();
    form
}

/// What a name is where each member is a record: the keys are theirs.
fn names_of_members(family: &KeyFamily) -> Ingredients {
    let mut form = names_of(family);
    for (role, path) in &mut form.by_name {
        if matches!(*role, "idempotency_key" | "key_digest") {
            let scope = std::mem::replace(path, "member".to_owned());
            form.scope.push(scope);
            *role = "idempotency_key";
        }
    }
    if !form
        .by_name
        .iter()
        .any(|(role, _)| *role == "idempotency_key")
    {
        form.by_name.push(("idempotency_key", "member".to_owned()));
    }
    form
}

fn each_field(hashes: &[&RawKey], family: &KeyFamily) -> Ingredients {
    let values: Vec<&[u8]> = hashes
        .iter()
        .filter_map(|raw| match &raw.value {
            KeyValue::Hash { fields, .. } => Some(fields.iter().take(MEMBERS_OF_EACH)),
            _ => None,
        })
        .flatten()
        .map(|(_, value)| value.as_slice())
        .collect();
    string_form("redis.each_field", &values, names_of_members(family), false)
}

const SEEN: &str = "That it is there is all that a member tells.";

fn each_member(family: &KeyFamily) -> Ingredients {
    let mut form = Ingredients {
        form: "redis.each_member",
        ..names_of_members(family)
    };
    form.bare
        .push(Case::new("seen", "unknown", String::new()).because(SEEN));
    form
}

fn each_scored(sets: &[&RawKey], family: &KeyFamily) -> Ingredients {
    let mut form = Ingredients {
        form: "redis.each_scored",
        ..names_of_members(family)
    };
    let scores: Vec<f64> = sets
        .iter()
        .filter_map(|raw| match &raw.value {
            KeyValue::SortedSet { members, .. } => Some(members.iter().take(MEMBERS_OF_EACH)),
            _ => None,
        })
        .flatten()
        .map(|(_, score)| *score)
        .collect();
    let mut grid = Grid::of(scores.len());
    for (record, score) in scores.iter().enumerate() {
        let value = Value::Number(*score, score.to_string());
        grid.put(record, &["score".to_owned()], 1, Some(value));
    }
    if let Some(member) = grid.members.first().filter(|member| member.is_time()) {
        let unit = unit(member).unwrap_or("auto");
        form.whole.push((
            "created_at",
            format!("{{ from = \"score\", unit = \"{unit}\" }}  # or expires_at"),
        ));
    }
    form.bare
        .push(Case::new("seen", "unknown", String::new()).because(SEEN));
    form
}
