//! One connection's protocol with what waits on both sides of it, without input or output: the
//! driver of every connection, whether its bytes come from a socket or from a fuzzer.

use std::collections::VecDeque;

use super::{Codec, Lost, Start};
use crate::failure::{Failure, Fault};

const TRUNCATED: Fault = Fault::new(
    Failure::Truncated,
    "the server closed the connection during the reply",
);
const TIMED_OUT: Fault = Fault::new(Failure::Timeout, "no reply within the time-out");
const TOO_SLOW: Fault = Fault::new(Failure::SlowReply, "no complete reply within the time-out");

/// The protocol of a connection, with its calls and bytes that wait.
pub struct Line<C> {
    pub codec: C,
    /// Bytes to send.
    pub out: Vec<u8>,
    /// Bytes received that cannot be used before more arrive.
    pub pending: Vec<u8>,
    /// Calls, with their requests, that wait for the connection to open.
    pub queue: VecDeque<(u32, u32)>,
}

impl<C: Codec> Line<C> {
    /// Without a connection, for `streams` calls at once.
    pub fn new(codec: C, streams: usize) -> Self {
        Self {
            codec,
            out: Vec::new(),
            pending: Vec::new(),
            queue: VecDeque::with_capacity(streams),
        }
    }

    /// Drops the bytes of a connection that has ended.
    pub fn clear(&mut self) {
        self.out.clear();
        self.pending.clear();
    }

    /// How many more calls may be given to it; `unopened` while its connection is not open.
    #[inline]
    pub fn room(&self, unopened: Option<usize>) -> usize {
        let total = match unopened {
            Some(streams) => streams,
            None if self.codec.is_closing() => 0,
            None => self.codec.capacity(),
        };
        total.saturating_sub(self.queue.len())
    }

    /// Starts calls that waited for the connection, as many as it takes. True if there was one.
    pub fn start_queued(&mut self, script: &C::Script, start: impl Fn(u32, u32) -> Start) -> bool {
        let waiting = self.queue.len();
        while self.codec.capacity() > 0
            && let Some((call, request)) = self.queue.pop_front()
        {
            self.codec
                .start(script, start(call, request), &mut self.out);
        }
        self.queue.len() < waiting
    }

    /// Cancels a call that has reached its time-out; returns its fault, and whether the connection
    /// can be used any more.
    pub fn time_out(&mut self, call: u32) -> (Fault, bool) {
        if let Some(position) = self.queue.iter().position(|(queued, _)| *queued == call) {
            self.queue.remove(position);
            return (TIMED_OUT, true);
        }
        let fault = match self.codec.has_begun(call) {
            true => TOO_SLOW,
            false => TIMED_OUT,
        };
        (fault, self.codec.abandon(call, &mut self.out))
    }

    /// Removes and returns a call that is lost with the connection, and its fault; all of them, one
    /// by one, first those in flight.
    pub fn take_lost(&mut self, fault: Fault) -> Option<(u32, Fault)> {
        if let Some(Lost { call, has_begun }) = self.codec.take_call() {
            let is_cut = has_begun && fault.failure == Failure::ClosedEarly;
            return Some((call, if is_cut { TRUNCATED } else { fault }));
        }
        self.queue.pop_front().map(|(call, _)| (call, fault))
    }
}

/// Reads bytes after those that were kept; returns what is to be kept then, or nothing if `read`,
/// which removes what it uses from the front, says that the connection has gone.
#[inline]
pub fn read_after(
    mut kept: Vec<u8>,
    bytes: &[u8],
    read: impl FnOnce(&mut &[u8]) -> bool,
) -> Option<Vec<u8>> {
    if kept.is_empty() {
        let mut input = bytes;
        return read(&mut input).then(|| {
            kept.extend_from_slice(input);
            kept
        });
    }
    kept.extend_from_slice(bytes);
    let mut input = kept.as_slice();
    let is_alive = read(&mut input);
    let used = kept.len() - input.len();
    kept.drain(..used);
    is_alive.then_some(kept)
}
