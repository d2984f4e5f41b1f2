//! The worker as the window has it: effects go in, events come out.
//!
//! Apart from `worker` because this is what runs on the window's thread.
//! Invariant: both channels are bounded; every event is followed by a wake.

use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::out::Out;
use super::run;
use crate::app::effect::Effect;
use crate::app::event::Event;
use crate::app::start::Reading;
use crate::app::state::{HOUSE, StoreId};
use crate::sys::instance::Calls;

const EFFECTS_MAX: usize = 256;
const EVENTS_MAX: usize = 64;

/// Called after each event, from any thread: the window has something to take.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// The worker's handle; dropping it ends the work.
#[derive(Debug)]
pub struct Worker {
    effects: Option<Sender<(StoreId, Effect)>>,
    events: Receiver<(StoreId, Event)>,
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
            store: HOUSE,
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
    pub fn try_send(&self, store: StoreId, effect: Effect) -> Result<(), Effect> {
        match &self.effects {
            Some(effects) => effects
                .try_send((store, effect))
                .map_err(|error| error.into_inner().1),
            None => Ok(()),
        }
    }

    pub fn try_event(&mut self) -> Option<(StoreId, Event)> {
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
