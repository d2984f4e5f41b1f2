//! What the view of statistics says, as text.

use std::sync::Arc;

use super::{TableLine, head, outcomes, seen, table, tiles, worth, worth_words};
use crate::app::State;
use crate::app::state::{Grouping, LockTrend, Place, StatsBy};
use crate::app::tests::{self as testing, retries, told_of};
use crate::app::view::{Looks, Told};
use crate::domain::attempt::Field;
use crate::domain::{Duration, Timestamp};
use crate::stats::{Draft, Span, Tally, Terms};

const NOW: Timestamp = Timestamp(3_600_000);

fn state(told: Told) -> State {
    let locks = [9, 5].map(|minutes| testing::Told {
        operation: "POST /payments",
        locked_at: Some(NOW.minus(Duration::secs(minutes * 60))),
    });
    let lease = Some(Duration::secs(420));
    let mut state = testing::locks(&locks, lease, Grouping::Flat, NOW);
    state.view.place = Place::Stats;
    state.stats.told.ready(Arc::new(told), NOW);
    state
}

/// Everything that is said, line by line.
fn text(state: &State) -> String {
    let told = crate::app::view::stats_told(state).expect("figures");
    let mut lines = Vec::new();
    let head = head(state, told);
    lines.push(format!("{} | {}", head.sentence, head.detail));
    for tile in tiles(state, told) {
        let points = tile.trend.len();
        lines.push(format!(
            "[{}] {} {} | {} | {} | {points} points",
            tile.title, tile.value, tile.unit, tile.below, tile.source
        ));
    }
    for line in outcomes(told).iter().filter(|line| line.count > 0) {
        lines.push(format!("{} {} {}", line.word, line.count, line.share));
    }
    for line in seen(state) {
        lines.push(format!("{}: {} {}", line.title, line.text, line.of));
    }
    lines.extend(table_text(state, told));
    for line in worth(state) {
        lines.push(format!("{} {}", line.count, worth_words(&line)));
    }
    lines.join("\n").replace(['\u{a0}', '\u{202f}'], " ")
}

fn table_text(state: &State, told: &Told) -> Vec<String> {
    let data = table(state, told);
    let mut lines = vec![format!("{}: {}", data.title, data.columns.join(", "))];
    lines.extend(data.lines.iter().map(|line: &TableLine| {
        let name = line.name.as_deref().unwrap_or(&line.words);
        let client = line.client.as_deref().unwrap_or("");
        let numbers = line.numbers.clone().map(|(number, _)| number);
        format!("{name} {client}: {}", numbers.join(", "))
    }));
    lines
}

#[test]
fn a_calm_hour_reads_so() {
    let mut state = state(retries(4_000));
    state.stats.looks = Looks {
        pairs: 3,
        from: 0,
        to: 60_000,
        records: 2,
        appeared: 4,
        finished: 3,
        ..Looks::default()
    };
    let mut trend = LockTrend::default();
    for minute in 0..3 {
        trend.add(Timestamp(minute * 60_000), Duration::secs(minute * 60 + 1));
    }
    state.stats.locks = trend;
    let expected = "\
50.0 % of the attempts are retries, nothing ran again | 4 000 attempts in this window, no storm.
[Retry rate] 50.0 % | 2 000 of 4 000 | retry log | 12 points
[Attempts per key] 2.00  | highest 2 | retry log | 12 points
[Executed again] 0  | of 4 000 attempts | retry log | 0 points
[Oldest lock] 9 min  | 1 past their lease | records | 3 points
[Execution p99] 40 ms | lease 5 min | retry log | 12 points
[Mismatches] 0.0 % | 0 of 4 000 | retry log | 0 points
Executed 2000 50.0 %
Replayed 2000 50.0 %
what changed between looks: appeared 4, finished 3, expired 0, gone 0, attempts +0, replays +0 00:00 to 00:01
keyspace events: takes two looks: watch for a while 
pushed changes: takes two looks: watch for a while 
Operation: Attempts, per key, Retries, Again
POST /orders web/5.1: 2 000, 2.00, 50 %, 0
POST /payments web/5.1: 2 000, 2.00, 50 %, 0";
    assert_eq!(text(&state), expected);
}

#[test]
fn the_table_tells_apart_by_one_thing_after_the_other() {
    let mut state = state(retries(40));
    let mut all = Vec::new();
    for by in StatsBy::ALL {
        state.stats.by = by;
        let told = crate::app::view::stats_told(&state).expect("figures");
        all.extend(table_text(&state, told).into_iter().skip(1));
    }
    let text = all.join("\n");
    for line in [
        "web/5.1 : 40, –, 50 %, 0",
        "all others : 40, –, 50 %, 0",
        "2xx : 40, –, 50 %, 0",
        "plain-article : 2, 100.0 %, , ",
        "Processing : 2, 100.0 %, , ",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
}

/// Ten thousand operations with names that no person would give.
fn hostile() -> Told {
    let span = Span {
        from: 0,
        to: 3_600_001,
    };
    let mut tally = Tally::new(span, Terms::default());
    let huge = "x".repeat(100_000);
    for number in 0..10_000_u32 {
        let endpoint = format!(
            "GET\u{202e}/\n{number}\t\u{7f}{}",
            &huge[..number as usize % 999]
        );
        let mut draft = Draft::default();
        draft.number(Field::At, i64::from(number) * 300);
        draft.text(Field::Key, &endpoint);
        draft.text(Field::Endpoint, &endpoint);
        draft.text(
            Field::Client,
            if number == 0 { &huge } else { "\u{1b}[31m" },
        );
        draft.text(
            Field::Outcome,
            if number % 3 == 0 {
                "\u{202e}gone"
            } else {
                "mismatch"
            },
        );
        draft.number(Field::Number, i64::from(number));
        tally.add(&draft.finish().expect("a time"));
    }
    told_of(&tally)
}

#[test]
fn hostile_names_are_bounded_and_ten_thousand_operations_are_some_lines() {
    let mut state = state(hostile());
    for by in StatsBy::ALL {
        state.stats.by = by;
        let told = crate::app::view::stats_told(&state).expect("figures");
        let data = table(&state, told);
        assert!(data.lines.len() <= 101, "{by:?}: {}", data.lines.len());
        let longest = data.lines.iter().filter_map(|line| line.name.as_ref());
        assert!(longest.map(|name| name.len()).max().unwrap_or(0) <= 120);
    }
    let told = crate::app::view::stats_told(&state).expect("figures");
    let all: u64 = outcomes(told).iter().map(|line| line.count).sum();
    assert_eq!(all, 10_000);
    let mark = crate::stats::Mark::Pair(Some("a\u{202e}\nb".into()), None);
    let words = crate::app::view::mark_words(&state, &mark, 3);
    assert!(!words.contains(['\u{202e}', '\n']), "{words:?}");
}
