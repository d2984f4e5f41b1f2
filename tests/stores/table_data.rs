//! The tables that every store of tables holds, once for all kinds of SQL.
//!
//! A value is written here as PostgreSQL has it; where SQLite has no such type, [`Dialect::held`]
//! says what it holds instead, and its oracle holds the same.

use idemscope::domain::raw::{Cell, ColumnKind, RawRows};
use idemscope::domain::survey::{Column, Table};
use idemscope::stores::{MemoryStore, ReadStore};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Postgres,
    Sqlite,
}

#[derive(Clone)]
pub enum Held {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Uuid([u8; 16]),
    /// Microseconds since 1970.
    Time(i64),
    Json(String),
}

pub struct TableData {
    pub schema: &'static str,
    pub name: &'static str,
    columns: Vec<ColumnData>,
    key: Vec<&'static str>,
    unique: Vec<Vec<&'static str>>,
    rows: Vec<Vec<Held>>,
}

struct ColumnData {
    name: &'static str,
    kind: ColumnKind,
    /// In PostgreSQL's words and in SQLite's.
    declared: [&'static str; 2],
    nullable: bool,
}

const UUID: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255];

pub fn tables() -> Vec<TableData> {
    let mut tables = vec![
        kinds(),
        weird("We\"ird s.p", "select \"a.b\" Ünï"),
        weird("public", "Order"),
    ];
    for (name, count) in [("none", 0), ("one", 1), ("pages", 501), ("many", 12_000)] {
        tables.push(counted(name, count));
    }
    tables
}

fn column(
    name: &'static str,
    kind: ColumnKind,
    postgres: &'static str,
    sqlite: &'static str,
) -> ColumnData {
    ColumnData {
        name,
        kind,
        declared: [postgres, sqlite],
        nullable: true,
    }
}

fn required(column: ColumnData) -> ColumnData {
    ColumnData {
        nullable: false,
        ..column
    }
}

fn kinds() -> TableData {
    let text = |text: &str| Held::Text(text.to_owned());
    let json = |text: &str| Held::Json(text.to_owned());
    let columns = vec![
        required(column("id", ColumnKind::Int, "bigint", "INTEGER")),
        column("b", ColumnKind::Bool, "boolean", "BOOLEAN"),
        column("small", ColumnKind::Int, "smallint", "SMALLINT"),
        column("f", ColumnKind::Float, "double precision", "DOUBLE"),
        required(column("t", ColumnKind::Text, "text", "TEXT")),
        column("u", ColumnKind::Uuid, "uuid", "UUID"),
        column("y", ColumnKind::Bytes, "bytea", "BLOB"),
        column("at", ColumnKind::Time, "timestamptz", "TIMESTAMP"),
        column("naive", ColumnKind::NaiveTime, "timestamp(6)", "DATETIME"),
        column("j", ColumnKind::Json, "jsonb", "JSON"),
        column("mood", ColumnKind::Other, "mood", "TEXT"),
        column("n", ColumnKind::Other, "numeric(20,2)", "TEXT"),
        column("parts", ColumnKind::Other, "part[]", "TEXT"),
    ];
    let full = |id: i64, t: &str, at: i64| {
        vec![
            Held::Int(id),
            Held::Bool(id % 2 == 0),
            Held::Int(-7),
            Held::Float(1.5),
            text(t),
            Held::Uuid(UUID),
            Held::Bytes(b"\x00\xff'\\".to_vec()),
            Held::Time(at),
            Held::Time(at),
            json("{\"a\": \"it's\"}"),
            text("so so"),
            text("12345678901234567.50"),
            text("{\"(1,\\\"a b\\\")\",\"(2,)\"}"),
        ]
    };
    let mut empty = vec![
        Held::Int(i64::MIN),
        Held::Null,
        Held::Null,
        Held::Null,
        text(""),
    ];
    empty.resize_with(columns.len(), || Held::Null);
    TableData {
        schema: "public",
        name: "kinds",
        columns,
        key: vec!["id"],
        unique: vec![vec!["t", "u"]],
        rows: vec![
            empty,
            full(1, "plain", 1_700_000_000_123_456),
            full(2, "it's \"quoted\" \\ $1 ?1 --", i64::MAX),
            full(3, "ключ 🔑\n\ttab", i64::MIN),
            full(4, "a\u{fffd}b", -1),
            full(i64::MAX, &"long ".repeat(30_000), 0),
        ],
    }
}

fn weird(schema: &'static str, name: &'static str) -> TableData {
    let text = |text: &str| Held::Text(text.to_owned());
    TableData {
        schema,
        name,
        columns: vec![
            required(column(
                "with \"quote\"",
                ColumnKind::Text,
                "varchar(40)",
                "VARCHAR(40)",
            )),
            column("order", ColumnKind::Int, "integer", "INTEGER"),
            column("a.b c", ColumnKind::Text, "text", "TEXT"),
            required(column("UPPER", ColumnKind::Text, "text", "TEXT")),
            column("t", ColumnKind::Text, "text", "TEXT"),
            column("rowid", ColumnKind::Text, "text", "TEXT"),
        ],
        key: vec!["with \"quote\"", "UPPER"],
        unique: Vec::new(),
        rows: vec![
            vec![
                text("a"),
                Held::Int(1),
                text("x"),
                text("U"),
                Held::Null,
                text("same"),
            ],
            vec![
                text("b"),
                Held::Null,
                Held::Null,
                text("U"),
                text("t"),
                text("same"),
            ],
        ],
    }
}

fn counted(name: &'static str, count: i64) -> TableData {
    TableData {
        schema: "public",
        name,
        columns: vec![
            required(column("id", ColumnKind::Int, "bigint", "INTEGER")),
            column("t", ColumnKind::Text, "text", "TEXT"),
        ],
        key: vec!["id"],
        unique: Vec::new(),
        rows: (0..count)
            .map(|id| vec![Held::Int(id * 3), Held::Text(format!("row {id}"))])
            .collect(),
    }
}

impl Dialect {
    pub fn schema(self, schema: &str) -> &str {
        match self {
            Dialect::Postgres => schema,
            Dialect::Sqlite => "main",
        }
    }

    fn kind(self, kind: ColumnKind) -> ColumnKind {
        match (self, kind) {
            (Dialect::Sqlite, ColumnKind::Other) => ColumnKind::Text,
            (Dialect::Sqlite, ColumnKind::Time) => ColumnKind::NaiveTime,
            (_, kind) => kind,
        }
    }

    fn declared(self, column: &ColumnData) -> &'static str {
        let [postgres, sqlite] = column.declared;
        match self {
            Dialect::Postgres => postgres,
            Dialect::Sqlite => sqlite,
        }
    }

    /// What a value is held as.
    fn held(self, value: &Held) -> Held {
        match (self, value) {
            (Dialect::Sqlite, Held::Bool(value)) => Held::Int(i64::from(*value)),
            (Dialect::Sqlite, Held::Time(micros)) => Held::Text(format!("at {micros}")),
            (Dialect::Sqlite, Held::Json(text)) => Held::Text(text.clone()),
            (Dialect::Sqlite, Held::Uuid(bytes)) => Held::Text(hyphenated(bytes)),
            (_, value) => value.clone(),
        }
    }

    fn literal(self, value: &Held) -> String {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
        match self.held(value) {
            Held::Null => "NULL".to_owned(),
            Held::Bool(value) => value.to_string(),
            // The smallest number is no literal.
            Held::Int(i64::MIN) => "(-9223372036854775807 - 1)".to_owned(),
            Held::Int(value) => value.to_string(),
            Held::Float(value) => value.to_string(),
            Held::Text(text) | Held::Json(text) => quoted(&text),
            Held::Uuid(bytes) => quoted(&hyphenated(&bytes)),
            Held::Bytes(bytes) => match self {
                Dialect::Postgres => format!("'\\x{}'", hex(&bytes)),
                Dialect::Sqlite => format!("x'{}'", hex(&bytes)),
            },
            Held::Time(i64::MAX) => "'infinity'".to_owned(),
            Held::Time(i64::MIN) => "'-infinity'".to_owned(),
            Held::Time(micros) => {
                format!("'1970-01-01'::timestamp + {micros} * interval '1 microsecond'")
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn hyphenated(bytes: &[u8; 16]) -> String {
    let hex = hex(bytes);
    let (a, b, c, d, e) = (
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    );
    format!("{a}-{b}-{c}-{d}-{e}")
}

pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// SQL that makes the tables and fills them.
pub fn script(dialect: Dialect) -> String {
    let mut sql = String::new();
    if dialect == Dialect::Postgres {
        sql.push_str("CREATE TYPE mood AS ENUM ('so so', 'good');\n");
        sql.push_str("CREATE TYPE part AS (n int, t text);\n");
        sql.push_str(&format!("CREATE SCHEMA {};\n", quoted("We\"ird s.p")));
    }
    for table in tables() {
        let schema = quoted(dialect.schema(table.schema));
        let place = format!("{schema}.{}", quoted(table.name));
        let list = |names: &[&str]| {
            names
                .iter()
                .map(|name| quoted(name))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let mut parts: Vec<String> = Vec::new();
        for column in &table.columns {
            let end = if column.nullable { "" } else { " NOT NULL" };
            parts.push(format!(
                "{} {}{end}",
                quoted(column.name),
                dialect.declared(column)
            ));
        }
        parts.push(format!("PRIMARY KEY ({})", list(&table.key)));
        parts.extend(
            table
                .unique
                .iter()
                .map(|columns| format!("UNIQUE ({})", list(columns))),
        );
        sql.push_str(&format!("CREATE TABLE {place} ({});\n", parts.join(", ")));
        for rows in table.rows.chunks(500) {
            let tuples: Vec<String> = rows
                .iter()
                .map(|row| {
                    let row: Vec<String> = row.iter().map(|value| dialect.literal(value)).collect();
                    format!("({})", row.join(", "))
                })
                .collect();
            sql.push_str(&format!(
                "INSERT INTO {place} VALUES {};\n",
                tuples.join(", ")
            ));
        }
    }
    sql
}

/// Memory with the same tables.
pub fn oracle(dialect: Dialect) -> ReadStore {
    let tables = tables().into_iter().map(|table| {
        let mut rows = RawRows::new(table.columns.len());
        for value in table.rows.iter().flatten() {
            push(&mut rows, &dialect.held(value));
        }
        (described(dialect, &table), rows)
    });
    ReadStore::memory(MemoryStore::of_tables(tables.collect()))
}

fn push(rows: &mut RawRows, value: &Held) {
    rows.push(match value {
        Held::Null => Cell::Null,
        Held::Bool(value) => Cell::Bool(*value),
        Held::Int(value) => Cell::Int(*value),
        Held::Float(value) => Cell::Float(*value),
        Held::Text(text) => Cell::Text(text),
        Held::Bytes(bytes) => Cell::Bytes(bytes),
        Held::Uuid(bytes) => Cell::Uuid(bytes),
        Held::Time(micros) => Cell::Time(*micros),
        Held::Json(text) => Cell::Json(text),
    });
}

fn described(dialect: Dialect, table: &TableData) -> Table {
    let owned = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let mut indexed = owned(&table.key[..1]);
    let hides = |name: &str| table.columns.iter().any(|column| column.name == name);
    let row_id = match dialect {
        Dialect::Postgres => "ctid",
        Dialect::Sqlite if hides("rowid") => "_rowid_",
        Dialect::Sqlite => "rowid",
    };
    indexed.extend(table.unique.iter().flat_map(|columns| owned(&columns[..1])));
    Table {
        schema: dialect.schema(table.schema).to_owned(),
        name: table.name.to_owned(),
        columns: table
            .columns
            .iter()
            .map(|column| Column {
                name: column.name.to_owned(),
                declared: dialect.declared(column).to_owned(),
                kind: dialect.kind(column.kind),
                nullable: column.nullable,
                readable: true,
            })
            .collect(),
        row_id: Some(row_id.to_owned()),
        primary_key: owned(&table.key),
        unique: table.unique.iter().map(|columns| owned(columns)).collect(),
        indexed,
        rows: None,
        readable: true,
        tells_holder: matches!(dialect, Dialect::Postgres),
    }
}
