//! Limits on the memory for replies: whatever servers send, the engine uses at most 64 MiB, plus 1
//! MiB per connection.
//!
//! A long body that need not be kept is hashed and searched as it arrives. One that must be kept
//! (compressed, gRPC-Web) may use its connection's share of the memory; beyond that it counts as
//! oversized.

/// All replies of a job that are kept whole, together, in bytes.
const TOGETHER: usize = 16 << 20;
/// The least share of a connection, in bytes.
const CONNECTION: usize = 512 << 10;
/// The least share of a stream, in bytes.
const STREAM: usize = 4 << 10;

/// The longest body that is kept whole if it need not be, in bytes.
pub const WHOLE: usize = 256 << 10;
/// The longest body that the engine accepts, in bytes: samples count them in 32 bits.
pub const LONGEST: usize = u32::MAX as usize;
/// The longest body after decoding, in bytes: decoding it costs time, if no memory.
pub const DECODED: usize = 256 << 20;

/// The longest reply that must be kept whole, in bytes, with `all_streams` replies in flight in a
/// job and `streams_per_connection` of them on one connection.
pub fn share(all_streams: u64, streams_per_connection: u32) -> usize {
    let among_all = TOGETHER / all_streams.max(1) as usize;
    let on_connection = CONNECTION / streams_per_connection.max(1) as usize;
    among_all.max(on_connection).max(STREAM)
}

/// The flow-control window of a QUIC connection, in bytes: how much a server may send before the
/// engine has read it.
pub fn window(connections: u32) -> u32 {
    (TOGETHER / connections.max(1) as usize).clamp(CONNECTION, 4 << 20) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shares_together_are_bounded() {
        for (connections, streams) in [(1, 1), (64, 1), (1, 100), (64, 100), (1_000, 1)] {
            let all = u64::from(connections * streams);
            let kept = share(all, streams) as u64 * all;
            let most = (TOGETHER as u64) + (CONNECTION as u64) * u64::from(connections);
            assert!(kept <= most, "{connections} x {streams}: {kept}");
        }
        assert_eq!((share(1, 1), share(64, 1)), (16 << 20, 512 << 10));
        assert_eq!((window(1), window(1_000)), (4 << 20, 512 << 10));
    }
}
