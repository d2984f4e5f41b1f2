//! Matches plain templates without an expression engine: what a list of millions is read with.
//!
//! A template is plain when, behind an open beginning, every capture is a run of bytes that its
//! neighbour's fixed text ends. All others keep their expression; both give the same captures, which
//! a test holds against each other.

use memchr::memmem;

use super::{PREFIX, Part};

#[derive(Clone, Debug)]
pub struct Plain {
    lead: Option<Lead>,
    /// Finds the fixed text behind the lead.
    finder: Option<memmem::Finder<'static>>,
    steps: Vec<Step>,
}

/// A capture at the beginning that ends where the rest fits first.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lead {
    Prefix,
    Shortest,
}

#[derive(Clone, Debug)]
enum Step {
    Literal(Vec<u8>),
    Run(Run),
    /// All that is left, at least one byte.
    Rest,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    holds: fn(u8) -> bool,
    min: usize,
    max: usize,
    first: Option<u8>,
}

fn run(class: &str) -> Option<Run> {
    let not_colon: fn(u8) -> bool = |byte| byte != b':';
    let hex: fn(u8) -> bool = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let of = |holds, min, max| Run {
        holds,
        min,
        max,
        first: None,
    };
    Some(match class {
        "segment" => of(not_colon, 0, usize::MAX),
        "path" => Run {
            first: Some(b'/'),
            ..of(not_colon, 1, usize::MAX)
        },
        "method" => of(|byte| byte.is_ascii_uppercase(), 3, 7),
        "digits" => of(|byte| byte.is_ascii_digit(), 1, usize::MAX),
        "hex32" => of(hex, 32, 32),
        "hex40" => of(hex, 40, 40),
        "hex64" => of(hex, 64, 64),
        "hex128" => of(hex, 128, 128),
        _ => return None,
    })
}

impl Plain {
    /// `class` says what a capture may hold, by its place among the parts. `None` where the
    /// template is not plain.
    pub fn of(parts: &[Part], class: impl Fn(usize) -> Option<String>) -> Option<Plain> {
        let mut steps = Vec::new();
        let mut lead = None;
        for (at, part) in parts.iter().enumerate() {
            let next = parts.get(at + 1);
            match part {
                Part::Literal(text) => steps.push(Step::Literal(text.clone().into_bytes())),
                Part::Capture { .. } => {
                    let class = class(at)?;
                    let follows = match next {
                        Some(Part::Literal(text)) => text.bytes().next(),
                        Some(Part::Capture { .. }) => return None,
                        None => None,
                    };
                    match (class.as_str(), follows, run(&class)) {
                        (PREFIX, Some(_), _) if at == 0 => lead = Some(Lead::Prefix),
                        ("shortest", Some(_), _) if at == 0 => lead = Some(Lead::Shortest),
                        ("any", None, _) => steps.push(Step::Rest),
                        (_, None, Some(run)) => steps.push(Step::Run(run)),
                        // Only where the run cannot go on into the fixed text.
                        (_, Some(end), Some(run)) if !(run.holds)(end) => {
                            steps.push(Step::Run(run));
                        }
                        _ => return None,
                    }
                }
            }
        }
        let finder = match (lead, steps.first()) {
            (None, _) => None,
            (Some(_), Some(Step::Literal(text))) => Some(memmem::Finder::new(text).into_owned()),
            (Some(_), _) => return None,
        };
        Some(Plain {
            lead,
            finder,
            steps,
        })
    }

    /// The captured parts in their order; `None` if the name does not fit.
    pub fn captures<'k>(&self, name: &'k [u8]) -> Option<Vec<&'k [u8]>> {
        let mut captures = Vec::with_capacity(4);
        let (Some(lead), Some(finder)) = (self.lead, &self.finder) else {
            return self.rest(name, &mut captures).then_some(captures);
        };
        for at in overlapping(finder, name) {
            let (front, rest) = name.split_at_checked(at)?;
            let is_front = match lead {
                Lead::Prefix => match front.last() {
                    None => true,
                    Some(last) => {
                        if front.iter().any(|byte| is_blank_or_quote(*byte)) {
                            return None;
                        }
                        matches!(last, b':' | b'_' | b'.' | b'/' | b'|' | b'}' | b'#' | b'-')
                    }
                },
                Lead::Shortest => !front.is_empty(),
            };
            captures.clear();
            captures.push(front);
            if is_front && self.rest(rest, &mut captures) {
                return Some(captures);
            }
        }
        None
    }

    /// Matches everything behind the lead.
    fn rest<'k>(&self, mut rest: &'k [u8], captures: &mut Vec<&'k [u8]>) -> bool {
        for step in &self.steps {
            match step {
                Step::Literal(text) => match rest.strip_prefix(text.as_slice()) {
                    Some(after) => rest = after,
                    None => return false,
                },
                Step::Run(run) => {
                    let len = rest
                        .iter()
                        .position(|byte| !(run.holds)(*byte))
                        .unwrap_or(rest.len());
                    let (taken, after) = rest.split_at(len);
                    let starts = run.first.is_none_or(|first| taken.first() == Some(&first));
                    if !(run.min..=run.max).contains(&len) || !starts {
                        return false;
                    }
                    captures.push(taken);
                    rest = after;
                }
                Step::Rest => {
                    if rest.is_empty() {
                        return false;
                    }
                    captures.push(rest);
                    rest = &[];
                }
            }
        }
        rest.is_empty()
    }
}

/// Where the text stands, also where two places overlap.
fn overlapping<'f>(
    finder: &'f memmem::Finder<'static>,
    name: &'f [u8],
) -> impl Iterator<Item = usize> + 'f {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + finder.find(name.get(from..)?)?;
        from = at + 1;
        Some(at)
    })
}

fn is_blank_or_quote(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | b'"')
}
