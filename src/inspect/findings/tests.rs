//! Findings over made-up records: each counts what its filter shows.

use super::super::catalogue::{Bound, Catalogue};
use super::super::filter::{self, Filter};
use super::super::summary::{Rows, summarize};
use super::super::tests::{Fill, NOW, fill_articles, fill_rows};
use super::*;
use crate::stores::Eviction;

/// The findings of made-up records; each must count what its filter shows.
#[track_caller]
fn check(fill: Fill, facts: &StoreFacts, expected: &[&str]) -> Vec<Finding> {
    let mut catalogue = Catalogue::new(Bound::USUAL);
    fill(&mut catalogue, 20_000);
    let snapshot = catalogue.snapshot();
    let never = Cancel::never();
    let summary = summarize(&snapshot, Rows::All, 5, NOW, &never).expect("not cancelled");
    let ground = Ground {
        snapshot: &snapshot,
        summary: &summary,
        facts,
        bodies: None,
        now: NOW,
    };
    let found = findings(&ground, &never).expect("not cancelled");
    let ids: Vec<&str> = found.iter().map(Finding::id).collect();
    assert_eq!(ids, expected);
    for finding in &found {
        let filter = Filter::new(&finding.query).expect("a filter");
        let rows = filter::run(&snapshot, &filter, NOW, &never).expect("not cancelled");
        assert_eq!(rows.len() as u64, finding.count, "{finding:?}");
    }
    found
}

#[test]
fn locks_that_live_as_long_as_answers_are_found() {
    let found = check(
        fill_articles,
        &StoreFacts::default(),
        &["lease-is-retention"],
    );
    assert_eq!(found[0].count, 400);
    assert!(
        found[0]
            .text()
            .starts_with("400 locks live as long as answers do")
    );
}

#[test]
fn stuck_locks_and_stored_errors_are_found() {
    check(
        fill_rows,
        &StoreFacts::default(),
        &["stuck-locks", "errors-replayed"],
    );
}

#[test]
fn a_policy_that_drops_locks_is_found_where_memory_is_bounded() {
    let mut facts = StoreFacts {
        eviction: Some(Eviction {
            policy: "allkeys-lru".to_owned(),
            memory_max: Some(1 << 20),
            evicted: Some(48_211),
        }),
        ..StoreFacts::default()
    };
    let found = check(fill_articles, &facts, &["lease-is-retention", "may-evict"]);
    assert!(found[1].text().contains("48 211") || found[1].text().contains("48\u{202f}211"));
    if let Some(eviction) = &mut facts.eviction {
        eviction.memory_max = Some(0);
    }
    check(fill_articles, &facts, &["lease-is-retention"]);
}
