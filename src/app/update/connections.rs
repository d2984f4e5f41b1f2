//! Connections area: what is kept between runs, as the file tells it.

use crate::app::command::FormCommand;
use crate::app::effect::{ConnectionsEffect, Effect};
use crate::app::event::{ConnectionsEvent, Done, PasswordFate};
use crate::app::remote::Failure;
use crate::app::state::{Changes, Item, Origin, Place, State};
use crate::config::{Book, Password, Who};
use crate::domain::Secret;
use crate::present::say::say;

pub fn event(state: &mut State, event: ConnectionsEvent) -> Vec<Effect> {
    match event {
        ConnectionsEvent::Loaded {
            book,
            found,
            is_first,
        } => loaded(state, book.map(|book| *book), found, is_first),
        ConnectionsEvent::Changed { answer, done } => match answer {
            Ok(book) => {
                state.connect.book = *book;
                state.connect.broken = None;
                changed(state, done)
            }
            // What was only noted by the way is not worth a word each time.
            Err(why) if done == Done::Noted => {
                state.connect.broken = Some(why);
                Vec::new()
            }
            Err(why) => {
                state.connect.said = None;
                state.connect.failure = Some(Failure {
                    text: say!("connect-not-kept", why = why),
                    hint: None,
                    is_connection: false,
                });
                Vec::new()
            }
        },
    }
}

fn loaded(
    state: &mut State,
    book: Result<Book, String>,
    found: Vec<crate::config::found::Found>,
    is_first: bool,
) -> Vec<Effect> {
    let is_first = is_first && !state.connect.is_loaded;
    state.connect.is_loaded = true;
    state.connect.found = found;
    let mut effects = Vec::new();
    match book {
        Ok(book) => {
            state.connect.book = book;
            state.connect.broken = None;
        }
        Err(why) if state.connect.broken.as_ref() == Some(&why) => {}
        Err(why) => {
            let text = say!("connect-broken", why = why.as_str());
            state.connect.broken = Some(why);
            effects.push(super::notice(state, text));
        }
    }
    let wanted = &state.connection.wanted;
    let is_default = wanted.target.is_none() && wanted.connection.is_none();
    let is_found = |name: &str| state.connect.found.iter().any(|found| found.name == name);
    if is_first && is_default && !is_found("IDEMSCOPE_URL") {
        show_first(state);
    }
    effects
}

/// The first start: the page stands beside the demo store, with what was found filled in.
fn show_first(state: &mut State) {
    state.view.place = Place::Connect;
    state.view.focus_connect += 1;
    state.connect.stays = state.connection.store.value().is_none();
    let first = state.connect.found.first().map(|found| found.name.clone());
    if let Some(name) = first {
        super::form::command(state, FormCommand::Choose(Item::Found(name)));
    }
}

fn changed(state: &mut State, done: Done) -> Vec<Effect> {
    match done {
        Done::Noted => {}
        Done::Removed(who) => {
            let connect = &mut state.connect;
            connect.chosen = None;
            connect.form.origin = Origin::Typed;
            let name = match who {
                Who::Named(name) => name,
                Who::Url(url) => url,
            };
            connect.said = Some(say!("connect-removed", name = name));
            renew_open(state, None);
        }
        Done::Saved {
            name,
            old,
            password,
        } => {
            let renamed = old.map(|old| (old, Who::Named(name.clone())));
            let connect = &mut state.connect;
            connect.form.origin = Origin::Saved(name.clone());
            connect.chosen = Some(Item::Saved(name.clone()));
            connect.said = Some(match password {
                PasswordFate::Nothing => say!("connect-saved", name = name),
                PasswordFate::InKeyring => {
                    connect.form.password = Secret::default();
                    say!("connect-saved-keyring", name = name)
                }
                PasswordFate::NotKept(why) => say!("connect-saved-asked", name = name, why = why),
            });
            renew_open(state, renamed.as_ref());
        }
    }
    Vec::new()
}

/// Open stores show the names and marks that are kept now, where they were reached as it is kept now.
fn renew_open(state: &mut State, renamed: Option<&(Who, Who)>) {
    let book = state.connect.book.clone();
    let parked = state.stores.parked.iter_mut();
    let parked = parked.map(|parked| (&mut parked.areas.connection, &mut parked.areas.changes));
    for (connection, changes) in parked.chain([(&mut state.connection, &mut state.changes)]) {
        let kept = &mut connection.kept;
        let own = kept.who();
        let who = match renamed {
            Some((old, new)) if *old == own => new,
            _ => &own,
        };
        let by_name = book.find(who);
        // One without a name has got it now.
        let saved = book.saved().iter().find(|known| known.leads_where(kept));
        let saved = saved.filter(|_| kept.name.is_none());
        match by_name.filter(|known| known.leads_where(kept)).or(saved) {
            Some(known) => {
                if known.is_production && !kept.is_production {
                    // Nobody has typed its name.
                    *changes = Changes::ReadOnly;
                }
                *kept = known.clone();
            }
            // Its marks stay: it is the server that it was.
            None => {
                kept.name = None;
                kept.password = Password::Asked;
            }
        }
    }
}

/// What was set for the sources of the store that is shown is kept.
pub fn remember(state: &State) -> Effect {
    Effect::Connections(ConnectionsEffect::Remember {
        who: state.connection.kept.who(),
        sources: state.connection.overrides.clone(),
    })
}
