//! Reads the journal for the window.
//!
//! Bound: of the list only what its lines show is kept; a history is cut.

use std::path::Path;
use std::sync::Arc;

use super::Out;
use crate::app::effect::JournalEffect;
use crate::app::event::{Event, JournalEvent};
use crate::app::start::Reading;
use crate::app::state::{HistoryLine, RunFace, RunList};
use crate::domain::change::Outcome;
use crate::ops::journal::{Depth, Run, list, read};
use crate::stores::target::is_same_store;

/// Lines of a record's history.
const HISTORY_MAX: usize = 1000;

/// Carries one wish out; it waits for the disk.
pub(super) fn journal(effect: JournalEffect, reading: &Reading, out: &Out) {
    let folder = reading.journal.as_deref();
    let event = match effect {
        JournalEffect::List { generation } => JournalEvent::Listed {
            generation,
            list: Arc::new(folder.map(listed).unwrap_or_default()),
        },
        JournalEffect::Read { generation, run } => {
            let found = match folder {
                Some(folder) => read(folder, &run, Depth::Outcomes).map_err(|error| error.text),
                None => Err("there is no home folder for the journal".to_owned()),
            };
            let answer = found.map(Arc::new);
            JournalEvent::Read { generation, answer }
        }
        JournalEffect::History {
            generation,
            target,
            address,
        } => {
            let lines = folder.map(|folder| history(folder, &target, &address));
            let lines = Arc::new(lines.unwrap_or_default());
            JournalEvent::History { generation, lines }
        }
    };
    out.send_blocking(Event::Journal(event));
}

fn listed(folder: &Path) -> RunList {
    let (runs, wrong) = list(folder);
    let face = |run: Run| RunFace {
        tally: run.tally(),
        header: run.header,
        end: run.end,
        chain: run.chain,
    };
    RunList {
        runs: runs.into_iter().map(face).collect(),
        wrong: wrong.into_iter().map(|error| error.text).collect(),
    }
}

fn history(folder: &Path, target: &str, address: &str) -> Vec<HistoryLine> {
    let mut lines = Vec::new();
    let runs = list(folder).0;
    for run in runs
        .iter()
        .filter(|run| is_same_store(&run.header.target, target))
    {
        let header = &run.header;
        let mut add = |outcome, why: Option<&String>| {
            lines.push(HistoryLine {
                run: header.id.clone(),
                at: header.started_at,
                verb: header.verb,
                outcome,
                why: why.cloned(),
                by: header.by.clone(),
                reason: header.reason.clone(),
            });
        };
        let entries = run.entries.iter();
        for entry in entries.filter(|entry| entry.address_text == address) {
            add(
                entry.outcome.unwrap_or(Outcome::Unknown),
                entry.why.as_ref(),
            );
        }
        for left in run.left.iter().filter(|left| left.address == address) {
            add(left.outcome, Some(&left.why));
        }
        if lines.len() >= HISTORY_MAX {
            break;
        }
    }
    lines.truncate(HISTORY_MAX);
    lines
}
