//! Selecting rows of the view, and copying what is selected.

use crate::app::command::{CopyAs, SelectCommand};
use crate::app::effect::Effect;
use crate::app::state::{Page, Place, Selection, State};
use crate::app::view;
use crate::inspect::catalogue::RowId;
use crate::layouts::{Place as SourcePlace, Source};
use crate::present::copy;
use crate::present::say::say;
use crate::present::words::Standing;

/// Records put into the clipboard at once.
const COPIED_MAX: usize = 10_000;

pub fn command(state: &mut State, command: SelectCommand) -> Vec<Effect> {
    match command {
        SelectCommand::Toggle(place) => toggle(state, place),
        SelectCommand::ToggleCursor => {
            if let Some(place) = view::cursor(state) {
                toggle(state, place);
                // From now on the cursor stays with its row.
                return point_at(state, place);
            }
        }
        SelectCommand::ExtendTo(place) => extend(state, place),
        SelectCommand::ExtendBy(by) => {
            let rows = view::rows(state).len() as u64;
            if let Some(place) = by.from(view::cursor(state), rows) {
                extend(state, place);
                return point_at(state, place);
            }
        }
        SelectCommand::All => {
            if let Some((scan, rows)) = listed(state) {
                state.selection.add(scan, rows.iter().copied());
            }
        }
        SelectCommand::AllStuck => all_stuck(state),
        SelectCommand::None => state.selection = Selection::default(),
        SelectCommand::Copy(form) => return copy_as(state, form),
    }
    Vec::new()
}

fn listed(state: &State) -> Option<(u64, std::sync::Arc<[RowId]>)> {
    let page = state.keys.page.as_ref()?;
    if state.view.place == Place::Locks && !view::lists_locks(state) {
        return None;
    }
    Some((page.scan, view::rows_of(page, state.view.place)))
}

fn all_stuck(state: &mut State) {
    let now = state.now();
    let Some(page) = state.keys.page.clone() else {
        return;
    };
    let is_stuck = |id: &&RowId| {
        let row = page.snapshot.row(**id);
        row.is_some_and(|row| row.standing(now) == Standing::Stuck)
    };
    let rows = view::rows_of(&page, state.view.place);
    let stuck: Vec<RowId> = rows.iter().filter(is_stuck).copied().collect();
    state.selection = Selection::default();
    state.selection.add(page.scan, stuck);
}

fn toggle(state: &mut State, place: u64) {
    let Some((scan, rows)) = listed(state) else {
        return;
    };
    let row = usize::try_from(place).ok().and_then(|at| rows.get(at));
    if let Some(row) = row {
        state.selection.toggle(scan, *row);
        state.selection.anchor = Some(*row);
    }
}

fn extend(state: &mut State, place: u64) {
    let Some((scan, rows)) = listed(state) else {
        return;
    };
    let Ok(place) = usize::try_from(place) else {
        return;
    };
    // Rows that came since may have moved it.
    let known = state
        .selection
        .anchor
        .filter(|_| state.selection.scan == scan);
    let anchor = known.and_then(|row| rows.iter().position(|listed| *listed == row));
    let cursor = view::cursor(state).and_then(|at| usize::try_from(at).ok());
    let anchor = anchor.or(cursor).unwrap_or(place);
    let last = anchor.max(place).min(rows.len().saturating_sub(1));
    if let Some(range) = rows.get(anchor.min(place)..=last) {
        state.selection.add(scan, range.iter().copied());
    }
    state.selection.anchor = rows.get(anchor).copied();
}

fn point_at(state: &mut State, place: u64) -> Vec<Effect> {
    match state.view.place {
        Place::Locks => {
            super::locks::command(state, crate::app::command::LocksCommand::PointAt(place))
        }
        _ => super::keys::command(state, crate::app::command::KeysCommand::PointAt(place)),
    }
}

/// The rows that are selected, else the one under the cursor.
pub fn meant(state: &State) -> Option<(&Page, Vec<RowId>)> {
    if state.view.place == Place::Locks && !view::lists_locks(state) {
        return None;
    }
    let page = state.keys.page.as_deref()?;
    let selection = &state.selection;
    if !selection.is_empty() && selection.scan == page.scan {
        return Some((page, selection.rows().collect()));
    }
    let (_, row) = view::cursor_row(state)?;
    Some((page, vec![row]))
}

fn copy_as(state: &mut State, form: CopyAs) -> Vec<Effect> {
    let now = state.now();
    let Some((page, rows)) = meant(state) else {
        return Vec::new();
    };
    let count = rows.len().min(COPIED_MAX);
    let found = rows
        .iter()
        .take(COPIED_MAX)
        .filter_map(|id| page.snapshot.row(*id));
    let lines: Vec<String> = found
        .map(|row| (row.record(), row.source()))
        .map(|(record, source)| match form {
            CopyAs::Key => copy::key(&record),
            CopyAs::Json => copy::json(&record, now),
            CopyAs::Curl => copy::curl(&record),
            CopyAs::Command => copy::command(&record, &read(source)),
        })
        .collect();
    let mut said = match form {
        CopyAs::Key => say!("copied-keys", count = count),
        CopyAs::Json => say!("copied-json", count = count),
        CopyAs::Curl => say!("copied-curl", count = count),
        CopyAs::Command => say!("copied-commands", count = count),
    };
    let left = rows.len() - count;
    if left > 0 {
        said = format!("{said}, {}", say!("copied-left-out", count = left));
    }
    let notice = super::notice(state, said);
    vec![Effect::Copy(lines.join("\n")), notice]
}

fn read(source: &Source) -> copy::Read {
    let is_hash = source.layout.spec().redis.as_ref();
    let is_hash = is_hash.is_some_and(|redis| redis.hash.is_some() && redis.string.is_none());
    copy::Read {
        verb: if is_hash { "HGETALL" } else { "GET" },
        columns: match &source.place {
            SourcePlace::Table(table) => table.key.iter().map(|(name, _)| name.clone()).collect(),
            SourcePlace::Keys(_) => Vec::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::command::{Command, Move};
    use crate::app::state::Grouping;
    use crate::app::tests::{self as testing, Told};
    use crate::app::update;
    use crate::domain::{Duration, Timestamp};

    const NOW: Timestamp = Timestamp(3_600_000);

    fn state() -> State {
        let told = [9, 5, 1].map(|minutes| Told {
            operation: "POST /payments",
            locked_at: Some(NOW.minus(Duration::secs(minutes * 60))),
        });
        let mut state = testing::locks(&told, None, Grouping::Flat, NOW);
        state.locks.shows_held = true;
        state
    }

    fn send(state: &mut State, command: SelectCommand) -> Vec<Effect> {
        update::command(state, Command::Select(command))
    }

    fn copied(effects: &[Effect]) -> &str {
        match effects.first() {
            Some(Effect::Copy(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_lock_that_is_not_listed_is_not_meant() {
        let mut state = state();
        state.locks.shows_held = false;
        assert!(meant(&state).is_none());
        send(&mut state, SelectCommand::All);
        assert!(state.selection.is_empty());
    }

    #[test]
    fn rows_are_selected_extended_and_copied() {
        let mut state = state();
        assert_eq!(
            copied(&send(&mut state, SelectCommand::Copy(CopyAs::Key))),
            "key-0"
        );
        send(&mut state, SelectCommand::ToggleCursor);
        send(&mut state, SelectCommand::ExtendBy(Move::By(1)));
        assert_eq!((state.selection.len(), state.locks.cursor), (2, Some(1)));
        let effects = send(&mut state, SelectCommand::Copy(CopyAs::Key));
        assert_eq!(copied(&effects), "key-0\nkey-1");
        send(&mut state, SelectCommand::All);
        assert_eq!(state.selection.len(), 3);
        send(&mut state, SelectCommand::Toggle(1));
        assert_eq!(state.selection.len(), 2);
        send(&mut state, SelectCommand::None);
        assert!(state.selection.is_empty());
    }

    #[test]
    fn a_copy_as_curl_repeats_the_request() {
        let mut state = state();
        let effects = send(&mut state, SelectCommand::Copy(CopyAs::Curl));
        assert!(copied(&effects).contains("-X POST"), "{effects:?}");
    }
}
