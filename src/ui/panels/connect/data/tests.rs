//! What the page says, as text.

use super::*;
use crate::app::event::{ConnectionsEvent, Event};
use crate::app::state::{Opened, SourceFace, State, Tested};
use crate::app::update;
use crate::config::found::Found as FoundStore;
use crate::config::{Book, Connection};
use crate::domain::{Duration, Secret};
use crate::present::say::{Language, speak};

const NOW: Timestamp = Timestamp(1_764_500_000_000);

fn state() -> State {
    let mut book = Book::default();
    let mut shop = Connection::of_url("rediss://app@db.shop.example:6379/0");
    shop.name = Some("shop".to_owned());
    shop.is_production = true;
    shop.opened = Some(NOW.minus(Duration::secs(7200)));
    book.save(None, shop).expect("saved");
    let recent = Connection::of_url("postgres://ada@db.example/orders?sslmode=require");
    book.opened(&recent, NOW.minus(Duration::secs(90)));
    let mut state = State::default();
    state.clock.here = NOW;
    let loaded = ConnectionsEvent::Loaded {
        book: Ok(Box::new(book)),
        found: vec![FoundStore {
            name: "REDIS_URL".to_owned(),
            url: "redis://cache.example:6379".to_owned(),
            password: Some(Secret::new("hunter22")),
            place: Place::Variable,
        }],
        is_first: false,
    };
    update::event(&mut state, Event::Connections(loaded));
    state
}

fn lines(data: &ConnectData) -> Vec<String> {
    let mut lines = Vec::new();
    for section in &data.sections {
        lines.push(format!("{}:", section.title));
        lines.extend(section.items.iter().map(|line| {
            let mark = if line.is_production { " !" } else { "" };
            format!("  {}{mark} | {} | {}", line.title, line.about, line.note)
        }));
        lines.extend(section.nothing.clone());
    }
    lines
}

#[test]
fn the_list_says_what_can_be_opened() {
    let data = connect_data(&state());
    let expected = [
        "Here already:",
        "  Demo store | made by the lab, needs nothing | ",
        "Found on this machine:",
        "  REDIS_URL | cache.example:6379 | env",
        "Saved:",
        "  shop ! | db.shop.example:6379/0 | 2h",
        "Recent:",
        "  db.example/orders | postgres | 1m",
    ];
    assert_eq!(lines(&data), expected);
    assert!(!format!("{data:?}").contains("hunter22"));
}

#[test]
fn it_speaks_russian() {
    speak(Language::Russian);
    let data = connect_data(&state());
    speak(Language::English);
    assert_eq!(data.sections[2].title, "Сохранённые");
    assert_eq!(data.sections[0].items[0].title, "Демо-хранилище");
}

#[test]
fn a_test_says_what_it_found_and_what_is_lacking() {
    let tested = Tested {
        opened: Opened {
            label: "redis://db:6379".to_owned(),
            product: "Redis 7.2.5".to_owned(),
            encryption: Some("not encrypted".to_owned()),
            skew: Some(Duration(3)),
            sources: ["plain-article", "laravel-square1"]
                .map(|layout| SourceFace {
                    layout: layout.to_owned(),
                    ..SourceFace::default()
                })
                .to_vec(),
            missing_rights: vec!["`INFO`".to_owned()],
            ..Opened::default()
        },
        user: Some("idem_ro".to_owned()),
        reached_ms: 3,
        looked_ms: 1_430,
    };
    let lines = super::super::tested::lines(&tested).into_iter();
    let lines: Vec<String> = lines
        .map(|line| {
            format!(
                "{:?} {}: {} [{}]",
                line.mood, line.word, line.text, line.note
            )
        })
        .collect();
    let expected = [
        "Good Reached: redis://db:6379, Redis 7.2.5 [3 ms]",
        "Lacking Encryption: not encrypted: others on the way can read along []",
        "Good Signed in: as idem_ro []",
        "Good Clock: the store is 3 ms ahead, ages use its clock []",
        "Lacking Rights: this login lacks `INFO` []",
        "Good Records: 2 sources: plain-article, laravel-square1 [1.4 s]",
    ];
    assert_eq!(lines, expected);
}

#[track_caller]
fn check_kind(url: &str, shape: Shape, kind: &str, note: &str) {
    let mut state = state();
    state.connect.form.set_url(url);
    let data = connect_data(&state);
    assert_eq!(
        (data.shape, data.kind.as_str(), data.password_note.as_str()),
        (shape, kind, note)
    );
}

#[test]
fn what_has_no_fields_is_said_in_words_and_has_a_password() {
    let kept = "asked for when it is needed";
    let cluster = "a Redis cluster: any of these nodes tells all others";
    check_kind("redis+cluster://a,b:7001", Shape::UrlOnly, cluster, kept);
    let sentinel = "Redis behind Sentinel: the sentinels name the primary";
    check_kind("rediss+sentinel://a,b/m", Shape::UrlOnly, sentinel, kept);
    let hosts = "PostgreSQL on several servers: the first that answers and fits";
    let files = "or from .pgpass and PGPASSWORD";
    check_kind("postgres://a,b/orders", Shape::UrlOnly, hosts, files);
    check_kind("redis://a", Shape::Server, "", kept);
}
