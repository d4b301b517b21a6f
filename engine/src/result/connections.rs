//! The connections of a target, beside its transactions.

use std::collections::BTreeMap;

use serde::Serialize;

use super::text::plural;
use super::total::Total;

/// All connections of the job to a target.
#[derive(Serialize)]
pub struct ConnectionsRow {
    pub opened: u64,
    /// Those that could not be opened, by class of failure.
    pub failed: BTreeMap<&'static str, u64>,
    /// Those that broke their protocol when no request was under way, by how.
    pub violations: BTreeMap<&'static str, u64>,
}

impl ConnectionsRow {
    /// From the sums over all workers.
    pub fn new(total: &Total) -> Self {
        Self {
            opened: total.connect.moments.count(),
            failed: total.absences.clone(),
            violations: total.violations.clone(),
        }
    }

    /// The number of violations.
    pub fn broken(&self) -> u64 {
        self.violations.values().sum()
    }

    /// What a reader of the result must know of them.
    pub fn doubts(&self) -> impl Iterator<Item = String> {
        let failed = self.failed.iter().map(|(class, number)| {
            let number = plural(*number, "connection");
            format!("{number} could not be opened ({class}); the others were used")
        });
        let broken = self.violations.iter().map(|(how, number)| {
            let number = plural(*number, "connection");
            format!("{number} broke their protocol between requests: {how}")
        });
        failed.chain(broken)
    }
}
