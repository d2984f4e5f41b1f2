//! Detection among tables: columns, kinds and indexes first, then a few rows.

use std::sync::Arc;

use super::place::{columns_of, of_hidden, with_columns};
use super::{EXAMPLES_MAX, Found, Refused, count, generic};
use crate::domain::Timestamp;
use crate::domain::address::row_address;
use crate::domain::raw::{ColumnKind, RawRows};
use crate::domain::survey::Table;
use crate::layouts::form::Extent;
use crate::layouts::layout::SqlLayout;
use crate::layouts::reading::Fit;
use crate::layouts::source::{Place, Source};
use crate::layouts::{Layout, Layouts};

/// A table that has all that a layout needs, before its rows were looked at.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub source: Source,
    score: f32,
    reasons: Vec<String>,
}

impl Candidate {
    pub fn score(&self) -> f32 {
        self.score
    }
}

/// The best candidates of each table, and what resembles a layout without being one.
pub fn candidates(layouts: &Layouts, tables: &[Table]) -> (Vec<Candidate>, Vec<Refused>) {
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for table in tables {
        let mut of_table: Vec<Candidate> = Vec::new();
        let mut nearest: Option<(usize, Refused)> = None;
        for layout in layouts.iter() {
            let Some(sql) = &layout.sql else { continue };
            match fit(layout, sql, table, tables) {
                Ok(candidate) => of_table.push(candidate),
                Err(missing) => {
                    let near = is_near(sql, table, missing.len());
                    let needed = sql.columns.iter().filter(|rule| !rule.optional).count();
                    // Of ten columns two are missing: nearer than one of two.
                    let missed = missing.len() * 100 / needed.max(1);
                    if near && nearest.as_ref().is_none_or(|(least, _)| missed < *least) {
                        nearest = Some((missed, refusal(layout, table, missing)));
                    }
                }
            }
        }
        let is_own = |candidate: &Candidate| candidate.source.layout.own;
        of_table.sort_by(|a, b| {
            let own = is_own(b).cmp(&is_own(a));
            own.then_with(|| b.score.total_cmp(&a.score))
        });
        if of_table.is_empty() {
            match read_generically(table, tables) {
                Ok(candidate) if candidate.score >= super::SURE => of_table.push(candidate),
                read => {
                    let mut nearest = nearest.map(|(_, refusal)| refusal);
                    // What the table itself says against it comes before what one layout misses.
                    if let (Some(refusal), Err(why)) = (&mut nearest, read) {
                        refusal.why.splice(0..0, why);
                    }
                    refused.extend(nearest);
                    continue;
                }
            }
        }
        if !table.readable {
            for candidate in of_table.iter().take(1) {
                refused.push(Refused {
                    place: table.place(),
                    resembles: candidate.source.layout.id.to_string(),
                    why: vec!["this login may not read the table".to_owned()],
                });
            }
            continue;
        }
        if let [first, second, ..] = of_table.as_mut_slice()
            && is_own(first) == is_own(second)
            && first.score - second.score < 0.05
        {
            let rival = second.source.layout.id.clone();
            first.score = first.score.min(super::SURE - 0.05);
            first
                .reasons
                .push(format!("`{rival}` fits as well: have a look"));
        }
        found.extend(of_table.into_iter().take(1));
    }
    (found, refused)
}

/// A reading by what the columns are called.
fn read_generically(table: &Table, tables: &[Table]) -> Result<Candidate, Vec<String>> {
    let proposal = generic::propose(table)?;
    let layout = crate::layouts::parse(generic::ID, &proposal.text)
        .map_err(|error| vec![error.to_string()])?;
    let layout = Arc::new(layout);
    let sql = layout.sql.as_ref().ok_or_else(Vec::new)?;
    let mut candidate = fit(&layout, sql, table, tables)?;
    candidate.score = proposal.score;
    let hidden = match &candidate.source.place {
        Place::Table(place) => of_hidden(&place.hidden),
        Place::Keys(_) => None,
    };
    candidate.reasons = proposal.reasons;
    candidate.reasons.extend(hidden);
    Ok(candidate)
}

/// The candidate, or what is missing for it.
fn fit(
    layout: &Arc<Layout>,
    sql: &SqlLayout,
    table: &Table,
    tables: &[Table],
) -> Result<Candidate, Vec<String>> {
    let (columns, hidden) = columns_of(sql, table)?;
    let found = columns.len() + hidden.len();
    let all = count(found as u64, "column", "columns");
    let mut reasons = vec![format!("all {all} of the layout are there")];
    reasons.extend(of_hidden(&hidden));
    let place = with_columns(sql, table, tables, columns, hidden);
    reasons.extend(of_scope(&place.scope));
    let mut score: f32 = 0.55;
    if sql
        .tables
        .iter()
        .any(|name| name.eq_ignore_ascii_case(&table.name))
    {
        score += 0.1;
        reasons.push(format!("the table has the usual name `{}`", table.name));
    }
    let unique: Vec<&str> = sql
        .unique
        .iter()
        .filter_map(|role| place.column(role))
        .map(|(name, _)| name)
        .collect();
    let scoped: Vec<&str> = place.scope.iter().map(|(name, _)| name.as_str()).collect();
    let scoped = [scoped, unique.clone()].concat();
    let named = unique.join("`, `");
    if !unique.is_empty() && table.is_unique(&unique) {
        score += 0.15;
        let verb = if unique.len() == 1 {
            "is"
        } else {
            "together are"
        };
        reasons.push(format!("`{named}` {verb} unique"));
    } else if !unique.is_empty() && table.is_unique(&scoped) {
        // Less than for the layout that describes the scope itself.
        score += 0.05;
        reasons.push(format!("`{}` together are unique", scoped.join("`, `")));
    } else if !unique.is_empty() {
        score -= 0.2;
        reasons.push(format!(
            "nothing makes `{named}` unique: a key may stand twice"
        ));
    }
    let unexplained = table
        .columns
        .len()
        .saturating_sub(found + table.primary_key.len());
    score += 0.01 * found as f32 - 0.02 * unexplained as f32;
    let source = Source::new(layout.clone(), Place::Table(place));
    Ok(Candidate {
        source,
        score,
        reasons,
    })
}

fn of_scope(scope: &[(String, ColumnKind)]) -> Option<String> {
    let names: Vec<&str> = scope.iter().map(|(name, _)| name.as_str()).collect();
    let verb = if names.len() == 1 { "tells" } else { "tell" };
    (!names.is_empty()).then(|| {
        let names = names.join("`, `");
        format!("`{names}`, which the layout does not know, {verb} whose a key is")
    })
}

/// Worth a word: the table speaks of idempotency, or has most of a layout's columns.
fn is_near(sql: &SqlLayout, table: &Table, missed: usize) -> bool {
    let needed = sql.columns.iter().filter(|rule| !rule.optional).count();
    let speaks = |text: &str| text.to_ascii_lowercase().contains("idempot");
    let named = speaks(&table.name) || table.columns.iter().any(|column| speaks(&column.name));
    named || (needed >= 4 && missed * 3 <= needed)
}

fn refusal(layout: &Layout, table: &Table, missing: Vec<String>) -> Refused {
    Refused {
        place: table.place(),
        resembles: layout.id.to_string(),
        why: missing,
    }
}

/// Looks at a few rows of a candidate, read by its own plan.
pub fn judge(candidate: Candidate, rows: &RawRows, now: Timestamp) -> Result<Found, Refused> {
    let Candidate {
        source,
        mut score,
        mut reasons,
    } = candidate;
    let plan = source.row_plan(Extent::List);
    let Place::Table(place) = &source.place else {
        return Err(Refused {
            place: source.place_text(),
            resembles: String::new(),
            why: Vec::new(),
        });
    };
    let (mut fitting, mut others, mut examples) = (0u64, 0u64, Vec::new());
    for row in 0..rows.len() {
        let Some(reading) = source.read_row(rows, row, &plan, Extent::List, now) else {
            continue;
        };
        if !reading.is_record {
            others += 1;
            continue;
        }
        if reading.fit == Fit::Not {
            continue;
        }
        fitting += 1;
        if examples.len() < EXAMPLES_MAX {
            let key = Source::row_key(rows, row, &plan);
            examples.push(row_address(&place.schema, &place.table, &key));
        }
    }
    let looked = rows.len() as u64 - others;
    if looked == 0 {
        reasons.push("the table is empty: only its columns tell".to_owned());
    } else if fitting * 2 < looked {
        let why = format!("only {fitting} of {looked} rows are in one of the layout's forms");
        return Err(Refused {
            place: source.place_text(),
            resembles: source.layout.id.to_string(),
            why: vec![why],
        });
    } else {
        score += 0.2 * (fitting as f32 / looked as f32);
        reasons.push(format!(
            "{fitting} of {} read",
            count(looked, "sampled row is", "sampled rows are")
        ));
    }
    let score = score.clamp(0.05, 1.0);
    Ok(Found {
        source,
        score,
        reasons,
        matched: fitting,
        examples,
    })
}
