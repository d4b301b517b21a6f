//! Pacers, which determine when the next transaction is due: one file each.
//!
//! An open load is a sequence of times, so a new one is a file with an iterator (and its name in
//! the job). A closed load depends on when transactions end.

mod closed;
mod constant;
mod poisson;
mod stages;

pub use closed::Closed;

use std::sync::Arc;

use crate::job::PacerKind;
use crate::random::Random;

/// A transaction that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// When it should start, in nanoseconds of the clock.
    pub intended: u64,
    /// Its client; none for an open load.
    pub client: Option<u32>,
}

/// Determines when transactions are due.
pub trait Pacer: Send {
    /// When the next transaction is due; `None` if not before another one ends, or never.
    fn next_due(&self) -> Option<u64>;

    /// Takes the transaction that `next_due` announced. Only those that count are part of the
    /// clients' time and limits.
    fn take(&mut self, now: u64, counts: bool) -> Option<Due>;

    /// Notes that a transaction of `client` ended, and whether it counts.
    fn ended(&mut self, client: Option<u32>, at: u64, counts: bool);

    /// The parts of the clients' time; `None` for an open load.
    fn client_time(&self) -> Option<ClientTime>;
}

/// The time of all clients together, each from the intended start of its first transaction that
/// counts to its last end. It excludes the beginning and the end of a window, when some clients are
/// idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientTime {
    pub whole_ns: u64,
    /// The think time within it, between transactions.
    pub thinking_ns: u64,
    /// The time within it in which no connection was free.
    pub waiting_ns: u64,
    /// The time within it in which connections that had ended were closed.
    pub closing_ns: u64,
}

impl ClientTime {
    /// The time without waiting for free connections.
    pub fn own_ns(&self) -> u64 {
        self.whole_ns.saturating_sub(self.waiting_ns)
    }

    /// Adds the time of other clients.
    pub fn add(&mut self, other: &Self) {
        self.whole_ns += other.whole_ns;
        self.thinking_ns += other.thinking_ns;
        self.waiting_ns += other.waiting_ns;
        self.closing_ns += other.closing_ns;
    }
}

/// The part of a load that one of several workers generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    pub worker: usize,
    pub workers: usize,
}

impl Share {
    /// The number of `total` items, assigned to workers in turn, that this worker gets.
    pub fn of(self, total: u64) -> u64 {
        (total + (self.workers - 1 - self.worker) as u64) / self.workers as u64
    }

    /// The numbers of this worker's items, which are assigned to workers in turn.
    fn numbers(self) -> impl Iterator<Item = u64> + Send {
        (self.worker as u64..).step_by(self.workers)
    }
}

/// The slice of a pacer; times are nanoseconds of the clock.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// When load begins.
    pub start: u64,
    /// The limit of transactions per client that count.
    pub per_client: Option<u64>,
    /// Replaces the seed of a random pacer.
    pub seed: Option<u64>,
}

/// The seed of a worker's own arrivals. The workers' streams are independent, and their sum is a
/// Poisson stream of the whole rate, however well the clocks of several machines agree. A single
/// stream assigned in turn would not be, as soon as one machine is late, and each worker would have
/// to draw all of it.
fn seed_of(seed: u64, worker: usize) -> u64 {
    match worker {
        0 => seed,
        number => Random::new(seed.wrapping_add((number as u64) << 32)).next(),
    }
}

/// The pacer of one worker for one slice.
pub fn pacer(kind: &PacerKind, share: Share, turn: Turn) -> Box<dyn Pacer> {
    let (start, numbers) = (turn.start, share.numbers());
    match *kind {
        PacerKind::Closed {
            clients,
            think_time_us,
        } => Box::new(Closed::new(clients, think_time_us * 1000, share, turn)),
        PacerKind::Constant { rate_per_s } => {
            let due = move |number| constant::due(rate_per_s, number);
            Box::new(Open::new(numbers.map(due), start))
        }
        PacerKind::Poisson { rate_per_s, seed } => {
            let seed = seed_of(turn.seed.unwrap_or(seed), share.worker);
            let arrivals = poisson::arrivals(rate_per_s / share.workers as f64, seed);
            Box::new(Open::new(arrivals, start))
        }
        PacerKind::Stages { ref stages } => {
            Box::new(Open::new(stages::arrivals(stages, numbers), start))
        }
        PacerKind::Replay { ref times_ns } => {
            let times_ns = Arc::clone(times_ns);
            let due = move |number| times_ns.get(number as usize).copied();
            Box::new(Open::new(numbers.map_while(due), start))
        }
    }
}

/// An open load: transactions are due at times that do not depend on the server.
///
/// The times are in nanoseconds from the start of the slice. Except for random ones, they are
/// assigned to the workers in turn, so that their common schedule does not depend on their number.
struct Open<Arrivals> {
    arrivals: Arrivals,
    start: u64,
    next: Option<u64>,
}

impl<Arrivals: Iterator<Item = u64>> Open<Arrivals> {
    fn new(mut arrivals: Arrivals, start: u64) -> Self {
        let next = arrivals.next();
        Self {
            arrivals,
            start,
            next,
        }
    }
}

impl<Arrivals: Iterator<Item = u64> + Send> Pacer for Open<Arrivals> {
    #[inline]
    fn next_due(&self) -> Option<u64> {
        self.next.map(|offset| self.start.saturating_add(offset))
    }

    #[inline]
    fn take(&mut self, _now: u64, _counts: bool) -> Option<Due> {
        let intended = self.next_due()?;
        self.next = self.arrivals.next();
        Some(Due {
            intended,
            client: None,
        })
    }

    fn ended(&mut self, _client: Option<u32>, _at: u64, _counts: bool) {}

    fn client_time(&self) -> Option<ClientTime> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Stage;

    #[test]
    fn a_time_beyond_the_clock_is_never_due() {
        let never = Open::new(std::iter::once(u64::MAX), 1_000);
        assert_eq!(never.next_due(), Some(u64::MAX));
    }

    fn schedule(kind: &PacerKind, share: Share, count: usize) -> Vec<u64> {
        let turn = Turn {
            start: 1_000,
            per_client: None,
            seed: None,
        };
        let mut pacer = pacer(kind, share, turn);
        let due = std::iter::from_fn(|| pacer.take(0, true));
        due.map(|due| due.intended).take(count).collect()
    }

    #[test]
    fn workers_share_one_schedule() {
        let whole = Share {
            worker: 0,
            workers: 1,
        };
        let stage = |from_per_s, to_per_s| Stage {
            from_per_s,
            to_per_s,
            seconds: 0.1,
        };
        for kind in [
            PacerKind::Constant { rate_per_s: 1234.5 },
            PacerKind::Stages {
                stages: [stage(100.0, 3_000.0), stage(3_000.0, 3_000.0)].into(),
            },
            PacerKind::Replay {
                times_ns: [0, 5, 5, 900, 901].into(),
            },
        ] {
            let mut dealt: Vec<u64> = (0..3)
                .flat_map(|worker| schedule(&kind, Share { worker, workers: 3 }, 100))
                .collect();
            dealt.sort_unstable();
            assert_eq!(dealt, schedule(&kind, whole, dealt.len()));
            assert!(dealt.len() >= 5, "{kind:?}");
        }
    }

    #[test]
    fn workers_have_separate_poisson_streams() {
        let kind = PacerKind::Poisson {
            rate_per_s: 1_000.0,
            seed: 9,
        };
        let (workers, count) = (4, 10_000);
        let streams: Vec<Vec<u64>> = (0..workers)
            .map(|worker| schedule(&kind, Share { worker, workers }, count))
            .collect();
        for times in &streams {
            let rate = times.len() as f64 / (*times.last().unwrap() as f64 / 1e9);
            assert!((rate / 250.0 - 1.0).abs() < 0.05, "{rate}");
        }
        // Together: the gaps of a Poisson stream of the whole rate, one of them late by more.
        let end = streams.iter().map(|times| *times.last().unwrap()).min();
        let late = |worker: usize| if worker == 2 { 3_000_000 } else { 0 };
        let shifted = |(worker, times): (usize, &Vec<u64>)| -> Vec<u64> {
            times.iter().map(|time| time + late(worker)).collect()
        };
        let mut all: Vec<u64> = streams.iter().enumerate().flat_map(shifted).collect();
        all.retain(|time| *time < end.unwrap());
        all.sort_unstable();
        let gaps: Vec<f64> = all
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as f64)
            .collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean / 1e6 - 1.0).abs() < 0.03, "{mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.03);
    }

    #[test]
    fn shares_add_up() {
        for total in 0..20 {
            let sum: u64 = (0..3)
                .map(|worker| Share { worker, workers: 3 }.of(total))
                .sum();
            assert_eq!(sum, total);
        }
    }
}
