//! Stopping when a figure is known well enough: batch means.
//!
//! Response times that follow one another have much in common, so their number says little of how
//! well their mean is known. Long stretches of time have little in common: the window is cut into
//! 20 to 39 batches of equal length, each gives one value (its mean, or its percentile), and the
//! interval comes from their spread (Schmeiser, Operations Research 30 (1982) 556-568). When 40
//! are full, neighbours are joined, batches last twice as long, and it is asked whether the figure
//! is known well enough (after Law and Carson, Operations Research 27 (1979) 1011-1025). Who asked
//! after every batch would stop where the interval happens to be narrow: in simulations of
//! correlated times that kept 80 % of the 95 % promised, asking at the doublings all of them.
//! Correlation that is left between neighbours counts as fewer batches.

mod estimate;

pub use estimate::Estimate;

use crate::job::{Precision, Statistic};
use crate::recorder::Tally;

impl Statistic {
    /// Its value in a batch; none if too few transactions lie beyond it to speak of.
    fn of(self, batch: &Tally) -> Option<f64> {
        match self {
            Self::Mean => batch.mean_ns(),
            Self::Quantile(quantile) => {
                let beyond = batch.count() as f64 * (1.0 - quantile);
                (beyond >= LEAST_BEYOND)
                    .then(|| batch.quantile_ns(quantile))
                    .flatten()
            }
        }
    }
}

const LEAST_BATCHES: usize = 20;
const LEAST_BEYOND: f64 = 10.0;

/// How often the watcher wants to look.
pub const LOOK_NS: u64 = 50_000_000;

/// Watches a window and says when the figure is known.
pub struct Watch {
    wanted: Precision,
    seen: Tally,
    batches: Vec<Tally>,
    open: Tally,
    looks_in_open: u32,
    looks_in_batch: u32,
}

impl Watch {
    pub fn new(wanted: Precision) -> Self {
        Self {
            wanted,
            seen: Tally::default(),
            batches: Vec::with_capacity(2 * LEAST_BATCHES),
            open: Tally::default(),
            looks_in_open: 0,
            looks_in_batch: 1,
        }
    }

    /// Takes what has been recorded since the start of the window. True when it is time to ask
    /// whether that is enough.
    pub fn look(&mut self, total: Tally) -> bool {
        self.open.add(&total.since(&self.seen));
        self.seen = total;
        self.looks_in_open += 1;
        if self.looks_in_open < self.looks_in_batch {
            return false;
        }
        self.looks_in_open = 0;
        self.batches.push(std::mem::take(&mut self.open));
        let is_time = self.batches.len() == 2 * LEAST_BATCHES;
        if is_time {
            self.join_neighbours();
        }
        is_time
    }

    fn join_neighbours(&mut self) {
        let mut joined = Vec::with_capacity(2 * LEAST_BATCHES);
        let mut batches = self.batches.drain(..);
        while let (Some(mut first), Some(second)) = (batches.next(), batches.next()) {
            first.add(&second);
            joined.push(first);
        }
        drop(batches);
        self.batches = joined;
        self.looks_in_batch *= 2;
    }

    /// How well the figure is known; none before that can be said at all.
    pub fn estimate(&self) -> Option<Estimate> {
        if self.batches.len() < LEAST_BATCHES {
            return None;
        }
        let values = self.batches.iter().map(|it| self.wanted.of.of(it));
        let values: Vec<f64> = values.collect::<Option<_>>()?;
        let batch_s = f64::from(self.looks_in_batch) * LOOK_NS as f64 / 1e9;
        Some(Estimate::new(&values, batch_s))
    }

    pub fn wanted(&self) -> Precision {
        self.wanted
    }

    /// Whether it is known as well as was asked.
    pub fn is_satisfied(&self) -> bool {
        let estimate = self.estimate();
        estimate.is_some_and(|it| it.half_width_share <= self.wanted.half_width)
    }
}

#[cfg(test)]
mod tests;
