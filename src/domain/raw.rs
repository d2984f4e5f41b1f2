//! What a store holds, as bytes and cells, before any layout has read it.
//!
//! Stores make these and know no layout; layouts read these and know no store.
//! Invariant: nothing here is interpreted; lengths say when a value was cut.

use std::ops::Range;
use std::sync::Arc;

use super::time::Timestamp;

/// The type of one key in a key-value store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyType {
    String,
    Hash,
    Set,
    SortedSet,
    List,
    Stream,
    Other,
}

impl KeyType {
    pub fn name(self) -> &'static str {
        match self {
            KeyType::String => "string",
            KeyType::Hash => "hash",
            KeyType::Set => "set",
            KeyType::SortedSet => "zset",
            KeyType::List => "list",
            KeyType::Stream => "stream",
            KeyType::Other => "other",
        }
    }

    pub fn from_name(name: &str) -> KeyType {
        match name {
            "string" => KeyType::String,
            "hash" => KeyType::Hash,
            "set" => KeyType::Set,
            "zset" => KeyType::SortedSet,
            "list" => KeyType::List,
            "stream" => KeyType::Stream,
            _ => KeyType::Other,
        }
    }
}

/// What is left of a key's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ttl {
    /// The key never expires.
    Never,
    /// Milliseconds left.
    Left(i64),
    /// The store did not say, or may not say to this login.
    Unknown,
}

/// The value of one key, perhaps only its beginning.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyValue {
    /// `bytes` may be only the beginning of `len` bytes.
    String {
        bytes: Vec<u8>,
        len: u64,
    },
    /// The fields that were asked for, or all of them.
    Hash {
        fields: Vec<(Vec<u8>, Vec<u8>)>,
        len: Option<u64>,
    },
    Set {
        members: Vec<Vec<u8>>,
        len: u64,
    },
    SortedSet {
        members: Vec<(Vec<u8>, f64)>,
        len: u64,
    },
    /// A type that no layout reads.
    Opaque(KeyType),
    /// The key was gone when its value was asked for.
    Missing,
    /// The store refused to show the value; the text says why.
    Refused(String),
}

impl KeyValue {
    pub fn key_type(&self) -> Option<KeyType> {
        match self {
            KeyValue::String { .. } => Some(KeyType::String),
            KeyValue::Hash { .. } => Some(KeyType::Hash),
            KeyValue::Set { .. } => Some(KeyType::Set),
            KeyValue::SortedSet { .. } => Some(KeyType::SortedSet),
            KeyValue::Opaque(kind) => Some(*kind),
            KeyValue::Missing | KeyValue::Refused(_) => None,
        }
    }
}

/// One key of a key-value store with what was read of it.
#[derive(Clone, Debug, PartialEq)]
pub struct RawKey {
    pub name: Vec<u8>,
    pub ttl: Ttl,
    pub value: KeyValue,
}

/// What a column holds, as the store declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnKind {
    Bool,
    Int,
    Float,
    Text,
    Uuid,
    Bytes,
    /// A point in time with a zone.
    Time,
    /// A point in time without a zone; read as UTC unless a layout says otherwise.
    NaiveTime,
    Json,
    /// Anything else; the store shows it as text.
    Other,
}

/// One value of a row, borrowed from its page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// Text that was valid UTF-8.
    Text(&'a str),
    Bytes(&'a [u8]),
    Uuid(&'a [u8; 16]),
    /// Microseconds since the Unix epoch; `i64::MAX` and `i64::MIN` are the infinities.
    Time(i64),
    /// JSON text.
    Json(&'a str),
}

/// A value of a row as it lies in a page: small values inline, long ones in the arena.
#[derive(Clone, Debug, PartialEq)]
enum Packed {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Range<u32>),
    Bytes(Range<u32>),
    Uuid(u32),
    Time(i64),
    Json(Range<u32>),
}

/// A page of rows: one arena, fixed columns, no allocation a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawRows {
    columns: usize,
    cells: Vec<Packed>,
    arena: Vec<u8>,
}

impl RawRows {
    pub fn new(columns: usize) -> RawRows {
        RawRows {
            columns,
            cells: Vec::new(),
            arena: Vec::new(),
        }
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn len(&self) -> usize {
        self.cells.len().checked_div(self.columns).unwrap_or(0)
    }

    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Bytes held, for paging by size.
    pub fn bytes(&self) -> usize {
        self.arena.len() + self.cells.len() * size_of::<Packed>()
    }

    /// Adds the next cell, from left to right, row by row. Text that does not fit the arena's
    /// 4 GiB becomes null, which a page's own bound keeps from happening.
    pub fn push(&mut self, cell: Cell<'_>) {
        let packed = match cell {
            Cell::Null => Packed::Null,
            Cell::Bool(value) => Packed::Bool(value),
            Cell::Int(value) => Packed::Int(value),
            Cell::Float(value) => Packed::Float(value),
            Cell::Time(value) => Packed::Time(value),
            Cell::Text(text) => self
                .keep(text.as_bytes())
                .map_or(Packed::Null, Packed::Text),
            Cell::Json(text) => self
                .keep(text.as_bytes())
                .map_or(Packed::Null, Packed::Json),
            Cell::Bytes(bytes) => self.keep(bytes).map_or(Packed::Null, Packed::Bytes),
            Cell::Uuid(bytes) => self
                .keep(bytes)
                .map_or(Packed::Null, |range| Packed::Uuid(range.start)),
        };
        self.cells.push(packed);
    }

    fn keep(&mut self, bytes: &[u8]) -> Option<Range<u32>> {
        let start = u32::try_from(self.arena.len()).ok()?;
        let end = u32::try_from(self.arena.len() + bytes.len()).ok()?;
        self.arena.extend_from_slice(bytes);
        Some(start..end)
    }

    /// Removes a row that was only begun.
    pub fn cut_to_rows(&mut self, rows: usize) {
        self.cells.truncate(rows.saturating_mul(self.columns));
    }

    /// The cell at `row` and `column`; null outside the page.
    pub fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        if column >= self.columns {
            return Cell::Null;
        }
        let Some(packed) = self.cells.get(row * self.columns + column) else {
            return Cell::Null;
        };
        match packed {
            Packed::Null => Cell::Null,
            Packed::Bool(value) => Cell::Bool(*value),
            Packed::Int(value) => Cell::Int(*value),
            Packed::Float(value) => Cell::Float(*value),
            Packed::Time(value) => Cell::Time(*value),
            Packed::Text(range) => {
                std::str::from_utf8(self.bytes_at(range)).map_or(Cell::Null, Cell::Text)
            }
            Packed::Json(range) => {
                std::str::from_utf8(self.bytes_at(range)).map_or(Cell::Null, Cell::Json)
            }
            Packed::Bytes(range) => Cell::Bytes(self.bytes_at(range)),
            Packed::Uuid(start) => {
                let bytes = self.bytes_at(&(*start..start.saturating_add(16)));
                <&[u8; 16]>::try_from(bytes).map_or(Cell::Null, Cell::Uuid)
            }
        }
    }

    fn bytes_at(&self, range: &Range<u32>) -> &[u8] {
        self.arena
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }
}

/// A column to read, and how much of it.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnWant {
    Value {
        column: String,
        kind: ColumnKind,
    },
    /// Only whether it is null: true where there is a value.
    Presence {
        column: String,
    },
    /// A value of another table, as text.
    Lookup(Lookup),
    /// Whether a running transaction holds the row; null where the store does not tell.
    Holder,
}

/// Where another table tells something about a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lookup {
    pub schema: String,
    pub table: String,
    /// Its column, and the column of the row that it must equal.
    pub on: Vec<(String, String)>,
    /// The column that is taken.
    pub take: String,
    /// Of several rows the one with the greatest value here.
    pub newest: Option<String>,
}

/// How much of a key to read.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyRead {
    /// The first bytes of a string, and its length.
    Head { bytes: usize },
    /// These fields of a hash.
    Fields(Arc<[Vec<u8>]>),
    /// Which of these are members of a set.
    Members(Arc<[Vec<u8>]>),
    /// The scores of these members of a sorted set.
    Scores(Arc<[Vec<u8>]>),
    /// All of it, up to so many bytes or members; the type is asked for first.
    Whole { bytes_max: usize },
}

/// A page of a set, hash or sorted set, by a cursor like that of a key space.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberPage {
    pub value: KeyValue,
    pub ttl: Ttl,
    /// `None` at the end.
    pub next: Option<u64>,
}

/// The address of a record in raw form, enough to find it again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RawAddress {
    Key(Vec<u8>),
    /// A member of a set or a field of a hash.
    Member {
        key: Vec<u8>,
        member: Vec<u8>,
    },
    /// A row: schema, table, and the key columns' values as text, in key order.
    Row {
        schema: Arc<str>,
        table: Arc<str>,
        key: Vec<String>,
    },
}

/// When and by whose clock a page was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadAt {
    /// The store's clock.
    pub store: Timestamp,
}
