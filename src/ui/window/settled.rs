//! Whether all that was asked for is there.
//!
//! Apart from the window because each area that waits for something has a line here.

use crate::app::State;
use crate::app::state::{Running, Stage};

/// Free play has something to show after this.
const FREE_SECS: u64 = 6;

/// Whether nothing is on its way: what is shown is all there is for now.
pub fn is_settled(state: &State) -> bool {
    let keys = &state.keys;
    let is_read = keys.scan.running == Running::No && keys.asked.is_none();
    let told = state.stats.told.value();
    let is_told = !state.stats.told.is_loading() && told.is_none_or(|told| told.complete);
    let stage = state.repair.job.as_ref().map(|job| &job.stage);
    let opened = state.connection.store.value();
    let has_rows = keys.page.is_some()
        || keys.scan.failure.is_some()
        || opened.is_none_or(|opened| opened.sources.is_empty());
    !state.connection.store.is_loading()
        && state.opening().is_none()
        && state.connect.is_loaded
        && !state.connect.test.is_loading()
        && is_read
        && has_rows
        && !state.record.whole.is_loading()
        && !state.record.is_laying_out
        && !state.layouts.whole.is_loading()
        && is_told
        && !state.editor.subjects.is_loading()
        && !state.editor.sample.is_loading()
        && !state.editor.is_trying
        && !state.journal.list.is_loading()
        && !state.journal.run.is_loading()
        && !matches!(stage, Some(Stage::Making(_)))
        && !state.lab.is_under_way()
        && !(state.lab.free.is_at_work() && state.lab.free.view.secs < FREE_SECS)
}
