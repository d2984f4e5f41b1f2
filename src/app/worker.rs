//! Carries effects out on a thread of its own and answers with events.
//!
//! Invariant: both channels are bounded; every event is followed by a wake; a store is closed and
//! its work ends when another one is opened or the worker is dropped.

mod editor;
mod export;
mod locks;
mod look;
mod settings;
mod sheet;
mod stores;

use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_util::sync::{CancellationToken, DropGuard};

use self::settings::Unsaved;
use self::stores::Slot;
use super::effect::{
    ConnectEffect, EditorEffect, Effect, ExportEffect, KeysEffect, LayOut, LayoutsEffect, Question,
    RecordEffect,
};
use super::event::{AppEvent, Event, KeysEvent, RecordEvent};
use super::start::{Reading, Theme};
use super::state::Settings;
use crate::inspect::{CancelGuard, cancel};
use crate::sys::desktop;
use crate::sys::instance::Calls;

const EFFECTS_MAX: usize = 256;
const EVENTS_MAX: usize = 64;

/// Answers a question without a worker.
#[cfg(test)]
pub fn look_at_once(question: Question) -> super::state::Page {
    look::look(question, &crate::inspect::Cancel::never()).expect("nobody cancels")
}

/// Called after each event, from any thread: the window has something to take.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// The worker's handle; dropping it ends the work.
#[derive(Debug)]
pub struct Worker {
    effects: Option<Sender<Effect>>,
    events: Receiver<Event>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Errors: the thread or its runtime cannot be started.
    pub fn start(reading: Reading, calls: Option<Calls>, wake: Wake) -> std::io::Result<Worker> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("idemscope-io")
            .enable_all()
            .build()?;
        let (effects, effects_in) = channel(EFFECTS_MAX);
        let (events_out, events) = channel(EVENTS_MAX);
        let out = Out {
            events: events_out,
            wake,
        };
        let thread = std::thread::Builder::new()
            .name("idemscope-worker".to_owned())
            .spawn(move || {
                runtime.block_on(run(reading, calls, effects_in, out));
                // A server that does not answer must not keep us.
                runtime.shutdown_background();
            })?;
        Ok(Worker {
            effects: Some(effects),
            events,
            thread: Some(thread),
        })
    }

    /// Hands an effect over; gives it back where the worker is too busy.
    pub fn try_send(&self, effect: Effect) -> Result<(), Effect> {
        match &self.effects {
            Some(effects) => effects.try_send(effect).map_err(|error| error.into_inner()),
            None => Ok(()),
        }
    }

    pub fn try_event(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.effects = None;
        self.events.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Where events go.
#[derive(Clone)]
pub(super) struct Out {
    events: Sender<Event>,
    wake: Wake,
}

impl Out {
    pub(super) async fn send(&self, event: Event) {
        if self.events.send(event).await.is_ok() {
            (self.wake)();
        }
    }

    pub(super) fn send_blocking(&self, event: Event) {
        if self.events.blocking_send(event).is_ok() {
            (self.wake)();
        }
    }
}

/// Work that is under way; what is replaced is cancelled.
struct Running {
    reading: Arc<Reading>,
    out: Out,
    slot: Slot,
    connect: Option<DropGuard>,
    scan: Option<DropGuard>,
    look: Option<CancelGuard>,
    export: Option<CancelGuard>,
    browse: Option<DropGuard>,
    record: Option<DropGuard>,
    sample: Option<DropGuard>,
    editor: Option<DropGuard>,
    trial: Option<CancelGuard>,
    settings: Option<DropGuard>,
    desktop: Option<DropGuard>,
    unsaved: Unsaved,
    /// Of everything that ends with the worker.
    all: CancellationToken,
}

async fn run(reading: Reading, calls: Option<Calls>, mut effects: Receiver<Effect>, out: Out) {
    let all = CancellationToken::new();
    let _end = all.clone().drop_guard();
    let mut running = Running {
        reading: Arc::new(reading),
        out,
        slot: Slot::default(),
        connect: None,
        scan: None,
        look: None,
        export: None,
        browse: None,
        record: None,
        sample: None,
        editor: None,
        trial: None,
        settings: None,
        desktop: None,
        unsaved: Unsaved::default(),
        all,
    };
    let _calls = calls.map(|calls| running.take_calls(calls));
    while let Some(effect) = effects.recv().await {
        running.take(effect);
    }
    if let Some(path) = &running.reading.settings_file {
        running.unsaved.write_at_the_end(path);
    }
}

impl Running {
    fn take(&mut self, effect: Effect) {
        match effect {
            Effect::Connect(ConnectEffect::Open { generation, target }) => {
                self.scan = None;
                self.record = None;
                let (reading, out) = (self.reading.clone(), self.out.clone());
                let work = stores::open(reading, out, self.slot.clone(), generation, target);
                self.connect = Some(self.spawn(work));
            }
            Effect::Connect(ConnectEffect::AddDemoRecord { generation }) => {
                let work = stores::add_demo(self.out.clone(), self.slot.clone(), generation);
                tokio::spawn(work);
            }
            Effect::Connect(ConnectEffect::SetOverrides(overrides)) => {
                stores::set_overrides(&self.slot, overrides);
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
                    stores::open_record(self.out.clone(), self.slot.clone(), generation, address);
                self.record = Some(self.spawn(work));
            }
            Effect::Record(RecordEffect::LayOut(job)) => self.lay_out(job),
            Effect::Layouts(LayoutsEffect::Sample {
                generation,
                source,
                address,
            }) => {
                let (out, slot) = (self.out.clone(), self.slot.clone());
                let work = stores::open_sample(out, slot, generation, source, address);
                self.sample = Some(self.spawn(work));
            }
            Effect::Editor(effect) => self.editor(effect),
            Effect::Export(effect) => self.export(effect),
            Effect::SaveSettings(settings) => self.save_settings(settings),
            Effect::Later { after_ms, event } => {
                let out = self.out.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(std::time::Duration::from_millis(after_ms)).await;
                    out.send(*event).await;
                });
            }
            Effect::WatchDesktop => self.watch_desktop(),
            // The window does these.
            Effect::Copy(_) | Effect::Raise | Effect::Quit => {}
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
