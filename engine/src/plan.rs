//! The work of a target as its workers walk through it.

use std::sync::Arc;

use crate::capture::{Capture, Captured};
use crate::expect::Check;
use crate::job::{Order, Request, Target};
use crate::pacer::Share;
use crate::random::Random;
use crate::transport::Look;

/// What all workers of a target share and none changes.
pub struct Plan {
    /// Whose work it is.
    pub target: Arc<Target>,
    /// How to judge the reply to each request.
    pub checks: Vec<Check>,
    /// What to look for in what is decoded of it.
    pub looks: Vec<Look>,
    /// The rounds of each transaction.
    pub rounds: Vec<Vec<Vec<u32>>>,
    /// All different times that requests have for their reply, ascending.
    pub timeouts_ns: Vec<u64>,
    /// Which of them each request has.
    pub timeout_of: Vec<u32>,
    /// Whether what has come by then is the reply.
    pub is_timed: Vec<bool>,
    /// If clients take values from their answers, and which from those to each request.
    pub captured: Option<Captured>,
    pub captures: Vec<Arc<[Capture]>>,
}

impl Plan {
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
    /// The longest time that any request has.
    pub fn longest_timeout_ns(&self) -> u64 {
        self.timeouts_ns.last().copied().unwrap_or(0)
    }
}

/// Which transaction comes next, for one worker: the workers deal one sequence among them.
pub struct Sequence {
    order: Vec<u32>,
    shuffler: Option<Random>,
    /// Where the next one is, counted from the beginning of the pass that `order` is of.
    place: usize,
    stride: usize,
}

impl Sequence {
    /// Begins with the transaction at `first`, modulo their number.
    pub fn new(order: Order, transactions: usize, share: Share, first: u64) -> Self {
        let mut sequence = Self {
            order: (0..transactions as u32).collect(),
            shuffler: match order {
                Order::Cycle => None,
                Order::Shuffle { seed } => Some(Random::new(seed)),
            },
            place: share.worker + (first % transactions.max(1) as u64) as usize,
            stride: share.workers,
        };
        sequence.shuffle();
        sequence
    }

    /// Of nothing, to be asked for nothing.
    pub fn empty() -> Self {
        Self {
            order: Vec::new(),
            shuffler: None,
            place: 0,
            stride: 0,
        }
    }

    /// The index of the next transaction.
    #[inline]
    pub fn next(&mut self) -> u32 {
        while self.place >= self.order.len() {
            self.place -= self.order.len();
            self.shuffle();
        }
        let index = self.order[self.place];
        self.place += self.stride;
        index
    }

    fn shuffle(&mut self) {
        if let Some(random) = &mut self.shuffler {
            random.shuffle(&mut self.order);
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
    fn a_sequence_begins_anywhere() {
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
