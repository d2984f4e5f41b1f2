//! What a server's errors mean for a change: an outcome, a sentence, and whether all the others
//! will meet the same.
//!
//! Apart from the two ways of changing because both get the same errors.

use ::redis::Value;

use crate::domain::change::{Applied, Outcome};
use crate::stores::{StoreError, StoreErrorKind};

/// An error that a server sent, so that nothing was done.
pub struct Refusal {
    pub why: String,
    /// Set where the store as a whole is concerned.
    pub trouble: Option<StoreErrorKind>,
}

impl Refusal {
    /// From an error's text: its code is the first word.
    pub fn of(text: &str) -> Refusal {
        let (code, rest) = text.split_once(' ').unwrap_or((text, ""));
        // A script's own words about the place of the error in it.
        let rest = rest.split(" script: ").next().unwrap_or_default();
        let rest = rest.trim_end_matches('.').replace(['\r', '\n'], " ");
        let all = |kind, why: &str| Refusal {
            why: why.to_owned(),
            trouble: Some(kind),
        };
        let one = |why: String| Refusal { why, trouble: None };
        use StoreErrorKind::{Denied, Login, TimedOut, Unreachable, Unsupported};
        match code {
            "BUSY" => all(TimedOut, "the server is busy with another script (BUSY)"),
            "LOADING" => all(
                Unreachable,
                "the server is still loading its data (LOADING)",
            ),
            "MASTERDOWN" => all(
                Unreachable,
                "the server is a replica that has lost its primary (MASTERDOWN)",
            ),
            "READONLY" => all(
                Denied,
                "the server is a replica that takes no changes (READONLY): connect to its primary",
            ),
            "CLUSTERDOWN" | "TRYAGAIN" => all(
                Unreachable,
                "the cluster does not take changes at the moment (CLUSTERDOWN)",
            ),
            "MOVED" | "ASK" => Refusal {
                why: "the key is at another node of the cluster (MOVED): connect with \
                      `redis+cluster://`"
                    .to_owned(),
                trouble: Some(Unsupported),
            },
            "CROSSSLOT" => one(
                "the keys of this record are at different places of the cluster (CROSSSLOT)"
                    .to_owned(),
            ),
            "MISCONF" => all(
                Denied,
                "the server takes no changes while it cannot save to disk (MISCONF)",
            ),
            "NOREPLICAS" => all(
                Unreachable,
                "the server takes no changes while it has too few replicas (NOREPLICAS)",
            ),
            "NOAUTH" | "WRONGPASS" => all(Login, "the server asks for a password"),
            "OOM" => one("the server has no memory left for it (OOM)".to_owned()),
            "NOPERM" => one(format!("the login may not do it: {rest}")),
            _ if rest.contains("ACL failure") || rest.contains("can't run this command") => {
                one(format!("the login may not do it: {rest}"))
            }
            _ => one(format!("the server answered {code} {rest}")),
        }
    }

    pub fn of_answer(answer: &Value) -> Option<Refusal> {
        let Value::ServerError(error) = answer else {
            return None;
        };
        let text = format!("{} {}", error.code(), error.details().unwrap_or_default());
        Some(Refusal::of(&text))
    }

    pub fn applied(&self) -> Applied {
        Applied::not(Outcome::Refused, &self.why)
    }

    pub fn error(&self, label: &str) -> Option<StoreError> {
        let text = || format!("{label}: {}", self.why);
        self.trouble.map(|kind| StoreError::new(kind, text()))
    }
}

/// What the script says of one record where nothing was refused.
pub fn of_letter(letter: Option<&u8>) -> Applied {
    match letter {
        Some(b'd') => Applied::done(),
        Some(b'c') => changed(),
        Some(b'g') => gone(),
        _ => unanswered(),
    }
}

/// What the script says of one record.
pub fn of_script(answer: &Value) -> Result<Applied, Refusal> {
    let text = super::super::text_of(answer).unwrap_or_default();
    let mut letters = text.chars();
    Ok(match letters.next() {
        Some('d') => Applied::done(),
        Some('c') => changed(),
        Some('g') => gone(),
        Some('p') => expired(),
        Some('e') => return Err(Refusal::of(letters.as_str())),
        Some('h') => half(&Refusal::of(letters.as_str()).why),
        _ => Applied::not(
            Outcome::Unknown,
            "the server gave an answer of another form",
        ),
    })
}

pub fn changed() -> Applied {
    Applied::not(Outcome::ChangedMeanwhile, "it is not as it was seen")
}

pub fn gone() -> Applied {
    Applied::not(Outcome::Gone, "it was gone already")
}

pub fn expired() -> Applied {
    let why = "the expiry that it is to have has passed: nothing was put there";
    Applied::not(Outcome::Refused, why)
}

pub fn half(why: &str) -> Applied {
    let why = format!("only a part of it was changed: {why}");
    Applied::not(Outcome::Unknown, why)
}

pub fn unanswered() -> Applied {
    let why = "it was sent and no answer came: look whether it was done";
    Applied::not(Outcome::Unknown, why)
}

pub fn not_reached() -> Applied {
    Applied::not(Outcome::NotReached, "it was not sent any more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_server_are_told_apart() {
        let trouble = |text: &str| Refusal::of(text).trouble.is_some();
        assert!(trouble(
            "READONLY You can't write against a read only replica. script: 1, on x"
        ));
        assert!(trouble("BUSY Redis is busy running a script."));
        assert!(!trouble(
            "OOM command not allowed when used memory > 'maxmemory'."
        ));
        let denied =
            "ERR ACL failure in script: User a has no permissions to run the 'set' command";
        assert!(
            Refusal::of(denied)
                .why
                .starts_with("the login may not do it")
        );
    }
}
