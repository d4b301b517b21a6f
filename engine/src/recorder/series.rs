//! The seconds of a window. Each worker fills one after the other; a thread of low priority adds
//! them up over all workers, since their percentiles could not be added, and keeps a row of each.

use std::collections::VecDeque;
use std::mem::replace;

use crate::histogram::{FINE, Histogram};
use crate::system::mailbox::{Inbox, Outbox};

const SECOND_NS: i64 = 1_000_000_000;
/// The most seconds that wait for workers which have not finished them. What comes later is
/// counted, and not in the percentiles of its second.
const MOST_PENDING: usize = 16;

/// The transactions of one second.
#[derive(Default)]
pub struct Second {
    number: u32,
    errors: u64,
    service: Histogram<FINE>,
    response: Histogram<FINE>,
}

/// The figures of one second, over all workers of a target; times in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub transactions: u64,
    pub errors: u64,
    pub service_p50_ns: u64,
    pub service_p99_ns: u64,
    pub response_p99_ns: u64,
}

/// A finished second, with the indices of its target and worker.
pub type Finished = (usize, usize, Box<Second>);

/// The seconds of one worker.
pub struct Series {
    target: usize,
    worker: usize,
    current: Box<Second>,
    finished: Outbox<Finished>,
    /// Empty seconds. There are few, so that memory is limited; while there is none, the current
    /// second goes on.
    spares: Inbox<Box<Second>>,
}

impl Series {
    /// A series without transactions, of a worker of a target.
    pub fn new(
        target: usize,
        worker: usize,
        finished: Outbox<Finished>,
        spares: Inbox<Box<Second>>,
    ) -> Self {
        Self {
            target,
            worker,
            current: Box::default(),
            finished,
            spares,
        }
    }

    /// Records a transaction in the second in which it ended. Ends may decrease slightly, as
    /// answers are not read in the order in which they arrived; such a transaction counts in the
    /// current second.
    #[inline]
    pub fn record(&mut self, end_ns: i64, service_ns: i64, response_ns: i64, failed: bool) {
        let number = (end_ns / SECOND_NS) as u32;
        if number > self.current.number {
            self.finish(number);
        }
        let current = &mut self.current;
        current.service.record(service_ns.max(0) as u64);
        current.response.record(response_ns.max(0) as u64);
        current.errors += u64::from(failed);
    }

    /// Hands the current second over, and begins another one.
    #[cold]
    pub fn finish(&mut self, next: u32) {
        if self.current.service.is_empty() {
            self.current.number = next;
        } else if let Some(mut spare) = self.spares.take() {
            spare.number = next;
            let finished = replace(&mut self.current, spare);
            self.finished.send((self.target, self.worker, finished));
        }
    }

    /// Hands over the last second.
    pub fn end(self) {
        self.finished.send((self.target, self.worker, self.current));
    }
}

/// The seconds of all workers of a target.
pub struct Seconds {
    /// Without gaps, from the first second.
    pub rows: Vec<Row>,
    /// The sums over all seconds.
    pub service: Histogram<FINE>,
    pub response: Histogram<FINE>,
    /// The seconds after those of `rows`, which are not complete.
    pending: VecDeque<Second>,
    unused: Vec<Second>,
    /// For each worker, the number of seconds that it has finished.
    finished: Vec<u32>,
}

impl Seconds {
    /// Without transactions, of a number of workers.
    pub fn new(workers: usize) -> Self {
        Self {
            rows: Vec::new(),
            service: Histogram::new(),
            response: Histogram::new(),
            pending: VecDeque::with_capacity(MOST_PENDING + 1),
            unused: Vec::with_capacity(MOST_PENDING + 1),
            finished: vec![0; workers],
        }
    }

    /// Adds a second of a worker, and empties it.
    pub fn take(&mut self, worker: usize, second: &mut Second) {
        self.service.add(&second.service);
        self.response.add(&second.response);
        let number = second.number as usize;
        self.finished[worker] = self.finished[worker].max(second.number + 1);
        while self.rows.len() + self.pending.len() <= number {
            let next = self.unused.pop().unwrap_or_default();
            self.pending.push_back(next);
            self.close_up_to(0, MOST_PENDING);
        }
        match number.checked_sub(self.rows.len()) {
            Some(position) => self.pending[position].add(second),
            None => {
                let row = &mut self.rows[number];
                row.transactions += second.service.count();
                row.errors += second.errors;
            }
        }
        second.clear();
        let complete = self.finished.iter().min().copied().unwrap_or(0);
        self.close_up_to(complete as usize, MOST_PENDING);
    }

    /// Makes rows of the seconds before `complete`, and of so many that at most `most` are pending.
    fn close_up_to(&mut self, complete: usize, most: usize) {
        while (self.rows.len() < complete || self.pending.len() > most)
            && let Some(mut second) = self.pending.pop_front()
        {
            self.rows.push(second.row());
            second.clear();
            self.unused.push(second);
        }
    }

    /// Makes rows of all seconds; nothing follows.
    pub fn end(&mut self) {
        self.close_up_to(usize::MAX, 0);
        while self.rows.last().is_some_and(|row| row.transactions == 0) {
            self.rows.pop();
        }
    }
}

impl Second {
    fn add(&mut self, other: &Self) {
        self.errors += other.errors;
        self.service.add(&other.service);
        self.response.add(&other.response);
    }

    fn clear(&mut self) {
        self.errors = 0;
        self.service.clear();
        self.response.clear();
    }

    fn row(&self) -> Row {
        Row {
            transactions: self.service.count(),
            errors: self.errors,
            service_p50_ns: self.service.quantile_ns(0.5),
            service_p99_ns: self.service.quantile_ns(0.99),
            response_p99_ns: self.response.quantile_ns(0.99),
        }
    }
}

/// Adds up the seconds of all workers, by target, until the last worker has ended. `spares` are
/// those of the workers of each target.
pub fn collect(finished: &Inbox<Finished>, spares: &[Vec<Outbox<Box<Second>>>]) -> Vec<Seconds> {
    let teams = spares.iter().map(|team| Seconds::new(team.len()));
    let mut seconds: Vec<Seconds> = teams.collect();
    while let Some((target, worker, mut second)) = finished.recv() {
        seconds[target].take(worker, &mut second);
        spares[target][worker].send(second);
    }
    seconds.iter_mut().for_each(Seconds::end);
    seconds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::mailbox::mailbox;

    /// A series with a spare second, and where its seconds come in and are given back.
    fn series(worker: usize) -> (Series, Inbox<Finished>, Outbox<Box<Second>>) {
        let ((finished, inbox), (spare, spares)) = (mailbox(), mailbox());
        spare.send(Box::default());
        (Series::new(0, worker, finished, spares), inbox, spare)
    }

    fn row(transactions: u64, errors: u64, service_ns: u64, response_ns: u64) -> Row {
        let bucket_of = |duration| {
            let histogram = Histogram::<FINE>::new();
            histogram.record(duration);
            histogram.quantile_ns(1.0)
        };
        Row {
            transactions,
            errors,
            service_p50_ns: bucket_of(service_ns),
            service_p99_ns: bucket_of(service_ns),
            response_p99_ns: bucket_of(response_ns),
        }
    }

    #[test]
    fn seconds_of_several_workers_add_up() {
        let (mut first, finished, spare) = series(0);
        first.record(100, 1_000, 2_000, false);
        first.record(2 * SECOND_NS, 3_000, 4_000, true);
        first.end();
        let (mut other, others, _) = series(1);
        other.record(100, 1_000, 2_000, true);
        other.record(200, 1_000, 9_000, false);
        other.end();
        let mut seconds = Seconds::new(2);
        for (_, worker, mut second) in finished.take_all().into_iter().chain(others.take_all()) {
            seconds.take(worker, &mut second);
            spare.send(second);
        }
        seconds.end();
        let expected = [
            row(3, 1, 1_000, 9_000),
            Row::default(),
            row(1, 1, 3_000, 4_000),
        ];
        assert_eq!(seconds.rows, expected);
        assert_eq!((seconds.service.count(), seconds.response.count()), (4, 4));
    }

    #[test]
    fn a_second_goes_on_while_there_is_no_spare_one() {
        let (mut series, finished, spare) = series(0);
        for second in 0..4 {
            series.record(second * SECOND_NS, 1_000, 1_000, false);
        }
        spare.send(Box::default());
        series.record(4 * SECOND_NS, 1_000, 1_000, false);
        series.end();
        let handed_over = finished.take_all();
        let counts = handed_over
            .iter()
            .map(|(_, _, second)| (second.number, second.service.count()));
        assert_eq!(counts.collect::<Vec<_>>(), [(0, 1), (1, 3), (4, 1)]);
    }

    #[test]
    fn a_worker_that_is_late_by_many_seconds_is_counted() {
        let mut seconds = Seconds::new(2);
        let second = |number| {
            let second = Second {
                number,
                ..Second::default()
            };
            second.service.record(5);
            second
        };
        for number in 0..100 {
            seconds.take(0, &mut second(number));
            assert!(seconds.pending.len() <= MOST_PENDING);
        }
        seconds.take(1, &mut second(3));
        seconds.take(1, &mut second(99));
        seconds.end();
        let counts: Vec<u64> = seconds.rows.iter().map(|row| row.transactions).collect();
        assert_eq!((counts[3], counts[4], counts[99]), (2, 1, 2));
        assert_eq!(seconds.service.count(), 102);
    }

    #[test]
    fn an_hour_of_seconds_keeps_a_row_of_each_and_nothing_else() {
        let (mut series, finished, spare) = series(0);
        let mut seconds = Seconds::new(1);
        for second in 0..3_600 {
            // Times that spread over many buckets, which once were kept for every second.
            for step in 0..100 {
                let took_ns = 1_000 + (second * 97 + step * 7_919) % 20_000 * 1_000;
                series.record(second * SECOND_NS + step, took_ns, 2 * took_ns, false);
            }
            for (_, worker, mut second) in finished.take_all() {
                seconds.take(worker, &mut second);
                spare.send(second);
            }
        }
        series.end();
        for (_, worker, mut second) in finished.take_all() {
            seconds.take(worker, &mut second);
        }
        seconds.end();
        assert_eq!(seconds.rows.len(), 3_600);
        assert!(seconds.rows.iter().all(|row| row.transactions == 100));
        assert!(size_of_val(seconds.rows.as_slice()) < 200_000);
        assert_eq!(seconds.pending.len(), 0);
        assert!(seconds.unused.len() <= 2, "seconds are used again");
    }
}
