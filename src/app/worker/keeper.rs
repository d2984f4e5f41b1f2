//! Keeps connections between runs: the file and the keyring, one change after the other.
//!
//! Apart from `stores` because no store is asked. Invariant: changes are carried out in their
//! order; what has been taken in is done before the worker ends, unless the keyring hangs.

use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::Out;
use crate::app::effect::ConnectionsEffect;
use crate::app::event::{ConnectionsEvent, Done, Event, PasswordFate};
use crate::app::start::{Kept, Writing};
use crate::config::connections::file;
use crate::config::found::found;
use crate::config::{Book, BookError, Connection, Password, Who, connections, target};
use crate::domain::Secret;
use crate::sys::files;

const WAITING_MAX: usize = 64;
/// At the end of the program what is left is waited for so long.
const END_MAX: Duration = Duration::from_secs(2);

/// The keeper's handle.
pub(super) struct Keeper {
    effects: Sender<ConnectionsEffect>,
    work: tokio::task::JoinHandle<()>,
}

impl Keeper {
    pub(super) fn start(kept: Kept, out: Out) -> Keeper {
        let (effects, incoming) = channel(WAITING_MAX);
        let work = tokio::spawn(work(kept, out, incoming));
        Keeper { effects, work }
    }

    pub(super) fn handle(&self) -> Sender<ConnectionsEffect> {
        self.effects.clone()
    }

    /// Waits until everything is done; every other handle has to be gone.
    pub(super) async fn finish(self) {
        drop(self.effects);
        let _ = tokio::time::timeout(END_MAX, self.work).await;
    }
}

async fn work(kept: Kept, out: Out, mut effects: Receiver<ConnectionsEffect>) {
    while let Some(effect) = effects.recv().await {
        let kept = kept.clone();
        let event = tokio::task::spawn_blocking(move || carry_out(&kept, effect)).await;
        if let Ok(event) = event {
            // Nobody may be there to be told any more; the rest is done all the same.
            let _ = tokio::time::timeout(END_MAX, out.send(Event::Connections(event))).await;
        }
    }
}

fn carry_out(kept: &Kept, effect: ConnectionsEffect) -> ConnectionsEvent {
    let noted = |answer| ConnectionsEvent::Changed {
        answer,
        done: Done::Noted,
    };
    match effect {
        ConnectionsEffect::Load => load(kept),
        ConnectionsEffect::Save {
            old,
            connection,
            password,
        } => save(kept, old.as_ref(), *connection, password),
        ConnectionsEffect::Remove(who) => remove(kept, who),
        ConnectionsEffect::Opened { connection, at } => noted(change(kept, |book| {
            book.opened(&connection, at);
            Ok(())
        })),
        ConnectionsEffect::Remember { who, sources } => noted(change(kept, |book| {
            book.remember(&who, sources);
            Ok(())
        })),
    }
}

fn load(kept: &Kept) -> ConnectionsEvent {
    let path = kept.connections.as_deref();
    let book = connections::load(path);
    ConnectionsEvent::Loaded {
        book: book.map(Box::new).map_err(|error| error.to_string()),
        found: match kept.connections {
            Some(_) => found(),
            None => Vec::new(),
        },
        is_first: kept.writing == Writing::On && path.is_some_and(|path| !files::exists(path)),
    }
}

/// Where nothing is written, what is kept is only read.
fn change(
    kept: &Kept,
    change: impl FnOnce(&mut Book) -> Result<(), BookError>,
) -> Result<Box<Book>, String> {
    let changed = match (&kept.connections, kept.writing) {
        (Some(path), Writing::On) => file::change(path, change),
        (path, _) => {
            let book = connections::load(path.as_deref());
            book.and_then(|mut book| change(&mut book).map(|()| book))
        }
    };
    changed.map(Box::new).map_err(|error| error.to_string())
}

fn save(
    kept: &Kept,
    old: Option<&Who>,
    mut connection: Connection,
    password: Option<Secret>,
) -> ConnectionsEvent {
    let name = connection.name.clone().unwrap_or_default();
    if let Err(error) = target::check(&connection.url, connection.is_production) {
        let password = PasswordFate::Nothing;
        let old = old.cloned();
        return ConnectionsEvent::Changed {
            answer: Err(error.text),
            done: Done::Saved {
                name,
                old,
                password,
            },
        };
    }
    let keyring = &kept.keyring;
    let before = connections::load(kept.connections.as_deref()).unwrap_or_default();
    let known = old.and_then(|old| before.find(old));
    let moved = known.filter(|known| {
        known.password == Password::Keyring && known.account() != connection.account()
    });
    // It follows the connection to its new address.
    let carried = moved.and_then(|known| keyring.get(&known.account()).ok().flatten());
    let mut fate = PasswordFate::Nothing;
    if let Some(secret) = password.as_ref().or(carried.as_ref()) {
        fate = match keyring.set(&connection.account(), secret) {
            Ok(()) => PasswordFate::InKeyring,
            Err(error) => PasswordFate::NotKept(error.to_string()),
        };
        connection.password = match fate {
            PasswordFate::InKeyring => Password::Keyring,
            _ => Password::Asked,
        };
    }
    if password.is_none() && fate == PasswordFate::InKeyring {
        fate = PasswordFate::Nothing;
    }
    let answer = change(kept, |book| book.save(old, connection));
    if let (Ok(book), Some(moved)) = (&answer, moved) {
        forget_password(kept, book, moved);
    }
    ConnectionsEvent::Changed {
        answer,
        done: Done::Saved {
            name,
            old: old.cloned(),
            password: fate,
        },
    }
}

fn remove(kept: &Kept, who: Who) -> ConnectionsEvent {
    let mut removed = None;
    let answer = change(kept, |book| {
        removed = book.remove(&who);
        Ok(())
    });
    if let (Ok(book), Some(removed)) = (&answer, &removed) {
        forget_password(kept, book, removed);
    }
    ConnectionsEvent::Changed {
        answer,
        done: Done::Removed(who),
    }
}

/// Nobody needs it any more, unless another connection leads to the same place.
fn forget_password(kept: &Kept, book: &Book, gone: &Connection) {
    if gone.password == Password::Keyring && !book.uses(&gone.account()) {
        // One that is left behind does no harm: nothing leads to it.
        let _ = kept.keyring.remove(&gone.account());
    }
}

#[cfg(test)]
mod tests;
