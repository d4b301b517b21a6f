//! One transaction as it is kept: a fixed number of bytes, so that writing it is a copy.

/// Times are nanoseconds since the start of the window.
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
    pub const BYTES: usize = 96;

    /// From the intended start to the end.
    #[inline]
    pub fn response_ns(&self) -> i64 {
        self.end_ns - self.intended_ns
    }

    #[inline]
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[0..8].copy_from_slice(&self.intended_ns.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.start_ns.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.first_byte_ns.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.end_ns.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.transaction.to_le_bytes());
        bytes[36..40].copy_from_slice(&self.client.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.bytes_sent.to_le_bytes());
        bytes[44..48].copy_from_slice(&self.bytes_received.to_le_bytes());
        bytes[48..52].copy_from_slice(&self.payload_bytes.to_le_bytes());
        bytes[52..54].copy_from_slice(&self.status.to_le_bytes());
        bytes[54] = self.failure;
        bytes[56..64].copy_from_slice(&self.connect_ns.to_le_bytes());
        bytes[64..72].copy_from_slice(&self.tls_ns.to_le_bytes());
        bytes[72..80].copy_from_slice(&self.first_item_ns.to_le_bytes());
        bytes[80..88].copy_from_slice(&self.last_item_ns.to_le_bytes());
        bytes[88..92].copy_from_slice(&self.items.to_le_bytes());
        bytes[92..96].copy_from_slice(&self.items_sent.to_le_bytes());
        bytes
    }

    #[inline]
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        Self {
            intended_ns: i64::from_le_bytes(part(bytes, 0)),
            start_ns: i64::from_le_bytes(part(bytes, 8)),
            first_byte_ns: i64::from_le_bytes(part(bytes, 16)),
            end_ns: i64::from_le_bytes(part(bytes, 24)),
            transaction: u32::from_le_bytes(part(bytes, 32)),
            client: u32::from_le_bytes(part(bytes, 36)),
            bytes_sent: u32::from_le_bytes(part(bytes, 40)),
            bytes_received: u32::from_le_bytes(part(bytes, 44)),
            payload_bytes: u32::from_le_bytes(part(bytes, 48)),
            status: u16::from_le_bytes(part(bytes, 52)),
            failure: bytes[54],
            connect_ns: i64::from_le_bytes(part(bytes, 56)),
            tls_ns: i64::from_le_bytes(part(bytes, 64)),
            first_item_ns: i64::from_le_bytes(part(bytes, 72)),
            last_item_ns: i64::from_le_bytes(part(bytes, 80)),
            items: u32::from_le_bytes(part(bytes, 88)),
            items_sent: u32::from_le_bytes(part(bytes, 92)),
        }
    }
}

#[inline]
fn part<const N: usize>(bytes: &[u8; Sample::BYTES], start: usize) -> [u8; N] {
    let mut part = [0; N];
    part.copy_from_slice(&bytes[start..start + N]);
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_the_way_through_bytes() {
        let sample = Sample {
            intended_ns: -1,
            start_ns: 1 << 40,
            first_byte_ns: 3,
            end_ns: i64::MAX,
            connect_ns: 1 << 33,
            tls_ns: -1,
            transaction: 5,
            client: 6,
            bytes_sent: u32::MAX,
            bytes_received: 8,
            payload_bytes: 9,
            status: 404,
            failure: 11,
            first_item_ns: 12,
            last_item_ns: -13,
            items: 14,
            items_sent: 15,
        };
        assert_eq!(Sample::from_bytes(&sample.to_bytes()), sample);
    }
}
