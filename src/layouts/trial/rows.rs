//! Tries a layout on rows of one table.
//!
//! Apart from keys because a table is fitted as a whole before any row of it is read.

use std::sync::Arc;

use super::{Example, NotRead, Outcome, RowsOfTable, outcome};
use crate::domain::Timestamp;
use crate::domain::address::{address_text, row_address};
use crate::domain::raw::{Cell, ColumnWant, RawAddress, RawRows, Ttl};
use crate::layouts::Layout;
use crate::layouts::detect::place::{bare_place, place_in};
use crate::layouts::form::Extent;
use crate::layouts::slot::Slot;
use crate::layouts::source::{Place, RowPlan, Source, TablePlace};

pub fn try_rows(
    layout: &Arc<Layout>,
    sample: &RowsOfTable,
    now: Timestamp,
    goes_on: &dyn Fn() -> bool,
) -> Result<Option<Vec<Example>>, Vec<String>> {
    let place = place_in(layout, &sample.table, &sample.tables)?;
    let source = Source::new(layout.clone(), Place::Table(place.clone()));
    let plan = source.row_plan(Extent::Whole);
    let rows = arranged(sample, &plan);
    let mut examples = Vec::new();
    for at in 0..rows.len() {
        if !goes_on() {
            return Ok(None);
        }
        let key = Source::row_key(&rows, at, &plan);
        let address = RawAddress::Row {
            schema: place.schema.clone(),
            table: place.table.clone(),
            key,
        };
        let text = address_text(&address);
        let outcome = match source.read_row(&rows, at, &plan, Extent::Whole, now) {
            None => Outcome::Not(NotRead::Table),
            Some(reading) => {
                let form = source.row_form(Extent::Whole);
                let case = reading
                    .case
                    .and_then(|case| Some(form?.cases.get(case)?.name.clone()));
                outcome(reading, case, &source, address, Ttl::Unknown, now)
            }
        };
        examples.push(Example {
            address: text,
            at,
            outcome,
        });
    }
    Ok(Some(examples))
}

/// The cells of a sample in the order in which a layout wants them; what another table tells is not
/// there.
fn arranged(sample: &RowsOfTable, plan: &RowPlan) -> RawRows {
    let mut rows = RawRows::new(plan.wants.len());
    let place = |name: &String| sample.columns.iter().position(|column| column == name);
    for row in 0..sample.rows.len() {
        for want in &plan.wants {
            let cell = match want {
                ColumnWant::Value { column, .. } => {
                    place(column).map(|at| sample.rows.cell(row, at))
                }
                ColumnWant::Presence { column } => {
                    place(column).map(|at| Cell::Bool(sample.rows.cell(row, at) != Cell::Null))
                }
                ColumnWant::Lookup(_) | ColumnWant::Holder => None,
            };
            rows.push(cell.unwrap_or(Cell::Null));
        }
    }
    rows
}

/// The rows of a table that the layout does not fit.
pub fn untried(sample: &RowsOfTable) -> Vec<Example> {
    let TablePlace {
        schema, table, key, ..
    } = bare_place(&sample.table);
    (0..sample.rows.len())
        .map(|at| {
            let values: Vec<String> = key
                .iter()
                .filter_map(|(name, _)| {
                    let column = sample.columns.iter().position(|column| column == name)?;
                    let slot = Slot::from_cell(sample.rows.cell(at, column));
                    Some(
                        slot.text()
                            .map(|text| text.into_owned())
                            .unwrap_or_default(),
                    )
                })
                .collect();
            Example {
                address: row_address(&schema, &table, &values),
                at,
                outcome: Outcome::Not(NotRead::Table),
            }
        })
        .collect()
}
