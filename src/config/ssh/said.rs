//! What an SSH configuration says of one host.
//!
//! Source: `ssh_config(5)` and `readconf.c` of OpenSSH. The first value counts, but keys of which all
//! are tried. Invariant: nothing is run; where a block could only be decided by running something,
//! and it says something that is used, there is no answer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::lines::{Line, lines};
use super::pattern::{files, is_listed, is_one_of};
use crate::config::target::TargetError;
use crate::sys::files as texts;

const BYTES_MAX: u64 = 1 << 20;
/// Files that include each other.
const DEPTH_MAX: usize = 16;
/// What is read of a configuration.
const KEYWORDS: [&str; 12] = [
    "globalknownhostsfile",
    "hostkeyalias",
    "hostname",
    "identitiesonly",
    "identityagent",
    "identityfile",
    "port",
    "proxycommand",
    "proxyjump",
    "revokedhostkeys",
    "user",
    "userknownhostsfile",
];

/// Where a configuration stands, and who reads it.
#[derive(Clone, Debug)]
pub struct Config {
    pub folder: PathBuf,
    pub local_user: String,
}

/// The host as it was typed.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub host: &'a str,
    pub user: Option<&'a str>,
}

/// What was said, by keyword in small letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said(BTreeMap<&'static str, Vec<String>>);

impl Said {
    pub fn all(&self, keyword: &str) -> &[String] {
        self.0.get(keyword).map_or(&[], Vec::as_slice)
    }

    pub fn first(&self, keyword: &str) -> Option<&str> {
        self.all(keyword).first().map(String::as_str)
    }

    /// What was said, unless it is `none`.
    pub fn set(&self, keyword: &str) -> Option<&str> {
        self.first(keyword).filter(|word| !is_none(word))
    }

    /// Whether a switch is on; OpenSSH takes `yes` and `true`, in any case.
    pub fn is_on(&self, keyword: &str) -> bool {
        let is_yes = |word: &str| {
            ["yes", "true"]
                .iter()
                .any(|yes| word.eq_ignore_ascii_case(yes))
        };
        self.first(keyword).is_some_and(is_yes)
    }

    pub fn is(&self, keyword: &str) -> bool {
        self.0.contains_key(keyword)
    }

    /// Whether a value would still count; of a jump and a command the first goes before the other.
    fn is_open(&self, keyword: &str) -> bool {
        match keyword {
            "identityfile" => true,
            "proxyjump" | "proxycommand" => !self.is("proxyjump") && !self.is("proxycommand"),
            _ => !self.is(keyword),
        }
    }
}

/// OpenSSH takes it in any case.
pub fn is_none(word: &str) -> bool {
    word.eq_ignore_ascii_case("none")
}

/// Whether a block counts for the host.
#[derive(Clone, Debug)]
enum Active {
    Yes,
    No,
    /// Only `ssh` could tell; what it would do for that, and where it says so.
    Undecided(String),
}

struct Reading<'a> {
    config: &'a Config,
    asked: Asked<'a>,
    /// What `Host` is compared with: as typed, and in the last pass the real name.
    host: String,
    is_final: bool,
    wants_final: bool,
    said: Said,
}

impl Config {
    /// What counts for a host.
    ///
    /// Errors: a file cannot be read, or what it says could only be decided by running something.
    pub fn of(&self, asked: Asked<'_>) -> Result<Said, TargetError> {
        let mut reading = Reading {
            config: self,
            asked,
            host: asked.host.to_owned(),
            is_final: false,
            wants_final: false,
            said: Said::default(),
        };
        reading.pass()?;
        if reading.wants_final {
            // As `ssh` does: what is said goes on counting, and names are compared with the real one.
            reading.host = reading.real_host();
            reading.is_final = true;
            reading.pass()?;
        }
        Ok(reading.said)
    }

    /// A path of the configuration: `~`, or beside it.
    pub fn path(&self, text: &str) -> PathBuf {
        let home = self.folder.parent().unwrap_or(&self.folder);
        match text.strip_prefix("~/") {
            Some(rest) => home.join(rest),
            None => PathBuf::from(text),
        }
    }
}

impl Reading<'_> {
    fn pass(&mut self) -> Result<(), TargetError> {
        let path = self.config.folder.join("config");
        match texts::exists(&path) {
            true => self.file(&path, 0, &Active::Yes),
            false => Ok(()),
        }
    }

    fn real_host(&self) -> String {
        match self.said.first("hostname") {
            Some(name) => name.replace("%h", self.asked.host).replace("%%", "%"),
            None => self.host.clone(),
        }
    }

    fn file(&mut self, path: &Path, depth: usize, outer: &Active) -> Result<(), TargetError> {
        let wrong =
            |what: String| TargetError::new(format!("{} cannot be read: {what}", path.display()));
        if depth > DEPTH_MAX {
            return Err(wrong("files include each other".to_owned()));
        }
        let text =
            texts::read_own_text(path, BYTES_MAX).map_err(|error| wrong(error.to_string()))?;
        let lines = lines(&text)
            .map_err(|number| wrong(format!("a quote in line {number} does not end")))?;
        let mut active = outer.clone();
        for line in &lines {
            match line.keyword.as_str() {
                "host" => {
                    let fits = is_one_of(&line.words, &self.host);
                    active = if fits { outer.clone() } else { Active::No };
                }
                "match" => {
                    active = match (outer, self.matches(line, path)?) {
                        (Active::Yes, inner) => inner,
                        (_, Active::No) => Active::No,
                        (outer, _) => outer.clone(),
                    };
                }
                "include" => {
                    for word in &line.words {
                        let named = self.config.path(word);
                        // Beside the configuration; a whole path stays as it is.
                        for included in files(&self.config.folder.join(named)) {
                            self.file(&included, depth + 1, &active)?;
                        }
                    }
                }
                _ => self.say(line, &active)?,
            }
        }
        Ok(())
    }

    fn say(&mut self, line: &Line, active: &Active) -> Result<(), TargetError> {
        let known = KEYWORDS.into_iter().find(|known| *known == line.keyword);
        let Some(keyword) = known.filter(|known| self.said.is_open(known)) else {
            return Ok(());
        };
        match active {
            Active::No => {}
            Active::Undecided(what) => {
                return Err(TargetError::with_hint(
                    format!(
                        "{what}: it cannot be told whether its `{keyword}` counts for `{}`",
                        self.asked.host
                    ),
                    "nothing of a configuration is run: name host, user and port in `--ssh`, or write a \
                     `Host` block above it",
                ));
            }
            Active::Yes if line.words.is_empty() => {}
            // A key is one path a line; everything else is what stands there.
            Active::Yes => self
                .said
                .0
                .entry(keyword)
                .or_default()
                .extend(line.words.iter().cloned()),
        }
        Ok(())
    }

    /// Whether all that a `Match` asks for is so.
    fn matches(&mut self, line: &Line, path: &Path) -> Result<Active, TargetError> {
        let at = format!("{}:{}", path.display(), line.number);
        let mut words = line.words.iter();
        let (mut fits, mut unknown) = (true, None);
        while let Some(word) = words.next() {
            let (criterion, negated) = match word.strip_prefix('!') {
                Some(rest) => (rest, true),
                None => (word.as_str(), false),
            };
            let (criterion, told) = match criterion.split_once('=') {
                Some((criterion, told)) => (criterion, Some(told)),
                None => (criterion, None),
            };
            let criterion = criterion.to_ascii_lowercase();
            let holds = match criterion.as_str() {
                "all" => true,
                "canonical" => self.is_final,
                "final" => {
                    self.wants_final = true;
                    self.is_final
                }
                _ => {
                    let told = told.or_else(|| words.next().map(String::as_str));
                    let told = told.ok_or_else(|| {
                        TargetError::new(format!(
                            "{at}: `Match {criterion}` says nothing to compare with"
                        ))
                    })?;
                    match self.compares(&criterion, told) {
                        Some(holds) => holds,
                        None => {
                            unknown.get_or_insert(criterion);
                            continue;
                        }
                    }
                }
            };
            fits &= holds != negated;
        }
        Ok(match (fits, unknown) {
            (false, _) => Active::No,
            (true, None) => Active::Yes,
            (true, Some(criterion)) => {
                Active::Undecided(format!("`Match {criterion}` at {at} is not decided here"))
            }
        })
    }

    /// `None` where only `ssh` itself could tell.
    fn compares(&self, criterion: &str, told: &str) -> Option<bool> {
        // Patterns of hosts are in small letters, whatever they were written in.
        let lower = told.to_ascii_lowercase();
        let said_user = self.asked.user.or_else(|| self.said.first("user"));
        Some(match criterion {
            "host" => is_listed(&lower, &self.real_host()),
            "originalhost" => is_listed(&lower, self.asked.host),
            "user" => is_listed(told, said_user.unwrap_or(&self.config.local_user)),
            "localuser" => is_listed(told, &self.config.local_user),
            _ => return None,
        })
    }
}
