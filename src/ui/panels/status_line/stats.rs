//! What the status line says under retry statistics: which window, whether the log is whole.

use super::data::Work;
use crate::app::State;
use crate::app::command::Named;
use crate::app::view;
use crate::domain::Timestamp;
use crate::present::clock;
use crate::present::say::say;

pub fn lead(state: &State) -> (Work, String) {
    let stats = &state.stats;
    if let Some(failure) = stats.told.failure() {
        return (Work::Failed, failure.text.clone());
    }
    let Some(told) = view::stats_told(state) else {
        return match stats.so_far {
            0 => (Work::Turning, say!("stats-reading")),
            count => (Work::Turning, say!("stats-so-far", count = count)),
        };
    };
    let at = |ms: i64| {
        let text = clock::time_of_day(Timestamp(ms), state.now(), state.clock.offset);
        // To the minute: the window slides with every look.
        let minute = text.rsplit_once(':').map(|(minute, _)| minute.to_owned());
        minute.unwrap_or(text)
    };
    let (from, to) = (told.report.span.from, told.now.min(told.report.span.to));
    let words = say!("stats-window-of", from = at(from), to = at(to));
    let work = if stats.told.is_loading() {
        Work::Turning
    } else {
        Work::Done
    };
    (work, words)
}

pub fn parts(state: &State) -> Vec<String> {
    let Some(told) = view::stats_told(state) else {
        return Vec::new();
    };
    let mut parts = Vec::new();
    let log = match (told.complete, told.report.sampled) {
        _ if told.logs.places.is_empty() => say!("stats-why-no-log"),
        (true, None) => say!("stats-log-whole"),
        (true, Some(_)) => say!("stats-log-sampled"),
        (false, _) => say!("stats-log-partly"),
    };
    parts.push(log);
    let defects: u64 = told.report.defects.iter().sum();
    if defects > 0 {
        parts.push(say!("stats-defects", count = defects));
    }
    parts.push(match &told.beside.evictions.value {
        Ok(counts) => match counts.evicted {
            Some(evicted) => say!("stats-evicted", count = evicted),
            None => say!("stats-evictions-why", why = say!("stats-why-no-rights")),
        },
        Err(why) => say!("stats-evictions-why", why = view::stats_words::why(*why)),
    });
    parts
}

pub fn keys() -> Vec<(String, String)> {
    let key = |named: Named, word| (named.shortcut().text(), word);
    vec![
        ("← →".to_owned(), say!("status-key-window")),
        key(Named::StatsKeys, say!("status-key-behind")),
        key(Named::StatsExport, say!("status-key-export")),
        key(Named::KeysPage, say!("status-key-all-keys")),
    ]
}
