//! Reads a key that holds many records, page by page, with what belongs to each of them.

use std::sync::Arc;

use super::super::super::catalogue::{AddressRef, SourceId};
use super::super::Scanner;
use crate::domain::raw::{KeyRead, KeyType, KeyValue, RawKey};
use crate::domain::{Problem, ProblemCode};
use crate::layouts::Source;
use crate::layouts::form::Extent;
use crate::layouts::keys::{Member, Seen};
use crate::layouts::redis::Role;
use crate::stores::{KeyStep, Pace, StoreError};

/// Members of a page; each may take some further keys.
const GENTLE_PAGE: usize = 50;
const FULL_PAGE: usize = 500;

/// A key that holds many records.
pub struct Container {
    pub id: SourceId,
    pub source: Arc<Source>,
    pub role: Role,
    pub name: Vec<u8>,
    pub kind: KeyType,
}

/// A member that was read, with what it needs.
struct Read {
    name: Vec<u8>,
    value: Option<Vec<u8>>,
    score: Option<f64>,
}

pub async fn scan(scanner: &mut Scanner, container: &Container) -> Result<(), StoreError> {
    let count = match scanner.pace {
        Pace::Gentle => GENTLE_PAGE,
        Pace::Full => FULL_PAGE,
    };
    let mut cursor = Some(0);
    while let Some(at) = cursor
        && !scanner.cancel.is_cancelled()
    {
        let store = &scanner.session.store;
        let page = store
            .members(&container.name, container.kind, at, count)
            .await?;
        if let KeyValue::Refused(why) = &page.value {
            scanner.progress.refused += 1;
            refused(scanner, container, why);
            return Ok(());
        }
        // The type and the life of the whole; its members are in the page.
        let key = RawKey {
            name: container.name.clone(),
            ttl: page.ttl,
            value: KeyValue::Opaque(container.kind),
        };
        let members = members_of(page.value);
        for members in members.chunks(count) {
            read(scanner, container, &key, members).await?;
        }
        cursor = page.next;
        scanner.show();
    }
    Ok(())
}

fn refused(scanner: &mut Scanner, container: &Container, why: &str) {
    let raw = RawKey {
        name: container.name.clone(),
        ttl: crate::domain::raw::Ttl::Unknown,
        value: KeyValue::Refused(why.to_owned()),
    };
    let now = scanner.session.now();
    let problem = Problem::new(ProblemCode::Refused, why);
    if let Some(reading) = container.source.read_name(&raw, problem, now) {
        let address = AddressRef::Key(&raw.name);
        scanner
            .catalogue
            .push(container.id, &reading, address, raw.ttl, now);
    }
}

fn members_of(value: KeyValue) -> Vec<Read> {
    let read = |name, value, score| Read { name, value, score };
    match value {
        KeyValue::Set { members, .. } => members
            .into_iter()
            .map(|name| read(name, None, None))
            .collect(),
        KeyValue::Hash { fields, .. } => fields
            .into_iter()
            .map(|(name, value)| read(name, Some(value), None))
            .collect(),
        KeyValue::SortedSet { members, .. } => members
            .into_iter()
            .map(|(name, score)| read(name, None, Some(score)))
            .collect(),
        _ => Vec::new(),
    }
}

async fn read(
    scanner: &mut Scanner,
    container: &Container,
    key: &RawKey,
    members: &[Read],
) -> Result<(), StoreError> {
    let source = &container.source;
    let wants: Vec<_> = members
        .iter()
        .map(|member| {
            source.part_wants(
                container.role,
                &key.name,
                Some(&member.name),
                Extent::List,
                0,
            )
        })
        .collect();
    let fetch: Vec<(Vec<u8>, KeyRead)> = wants
        .iter()
        .flatten()
        .map(|want| (want.name.clone(), want.read.clone()))
        .collect();
    let mut values = Vec::new();
    if !fetch.is_empty() {
        let step = KeyStep {
            scan: None,
            fetch: &fetch,
        };
        values = scanner.session.store.key_step_in_walk(step).await?.values;
    }
    let now = scanner.session.now();
    let mut values = values.into_iter();
    for (member, wants) in members.iter().zip(wants) {
        let names = wants.into_iter().map(|want| want.part);
        let parts: Vec<(String, RawKey)> = names.zip(values.by_ref()).collect();
        if !scanner.is_new([key.name.as_slice(), &member.name].into_iter()) {
            continue;
        }
        let seen = Seen {
            key,
            member: Some(Member {
                name: &member.name,
                value: member.value.as_deref(),
                score: member.score,
            }),
            parts: &parts,
        };
        let reading = source.read_seen(&seen, container.role, Extent::List, now);
        if let Some(reading) = reading {
            let address = AddressRef::Member {
                key: &key.name,
                member: &member.name,
            };
            scanner
                .catalogue
                .push(container.id, &reading, address, key.ttl, now);
        }
    }
    Ok(())
}
