//! Reads a key space: names by SCAN, values in small units, longer beginnings only where the
//! status depends on them.
//!
//! The size of the unit decides how much other clients feel, not pauses between units: gentle is
//! under 30 keys in flight, full is 1000 a question and some questions at once. Gently, the next page of
//! names travels with the values of the last one. Answers are read where they arrive, so that one server
//! more is one hand more; what came of them goes through one.

mod container;
mod guide;
mod pending;
mod walk;

use std::sync::Arc;

use super::super::catalogue::SourceId;
use super::Scanner;
use tokio::task::JoinSet;

use crate::domain::Timestamp;
use crate::domain::raw::KeyRead;
use crate::layouts::{Place, Source};
use crate::stores::{KeyStep, Pace, ScanStep, StoreError, StoreErrorKind};
use guide::{Answered, Guide, Named};
use pending::Pending;
use walk::Walk;

const GENTLE_UNIT: usize = 26;
const FULL_UNIT: usize = 1000;
/// More servers than these have no more questions at once: their answers all lie in memory.
const FLIGHTS_WIDE: usize = 8;

type Sources = [(SourceId, Arc<Source>)];

pub async fn scan(scanner: &mut Scanner, sources: &Sources) -> Result<(), StoreError> {
    let guide = Arc::new(Guide::new(sources));
    let mut walk = Walk::new(guide.clone());
    let mut questions = Questions::new(scanner, guide, common_glob(sources));
    while !scanner.cancel.is_cancelled() {
        questions.ask(scanner, &mut walk);
        let Some(answer) = questions.under_way.join_next().await else {
            break;
        };
        let answer = answer.map_err(|_| ended())??;
        if let Some(page) = answer.page {
            questions.page = page.cursor;
            scanner.progress.share = page.share;
            scanner.progress.looked_at += page.looked_at;
            for named in page.names {
                walk.enqueue(scanner, named);
            }
        }
        // The next question travels while these answers are taken; gently, one waits for the other.
        if scanner.pace == Pace::Full {
            questions.ask(scanner, &mut walk);
        }
        for answered in answer.keys {
            walk.settle(scanner, answered, answer.now);
        }
        while let Some(container) = walk.containers.pop() {
            container::scan(scanner, &container).await?;
        }
        scanner.show();
    }
    Ok(())
}

fn ended() -> StoreError {
    let text = "the store's answer could not be waited for";
    StoreError::new(StoreErrorKind::Lost, text)
}

/// The questions under way, and what is asked next. Those under way end with it.
struct Questions {
    guide: Arc<Guide>,
    page: NextPage,
    glob: Option<Vec<u8>>,
    /// Keys of one question.
    unit: usize,
    /// Servers that names are asked of at once.
    width: usize,
    /// Questions at once.
    most: usize,
    under_way: JoinSet<Result<Answer, StoreError>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NextPage {
    At(u64),
    /// Asked for, and not yet there.
    UnderWay,
    None,
}

struct Answer {
    page: Option<Page>,
    keys: Vec<Answered>,
    /// When the values were read: ages are by that.
    now: Timestamp,
}

/// Names that were looked at, and those of them that may be records.
struct Page {
    cursor: NextPage,
    share: Option<f32>,
    looked_at: u64,
    names: Vec<Named>,
}

impl Questions {
    fn new(scanner: &Scanner, guide: Arc<Guide>, glob: Option<Vec<u8>>) -> Questions {
        let width = scanner.session.store.width();
        let (unit, width, most) = match scanner.pace {
            // Of all servers together.
            Pace::Gentle => (GENTLE_UNIT, 1, 1),
            // Names, and two questions for values of each server: one is read, one is on its way.
            Pace::Full => (FULL_UNIT, width, 2 * width.min(FLIGHTS_WIDE) + 1),
        };
        Questions {
            guide,
            page: NextPage::At(0),
            glob,
            unit,
            width,
            most,
            under_way: JoinSet::new(),
        }
    }

    /// Asks what there is to ask, as much as may be under way at once.
    fn ask(&mut self, scanner: &Scanner, walk: &mut Walk) {
        while self.under_way.len() < self.most {
            // Names are looked for only as fast as their values can be read.
            let is_short = walk.queue.len() < self.unit * (self.most + self.width);
            let scan = match self.page {
                NextPage::At(cursor) if is_short => Some(ScanStep {
                    cursor,
                    glob: self.glob.clone(),
                    count: self.unit * self.width,
                }),
                _ => None,
            };
            // A few keys by themselves are not worth a question while names are on their way.
            let waits = self.page == NextPage::UnderWay && walk.queue.longest() < self.unit;
            if scan.is_none() && (walk.queue.len() == 0 || waits) {
                return;
            }
            if scan.is_some() {
                self.page = NextPage::UnderWay;
            }
            // At full speed names are asked for by themselves, so that the next page of them does not
            // wait until values are read.
            let count = match scan.is_some() && self.most > 1 {
                true => 0,
                false => self.unit,
            };
            let fetch = walk.queue.take(count);
            self.send(scanner, scan, fetch);
        }
    }

    /// One round trip: values of keys, and the next page of names where one is asked for.
    fn send(&mut self, scanner: &Scanner, scan: Option<ScanStep>, fetch: Vec<Pending>) {
        let (session, guide) = (scanner.session.clone(), self.guide.clone());
        self.under_way.spawn(async move {
            let wants: Vec<(Vec<u8>, KeyRead)> = fetch
                .iter()
                .flat_map(|pending| pending.wants(&guide.fields))
                .collect();
            let scans = scan.is_some();
            let step = KeyStep {
                scan,
                fetch: &wants,
            };
            let answer = session.store.key_step_in_walk(step).await?;
            let now = session.now();
            let (share, looked_at) = (answer.share, answer.names.len() as u64);
            let names = answer.names.into_iter();
            let page = scans.then(|| Page {
                cursor: match answer.cursor {
                    None | Some(0) => NextPage::None,
                    Some(cursor) => NextPage::At(cursor),
                },
                share,
                looked_at,
                names: names.filter_map(|name| guide.named(name)).collect(),
            });
            let keys = guide.read(fetch, answer.values, now);
            Ok(Answer { page, keys, now })
        });
    }
}

/// What all keys of all sources have in common, as a glob for the server.
fn common_glob(sources: &Sources) -> Option<Vec<u8>> {
    let mut globs: Vec<Vec<u8>> = Vec::new();
    for (_, source) in sources {
        let (Place::Keys(place), Some(redis)) = (&source.place, &source.layout.redis) else {
            continue;
        };
        let keys = place.templates.iter().filter_map(|at| redis.keys.get(*at));
        globs.extend(
            keys.chain(&redis.locks)
                .map(|template| template.glob(|_| None)),
        );
    }
    let first = globs.first()?;
    if globs.iter().all(|glob| glob == first) {
        return Some(first.clone()).filter(|glob| glob != b"*");
    }
    let is_open = first.starts_with(b"*");
    if globs.iter().any(|glob| glob.starts_with(b"*") != is_open) {
        return None;
    }
    // Behind the open front, where all have one.
    let text = |glob: &[u8]| {
        glob.get(usize::from(is_open)..)
            .unwrap_or_default()
            .to_vec()
    };
    let common = globs.iter().fold(text(first), |common, glob| {
        let (a, b) = (common.iter(), text(glob));
        let same = a.zip(&b).take_while(|(a, b)| a == b && **a != b'*');
        same.map(|(a, _)| *a).collect()
    });
    let mut glob = Some(common).filter(|text| !text.is_empty() && text.last() != Some(&b'\\'))?;
    if is_open {
        glob.insert(0, b'*');
    }
    glob.push(b'*');
    Some(glob)
}

#[cfg(test)]
mod tests {
    use super::super::super::catalogue::{Bound, Catalogue};
    use super::*;
    use crate::layouts::Layouts;

    #[track_caller]
    fn check(layouts: &[&str], expected: Option<&str>) {
        let mut catalogue = Catalogue::new(Bound::USUAL);
        let source = |id: &&str| {
            let layout = Layouts::built_in().get(id).expect("a layout").clone();
            let place = Place::every_key(&layout);
            let source = Source::new(layout, place);
            (catalogue.add_source(source.clone()), Arc::new(source))
        };
        let sources: Vec<(SourceId, Arc<Source>)> = layouts.iter().map(source).collect();
        let glob = common_glob(&sources).map(|glob| String::from_utf8_lossy(&glob).into_owned());
        assert_eq!(glob.as_deref(), expected);
    }

    #[test]
    fn the_server_is_asked_for_what_all_names_have() {
        check(&["idemgate"], Some("*idemgate:v1:*"));
        check(&["plain-article"], Some("*idempotency:*"));
        check(
            &["plain-article", "drf-idempotency"],
            Some("*idempotency:*"),
        );
        check(&["express-idempotency"], None);
        check(&["plain-article", "express-idempotency"], None);
    }
}
