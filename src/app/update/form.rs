//! ConnectForm area: filling in a connection, testing it, saving it, forgetting it.
//!
//! Apart from `connect` because nothing here opens a store for good.

use std::sync::Arc;

use crate::app::command::{FormCommand, Move, Part};
use crate::app::effect::{ConnectEffect, ConnectionsEffect, Effect};
use crate::app::remote::Failure;
use crate::app::state::{Asking, ConnectForm, Item, Origin, State, Tested};
use crate::app::view::connect_items;
use crate::config::address::{Security, without_secret};
use crate::config::connections::{DEMO, check_name, is_address};
use crate::config::pasted;
use crate::config::{Connection, Wanted, Who};
use crate::domain::Secret;
use crate::present::say::say;

pub fn command(state: &mut State, command: FormCommand) -> Vec<Effect> {
    let form = &mut state.connect.form;
    let server = form.server();
    match command {
        FormCommand::UrlTyped(text) => {
            form.set_url(text.reveal());
            if text.reveal().is_empty() {
                form.origin = Origin::Typed;
            }
        }
        FormCommand::UrlPasted(text) => {
            pasted(state, &text);
            return Vec::new();
        }
        FormCommand::UrlLeft => {
            hide_password(form);
            return Vec::new();
        }
        FormCommand::Part(part, text) => set_part(form, part, text),
        FormCommand::Engine(engine) => {
            let address = &mut form.address;
            if address.engine != engine {
                // A port or a way to encrypt means something else there.
                address.engine = engine;
                address.port.clear();
                address.security = Security::Unsaid;
                follow_fields(form);
            }
        }
        FormCommand::Security(security) => {
            form.address.security = security;
            follow_fields(form);
        }
        FormCommand::PasswordTyped(text) => match state.connect.asking {
            Asking::Passphrase => form.passphrase = text,
            Asking::Nothing | Asking::Password => form.password = text,
        },
        FormCommand::Colour(colour) => form.colour = colour,
        FormCommand::ToggleProduction => form.is_production = !form.is_production,
        FormCommand::ToggleReplica => form.on_replica = !form.on_replica,
        FormCommand::ShowMore => form.shows_more = !form.shows_more,
        FormCommand::Choose(item) => return choose(state, item),
        FormCommand::Move(step) => return go(state, step),
        FormCommand::New => {
            clear(state);
            state.view.focus_connect += 1;
        }
        FormCommand::Test => return test(state),
        FormCommand::Save => return save(state),
        FormCommand::Remove => return remove(state),
    }
    let form = &mut state.connect.form;
    if server.is_some() && form.server() != server {
        // It was the password of another one.
        form.password = Secret::default();
    }
    forget_answers(state);
    Vec::new()
}

/// What was said of other fields means nothing any more.
fn forget_answers(state: &mut State) {
    let connect = &mut state.connect;
    connect.test_generation += 1;
    connect.test.reset();
    connect.said = None;
    connect.failure = None;
}

fn set_part(form: &mut ConnectForm, part: Part, text: String) {
    let address = &mut form.address;
    let place = match part {
        Part::Host => &mut address.host,
        Part::Port => &mut address.port,
        Part::User => &mut address.user,
        Part::Database => &mut address.database,
        Part::Name => &mut form.name,
        Part::Ca => &mut form.ca,
        Part::Cert => &mut form.cert,
        Part::CertKey => &mut form.cert_key,
        Part::ServerName => &mut form.server_name,
        Part::Ssh => &mut form.ssh,
        Part::Command => &mut form.command,
    };
    *place = text;
    if matches!(part, Part::Host | Part::Port | Part::User | Part::Database) {
        follow_fields(form);
    }
}

fn follow_fields(form: &mut ConnectForm) {
    hide_password(form);
    form.url = Secret::new(form.address.url());
}

/// A password in the URL goes to the field where it is not seen.
fn hide_password(form: &mut ConnectForm) {
    let Ok((url, Some(password))) = without_secret(form.url()) else {
        return;
    };
    form.password = password;
    form.set_url(&url);
}

/// A URL that comes whole, with or without a password.
fn pasted(state: &mut State, text: &Secret) {
    let text = text.reveal().trim();
    match pasted::read(text) {
        Some(pasted) => {
            let mut said = Connection::of_url(&pasted.url);
            said.options = pasted.options;
            let known = state.connect.book.to_place(&pasted.url);
            // What the text says of the way goes before what is known of the place.
            let mut form = match known.filter(|_| said.options == Default::default()) {
                Some(known) => ConnectForm::of(known, origin_of(known)),
                None => ConnectForm::of(&said, Origin::Typed),
            };
            form.password = pasted.password.unwrap_or_default();
            state.connect.form = form;
            state.connect.chosen = None;
            state.connect.asking = Asking::Nothing;
        }
        None => state.connect.form.set_url(text),
    }
    forget_answers(state);
}

fn origin_of(known: &Connection) -> Origin {
    match &known.name {
        Some(name) => Origin::Saved(name.clone()),
        None => Origin::Recent(known.place()),
    }
}

fn go(state: &mut State, step: Move) -> Vec<Effect> {
    let items = connect_items(state);
    let chosen = state.connect.chosen.as_ref();
    let at = chosen.and_then(|chosen| items.iter().position(|item| item == chosen));
    let to = step.from(at.map(|at| at as u64), items.len() as u64);
    let item = to.and_then(|to| {
        items
            .into_iter()
            .nth(usize::try_from(to).unwrap_or_default())
    });
    match item {
        Some(item) => choose(state, item),
        None => Vec::new(),
    }
}

/// Fills the form from an item of the list.
fn choose(state: &mut State, item: Item) -> Vec<Effect> {
    if let Some(form) = form_of(state, &item) {
        state.connect.form = form;
        state.connect.chosen = Some(item);
        state.connect.asking = Asking::Nothing;
        forget_answers(state);
    }
    Vec::new()
}

fn form_of(state: &State, item: &Item) -> Option<ConnectForm> {
    let book = &state.connect.book;
    Some(match item {
        Item::Open(id) => {
            let all = state.open_stores();
            let (_, connection) = all.iter().find(|(known, _)| known == id)?;
            let asked = connection.asked();
            ConnectForm::of(&asked, origin_of(&asked))
        }
        Item::Demo => ConnectForm::of(&Connection::of_url(DEMO), Origin::Typed),
        Item::Saved(name) => ConnectForm::of(book.named(name)?, Origin::Saved(name.clone())),
        Item::Recent(url) => {
            let known = book.find(&Who::Url(url.clone()))?;
            ConnectForm::of(known, Origin::Recent(url.clone()))
        }
        Item::Found(name) => {
            let found = &state.connect.found;
            let found = found.iter().find(|found| found.name == *name)?;
            let mut form = ConnectForm {
                password: found.password.clone().unwrap_or_default(),
                origin: Origin::Found(name.clone()),
                ..ConnectForm::default()
            };
            form.set_url(&found.url);
            form
        }
    })
}

/// Opens an item of the list at once.
pub fn open_item(state: &mut State, item: Item) -> Vec<Effect> {
    if let Item::Open(id) = item {
        return super::stores::show(state, id);
    }
    choose(state, item);
    match wanted(state) {
        Ok(wanted) => super::connect::open(state, wanted),
        Err(failure) => super::connect::not_opened(state, failure, Asking::Nothing),
    }
}

/// Nothing is filled in, and nothing asked for.
pub fn clear(state: &mut State) {
    state.connect.form = ConnectForm::default();
    state.connect.chosen = None;
    state.connect.asking = Asking::Nothing;
}

/// After a failure the page shows what was asked for, where it does not show it already: opened from
/// there, it has to be the same server by the same way.
pub fn fill_from(state: &mut State, wanted: &Wanted, asked: Option<&Connection>) {
    let form = &mut state.connect.form;
    // A name has no fields: what it stands for has. Other words are what somebody types meanwhile.
    let target = wanted.target.as_ref().map(|target| target.reveal().trim());
    let is_name = asked.is_some() && !is_address(form.url()) && target == Some(form.url());
    if !form.url().is_empty() && !is_name {
        return;
    }
    match (asked, &wanted.target) {
        (Some(asked), _) => {
            *form = ConnectForm::of(asked, origin_of(asked));
            form.password = asked.options.password.clone().unwrap_or_default();
        }
        // It is not known what is meant.
        (None, Some(target)) => {
            *form = ConnectForm::default();
            form.set_url(target.reveal());
            hide_password(form);
        }
        (None, None) => return,
    }
    form.passphrase = wanted.passphrase.clone().unwrap_or_default();
}

/// The connection that the form says, and the password that was typed.
///
/// Errors: nothing is filled in, or it cannot be told where the password ends.
fn filled(state: &State) -> Result<(Connection, Option<Secret>), Failure> {
    let form = &state.connect.form;
    let (url, in_url) = without_secret(form.url()).map_err(|text| plain(text, None))?;
    if url.is_empty() {
        let text = say!("connect-nothing-typed");
        return Err(plain(text, Some(say!("connect-nothing-typed-hint"))));
    }
    let old = old(form);
    let known = old.as_ref().and_then(|old| state.connect.book.find(old));
    let mut connection = known.cloned().unwrap_or_default();
    connection.url = url;
    connection.colour = form.colour;
    connection.is_production = form.is_production;
    connection.options = form.options().or(&crate::config::TargetOptions {
        timeout: connection.options.timeout,
        ..Default::default()
    });
    // At another address, or by another way, the name means another store until it is saved.
    if known.is_none_or(|known| !known.leads_where(&connection)) {
        connection.name = None;
    }
    let typed = Some(form.password.clone()).filter(|p| !p.reveal().is_empty());
    Ok((connection, typed.or(in_url)))
}

fn plain(text: String, hint: Option<String>) -> Failure {
    Failure {
        text,
        hint,
        is_connection: false,
    }
}

/// What the connection of the form is kept as until now.
fn old(form: &ConnectForm) -> Option<Who> {
    match &form.origin {
        Origin::Saved(name) => Some(Who::Named(name.clone())),
        Origin::Recent(url) => Some(Who::Url(url.clone())),
        Origin::Typed | Origin::Found(_) => None,
    }
}

/// What the form wants to be opened.
///
/// Errors: see [`filled`].
pub fn wanted(state: &State) -> Result<Wanted, Failure> {
    let text = state.connect.form.url();
    if !text.is_empty() && !is_address(text) {
        // A name; or nothing that is known, which opening it tells.
        return Ok(Wanted::text(text));
    }
    let (connection, password) = filled(state)?;
    let mut wanted = Wanted::known(connection);
    wanted.password = password;
    let passphrase = &state.connect.form.passphrase;
    wanted.passphrase = Some(passphrase.clone()).filter(|text| !text.reveal().is_empty());
    Ok(wanted)
}

fn test(state: &mut State) -> Vec<Effect> {
    forget_answers(state);
    hide_password(&mut state.connect.form);
    match wanted(state) {
        Ok(wanted) => {
            let connect = &mut state.connect;
            connect.test.loading();
            vec![Effect::Connect(ConnectEffect::Test {
                generation: connect.test_generation,
                wanted: Box::new(wanted),
            })]
        }
        Err(failure) => {
            state.connect.test.failed(failure);
            Vec::new()
        }
    }
}

pub fn tested(
    state: &mut State,
    generation: u64,
    answer: Result<Arc<Tested>, Failure>,
    asking: Asking,
) -> Vec<Effect> {
    let connect = &mut state.connect;
    if generation != connect.test_generation {
        return Vec::new();
    }
    match answer {
        Ok(tested) => connect.test.ready(tested, state.clock.here),
        Err(failure) => {
            connect.test.failed(failure);
            if asking != Asking::Nothing {
                connect.asking = asking;
                state.view.focus_connect += 1;
            }
        }
    }
    Vec::new()
}

fn save(state: &mut State) -> Vec<Effect> {
    forget_answers(state);
    let form = &state.connect.form;
    let (name, old) = (form.name.trim().to_owned(), old(form));
    let filled = filled(state).and_then(|filled| match check_name(&name) {
        Ok(()) => Ok(filled),
        Err(text) => Err(plain(text, Some(say!("connect-name-hint")))),
    });
    let (mut connection, password) = match filled {
        Ok(filled) => filled,
        Err(failure) => {
            state.connect.failure = Some(failure);
            return Vec::new();
        }
    };
    // What was set for the sources of an open store goes with it.
    let all = state.open_stores();
    let open = all
        .iter()
        .find(|(_, open)| open.asked().leads_where(&connection));
    if let Some((_, open)) = open {
        connection.sources = open.overrides.clone();
    }
    connection.name = Some(name);
    hide_password(&mut state.connect.form);
    vec![Effect::Connections(ConnectionsEffect::Save {
        old,
        connection: Box::new(connection),
        password,
    })]
}

fn remove(state: &mut State) -> Vec<Effect> {
    match old(&state.connect.form) {
        Some(who) => {
            forget_answers(state);
            vec![Effect::Connections(ConnectionsEffect::Remove(who))]
        }
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
