//! Which records are meant: by key, or by a rule over all that is there.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::super::error::{CliError, Code};
use super::super::open::{Opened, unless_interrupted};
use super::super::options::CommonOptions;
use super::super::output::Output;
use super::super::scan;
use crate::domain::address::address_text;
use crate::domain::{Duration, Status};
use crate::inspect::catalogue::RowView;
use crate::inspect::show::{Whole, find, unsearchable};
use crate::inspect::{Cancel, Filter, filter};
use crate::layouts::Source;
use crate::ops::plan::{Ask, Plan, Progress, Wanted, make};
use crate::present::count::{Font, grouped};
use crate::present::escape;
use crate::present::words::plural;

/// What was chosen.
#[derive(Debug, Default)]
pub struct Chosen {
    pub wanted: Vec<Wanted>,
    /// Keys of which there is no record.
    missing: Vec<String>,
}

fn fits_several(key: &str, found: &[Whole]) -> CliError {
    let mut addresses: Vec<String> = found
        .iter()
        .map(|whole| address_text(&whole.record.address))
        .collect();
    addresses.dedup();
    let hint = match addresses.as_slice() {
        [one] => format!("all of them have the address {one}: the table has no key"),
        several => format!("name one of them: {}", several.join(", ")),
    };
    let key = escape::shown(key, 200);
    let text = format!("`{key}` fits several records; nothing was changed");
    CliError::with_hint(Code::Wrong, text, hint)
}

/// Errors: the key is empty, as a variable of a script is that was never set; that is no record's.
pub fn refuse_empty(key: &str) -> Result<(), CliError> {
    match key.is_empty() {
        true => Err(CliError::with_hint(
            Code::Wrong,
            "KEY is empty: it means no record",
            "name a record by its key, a digest or its address",
        )),
        false => Ok(()),
    }
}

/// The records of these keys.
///
/// Errors: a key fits several records, which are listed; nothing is changed then.
pub async fn by_name(
    opened: &Opened,
    keys: &[String],
    output: &Output,
) -> Result<Chosen, CliError> {
    let sources: Vec<Arc<Source>> = opened.sources().into_iter().map(Arc::new).collect();
    if sources.is_empty() {
        output.say(&opened.nothing_here());
    }
    keys.iter().try_for_each(|key| refuse_empty(key))?;
    let mut chosen = Chosen::default();
    for key in keys {
        let found =
            unless_interrupted(async { Ok(find(&opened.session, &sources, key).await?) }).await?;
        if found.len() > 1 {
            return Err(fits_several(key, &found));
        }
        let Some(whole) = found.into_iter().next() else {
            output.say(&format!("no record of `{}`", escape::shown(key, 200)));
            for why in unsearchable(&sources) {
                output.say(&format!("hint: a key alone cannot be looked up in {why}"));
            }
            chosen.missing.push(key.clone());
            continue;
        };
        // Named twice, as key and as address: once is meant.
        let is_new = |wanted: &Wanted| wanted.address != whole.record.address;
        if !chosen.wanted.iter().all(is_new) {
            continue;
        }
        chosen.wanted.push(Wanted {
            source: whole.source,
            longest_ttl: None,
            lives_until: whole.record.lock_until.or_else(|| whole.record.expiry()),
            address: whole.record.address,
        });
    }
    Ok(chosen)
}

/// A rule over all records.
pub struct Rule {
    filter: Filter,
    /// The lease where a source has none.
    lease: Option<Duration>,
    /// Only locks held longer than this.
    older_than: Option<Duration>,
    /// Only these, whatever the filter says.
    statuses: &'static [Status],
}

impl Rule {
    pub fn stuck(older_than: Option<Duration>) -> Rule {
        Rule {
            filter: Filter::new("is:stuck").unwrap_or_default(),
            lease: older_than,
            older_than,
            statuses: &[Status::Processing],
        }
    }

    /// Errors: the query is wrong.
    pub fn finished(query: Option<&str>, expired: bool) -> Result<Rule, CliError> {
        let text = query.unwrap_or_default();
        let mut filter = Filter::new(text).map_err(|error| {
            let marked = text.get(error.span.clone()).unwrap_or_default();
            let said = format!("`{marked}` in the query: {}", error.text);
            let mut wrong = CliError::new(Code::Wrong, said);
            wrong.hint = error.hint;
            wrong
        })?;
        if expired {
            filter
                .require("is:expired")
                .map_err(|error| CliError::new(Code::Wrong, error.text))?;
        }
        Ok(Rule {
            filter,
            lease: None,
            older_than: None,
            statuses: &[Status::Completed, Status::Failed],
        })
    }
}

/// The records that a rule takes.
pub async fn by_rule(
    opened: &Opened,
    rule: &Rule,
    common: &CommonOptions,
    output: &Output,
) -> Result<Chosen, CliError> {
    if opened.detection.found.is_empty() {
        output.say(&opened.nothing_here());
    }
    let mut scanned = scan::run(opened, common, output).await;
    if let Some(error) = scanned.early {
        // Half a list is no ground for a change.
        return Err(error);
    }
    let ids: Vec<_> = scanned.snapshot.sources().map(|(id, _)| id).collect();
    for id in ids {
        let has_lease = scanned.snapshot.terms(id).lease.is_some();
        if let (Some(lease), false) = (rule.lease, has_lease) {
            scanned.snapshot.set_lease(id, Some(lease));
        }
    }
    let now = opened.session.now();
    let rows = filter::run(&scanned.snapshot, &rule.filter, now, &Cancel::never());
    let views = rows.iter().flatten();
    let mut chosen = Chosen::default();
    let (mut left, mut young) = (0, 0);
    for view in views.filter_map(|row| scanned.snapshot.row(*row)) {
        let age = rule
            .older_than
            .and_then(|limit| Some((view.age(now)?, limit)));
        match rule.statuses.contains(&view.status()) {
            true if age.is_some_and(|(age, limit)| age <= limit) => young += 1,
            true => chosen.wanted.extend(wanted(&scanned, &view)),
            false => left += 1,
        }
    }
    if young > 0 {
        let locks = plural(young, "stuck lock is", "stuck locks are");
        output.say(&format!("note: {locks} not held for that long: left alone"));
    }
    if left > 0 {
        let records = plural(left, "record is", "records are");
        output.say(&format!(
            "note: {records} not finished, or cannot be told to be: left alone"
        ));
    }
    let beyond = scanned.snapshot.counts().counted_only_total();
    if beyond > 0 {
        output.say(&format!(
            "note: {beyond} more records were only counted: run it again"
        ));
    }
    // Records of one source stand together, so that they are read together.
    chosen
        .wanted
        .sort_by_key(|wanted| Arc::as_ptr(&wanted.source) as usize);
    Ok(chosen)
}

fn wanted(scanned: &scan::Scanned, view: &RowView<'_>) -> Option<Wanted> {
    let id = view.source_id();
    Some(Wanted {
        source: scanned.snapshot.shared_source(id)?,
        address: view.address(),
        longest_ttl: scanned.snapshot.longest_ttl(id),
        lives_until: view.lock_until().or_else(|| view.expiry()),
    })
}

/// Makes the plan, with progress for people.
pub async fn plan(
    opened: &Opened,
    ask: &Ask,
    chosen: Chosen,
    output: &Output,
) -> Result<Plan, CliError> {
    let show = |progress: Progress| {
        let (at, of) = (progress.looked_at as u64, progress.of as u64);
        let (at, of) = (grouped(at, Font::Text), grouped(of, Font::Text));
        output.progress(&format!("reading {at} of {of}"));
    };
    let store = &opened.session.store;
    let target = opened.target.to_string();
    let cancel = CancellationToken::new();
    let mut ask = ask.clone();
    ask.missing = chosen.missing;
    let made = make(store, &target, &ask, &chosen.wanted, show, &cancel);
    let plan = unless_interrupted(async { Ok(made.await?) }).await;
    output.progress("");
    plan
}
