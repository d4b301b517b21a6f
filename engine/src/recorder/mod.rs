//! What is kept of every transaction.

mod difference;
mod distribution;
mod parquet;
mod progress;
mod sample;
mod series;
mod spill;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub use distribution::{Distribution, Moments, add, encode};
pub use parquet::write_parquet;
pub use progress::{Progress, Tally};
pub use sample::Sample;
pub use series::{Second, Series, merge};
pub use spill::Spill;

use crate::failure::Failure;

/// A transaction that starts more than this after its intended time counts as late.
const LATE_NS: i64 = 1_000_000;

/// So many transactions are put aside and then recorded in a row: each touches some twenty cache
/// lines of histograms, which are cold when the worker has slept. In all some microseconds.
const RECENT: usize = 64;

/// The record of one worker's window; complete when it is finished.
pub struct Recorder {
    /// From the intended start to the end. Its histogram is the sum of those of the seconds.
    pub response: Moments,
    /// From the actual start to the end, likewise.
    pub service: Moments,
    /// From the actual start to the first byte of the first reply.
    pub first_byte: Distribution,
    /// From the intended to the actual start.
    pub lag: Distribution,
    /// From the actual start to the first and the last item of a stream.
    pub first_item: Distribution,
    pub last_item: Distribution,
    pub items: u64,
    pub items_sent: u64,
    pub series: Series,
    pub transactions: u64,
    pub errors: [u64; Failure::ALL.len() + 1],
    pub late: u64,
    pub last_end_ns: i64,
    pub spill: Option<Spill>,
    spill_error: Option<io::Error>,
    recent: Vec<Sample>,
    progress: Arc<Progress>,
}

impl Recorder {
    /// Creates the file for the samples, if they are wanted, and all memory that is needed.
    pub fn new(spill: Option<PathBuf>, progress: Arc<Progress>) -> io::Result<Self> {
        Ok(Self {
            response: Moments::default(),
            service: Moments::default(),
            first_byte: Distribution::new(),
            lag: Distribution::new(),
            first_item: Distribution::new(),
            last_item: Distribution::new(),
            items: 0,
            items_sent: 0,
            series: Series::new(),
            transactions: 0,
            errors: [0; Failure::ALL.len() + 1],
            late: 0,
            last_end_ns: 0,
            spill: spill.map(Spill::create).transpose()?,
            spill_error: None,
            recent: Vec::with_capacity(RECENT),
            progress,
        })
    }

    /// Records a transaction. What others watch is told at once.
    #[inline]
    pub fn record(&mut self, sample: Sample) {
        self.transactions += 1;
        self.progress.count(sample.response_ns());
        self.progress
            .transactions
            .store(self.transactions, Ordering::Relaxed);
        self.errors[usize::from(sample.failure)] += 1;
        if sample.failure != 0 {
            self.progress.errors.store(self.failed(), Ordering::Relaxed);
        }
        self.recent.push(sample);
        if self.recent.len() == RECENT {
            self.settle();
        }
    }

    /// Records in full what has been put aside.
    fn settle(&mut self) {
        let mut recent = std::mem::take(&mut self.recent);
        for sample in recent.drain(..) {
            self.record_in_full(&sample);
        }
        self.recent = recent;
    }

    #[inline]
    fn record_in_full(&mut self, sample: &Sample) {
        let service = sample.end_ns - sample.start_ns;
        let response = sample.response_ns();
        let lag = sample.start_ns - sample.intended_ns;
        self.service.record(service);
        self.response.record(response);
        self.lag.record(lag);
        if sample.first_byte_ns >= sample.start_ns {
            self.first_byte
                .record(sample.first_byte_ns - sample.start_ns);
        }
        if sample.items > 0 {
            self.first_item
                .record(sample.first_item_ns - sample.start_ns);
            self.last_item.record(sample.last_item_ns - sample.start_ns);
            self.items += u64::from(sample.items);
        }
        self.items_sent += u64::from(sample.items_sent);
        self.late += u64::from(lag > LATE_NS);
        self.last_end_ns = self.last_end_ns.max(sample.end_ns);
        self.series
            .record(sample.end_ns, service, response, sample.failure != 0);
        if let Some(spill) = &mut self.spill
            && let Err(error) = spill.push(sample)
        {
            self.spill_error = Some(error);
            self.spill = None;
        }
    }

    /// Ends the record: what is still in memory goes to the file.
    pub fn finish(&mut self) -> io::Result<()> {
        self.settle();
        self.series.finish();
        if let Some(error) = self.spill_error.take() {
            return Err(error);
        }
        self.spill.as_mut().map_or(Ok(()), Spill::flush)
    }

    pub fn failed(&self) -> u64 {
        self.errors[1..].iter().sum()
    }
}
