//! The requested rows of an endless table.

use std::ops::Range;

use clap::Args;

/// A range of rows. Row N is the same in every range.
#[derive(Args, Clone, Debug)]
pub struct Window {
    /// Number of rows to write
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub count: u64,

    /// Number of rows to skip before the first
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub skip: u64,
}

impl Window {
    /// The numbers of the rows; the first row of a table is number 1.
    pub fn numbers(&self) -> Range<u64> {
        let first = self.skip.saturating_add(1);
        first..first.saturating_add(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_from_one() {
        assert_eq!(Window { count: 3, skip: 0 }.numbers(), 1..4);
        assert_eq!(Window { count: 3, skip: 7 }.numbers(), 8..11);
        assert_eq!(Window { count: 0, skip: 7 }.numbers().count(), 0);
    }
}
