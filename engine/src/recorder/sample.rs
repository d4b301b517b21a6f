//! One transaction as it is kept.

/// Times are nanoseconds since the start of what is recorded of its slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    pub intended_ns: i64,
    pub start_ns: i64,
    /// Before `start_ns` when no byte came.
    pub first_byte_ns: i64,
    pub end_ns: i64,
    /// How long opening the connection took that the transaction had to wait for; negative if none.
    pub connect_ns: i64,
    /// The part of it that TLS took; negative if none.
    pub tls_ns: i64,
    /// When the first and the last item of a stream were whole; like `first_byte_ns` without any.
    pub first_item_ns: i64,
    pub last_item_ns: i64,
    /// Index into the job's transactions.
    pub transaction: u32,
    pub client: u32,
    pub bytes_sent: u32,
    pub bytes_received: u32,
    pub payload_bytes: u32,
    /// Items of a stream received and sent.
    pub items: u32,
    pub items_sent: u32,
    pub status: u16,
    /// Number of the failure; 0 is success.
    pub failure: u8,
}

impl Sample {
    /// From the intended start to the end.
    #[inline]
    pub fn response_ns(&self) -> i64 {
        self.end_ns - self.intended_ns
    }
}
