//! Listening to what a server tells by itself, for as long as somebody looks.

use super::beside::Beside;
use super::monitor::globs;
use crate::inspect::session::Session;
use crate::layouts::Source;
use crate::stores::Family;
use crate::stores::logs::Listener;

/// A listener, and since when.
#[derive(Debug)]
pub struct Ears {
    listener: Listener,
    from: i64,
}

impl Ears {
    /// `None` for a store that tells nothing by itself, and where no records are to be heard of.
    pub async fn open(session: &Session, sources: &[Source]) -> Option<Ears> {
        if session.family() != Family::Keys || sources.is_empty() {
            return None;
        }
        let listener = session.store.listen(globs(sources)).await.ok()?;
        Some(Ears {
            listener,
            from: session.now().millis(),
        })
    }

    /// Puts in what was heard so far.
    pub fn tell(&self, session: &Session, beside: &mut Beside) {
        let now = session.now().millis();
        beside.listened(&self.listener.listened(), (self.from, now));
    }
}
