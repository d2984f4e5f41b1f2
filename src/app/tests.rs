//! States that the tests of reducers and panels share: a few made-up locks in one store.

use std::borrow::Cow;
use std::sync::Arc;

use super::state::{Grouping, Opened, Page, Place, SourceFace, State};
use super::worker::look_at_once;
use crate::app::effect::{Keep, Question, WantedFindings};
use crate::app::state::Overrides;
use crate::domain::raw::Ttl;
use crate::domain::{Duration, Status, Timestamp};
use crate::inspect::Order;
use crate::inspect::catalogue::{AddressRef, Bound, Catalogue};
use crate::layouts::reading::{Fit, Reading};
use crate::layouts::{Layouts, Place as SourcePlace, Source};

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
