//! Counts and response times by operation, if there are several.

use std::sync::Arc;

use super::sample::Sample;
use super::slice::Errors;
use crate::histogram::Distribution;
use crate::job::Target;

/// The most operations that are distinguished; further ones are merged into the last.
const MOST: usize = 200;
const OTHERS: &str = "(others)";

/// The names of a target's operations, and the operation of each transaction.
#[derive(Default)]
pub struct Catalogue {
    pub names: Vec<String>,
    /// Empty if there is only one operation, which needs no record of its own.
    of: Vec<u32>,
}

impl Catalogue {
    /// The operations of a target.
    pub fn new(target: &Target) -> Self {
        let mut names: Vec<String> = Vec::new();
        let mut of = Vec::with_capacity(target.load().len());
        for transaction in target.load() {
            let known = names.iter().position(|name| *name == transaction.operation);
            let index = known.unwrap_or_else(|| {
                if names.len() < MOST {
                    names.push(transaction.operation.clone());
                } else if names.len() == MOST {
                    names.push(OTHERS.into());
                }
                names.len() - 1
            });
            of.push(index as u32);
        }
        if names.len() < 2 {
            return Self::default();
        }
        Self { names, of }
    }
}

/// The records of one worker.
pub struct Operations {
    catalogue: Arc<Catalogue>,
    pub all: Vec<Operation>,
}

/// The record of one operation.
#[derive(Default)]
pub struct Operation {
    pub errors: Errors,
    /// From the intended start to the end.
    pub response: Distribution,
}

impl Operation {
    /// Adds the record of another worker.
    pub fn add(&mut self, other: &Self) {
        for (sum, count) in self.errors.iter_mut().zip(other.errors) {
            *sum += count;
        }
        self.response.add(&other.response);
    }
}

impl Operations {
    /// Allocates all memory; pages of histograms that are never used take none.
    pub fn new(catalogue: Arc<Catalogue>) -> Self {
        Self {
            all: catalogue
                .names
                .iter()
                .map(|_| Operation::default())
                .collect(),
            catalogue,
        }
    }

    /// Records a transaction with its operation.
    #[inline]
    pub fn record(&mut self, sample: &Sample) {
        if let Some(&index) = self.catalogue.of.get(sample.transaction as usize) {
            let operation = &mut self.all[index as usize];
            operation.errors[usize::from(sample.failure)] += 1;
            operation.response.record(sample.response_ns());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::from_command_line;

    fn target(operations: &[String]) -> Arc<Target> {
        let transaction = |name| serde_json::json!({ "operation": name, "rounds": [[0]] });
        let transactions: Vec<_> = operations.iter().map(transaction).collect();
        let job = from_command_line(&serde_json::json!({
            "format": "wirelab-job/2",
            "targets": [{
                "name": "x",
                "transport": "http1",
                "address": "127.0.0.1:1",
                "pacer": { "kind": "closed" },
                "requests": [{}],
                "transactions": transactions,
            }],
            "stop": { "transactions": 1 },
        }));
        job.unwrap().targets.remove(0)
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn each_operation_has_its_own_record() {
        let target = target(&names(&["a", "b", "a"]));
        let mut operations = Operations::new(Arc::new(Catalogue::new(&target)));
        for (transaction, end_ns, failure) in [(0, 10, 0), (1, 20, 0), (2, 30, 5)] {
            operations.record(&Sample {
                transaction,
                end_ns,
                failure,
                ..Sample::default()
            });
        }
        let [a, b] = operations.all.as_slice() else {
            panic!("two operations")
        };
        assert_eq!(
            (a.response.moments.count(), a.response.moments.max_ns()),
            (2, 30)
        );
        assert_eq!((a.errors[0], a.errors[5]), (1, 1));
        assert_eq!(b.response.moments.max_ns(), 20);
    }

    #[test]
    fn one_operation_needs_no_record_and_too_many_share_one() {
        assert!(
            Catalogue::new(&target(&names(&["a", "a"])))
                .names
                .is_empty()
        );
        let many: Vec<String> = (0..MOST + 5).map(|number| number.to_string()).collect();
        let catalogue = Catalogue::new(&target(&many));
        assert_eq!(catalogue.names.len(), MOST + 1);
        assert_eq!(catalogue.names.last().unwrap(), OTHERS);
        assert_eq!(catalogue.of[MOST + 4], MOST as u32);
    }
}
