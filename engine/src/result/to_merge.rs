//! What the result of one of several engines adds, so that their results can be merged.

use serde::Serialize;

use super::total::Total;

/// Histograms of distributions of which the result otherwise has only figures: percentiles cannot
/// be merged, but histograms can.
#[derive(Serialize)]
pub struct ToMerge {
    first_byte: String,
    connect: String,
    tls: String,
    lag: String,
    last_item: String,
    /// The response times of each operation, in the order of `operations`.
    operations: Vec<String>,
    /// The clients' time, the denominator of `little_closure`.
    client_ns: u64,
}

impl ToMerge {
    /// Encodes the distributions of a target.
    pub fn new(total: &Total) -> Self {
        let operations = total.operations.iter();
        Self {
            first_byte: total.first_byte.histogram.encode(),
            connect: total.connect.histogram.encode(),
            tls: total.tls.histogram.encode(),
            lag: total.lag.histogram.encode(),
            last_item: total.last_item.histogram.encode(),
            operations: operations
                .map(|it| it.response.histogram.encode())
                .collect(),
            client_ns: total.client_time.own_ns(),
        }
    }
}
