//! The little statistics that the engine needs for what it says itself.

mod interval;
mod quantile;
mod student;
mod trimmed;

pub use interval::Interval;
pub use quantile::quantiles;
pub use student::student_975;
pub use trimmed::trimmed_mean;
