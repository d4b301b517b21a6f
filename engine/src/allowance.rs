//! How much of the replies under way is in memory: whatever servers send, the engine stays within
//! 64 MiB and 1 MiB for each connection.
//!
//! What need not be kept is hashed and searched as it comes. What must be (compressed bodies,
//! gRPC-Web) has a share of what there is for all of them, and is too large beyond that.

/// For all replies of a job that are kept whole, together.
const TOGETHER: usize = 16 << 20;
/// But at least so much for each connection,
const CONNECTION: usize = 512 << 10;
/// and so much for each stream on it.
const STREAM: usize = 4 << 10;

/// What is longer is looked through as it comes, if it may be.
pub const WHOLE: usize = 256 << 10;
/// The longest body of all: samples count its bytes in 32 bits.
pub const LONGEST: usize = u32::MAX as usize;
/// What a compressed body may come to: it costs time to decode, if no memory.
pub const DECODED: usize = 256 << 20;

/// The most that a reply may have that must be kept whole, where so many can be under way in a job,
/// and so many of them on its connection.
pub fn share(all_streams: u64, streams_per_connection: u32) -> usize {
    let among_all = TOGETHER / all_streams.max(1) as usize;
    let on_connection = CONNECTION / streams_per_connection.max(1) as usize;
    among_all.max(on_connection).max(STREAM)
}

/// How much a server may send on a connection that nobody has read yet, where we say how much.
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
