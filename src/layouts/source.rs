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
use super::template::Template;
use crate::domain::raw::{
    Cell, ColumnKind, ColumnWant as Want, KeyType, KeyValue, RawKey, RawRows,
};
use crate::domain::{Duration, Problem, Status, Timestamp};

/// Where the records stand.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// Keys that fit one of the layout's templates, by its place in the layout.
    Keys {
        templates: Vec<usize>,
    },
    Table(TablePlace),
}

/// A table with the layout's columns found in it.
#[derive(Clone, Debug, PartialEq)]
pub struct TablePlace {
    pub schema: Arc<str>,
    pub table: Arc<str>,
    /// The layout's name, the table's name, the kind.
    pub columns: Vec<(String, String, ColumnKind)>,
    /// Columns of the primary key in key order; empty without one.
    pub key: Vec<(String, ColumnKind)>,
    /// Every column of the table, to show a row whole.
    pub every: Vec<(String, ColumnKind)>,
    /// Estimated rows.
    pub rows: Option<u64>,
}

impl TablePlace {
    pub fn column(&self, role: &str) -> Option<(&str, ColumnKind)> {
        self.columns
            .iter()
            .find(|(known, _, _)| known == role)
            .map(|(_, name, kind)| (name.as_str(), *kind))
    }
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
    /// The columns that make the address.
    pub key: Vec<usize>,
}

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
            Place::Keys { templates } => {
                let texts: Vec<&str> = self
                    .layout
                    .redis
                    .iter()
                    .flat_map(|redis| templates.iter().filter_map(|at| redis.keys.get(*at)))
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
            let floor = longest_ttl.unwrap_or(Duration::ZERO);
            self.layout
                .lock
                .lifetimes
                .iter()
                .copied()
                .find(|period| *period >= floor)
        })
    }

    pub fn is_side_key(&self, name: &[u8]) -> bool {
        self.layout
            .redis
            .iter()
            .any(|redis| redis.side_keys.iter().any(|t| t.matches(name)))
    }

    /// The template that fits a key's name, by its place in the layout.
    pub fn template_of(&self, name: &[u8]) -> Option<usize> {
        let Place::Keys { templates } = &self.place else {
            return None;
        };
        let redis = self.layout.redis.as_ref()?;
        if self.is_side_key(name) {
            return None;
        }
        templates
            .iter()
            .copied()
            .find(|at| redis.keys.get(*at).is_some_and(|t| t.matches(name)))
    }

    pub fn key_form(&self, kind: KeyType, extent: Extent) -> Option<&Form> {
        let pair = self.layout.redis.as_ref()?.form(kind)?;
        Some(match extent {
            Extent::List => &pair.list,
            Extent::Whole => &pair.whole,
        })
    }

    pub fn row_form(&self, extent: Extent) -> Option<&Form> {
        let pair = &self.layout.sql.as_ref()?.row;
        Some(match extent {
            Extent::List => &pair.list,
            Extent::Whole => &pair.whole,
        })
    }

    /// Reads one key. `None` where its name or type is not this source's.
    pub fn read_key<'a>(
        &self,
        raw: &'a RawKey,
        extent: Extent,
        now: Timestamp,
    ) -> Option<Reading<'a>> {
        let template = self
            .layout
            .redis
            .as_ref()?
            .keys
            .get(self.template_of(&raw.name)?)?;
        let captures = template.captures(&raw.name)?;
        let form = self.key_form(raw.value.key_type()?, extent)?;
        let cut =
            matches!(&raw.value, KeyValue::String { bytes, len } if (bytes.len() as u64) < *len);
        let values = Values::fill(form, cut, |input| match input {
            Input::Capture(name) => capture(template, &captures, name),
            Input::Value => match &raw.value {
                KeyValue::String { bytes, .. } => Slot::from_bytes(bytes),
                _ => Slot::Absent,
            },
            Input::HashField(name) => match &raw.value {
                KeyValue::Hash { fields, .. } => fields
                    .iter()
                    .find(|(field, _)| field == name.as_bytes())
                    .map_or(Slot::Absent, |(_, value)| Slot::from_bytes(value)),
                _ => Slot::Absent,
            },
            Input::Column(_) => Slot::Absent,
        });
        Some(reading::read(form, &values, &self.params, now))
    }

    /// What can be told of a key whose value may not be read, or is of a type that no form reads:
    /// its name's parts and nothing else.
    pub fn read_name<'a>(
        &self,
        raw: &'a RawKey,
        problem: Problem,
        now: Timestamp,
    ) -> Option<Reading<'a>> {
        let redis = self.layout.redis.as_ref()?;
        let template = redis.keys.get(self.template_of(&raw.name)?)?;
        let captures = template.captures(&raw.name)?;
        let form = &redis.string.as_ref().or(redis.hash.as_ref())?.list;
        let values = Values::fill(form, false, |input| match input {
            Input::Capture(name) => capture(template, &captures, name),
            _ => Slot::Absent,
        });
        let mut reading = reading::read(form, &values, &self.params, now);
        reading.status = Status::Unknown;
        reading.case = None;
        reading.problems = vec![problem];
        Some(reading)
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
            let found = match input {
                Input::Column(role) => table.column(role),
                _ => None,
            };
            let place = found.map(|(name, kind)| {
                let column = name.to_owned();
                let want = if form.presence_only.contains(slot) {
                    Want::Presence { column }
                } else {
                    Want::Value { column, kind }
                };
                plan.want(want)
            });
            plan.inputs.push(place);
        }
        for (column, kind) in &table.key {
            let at = plan.want(Want::Value {
                column: column.clone(),
                kind: *kind,
            });
            plan.key.push(at);
        }
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
        let values = Values::fill(form, false, |_| match inputs.next() {
            Some(((Some(column), _), slot)) => match rows.cell(row, *column) {
                // Presence was asked for: true says that there is a value.
                Cell::Bool(true) if form.presence_only.contains(slot) => Slot::Cut,
                Cell::Bool(false) if form.presence_only.contains(slot) => Slot::Null,
                cell => Slot::from_cell(cell),
            },
            _ => Slot::Absent,
        });
        Some(reading::read(form, &values, &self.params, now))
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

fn capture<'a>(template: &Template, captures: &[&'a [u8]], name: &str) -> Slot<'a> {
    let at = template.names().iter().position(|known| known == name);
    at.and_then(|at| captures.get(at))
        .map_or(Slot::Absent, |part| Slot::from_bytes(part))
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
