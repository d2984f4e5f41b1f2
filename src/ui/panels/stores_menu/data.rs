//! What the menu of stores says.

use crate::app::State;
use crate::app::state::{Connection, Item, OPEN_MAX};
use crate::app::view::{MenuItem, connection_name, store_menu};
use crate::config::{Colour, Who};
use crate::present::count::{self, Font};
use crate::present::escape::shown;
use crate::present::say::say;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MenuData {
    pub lines: Vec<MenuLine>,
    /// Some lines have the mark of a connection.
    pub has_marks: bool,
    /// No more can be opened.
    pub full: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MenuLine {
    pub item: MenuItem,
    pub title: String,
    pub note: String,
    pub icon: (&'static str, &'static str),
    pub colour: Colour,
    pub is_production: bool,
    /// The keyboard is here.
    pub is_chosen: bool,
    /// A hairline parts it from what is above.
    pub starts_group: bool,
    pub can_close: bool,
}

pub fn menu_data(state: &State) -> MenuData {
    let items = store_menu(state);
    let mut lines: Vec<MenuLine> = Vec::new();
    for (at, item) in items.into_iter().enumerate() {
        let kind = |item: &MenuItem| std::mem::discriminant(item);
        let starts_group = lines
            .last()
            .is_some_and(|last| kind(&last.item) != kind(&item));
        let mut line = MenuLine {
            title: String::new(),
            note: String::new(),
            icon: ("mark", "store"),
            colour: Colour::Plain,
            is_production: false,
            is_chosen: at == state.stores.chosen,
            starts_group,
            can_close: matches!(item, MenuItem::Open(_)),
            item,
        };
        fill(&mut line, state);
        lines.push(line);
    }
    let open = state.open_stores().len();
    let is_marked = |line: &MenuLine| line.is_production || line.colour != Colour::Plain;
    MenuData {
        has_marks: lines.iter().any(is_marked),
        full: (open >= OPEN_MAX).then(|| say!("stores-full", count = OPEN_MAX)),
        lines,
    }
}

fn fill(line: &mut MenuLine, state: &State) {
    match line.item.clone() {
        MenuItem::Open(id) => {
            let all = state.open_stores();
            let found = all.into_iter().find(|(known, _)| *known == id);
            if let Some((id, connection)) = found {
                open(line, state, id, connection);
            }
        }
        MenuItem::Kept(item) => kept(line, state, &item),
        MenuItem::Connect => {
            line.title = say!("stores-connect");
            line.icon = ("act", "plug");
            line.note = crate::app::Named::Connect.shortcut().text();
        }
    }
}

fn open(line: &mut MenuLine, state: &State, id: u64, connection: &Connection) {
    line.title = connection_name(connection);
    line.colour = connection.kept.colour;
    line.is_production = connection.kept.is_production;
    let is_demo = connection
        .store
        .value()
        .is_some_and(|opened| opened.is_demo);
    if is_demo {
        line.icon = ("nav", "lab");
    }
    let page = match id == state.stores.current {
        true => state.keys.page.as_ref(),
        false => {
            let mut parked = state.stores.parked.iter();
            let found = parked.find(|parked| parked.id == id);
            found.and_then(|parked| parked.areas.keys.page.as_ref())
        }
    };
    line.note = match (connection.lost.is_some(), page) {
        (true, _) => say!("stores-lost"),
        (false, Some(page)) => count::short(page.all.total, Font::Mono),
        _ => String::new(),
    };
    if id == state.stores.current {
        line.icon = ("act", "check");
    }
}

fn kept(line: &mut MenuLine, state: &State, item: &Item) {
    let book = &state.connect.book;
    let found = match item {
        Item::Saved(name) => book.named(name),
        Item::Recent(url) => book.find(&Who::Url(url.clone())),
        _ => None,
    };
    line.icon = match item {
        Item::Demo => ("nav", "lab"),
        Item::Recent(_) => ("act", "clock"),
        _ => ("mark", "store"),
    };
    match found {
        Some(kept) => {
            let title = kept.name.as_deref().unwrap_or(&kept.url);
            line.title = shown(title, 60);
            line.colour = kept.colour;
            line.is_production = kept.is_production;
        }
        None => line.title = say!("stores-demo"),
    }
}
