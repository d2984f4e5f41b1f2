//! What can be opened, in the order of the lists: the page of connecting and the menu of stores.

use crate::app::state::{Connection, Item, State, StoreId};
use crate::config;
use crate::config::connections::DEMO;
use crate::present::escape;
use crate::present::say::say;

/// Whether it is open, under its name and by its way.
fn is_among(open: &[(StoreId, &Connection)], known: &config::Connection) -> bool {
    let mut all = open.iter().map(|(_, connection)| connection.asked());
    all.any(|asked| asked.name == known.name && asked.leads_where(known))
}

/// The items of the page: open stores, what was found, what is kept.
pub fn connect_items(state: &State) -> Vec<Item> {
    let open = state.open_stores();
    let is_open = |known: &config::Connection| is_among(&open, known);
    let mut items: Vec<Item> = open.iter().map(|(id, _)| Item::Open(*id)).collect();
    if !is_open(&config::Connection::of_url(DEMO)) {
        items.push(Item::Demo);
    }
    let connect = &state.connect;
    items.extend(
        connect
            .found
            .iter()
            .map(|found| Item::Found(found.name.clone())),
    );
    // What is open stands above already.
    let book = &connect.book;
    let saved = book.saved().iter().filter(|known| !is_open(known));
    items.extend(saved.filter_map(|known| known.name.clone().map(Item::Saved)));
    let recent = book.recent().filter(|known| !is_open(known));
    items.extend(recent.map(|known| Item::Recent(known.place())));
    items
}

/// A line of the menu of stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MenuItem {
    Open(StoreId),
    Kept(Item),
    /// The page of connecting.
    Connect,
}

/// Kept connections in the menu; the page has them all.
const KEPT_MAX: usize = 10;

pub fn store_menu(state: &State) -> Vec<MenuItem> {
    let open = state.open_stores();
    let is_open = |known: &config::Connection| is_among(&open, known);
    let mut items: Vec<MenuItem> = open.iter().map(|(id, _)| MenuItem::Open(*id)).collect();
    let book = &state.connect.book;
    let saved = book.saved().iter().filter(|known| !is_open(known));
    let saved = saved.filter_map(|known| known.name.clone().map(Item::Saved));
    let recent = book.recent().filter(|known| !is_open(known));
    let recent = recent.map(|known| Item::Recent(known.place()));
    let mut kept: Vec<Item> = saved.chain(recent).take(KEPT_MAX).collect();
    if !is_open(&config::Connection::of_url(DEMO)) {
        kept.push(Item::Demo);
    }
    items.extend(kept.into_iter().map(MenuItem::Kept));
    items.push(MenuItem::Connect);
    items
}

/// What a store is called: its name, else its address.
pub fn connection_name(connection: &Connection) -> String {
    if let Some(name) = &connection.kept.name {
        return escape::shown(name, 80);
    }
    match connection.store.value() {
        Some(opened) if opened.is_demo => say!("stores-demo"),
        Some(opened) => escape::shown(&opened.label, 80),
        None => escape::shown(&connection.kept.url, 80),
    }
}
