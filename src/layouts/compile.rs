//! Turns a form as typed into a form in checked shape.
//!
//! Errors name the path or word that is wrong; the file and line are added by the registry.

mod questions;

use std::collections::BTreeMap;

use super::codec::Step;
use super::field::Field;
use super::form::{Case, Extent, FieldSource, FieldTable, Form, Input, Node, Period, Telling};
use super::json::Trie;
use super::path::segments;
use super::spec::{CaseSpec, FieldDetail, FieldSpec, FormSpec};
use super::spelling::Spelling;
use super::times::Unit;
use crate::domain::stuck::LockState;
use crate::domain::{Duration, Status};

/// What paths may begin with in this form.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vocabulary<'v> {
    pub captures: &'v [String],
    pub columns: Option<&'v [String]>,
    pub has_value: bool,
    pub has_hash: bool,
    pub has_member: bool,
    pub has_score: bool,
    /// Further keys of the record.
    pub parts: &'v [String],
    pub params: &'v [String],
    /// How members of decoded values are told by their names.
    pub spelling: Spelling,
}

pub fn compile(spec: &FormSpec, words: &Vocabulary<'_>, extent: Extent) -> Result<Form, String> {
    let mut compiler = Compiler {
        words,
        form: empty(),
        paths: Vec::new(),
        read: Vec::new(),
    };
    for node in &spec.decode {
        let codecs = codecs(&node.codecs)?;
        if codecs.last().is_none_or(|step| !step.codec.gives_json) {
            return Err(format!(
                "`{}` is decoded to no format that has members",
                node.name
            ));
        }
        let of = compiler.slot(&node.of)?;
        compiler.read.push(of);
        let node = Node {
            name: node.name.clone(),
            of,
            codecs,
            trie: Trie::new(words.spelling),
        };
        compiler.form.nodes.push(node);
    }
    for path in &spec.scope {
        let slot = compiler.read_slot(path)?;
        let name = path.rsplit('.').next().unwrap_or(path).to_owned();
        compiler.form.scope.push((name, slot));
    }
    for path in &spec.requires {
        let slot = compiler.slot(path)?;
        compiler.form.requires.push(slot);
    }
    let base = compiler.fields(&spec.fields, extent, FieldTable::default())?;
    for case in &spec.case {
        let case = compiler.case(case, &base, extent)?;
        compiler.form.cases.push(case);
    }
    compiler.form.fields = base;
    Ok(compiler.finish())
}

fn empty() -> Form {
    Form {
        inputs: Vec::new(),
        input_slots: Vec::new(),
        nodes: Vec::new(),
        slots: 0,
        cases: Vec::new(),
        fields: FieldTable::default(),
        scope: Vec::new(),
        requires: Vec::new(),
        presence_only: Vec::new(),
    }
}

struct Compiler<'v> {
    words: &'v Vocabulary<'v>,
    form: Form,
    /// Paths that have a slot already.
    paths: Vec<(String, usize)>,
    /// Slots whose value is needed, not only their presence.
    read: Vec<usize>,
}

impl Compiler<'_> {
    fn read_slot(&mut self, path: &str) -> Result<usize, String> {
        let slot = self.slot(path)?;
        self.read.push(slot);
        Ok(slot)
    }

    fn slot(&mut self, path: &str) -> Result<usize, String> {
        if let Some((_, slot)) = self.paths.iter().find(|(known, _)| known == path) {
            return Ok(*slot);
        }
        let slot = self.form.slots;
        let segments = segments(path)?;
        let (head, rest) = segments.split_first().ok_or("an empty path")?;
        if let Some(node) = self.form.nodes.iter_mut().find(|node| node.name == *head) {
            node.trie.add(rest, slot);
        } else {
            let input = self.input(path, head, rest)?;
            self.form.inputs.push(input);
            self.form.input_slots.push(slot);
        }
        self.form.slots += 1;
        self.paths.push((path.to_owned(), slot));
        Ok(slot)
    }

    fn input(&self, path: &str, head: &str, rest: &[String]) -> Result<Input, String> {
        if head == "with"
            && let Some((part, field)) = rest.split_first()
            && field.len() < 2
        {
            if !self.words.parts.contains(part) {
                return Err(format!("no part is called `{part}` (in `{path}`)"));
            }
            let (part, field) = (part.clone(), field.first().cloned());
            return Ok(Input::Part { part, field });
        }
        let one = match rest {
            [] => None,
            [one] => Some(one.clone()),
            _ => return Err(format!("`{path}` goes into something that is not decoded")),
        };
        match (head, one) {
            ("raw", None) if self.words.has_value => Ok(Input::Value),
            ("member", None) if self.words.has_member => Ok(Input::Member),
            ("score", None) if self.words.has_score => Ok(Input::Score),
            ("hash", Some(field)) if self.words.has_hash => Ok(Input::HashField(field)),
            ("key", Some(name)) => {
                if self.words.captures.contains(&name) {
                    Ok(Input::Capture(name))
                } else {
                    Err(format!("no key template captures `{name}` (in `{path}`)"))
                }
            }
            ("col", Some(name)) => match self.words.columns {
                Some(columns) if columns.contains(&name) => Ok(Input::Column(name)),
                Some(_) => Err(format!("no column `{name}` is described (in `{path}`)")),
                None => Err(format!("`{path}`: this form has no columns")),
            },
            _ => Err(format!(
                "`{path}` begins with nothing known here: paths begin with {}",
                self.heads().join(", ")
            )),
        }
    }

    /// What a path may begin with here.
    fn heads(&self) -> Vec<String> {
        let words = self.words;
        let nodes = self
            .form
            .nodes
            .iter()
            .map(|node| format!("{}.…", node.name));
        let known = [
            (words.has_value, "raw"),
            (words.has_hash, "hash.…"),
            (words.has_member, "member"),
            (words.has_score, "score"),
            (words.columns.is_some(), "col.…"),
            (!words.captures.is_empty(), "key.…"),
            (!words.parts.is_empty(), "with.…"),
        ];
        let known = known.into_iter().filter(|(is_known, _)| *is_known);
        nodes
            .chain(known.map(|(_, head)| head.to_owned()))
            .collect()
    }

    fn fields(
        &mut self,
        specs: &BTreeMap<String, FieldSpec>,
        extent: Extent,
        base: FieldTable,
    ) -> Result<FieldTable, String> {
        let mut table = base;
        for (name, spec) in specs {
            let field = Field::named(name).ok_or_else(|| {
                let names: Vec<&str> = Field::ALL.iter().map(|field| field.name()).collect();
                format!(
                    "no field is called `{name}`: there are {}",
                    names.join(", ")
                )
            })?;
            if extent == Extent::List && !field.is_listed() {
                continue;
            }
            let mut sources = Vec::new();
            self.sources(spec, &mut sources)?;
            table.set(field, sources);
        }
        Ok(table)
    }

    fn sources(&mut self, spec: &FieldSpec, into: &mut Vec<FieldSource>) -> Result<(), String> {
        match spec {
            FieldSpec::Path(path) if path.is_empty() => Ok(()),
            FieldSpec::Path(path) => {
                let slot = self.read_slot(path)?;
                into.push(FieldSource {
                    slot,
                    decode: Vec::new(),
                    unit: Unit::Own,
                    plus: None,
                    keep_empty: false,
                });
                Ok(())
            }
            FieldSpec::Detailed(FieldDetail {
                from,
                decode,
                unit,
                plus,
                keep_empty,
            }) => {
                let slot = self.read_slot(from)?;
                let plus = plus
                    .as_deref()
                    .map(|text| period(text, self.words.params))
                    .transpose()?;
                let unit = unit_named(unit.as_deref())?;
                into.push(FieldSource {
                    slot,
                    decode: codecs(decode)?,
                    unit,
                    plus,
                    keep_empty: *keep_empty,
                });
                Ok(())
            }
            FieldSpec::FirstOf(specs) => specs.iter().try_for_each(|spec| self.sources(spec, into)),
        }
    }

    fn case(&mut self, spec: &CaseSpec, base: &FieldTable, extent: Extent) -> Result<Case, String> {
        let is_record = spec.status != "none";
        let status = match Status::from_name(&spec.status) {
            Some(status) => status,
            None if !is_record => Status::Unknown,
            None => {
                let known = "processing, completed, failed, unknown, or none for no record";
                return Err(format!("`{}` is no status: {known}", spec.status));
            }
        };
        let lock = match spec.lock.as_deref() {
            None => LockState::Held,
            Some("waiting") => LockState::Waiting,
            Some("orphaned") => LockState::Orphaned,
            Some(other) => {
                return Err(format!(
                    "`{other}` is no state of a lock: waiting or orphaned"
                ));
            }
        };
        let mut when = Vec::new();
        for predicate in &spec.when {
            self.predicate(predicate, &mut when)
                .map_err(|error| format!("case `{}`: {error}", spec.name))?;
        }
        let fields = self
            .fields(&spec.fields, extent, base.clone())
            .map_err(|error| format!("case `{}`: {error}", spec.name))?;
        Ok(Case {
            name: spec.name.clone(),
            status,
            lock,
            when,
            fields,
            telling: match (spec.weak, spec.common) {
                (true, _) => Telling::Weak,
                (false, true) => Telling::Common,
                (false, false) => Telling::Much,
            },
            is_record,
        })
    }

    fn finish(mut self) -> Form {
        self.form.presence_only = (0..self.form.slots)
            .filter(|slot| !self.read.contains(slot))
            .collect();
        self.form
    }
}

/// A parameter by its name, or a fixed period.
pub fn period(text: &str, params: &[String]) -> Result<Period, String> {
    if params.iter().any(|param| param == text) {
        return Ok(Period::Param(text.to_owned()));
    }
    Duration::parse(text)
        .map(Period::Fixed)
        .ok_or_else(|| format!("`{text}` is neither a parameter nor a period such as `24h`"))
}

fn codecs(names: &[String]) -> Result<Vec<Step>, String> {
    names.iter().map(|name| Step::named(name)).collect()
}

/// A bounded expression that a whole text fits.
pub fn whole_text(pattern: &str) -> Result<regex::bytes::Regex, String> {
    regex::bytes::RegexBuilder::new(&format!("^(?:{pattern})$"))
        .unicode(false)
        .size_limit(1 << 18)
        .dfa_size_limit(1 << 20)
        .build()
        .map_err(|error| format!("`{pattern}` cannot be matched: {error}"))
}

fn unit_named(name: Option<&str>) -> Result<Unit, String> {
    match name {
        None => Ok(Unit::Own),
        Some(name) => Unit::named(name).ok_or_else(|| {
            format!("`{name}` is no unit of time: s, ms, us, ticks, local, auto or own")
        }),
    }
}
