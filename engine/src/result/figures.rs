//! The figures of a target that limits and comparisons use.

use super::rows::Summary;
use super::target::CountsRow;

/// The figures of a target; times in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Requests with a response time.
    pub count: u64,
    pub transactions: u64,
    pub failed: u64,
    pub mean_us: f64,
    pub max_us: f64,
    pub p50_us: f64,
    pub p90_us: f64,
    pub p95_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub rate_per_s: f64,
}

impl Figures {
    /// The figures of a distribution of response times, its counts and its throughput.
    pub fn new(response: &Summary, counts: &CountsRow, rate_per_s: f64) -> Self {
        Self {
            count: response.count,
            transactions: counts.transactions,
            failed: counts.failed,
            mean_us: response.mean,
            max_us: response.max,
            p50_us: response.p50,
            p90_us: response.p90,
            p95_us: response.p95,
            p99_us: response.p99,
            p999_us: response.p999,
            rate_per_s,
        }
    }
}

/// The values that limits are compared with. Typical is the median, or the mean of the medians of
/// slices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    pub figures: Figures,
    pub typical_us: Option<f64>,
    pub mean_us: Option<f64>,
    /// The ratio to the first of several servers.
    pub ratio: Option<f64>,
}

impl From<Figures> for Measured {
    fn from(figures: Figures) -> Self {
        let is_known = figures.count > 0;
        Self {
            figures,
            typical_us: is_known.then_some(figures.p50_us),
            mean_us: is_known.then_some(figures.mean_us),
            ratio: None,
        }
    }
}
