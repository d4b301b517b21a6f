//! Why something is refused, in words that every protocol has an error for.

use deadpool_postgres::{PoolError, TimeoutType};
use tokio_postgres::error::SqlState;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    NotFound,
    Invalid,
    Unauthenticated,
    OutOfStock,
    PaymentRefused,
    Unavailable,
    TooLate,
    /// A row with this key is there already: what a checkout makes of its own repetition.
    Repeated,
    Internal,
}

impl Kind {
    /// The reason as GraphQL and WebSocket say it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::Invalid => "invalid",
            Self::Unauthenticated => "unauthenticated",
            Self::OutOfStock => "out_of_stock",
            Self::PaymentRefused => "payment_refused",
            Self::Unavailable => "unavailable",
            Self::TooLate => "too_late",
            Self::Repeated | Self::Internal => "internal",
        }
    }
}

/// An error that a client may know the reason of; what goes wrong inside is in the log instead.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub kind: Kind,
    pub detail: String,
}

pub type Result<Value> = std::result::Result<Value, Refusal>;

impl Refusal {
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }

    pub fn not_found(what: &str) -> Self {
        Self::new(Kind::NotFound, format!("there is no such {what}"))
    }

    pub fn too_late() -> Self {
        Self::new(Kind::TooLate, "there was no answer within the deadline")
    }

    fn inside(error: &dyn std::fmt::Display) -> Self {
        eprintln!("{error}");
        Self::new(Kind::Internal, "something went wrong inside the server")
    }
}

impl From<tokio_postgres::Error> for Refusal {
    fn from(error: tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(known) if *known.code() == SqlState::UNIQUE_VIOLATION => {
                Self::new(Kind::Repeated, "it is there already")
            }
            Some(known) => Self::inside(known),
            None => Self::inside(&error),
        }
    }
}

impl From<PoolError> for Refusal {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Timeout(TimeoutType::Wait) => {
                Self::new(Kind::Unavailable, "every connection to the store is in use")
            }
            PoolError::Backend(error) => error.into(),
            other => Self::inside(&other),
        }
    }
}

impl From<garde::Report> for Refusal {
    fn from(report: garde::Report) -> Self {
        let problems: Vec<String> = report.iter().map(|(path, error)| format!("{path}: {error}")).collect();
        Self::new(Kind::Invalid, problems.join("; "))
    }
}
