//! What a row becomes by a recipe.

use super::edit::check_status;
use crate::domain::Timestamp;
use crate::domain::change::{Answer, ExactCell, RowState, TableShape};
use crate::layouts::form::{Extent, Input};
use crate::layouts::recipe::{CellForm, Expr, Facts, Recipe, Writing};
use crate::layouts::source::{Place, Source, TablePlace};

pub fn edit(
    source: &Source,
    recipe: &Recipe,
    shape: &TableShape,
    cells: &[ExactCell],
    answer: Option<&Answer>,
    now: Timestamp,
) -> Result<RowState, String> {
    let Place::Table(place) = &source.place else {
        return Err("this is no row of a table".to_owned());
    };
    if cells.len() != shape.columns.len() {
        return Err("the row has other columns than its table".to_owned());
    }
    let writing = match recipe {
        Recipe::Not(why) => return Err(why.clone()),
        Recipe::Delete(_) => return Ok(RowState::Absent),
        Recipe::Write(writing) => writing,
    };
    let facts = Facts {
        answer,
        now,
        params: &source.params,
        stored: &[],
    };
    check_status(writing.statuses, &facts)?;
    let form = CellForm {
        shape,
        cells,
        times: times(source, place, shape),
    };
    let mut then = cells.to_vec();
    for (role, expr) in &writing.columns {
        let Some(at) = column(source, place, shape, role)? else {
            continue;
        };
        let made = match expr {
            Expr::Column(other) => match column(source, place, shape, other)? {
                Some(from) => cells.get(from).cloned().unwrap_or(ExactCell::Null),
                None => continue,
            },
            other => form.make(at, other, &facts)?,
        };
        if let Some(cell) = then.get_mut(at) {
            *cell = made;
        }
    }
    if then == cells {
        return Err(unchanged(writing));
    }
    Ok(RowState::Row {
        version: None,
        cells: then,
    })
}

fn unchanged(writing: &Writing) -> String {
    let names: Vec<&str> = writing
        .columns
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    format!(
        "nothing is to be done: `{}` holds already what would be written",
        names.join("`, `")
    )
}

/// Where a column of the layout stands; `None` for one that a table may be without.
fn column(
    source: &Source,
    place: &TablePlace,
    shape: &TableShape,
    role: &str,
) -> Result<Option<usize>, String> {
    let Some((name, _)) = place.column(role) else {
        if let Some((_, name)) = place.hidden.iter().find(|(known, _)| known == role) {
            return Err(format!("this login may not read `{name}`"));
        }
        let rules = source.layout.sql.iter().flat_map(|sql| &sql.columns);
        let is_optional = rules
            .filter(|rule| rule.role == role)
            .all(|rule| rule.optional);
        return if is_optional {
            Ok(None)
        } else {
            Err(format!("the table has no column `{role}`"))
        };
    };
    let at = shape
        .column(name)
        .ok_or_else(|| format!("this login may not read `{name}`"))?;
    if shape.columns.get(at).is_some_and(|column| column.generated) {
        return Err(format!(
            "`{name}` is worked out by the store and never written"
        ));
    }
    Ok(Some(at))
}

/// The columns that the layout reads times from.
fn times(source: &Source, place: &TablePlace, shape: &TableShape) -> Vec<usize> {
    let Some(form) = source.row_form(Extent::Whole) else {
        return Vec::new();
    };
    let cases = form.cases.iter().map(|case| &case.fields);
    let tables = std::iter::once(&form.fields).chain(cases);
    let timed = tables
        .flat_map(|table| table.iter())
        .filter(|(field, _)| field.is_time());
    let mut times: Vec<usize> = timed
        .flat_map(|(_, sources)| sources)
        .filter_map(|source| {
            let at = form
                .input_slots
                .iter()
                .position(|slot| *slot == source.slot)?;
            match form.inputs.get(at)? {
                Input::Column(role) => shape.column(place.column(role)?.0),
                _ => None,
            }
        })
        .collect();
    times.sort_unstable();
    times.dedup();
    times
}
