//! What every key-value store has to do.

use std::sync::Arc;

use idemscope::domain::raw::{KeyRead, KeyValue, RawKey, Ttl};
use idemscope::stores::{Family, KeyStep, ReadStore, ScanStep};

use crate::fixture::Fixture;
use crate::key_data;

async fn names(store: &ReadStore, glob: Option<&[u8]>, count: usize) -> Vec<Vec<u8>> {
    let mut names = Vec::new();
    let mut cursor = 0;
    loop {
        let glob = glob.map(<[u8]>::to_vec);
        let scan = Some(ScanStep {
            cursor,
            glob,
            count,
        });
        let step = store
            .key_step(KeyStep { scan, fetch: &[] })
            .await
            .expect("a page of names");
        assert!(step.values.is_empty());
        names.extend(step.names);
        cursor = step.cursor.expect("a scan has a cursor");
        if cursor == 0 {
            names.sort();
            return names;
        }
    }
}

async fn read(store: &ReadStore, names: &[Vec<u8>], read: &KeyRead) -> Vec<RawKey> {
    let fetch: Vec<(Vec<u8>, KeyRead)> = names
        .iter()
        .map(|name| (name.clone(), read.clone()))
        .collect();
    let step = KeyStep {
        scan: None,
        fetch: &fetch,
    };
    let step = store.key_step(step).await.expect("values");
    assert_eq!(step.cursor, None);
    step.values.into_iter().map(comparable).collect()
}

/// Without an order that nobody promised, and without the time that has passed.
fn comparable(mut key: RawKey) -> RawKey {
    match &mut key.value {
        KeyValue::Hash { fields, .. } => fields.sort(),
        KeyValue::Set { members, .. } => members.sort(),
        _ => {}
    }
    let passed = |left: i64, whole: i64| (whole - key_data::HOUR / 2..=whole).contains(&left);
    if let Ttl::Left(left) = key.ttl {
        let whole = [key_data::HOUR, 1 << 53]
            .into_iter()
            .find(|whole| passed(left, *whole));
        key.ttl = whole.map_or(key.ttl, Ttl::Left);
    }
    key
}

pub async fn every_key_is_seen_once(fixture: &Fixture) {
    assert_eq!(fixture.store.family(), Family::Keys);
    let globs: [Option<&[u8]>; 9] = [
        None,
        Some(b"*"),
        Some(b"idem:*"),
        Some(b"idem:00?0"),
        Some(b"*:a"),
        Some(b"we\\*ird\\[1\\]\\?\\\\:*"),
        Some(b"\x00\xff*"),
        Some("ключ:*".as_bytes()),
        Some(b"nothing:*"),
    ];
    for glob in globs {
        for count in [1, 7, 1000] {
            let seen = names(&fixture.store, glob, count).await;
            assert_eq!(
                seen,
                names(&fixture.oracle, glob, count).await,
                "{glob:?} by {count}"
            );
        }
    }
}

pub async fn values_are_read(fixture: &Fixture) {
    let names = names(&fixture.store, None, 1000).await;
    let fields: Arc<[Vec<u8>]> = [&b"bin\0"[..], b"", b"no such", b"status", b"f7"]
        .map(<[u8]>::to_vec)
        .into();
    let reads = [
        KeyRead::Head { bytes: 0 },
        KeyRead::Head { bytes: 1 },
        KeyRead::Head { bytes: 4096 },
        KeyRead::Head { bytes: 1 << 20 },
        KeyRead::Fields(fields),
        KeyRead::Fields(Arc::new([])),
        KeyRead::Whole { bytes_max: 1 << 20 },
    ];
    for how in reads {
        let seen = read(&fixture.store, &names, &how).await;
        let expected = read(&fixture.oracle, &names, &how).await;
        for (seen, expected) in seen.iter().zip(&expected) {
            assert_eq!(seen, expected, "{how:?}");
        }
        assert_eq!(seen.len(), expected.len());
    }
    let cut = KeyRead::Whole { bytes_max: 1000 };
    let long = [b"long".to_vec()];
    assert_eq!(
        read(&fixture.store, &long, &cut).await,
        read(&fixture.oracle, &long, &cut).await
    );
}

pub async fn a_missing_key_is_missing(fixture: &Fixture) {
    let nobody = [b"nobody".to_vec()];
    let reads = [
        KeyRead::Head { bytes: 100 },
        KeyRead::Fields(Arc::new([b"f".to_vec()])),
        KeyRead::Whole { bytes_max: 100 },
    ];
    for how in reads {
        let seen = read(&fixture.store, &nobody, &how).await;
        assert_eq!(seen, read(&fixture.oracle, &nobody, &how).await);
        assert_eq!(seen.first().map(|key| &key.value), Some(&KeyValue::Missing));
    }
}

pub async fn a_sample_is_bounded(fixture: &Fixture) {
    let all = fixture.store.key_sample(10_000).await.expect("a sample");
    let mut names = all.names.clone();
    names.sort();
    let mut expected: Vec<Vec<u8>> = key_data::keys().into_iter().map(|key| key.name).collect();
    expected.sort();
    assert_eq!(names, expected);
    assert!(all.complete);
    assert!(all.total.is_none_or(|total| total == expected.len() as u64));
    let few = fixture.store.key_sample(5).await.expect("a sample");
    assert_eq!((few.names.len(), few.complete), (5, false));
}
