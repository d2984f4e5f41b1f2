//! A source: one layout found at one place in one store, with its parameters.
//!
//! This is what reads records: it knows what to ask a store for and turns raw keys and rows into
//! readings and records.

use std::sync::Arc;

use super::evaluate::Values;
use super::field::Field;
use super::form::{Extent, Form, Input};
use super::layout::Layout;
use super::reading::{self, Params, Reading};
use super::slot::Slot;
use super::spelling::Writing;
use crate::domain::raw::{Cell, ColumnKind, ColumnWant as Want, Lookup, RawRows};
use crate::domain::stuck::LockState;
use crate::domain::{Duration, Problem, ProblemCode, Status, Timestamp};

/// Where the records stand.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    Keys(KeyPlace),
    Table(TablePlace),
}

/// Keys that fit one of the layout's templates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyPlace {
    /// Templates by their place in the layout.
    pub templates: Vec<usize>,
    /// What applications put in front of them, as far as it was seen.
    pub prefixes: Vec<String>,
    /// How names of hash fields are written here, where it is not as a layout has them.
    pub writings: Vec<Writing>,
    /// The templates that were seen, with their prefix; for people.
    pub seen: Vec<String>,
}

impl Place {
    /// Keys of these templates, whatever stands in front.
    pub fn keys(templates: Vec<usize>) -> Place {
        Place::Keys(KeyPlace {
            templates,
            ..KeyPlace::default()
        })
    }

    /// Keys of every template of a layout.
    pub fn every_key(layout: &Layout) -> Place {
        let count = layout.redis.as_ref().map_or(0, |redis| redis.keys.len());
        Place::keys((0..count).collect())
    }
}

/// A table with the layout's columns found in it.
#[derive(Clone, Debug, PartialEq)]
pub struct TablePlace {
    pub schema: Arc<str>,
    pub table: Arc<str>,
    /// The layout's name, the table's name, the kind.
    pub columns: Vec<(String, String, ColumnKind)>,
    /// The layout's name and the table's of columns that this login may not read.
    pub hidden: Vec<(String, String)>,
    /// The table's own columns that tell whose a key is and that the layout does not know.
    pub scope: Vec<(String, ColumnKind)>,
    /// The columns that address a row, in order.
    pub key: Vec<(String, ColumnKind)>,
    pub addressed: Addressed,
    /// What other tables tell, by the layout's name; without those that cannot be read.
    pub lookups: Vec<(String, Lookup)>,
    /// Every column of the table, to show a row whole.
    pub every: Vec<(String, ColumnKind)>,
    /// Estimated rows.
    pub rows: Option<u64>,
    /// Whether the store tells which transaction holds a row.
    pub shows_holder: bool,
}

impl TablePlace {
    /// What to ask a store for to get a column or a lookup, by the layout's name for it.
    fn want(&self, role: &str, is_presence_enough: bool) -> Option<Want> {
        if let Some((_, lookup)) = self.lookups.iter().find(|(name, _)| name == role) {
            return Some(Want::Lookup(lookup.clone()));
        }
        let (name, kind) = self.column(role)?;
        let column = name.to_owned();
        Some(if is_presence_enough {
            Want::Presence { column }
        } else {
            Want::Value { column, kind }
        })
    }

    pub fn column(&self, role: &str) -> Option<(&str, ColumnKind)> {
        self.columns
            .iter()
            .find(|(known, _, _)| known == role)
            .map(|(_, name, kind)| (name.as_str(), *kind))
    }
}

/// What makes the address of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addressed {
    /// A key of the table, or the store's own number of the row: one row has it.
    #[default]
    ByKey,
    /// What the layout reads of whose key it is, as in a view: several rows may have it.
    ByContents,
}

#[derive(Clone, Debug)]
pub struct Source {
    pub layout: Arc<Layout>,
    pub place: Place,
    pub params: Params,
    /// The operator's lease for this source.
    pub lease: Option<Duration>,
    /// The operator's lifetime of a record.
    pub lifetime: Option<Duration>,
}

/// How the columns of a page serve one extent of a form.
#[derive(Clone, Debug, Default)]
pub struct RowPlan {
    pub wants: Vec<Want>,
    /// For each input of the form, its column in the page.
    inputs: Vec<Option<usize>>,
    /// The columns of a scope that the form does not know, with their names.
    scope: Vec<(String, usize)>,
    /// The columns that make the address.
    pub key: Vec<usize>,
    /// Where it stands whether a running transaction holds the row.
    holder: Option<usize>,
}

/// Libraries that work out a TTL in whole seconds may end up above the period they mean.
const ROUNDING_MS: i64 = 1_500;

impl Source {
    pub fn new(layout: Arc<Layout>, place: Place) -> Source {
        let params = layout.params.clone();
        Source {
            layout,
            place,
            params,
            lease: None,
            lifetime: None,
        }
    }

    /// The place in words: `schema.table`, or the key template.
    pub fn place_text(&self) -> String {
        match &self.place {
            Place::Table(table) => format!("{}.{}", table.schema, table.table),
            Place::Keys(place) if !place.seen.is_empty() => place.seen.join(", "),
            Place::Keys(place) => {
                let texts: Vec<&str> = self
                    .layout
                    .redis
                    .iter()
                    .flat_map(|redis| place.templates.iter().filter_map(|at| redis.keys.get(*at)))
                    .map(|template| template.text())
                    .collect();
                texts.join(", ")
            }
        }
    }

    /// The lease that counts: the operator's, else the layout's.
    pub fn lease(&self) -> Option<Duration> {
        self.lease
            .or(self.params.get("lease"))
            .or(self.layout.lock.lease)
    }

    /// How long a locked record lives: the operator's word, else the smallest that the layout
    /// states and that is not below the longest TTL seen.
    pub fn lifetime(&self, longest_ttl: Option<Duration>) -> Option<Duration> {
        self.lifetime.or_else(|| {
            let floor =
                longest_ttl.map_or(Duration::ZERO, |ttl| Duration(ttl.millis() - ROUNDING_MS));
            self.layout
                .lock
                .lifetimes
                .iter()
                .copied()
                .find(|period| *period >= floor)
        })
    }

    pub fn row_form(&self, extent: Extent) -> Option<&Form> {
        let pair = &self.layout.sql.as_ref()?.row;
        Some(match extent {
            Extent::List => &pair.list,
            Extent::Whole => &pair.whole,
        })
    }

    /// The column, by the layout's name, that a field of the list is read from.
    pub fn column_of_field(&self, field: &str) -> Option<String> {
        let form = self.row_form(Extent::List)?;
        let slot = form.fields.get(Field::named(field)?).first()?.slot;
        let at = form.input_slots.iter().position(|known| *known == slot)?;
        match form.inputs.get(at)? {
            Input::Column(role) => Some(role.clone()),
            _ => None,
        }
    }

    /// What to read of each row, and where it will stand in the page.
    pub fn row_plan(&self, extent: Extent) -> RowPlan {
        let (Place::Table(table), Some(form)) = (&self.place, self.row_form(extent)) else {
            return RowPlan::default();
        };
        let mut plan = RowPlan::default();
        for (input, slot) in form.inputs.iter().zip(&form.input_slots) {
            let place = match input {
                Input::Column(role) => table
                    .want(role, form.presence_only.contains(slot))
                    .map(|want| plan.want(want)),
                _ => None,
            };
            plan.inputs.push(place);
        }
        let value = |(column, kind): &(String, ColumnKind)| Want::Value {
            column: column.clone(),
            kind: *kind,
        };
        for column in &table.scope {
            let at = plan.want(value(column));
            plan.scope.push((column.0.clone(), at));
        }
        for column in &table.key {
            let at = plan.want(value(column));
            plan.key.push(at);
        }
        plan.holder = table.shows_holder.then(|| plan.want(Want::Holder));
        plan
    }

    /// Reads one row of a page that was read by `plan`.
    pub fn read_row<'a>(
        &self,
        rows: &'a RawRows,
        row: usize,
        plan: &RowPlan,
        extent: Extent,
        now: Timestamp,
    ) -> Option<Reading<'a>> {
        let form = self.row_form(extent)?;
        let mut inputs = plan.inputs.iter().zip(&form.inputs).zip(&form.input_slots);
        let Place::Table(place) = &self.place else {
            return None;
        };
        let hidden = place.hidden.as_slice();
        let is_hidden = |input: &Input| match input {
            Input::Column(role) => hidden.iter().any(|(known, _)| known == role),
            _ => false,
        };
        let values = Values::fill(form, false, |_| match inputs.next() {
            Some(((Some(column), _), slot)) => match rows.cell(row, *column) {
                // Presence was asked for: true says that there is a value.
                Cell::Bool(true) if form.presence_only.contains(slot) => Slot::Cut,
                Cell::Bool(false) if form.presence_only.contains(slot) => Slot::Null,
                cell => Slot::from_cell(cell),
            },
            // It may hold anything.
            Some(((None, input), _)) if is_hidden(input) => Slot::Unseen,
            _ => Slot::Absent,
        });
        let mut reading = reading::read(form, &values, &self.params, now);
        let is_held = plan
            .holder
            .is_some_and(|at| rows.cell(row, at) == Cell::Bool(true));
        if is_held && reading.status == Status::Processing {
            reading.lock = LockState::Alive;
        }
        // A person knows the table's names, not the layout's.
        for (name, _) in &mut reading.scope_parts {
            if let Some((column, _)) = place.column(name).filter(|(column, _)| *column != name) {
                column.clone_into(name);
            }
        }
        for (name, column) in &plan.scope {
            if let Some(text) = Slot::from_cell(rows.cell(row, *column)).text() {
                reading.add_scope(name, text);
            }
        }
        if reading.needs_more && !hidden.is_empty() {
            let names: Vec<&str> = hidden.iter().map(|(_, name)| name.as_str()).collect();
            let text = format!("This login may not read `{}`", names.join("`, `"));
            reading
                .problems
                .push(Problem::new(ProblemCode::Refused, text));
        }
        Some(reading)
    }

    /// The key columns' values as text, for the address, into a buffer that is used again.
    pub fn row_key_into(rows: &RawRows, row: usize, plan: &RowPlan, key: &mut Vec<String>) {
        key.resize(plan.key.len(), String::new());
        for (text, column) in key.iter_mut().zip(&plan.key) {
            text.clear();
            match rows.cell(row, *column) {
                Cell::Text(value) => text.push_str(value),
                cell => text.extend(Slot::from_cell(cell).text().as_deref()),
            }
        }
    }

    /// The key columns' values as text, for the address.
    pub fn row_key(rows: &RawRows, row: usize, plan: &RowPlan) -> Vec<String> {
        plan.key
            .iter()
            .map(|column| {
                Slot::from_cell(rows.cell(row, *column))
                    .text()
                    .map_or(String::new(), |t| t.into_owned())
            })
            .collect()
    }
}

impl RowPlan {
    fn want(&mut self, want: Want) -> usize {
        match self.wants.iter().position(|known| *known == want) {
            Some(at) => at,
            None => {
                self.wants.push(want);
                self.wants.len() - 1
            }
        }
    }
}
