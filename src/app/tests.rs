//! States that the tests of reducers and panels share: a few made-up locks in one store.

use std::borrow::Cow;
use std::sync::Arc;

use super::state::{Grouping, Opened, Page, Place, SourceFace, State};
use super::worker::look_at_once;
use crate::app::command::{Command, LabCommand};
use crate::app::effect::{Keep, Question, WantedFindings};
use crate::app::event::{Event, LabEvent};
use crate::app::state::Overrides;
use crate::app::update;
use crate::domain::attempt::Field;
use crate::domain::raw::Ttl;
use crate::domain::{Duration, Status, Timestamp};
use crate::inspect::Order;
use crate::inspect::catalogue::{AddressRef, Bound, Catalogue};
use crate::inspect::retries::{Beside, LogPlace, Logs, Told as Retries};
use crate::lab::counters::Counters;
use crate::lab::run::Outcome;
use crate::lab::trace::{About, build, testing};
use crate::layouts::reading::{Fit, Reading};
use crate::layouts::{Layouts, Place as SourcePlace, Source};
use crate::stats::{Draft, Span, Tally, Terms};

pub use crate::ops::plan::testing::plan;

/// What is told of one lock.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// Method and path.
    pub operation: &'static str,
    pub locked_at: Option<Timestamp>,
}

/// A state that shows these locks; the source has this lease and no other.
pub fn locks(told: &[Told], lease: Option<Duration>, grouping: Grouping, now: Timestamp) -> State {
    let mut catalogue = Catalogue::new(Bound::USUAL);
    let layouts = Layouts::built_in();
    let layout = layouts.get("plain-article").expect("a built-in layout");
    let mut source = Source::new(layout.clone(), SourcePlace::keys(vec![0]));
    source.lease = lease;
    let place = source.place_text();
    let id = catalogue.add_source(source);
    for (at, lock) in told.iter().enumerate() {
        let mut reading = blank();
        let (method, path) = lock.operation.split_once(' ').expect("two words");
        reading.key = Some(Cow::Owned(format!("key-{at}")));
        reading.method = Some(Cow::Borrowed(method));
        reading.path = Some(Cow::Borrowed(path));
        reading.locked_at = lock.locked_at;
        let name = format!("idem:key-{at}");
        let address = AddressRef::Key(name.as_bytes());
        catalogue.push(id, &reading, address, Ttl::Unknown, now);
    }
    let snapshot = catalogue.snapshot();
    let mut state = State::default();
    state.clock.here = now;
    let opened = Opened {
        label: "redis://db".to_owned(),
        sources: vec![SourceFace {
            layout: "plain-article".to_owned(),
            place,
            ..SourceFace::default()
        }],
        ..Opened::default()
    };
    state.connection.store.ready(Arc::new(opened), now);
    state.keys.snapshot = Some(snapshot.clone());
    state.locks.grouping = grouping;
    state.keys.page = Some(Arc::new(page(snapshot, grouping, now)));
    state.keys.cursor = Some(0);
    state.locks.cursor = Some(0);
    state.view.place = Place::Locks;
    state
}

fn page(snapshot: crate::inspect::Snapshot, grouping: Grouping, now: Timestamp) -> Page {
    look_at_once(Question {
        number: 0,
        scan: 0,
        snapshot,
        filter: String::new(),
        list: None,
        standing: None,
        order: Order::default(),
        keep: Keep::Nothing,
        grouping,
        locks: None,
        keep_lock: Keep::Nothing,
        terms: Overrides::default(),
        before: None,
        selected: Default::default(),
        findings: WantedFindings::Later,
        read: now,
        now,
    })
}

fn blank<'a>() -> Reading<'a> {
    Reading {
        fit: Fit::Telling(0),
        status: Status::Processing,
        ..Reading::blank()
    }
}

/// What a retry log of an hour tells: so many attempts of two operations, each key attempted twice, at
/// the pace of its operation.
pub fn retries(attempts: u32) -> Retries {
    let span = Span {
        from: 0,
        to: 3_600_001,
    };
    let terms = Terms {
        lease_ms: Some(300_000),
        retention_ms: Some(86_400_000),
    };
    let mut tally = Tally::new(span, terms);
    for attempt in 0..attempts {
        let key = format!("{:032x}", attempt / 2);
        let is_retry = attempt % 2 == 1;
        let mut draft = Draft::default();
        let at = i64::from(attempt / 2) * 7_200_000 / i64::from(attempts.max(1));
        draft.number(Field::At, at + i64::from(is_retry) * 1_000);
        draft.text(Field::Key, &key);
        let endpoint = ["POST /payments", "POST /orders"][attempt as usize / 2 % 2];
        draft.text(Field::Endpoint, endpoint);
        draft.text(Field::Client, "web/5.1");
        draft.text(
            Field::Outcome,
            if is_retry { "replayed" } else { "executed" },
        );
        draft.number(Field::Number, i64::from(is_retry) + 1);
        draft.number(Field::SinceFirst, i64::from(is_retry) * 1_000);
        draft.number(Field::Status, 201);
        draft.number(Field::Duration, 40);
        tally.add(&draft.finish().expect("a time"));
    }
    told_of(&tally)
}

/// What is told of a tally of the first hour.
pub fn told_of(tally: &Tally) -> Retries {
    Retries {
        target: "redis://db".to_owned(),
        report: tally.report(3_600_000),
        logs: Logs {
            places: vec![LogPlace::stream(b"idem:log:shop")],
            refused: Vec::new(),
            complete: true,
        },
        beside: Beside::unasked(),
        complete: true,
        now: 3_600_000,
    }
}

/// A state whose lab has run three taps without and with a key; the cursor stands at a shown time,
/// or at the end.
pub fn lab(at: Option<f64>) -> State {
    let mut state = State::default();
    let mut ask = |command| update::command(&mut state, Command::Lab(command));
    ask(LabCommand::Show);
    ask(LabCommand::Run);
    let about = About {
        wanted: 1,
        ..About::default()
    };
    for (side, events) in [testing::without(), testing::with()]
        .into_iter()
        .enumerate()
    {
        let trace = build(about, &events);
        let event = LabEvent::Ended {
            generation: state.lab.generation,
            side,
            answer: Ok(Arc::new(Outcome {
                variant: String::new(),
                counters: Counters::default(),
                missed: Vec::new(),
                events,
            })),
            trace: Arc::new(trace),
        };
        update::event(&mut state, Event::Lab(event));
    }
    let at = at.unwrap_or(f64::INFINITY);
    update::command(&mut state, Command::Lab(LabCommand::Seek(at)));
    state
}
