//! The questions of a case.
//!
//! Apart from the rest of a form because each has its own words and its own way to be wrong.

use super::super::predicate::{Kind, Predicate, plain_word};
use super::super::spec::{Paths, PredicateSpec};
use super::{Compiler, unit_named, whole_text};

impl Compiler<'_> {
    pub(super) fn predicate(
        &mut self,
        spec: &PredicateSpec,
        into: &mut Vec<Predicate>,
    ) -> Result<(), String> {
        if let Some(name) = &spec.decoded {
            let node = self.form.nodes.iter().position(|node| node.name == *name);
            let node = node.ok_or_else(|| format!("nothing decoded is called `{name}`"))?;
            into.push(Predicate::Decoded { node });
        }
        match &spec.of {
            None if spec.decoded.is_some() => Ok(()),
            None => Err("a question without `of`".into()),
            Some(Paths::One(path)) => self.questions(spec, path, into),
            Some(Paths::Any(paths)) => {
                let mut any = Vec::new();
                for path in paths {
                    let mut all = Vec::new();
                    self.questions(spec, path, &mut all)?;
                    any.push(all);
                }
                // Nothing is there: nothing is there at all these places.
                into.push(match spec.present {
                    Some(false) => Predicate::All(any),
                    _ => Predicate::Any(any),
                });
                Ok(())
            }
        }
    }

    /// What is asked of one path.
    fn questions(
        &mut self,
        spec: &PredicateSpec,
        of: &str,
        into: &mut Vec<Predicate>,
    ) -> Result<(), String> {
        let slot = self.slot(of)?;
        let before = into.len();
        match spec.present {
            Some(true) => into.push(Predicate::Present { slot }),
            Some(false) => into.push(Predicate::Absent { slot }),
            None => self.read.push(slot),
        }
        let texts = spec.equals.iter().map(std::slice::from_ref);
        for texts in texts.chain(spec.one_of.as_deref()) {
            let texts = texts.to_vec();
            into.push(Predicate::OneOf { slot, texts });
        }
        if let Some(words) = &spec.word {
            let words = words.iter().map(|word| plain_word(word)).collect();
            into.push(Predicate::Word { slot, words });
        }
        if let Some(pattern) = &spec.matches {
            let regex = whole_text(pattern)?;
            into.push(Predicate::Matches { slot, regex });
        }
        if let Some([low, high]) = spec.between {
            into.push(Predicate::Between { slot, low, high });
        }
        if let Some(other) = &spec.at_least {
            let other = self.read_slot(other)?;
            into.push(Predicate::Compared {
                slot,
                other,
                holds: |left, right| left >= right,
            });
        }
        if let Some(other) = &spec.less_than {
            let other = self.read_slot(other)?;
            into.push(Predicate::Compared {
                slot,
                other,
                holds: |left, right| left < right,
            });
        }
        if let Some(kinds) = &spec.is {
            let kinds: Option<Vec<Kind>> = kinds.iter().map(|name| Kind::named(name)).collect();
            into.push(Predicate::Is {
                slot,
                kinds: kinds
                    .ok_or("`is` names no kind of value: object, array, string, number, bool")?,
            });
        }
        let unit = unit_named(spec.unit.as_deref())?;
        match spec.passed {
            Some(true) => into.push(Predicate::Passed { slot, unit }),
            Some(false) => into.push(Predicate::NotPassed { slot, unit }),
            None => {}
        }
        if into.len() == before {
            return Err(format!("nothing is asked of `{of}`"));
        }
        Ok(())
    }
}
