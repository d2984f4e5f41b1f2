//! What the page of connecting says.

use super::said::{engines, kind, password, securities, security_note};
use crate::app::State;
use crate::app::remote::{Failure, Phase};
use crate::app::state::{Asking, ConnectForm, Connection, Item, Origin};
use crate::app::view::{connect_items, connection_name};
use crate::config::address::{Engine, Security};
use crate::config::connections::is_address;
use crate::config::found::Place;
use crate::config::{Colour, Who};
use crate::domain::Timestamp;
use crate::present::escape::shown;
use crate::present::say::say;
use crate::present::span;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectData {
    pub sections: Vec<Section>,
    pub is_connecting: bool,
    /// What went wrong the last time, and what to do now.
    pub failure: Option<(String, Option<String>)>,
    /// What was saved.
    pub said: Option<String>,
    pub can_open: bool,
    pub can_remove: bool,
    /// Where the text of the field comes from.
    pub origin: String,
    pub engines: Vec<(Engine, String, bool)>,
    pub securities: Vec<(Security, String, bool)>,
    /// What is worth knowing of the way to encrypt.
    pub security_note: String,
    pub password_name: String,
    pub password_note: String,
    pub asks_password: bool,
    pub shape: Shape,
    /// What the address names, where no fields can say it.
    pub kind: String,
    pub test: TestData,
}

/// Which fields there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Server,
    File,
    /// The URL alone says it.
    UrlOnly,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub title: String,
    pub items: Vec<Line>,
    /// What is said where there are none.
    pub nothing: Option<String>,
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub item: Item,
    pub title: String,
    pub about: String,
    /// What it is, or when it was opened.
    pub note: String,
    /// The name of its glyph, by its group.
    pub icon: (&'static str, &'static str),
    pub colour: Colour,
    pub is_production: bool,
    pub is_chosen: bool,
    pub can_remove: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestData {
    Nothing,
    Running,
    Failed(String, Option<String>),
    /// What was found, and where the settings came from.
    Found(Vec<Found>, Vec<Found>),
}

/// A line of what a test has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub mood: Mood,
    pub word: String,
    pub text: String,
    pub note: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    Good,
    Lacking,
    /// Neither: a fact.
    Plain,
}

pub fn connect_data(state: &State) -> ConnectData {
    let connect = &state.connect;
    let form = &connect.form;
    let engine = form.address.engine;
    let failure = match &connect.test.phase() {
        Phase::Failed(_) => None,
        _ => state.open_failure().map(|failure| told(state, failure)),
    };
    let (password_name, password_note) = password(state);
    ConnectData {
        sections: sections(state),
        is_connecting: state.opening().is_some(),
        failure,
        said: connect.said.clone(),
        can_open: !form.url().is_empty(),
        can_remove: matches!(form.origin, Origin::Saved(_) | Origin::Recent(_)),
        origin: match &form.origin {
            Origin::Found(name) => say!("connect-from", name = shown(name, 40)),
            _ => String::new(),
        },
        engines: engines(engine),
        securities: securities(form),
        security_note: security_note(form),
        password_name,
        password_note,
        asks_password: connect.asking != Asking::Nothing,
        kind: kind(form),
        shape: match engine {
            _ if !form.has_fields() => Shape::UrlOnly,
            Engine::Sqlite => Shape::File,
            _ => Shape::Server,
        },
        test: test(state),
    }
}

/// A login that was refused has its way out on this page.
fn told(state: &State, failure: &Failure) -> (String, Option<String>) {
    let (text, hint) = sentences(failure);
    match state.connect.asking {
        Asking::Password => (text, Some(say!("connect-type-password"))),
        Asking::Passphrase => (text, Some(say!("connect-type-passphrase"))),
        Asking::Nothing => (text, hint),
    }
}

fn sentences(failure: &Failure) -> (String, Option<String>) {
    (
        sentence(&failure.text),
        failure.hint.as_deref().map(sentence),
    )
}

/// A sentence of another place, with a capital where it begins with a word.
pub fn sentence(text: &str) -> String {
    let first_word = text.split(' ').next().unwrap_or_default();
    if !first_word.chars().all(|c| c.is_ascii_lowercase()) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

fn sections(state: &State) -> Vec<Section> {
    let items = connect_items(state);
    let lines = |wanted: fn(&Item) -> bool| -> Vec<Line> {
        let items = items.iter().filter(|item| wanted(item));
        items.filter_map(|item| line(state, item)).collect()
    };
    let nothing = match &state.connect.broken {
        Some(why) => say!("connect-broken-here", why = shown(why, 300)),
        None => say!("connect-nothing-saved"),
    };
    let all = [
        (
            say!("connect-here"),
            lines(|item| matches!(item, Item::Open(_) | Item::Demo)),
            None,
        ),
        (
            say!("connect-found"),
            lines(|item| matches!(item, Item::Found(_))),
            None,
        ),
        (
            say!("connect-saved-ones"),
            lines(|item| matches!(item, Item::Saved(_))),
            Some(nothing),
        ),
        (
            say!("connect-recent-ones"),
            lines(|item| matches!(item, Item::Recent(_))),
            None,
        ),
    ];
    let all = all.into_iter().map(|(title, items, nothing)| Section {
        title,
        nothing: nothing.filter(|_| items.is_empty()),
        items,
    });
    all.filter(|section| !section.items.is_empty() || section.nothing.is_some())
        .collect()
}

fn line(state: &State, item: &Item) -> Option<Line> {
    let connect = &state.connect;
    let mut line = Line {
        item: item.clone(),
        title: String::new(),
        about: String::new(),
        note: String::new(),
        icon: ("mark", "store"),
        colour: Colour::Plain,
        is_production: false,
        is_chosen: connect.chosen.as_ref() == Some(item),
        can_remove: matches!(item, Item::Saved(_) | Item::Recent(_)),
    };
    match item {
        Item::Open(id) => {
            let all = state.open_stores();
            let (_, connection) = all.into_iter().find(|(known, _)| known == id)?;
            open_line(&mut line, state, *id, connection);
        }
        Item::Demo => {
            line.title = say!("stores-demo");
            line.about = say!("connect-demo-about");
            line.icon = ("nav", "lab");
        }
        Item::Found(name) => {
            let found = connect.found.iter().find(|found| found.name == *name)?;
            line.title = shown(name, 60);
            line.about = match found.url.as_str() {
                "postgres://" => say!("connect-as-psql"),
                url => address_of(url),
            };
            (line.icon, line.note) = match found.place {
                Place::Variable => (("act", "terminal"), say!("connect-of-environment")),
                Place::Service => (("act", "file"), "pg_service".to_owned()),
            };
        }
        Item::Saved(name) => kept_line(&mut line, connect.book.named(name)?, state.clock.here),
        Item::Recent(url) => {
            let known = connect.book.find(&Who::Url(url.clone()))?;
            kept_line(&mut line, known, state.clock.here);
            line.icon = ("act", "clock");
        }
    }
    Some(line)
}

fn open_line(line: &mut Line, state: &State, id: u64, connection: &Connection) {
    let page = match id == state.stores.current {
        true => state.keys.page.as_ref(),
        false => {
            let mut parked = state.stores.parked.iter();
            let found = parked.find(|parked| parked.id == id);
            found.and_then(|parked| parked.areas.keys.page.as_ref())
        }
    };
    let records = page.map_or(0, |page| page.all.total);
    line.title = connection_name(connection);
    let is_demo = connection
        .store
        .value()
        .is_some_and(|opened| opened.is_demo);
    line.about = match is_demo {
        true => say!("connect-open-demo", count = records),
        false => say!("common-records", count = records),
    };
    line.note = say!("connect-open-now");
    line.colour = connection.kept.colour;
    line.is_production = connection.kept.is_production;
    if is_demo {
        line.icon = ("nav", "lab");
    }
}

fn kept_line(line: &mut Line, kept: &crate::config::Connection, now: Timestamp) {
    let address = address_of(&kept.url);
    match &kept.name {
        Some(name) => {
            line.title = shown(name, 60);
            line.about = address;
        }
        None => {
            line.title = address;
            line.about = scheme_of(&kept.url).to_owned();
        }
    }
    // What leads somewhere else than the address says.
    let options = &kept.options;
    let ssh = options.ssh.as_deref();
    let ways = ssh.map(|host| format!("SSH {}", shown(host, 60)));
    let replica = options.says("--replica").then(|| say!("top-replica"));
    for way in ways.into_iter().chain(replica) {
        line.about = format!("{} · {way}", line.about);
    }
    line.colour = kept.colour;
    line.is_production = kept.is_production;
    let ago = kept.opened.map(|at| at.until(now));
    line.note = ago.map(span::column).unwrap_or_default();
}

pub fn scheme_of(url: &str) -> &str {
    url.split_once(':').map_or(url, |(scheme, _)| scheme)
}

/// The address without what every address has.
fn address_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.strip_prefix("sqlite:").unwrap_or(rest);
    let rest = rest.split_once('@').map_or(rest, |(_, host)| host);
    shown(rest.split('?').next().unwrap_or(rest), 120)
}

fn test(state: &State) -> TestData {
    let test = &state.connect.test;
    match test.phase() {
        Phase::Idle => TestData::Nothing,
        Phase::Loading => TestData::Running,
        Phase::Failed(failure) => {
            let (text, hint) = told(state, failure);
            TestData::Failed(text, hint)
        }
        Phase::Ready => match test.value() {
            Some(tested) => {
                use super::tested::{lines, settings};
                TestData::Found(lines(tested), settings(tested))
            }
            None => TestData::Nothing,
        },
    }
}

/// Whether the text of the field is a name, not an address.
pub fn is_name(form: &ConnectForm) -> bool {
    !form.url().is_empty() && !is_address(form.url())
}

#[cfg(test)]
mod tests;
