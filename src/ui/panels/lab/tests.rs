//! What the lab's columns say, as text.

use super::data::{ColumnData, column_data, scenario_items};
use crate::app::State;
use crate::app::command::{Command, LabCommand};
use crate::app::state::SidePhase;
use crate::app::update;
use crate::app::view::lab::lab_store_place;
use crate::lab::run::{Miss, Wish};
use crate::present::say::{Language, speak};
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
    let mails = data.mails.iter();
    lines.extend(mails.map(|line| format!("{} of {}: {}", line.id, line.who, line.word)));
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
            "Client believes: nothing is sure",
            "Shop remembers: nothing",
            "Bank has booked: 2 charges",
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
            "Client believes: nothing is sure",
            "Shop remembers: 1 answer",
            "Bank has booked: 1 charge",
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
            "Client believes: it is done",
            "Shop remembers: nothing",
            "Bank has booked: 3 charges",
            "as expected",
        ]
    );
    assert_eq!(
        with[5..],
        [
            "Client believes: it is done",
            "Shop remembers: 1 answer",
            "Bank has booked: 1 charge",
            "as expected",
        ]
    );
    let marked = scenario_items(&state)
        .into_iter()
        .find(|item| item.is_chosen);
    assert_eq!(marked.and_then(|item| item.passed), Some(true));
}

/// A state that shows a scenario that was not run.
fn shown(id: &str) -> State {
    let mut state = State::default();
    let show = LabCommand::ShowId(id.to_owned());
    update::command(&mut state, Command::Lab(show));
    state
}

#[test]
fn a_window_in_russian_says_the_scenarios_in_russian() {
    speak(Language::Russian);
    let state = shown("S13");
    let [without, with] = columns(&state);
    let items = scenario_items(&state);
    speak(Language::English);
    assert_eq!(
        without[..2],
        [
            "Без защиты: Письмо до проверки ключа",
            "Пока: хотели 1, банк сделал 0, писем 0, клиент знает о 0",
        ]
    );
    assert_eq!(with[0], "С защитой: То же с получателем, который помнит");
    assert_eq!(items[13].title, "Сага с возвратом");
}

#[test]
fn where_records_stand_is_said_of_what_is_run() {
    let place = |id| lab_store_place(&shown(id));
    assert_eq!(place("S02"), "the lab’s own file");
    assert_eq!(place("S12"), "a Redis and a PostgreSQL of the lab’s own");
}

#[test]
fn what_was_missed_is_said_in_the_language_of_the_window() {
    let mut state = crate::app::tests::lab(None);
    let miss = Miss {
        name: "charges".to_owned(),
        found: "2".to_owned(),
        wanted: Wish::Exactly("1".to_owned()),
    };
    for side in &mut state.lab.sides {
        if let SidePhase::Ended(outcome) = &mut side.phase {
            std::sync::Arc::make_mut(outcome).missed = vec![miss.clone()];
        }
    }
    let word = |state: &State| column_data(state, 1).and_then(|data| data.verdict);
    let english = word(&state).map(|verdict| verdict.whole);
    assert_eq!(english.as_deref(), Some("charges is 2, not 1"));
    speak(Language::Russian);
    let russian = word(&state).map(|verdict| verdict.whole);
    speak(Language::English);
    assert_eq!(russian.as_deref(), Some("charges: 2, а не 1"));
}
