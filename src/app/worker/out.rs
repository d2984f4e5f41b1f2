//! Where events go: back to the window, with the store that they are of.
//!
//! Apart from `worker` because all of its parts hand events over.

use tokio::sync::mpsc::Sender;

use super::Wake;
use crate::app::event::Event;
use crate::app::state::StoreId;

/// Where events go.
#[derive(Clone)]
pub(super) struct Out {
    /// Which store they are of.
    pub(super) store: StoreId,
    pub(super) events: Sender<(StoreId, Event)>,
    pub(super) wake: Wake,
}

impl Out {
    pub(super) async fn send(&self, event: Event) {
        if self.events.send((self.store, event)).await.is_ok() {
            (self.wake)();
        }
    }

    /// Where it finds no room it is not told: a later one says more.
    pub(super) fn try_send(&self, event: Event) {
        if self.events.try_send((self.store, event)).is_ok() {
            (self.wake)();
        }
    }

    pub(super) fn send_blocking(&self, event: Event) {
        if self.events.blocking_send((self.store, event)).is_ok() {
            (self.wake)();
        }
    }
}
