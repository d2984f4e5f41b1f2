//! What only Redis holds: huge values and collections, a clock, a product to name.

use idemscope::domain::raw::{KeyRead, KeyType, KeyValue};
use idemscope::stores::{KeyStep, ReadStore};

use crate::fixture::{opened, redis_target};
use crate::key_data::run;
use crate::support::redis::Server;

async fn value(store: &ReadStore, name: &str, how: KeyRead) -> KeyValue {
    let fetch = [(name.as_bytes().to_vec(), how)];
    let step = KeyStep {
        scan: None,
        fetch: &fetch,
    };
    let step = store.key_step(step).await.expect("a value");
    step.values.into_iter().next().expect("one value").value
}

#[tokio::test]
async fn a_huge_value_is_read_up_to_its_bound() {
    let server = Server::start();
    run(
        &mut server.connection(),
        "SETRANGE",
        &[b"huge", b"52428799", b"x"],
    );
    let store = opened(&redis_target(server.port())).await;
    let reads = [
        KeyRead::Head { bytes: 4096 },
        KeyRead::Whole { bytes_max: 4096 },
    ];
    for how in reads {
        let KeyValue::String { bytes, len } = value(&store, "huge", how).await else {
            panic!("not a string");
        };
        assert_eq!((bytes.len(), len), (4096, 52_428_800));
        assert!(bytes.capacity() < 100_000, "keeps what was cut off");
    }
}

#[tokio::test]
async fn large_collections_are_read_in_part() {
    let server = Server::start();
    let mut connection = server.connection();
    let items: Vec<Vec<u8>> = (0..25_000).map(|n| format!("{n}").into_bytes()).collect();
    for chunk in items.chunks(1000) {
        let mut set: Vec<&[u8]> = vec![b"set"];
        let mut hash: Vec<&[u8]> = vec![b"hash"];
        let mut sorted: Vec<&[u8]> = vec![b"sorted"];
        for item in chunk {
            set.push(item);
            hash.extend([item.as_slice(), b"value"]);
            sorted.extend([item.as_slice(), item]);
        }
        run(&mut connection, "SADD", &set);
        run(&mut connection, "HSET", &hash);
        run(&mut connection, "ZADD", &sorted);
    }
    let store = opened(&redis_target(server.port())).await;
    let whole = |name| {
        let how = KeyRead::Whole { bytes_max: 1 << 30 };
        value(&store, name, how)
    };
    let (kind, shown, len) = counts(whole("set").await);
    assert_eq!((kind, shown, len), (KeyType::Set, 10_000, 25_000));
    let (kind, shown, len) = counts(whole("hash").await);
    assert_eq!((kind, shown, len), (KeyType::Hash, 10_000, 25_000));
    let (kind, shown, len) = counts(whole("sorted").await);
    assert_eq!((kind, shown, len), (KeyType::SortedSet, 10_000, 25_000));
    for name in ["set", "hash", "sorted"] {
        let how = KeyRead::Whole { bytes_max: 1000 };
        let (_, shown, len) = counts(value(&store, name, how).await);
        assert!(shown < 2_000, "{name}: {shown}");
        assert_eq!(len, 25_000);
    }
}

fn counts(value: KeyValue) -> (KeyType, usize, u64) {
    let kind = value.key_type().expect("a value");
    let (shown, len) = match value {
        KeyValue::Hash { fields, len } => (fields.len(), len.unwrap_or_default()),
        KeyValue::Set { members, len } => (members.len(), len),
        KeyValue::SortedSet { members, len } => (members.len(), len),
        other => panic!("{other:?}"),
    };
    (kind, shown, len)
}

#[tokio::test]
async fn it_says_what_it_is() {
    let server = Server::start();
    run(&mut server.connection(), "SET", &[b"a", b"b"]);
    let store = opened(&redis_target(server.port())).await;
    let facts = store.facts().await.expect("facts");
    let named = ["Redis ", "Valkey "]
        .iter()
        .any(|name| facts.product.starts_with(name));
    assert!(named, "{facts:?}");
    assert_eq!(facts.total, Some(1));
    assert_eq!(facts.encryption.as_deref(), Some("not encrypted"));
    assert!(facts.missing_rights.is_empty(), "{facts:?}");
    let clock = store.clock().await.expect("an answer").expect("a clock");
    assert!(clock.0 > 1_600_000_000_000);
}
