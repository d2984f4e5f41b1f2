//! A text that must never be seen: passwords, tokens, private key files' contents.
//!
//! Invariant: neither `Debug` nor any other formatting shows it; the one way out is `reveal`.

use std::fmt;

#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text itself, for the one call that hands it to a server.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Cuts this secret out of a text that somebody else wrote, such as a library's error message.
    pub fn scrub(&self, text: &str) -> String {
        if self.0.len() < 3 {
            return text.to_owned();
        }
        text.replace(&self.0, "•••")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(•••)")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_does_not_show_in_debug() {
        assert_eq!(format!("{:?}", Secret::new("hunter22")), "Secret(•••)");
    }

    #[test]
    fn a_secret_is_cut_out_of_foreign_text() {
        assert_eq!(
            Secret::new("hunter22").scrub("auth hunter22 failed"),
            "auth ••• failed"
        );
    }
}
