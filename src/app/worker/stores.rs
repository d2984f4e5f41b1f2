//! Opens stores and reads what is in them.
//!
//! Apart from `worker` because this is what waits for servers.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Out;
use crate::app::event::{ConnectEvent, Event, KeysEvent};
use crate::app::remote::Failure;
use crate::app::start::Reading;
use crate::app::state::{
    Asking, BrokenFile, Opened, Overrides, RefusedFace, SourceFace, SourceTerms, Tested, Told,
    source_name,
};
use crate::config::{self, Connection, Ready, Resolved, TargetError, Wanted, connections};
use crate::domain::Secret;
use crate::inspect::Session;
use crate::inspect::detect::detect;
use crate::inspect::findings::look_at_bodies;
use crate::inspect::scan::{self, ScanOptions, ScanView};
use crate::lab::demo;
use crate::layouts::detect::Detection;
use crate::layouts::{LayoutError, Source};
use crate::stores::{EngineTarget, Family, Pace, StoreError, StoreErrorKind, Target};
use crate::sys::clock::Stopwatch;

/// The store that is open.
pub(super) type Slot = Arc<Mutex<Option<Open>>>;

#[derive(Clone)]
pub(super) struct Open {
    pub(super) session: Arc<Session>,
    target: Target,
    /// As they were found.
    pub(super) sources: Vec<Source>,
    pub(super) overrides: Overrides,
    pub(super) demo: Option<PathBuf>,
}

impl Open {
    /// The sources that are read, as they were set.
    pub(super) fn sources(&self) -> Vec<Source> {
        self.overrides.read_of(&self.sources)
    }
}

pub(super) fn set_overrides(slot: &Slot, overrides: Overrides) {
    if let Ok(mut slot) = slot.lock()
        && let Some(open) = slot.as_mut()
    {
        open.overrides = overrides;
    }
}

/// The open store, and the sources as they were found.
pub(super) fn session_and_sources(slot: &Slot) -> Option<(Arc<Session>, Vec<Source>)> {
    let open = current(slot)?;
    Some((open.session, open.sources))
}

/// The open store, where it is, and the sources as they were set.
pub(super) fn place(slot: &Slot) -> Option<(Arc<Session>, Target, Vec<Source>)> {
    let open = current(slot)?;
    let sources = open.sources();
    Some((open.session, open.target, sources))
}

fn broken_file(error: LayoutError) -> BrokenFile {
    BrokenFile {
        path: PathBuf::from(&error.file),
        line: error.mistake.line,
        why: error.mistake.text,
    }
}

pub(super) fn current(slot: &Slot) -> Option<Open> {
    slot.lock().ok()?.clone()
}

/// Why a store did not open, and what would mend it.
struct NotOpened {
    failure: Failure,
    asking: Asking,
    asked: Option<Box<Connection>>,
}

impl From<StoreError> for NotOpened {
    fn from(error: StoreError) -> NotOpened {
        let asking = match error.kind {
            StoreErrorKind::Login => Asking::Password,
            StoreErrorKind::Passphrase => Asking::Passphrase,
            _ => Asking::Nothing,
        };
        NotOpened {
            failure: error.into(),
            asking,
            asked: None,
        }
    }
}

impl From<TargetError> for NotOpened {
    fn from(error: TargetError) -> NotOpened {
        NotOpened {
            failure: Failure {
                text: error.text,
                hint: error.hint,
                is_connection: false,
            },
            asking: Asking::Nothing,
            asked: None,
        }
    }
}

pub(super) async fn open(
    reading: Arc<Reading>,
    out: Out,
    slot: Slot,
    generation: u64,
    wanted: Wanted,
) {
    let event = match open_now(&reading, wanted).await {
        Ok(found) => {
            if let Ok(mut slot) = slot.lock() {
                *slot = Some(found.open);
            }
            ConnectEvent::Opened {
                generation,
                opened: Arc::new(found.opened),
                kept: Box::new(found.kept),
                warnings: found.warnings,
            }
        }
        Err(not) => ConnectEvent::Failed {
            generation,
            failure: not.failure,
            asking: not.asking,
            asked: not.asked,
        },
    };
    out.send(Event::Connect(event)).await;
}

/// A store that is open, with all that is to be said of it.
struct FoundStore {
    open: Open,
    opened: Opened,
    kept: Connection,
    warnings: Vec<String>,
    user: Option<String>,
    settings: Vec<config::Setting>,
    reached_ms: u64,
}

async fn open_now(reading: &Reading, wanted: Wanted) -> Result<FoundStore, NotOpened> {
    let passphrase = wanted.passphrase.clone();
    let ready = ready(reading, wanted).await?;
    let asked = Box::new(ready.asked());
    let opened = open_ready(reading, ready, passphrase).await;
    opened.map_err(|not| NotOpened {
        asked: Some(asked),
        ..not
    })
}

async fn open_ready(
    reading: &Reading,
    ready: Ready,
    passphrase: Option<Secret>,
) -> Result<FoundStore, NotOpened> {
    let (kept, mut resolved) = resolve(reading, ready).await?;
    if let Some(passphrase) = passphrase {
        resolved.target.give_passphrase(&passphrase);
    }
    let mut demo = None;
    if resolved.is_demo {
        demo = Some(demo_path(&mut resolved.target, reading));
        demo::prepare(&resolved.target).await?;
    }
    let watch = Stopwatch::start();
    let session = Session::open(&resolved.target).await?;
    let reached_ms = millis(&watch);
    let (layouts, broken) = match &reading.own_layouts {
        Some(folder) => config::layouts::load_from(folder),
        None => (reading.layouts.clone(), Vec::new()),
    };
    let detection = detect(&session, &layouts, &reading.sources).await?;
    let mut opened = face(&session, &detection, resolved.is_demo);
    opened.broken = broken.into_iter().map(broken_file).collect();
    let found = detection.found.into_iter().map(|found| found.source);
    let open = Open {
        session: Arc::new(session),
        target: resolved.target.clone(),
        sources: found.collect(),
        overrides: Overrides::default(),
        demo: demo.flatten(),
    };
    // That others see the command line means nothing here.
    let mut warnings = resolved.warnings;
    warnings.retain(|warning| !warning.starts_with("the password in the URL"));
    Ok(FoundStore {
        open,
        opened,
        kept,
        warnings,
        user: resolved.target.user().map(str::to_owned),
        settings: resolved.settings,
        reached_ms,
    })
}

/// Finds what is meant among what is kept, away from what must not wait.
async fn ready(reading: &Reading, mut wanted: Wanted) -> Result<Ready, TargetError> {
    wanted.flags.timeout = wanted.flags.timeout.or(reading.target.timeout);
    let connections = reading.kept.connections.clone();
    let work = tokio::task::spawn_blocking(move || {
        // A broken file was told when it was read.
        let book = connections::load(connections.as_deref()).unwrap_or_default();
        config::ready(&wanted, &book)
    });
    let ended = |_| TargetError::new("what is kept of connections could not be read");
    work.await.map_err(ended)?
}

/// Waits for a person, a command or the keyring, away from what must not wait.
async fn resolve(reading: &Reading, ready: Ready) -> Result<(Connection, Resolved), TargetError> {
    let keyring = reading.kept.keyring.clone();
    let work = tokio::task::spawn_blocking(move || ready.resolve(&keyring));
    let ended = |_| TargetError::new("the password could not be asked for");
    work.await.map_err(ended)?
}

fn millis(watch: &Stopwatch) -> u64 {
    u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Opens a store to look what is there, and closes it.
pub(super) async fn test(reading: Arc<Reading>, out: Out, generation: u64, wanted: Wanted) {
    let watch = Stopwatch::start();
    let (answer, asking) = match open_now(&reading, wanted).await {
        Ok(found) => {
            let tested = Tested {
                opened: found.opened,
                user: found.user,
                settings: found.settings,
                reached_ms: found.reached_ms,
                looked_ms: millis(&watch),
            };
            (Ok(Arc::new(tested)), Asking::Nothing)
        }
        Err(not) => (Err(not.failure), not.asking),
    };
    let event = ConnectEvent::Tested {
        generation,
        answer,
        asking,
    };
    out.send(Event::Connect(event)).await;
}

fn demo_path(target: &mut Target, reading: &Reading) -> Option<PathBuf> {
    let EngineTarget::Sqlite(sqlite) = &mut target.engine else {
        return None;
    };
    if let Some(path) = &reading.demo {
        sqlite.path.clone_from(path);
    }
    Some(sqlite.path.clone())
}

fn face(session: &Session, detection: &Detection, is_demo: bool) -> Opened {
    let sources = detection.found.iter().map(|found| SourceFace {
        layout: found.source.layout.id.to_string(),
        title: found.source.layout.title.clone(),
        about: found.source.layout.spec().about.clone(),
        place: found.source.place_text(),
        percent: (found.score.clamp(0.0, 1.0) * 100.0).round() as u8,
        is_sure: found.is_sure(),
        reasons: found.reasons.clone(),
        matched: found.matched,
        examples: found.examples.clone(),
        lease: found.source.lease(),
        retention: found.source.lifetime(None),
    });
    let refused = detection.refused.iter().map(|refused| RefusedFace {
        place: refused.place.clone(),
        resembles: refused.resembles.clone(),
        why: refused.why.first().cloned().unwrap_or_default(),
    });
    let terms = detection.found.iter().map(|found| SourceTerms {
        name: source_name(&found.source),
        lease: found.source.lease,
        lifetime: found.source.lifetime,
    });
    Opened {
        label: session.label.clone(),
        product: session.facts.product.clone(),
        encryption: session.facts.encryption.clone(),
        servers: session.facts.place.clone(),
        skew: session.skew(),
        is_demo,
        sources: sources.collect(),
        refused: refused.collect(),
        broken: Vec::new(),
        sampled: detection.sampled,
        unreadable: detection.unreadable,
        sampled_word: match session.family() {
            Family::Keys => "keys",
            Family::Tables => "tables",
        },
        missing_rights: session.facts.missing_rights.clone(),
        eviction: session.facts.eviction.clone(),
        terms: terms.collect(),
    }
}

pub(super) async fn scan(
    out: Out,
    slot: Slot,
    pace: Pace,
    generation: u64,
    cancel: CancellationToken,
) {
    let Some(open) = current(&slot) else { return };
    let (updates, mut seen) = watch::channel(ScanView::empty());
    let options = ScanOptions {
        pace,
        ..ScanOptions::default()
    };
    let sources = open.sources();
    let session = open.session.clone();
    let work = scan::scan(open.session, sources, options, updates, cancel);
    let forward = async {
        // Ends when the scan drops its end.
        while seen.changed().await.is_ok() {
            let view = Box::new(seen.borrow_and_update().clone());
            out.send(Event::Keys(KeysEvent::Scanned { generation, view }))
                .await;
        }
    };
    let (outcome, ()) = tokio::join!(work, forward);
    let snapshot = outcome.view.snapshot.clone();
    let is_complete = outcome.view.progress.done;
    out.send(Event::Keys(KeysEvent::ScanEnded {
        generation,
        view: Box::new(outcome.view),
        failure: outcome.error.map(Failure::from),
    }))
    .await;
    // A server that refuses what it is asked would say little of itself.
    if !is_complete {
        return;
    }
    told(&out, &session).await;
    // Bodies stand in no list: some are opened when everything else is there.
    if let Ok(bodies) = look_at_bodies(&session, &snapshot).await {
        let bodies = Arc::new(bodies);
        out.send(Event::Keys(KeysEvent::Bodies { generation, bodies }))
            .await;
    }
}

/// Who answers by now: after a failover it is another server, and a replica's lag is a moment's.
async fn told(out: &Out, session: &Session) {
    // Where nobody answers the scan says so.
    let Ok(facts) = session.ask_again().await else {
        return;
    };
    let told = Told::of(session.label.clone(), facts, session.skew());
    out.send(Event::Connect(ConnectEvent::Told(Box::new(told))))
        .await;
}
