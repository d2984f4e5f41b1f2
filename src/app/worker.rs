//! Carries effects out on a thread of its own and answers with events.
//!
//! Invariant: both channels are bounded; every event is followed by a wake; a store is closed and
//! its work ends when another one is opened or the worker is dropped.

mod compare;
mod demo;
mod editor;
mod export;
mod handle;
mod journal;
mod keeper;
mod lab;
mod locks;
mod look;
mod out;
mod records;
mod repair;
mod settings;
mod sheet;
mod stats;
mod stores;

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::mpsc::{Receiver, Sender};
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::handle::{Wake, Worker};
use self::keeper::Keeper;
use self::lab::{Held, Labs};
use self::out::Out;
use self::repair::{Repairs, Runs};
use self::settings::Unsaved;
use self::stores::Slot;
use super::effect::{
    ConnectEffect, ConnectionsEffect, EditorEffect, Effect, ExportEffect, KeysEffect, LayOut,
    LayoutsEffect, Question, RecordEffect,
};
use super::event::{AppEvent, Event, KeysEvent, RecordEvent};
use super::start::{Reading, Theme};
use super::state::{HOUSE, Settings, StoreId};
use crate::inspect::{CancelGuard, cancel};
use crate::sys::desktop;
use crate::sys::instance::Calls;

/// Answers a question without a worker.
#[cfg(test)]
pub fn look_at_once(question: Question) -> super::state::Page {
    look::look(question, &crate::inspect::Cancel::never()).expect("nobody cancels")
}

/// Work of one store, or of none, that is under way; what is replaced is cancelled.
struct Running {
    reading: Arc<Reading>,
    keeper: Sender<ConnectionsEffect>,
    out: Out,
    slot: Slot,
    connect: Option<DropGuard>,
    scan: Option<DropGuard>,
    look: Option<CancelGuard>,
    export: Option<CancelGuard>,
    repairs: Repairs,
    browse: Option<DropGuard>,
    record: Option<DropGuard>,
    sample: Option<DropGuard>,
    stats: Option<DropGuard>,
    behind: Option<DropGuard>,
    held_stats: stats::Held,
    editor: Option<DropGuard>,
    trial: Option<CancelGuard>,
    settings: Option<DropGuard>,
    desktop: Option<DropGuard>,
    labs: Labs,
    demo_shop: demo::DemoShop,
    unsaved: Unsaved,
    /// Of everything that ends with the store.
    all: CancellationToken,
    _end: DropGuard,
}

async fn run(
    reading: Reading,
    calls: Option<Calls>,
    mut effects: Receiver<(StoreId, Effect)>,
    out: Out,
) {
    let keeper = Keeper::start(reading.kept.clone(), out.clone());
    let reading = Arc::new(reading);
    let (unsaved, runs) = (Unsaved::default(), Runs::default());
    let (held, ended) = lab::held();
    let running = |store: StoreId| {
        let out = Out {
            store,
            ..out.clone()
        };
        let kept = (unsaved.clone(), runs.clone(), held.clone());
        Running::new(reading.clone(), keeper.handle(), out, kept)
    };
    let house = running(HOUSE);
    let _calls = calls.map(|calls| house.take_calls(calls));
    let mut stores = HashMap::from([(HOUSE, house)]);
    while let Some((store, effect)) = effects.recv().await {
        if matches!(effect, Effect::Connect(ConnectEffect::Close)) {
            // Its guards end its work.
            stores.remove(&store);
            continue;
        }
        let running = stores.entry(store).or_insert_with(|| running(store));
        running.take(effect);
    }
    // Runs stop when nobody is left who could steer them.
    drop(stores);
    runs.finish().await;
    drop(held);
    lab::finish(ended).await;
    if let Some(path) = &reading.settings_file {
        unsaved.write_at_the_end(path);
    }
    keeper.finish().await;
}

impl Running {
    fn new(
        reading: Arc<Reading>,
        keeper: Sender<ConnectionsEffect>,
        out: Out,
        (unsaved, runs, held): (Unsaved, Runs, Held),
    ) -> Running {
        let all = CancellationToken::new();
        Running {
            reading,
            keeper,
            out,
            slot: Slot::default(),
            connect: None,
            scan: None,
            look: None,
            export: None,
            repairs: Repairs::new(runs),
            browse: None,
            record: None,
            sample: None,
            stats: None,
            behind: None,
            held_stats: stats::Held::default(),
            editor: None,
            trial: None,
            settings: None,
            desktop: None,
            labs: Labs::new(held),
            demo_shop: demo::DemoShop::default(),
            unsaved,
            _end: all.clone().drop_guard(),
            all,
        }
    }

    fn take(&mut self, effect: Effect) {
        match effect {
            Effect::Connect(effect) => self.connect(effect),
            Effect::Connections(effect) => {
                let keeper = self.keeper.clone();
                // In their order: there is room for more than a person can ask for at once.
                if let Err(full) = keeper.try_send(effect) {
                    tokio::spawn(async move { keeper.send(full.into_inner()).await });
                }
            }
            Effect::Keys(KeysEffect::Scan { generation }) => {
                let token = self.all.child_token();
                let pace = self.reading.pace;
                let (out, slot) = (self.out.clone(), self.slot.clone());
                tokio::spawn(stores::scan(out, slot, pace, generation, token.clone()));
                self.scan = Some(token.drop_guard());
            }
            Effect::Keys(KeysEffect::StopScan) => self.scan = None,
            Effect::Keys(KeysEffect::Look(question)) => self.look(*question),
            Effect::Record(RecordEffect::Open {
                generation,
                address,
            }) => {
                let work =
                    records::open_record(self.out.clone(), self.slot.clone(), generation, address);
                self.record = Some(self.spawn(work));
            }
            Effect::Record(RecordEffect::LayOut(job)) => self.lay_out(job),
            Effect::Layouts(LayoutsEffect::Sample {
                generation,
                source,
                address,
            }) => {
                let (out, slot) = (self.out.clone(), self.slot.clone());
                let work = records::open_sample(out, slot, generation, source, address);
                self.sample = Some(self.spawn(work));
            }
            Effect::Editor(effect) => self.editor(effect),
            Effect::Export(effect) => self.export(effect),
            Effect::Repair(effect) => {
                let tools = (self.reading.clone(), self.out.clone(), self.slot.clone());
                self.repairs.take(effect, &self.all, tools);
            }
            Effect::Journal(effect) => {
                let (reading, out) = (self.reading.clone(), self.out.clone());
                tokio::task::spawn_blocking(move || journal::journal(effect, &reading, &out));
            }
            Effect::Lab(effect) => self.lab(effect),
            Effect::Stats(effect) => self.stats(effect),
            Effect::SaveSettings(settings) => self.save_settings(settings),
            Effect::Later { after_ms, event } => {
                let out = self.out.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(std::time::Duration::from_millis(after_ms)).await;
                    out.send(*event).await;
                });
            }
            Effect::WatchDesktop => self.watch_desktop(),
            // The program has opened the first, the window does the others.
            Effect::Of { .. } | Effect::Copy(_) | Effect::Raise | Effect::Quit => {}
        }
    }

    fn connect(&mut self, effect: ConnectEffect) {
        match effect {
            ConnectEffect::Open { generation, wanted } => {
                self.scan = None;
                self.record = None;
                let (reading, out) = (self.reading.clone(), self.out.clone());
                let work = stores::open(reading, out, self.slot.clone(), generation, *wanted);
                self.connect = Some(self.spawn(work));
            }
            ConnectEffect::Test { generation, wanted } => {
                let (reading, out) = (self.reading.clone(), self.out.clone());
                let work = stores::test(reading, out, generation, *wanted);
                self.connect = Some(self.spawn(work));
            }
            ConnectEffect::AddDemoRecord { generation } => {
                let work = demo::add_demo(
                    self.reading.clone(),
                    self.out.clone(),
                    (self.slot.clone(), self.demo_shop.clone()),
                    generation,
                );
                tokio::spawn(work);
            }
            ConnectEffect::SetOverrides(overrides) => {
                stores::set_overrides(&self.slot, overrides);
            }
            // It is done where this is kept.
            ConnectEffect::Close => {}
        }
    }

    /// Runs until it is done or the guard is dropped.
    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> DropGuard {
        let token = self.all.child_token();
        let cancelled = token.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = cancelled.cancelled() => {}
                () = work => {}
            }
        });
        token.drop_guard()
    }

    fn lay_out(&self, job: Box<LayOut>) {
        let out = self.out.clone();
        tokio::task::spawn_blocking(move || {
            let sheet = Arc::new(sheet::lay_out(&job));
            out.send_blocking(Event::Record(RecordEvent::LaidOut { sheet }));
        });
    }

    fn take_calls(&self, calls: Calls) -> DropGuard {
        let out = self.out.clone();
        self.spawn(calls.take(async move |target| {
            out.send(Event::App(AppEvent::Called { target })).await;
        }))
    }

    fn save_settings(&mut self, settings: Box<Settings>) {
        if let Some(path) = self.reading.settings_file.clone() {
            self.unsaved.put(settings);
            let work = settings::save(self.out.clone(), self.unsaved.clone(), path);
            self.settings = Some(self.spawn(work));
        }
    }

    fn watch_desktop(&mut self) {
        let out = self.out.clone();
        let work = desktop::watch(async move |look| {
            let theme = look.is_dark.map(|dark| match dark {
                true => Theme::Dark,
                false => Theme::Light,
            });
            let reduces_motion = look.reduces_motion;
            out.send(Event::App(AppEvent::Desktop {
                theme,
                reduces_motion,
            }))
            .await;
        });
        self.desktop = Some(self.spawn(work));
    }

    fn editor(&mut self, effect: EditorEffect) {
        let (out, slot, reading) = (self.out.clone(), self.slot.clone(), self.reading.clone());
        match effect {
            EditorEffect::Begin { generation, source } => {
                let work = editor::begin(out, slot, reading, generation, source);
                self.editor = Some(self.spawn(work));
            }
            EditorEffect::OpenFile { generation, path } => {
                let work = editor::open_file(out, slot, generation, path);
                self.editor = Some(self.spawn(work));
            }
            EditorEffect::Sample {
                generation,
                subjects,
                at,
                proposes,
            } => {
                let work = editor::sample(out, slot, reading, generation, subjects, at, proposes);
                self.editor = Some(self.spawn(work));
            }
            EditorEffect::Try {
                trial,
                text,
                sample,
                now,
            } => {
                let (guard, cancel) = cancel();
                self.trial = Some(guard);
                let attempt = editor::Attempt {
                    number: trial,
                    text,
                    sample,
                    now,
                };
                tokio::spawn(editor::try_text(out, slot, attempt, cancel));
            }
            EditorEffect::Save(job) => {
                tokio::task::spawn_blocking(move || editor::save(&out, &reading, *job));
            }
        }
    }

    fn export(&mut self, effect: ExportEffect) {
        let job = match effect {
            ExportEffect::Start(job) => job,
            ExportEffect::Browse(path) => {
                let work = export::browse(path, self.out.clone());
                self.browse = Some(self.spawn(work));
                return;
            }
            ExportEffect::Cancel => {
                self.export = None;
                return;
            }
        };
        let (guard, cancel) = cancel();
        self.export = Some(guard);
        let out = self.out.clone();
        tokio::task::spawn_blocking(move || export::export(&job, &out, &cancel));
    }

    fn look(&mut self, question: Question) {
        let (guard, cancel) = cancel();
        self.look = Some(guard);
        let out = self.out.clone();
        tokio::task::spawn_blocking(move || {
            let number = question.number;
            if let Some(page) = look::look(question, &cancel) {
                out.send_blocking(Event::Keys(KeysEvent::Page {
                    question: number,
                    page: Arc::new(page),
                }));
            }
        });
    }
}
