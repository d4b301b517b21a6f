//! The statistics of the engine's own results.

mod interval;
mod quantile;
mod student;
mod trimmed;

pub use interval::Interval;
pub use quantile::quantiles;
pub use student::student_975;
pub use trimmed::trimmed_mean;
