//! How a worker's load flows, with the clock set by hand.

mod rounds;
mod times;
mod windows;

use std::borrow::Cow;

use super::*;
use crate::encoding::Encoding;
use crate::job::{self, PacerKind};
use crate::pacer::{Share, Turn, pacer};
use crate::plan::Sequence;
use crate::recorder::{Counts, Totals};
use crate::stop::Stop;
use crate::transport::Items;

const ALONE: Share = Share {
    worker: 0,
    workers: 1,
};
const REPLY: Reply = Reply {
    headers: &[],
    status: 200,
    success: true,
    body: b"body",
    long: None,
    encoding: Encoding::Identity,
    message: Cow::Borrowed(&[]),
    first_byte: 0,
    bytes_sent: 10,
    bytes_received: 20,
    payload_sent: 3,
    items: Items {
        count: 0,
        first: 0,
        last: 0,
    },
    items_sent: 0,
};

/// A flow over transactions of these rounds of requests.
fn flow(rounds: &str, kind: PacerKind, stop: Stop) -> Flow {
    guarded_flow(rounds, kind, stop, 0)
}

/// The same; what starts in the first nanoseconds, in this number, does not count.
fn guarded_flow(rounds: &str, kind: PacerKind, stop: Stop, start: u64) -> Flow {
    let text = format!(
        r#"{{ "format": "wirelab-job/2", "output": "unused", "stop": {{ "transactions": 1 }},
            "targets": [{{ "name": "x", "transport": "http1", "address": "127.0.0.1:1",
                "connections": {{ "request_timeout_ms": 1 }}, "pacer": {{ "kind": "closed" }},
                "requests": [{{}}, {{}}, {{ "deadline_ms": 2 }}],
                "transactions": [{{ "operation": "test", "rounds": {rounds} }}] }}] }}"#
    );
    let job = job::parse(&text).unwrap();
    let target = &job.targets[0];
    let turn = Turn {
        start: 0,
        per_client: None,
        seed: None,
    };
    let sequence = || Sequence::new(target.order, 1, ALONE, 0);
    let recorder = Recorder::new(None, Arc::default(), Arc::default(), None).unwrap();
    let answers = Answers::new(None, 0).unwrap();
    let mut flow = Flow::new(Arc::new(Plan::new(target)), recorder, answers, 8);
    flow.recorder.begin(Some(0), false);
    flow.begin(Phase {
        pacer: pacer(&kind, ALONE, turn),
        stop,
        begin: 0,
        start,
        recorded: true,
        trail: (start > 0).then(|| Trail::new(Counting::new(1))),
        started: 0,
        ended: 0,
        gives_up: false,
        is_answered: false,
        missed: 0,
        unrecorded: sequence(),
        sequence: sequence(),
    });
    flow
}

const CLOSED: PacerKind = PacerKind::Closed {
    clients: 1,
    think_time_us: 0,
};
/// One every 100 ns.
const CONSTANT: PacerKind = PacerKind::Constant { rate_per_s: 1e7 };

/// What has been recorded of the slice, and of all.
fn recorded(flow: &mut Flow) -> (Counts, &Totals) {
    let record = flow.recorder.end(Box::default());
    (record.counts, &flow.recorder.total)
}

fn replied(flow: &mut Flow, call: u32, end: u64) {
    flow.replied(call, &REPLY, end, Failure::Status);
}
