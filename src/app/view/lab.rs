//! What the lab shows of its runs, worked out for the frame.

use crate::app::state::{LabStore, Side, SidePhase, State};
use crate::app::update::WhyNot;
pub use crate::app::update::{is_changed, why_not_open};
pub use crate::lab::counters::View as ClientView;
pub use crate::lab::fleet::{Delay, FleetView, Keys, Patience as FleetPatience, Plan, SECONDS};
pub use crate::lab::pairs::{Pick, choices};
pub use crate::lab::run::NotRun;
use crate::lab::run::{Miss, Wish};
use crate::lab::scenario;
pub use crate::lab::scenario::{Scenario, Variant};
pub use crate::lab::switches::Switches;
pub use crate::lab::switches::table::{Switch, TIMES, Time, all as all_switches};
pub use crate::lab::trace::says::{actor_word, label};
pub use crate::lab::trace::{
    Also, Axis, Bar, Entry, Kind, Lane, Mail, Message, Moment, Placed, Row, RowState, Says, Trace,
};
pub use crate::lab::world::Actor;
use crate::present::escape;
use crate::present::say::say;

/// Lab time stands for so many times as much: 20 seconds for a day.
pub const STANDS_FOR: u64 = 4_320;

/// Which servers the lab starts for what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnServers {
    None,
    Redis,
    /// And PostgreSQL behind it, unless an open one is used.
    Both,
}

pub fn own_servers(state: &State) -> OwnServers {
    let sides = state.lab.sides.iter();
    let servers = sides.filter_map(|side| side.variant.server.as_ref());
    servers.fold(OwnServers::None, |known, server| {
        match server.with_postgres {
            true => OwnServers::Both,
            false if known == OwnServers::None => OwnServers::Redis,
            false => known,
        }
    })
}

/// The open PostgreSQL takes part beside a Redis of the lab's own.
fn has_open_postgres(state: &State) -> bool {
    let opened = state.connection.store.value();
    let is_postgres = opened.is_some_and(|opened| opened.product.starts_with("PostgreSQL"));
    state.lab.place == LabStore::Open && is_postgres
}

/// Where the records of a run stand.
pub fn lab_store_word(state: &State) -> String {
    match (own_servers(state), state.lab.place) {
        (OwnServers::Both, _) if has_open_postgres(state) => {
            let name = super::connection_name(&state.connection);
            say!("lab-store-beside", store = name)
        }
        (OwnServers::None, LabStore::Own) => say!("lab-store-own"),
        (OwnServers::None, LabStore::Open) => super::connection_name(&state.connection),
        _ => say!("lab-store-servers"),
    }
}

/// The same in a sentence.
pub fn lab_store_place(state: &State) -> String {
    match (own_servers(state), state.lab.place) {
        (OwnServers::Both, _) if has_open_postgres(state) => {
            let name = super::connection_name(&state.connection);
            say!("lab-store-beside-place", store = name)
        }
        (OwnServers::None, LabStore::Own) => say!("lab-store-own-file"),
        (OwnServers::None, LabStore::Open) => super::connection_name(&state.connection),
        (OwnServers::Redis, _) => say!("lab-store-own-redis"),
        (OwnServers::Both, _) => say!("lab-store-own-both"),
    }
}

/// Why the open store is not for the lab, as a sentence.
pub fn why_not_open_words(state: &State) -> Option<String> {
    Some(match why_not_open(state)? {
        WhyNot::NoneOpen => say!("lab-store-none"),
        WhyNot::Production => say!("lab-store-production"),
        WhyNot::Demo | WhyNot::File => say!("lab-store-file"),
    })
}

/// Whether there is a scenario of this id.
pub fn has_scenario(id: &str) -> bool {
    let all = scenario::all().unwrap_or_default();
    all.iter().any(|scenario| scenario.id == id)
}

/// What a side came to.
pub enum Verdict {
    /// It runs, or was never run.
    Open,
    AsExpected,
    /// What was missed, a sentence each.
    Missed(Vec<String>),
    /// Its switches are others than the scenario's: nothing is expected.
    Changed,
    Failed(String),
}

pub fn verdict(state: &State, side: &Side) -> Verdict {
    match &side.phase {
        SidePhase::Failed(why) => Verdict::Failed(not_run_words(why)),
        SidePhase::Ended(_) if is_changed(&state.lab, side) => Verdict::Changed,
        SidePhase::Ended(outcome) if outcome.missed.is_empty() => Verdict::AsExpected,
        SidePhase::Ended(outcome) => {
            Verdict::Missed(outcome.missed.iter().map(miss_words).collect())
        }
        SidePhase::Idle | SidePhase::Starting | SidePhase::Running => Verdict::Open,
    }
}

fn miss_words(miss: &Miss) -> String {
    let (name, found) = (&miss.name, &miss.found);
    match &miss.wanted {
        Wish::Exactly(wanted) => {
            say!(
                "lab-miss-exactly",
                name = name,
                found = found,
                wanted = wanted
            )
        }
        Wish::Within(wanted) => {
            say!(
                "lab-miss-within",
                name = name,
                found = found,
                wanted = wanted
            )
        }
    }
}

/// Why a side did not run, or not to its end.
pub fn not_run_words(why: &NotRun) -> String {
    match why {
        NotRun::OtherStore(stores) => {
            let names = stores.split(" or ").map(|name| match name {
                "redis" => "Redis",
                "postgres" => "PostgreSQL",
                "sqlite" => "SQLite",
                other => other,
            });
            let names: Vec<&str> = names.collect();
            say!("lab-other-store", stores = names.join(", "))
        }
        NotRun::Missing(why) | NotRun::Failed(why) => escape::shown(why, 300),
    }
}

/// The cursor has come to the end of what was run.
pub fn is_at_end(state: &State) -> bool {
    state.lab.has_ended() && state.lab.cursor.at >= state.lab.axis.end() - 0.5
}
