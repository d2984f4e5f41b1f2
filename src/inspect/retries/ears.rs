//! Listening to what a server tells by itself, for as long as somebody looks.

use super::beside::Beside;
use super::monitor::globs;
use crate::inspect::session::Session;
use crate::layouts::Source;
use crate::stores::Family;
use crate::stores::logs::{Listened, Listener, Untold};

/// A listener, where there is something to hear, and since when.
#[derive(Debug)]
pub struct Ears {
    listener: Option<Listener>,
    from: i64,
}

impl Ears {
    /// `None` for a store that tells nothing by itself, and where no records are to be heard of.
    pub async fn open(session: &Session, sources: &[Source]) -> Option<Ears> {
        if session.family() != Family::Keys || sources.is_empty() {
            return None;
        }
        let globs = globs(sources);
        let listener = match globs.is_empty() {
            true => None,
            false => Some(session.store.listen(globs).await.ok()?),
        };
        Some(Ears {
            listener,
            from: session.now().millis(),
        })
    }

    /// Puts in what was heard so far.
    pub fn tell(&self, session: &Session, beside: &mut Beside) {
        let now = session.now().millis();
        let listened = match &self.listener {
            Some(listener) => listener.listened(),
            None => Listened {
                events: Err(Untold::WideNames),
                pushes: Err(Untold::WideNames),
            },
        };
        beside.listened(&listened, (self.from, now));
    }
}
