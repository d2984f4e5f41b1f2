//! Keys area: reading the store, asking which rows are shown, moving among them.

mod order;

use std::sync::Arc;

use crate::app::command::{ConnectCommand, KeysCommand, Move};
use crate::app::effect::{Effect, Keep, KeysEffect, Question, WantedFindings};
use crate::app::event::{Event, KeysEvent};
use crate::app::remote::Failure;
use crate::app::state::{
    LIVE_RECORDS_MAX, LIVE_REST, LockList, Marks, Page, Place, Running, State, judge,
};
use crate::app::view;
use crate::inspect::scan::ScanView;

pub fn command(state: &mut State, command: KeysCommand) -> Vec<Effect> {
    match command {
        KeysCommand::FocusFilter => {
            state.view.place = Place::Keys;
            state.view.focus_filter += 1;
            Vec::new()
        }
        KeysCommand::FilterTyped(text) => {
            if state.keys.filter == text {
                return Vec::new();
            }
            state.keys.filter = text;
            ask_again(state)
        }
        KeysCommand::ClearFilter => {
            state.keys.filter.clear();
            state.keys.standing = None;
            ask_again(state)
        }
        KeysCommand::DropList => super::stats::drop_list(state),
        KeysCommand::DropLastTerm => {
            state.keys.filter = view::without_last_term(&state.keys.filter);
            ask_again(state)
        }
        KeysCommand::Chip(standing) => {
            let same = state.keys.standing == standing;
            state.keys.standing = if same { None } else { standing };
            ask_again(state)
        }
        KeysCommand::SortBy(field) => {
            state.keys.order = order::next(state.keys.order, field);
            ask_again(state)
        }
        KeysCommand::Move(step) => go(state, step),
        KeysCommand::PointAt(row) => point_at(state, row),
        KeysCommand::ReadAgain if state.connection.lost.is_some() => {
            super::connect::command(state, ConnectCommand::TryNow)
        }
        KeysCommand::ReadAgain if nothing_found(state) => {
            super::connect::command(state, ConnectCommand::LookAgain)
        }
        KeysCommand::ReadAgain if state.view.place == Place::Stats => super::stats::begin(state),
        KeysCommand::ReadAgain => read_again(state),
        KeysCommand::ToggleFindings => {
            state.keys.are_findings_open = !state.keys.are_findings_open;
            Vec::new()
        }
        KeysCommand::StopScan => {
            state.keys.scan.running = Running::No;
            vec![Effect::Keys(KeysEffect::StopScan)]
        }
    }
}

fn go(state: &mut State, step: Move) -> Vec<Effect> {
    match step.from(state.keys.cursor, state.keys.rows()) {
        Some(row) => point_at(state, row),
        None => Vec::new(),
    }
}

fn point_at(state: &mut State, row: u64) -> Vec<Effect> {
    if row >= state.keys.rows() {
        return Vec::new();
    }
    state.keys.cursor = Some(row);
    state.keys.is_cursor_placed = true;
    state.keys.reveal += 1;
    super::record::follow(state)
}

/// The question has changed: the newest wins.
pub fn ask_again(state: &mut State) -> Vec<Effect> {
    state.keys.question += 1;
    look(state)
}

fn look(state: &mut State) -> Vec<Effect> {
    let keep = keep_of(state, Place::Keys, state.keys.is_cursor_placed);
    let keep_lock = keep_of(state, Place::Locks, state.locks.is_cursor_placed);
    let grouping = state.locks.grouping;
    let locks = same_locks(state);
    let terms = state.connection.overrides.clone();
    let now = state.now();
    let here = state.clock.here;
    let selected = state.selection.clone();
    let findings = wanted_findings(state);
    let keys = &mut state.keys;
    let scan = keys.snapshot_scan;
    let before = keys.page.clone().filter(|page| page.scan != scan);
    let Some(snapshot) = keys.snapshot.clone() else {
        return Vec::new();
    };
    keys.asked = Some(keys.question);
    keys.stale = false;
    vec![Effect::Keys(KeysEffect::Look(Box::new(Question {
        number: keys.question,
        scan: keys.snapshot_scan,
        snapshot,
        filter: keys.filter.clone(),
        list: keys.list.clone(),
        standing: keys.standing,
        order: keys.order,
        keep,
        grouping,
        locks,
        keep_lock,
        terms,
        before,
        selected,
        findings,
        read: now.plus(here.until(keys.scan.read_at.unwrap_or(here))),
        now,
    })))]
}

fn wanted_findings(state: &State) -> WantedFindings {
    let keys = &state.keys;
    if !keys.scan.progress.done || keys.scan.running == Running::First {
        return WantedFindings::Later;
    }
    let bodies = keys.bodies.clone();
    if let (Some(page), Some(snapshot)) = (&keys.page, &keys.snapshot) {
        let is_same = page.scan == keys.snapshot_scan
            && page.snapshot.len() == snapshot.len()
            && page.terms == state.connection.overrides
            && page.findings_of.as_ref() == Some(&bodies);
        if is_same {
            return WantedFindings::Same(page.clone());
        }
    }
    let opened = state.connection.store.value();
    let eviction = opened.and_then(|opened| opened.eviction.clone());
    WantedFindings::Anew { eviction, bodies }
}

fn keep_of(state: &State, place: Place, is_placed: bool) -> Keep {
    let row = view::cursor_row_in(state, place).filter(|_| is_placed);
    let Some((page, id)) = row else {
        return Keep::Nothing;
    };
    match page.snapshot.row(id) {
        // Rows of one reading only ever come in.
        Some(_) if page.scan == state.keys.snapshot_scan => Keep::Row(id),
        Some(row) => Keep::Address(row.address_text()),
        None => Keep::Nothing,
    }
}

/// The list of locks that is there, where another one would be the same.
fn same_locks(state: &State) -> Option<Arc<LockList>> {
    let (page, snapshot) = (state.keys.page.as_ref()?, state.keys.snapshot.as_ref()?);
    let is_same = page.scan == state.keys.snapshot_scan
        && page.snapshot.len() == snapshot.len()
        && page.locks.grouping == state.locks.grouping
        && page.terms == state.connection.overrides;
    is_same.then(|| page.locks.clone())
}

fn nothing_found(state: &State) -> bool {
    let opened = state.connection.store.value();
    opened.is_some_and(|opened| opened.sources.is_empty())
}

/// Reads the store again, unless it is being read.
pub fn read_again(state: &mut State) -> Vec<Effect> {
    let is_open = state
        .connection
        .store
        .value()
        .is_some_and(|opened| !opened.sources.is_empty());
    if !is_open || state.keys.scan.running != Running::No || state.connection.lost.is_some() {
        return Vec::new();
    }
    scan(state)
}

/// Reads what was changed; a reading that is under way may have passed it, so another follows it.
pub fn read_after_change(state: &mut State) -> Vec<Effect> {
    state.keys.scan.is_owed = state.keys.scan.running != Running::No;
    read_again(state)
}

/// A store that waited behind another one is shown again: what it missed is read.
pub fn wake(state: &mut State) -> Vec<Effect> {
    let Some(opened) = state.connection.store.value() else {
        return Vec::new();
    };
    let is_demo = opened.is_demo;
    // What was stopped stays stopped.
    let is_live = live_every_ms(state).is_some() && state.keys.scan.progress.done;
    let mut effects = match is_live || state.keys.scan.is_owed {
        true => read_again(state),
        false => Vec::new(),
    };
    if is_demo {
        effects.push(super::connect::demo_later(state));
    }
    effects
}

pub fn scan(state: &mut State) -> Vec<Effect> {
    let has_page = state.keys.page.is_some();
    let here = state.clock.here;
    let scan = &mut state.keys.scan;
    scan.began_at = Some(here);
    scan.generation += 1;
    scan.is_owed = false;
    scan.running = if has_page {
        Running::Again
    } else {
        Running::First
    };
    vec![Effect::Keys(KeysEffect::Scan {
        generation: scan.generation,
    })]
}

pub fn event(state: &mut State, event: KeysEvent) -> Vec<Effect> {
    let current = state.keys.scan.generation;
    match event {
        KeysEvent::Scanned { generation, view } if generation == current => scanned(state, view),
        KeysEvent::ScanEnded {
            generation,
            view,
            failure,
        } if generation == current => scan_ended(state, view, failure),
        KeysEvent::Page { question, page } if question == state.keys.question => {
            page_came(state, page)
        }
        KeysEvent::Bodies { generation, bodies } if generation == current => {
            let is_new = state.keys.bodies.as_ref() != Some(&bodies);
            state.keys.bodies = Some(bodies);
            match is_new {
                true => ask_again(state),
                false => Vec::new(),
            }
        }
        KeysEvent::LiveDue { live } if live == state.keys.scan.live => read_again(state),
        // Answers to questions nobody asks any more.
        _ => Vec::new(),
    }
}

fn scanned(state: &mut State, view: Box<ScanView>) -> Vec<Effect> {
    let keys = &mut state.keys;
    keys.scan.progress = view.progress;
    if keys.scan.running != Running::First {
        return Vec::new();
    }
    keys.scan.read_at = Some(state.clock.here);
    new_rows(state, view.snapshot)
}

fn new_rows(state: &mut State, mut snapshot: crate::inspect::Snapshot) -> Vec<Effect> {
    if let Some(opened) = state.connection.store.value() {
        judge(&state.connection.overrides, &mut snapshot, &opened.terms);
    }
    state.keys.snapshot = Some(snapshot);
    state.keys.snapshot_scan = state.keys.scan.generation;
    // A look at a large store takes longer than the next rows: it is let finish.
    if state.keys.asked == Some(state.keys.question) {
        state.keys.stale = true;
        return Vec::new();
    }
    look(state)
}

fn scan_ended(state: &mut State, view: Box<ScanView>, failure: Option<Failure>) -> Vec<Effect> {
    let keys = &mut state.keys;
    let was = keys.scan.running;
    let complete = view.progress.done;
    keys.scan.running = Running::No;
    let mut effects = Vec::new();
    // A reading again that broke off must not hide rows that are still there.
    if complete || was == Running::First {
        keys.scan.progress = view.progress;
        keys.scan.read_at = Some(state.clock.here);
        effects = new_rows(state, view.snapshot);
    }
    state.keys.scan.failure = failure.clone();
    match failure {
        Some(failure) if failure.is_connection => {
            effects.extend(super::connect::lose(state, failure));
        }
        Some(failure) => effects.push(super::notice(state, failure.text)),
        None => {
            effects.extend(super::record::look_again(state));
            // What was stopped stays stopped.
            if complete {
                let scan = &mut state.keys.scan;
                let took = scan.began_at.map(|began| began.until(state.clock.here));
                scan.took_ms = took.map_or(0, |took| took.millis().max(0) as u64);
                effects.extend(live_later(state));
            }
        }
    }
    if std::mem::take(&mut state.keys.scan.is_owed) && complete {
        effects.extend(read_again(state));
    }
    effects
}

/// How long it is until a store is read again by itself, in milliseconds; nothing where it is not.
/// A large store is left alone for longer, so that reading it stays a small part of its work.
pub fn live_every_ms(state: &State) -> Option<u64> {
    let wanted = u64::from(state.settings.live_secs) * 1000;
    let records = state.keys.scan.progress.records;
    let rest = state.keys.scan.took_ms.saturating_mul(LIVE_REST);
    // To the second, since it is shown.
    let rest = rest.div_ceil(1000) * 1000;
    (wanted > 0 && records < LIVE_RECORDS_MAX).then(|| wanted.max(rest))
}

fn live_later(state: &mut State) -> Option<Effect> {
    // What was asked for before does not count any more.
    state.keys.scan.live += 1;
    let opened = state.connection.store.value()?;
    // The demo store is read again when its next record has come.
    if opened.is_demo {
        return None;
    }
    Some(Effect::Later {
        after_ms: live_every_ms(state)?,
        event: Box::new(Event::Keys(KeysEvent::LiveDue {
            live: state.keys.scan.live,
        })),
    })
}

/// Another pace was set.
pub fn pace_changed(state: &mut State) -> Vec<Effect> {
    let is_idle = state.keys.scan.running == Running::No && state.connection.lost.is_none();
    // A reading that is under way sets the pace when it ends.
    let later = is_idle.then(|| live_later(state)).flatten();
    later.into_iter().collect()
}

fn page_came(state: &mut State, page: Arc<Page>) -> Vec<Effect> {
    if let Some(since) = &page.since {
        if since.selected != state.selection {
            // More was selected meanwhile: where that is now has to be found as well.
            return look(state);
        }
        state.selection = state
            .selection
            .moved(page.scan, since.selected_now.iter().copied());
        state.keys.marks = Some(Marks {
            scan: page.scan,
            rows: since.changed.clone(),
            at: state.clock.here,
        });
    }
    let keys = &mut state.keys;
    keys.asked = None;
    let is_other = keys.answered != keys.question;
    keys.answered = keys.question;
    let rows = page.rows.len() as u64;
    keys.cursor = match (page.found, keys.cursor) {
        _ if rows == 0 => None,
        _ if !keys.is_cursor_placed => Some(0),
        (Some(found), _) => Some(found),
        (None, Some(row)) if !is_other => Some(row.min(rows - 1)),
        (None, _) => Some(0),
    };
    // Another question moves the rows; the list follows the cursor.
    keys.reveal += u64::from(is_other);
    keys.page = Some(page);
    super::locks::page_came(state);
    super::stats::page_came(state);
    let keys = &state.keys;
    if keys.stale { look(state) } else { Vec::new() }
}
