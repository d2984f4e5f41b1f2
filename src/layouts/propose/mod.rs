//! Proposes a layout for what a sample holds, in a layout's ordinary text.
//!
//! Apart from detection because a person asked for it: it guesses where detection must not, says why
//! in a comment beside each guess, and leaves out, with a comment, what no record can tell.
//! Invariant: whatever stands in the sample, the text is a layout that can be read.

mod decoder;
mod families;
mod form;
mod grid;
mod keys;
mod roles;
mod status;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod token;

pub use families::{KeyFamily, families};
pub use keys::keys;
pub use table::table;

use crate::domain::Timestamp;

/// What a proposal rests on, beside the records.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'g> {
    /// The store's clock.
    pub now: Timestamp,
    /// Ids of layouts that are there.
    pub taken: &'g [String],
    /// Records that the sample was taken from, where it is known.
    pub of: Option<u64>,
}

/// The head of every proposal.
fn head(place: &str, id: &str, class: &str, looked_at: &str) -> String {
    let mut text = text::comment(&format!(
        "Proposed from {looked_at}. Read it, correct it, and save it: what is marked as a guess was \
         not told by the records."
    ));
    text.push_str(&format!(
        "\nid = {}\ntitle = {}\nclass = \"{class}\"\n\n",
        text::quoted(id),
        text::quoted(&format!("Records in {place}")),
    ));
    text
}

/// What no record tells: the lease, what is answered to a retry, and what a repair is. `section` is
/// `redis` or `sql`.
fn untold(section: &str, has_deadline: bool, text: &mut String) {
    if !has_deadline {
        text.push_str(&text::comment(
            "How long a lock is meant to hold stands in no record. Without a lease nothing here \
             counts as stuck.",
        ));
        text.push_str(&text::offered(&[
            "[lock]",
            "lease = \"60s\"",
            "source = \"LOCK_SECS in our service\"",
        ]));
        text.push('\n');
    }
    text.push_str(&text::comment(
        "Nor do records tell what a retry is answered.",
    ));
    text.push_str(&text::offered(&[
        "[retry]",
        "processing = { action = \"refuse_in_progress\", status = 409, why = \"another request is running\" }",
        "completed = { action = \"replay\", why = \"the stored answer is sent again\" }",
        "failed = { action = \"execute\", why = \"a failed request may be tried again\" }",
    ]));
    text.push('\n');
    text.push_str(&text::comment(
        "Nor what a lock that is stuck is released by: until it is said here, nothing of these \
         records is changed from here.",
    ));
    let release = format!("[{section}.release]");
    let purge = format!("[{section}.purge]");
    text.push_str(&text::offered(&[
        release.as_str(),
        "delete = \"record\"",
        purge.as_str(),
        "delete = \"record\"",
    ]));
    text.push('\n');
}
