//! The keys that every key-value store of the contract holds.

use idemscope::domain::raw::{KeyType, KeyValue, RawKey, Ttl};
use redis::ConnectionLike;

/// Long enough that no test sees its end.
pub const HOUR: i64 = 3_600_000;

pub fn keys() -> Vec<RawKey> {
    let mut keys: Vec<RawKey> = (0..150)
        .map(|number| {
            let name = format!("idem:{number:04}");
            let ttl = if number % 3 == 0 {
                Ttl::Never
            } else {
                Ttl::Left(HOUR)
            };
            key(name.as_bytes(), ttl, string(b"{\"status\":\"completed\"}"))
        })
        .collect();
    keys.extend((0..20).map(|number| {
        let name = format!("other:{number}");
        key(name.as_bytes(), Ttl::Never, string(b"x"))
    }));
    let far = Ttl::Left(1 << 53);
    keys.extend([
        key(b"we*ird[1]?\\:a", Ttl::Never, string(b"special")),
        key(b"we*ird[1]?\\:b", Ttl::Never, string(b"special")),
        key(b"weird1x:a", Ttl::Never, string(b"no star in its name")),
        key(
            b"\x00\xff\xfe binary \r\n",
            Ttl::Left(HOUR),
            string(b"\x00\xff\r\n"),
        ),
        key("ключ:🔑".as_bytes(), Ttl::Never, string("ответ".as_bytes())),
        key(&vec![b'k'; 100_000], Ttl::Never, string(b"a long name")),
        key(b"", Ttl::Never, string(b"an empty name")),
        key(b"empty", Ttl::Never, string(b"")),
        key(b"far", far, string(b"later than anybody lives")),
        key(b"long", Ttl::Never, string(&vec![b'v'; 200_000])),
        key(
            b"hash",
            Ttl::Left(HOUR),
            hash(&[(b"status", b"1"), (b"bin\0", b"\xff"), (b"", b"")]),
        ),
        key(b"set", Ttl::Never, set(3)),
        key(b"set:large", Ttl::Left(HOUR), set(3000)),
        key(b"zset", Ttl::Never, sorted_set(4)),
        key(b"zset:large", Ttl::Never, sorted_set(1500)),
        key(b"list", Ttl::Never, KeyValue::Opaque(KeyType::List)),
        key(b"stream", Ttl::Never, KeyValue::Opaque(KeyType::Stream)),
        key(b"hash:large", Ttl::Never, large_hash(2500)),
    ]);
    keys
}

fn key(name: &[u8], ttl: Ttl, value: KeyValue) -> RawKey {
    RawKey {
        name: name.to_vec(),
        ttl,
        value,
    }
}

fn string(bytes: &[u8]) -> KeyValue {
    KeyValue::String {
        bytes: bytes.to_vec(),
        len: bytes.len() as u64,
    }
}

fn hash(fields: &[(&[u8], &[u8])]) -> KeyValue {
    KeyValue::Hash {
        len: Some(fields.len() as u64),
        fields: fields
            .iter()
            .map(|(name, value)| (name.to_vec(), value.to_vec()))
            .collect(),
    }
}

fn large_hash(count: u64) -> KeyValue {
    KeyValue::Hash {
        len: Some(count),
        fields: (0..count)
            .map(|number| (format!("f{number}").into_bytes(), vec![b'v'; 80]))
            .collect(),
    }
}

fn set(count: u64) -> KeyValue {
    KeyValue::Set {
        len: count,
        members: (0..count)
            .map(|number| format!("m{number}").into_bytes())
            .collect(),
    }
}

fn sorted_set(count: u64) -> KeyValue {
    let score = |number: u64| match number {
        0 => f64::NEG_INFINITY,
        number => number as f64 / 4.0,
    };
    KeyValue::SortedSet {
        len: count,
        members: (0..count)
            .map(|number| (format!("m{number}").into_bytes(), score(number)))
            .collect(),
    }
}

/// Writes the keys into a server.
pub fn fill(connection: &mut impl ConnectionLike) {
    for key in keys() {
        write(connection, &key);
        if let Ttl::Left(left) = key.ttl {
            run(
                connection,
                "PEXPIRE",
                &[&key.name, left.to_string().as_bytes()],
            );
        }
    }
}

fn write(connection: &mut impl ConnectionLike, key: &RawKey) {
    let name = key.name.as_slice();
    let mut arguments: Vec<Vec<u8>> = Vec::new();
    let command = match &key.value {
        KeyValue::String { bytes, .. } => {
            arguments.push(bytes.clone());
            "SET"
        }
        KeyValue::Hash { fields, .. } => {
            for (field, value) in fields {
                arguments.extend([field.clone(), value.clone()]);
            }
            "HSET"
        }
        KeyValue::Set { members, .. } => {
            arguments.clone_from(members);
            "SADD"
        }
        KeyValue::SortedSet { members, .. } => {
            for (member, score) in members {
                arguments.extend([score.to_string().into_bytes(), member.clone()]);
            }
            "ZADD"
        }
        KeyValue::Opaque(KeyType::Stream) => {
            arguments.extend(["*", "f", "v"].map(|word| word.as_bytes().to_vec()));
            "XADD"
        }
        _ => {
            arguments.push(b"item".to_vec());
            "RPUSH"
        }
    };
    let mut whole = vec![name];
    whole.extend(arguments.iter().map(Vec::as_slice));
    run(connection, command, &whole);
}

pub fn run(connection: &mut impl ConnectionLike, command: &str, arguments: &[&[u8]]) {
    let mut sent = redis::cmd(command);
    for argument in arguments {
        sent.arg(*argument);
    }
    sent.query::<redis::Value>(connection)
        .unwrap_or_else(|error| panic!("{command} of the test: {error}"));
}
