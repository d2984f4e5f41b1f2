//! What the layouts view says: what was found, how sure that is, why, and one record decoded.

use std::path::PathBuf;

use crate::app::State;
use crate::app::state::{BrokenFile, SourceFace};
use crate::app::view::{self, Whole};
use crate::domain::stuck::judge;
use crate::present::count::{self, Font};
use crate::present::say::say;
use crate::present::{escape, span};
use crate::ui::panels::record::facts::{self, Fact};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayoutsData {
    /// Those that are sure, then the others; each with its place among the sources.
    pub found: Vec<FoundItem>,
    pub not_sure: Vec<FoundItem>,
    pub refused: Vec<RefusedItem>,
    /// Files of the user that are not taken.
    pub broken: Vec<BrokenItem>,
    pub looked_at: String,
    pub chosen: Option<ChosenSource>,
    pub sample: Option<Sample>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundItem {
    pub at: usize,
    pub layout: String,
    pub place: String,
    pub percent: String,
    pub count: String,
    pub is_off: bool,
    pub is_chosen: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedItem {
    pub place: String,
    pub resembles: String,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenItem {
    pub path: PathBuf,
    pub file: String,
    pub line: String,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenSource {
    pub layout: String,
    pub title: String,
    pub place: String,
    pub percent: String,
    pub reasons: Vec<String>,
    pub matched: String,
    pub is_off: bool,
    pub lease_told: String,
    pub retention_told: String,
}

/// One record: as it is stored and as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    pub title: String,
    pub address: String,
    pub words: Option<String>,
    pub facts: Vec<Fact>,
}

pub fn layouts_data(state: &State) -> LayoutsData {
    let Some(opened) = state.connection.store.value() else {
        return LayoutsData::default();
    };
    let items: Vec<(bool, FoundItem)> = opened
        .sources
        .iter()
        .enumerate()
        .map(|(at, source)| (source.is_sure, found_item(state, at, source)))
        .collect();
    let of = |sure: bool| {
        let fitting = items.iter().filter(|(is_sure, _)| *is_sure == sure);
        fitting.map(|(_, item)| item.clone()).collect()
    };
    let refused = opened.refused.iter().map(|refused| RefusedItem {
        place: escape::shown(&refused.place, 80),
        resembles: refused.resembles.clone(),
        why: escape::shown(&refused.why, 200),
    });
    let broken = opened.broken.iter().map(broken_item);
    LayoutsData {
        found: of(true),
        not_sure: of(false),
        refused: refused.collect(),
        broken: broken.collect(),
        looked_at: say!(
            "layouts-looked-at",
            count = opened.sampled,
            what = opened.sampled_word
        ),
        chosen: view::chosen_source(state).map(|source| chosen(state, source)),
        sample: view::chosen_source(state).and_then(|source| sample(state, source)),
    }
}

fn broken_item(broken: &BrokenFile) -> BrokenItem {
    let name = broken.path.file_name().unwrap_or(broken.path.as_os_str());
    BrokenItem {
        path: broken.path.clone(),
        file: escape::shown(&name.to_string_lossy(), 80),
        line: match broken.line {
            Some(line) => say!("editor-line-only", line = line.to_string()),
            None => String::new(),
        },
        why: escape::shown(&broken.why, 200),
    }
}

fn found_item(state: &State, at: usize, source: &SourceFace) -> FoundItem {
    let page = state.keys.page.as_ref();
    let counts = page.map(|page| &page.all.by_layout.counts);
    let only = state.connection.store.value().is_some_and(|opened| {
        let same = opened
            .sources
            .iter()
            .filter(|other| other.layout == source.layout);
        same.count() == 1
    });
    let found = counts.and_then(|counts| counts.iter().find(|(name, _)| *name == source.layout));
    let is_off = is_off(state, source);
    FoundItem {
        at,
        layout: source.layout.clone(),
        place: escape::shown(&source.place, 120),
        percent: format!("{} %", source.percent),
        count: match found {
            Some((_, count)) if only && !is_off => count::short(*count, Font::Mono),
            _ => String::new(),
        },
        is_off,
        is_chosen: state.layouts.chosen == at,
    }
}

fn is_off(state: &State, source: &SourceFace) -> bool {
    state.connection.overrides.get(&source.name()).is_off
}

fn chosen(state: &State, source: &SourceFace) -> ChosenSource {
    let told = |span: Option<crate::domain::Duration>| match span {
        Some(span) => say!("lease-told", lease = span::sentence(span)),
        None => say!("lease-not-told"),
    };
    let matched = match source.matched {
        0 => String::new(),
        matched => say!("layouts-reads", count = matched),
    };
    ChosenSource {
        layout: source.layout.clone(),
        title: source.title.clone(),
        place: escape::shown(&source.place, 200),
        percent: format!("{} %", source.percent),
        reasons: source
            .reasons
            .iter()
            .map(|reason| escape::shown(reason, 200))
            .collect(),
        matched,
        is_off: is_off(state, source),
        lease_told: told(source.lease),
        retention_told: told(source.retention),
    }
}

fn sample(state: &State, source: &SourceFace) -> Option<Sample> {
    let address = source.examples.get(state.layouts.sample)?;
    let remote = &state.layouts.whole;
    let whole: Option<&Whole> = remote.value().and_then(|whole| whole.as_deref());
    let words = match (remote.failure(), remote.value()) {
        (Some(failure), _) => Some(failure.text.clone()),
        (None, Some(None)) => Some(say!("layouts-gone")),
        _ => None,
    };
    let facts = whole.map(|whole| {
        let now = state.now();
        let verdict = whole.record.lock.as_ref().map(|lock| judge(lock, now));
        facts::facts(&whole.record, Some(whole), verdict, now, state.clock.offset)
    });
    Some(Sample {
        title: say!(
            "layouts-sample",
            at = (state.layouts.sample + 1).to_string(),
            of = source.examples.len().to_string()
        ),
        address: escape::shown(address, 300),
        words,
        facts: facts.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::{Grouping, Opened, RefusedFace};
    use crate::app::tests as testing;
    use crate::domain::Timestamp;
    use std::sync::Arc;

    #[test]
    fn what_was_found_and_refused_is_said_with_its_reasons() {
        let mut state = testing::locks(&[], None, Grouping::Flat, Timestamp(0));
        let opened = Opened {
            sources: vec![SourceFace {
                layout: "plain-article".to_owned(),
                place: "idem:*".to_owned(),
                percent: 97,
                is_sure: true,
                reasons: vec!["every value is read".to_owned()],
                matched: 12,
                examples: vec!["idem:a".to_owned(), "idem:b".to_owned()],
                ..SourceFace::default()
            }],
            refused: vec![RefusedFace {
                place: "sess:*".to_owned(),
                resembles: "plain-article".to_owned(),
                why: "no status, no hash".to_owned(),
            }],
            broken: vec![BrokenFile {
                path: PathBuf::from("/home/a/layouts/mine.toml"),
                line: Some(7),
                why: "unknown field `kees`".to_owned(),
            }],
            sampled: 1500,
            sampled_word: "keys",
            ..Opened::default()
        };
        state.connection.store.ready(Arc::new(opened), Timestamp(0));
        let data = layouts_data(&state);
        assert_eq!(data.looked_at, "1\u{202f}500 keys looked at");
        assert_eq!(data.found[0].percent, "97 %");
        assert!(data.not_sure.is_empty());
        assert_eq!(data.refused[0].why, "no status, no hash");
        assert_eq!(data.broken[0].file, "mine.toml");
        assert_eq!(data.broken[0].line, "line 7");
        let chosen = data.chosen.expect("the first one");
        assert_eq!(chosen.matched, "reads 12 records of the sample");
        assert_eq!(chosen.lease_told, "the layout says none");
        assert_eq!(data.sample.expect("an example").title, "Sample 1 of 2");
    }
}
