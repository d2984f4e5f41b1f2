//! The fields of the filter language: their names, what they take, and how they compare.
//!
//! | field | matches |
//! | --- | --- |
//! | `key` `hash` `digest` | the beginning |
//! | `scope` `method` | the whole text |
//! | `path` | the whole path, or a beginning that ends at a `/` |
//! | `operation` `address` `layout` `source` | any part |
//!
//! Case does not count in ASCII. With `*` (anything) or `?` (one character) outside of quotes a
//! value is a pattern for the whole text.

use crate::domain::{ProblemCode, Status};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    Is,
    Status,
    Key,
    Scope,
    Operation,
    Method,
    Path,
    Response,
    Age,
    Ttl,
    Hash,
    Digest,
    Attempts,
    Replays,
    Problem,
    Layout,
    Source,
    Address,
}

impl Field {
    pub const ALL: [Field; 18] = [
        Field::Is,
        Field::Status,
        Field::Key,
        Field::Scope,
        Field::Operation,
        Field::Method,
        Field::Path,
        Field::Response,
        Field::Age,
        Field::Ttl,
        Field::Hash,
        Field::Digest,
        Field::Attempts,
        Field::Replays,
        Field::Problem,
        Field::Layout,
        Field::Source,
        Field::Address,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Field::Is => "is",
            Field::Status => "status",
            Field::Key => "key",
            Field::Scope => "scope",
            Field::Operation => "operation",
            Field::Method => "method",
            Field::Path => "path",
            Field::Response => "response",
            Field::Age => "age",
            Field::Ttl => "ttl",
            Field::Hash => "hash",
            Field::Digest => "digest",
            Field::Attempts => "attempts",
            Field::Replays => "replays",
            Field::Problem => "problem",
            Field::Layout => "layout",
            Field::Source => "source",
            Field::Address => "address",
        }
    }

    pub fn named(name: &str) -> Option<Field> {
        Field::ALL
            .into_iter()
            .find(|field| field.name().eq_ignore_ascii_case(name))
    }

    /// What it looks at, for a list of completions.
    pub fn about(self) -> &'static str {
        match self {
            Field::Is => "a fact about the record",
            Field::Status => "what the layout says it is",
            Field::Key => "beginning of the idempotency key",
            Field::Scope => "whose key it is",
            Field::Operation => "part of what the key is for",
            Field::Method => "HTTP method",
            Field::Path => "path, or a beginning of it",
            Field::Response => "status of the stored response",
            Field::Age => "since the lock or the record was made",
            Field::Ttl => "time left",
            Field::Hash => "beginning of the payload hash",
            Field::Digest => "beginning of the key's digest",
            Field::Attempts => "attempts counted by the store",
            Field::Replays => "replays counted by the store",
            Field::Problem => "what could not be read",
            Field::Layout => "part of the layout's id",
            Field::Source => "part of the table's name or key template",
            Field::Address => "part of where it stands",
        }
    }

    /// What it takes, for the end of a sentence that begins with "Expected".
    pub fn expects(self) -> &'static str {
        match self {
            Field::Is => "`stuck`, `expired`, `inferred`, `locked`, `stuck-unknown` or `partial`",
            Field::Status => "`processing`, `completed`, `failed` or `unknown`",
            Field::Response => "a status such as `201`, `5xx`, `>=500`, `any` or `none`",
            Field::Age => "a span such as `age>10m` or `age<2h`",
            Field::Ttl => "a span such as `ttl<1h`, or `never`, `passed` or `unknown`",
            Field::Attempts | Field::Replays => "a number such as `3` or `>3`",
            Field::Problem => {
                "`any`, `none`, `cut`, `not-understood`, `bad-field`, `bad-time`, `refused` or `gone`"
            }
            _ => "a text; with spaces in double quotes",
        }
    }

    /// The values that it takes, where these are few and known.
    pub fn values(self) -> Vec<&'static str> {
        match self {
            Field::Is => Fact::ALL.iter().map(|fact| fact.name()).collect(),
            Field::Status => Status::ALL.iter().map(|status| status.name()).collect(),
            Field::Problem => ["any", "none"]
                .into_iter()
                .chain(ProblemCode::ALL.iter().map(|code| code.name()))
                .collect(),
            Field::Response => vec!["2xx", "4xx", "5xx", "any", "none"],
            Field::Ttl => vec!["never", "passed", "unknown"],
            _ => Vec::new(),
        }
    }

    /// What usually follows the name.
    pub fn operator(self) -> &'static str {
        match self {
            Field::Age | Field::Attempts | Field::Replays => ">",
            Field::Ttl => "<",
            _ => ":",
        }
    }
}

/// What `is:` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Its lock is past its lease.
    Stuck,
    /// Its time has passed and it is still there.
    Expired,
    /// The age of its lock was worked out.
    Inferred,
    /// In progress, and not merely waiting.
    Locked,
    /// Stuck or not cannot be told.
    StuckUnknown,
    /// The answer depends on bytes that were not read.
    Partial,
}

impl Fact {
    pub const ALL: [Fact; 6] = [
        Fact::Stuck,
        Fact::Expired,
        Fact::Inferred,
        Fact::Locked,
        Fact::StuckUnknown,
        Fact::Partial,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Fact::Stuck => "stuck",
            Fact::Expired => "expired",
            Fact::Inferred => "inferred",
            Fact::Locked => "locked",
            Fact::StuckUnknown => "stuck-unknown",
            Fact::Partial => "partial",
        }
    }
}
