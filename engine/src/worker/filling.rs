//! Requests with values that clients have captured.

use std::io;

use crate::flow::Mismatch;
use crate::job::{PacerKind, StopRule};
use crate::recorder::SliceRecord;
use crate::transport::Codec;

use super::{Order, Until, Worker};

impl<C: Codec> Worker<C> {
    /// Makes every client log in, if the load has logins, before the load and not as a part of it.
    /// Returns the first login with an incorrect answer.
    pub(super) fn begin_clients(&mut self) -> io::Result<Option<Mismatch>> {
        let captured = self.target.captured.as_ref();
        if captured.is_none_or(|it| it.openings == 0) {
            return Ok(None);
        }
        let now = self.clock.now();
        let order = Order {
            number: None,
            begin: now,
            start: now,
            until: Until::Stop(StopRule {
                transactions_per_client: Some(1),
                ..StopRule::default()
            }),
            first: 0,
            counting: None,
            gives_up: false,
            seed: None,
            pacer: Some(PacerKind::Closed {
                clients: self.target.connections.streams() as u32,
                think_time_us: 0,
            }),
            is_whole: true,
            spare: Box::<SliceRecord>::default(),
        };
        let mut phase = self.phase(&order);
        phase.recorded = true; // So that failures are explained; no record is kept.
        self.flow.recorder.begin(None, true);
        self.flow.begin(phase);
        self.reopen();
        self.drive()?;
        self.flow.recorder.end(order.spare);
        self.flow.halt();
        Ok(self.flow.mismatches.take_first())
    }

    /// The request of a call with the captured values of its client, or after a redirection.
    pub(super) fn filled(&mut self, call: u32, request: u32) -> u32 {
        let Some(filled) = self.flow.filled(call, request) else {
            return request;
        };
        let filled = C::script(&self.target.endpoint, &self.target.connections, &[filled]);
        // Each call in flight has its own index in the script, after the requests of the job.
        let index = self.target.requests.len() + call as usize;
        C::put(&mut self.script, index, request, filled);
        index as u32
    }
}
