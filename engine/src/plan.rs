//! The requests and transactions of a target, prepared for its workers.

use std::sync::Arc;

use crate::capture::{Capture, Captured};
use crate::expect::Check;
use crate::job::{Order, Request, Target};
use crate::pacer::Share;
use crate::random::Permutation;
use crate::transport::Look;

/// The data that all workers of a target share, immutable.
pub struct Plan {
    pub target: Arc<Target>,
    /// The check of each request's reply.
    pub checks: Vec<Check>,
    /// What to search for in the decoded body of each request's reply.
    pub looks: Vec<Look>,
    /// The rounds of each transaction, of indices of requests.
    pub rounds: Vec<Vec<Vec<u32>>>,
    /// The distinct time-outs of requests, ascending.
    pub timeouts_ns: Vec<u64>,
    /// The index of each request's time-out.
    pub timeout_of: Vec<u32>,
    /// Whether a request's reply is complete at its time-out.
    pub is_timed: Vec<bool>,
    /// Present if clients capture values from answers.
    pub captured: Option<Captured>,
    /// The captures of each request.
    pub captures: Vec<Arc<[Capture]>>,
}

impl Plan {
    /// Prepares the requests and transactions of a target.
    pub fn new(target: &Arc<Target>) -> Self {
        let until_ms = |request: &Request| request.stream.as_ref()?.until_ms;
        let ordinary = target.connections.request_timeout_ms;
        let time = |request: &Request| {
            until_ms(request)
                .or(request.deadline_ms)
                .unwrap_or(ordinary)
        };
        let times: Vec<u64> = target.requests.iter().map(time).collect();
        let mut timeouts_ms = times.clone();
        timeouts_ms.sort_unstable();
        timeouts_ms.dedup();
        let position = |time: &u64| timeouts_ms.partition_point(|it| it < time) as u32;
        Self {
            target: Arc::clone(target),
            checks: target
                .requests
                .iter()
                .map(|request| Check::new(&request.expect))
                .collect(),
            looks: target
                .requests
                .iter()
                .map(|request| Look::new(request, target.connections.kept_bytes))
                .collect(),
            rounds: target
                .transactions
                .iter()
                .map(|it| it.rounds.clone())
                .collect(),
            timeout_of: times.iter().map(position).collect(),
            is_timed: target
                .requests
                .iter()
                .map(|it| until_ms(it).is_some())
                .collect(),
            timeouts_ns: timeouts_ms.iter().map(|ms| ms * 1_000_000).collect(),
            captured: target.captured.clone(),
            captures: match target.captured {
                None => Vec::new(),
                Some(_) => {
                    let requests = target.requests.iter();
                    requests.map(|it| Arc::clone(&it.captures)).collect()
                }
            },
        }
    }
}

impl Plan {
    /// The longest time-out of any request.
    pub fn longest_timeout_ns(&self) -> u64 {
        self.timeouts_ns.last().copied().unwrap_or(0)
    }
}

/// The sequence of transactions of one worker; the workers share one sequence in turn.
pub struct Sequence {
    transactions: u64,
    /// The order of the current pass over the transactions; absent, as they are listed.
    shuffled: Option<Permutation>,
    seed: u64,
    pass: u64,
    /// The position of the next transaction in the pass.
    position: u64,
    stride: u64,
}

impl Sequence {
    /// Begins at position `first`, modulo the number of transactions.
    pub fn new(order: Order, transactions: usize, share: Share, first: u64) -> Self {
        let (transactions, seed) = match order {
            Order::Cycle => (transactions as u64, None),
            Order::Shuffle { seed } => (transactions as u64, Some(seed)),
        };
        Self {
            transactions,
            shuffled: seed.map(|seed| Permutation::new(seed, transactions)),
            seed: seed.unwrap_or_default(),
            pass: 0,
            position: share.worker as u64 + first % transactions.max(1),
            stride: share.workers as u64,
        }
    }

    /// An empty sequence, whose `next` must not be called.
    pub fn empty() -> Self {
        let alone = Share {
            worker: 0,
            workers: 1,
        };
        Self::new(Order::Cycle, 0, alone, 0)
    }

    /// The index of the next transaction.
    #[inline]
    pub fn next(&mut self) -> u32 {
        while self.position >= self.transactions {
            self.position -= self.transactions;
            self.pass += 1;
            if let Some(order) = &mut self.shuffled {
                let seed = self.seed.wrapping_add(self.pass << 32);
                *order = Permutation::new(seed, self.transactions);
            }
        }
        let position = self.position;
        self.position += self.stride;
        match &self.shuffled {
            None => position as u32,
            Some(order) => order.at(position) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: Share = Share {
        worker: 0,
        workers: 1,
    };

    fn take(order: Order, share: Share, count: usize) -> Vec<u32> {
        let mut sequence = Sequence::new(order, 5, share, 0);
        (0..count).map(|_| sequence.next()).collect()
    }

    #[test]
    fn a_cycle_repeats_the_list() {
        assert_eq!(take(Order::Cycle, ALONE, 7), [0, 1, 2, 3, 4, 0, 1]);
    }

    #[test]
    fn a_sequence_can_begin_anywhere() {
        let mut cycle = Sequence::new(Order::Cycle, 5, ALONE, 13);
        assert_eq!([cycle.next(), cycle.next(), cycle.next()], [3, 4, 0]);
        let order = Order::Shuffle { seed: 5 };
        let whole = take(order, ALONE, 15);
        let mut later = Sequence::new(order, 5, ALONE, 2);
        for expected in &whole[2..] {
            assert_eq!(later.next(), *expected);
        }
    }

    #[test]
    fn each_shuffled_pass_is_a_different_permutation() {
        let order = take(Order::Shuffle { seed: 5 }, ALONE, 15);
        for pass in order.chunks(5) {
            let mut sorted = pass.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
        assert_ne!(order[..5], order[5..10]);
        assert_eq!(order, take(Order::Shuffle { seed: 5 }, ALONE, 15));
    }

    #[test]
    fn workers_deal_one_sequence() {
        let order = Order::Shuffle { seed: 8 };
        let whole = take(order, ALONE, 30);
        for worker in 0..3 {
            let expected: Vec<u32> = whole.iter().copied().skip(worker).step_by(3).collect();
            assert_eq!(take(order, Share { worker, workers: 3 }, 10), expected);
        }
    }
}
