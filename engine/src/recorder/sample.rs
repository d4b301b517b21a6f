//! The record of one transaction.

/// A transaction; times are nanoseconds since the start of the recorded part of its slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    pub intended_ns: i64,
    pub start_ns: i64,
    /// Before `start_ns` if no byte arrived.
    pub first_byte_ns: i64,
    pub end_ns: i64,
    /// How long the transaction waited for a connection to open; negative if it did not.
    pub connect_ns: i64,
    /// The part of it for TLS; negative if none.
    pub tls_ns: i64,
    /// When the first item of a stream was complete; before `start_ns` without items.
    pub first_item_ns: i64,
    /// When the last item of a stream was complete; likewise.
    pub last_item_ns: i64,
    /// Index into the job's transactions.
    pub transaction: u32,
    pub client: u32,
    pub bytes_sent: u32,
    pub bytes_received: u32,
    pub payload_bytes: u32,
    /// The items received in streams.
    pub items: u32,
    /// The items sent in streams.
    pub items_sent: u32,
    pub status: u16,
    /// The number of the failure; 0 is success.
    pub failure: u8,
}

impl Sample {
    /// From the intended start to the end.
    #[inline]
    pub fn response_ns(&self) -> i64 {
        self.end_ns - self.intended_ns
    }
}
