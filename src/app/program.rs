//! The running program: state, reducers and worker joined.

use std::collections::VecDeque;

use super::command::Command;
use super::effect::{ConnectionsEffect, Effect};
use super::event::{AppEvent, Event};
use super::start::{Start, TakenOnce};
use super::state::{Folders, HOUSE, State, StoreId};
use super::update;
use super::worker::{Wake, Worker};
use crate::config::Wanted;
use crate::present::say::{self, say};
use crate::sys::clock::{self, Stopwatch};
use crate::sys::folders;

/// Taking events may hold up a frame for this long.
const DRAIN_MS: u128 = 4;

/// What the window has to do, since nobody else can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    Copy(String),
    Raise,
    Quit,
}

#[derive(Debug)]
pub struct Program {
    state: State,
    worker: Worker,
    /// Effects that the worker had no room for.
    waiting: VecDeque<(StoreId, Effect)>,
    wishes: Vec<Wish>,
}

impl Program {
    /// Starts, and begins to open the store.
    ///
    /// Errors: the worker's thread cannot be started.
    pub fn start(start: Start, wake: Wake) -> std::io::Result<Program> {
        let wanted = Wanted {
            target: start.target,
            flags: start.reading.target.clone(),
            ..Wanted::default()
        };
        let calls = start.calls.as_ref().and_then(TakenOnce::take);
        let worker = Worker::start(start.reading, calls, wake)?;
        let mut program = Program {
            state: State::default(),
            worker,
            waiting: VecDeque::new(),
            wishes: Vec::new(),
        };
        program.state.theme_of_run = start.theme;
        program.state.zoom_of_run = start.zoom;
        program.state.desktop.language = start.language;
        let mut warnings = start.warnings;
        match start.settings {
            Ok(settings) => program.state.settings = settings,
            Err(why) => {
                program.state.settings_broken = true;
                warnings.push(say!("settings-broken", why = why));
            }
        }
        say::speak(program.state.language());
        let home = folders::home().unwrap_or_default();
        program.state.home = home.display().to_string();
        let text = |path: Option<std::path::PathBuf>| Some(path?.display().to_string());
        program.state.folders = Folders {
            config: text(folders::config()),
            data: text(folders::data()),
            state: text(folders::state()),
        };
        program.tick();
        if start.follows_desktop {
            program.carry_out(vec![Effect::WatchDesktop]);
        }
        program.carry_out(vec![Effect::Connections(ConnectionsEffect::Load)]);
        let effects = update::begin(&mut program.state, wanted);
        program.carry_out(effects);
        for warning in warnings {
            let effect = update::notice(&mut program.state, warning);
            program.carry_out(vec![effect]);
        }
        Ok(program)
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn send(&mut self, command: Command) {
        say::speak(self.state.language());
        let effects = update::command(&mut self.state, command);
        // The language may be another one now.
        say::speak(self.state.language());
        self.carry_out(effects);
    }

    /// Takes what has come. True where there is more than fits into a frame.
    pub fn drain(&mut self) -> bool {
        let watch = Stopwatch::start();
        say::speak(self.state.language());
        self.tick();
        for (store, effect) in std::mem::take(&mut self.waiting) {
            self.hand_over(store, effect);
        }
        while let Some((store, event)) = self.worker.try_event() {
            let effects = update::event_of(&mut self.state, store, event);
            self.carry_out(effects);
            if watch.elapsed().as_millis() >= DRAIN_MS {
                return true;
            }
        }
        false
    }

    pub fn take_wishes(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.wishes)
    }

    fn tick(&mut self) {
        let here = clock::now();
        let minutes = clock::local_offset_minutes(here);
        let offset = crate::present::clock::Offset::minutes(minutes);
        let event = Event::App(AppEvent::Tick { here, offset });
        let effects = update::event(&mut self.state, event);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let (store, effect) = match effect {
                Effect::Of { store, effect } => (store, *effect),
                effect => (self.state.stores.current, effect),
            };
            match effect {
                Effect::Copy(text) => self.wishes.push(Wish::Copy(text)),
                Effect::Raise => self.wishes.push(Wish::Raise),
                Effect::Quit => self.wishes.push(Wish::Quit),
                effect if effect.is_of_house() => self.hand_over(HOUSE, effect),
                effect => self.hand_over(store, effect),
            }
        }
    }

    /// What finds no room waits, and everything after it.
    fn hand_over(&mut self, store: StoreId, effect: Effect) {
        if !self.waiting.is_empty() {
            self.waiting.push_back((store, effect));
        } else if let Err(effect) = self.worker.try_send(store, effect) {
            self.waiting.push_back((store, effect));
        }
    }
}
