//! What holds of a scan and of a bulk release whatever befalls the store in the middle.
//!
//! Apart from the stores because the laws are the same for all of them: nothing is listed twice, what is
//! called complete misses nothing, no record is touched that changed after it was looked at, every word
//! is true of what the store then holds, the journal is whole, and undoing brings all of it back.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Stdio};
use std::time::Duration;

use idemscope::sys::clock::Stopwatch;
use serde_json::Value as Json;

use crate::support::{long, seed};
use crate::{Person, Ran};

/// Nothing is waited for any longer.
const LONG: Duration = Duration::from_secs(20);

/// Of each record what stands there, whole.
pub type State = BTreeMap<String, String>;

/// What an application does to a record between the look and the release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Finish,
    Renew,
    Remove,
}

/// A store that things befall.
pub trait Victim {
    /// The target, and the options that lead there.
    fn words(&self) -> Vec<String>;
    /// So many stuck locks, and nothing else.
    fn fill(&self, count: usize);
    /// What an application does, for good: also where the store loses what it acknowledged last.
    fn live(&self, deeds: &[(usize, Deed)]);
    /// All records, by their addresses.
    fn state(&self) -> State;
    /// Locks that are still held, or none where nobody can say.
    fn held(&self) -> Option<usize>;
    /// Whether such a record holds a lock.
    fn is_held(&self, text: &str) -> bool;
    /// Addresses of locks that a running transaction holds.
    fn alive(&self) -> Vec<String> {
        Vec::new()
    }
    /// Something befalls it.
    fn happen(&self, random: &mut fastrand::Rng) -> Befell;
    /// All is well again.
    fn mend(&self);
}

/// What befell the store.
#[derive(Clone, Debug)]
pub struct Befell {
    pub what: String,
    /// Whether the store may have lost what it had acknowledged.
    pub loses: bool,
}

impl Befell {
    pub fn only(what: impl Into<String>) -> Befell {
        let what = what.into();
        Befell { what, loses: false }
    }
}

/// How often, and over how many records.
pub fn size(few: usize) -> (usize, usize) {
    match long() {
        true => (50, 10_000),
        false => (few, 2_000),
    }
}

/// Runs a command while something befalls the store, at a moment that `when` waits for.
fn meanwhile(
    person: &Person,
    words: &[String],
    when: impl FnOnce(&mut Child),
    happen: impl FnOnce() -> Befell,
) -> (Ran, Befell) {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = person.command(&words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // Read while it runs: it says more than a pipe holds.
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let whole = |pipe: Option<&mut dyn std::io::Read>| {
            let mut text = String::new();
            if let Some(pipe) = pipe {
                let _ = pipe.read_to_string(&mut text);
            }
            text
        };
        let said = scope.spawn(move || whole(out.as_mut().map(|pipe| pipe as _)));
        let told = scope.spawn(move || whole(err.as_mut().map(|pipe| pipe as _)));
        when(&mut child);
        let befell = happen();
        let code = child.wait().expect("an end").code().unwrap_or(-1);
        let (out, err) = (said.join().expect("text"), told.join().expect("text"));
        (Ran { code, out, err }, befell)
    })
}

fn ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

fn with(first: &[&str], victim: &impl Victim, rest: &[&str]) -> Vec<String> {
    let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let mut all: Vec<String> = own(first);
    all.extend(victim.words());
    all.extend(["--timeout", "2s"].map(str::to_owned));
    all.extend::<Vec<String>>(own(rest));
    all
}

/// Nothing befalls it any more: a slow machine is no trouble.
fn patient(mut words: Vec<String>) -> Vec<String> {
    for word in words.iter_mut().filter(|word| *word == "2s") {
        "60s".clone_into(word);
    }
    words
}

fn run(person: &Person, words: &[String]) -> Ran {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    person.run(&words)
}

/// One bulk release of `count` locks, with what an application does meanwhile, and its undoing.
pub fn release(person: &Person, victim: &impl Victim, count: usize, random: &mut fastrand::Rng) {
    victim.fill(count);
    let before = victim.state();
    assert_eq!(before.len(), count, "filled");
    let plan = person.home.join("plan.json").display().to_string();
    let words = ["--stuck", "--older-than", "10m", "--plan", &plan];
    let planned = run(person, &with(&["release"], victim, &words));
    assert_eq!(planned.code, 0, "{}{}", planned.out, planned.err);
    let deeds = deeds(count, random);
    victim.live(&deeds);
    let (lived, alive) = (victim.state(), victim.alive());
    let left = random.usize(count / 10..count);
    let words = ["--apply", &plan, "--yes", "--format", "json"];
    let words = with(&["release"], victim, &words);
    let (ran, befell) = meanwhile(
        person,
        &words,
        |child| {
            let waited = Stopwatch::start();
            let reached = || victim.held().is_none_or(|held| held <= left);
            while !ended(child) && !reached() && waited.elapsed() < LONG {}
        },
        || victim.happen(random),
    );
    victim.mend();
    let label = format!("{} at {left} of {count}, seed {}", befell.what, seed());
    let now = victim.state();
    let (code, err) = (ran.code, &ran.err);
    assert!(matches!(code, 0 | 3 | 4), "{label}: {code} {err}");
    if ran.out.is_empty() {
        assert_eq!(now, lived, "{label}: nothing was told, {}", ran.err);
        return;
    }
    let answer = ran.json();
    for key in answer["keys"].as_array().into_iter().flatten() {
        let is_alive = alive.iter().any(|at| key["address"] == at.as_str());
        assert!(!is_alive || key["outcome"] != "released", "{label}: {key}");
    }
    let tally = words_are_true(victim, &label, &befell, (&before, &lived, &now), &answer);
    println!("{label}: exit {}, {tally:?}", ran.code);
    assert_eq!(tally.values().sum::<usize>(), count, "{label}");
    let is_whole = tally.len() == 1 && tally.contains_key("released");
    assert_eq!(ran.code == 0, is_whole, "{label}: {}", ran.err);
    let Some(journal) = answer["journal_id"].as_str() else {
        return;
    };
    journal_is_whole(person, &label, journal, &answer);
    let undone = run(
        person,
        &patient(with(
            &["undo"],
            victim,
            &[journal, "--yes", "--format", "json"],
        )),
    );
    assert!(matches!(undone.code, 0 | 4), "{label}: {}", undone.err);
    let mut back = victim.state();
    // What nobody answered for and is gone may have been taken away by us, and is put back.
    for key in answer["keys"].as_array().into_iter().flatten() {
        let address = key["address"].as_str().unwrap_or_default();
        if key["outcome"] == "unknown" && !lived.contains_key(address) {
            back.remove(address);
        }
    }
    let differing = lived.iter().find(|(at, text)| back.get(*at) != Some(*text));
    assert_eq!(differing, None, "{label}: undone {}", undone.err);
    assert_eq!(back.len(), lived.len(), "{label}: undone {}", undone.err);
}

/// Some records, each with a deed.
fn deeds(count: usize, random: &mut fastrand::Rng) -> Vec<(usize, Deed)> {
    let mut numbers: BTreeSet<usize> = BTreeSet::new();
    while numbers.len() < 30 {
        numbers.insert(random.usize(0..count));
    }
    let deed = |number: usize| match number % 3 {
        0 => Deed::Finish,
        1 => Deed::Renew,
        _ => Deed::Remove,
    };
    numbers.into_iter().map(|n| (n, deed(n))).collect()
}

/// Each word against the records as they were planned, as they were when the run began, and as they are.
fn words_are_true(
    victim: &impl Victim,
    label: &str,
    befell: &Befell,
    (before, lived, now): (&State, &State, &State),
    answer: &Json,
) -> BTreeMap<String, usize> {
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for key in answer["keys"].as_array().expect("keys") {
        let address = key["address"].as_str().expect("an address");
        let outcome = key["outcome"].as_str().expect("an outcome");
        let why = key["why"].as_str().unwrap_or_default();
        assert!(seen.insert(address), "{label}: {address} twice");
        let (was, at_run, is) = (
            before.get(address),
            lived.get(address),
            now.get(address).map(String::as_str),
        );
        let what = format!("{label}: {address} {outcome} ({why}): {at_run:?} → {is:?}");
        let is_touched_by_others = was != at_run;
        let is_as_at_run = at_run.map(String::as_str) == is;
        let is_released = is.is_none_or(|text| !victim.is_held(text));
        if is_touched_by_others {
            assert!(is_as_at_run, "{what}: it had changed");
            assert_ne!(outcome, "released", "{what}: it had changed");
        }
        let is_true = match outcome {
            "released" => is_released || befell.loses,
            "unknown" if befell.loses => is_released || is_as_at_run,
            "unknown" if why.contains("as it was before") => is_as_at_run && !is_released,
            "unknown" if why.contains("as it was to become") => is_released,
            "unknown" => is_touched_by_others,
            "changed_meanwhile" | "gone" => is_as_at_run && is_touched_by_others,
            "not_reached" | "refused" | "alive" => is_as_at_run,
            _ => false,
        };
        assert!(is_true, "{what}");
        *tally.entry(outcome.to_owned()).or_default() += 1;
    }
    tally
}

/// The journal says what was told, and nobody has altered it.
fn journal_is_whole(person: &Person, label: &str, journal: &str, answer: &Json) {
    let ran = person.run(&["journal", journal, "--format", "json"]);
    assert_eq!(ran.code, 0, "{label}: {}", ran.err);
    let kept = ran.json();
    assert_eq!(kept["chain"], "whole", "{label}");
    assert!(kept["ended_at_ms"].is_i64(), "{label}: it has no end");
    let words = |of: &Json| -> BTreeMap<String, String> {
        let keys = of["keys"].as_array().expect("keys").iter();
        keys.map(|key| {
            let text = |name: &str| key[name].as_str().unwrap_or_default().to_owned();
            (text("address"), text("outcome"))
        })
        .collect()
    };
    assert_eq!(words(&kept), words(answer), "{label}");
}

/// One listing of `count` records while something befalls the store.
pub fn scan(person: &Person, victim: &impl Victim, count: usize, random: &mut fastrand::Rng) {
    let words = with(&["keys"], victim, &["--format", "json"]);
    let began = Stopwatch::start();
    let quiet = run(person, &words);
    assert_eq!(quiet.code, 0, "{}", quiet.err);
    let took = began.elapsed();
    let at = took.mul_f32(random.f32());
    let (ran, befell) = meanwhile(
        person,
        &words,
        |child| {
            while !ended(child) && began.elapsed() < took + at {}
        },
        || victim.happen(random),
    );
    victim.mend();
    let label = format!("{} after {at:?} of {took:?}, seed {}", befell.what, seed());
    let listed: Json = serde_json::from_str(&ran.out).unwrap_or_default();
    let mut seen = BTreeSet::new();
    for record in listed.as_array().into_iter().flatten() {
        let address = record["address"].as_str().expect("an address").to_owned();
        assert!(seen.insert(address.clone()), "{label}: {address} twice");
    }
    println!("{label}: exit {}, {} listed", ran.code, seen.len());
    match ran.code {
        0 => assert_eq!(seen.len(), count, "{label}: {}", ran.err),
        3 | 4 => assert!(!ran.err.is_empty(), "{label}: it does not say why"),
        code => panic!("{label}: {code} {}", ran.err),
    }
}
