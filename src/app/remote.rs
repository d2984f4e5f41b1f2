//! A value that comes from elsewhere: not asked for, on its way, here, or failed.
//!
//! Invariant: loading and failing never throw away what was there before, nor when it was had.

use crate::domain::Timestamp;
use crate::stores::StoreError;

/// Why something did not come, in words for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub text: String,
    pub hint: Option<String>,
    /// The store as a whole could not be used.
    pub is_connection: bool,
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure {
            hint: Some(error.hint().to_owned()),
            is_connection: error.is_connection(),
            text: error.text,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    Idle,
    Loading,
    Ready,
    Failed(Failure),
}

/// The newest value with its age, whatever became of the next one.
#[derive(Clone, Debug)]
pub struct Remote<T> {
    phase: Phase,
    had: Option<(T, Timestamp)>,
}

impl<T> Default for Remote<T> {
    fn default() -> Remote<T> {
        Remote {
            phase: Phase::Idle,
            had: None,
        }
    }
}

impl<T> Remote<T> {
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// The newest value that was had.
    pub fn value(&self) -> Option<&T> {
        self.had.as_ref().map(|(value, _)| value)
    }

    /// The same, for what becomes known of it later.
    pub fn value_mut(&mut self) -> Option<&mut T> {
        self.had.as_mut().map(|(value, _)| value)
    }

    pub fn had_at(&self) -> Option<Timestamp> {
        self.had.as_ref().map(|(_, at)| *at)
    }

    pub fn is_loading(&self) -> bool {
        self.phase == Phase::Loading
    }

    pub fn failure(&self) -> Option<&Failure> {
        match &self.phase {
            Phase::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    pub fn loading(&mut self) {
        self.phase = Phase::Loading;
    }

    pub fn ready(&mut self, value: T, at: Timestamp) {
        self.phase = Phase::Ready;
        self.had = Some((value, at));
    }

    pub fn failed(&mut self, failure: Failure) {
        self.phase = Phase::Failed(failure);
    }

    /// Forgets everything: another thing is meant from now on.
    pub fn reset(&mut self) {
        *self = Remote::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_had_stays() {
        let mut remote = Remote::default();
        assert_eq!(remote.value(), None::<&u8>);
        remote.ready(7, Timestamp(1000));
        remote.loading();
        assert_eq!(
            (remote.value(), remote.had_at()),
            (Some(&7), Some(Timestamp(1000)))
        );
        remote.failed(Failure {
            text: "No answer".to_owned(),
            hint: None,
            is_connection: true,
        });
        assert_eq!(remote.value(), Some(&7));
        assert!(remote.failure().is_some());
    }
}
