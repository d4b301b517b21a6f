//! Why a measurement that begins with a warm-up has nothing to tell.

use std::collections::BTreeMap;

use crate::result::text::count;
use crate::run::RunError;

#[derive(Debug, thiserror::Error)]
pub enum Failed {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(
        "{url}: none of {transactions} transactions of the warm-up succeeded ({errors}), so {follows}"
    )]
    NothingSucceeded {
        url: String,
        transactions: u64,
        errors: String,
        follows: &'static str,
    },
}

impl Failed {
    /// The server does not answer at all; `follows` says what there is not because of that.
    pub fn nothing_succeeded(
        url: &str,
        transactions: u64,
        errors: &BTreeMap<&'static str, u64>,
        follows: &'static str,
    ) -> Self {
        Self::NothingSucceeded {
            url: url.to_owned(),
            transactions,
            errors: told(errors),
            follows,
        }
    }

    /// The exit code of the program.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Run(error) => error.exit_code(),
            Self::NothingSucceeded { .. } => 1,
        }
    }
}

/// Failures by their class, for people.
pub fn told(errors: &BTreeMap<&'static str, u64>) -> String {
    let errors = errors.iter();
    let errors: Vec<String> = errors
        .map(|(name, it)| format!("{name} {}", count(*it)))
        .collect();
    errors.join(", ")
}
