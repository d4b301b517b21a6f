//! Histograms of durations: counts in buckets of equal relative width.
//!
//! There is one writer, so counting needs no lock and no atomic addition; other threads may read
//! meanwhile. With `FINE` buckets, the layout is that of an HdrHistogram of three significant
//! digits, from 1 ns to 1 h.

mod distribution;
mod gaps;

use std::io::Write;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;

pub use distribution::{Distribution, Moments};
pub use gaps::Gaps;

/// The longest duration; longer ones count as this.
pub const LONGEST_NS: u64 = 3_600_000_000_000;

/// Bits for three significant digits.
pub const FINE: u32 = 10;
/// Bits for an error of at most 1 %, with counts that fit into a cache.
pub const COARSE: u32 = 6;

/// The first words of the format V2 of HdrHistogram, not compressed and compressed.
const COOKIE: u32 = 0x1c84_9313;
const COMPRESSED_COOKIE: u32 = 0x1c84_9314;

/// Counts of durations, with 2 to the power of `BITS` buckets per doubling.
pub struct Histogram<const BITS: u32> {
    counts: Box<[AtomicU64]>,
    /// All counts from this index on are zero.
    end: AtomicUsize,
}

impl<const BITS: u32> Histogram<BITS> {
    /// An empty histogram; memory for counts that stay zero is never touched.
    pub fn new() -> Self {
        let counts = vec![0_u64; index_of::<BITS>(LONGEST_NS) + 1].into_boxed_slice();
        let counts = Box::into_raw(counts) as *mut [AtomicU64];
        Self {
            // SAFETY: an atomic number has the size, alignment and bits of the number, and this is
            // the only owner. Made one by one, they would touch all pages.
            counts: unsafe { Box::from_raw(counts) },
            end: AtomicUsize::new(0),
        }
    }

    /// Counts a duration.
    #[inline]
    pub fn record(&self, duration_ns: u64) {
        self.add_at(index_of::<BITS>(duration_ns.min(LONGEST_NS)), 1);
    }

    #[inline]
    fn add_at(&self, index: usize, count: u64) {
        let bucket = &self.counts[index];
        bucket.store(
            bucket.load(Ordering::Relaxed).wrapping_add(count),
            Ordering::Relaxed,
        );
        if index >= self.end.load(Ordering::Relaxed) {
            self.end.store(index + 1, Ordering::Relaxed);
        }
    }

    /// The counts by index, up to the last one that may not be zero.
    fn counts(&self) -> impl Iterator<Item = u64> {
        let end = self.end.load(Ordering::Relaxed);
        self.counts[..end]
            .iter()
            .map(|count| count.load(Ordering::Relaxed))
    }

    /// Adds the counts of another histogram.
    pub fn add(&self, other: &Self) {
        for (index, count) in other.counts().enumerate().filter(|(_, count)| *count > 0) {
            self.add_at(index, count);
        }
    }

    /// The durations counted since an earlier state of this histogram.
    pub fn since(&self, earlier: &Self) -> Self {
        let difference = Self::new();
        let before = earlier.counts().chain(std::iter::repeat(0));
        for (index, (count, before)) in self.counts().zip(before).enumerate() {
            if count > before {
                difference.add_at(index, count - before);
            }
        }
        difference
    }

    /// Removes all.
    pub fn clear(&self) {
        let end = self.end.swap(0, Ordering::Relaxed);
        for count in &self.counts[..end] {
            count.store(0, Ordering::Relaxed);
        }
    }

    /// The number of durations.
    pub fn count(&self) -> u64 {
        self.counts().sum()
    }

    /// Whether there are no durations.
    pub fn is_empty(&self) -> bool {
        self.counts().all(|count| count == 0)
    }

    /// The number of durations up to a limit, to the precision of its bucket.
    pub fn within(&self, limit_ns: u64) -> u64 {
        let last = index_of::<BITS>(limit_ns.min(LONGEST_NS));
        self.counts().take(last + 1).sum()
    }

    /// The largest duration in the bucket of a quantile; 0 without durations.
    pub fn quantile_ns(&self, quantile: f64) -> u64 {
        let rank = ((quantile * self.count() as f64).ceil() as u64).max(1);
        let mut passed = 0;
        let bucket = self.counts().position(|count| {
            passed += count;
            passed >= rank
        });
        bucket.map_or(0, |index| {
            let (start, width) = bounds_of::<BITS>(index);
            start + width - 1
        })
    }

    /// A quantile, interpolated linearly within its bucket; none without durations.
    pub fn interpolated_ns(&self, quantile: f64) -> Option<f64> {
        let rank = quantile * self.count() as f64;
        let mut passed = 0.0;
        for (index, count) in self.counts().enumerate() {
            let count = count as f64;
            if count > 0.0 && passed + count >= rank {
                let (start, width) = bounds_of::<BITS>(index);
                return Some(start as f64 + width as f64 * ((rank - passed) / count).max(0.0));
            }
            passed += count;
        }
        None
    }
}

impl<const BITS: u32> Default for Histogram<BITS> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const BITS: u32> Clone for Histogram<BITS> {
    fn clone(&self) -> Self {
        let copy = Self::new();
        copy.add(self);
        copy
    }
}

impl Histogram<FINE> {
    /// The compressed format V2, which all HdrHistogram libraries read, in base64.
    pub fn encode(&self) -> String {
        let mut counts = Vec::new();
        let mut zeros = 0;
        for count in self.counts() {
            if count == 0 {
                zeros += 1;
                continue;
            }
            if zeros > 0 {
                write_zigzag(-std::mem::take(&mut zeros), &mut counts);
            }
            write_zigzag(count as i64, &mut counts);
        }
        let mut whole = Vec::with_capacity(40 + counts.len());
        whole.extend_from_slice(&COOKIE.to_be_bytes());
        // The length of the counts, no offset of indices, three digits.
        for number in [counts.len() as u32, 0, 3] {
            whole.extend_from_slice(&number.to_be_bytes());
        }
        // The bounds, and the unit of integers.
        for number in [1, LONGEST_NS, 1.0_f64.to_bits()] {
            whole.extend_from_slice(&number.to_be_bytes());
        }
        whole.extend_from_slice(&counts);
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        // Writing into memory cannot fail.
        let packed = packed.write_all(&whole).and_then(|()| packed.finish());
        let packed = packed.unwrap_or_default();
        let length = packed.len() as u32;
        STANDARD.encode(
            [
                &COMPRESSED_COOKIE.to_be_bytes()[..],
                &length.to_be_bytes(),
                &packed,
            ]
            .concat(),
        )
    }
}

/// A variable-length integer (LEB128) in zigzag encoding. Unlike elsewhere, a ninth byte would have
/// all its bits; counts are smaller.
fn write_zigzag(number: i64, out: &mut Vec<u8>) {
    let mut rest = ((number << 1) ^ (number >> 63)) as u64;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Below twice 2 to the power of `BITS`, each duration has its own bucket.
#[inline]
fn index_of<const BITS: u32>(duration_ns: u64) -> usize {
    let doublings = (duration_ns | ((2 << BITS) - 1)).ilog2() - BITS;
    ((u64::from(doublings) << BITS) + (duration_ns >> doublings)) as usize
}

/// The smallest duration of a bucket, and the number of its durations.
fn bounds_of<const BITS: u32>(index: usize) -> (u64, u64) {
    let index = index as u64;
    let doublings = (index >> BITS).saturating_sub(1);
    ((index - (doublings << BITS)) << doublings, 1 << doublings)
}

#[cfg(test)]
mod tests {
    use hdrhistogram::Histogram as Reference;
    use hdrhistogram::serialization::Deserializer;

    use super::*;

    fn durations() -> impl Iterator<Item = u64> {
        let near = (0..42).flat_map(|power| [-1, 0, 1].map(|off| (1_u64 << power) as i64 + off));
        near.map(|duration| duration.max(1) as u64)
    }

    #[test]
    fn it_counts_like_the_reference() {
        let mut reference = Reference::<u64>::new_with_bounds(1, LONGEST_NS, 3).unwrap();
        let fine = Histogram::<FINE>::new();
        for duration in durations() {
            fine.record(duration);
            reference.saturating_record(duration);
        }
        assert_eq!(fine.count(), reference.len());
        for quantile in [0.0, 0.1, 0.5, 0.9, 0.99, 1.0] {
            let expected = reference.value_at_quantile(quantile);
            assert_eq!(fine.quantile_ns(quantile), expected, "{quantile}");
        }
        let bytes = STANDARD.decode(fine.encode()).unwrap();
        let read: Reference<u64> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .unwrap();
        assert_eq!(read, reference);
    }

    #[test]
    fn every_duration_is_within_the_bounds_of_its_bucket() {
        for duration in durations() {
            let (start, width) = bounds_of::<COARSE>(index_of::<COARSE>(duration));
            assert!((start..start + width).contains(&duration), "{duration}");
            assert!(width as f64 <= 1.0 + duration as f64 / 64.0, "{duration}");
        }
    }

    #[test]
    fn counts_can_be_added_subtracted_and_limited() {
        let (one, two) = (Histogram::<FINE>::new(), Histogram::<FINE>::new());
        (1..=100).for_each(|number| one.record(number));
        two.add(&one);
        let before = two.clone();
        two.record(5_000_000);
        two.record(u64::MAX);
        let since = two.since(&before);
        assert_eq!((since.count(), since.within(5_000_000)), (2, 1));
        assert_eq!(since.quantile_ns(1.0) >> 32, LONGEST_NS >> 32);
        assert_eq!(
            [0, 1, 50, 100].map(|limit| one.within(limit)),
            [0, 1, 50, 100]
        );
        two.clear();
        assert!(two.is_empty() && two.quantile_ns(0.5) == 0);
        assert_eq!(two.interpolated_ns(0.5), None);
    }

    #[test]
    fn a_quantile_can_be_interpolated() {
        let coarse = Histogram::<COARSE>::new();
        (1..=10_000).for_each(|number| coarse.record(number * 1_000));
        for (quantile, exact) in [(0.5, 5e6), (0.99, 9.9e6), (1.0, 1e7)] {
            let measured = coarse.interpolated_ns(quantile).unwrap();
            assert!((measured / exact - 1.0).abs() < 0.01, "{measured}");
        }
    }
}
