//! Records transactions: samples, histograms, counts, and the series of seconds.

mod difference;
mod operations;
mod parquet;
mod progress;
mod responses;
mod sample;
mod series;
mod slice;
mod spill;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::histogram::Gaps;
pub use crate::histogram::{Distribution, Moments};
pub use operations::{Catalogue, Operation, Operations};
pub use parquet::{Part, write_parquet};
pub use progress::{Progress, Tally};
pub use sample::Sample;
pub use series::{Finished, Row, Second, Seconds, Series, collect};
pub use slice::{Counts, Errors, SliceRecord};
pub use spill::Spill;

/// The number of transactions that are buffered and then recorded together: each touches some
/// twenty cache lines of histograms, which are cold after the worker has slept. Together they take
/// a few microseconds.
const RECENT: usize = 64;
/// The number of HTTP and gRPC statuses that are counted; a larger one counts as the last.
pub const STATUSES: usize = 1000;

/// The recorder of one worker: of the current slice, and of all recorded ones.
pub struct Recorder {
    pub total: Totals,
    slice: Box<SliceRecord>,
    /// The number of the current slice, unless it is a rehearsal.
    number: Option<u32>,
    recent: Vec<Sample>,
    progress: Arc<Progress>,
}

/// The totals of all recorded slices of one worker; complete after `finish`.
pub struct Totals {
    /// From the intended start to the end. The histogram is the sum of those of the seconds.
    pub response: Moments,
    /// From the actual start to the end; likewise.
    pub service: Moments,
    /// From the actual start to the first byte of the first reply.
    pub first_byte: Distribution,
    /// From the intended to the actual start.
    pub lag: Distribution,
    /// From the intended start to the first item of a stream.
    pub first_item: Distribution,
    /// From the intended start to the last item of a stream.
    pub last_item: Distribution,
    pub gaps: Gaps,
    pub items: u64,
    pub items_sent: u64,
    /// The number of replies with each status.
    pub statuses: Box<[u64; STATUSES]>,
    pub operations: Operations,
    /// Seconds from the start of the slice, until they are handed over at the end.
    series: Option<Series>,
    pub spill: Option<Spill>,
    spill_error: Option<io::Error>,
    /// The slices in the order of their samples, each with its number of samples.
    pub slices: Vec<(u32, u64)>,
}

impl Recorder {
    /// Creates the file for samples at `spill`, if given, and allocates all memory. The error is
    /// that of creating the file.
    pub fn new(
        spill: Option<PathBuf>,
        progress: Arc<Progress>,
        catalogue: Arc<Catalogue>,
        series: Option<Series>,
    ) -> io::Result<Self> {
        Ok(Self {
            total: Totals {
                response: Moments::default(),
                service: Moments::default(),
                first_byte: Distribution::default(),
                lag: Distribution::default(),
                first_item: Distribution::default(),
                last_item: Distribution::default(),
                gaps: Gaps::default(),
                items: 0,
                items_sent: 0,
                statuses: Box::new([0; STATUSES]),
                operations: Operations::new(catalogue),
                series,
                spill: spill.map(Spill::create).transpose()?,
                spill_error: None,
                slices: Vec::new(),
            },
            slice: Box::default(),
            number: None,
            recent: Vec::with_capacity(RECENT),
            progress,
        })
    }

    /// Begins a slice; only one with a number is added to the totals. `is_whole`: it is the only one.
    pub fn begin(&mut self, number: Option<u32>, is_whole: bool) {
        self.slice.clear(is_whole);
        self.slice.gaps.live = Some(Arc::clone(&self.progress.gaps));
        self.number = number;
    }

    /// Records a transaction; its progress is counted at once.
    #[inline]
    pub fn record(&mut self, sample: Sample) {
        let counts = &mut self.slice.counts;
        counts.transactions += 1;
        counts.errors[usize::from(sample.failure)] += 1;
        self.progress
            .count(sample.response_ns(), sample.failure != 0);
        if sample.items > 0 {
            let first_ns = sample.first_item_ns - sample.intended_ns;
            self.progress.first_items.record(first_ns.max(0) as u64);
        }
        self.recent.push(sample);
        if self.recent.len() == RECENT {
            self.settle();
        }
    }

    /// The gaps of the current slice.
    #[inline]
    pub fn gaps(&mut self) -> &mut Gaps {
        &mut self.slice.gaps
    }

    /// Records the buffered transactions.
    fn settle(&mut self) {
        let mut recent = std::mem::take(&mut self.recent);
        for sample in recent.drain(..) {
            self.slice.record(&sample);
            if self.number.is_some() {
                self.total.record(&sample);
            }
        }
        self.recent = recent;
    }

    /// Ends the slice and returns its record, in exchange for an unused one.
    pub fn end(&mut self, spare: Box<SliceRecord>) -> Box<SliceRecord> {
        self.settle();
        if let Some(number) = self.number.take() {
            let transactions = self.slice.counts.transactions;
            self.total.slices.push((number, transactions));
            self.total.gaps.add(&self.slice.gaps);
        }
        std::mem::replace(&mut self.slice, spare)
    }
}

impl Totals {
    #[inline]
    fn record(&mut self, sample: &Sample) {
        let service = sample.end_ns - sample.start_ns;
        let response = sample.response_ns();
        self.service.record(service);
        self.response.record(response);
        self.lag.record(sample.start_ns - sample.intended_ns);
        if sample.first_byte_ns >= sample.start_ns {
            self.first_byte
                .record(sample.first_byte_ns - sample.start_ns);
        }
        if sample.items > 0 {
            let intended_ns = sample.intended_ns;
            self.first_item.record(sample.first_item_ns - intended_ns);
            self.last_item.record(sample.last_item_ns - intended_ns);
            self.items += u64::from(sample.items);
        }
        self.items_sent += u64::from(sample.items_sent);
        // Without a reply there is no status; 0 is gRPC's success.
        if sample.status > 0 || sample.failure == 0 {
            self.statuses[usize::from(sample.status).min(STATUSES - 1)] += 1;
        }
        self.operations.record(sample);
        if let Some(series) = &mut self.series {
            series.record(sample.end_ns, service, response, sample.failure != 0);
        }
        if let Some(spill) = &mut self.spill
            && let Err(error) = spill.push(sample)
        {
            self.spill_error = Some(error);
            self.spill = None;
        }
    }

    /// Hands over the last second, and writes the buffered samples to the file. The error is that of
    /// writing.
    pub fn finish(&mut self) -> io::Result<()> {
        if let Some(series) = self.series.take() {
            series.end();
        }
        if let Some(error) = self.spill_error.take() {
            return Err(error);
        }
        self.spill.as_mut().map_or(Ok(()), Spill::flush)
    }
}
