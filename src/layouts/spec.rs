//! A layout as typed: the TOML of `assets/layouts` and of users' files, before it is checked.
//!
//! Apart from `layout` so that a mistake is told in the words of the file.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayoutSpec {
    pub id: String,
    pub title: String,
    pub class: String,
    /// No library's own: taken only where no other layout reads as well.
    #[serde(default)]
    pub generic: bool,
    #[serde(default)]
    pub about: String,
    #[serde(default)]
    pub links: Vec<String>,
    #[serde(default)]
    pub params: BTreeMap<String, ParamSpec>,
    #[serde(default)]
    pub lock: LockSpec,
    #[serde(default)]
    pub retry: RetrySpec,
    pub redis: Option<RedisSpec>,
    pub sql: Option<SqlSpec>,
    pub log: Option<LogSpec>,
    #[serde(default)]
    pub sample: Vec<SampleSpec>,
}

/// A parameter the operator can set; its default is what the library does by itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamSpec {
    pub default: Option<String>,
    pub about: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockSpec {
    /// How long a lock holds by the library's own constant.
    pub lease: Option<String>,
    /// How long a locked record lives: one or several periods in use.
    #[serde(default)]
    pub lifetimes: Vec<String>,
    /// Where the lease comes from, in words.
    pub source: Option<String>,
}

/// What the library answers to a retry, by the state of the record.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetrySpec {
    pub processing: Option<AnswerSpec>,
    pub stuck: Option<AnswerSpec>,
    pub completed: Option<AnswerSpec>,
    pub failed: Option<AnswerSpec>,
    pub expired: Option<AnswerSpec>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerSpec {
    pub action: String,
    pub status: Option<u16>,
    pub why: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedisSpec {
    /// Templates of the record's key; the first that fits is taken.
    pub keys: Vec<String>,
    /// Templates of a lock's key. The record is shown under it where nothing else is there.
    #[serde(default)]
    pub locks: Vec<String>,
    /// Further keys of the same record, by names that paths use.
    #[serde(default)]
    pub parts: BTreeMap<String, PartSpec>,
    /// `none` where nothing may stand in front of the keys.
    pub prefix: Option<String>,
    /// Templates of keys that belong to the library and are no records.
    #[serde(default)]
    pub side_keys: Vec<String>,
    /// Classes of captures.
    #[serde(default)]
    pub captures: BTreeMap<String, String>,
    /// Words that speak against a key by its name, as an expression.
    pub never: Option<String>,
    pub string: Option<FormSpec>,
    pub hash: Option<FormSpec>,
    /// Each member of a set, field of a hash or member of a sorted set is a record.
    pub each_member: Option<FormSpec>,
    pub each_field: Option<FormSpec>,
    pub each_scored: Option<FormSpec>,
    /// What stands under a lock's key.
    pub lock: Option<FormSpec>,
    pub search: Option<SearchSpec>,
    pub release: Option<RecipeSpec>,
    pub settle: Option<RecipeSpec>,
    pub purge: Option<RecipeSpec>,
}

/// What becomes of a record by a verb, or why nothing does.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeSpec {
    /// Why this is not done from here, as the end of a sentence.
    pub not: Option<String>,
    /// `record` for all its keys or its row, `lock` for its lock alone.
    pub delete: Option<String>,
    /// What the string becomes.
    pub string: Option<toml::Value>,
    /// What fields of the hash become.
    #[serde(default)]
    pub hash: BTreeMap<String, toml::Value>,
    /// What further keys of the record become.
    #[serde(default)]
    pub parts: BTreeMap<String, toml::Value>,
    /// What columns become, by the layout's names.
    #[serde(default)]
    pub columns: BTreeMap<String, toml::Value>,
    /// How long the keys that are written live from then on, or `never` for no end; without it they
    /// keep their expiry.
    pub expires: Option<String>,
    /// The lowest and the highest status of an answer that can be kept here.
    pub statuses: Option<[u16; 2]>,
}

/// A further key of a record.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartSpec {
    /// Its template, of the captures of the record's key and `{member}`.
    pub key: String,
    /// The member of a sorted set whose score is wanted.
    #[serde(default)]
    pub score: bool,
    /// The field of a hash, named like the member.
    #[serde(default)]
    pub field: bool,
}

/// How a client's key becomes what stands in the key's name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchSpec {
    /// The capture that is made.
    pub makes: Option<String>,
    /// Steps from the client's key, such as `["json-text", "md5", "hex"]`.
    #[serde(default)]
    pub steps: Vec<String>,
    /// Why a client's key cannot be turned into an address.
    pub impossible: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlSpec {
    /// Usual names of the table; a hint, not a condition.
    #[serde(default)]
    pub tables: Vec<String>,
    /// The layout's names for columns, and what they may be called in a table.
    pub columns: BTreeMap<String, ColumnSpec>,
    /// Columns (by the layout's names) that a unique index must cover together.
    #[serde(default)]
    pub unique: Vec<String>,
    /// Values of other tables, which paths reach like columns.
    #[serde(default)]
    pub lookups: BTreeMap<String, LookupSpec>,
    pub row: FormSpec,
    pub release: Option<RecipeSpec>,
    pub settle: Option<RecipeSpec>,
    pub purge: Option<RecipeSpec>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookupSpec {
    /// The other table, in the same schema.
    pub table: String,
    /// Its columns, and the columns (by the layout's names) that they equal.
    pub on: BTreeMap<String, String>,
    /// Its column whose value is taken.
    pub take: String,
    /// Of several rows the one with the greatest value here.
    pub newest: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum ColumnSpec {
    Name(String),
    Detailed(ColumnDetail),
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnDetail {
    #[serde(default)]
    pub names: Vec<String>,
    /// Kinds it may have: `text`, `uuid`, `int`, `time`, `json`, `bytes`, …; empty for any.
    #[serde(default)]
    pub kinds: Vec<String>,
    #[serde(default)]
    pub optional: bool,
}

/// A retry log that has words of its own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogSpec {
    /// Tables, as `table` or `schema.table`.
    #[serde(default)]
    pub tables: Vec<String>,
    /// Streams; `*` stands for anything.
    #[serde(default)]
    pub streams: Vec<String>,
    /// The convention's fields, by its names of columns, and what they are called here.
    pub fields: BTreeMap<String, LogFieldSpec>,
    /// Words that stand for outcomes of the convention.
    #[serde(default)]
    pub outcomes: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "a field's name, or a table of `from` and `unit`, or of `is`"
)]
pub enum LogFieldSpec {
    Name(String),
    Detailed(LogFieldDetail),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogFieldDetail {
    pub from: Option<String>,
    /// For times and periods: `s`, `ms` or `us`.
    pub unit: Option<String>,
    /// What is the same for every entry.
    pub is: Option<String>,
}

/// How one kind of value is read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormSpec {
    /// Decoded things with names of their own, in order.
    #[serde(default)]
    pub decode: Vec<NodeSpec>,
    /// Paths that must be there for this form to be meant.
    #[serde(default)]
    pub requires: Vec<String>,
    /// Whose key it is: one path, or several that stand for it together.
    #[serde(default)]
    pub scope: Vec<String>,
    #[serde(default)]
    pub fields: BTreeMap<String, FieldSpec>,
    /// The first case that fits gives the status.
    #[serde(default)]
    pub case: Vec<CaseSpec>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeSpec {
    pub name: String,
    pub of: String,
    #[serde(rename = "as")]
    pub codecs: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseSpec {
    pub name: String,
    pub status: String,
    #[serde(default)]
    pub when: Vec<PredicateSpec>,
    /// `waiting` or `orphaned` for a processing record that holds no lock.
    pub lock: Option<String>,
    #[serde(default)]
    pub fields: BTreeMap<String, FieldSpec>,
    /// Where this case alone does not tell the layout: a bare word many libraries write.
    #[serde(default)]
    pub common: bool,
    /// Where this case is a guess that any better reading overrules.
    #[serde(default)]
    pub weak: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PredicateSpec {
    pub of: Option<Paths>,
    pub equals: Option<String>,
    pub one_of: Option<Vec<String>>,
    /// Like `one_of`, whatever the case of letters and without `_`, `-` and blanks.
    pub word: Option<Vec<String>>,
    /// An expression that the whole text fits.
    pub matches: Option<String>,
    pub present: Option<bool>,
    pub between: Option<[f64; 2]>,
    /// The number there is at least, or less than, the one at this path.
    pub at_least: Option<String>,
    pub less_than: Option<String>,
    /// `object`, `array`, `string`, `number`, `bool`.
    pub is: Option<Vec<String>>,
    /// The time there lies in the past (true) or not (false).
    pub passed: Option<bool>,
    pub unit: Option<String>,
    /// A decoded thing could be decoded.
    pub decoded: Option<String>,
}

/// One path, or several of which any may answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Paths {
    One(String),
    Any(Vec<String>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum FieldSpec {
    Path(String),
    Detailed(FieldDetail),
    FirstOf(Vec<FieldSpec>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldDetail {
    pub from: String,
    #[serde(default)]
    pub decode: Vec<String>,
    /// For times: `s`, `ms`, `us`, `ticks`, `local` (text without a zone), `auto` (by its size), or
    /// `own` (a typed time or text).
    pub unit: Option<String>,
    /// For times: a parameter or a period to add.
    pub plus: Option<String>,
    /// For the payload hash: an empty text is shown as such.
    #[serde(default)]
    pub keep_empty: bool,
}

/// A stored record and its right reading, which prove the layout.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleSpec {
    pub name: String,
    /// The store's clock, for `stuck`.
    pub at_ms: Option<i64>,
    pub key: Option<String>,
    pub ttl_ms: Option<i64>,
    pub string: Option<String>,
    /// A string that is no text.
    pub string_base64: Option<String>,
    pub hash: Option<BTreeMap<String, String>>,
    /// The record is this member of the key.
    pub member: Option<String>,
    /// Strings under further keys of the record.
    #[serde(default)]
    pub parts: BTreeMap<String, String>,
    pub row: Option<BTreeMap<String, toml::Value>>,
    /// An entry of a log.
    pub entry: Option<BTreeMap<String, toml::Value>>,
    pub expect: BTreeMap<String, toml::Value>,
    /// What it reads as once released; empty where it is gone.
    pub released: Option<BTreeMap<String, toml::Value>>,
    /// What it reads as once settled with 201 and `{"id":7}`.
    pub settled: Option<BTreeMap<String, toml::Value>>,
}
