//! Laws of tallies: order and splits do not matter, two ways to the same figure agree, bounds hold.

mod marks;

use std::collections::HashMap;

use proptest::prelude::*;

use super::distinct::Distinct;
use super::*;
use crate::domain::attempt::{Field, Outcome};

const SPAN: Span = Span {
    from: 1_000_000,
    to: 1_000_000 + 3_600_000,
};
const TERMS: Terms = Terms {
    lease_ms: Some(300_000),
    retention_ms: Some(600_000),
};

/// An attempt that owns its texts.
#[derive(Clone, Debug)]
struct Made {
    at: i64,
    key: Option<u16>,
    endpoint: u8,
    client: u8,
    number: Option<u32>,
    outcome: Option<usize>,
    status: u16,
    took: u64,
    since: Option<u64>,
    print: u8,
}

fn with<T>(made: &Made, then: impl FnOnce(&Entry<'_>) -> T) -> T {
    let key = made.key.map(|key| format!("key-{key}"));
    let endpoint = format!("POST /{}", made.endpoint);
    let client = format!("client/{}", made.client);
    let print = format!("{:016x}", made.print);
    let mut draft = Draft::default();
    draft.number(Field::At, made.at);
    draft.text(Field::Key, key.as_deref().unwrap_or(""));
    draft.text(Field::Endpoint, &endpoint);
    draft.text(Field::Client, &client);
    draft.text(Field::Scope, "user");
    draft.text(Field::Fingerprint, &print);
    draft.number(Field::Status, i64::from(made.status));
    draft.number(Field::Duration, made.took as i64);
    if let Some(number) = made.number {
        draft.number(Field::Number, i64::from(number));
    }
    if let Some(since) = made.since {
        draft.number(Field::SinceFirst, since as i64);
    }
    let word = made
        .outcome
        .and_then(|at| Outcome::ALL.get(at))
        .map_or("vanished", |outcome| outcome.name());
    draft.text(Field::Outcome, word);
    then(&draft.finish().expect("a time"))
}

fn made() -> impl Strategy<Value = Made> {
    let who = (0_i64..3_700_000, any::<Option<u8>>(), 0_u8..3, 0_u8..3);
    let what = (
        0_usize..16,
        prop_oneof![Just(201_u16), Just(409), Just(503)],
        0_u64..400_000,
    );
    let more = (
        proptest::option::of(0_u32..60),
        proptest::option::of(0_u64..900_000),
        0_u8..9,
    );
    (who, what, more).prop_map(
        |((at, key, endpoint, client), what, (number, since, print))| Made {
            at: SPAN.from + at,
            key: key.map(u16::from),
            endpoint,
            client,
            number,
            outcome: Some(what.0),
            status: what.1,
            took: what.2,
            since,
            print,
        },
    )
}

fn tally<'m>(all: impl IntoIterator<Item = &'m Made>, keys_max: usize) -> Tally {
    let mut tally = Tally::bounded(SPAN, TERMS, keys_max);
    for made in all {
        with(made, |entry| tally.add(entry));
    }
    tally
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn order_and_splits_do_not_matter(
        all in prop::collection::vec(made(), 0..300),
        cuts in (0_usize..300, 0_usize..300),
        keys_max in prop_oneof![Just(10_usize), Just(1_000)],
        seed in any::<u64>(),
    ) {
        let now = SPAN.to;
        let whole = tally(&all, keys_max).report(now);
        let mut shuffled = all.clone();
        fastrand::Rng::with_seed(seed).shuffle(&mut shuffled);
        prop_assert_eq!(&tally(&shuffled, keys_max).report(now), &whole);
        let (one, two) = (cuts.0.min(all.len()), cuts.1.min(all.len()));
        let (one, two) = (one.min(two), one.max(two));
        let parts = [&shuffled[..one], &shuffled[one..two], &shuffled[two..]];
        let [a, b, c] = parts.map(|part| tally(part, keys_max));
        let mut left = a.clone();
        left.merge(&b);
        left.merge(&c);
        prop_assert_eq!(&left.report(now), &whole);
        let mut right = b;
        right.merge(&c);
        right.merge(&a);
        prop_assert_eq!(&right.report(now), &whole);
    }

    #[test]
    fn marks_lead_to_as_many_keys_as_were_counted(
        all in prop::collection::vec(made(), 0..300),
        seed in any::<u64>(),
    ) {
        let whole = tally(&all, 1_000);
        let report = whole.report(SPAN.to);
        let count = |mark: &Mark| whole.behind(mark, SPAN.to).counted;
        let found = report.findings.known().copied().unwrap_or_default();
        prop_assert_eq!(count(&Mark::Abandoned), found.abandoned);
        prop_assert_eq!(count(&Mark::SeveralOperations), found.several_operations);
        let false_keys = count(&Mark::FalseMismatches);
        prop_assert!(false_keys <= found.false_mismatches);
        prop_assert_eq!(false_keys > 0, found.false_mismatches > 0);
        let suspects = report.new_key_suspects.known().copied().unwrap_or(0);
        prop_assert_eq!(count(&Mark::NewKeys) > 0, suspects > 0);
        if let Some(per_key) = report.attempts_per_key.known() {
            for (bar, keys) in per_key.bins.iter().enumerate() {
                prop_assert_eq!(count(&Mark::Attempts(bar)), *keys);
            }
        }
        for (bar, told) in report.first_retry_delay.known().iter().flat_map(|it| &it.bars).enumerate() {
            let keys = count(&Mark::Delay(bar));
            prop_assert!(keys <= told.count);
            prop_assert_eq!(keys > 0, told.count > 0);
        }
        for storm in report.storms.known().into_iter().flatten().filter(|storm| storm.keys_exact) {
            prop_assert_eq!(count(&Mark::Storm(Box::new(storm.clone()))), storm.keys);
        }
        let mut shuffled = all.clone();
        fastrand::Rng::with_seed(seed).shuffle(&mut shuffled);
        let (one, other) = shuffled.split_at(shuffled.len() / 2);
        let mut merged = tally(one, 1_000);
        merged.merge(&tally(other, 1_000));
        for mark in [Mark::Retried, Mark::Mismatches, Mark::NewKeys, Mark::LeaseTooShort] {
            prop_assert_eq!(merged.behind(&mark, SPAN.to), whole.behind(&mark, SPAN.to));
        }
    }

    #[test]
    fn everything_counted_adds_up(all in prop::collection::vec(made(), 1..300)) {
        let report = tally(&all, 1_000).report(SPAN.to);
        let Some(mix) = report.outcomes.known() else { return Ok(()) };
        prop_assert_eq!(mix.known.iter().sum::<u64>() + mix.unknown(), report.entries);
        let bins: u64 = report.bins.iter().map(Bin::all).sum();
        prop_assert_eq!(bins, report.entries);
        for breakdown in &report.breakdowns {
            let rows: u64 = breakdown.places.iter().map(|place| place.row.attempts).sum();
            prop_assert_eq!(rows + breakdown.others.attempts, report.entries);
        }
        let retries: u64 = report.bins.iter().map(Bin::all_retries).sum();
        prop_assert_eq!(report.retry_rate.known().map_or(0, |rate| rate.retries), retries);
    }

    /// Keys whose attempts are all in the window and carry their numbers.
    #[test]
    fn numbers_and_keys_tell_the_same(lives in prop::collection::vec(1_u32..70, 1..60)) {
        let mut all = Vec::new();
        for (key, attempts) in (0..).zip(&lives) {
            for number in 1..=*attempts {
                all.push(Made {
                    at: SPAN.from + i64::from(number) * 1_000,
                    key: Some(key),
                    endpoint: 0,
                    client: 0,
                    number: Some(number),
                    outcome: Some(usize::from(number > 1)),
                    status: 201,
                    took: 1,
                    since: Some(u64::from(number - 1) * 1_000),
                    print: 0,
                });
            }
        }
        let figure = tally(&all, 1_000).report(SPAN.to).attempts_per_key;
        prop_assert_eq!(figure.basis, Basis::LogNumbers);
        let by_numbers = figure.value.expect("a histogram");
        for made in &mut all {
            made.number = None;
        }
        let figure = tally(&all, 1_000).report(SPAN.to).attempts_per_key;
        prop_assert_eq!(figure.basis, Basis::LogKeys);
        prop_assert_eq!(&figure.value.expect("a histogram"), &by_numbers);
        prop_assert_eq!(by_numbers.bins.iter().sum::<u64>(), lives.len() as u64);
        prop_assert_eq!(by_numbers.bins[0], lives.iter().filter(|lived| **lived == 1).count() as u64);
    }

    #[test]
    fn quantiles_are_within_one_percent(
        mut spans in prop::collection::vec(0_u64..2_000_000_000, 1..400),
        share in 0.0_f64..=1.0,
    ) {
        let mut sketch = Sketch::default();
        spans.iter().for_each(|span| sketch.add(*span));
        spans.sort_unstable();
        let rank = ((spans.len() - 1) as f64 * share).round() as usize;
        let (told, truth) = (sketch.quantile(share).expect("spans"), spans[rank]);
        prop_assert!(told.abs_diff(truth) as f64 <= truth as f64 * 0.01 + 0.5, "{told} for {truth}");
    }

    #[test]
    fn few_are_counted_exactly_and_many_about(count in 0_u64..5_000) {
        let mut distinct = Distinct::default();
        for number in 0..count {
            distinct.add(hash::mix(number + 1) as u32);
            distinct.add(hash::mix(number / 2 + 1) as u32);
        }
        let told = distinct.count();
        if distinct.is_exact() {
            prop_assert_eq!(told, count);
        } else {
            prop_assert!(told.abs_diff(count) * 100 <= count * 30, "{} for {}", told, count);
        }
    }
}

fn plain(at: i64, key: u16, number: u32, outcome: Outcome, status: u16) -> Made {
    Made {
        at: SPAN.from + at,
        key: Some(key),
        endpoint: 1,
        client: 1,
        number: Some(number),
        outcome: Some(outcome as usize),
        status,
        took: 20,
        since: None,
        print: (key % 251) as u8,
    }
}

#[test]
fn a_sample_of_keys_is_near_the_truth_and_says_so() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut all = Vec::new();
    let mut lives: HashMap<u16, u32> = HashMap::new();
    for key in 0..20_000 {
        let attempts = 1 + random.u32(0..3);
        lives.insert(key, attempts);
        for number in 1..=attempts {
            let mut made = plain(i64::from(key) * 100, key, number, Outcome::Executed, 201);
            made.number = None;
            all.push(made);
        }
    }
    let figure = tally(&all, 4_000).report(SPAN.to).attempts_per_key;
    let Basis::LogSample(factor) = figure.basis else {
        panic!("{:?} is no sample", figure.basis);
    };
    assert!(factor >= 8 && figure.basis.is_estimate());
    let told = figure.value.expect("a histogram");
    assert!(told.keys.abs_diff(20_000) < 1_500, "{}", told.keys);
    let mean = lives.values().sum::<u32>() as f64 / 20_000.0;
    assert!((told.mean - mean).abs() < 0.1, "{} for {mean}", told.mean);
}

fn weather() -> Vec<Made> {
    let mut all = Vec::new();
    // Ten calm minutes: a retry every ten seconds.
    for slot in 0..60 {
        all.push(plain(slot * 10_000, slot as u16, 1, Outcome::Executed, 201));
        all.push(plain(
            slot * 10_000 + 700,
            slot as u16,
            2,
            Outcome::Replayed,
            201,
        ));
    }
    // Half a minute of retries at the second, then they succeed.
    for second in 0..30 {
        for client in 0..8 {
            let outcome = if second < 25 {
                Outcome::InProgress
            } else {
                Outcome::Replayed
            };
            let status = if second < 25 { 409 } else { 201 };
            let at = 600_000 + second * 1_000 + client;
            all.push(plain(
                at,
                1_000 + client as u16,
                second as u32 + 2,
                outcome,
                status,
            ));
        }
    }
    all
}

#[test]
fn a_storm_is_told_with_its_beginning_peak_and_end() {
    let all = weather();
    let report = tally(&all, 10_000).report(SPAN.to);
    let storms = report.storms.value.expect("storms");
    let storm = |kind| {
        storms
            .iter()
            .find(|storm: &&Storm| storm.kind == kind)
            .expect("a storm")
    };
    let operation = storm(StormKind::Operation);
    assert_eq!(operation.from, SPAN.from + 600_000);
    assert_eq!(operation.to, SPAN.from + 630_000);
    assert_eq!(
        (operation.peak, operation.retries, operation.keys),
        (80, 240, 8)
    );
    assert_eq!(operation.ending, Ending::Success);
    assert_eq!(operation.synchrony, Some(1.0));
    let key = storm(StormKind::Key);
    assert_eq!((key.peak, key.ending), (30, Ending::Success));
    assert_eq!(
        storms
            .iter()
            .filter(|storm| storm.kind == StormKind::Key)
            .count(),
        8
    );
    let usual = report
        .retry_rate
        .value
        .expect("a rate")
        .usual
        .expect("calm bins");
    assert!((usual - 0.5).abs() < 0.01, "{usual}");
    assert!(
        storms
            .iter()
            .any(|storm| storm.kind == StormKind::Synchrony)
    );
}

#[test]
fn whole_seconds_say_nothing_of_jitter() {
    let mut all = weather();
    for made in &mut all {
        made.at -= made.at.rem_euclid(1_000);
    }
    let report = tally(&all, 10_000).report(SPAN.to);
    let storms = report.storms.value.expect("storms");
    assert!(
        storms
            .iter()
            .any(|storm| storm.kind == StormKind::Operation)
    );
    let told = storms
        .iter()
        .all(|storm| storm.kind != StormKind::Synchrony && storm.synchrony.is_none());
    assert!(told, "{storms:?}");
    let gaps = report.retry_gap.value.expect("gaps");
    assert!(gaps.bars.iter().all(|bar| bar.spike_ms.is_none()));
}

#[test]
fn spikes_are_named_by_what_people_set() {
    let mut sketch = Sketch::default();
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..6_000 {
        // What jitter makes: any span, long ones as rare as short ones.
        sketch.add((10.0 * 1.000_5_f64.powi(random.i32(0..24_000))) as u64);
    }
    for (span, times) in [(1_000, 900), (2_000, 700), (4_000, 500), (30_000, 300)] {
        for _ in 0..times {
            sketch.add(span + random.u64(0..span / 60));
        }
    }
    let bars = delay_bars(&sketch);
    let spikes: Vec<u64> = bars.iter().filter_map(|bar| bar.spike_ms).collect();
    assert_eq!(spikes, [1_000, 2_000, 4_000, 30_000]);
    assert_eq!(
        bars.iter().map(|bar| bar.count).sum::<u64>(),
        sketch.total()
    );
}

#[test]
fn suspects_are_found_and_unknown_is_never_zero() {
    let minute = 60_000;
    let mut all = vec![
        // One payload under two keys, four minutes apart.
        Made {
            print: 77,
            ..plain(0, 1, 1, Outcome::Executed, 201)
        },
        Made {
            print: 77,
            ..plain(4 * minute, 2, 1, Outcome::Executed, 201)
        },
        // The same, but half an hour apart.
        Made {
            print: 78,
            ..plain(0, 3, 1, Outcome::Executed, 201)
        },
        Made {
            print: 78,
            ..plain(30 * minute, 4, 1, Outcome::Executed, 201)
        },
        // Left in progress.
        plain(minute, 5, 1, Outcome::InProgress, 409),
        // Refused under the payload that it was executed with.
        plain(minute, 6, 1, Outcome::Executed, 201),
        plain(2 * minute, 6, 2, Outcome::Mismatch, 422),
        // One record for two operations.
        plain(minute, 7, 1, Outcome::Executed, 201),
        Made {
            endpoint: 2,
            ..plain(2 * minute, 7, 2, Outcome::Replayed, 201)
        },
    ];
    let report = tally(&all, 100).report(SPAN.to);
    let found = report.findings.value.expect("keys");
    assert_eq!((found.abandoned, found.several_operations), (1, 1));
    assert_eq!(report.new_key_suspects.value, Ok(1));
    assert_eq!(report.false_mismatches.value, Ok(1));
    let none = Tally::new(SPAN, Terms::default()).report(SPAN.to);
    assert_eq!(none.retry_rate.value, Err(Why::NothingLogged));
    assert_eq!(none.late_share.value, Err(Why::NoRetention));
    for made in &mut all {
        made.number = None;
    }
    let report = tally(&all, 100).report(SPAN.to);
    assert_eq!(report.retry_rate.value, Err(Why::NoNumbers));
    assert_eq!(report.storms.value, Err(Why::NoNumbers));
}

#[test]
fn garbage_has_a_name_and_an_entry() {
    let mut draft = Draft::default();
    draft.text(Field::Outcome, "melted");
    draft.text(Field::Status, "teapot");
    draft.number(Field::Duration, -5);
    assert_eq!(draft.clone().finish(), None, "it belongs to no window");
    draft.number(Field::At, SPAN.from);
    let mut entry = draft.finish().expect("a time");
    let mut sequence = Sequence::default();
    sequence.look(&mut entry);
    for defect in [
        Defect::UnknownOutcome,
        Defect::BadField,
        Defect::MissingField,
    ] {
        assert!(entry.defects.has(defect), "{defect:?}");
    }
    let mut tally = Tally::new(SPAN, TERMS);
    tally.add(&entry);
    let mut earlier = Entry {
        at: SPAN.from - 90_000,
        ..entry.clone()
    };
    sequence.look(&mut earlier);
    assert!(earlier.defects.has(Defect::ClockStep));
    let report = tally.report(SPAN.to);
    let mix = report.outcomes.value.expect("one");
    assert_eq!(mix.words, [("melted".to_owned(), 1)]);
    assert_eq!(report.defects[Defect::UnknownOutcome as usize], 1);
}

#[test]
fn a_long_list_of_keys_is_cut_and_says_so() {
    let keys = KEYS_LISTED_MAX as u64 + 500;
    let mut tally = Tally::new(SPAN, TERMS);
    for key in 0..keys {
        let key = format!("key-{key}");
        let mut draft = Draft::default();
        draft.number(Field::At, SPAN.from);
        draft.text(Field::Key, &key);
        draft.text(Field::Endpoint, "POST /a");
        draft.text(Field::Outcome, "mismatch");
        tally.add(&draft.finish().expect("a time"));
    }
    let behind = tally.behind(&Mark::Mismatches, SPAN.to);
    assert_eq!(behind.counted, keys);
    assert_eq!(behind.keys.len(), KEYS_LISTED_MAX);
    assert!(behind.is_cut() && behind.keys.is_sorted());
}
