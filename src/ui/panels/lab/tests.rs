//! What the lab's columns say, as text.

use super::data::{ColumnData, column_data, scenario_items};
use crate::app::State;
use crate::ui::widgets::span::plain;

/// Everything that a column says.
fn text(data: &ColumnData) -> Vec<String> {
    let mut lines = vec![
        format!("{}: {}", data.title, data.about),
        plain(&data.sentence),
    ];
    let counters = data.counters.iter();
    let counters: Vec<String> = counters
        .map(|figure| format!("{} {}", figure.value.replace('\u{a0}', " "), figure.word))
        .collect();
    lines.push(counters.join(", "));
    lines.extend(data.ledger.iter().map(|line| {
        let amount = line.amount.replace('\u{a0}', " ");
        format!(
            "{} {amount} {} {}: {}",
            line.id, line.who, line.key, line.word
        )
    }));
    lines.extend(data.rows.iter().map(|row| {
        format!(
            "{} {} {} {} TTL {} {}",
            row.word, row.key, row.hash, row.answer, row.ttl, row.stands_for
        )
    }));
    if data.rows.is_empty() {
        lines.push(data.no_rows.clone());
    }
    lines.extend(
        data.beliefs
            .iter()
            .map(|(who, what)| format!("{who}: {what}")),
    );
    lines.extend(data.verdict.iter().map(|verdict| verdict.word.clone()));
    lines
}

fn columns(state: &State) -> [Vec<String>; 2] {
    [0, 1].map(|at| text(&column_data(state, at).expect("a column")))
}

#[test]
fn two_taps_in_the_middle_of_a_run() {
    let state = crate::app::tests::lab(Some(1_900.0));
    let [without, with] = columns(&state);
    assert_eq!(
        without,
        [
            "Without: Without a key",
            "So far: wanted 1, the bank made 2, the customer knows of 0",
            "2 attempts, 2 executions, 2 charges, 3 000 RUB charged, 2 mails",
            "ch_1 1 500 RUB user_42 no key: wanted",
            "ch_2 1 500 RUB user_42 no key: not wanted",
            "None: nothing tells a retry from a new order",
        ]
    );
    assert_eq!(
        with,
        [
            "With: With a key",
            "So far: wanted 1, the bank made 1, the customer knows of 0",
            "2 attempts, 1 execution, 1 charge, 1 500 RUB charged, 1 mail",
            "ch_1 1 500 RUB user_42 no key: wanted",
            "Completed k1 3f2a9c41 201, 84 B TTL 18s stands for 21 h 44 min",
        ]
    );
}

#[test]
fn the_end_says_what_each_believes_and_the_verdict() {
    let state = crate::app::tests::lab(None);
    let [without, with] = columns(&state);
    assert_eq!(
        without[7..],
        [
            "Client: That it is done",
            "Shop: Remembers nothing",
            "Bank: Has booked 3 charges",
            "as expected",
        ]
    );
    assert_eq!(
        with[5..],
        [
            "Client: That it is done",
            "Shop: Remembers 1 answer",
            "Bank: Has booked 1 charge",
            "as expected",
        ]
    );
    let marked = scenario_items(&state)
        .into_iter()
        .find(|item| item.is_chosen);
    assert_eq!(marked.and_then(|item| item.passed), Some(true));
}
