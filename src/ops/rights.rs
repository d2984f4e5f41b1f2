//! The smallest rights for looking at a store's records, and for repairing them.
//!
//! Written as the store itself takes them. What is left out costs something that the notes name,
//! never a wrong word.

use std::sync::Arc;

use crate::domain::change::Verb;
use crate::domain::raw::KeyType;
use crate::layouts::Source;
use crate::layouts::needs::{KeyNeeds, Needs, RowNeeds};
use crate::stores::sql::{quoted, quoted_table};
use crate::stores::target::{Look, RedisTarget, Shape};
use crate::stores::{EngineTarget, StoreFacts, Target};

/// Names that stand for the logins; nobody is called so.
const LOOKER: &str = "idemscope_looker";
const OPERATOR: &str = "idemscope_operator";

/// Commands or statements that give the rights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    pub looking: Vec<String>,
    pub repairing: Vec<String>,
    pub notes: Vec<String>,
}

/// Where attempts are logged, as a store's own names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Log {
    /// A stream.
    Stream(String),
    /// Schema and table.
    Table(String, String),
}

impl Rights {
    /// Adds what retry statistics need of these logs: to the first login, which looks.
    pub fn with_logs(mut self, target: &Target, facts: &StoreFacts, logs: &[Log]) -> Rights {
        if logs.is_empty() {
            return self;
        }
        let mark = ServerAge::of(&facts.product).read_mark();
        // Whoever has the file has its tables.
        let is_file = matches!(target.engine, EngineTarget::Sqlite(_));
        for log in logs.iter().filter(|_| !is_file) {
            self.looking.push(match log {
                Log::Stream(name) => {
                    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
                    format!("ACL SETUSER {LOOKER} \"{mark}{name}\" +xrange +scan +ping +time")
                }
                Log::Table(schema, table) => {
                    let place = quoted_table(schema, table);
                    let schema = quoted(schema);
                    format!("GRANT USAGE ON SCHEMA {schema} TO {LOOKER}; GRANT SELECT ON {place} TO {LOOKER};")
                }
            });
        }
        self.notes.push(
            match &target.engine {
                EngineTarget::Redis(_) => {
                    "for statistics +info tells evictions, +object|idletime when keys were last \
                     touched, +client|tracking +hello which keys change, and +psubscribe \
                     \"&__keyspace@*\" \"&__keyevent@*\" their events; +monitor is needed for \
                     --monitor alone, and shows everything to this login"
                }
                EngineTarget::Postgres(_) => {
                    "for statistics pg_read_all_stats tells how often others claimed keys"
                }
                EngineTarget::Sqlite(_) => "statistics need the file and nothing else",
            }
            .to_owned(),
        );
        self
    }
}

/// The smallest rights for these sources of a store.
pub fn rights(target: &Target, facts: &StoreFacts, sources: &[Arc<Source>]) -> Rights {
    let needs: Vec<Needs> = sources.iter().map(|source| source.needs()).collect();
    match &target.engine {
        EngineTarget::Redis(target) => redis(&needs, ServerAge::of(&facts.product), target),
        EngineTarget::Postgres(_) => postgres(&needs),
        EngineTarget::Sqlite(sqlite) => Rights {
            notes: vec![format!(
                "a file has one right: who may read {path} can look, who may write it and its \
                 folder can repair",
                path = sqlite.path.display()
            )],
            ..Rights::default()
        },
    }
}

/// What the server's ACL knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ServerAge {
    /// `%R~` and `PEXPIRETIME`: Redis 7.0 and Valkey.
    Modern,
    Old,
}

impl ServerAge {
    fn of(product: &str) -> ServerAge {
        let version = product.rsplit(' ').next().unwrap_or_default();
        let major: Option<u32> = version.split('.').next().and_then(|text| text.parse().ok());
        match (product.starts_with("Valkey"), major) {
            (true, _) | (_, None) => ServerAge::Modern,
            (false, Some(major)) if major >= 7 => ServerAge::Modern,
            (false, Some(_)) => ServerAge::Old,
        }
    }
}

impl ServerAge {
    /// What stands before a pattern that may only be read.
    fn read_mark(self) -> &'static str {
        match self {
            ServerAge::Modern => "%R~",
            ServerAge::Old => "~",
        }
    }
}

fn redis(needs: &[Needs], age: ServerAge, target: &RedisTarget) -> Rights {
    let keys: Vec<&KeyNeeds> = needs
        .iter()
        .filter_map(|needs| match needs {
            Needs::Keys(keys) => Some(keys),
            Needs::Rows(_) => None,
        })
        .collect();
    let may_write = |keys: &&&KeyNeeds| !keys.verbs.is_empty();
    let writable: Vec<&KeyNeeds> = keys.iter().filter(may_write).copied().collect();
    let read_mark = age.read_mark();
    let mut commands = reading(&keys, age);
    commands.extend(way(target));
    let looking = acl(LOOKER, &patterns(&keys, read_mark), &commands);
    let mut rights = Rights {
        looking: vec![looking],
        notes: vec![
            "+info and +dbsize may be added: the version, the number of keys and the eviction \
             policy are then known"
                .to_owned(),
            "+client|no-touch (Redis 7.2, Valkey) keeps a look from counting as use of a key, where \
             memory is made by evicting what is used least"
                .to_owned(),
        ],
        ..Rights::default()
    };
    if let Shape::Sentinel { .. } = target.shape {
        rights.notes.push(format!(
            "where sentinels ask for a login: ACL SETUSER {LOOKER} on >PASSWORD resetchannels -@all \
             +sentinel|get-master-addr-by-name +sentinel|replicas"
        ));
    }
    if writable.is_empty() {
        let note = "nothing here is changed by any layout: looking is all there is";
        rights.notes.push(note.to_owned());
        return rights;
    }
    let mut marked = patterns(&writable, "~");
    for pattern in patterns(&keys, read_mark) {
        let plain = pattern.replace("%R~", "~");
        if !marked.contains(&plain) {
            marked.push(pattern);
        }
    }
    commands.extend(writing(&writable));
    commands.dedup();
    rights.repairing = vec![acl(OPERATOR, &marked, &commands)];
    rights.notes.push(
        "where scripts are not allowed +watch +unwatch +multi +exec take the place of +eval \
         +evalsha: each record is then changed by itself, and slower"
            .to_owned(),
    );
    rights
}

fn acl(user: &str, patterns: &[String], commands: &[String]) -> String {
    let patterns = patterns.join(" ");
    let commands = commands.join(" ");
    format!("ACL SETUSER {user} on >PASSWORD resetkeys {patterns} resetchannels -@all {commands}")
}

fn patterns(keys: &[&KeyNeeds], mark: &str) -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    for glob in keys.iter().flat_map(|keys| &keys.globs) {
        let text = crate::domain::address::escape_bytes(glob).replace("\\x5C", "\\");
        let pattern = match text.contains([' ', '"', '\'']) {
            true => format!("\"{mark}{}\"", text.replace('"', "\\\"")),
            false => format!("{mark}{text}"),
        };
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    patterns
}

fn types(keys: &[&KeyNeeds]) -> Vec<KeyType> {
    let mut types: Vec<KeyType> = keys.iter().flat_map(|keys| keys.types.clone()).collect();
    types.sort_unstable();
    types.dedup();
    types
}

/// What finding the right one of several servers takes.
fn way(target: &RedisTarget) -> Vec<String> {
    let names: &[&str] = match (&target.shape, target.look) {
        (Shape::Single, Look::Primary) => &[],
        (Shape::Cluster { .. }, Look::Primary) => &["cluster|nodes", "asking"],
        (Shape::Cluster { .. }, Look::Replica) => &["cluster|nodes", "asking", "readonly"],
        (Shape::Sentinel { .. }, _) | (Shape::Single, Look::Replica) => &["role"],
    };
    allowed(names)
}

fn reading(keys: &[&KeyNeeds], age: ServerAge) -> Vec<String> {
    let mut names = vec!["ping", "time", "scan", "type", "pttl"];
    if age == ServerAge::Modern {
        names.push("pexpiretime");
    }
    for kind in types(keys) {
        names.extend(match kind {
            KeyType::String => &["get", "getrange", "strlen"][..],
            KeyType::Hash => &["hmget", "hgetall", "hlen", "hscan"],
            KeyType::Set => &["sismember", "scard", "sscan"],
            KeyType::SortedSet => &["zscore", "zcard", "zrange", "zscan"],
            KeyType::List | KeyType::Stream | KeyType::Other => &[],
        });
    }
    allowed(&names)
}

fn writing(keys: &[&KeyNeeds]) -> Vec<String> {
    let mut names = vec!["eval", "evalsha", "unlink"];
    let types = types(keys);
    for kind in &types {
        names.extend(match kind {
            // Many values in one call, where scripts may run.
            KeyType::String => &["set", "mget"][..],
            KeyType::Hash => &["hset", "hdel"],
            KeyType::Set => &["sadd", "srem"],
            KeyType::SortedSet => &["zadd", "zrem"],
            KeyType::List | KeyType::Stream | KeyType::Other => &[],
        });
    }
    // Undo gives a collection its expiry back.
    if types.iter().any(|kind| *kind != KeyType::String) {
        names.extend(["pexpireat", "persist"]);
    }
    allowed(&names)
}

fn allowed(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("+{name}")).collect()
}

fn postgres(needs: &[Needs]) -> Rights {
    let mut rights = Rights::default();
    let mut schemas: Vec<String> = Vec::new();
    for rows in needs.iter().filter_map(|needs| match needs {
        Needs::Rows(rows) => Some(rows),
        Needs::Keys(_) => None,
    }) {
        let tables = [(rows.schema.clone(), rows.table.clone())];
        for (schema, table) in tables.iter().chain(&rows.lookups) {
            if !schemas.contains(schema) {
                schemas.push(schema.clone());
                for (role, list) in [
                    (LOOKER, &mut rights.looking),
                    (OPERATOR, &mut rights.repairing),
                ] {
                    list.push(format!(
                        "GRANT USAGE ON SCHEMA {} TO {role};",
                        quoted(schema)
                    ));
                }
            }
            let table = quoted_table(schema, table);
            rights
                .looking
                .push(format!("GRANT SELECT ON {table} TO {LOOKER};"));
            rights
                .repairing
                .push(format!("GRANT SELECT ON {table} TO {OPERATOR};"));
        }
        repair_rows(rows, &mut rights);
    }
    rights
}

fn repair_rows(rows: &RowNeeds, rights: &mut Rights) {
    let table = quoted_table(&rows.schema, &rows.table);
    let mut columns = rows.writes.clone();
    if rows.deletes.is_some() {
        if columns.is_empty() {
            // A row is locked while it is compared, which takes the right to update one column.
            columns.extend(rows.key.clone().filter(|key| key != "ctid"));
        }
        // Undo puts the row back.
        rights
            .repairing
            .push(format!("GRANT DELETE, INSERT ON {table} TO {OPERATOR};"));
    }
    if !columns.is_empty() {
        let names: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
        rights.repairing.push(format!(
            "GRANT UPDATE ({}) ON {table} TO {OPERATOR};",
            names.join(", ")
        ));
    }
    for verb in [Verb::Release, Verb::Settle, Verb::Purge] {
        if !rows.verbs.contains(&verb) {
            let place = format!("{}.{}", rows.schema, rows.table);
            let note = format!("{place}: its layout has no {} from here", verb.name());
            rights.notes.push(note);
        }
    }
}
