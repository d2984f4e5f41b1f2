//! Exit codes, and errors that carry one.

use crate::config::TargetError;
use crate::layouts::LayoutError;
use crate::stores::{StoreError, StoreErrorKind};

/// The exit codes of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Done = 0,
    /// Done, and the answer is bad.
    Bad = 1,
    /// The call is wrong.
    Wrong = 2,
    /// The target cannot be reached or refuses the login.
    Unreachable = 3,
    /// Partly done.
    Partly = 4,
}

#[derive(Clone, Debug)]
pub struct CliError {
    pub code: Code,
    pub text: String,
    pub hint: Option<String>,
}

impl CliError {
    pub fn new(code: Code, text: impl Into<String>) -> CliError {
        CliError {
            code,
            text: text.into(),
            hint: None,
        }
    }

    pub fn with_hint(code: Code, text: impl Into<String>, hint: impl Into<String>) -> CliError {
        CliError {
            code,
            text: text.into(),
            hint: Some(hint.into()),
        }
    }
}

impl From<TargetError> for CliError {
    fn from(error: TargetError) -> CliError {
        CliError {
            code: Code::Wrong,
            text: error.text,
            hint: error.hint,
        }
    }
}

impl From<LayoutError> for CliError {
    fn from(error: LayoutError) -> CliError {
        CliError::new(Code::Wrong, error.to_string())
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> CliError {
        let code = match error.kind {
            StoreErrorKind::Unsupported | StoreErrorKind::Ambiguous => Code::Wrong,
            _ => Code::Unreachable,
        };
        CliError::with_hint(code, error.text.clone(), error.hint())
    }
}
