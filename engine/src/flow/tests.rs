use super::*;
use crate::encoding::Encoding;
use crate::job::{self, PacerKind};
use crate::pacer::pacer;
use crate::transport::Items;

const ALONE: Share = Share {
    worker: 0,
    workers: 1,
};
const REPLY: Reply = Reply {
    status: 200,
    success: true,
    body: b"body",
    encoding: Encoding::Identity,
    message: &[],
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
    let text = format!(
        r#"{{ "format": "wirelab-job/1", "target": {{ "transport": "http1", "address": "127.0.0.1:1" }},
            "connections": {{ "request_timeout_ms": 1 }},
            "pacer": {{ "kind": "closed" }}, "stop": {{ "transactions": 1 }}, "output": "unused",
            "requests": [{{}}, {{}}, {{ "deadline_ms": 2 }}],
            "transactions": [{{ "operation": "test", "rounds": {rounds} }}] }}"#
    );
    let job = job::parse(&text).unwrap();
    let phase = Phase {
        pacer: pacer(&kind, ALONE, 0),
        stop,
        start: 0,
        recorded: true,
        started: 0,
    };
    let sequence = Sequence::new(job.order, 1, ALONE);
    let recorder = Recorder::new(None, Arc::default()).unwrap();
    Flow::new(Arc::new(Plan::new(&job)), sequence, phase, recorder, 8)
}

const CLOSED: PacerKind = PacerKind::Closed {
    clients: 1,
    think_time_us: 0,
    transactions_per_client: None,
};
/// One every 100 ns.
const CONSTANT: PacerKind = PacerKind::Constant { rate_per_s: 1e7 };

fn replied(flow: &mut Flow, call: u32, end: u64) {
    flow.replied(call, &REPLY, end, Failure::Status);
}

#[test]
fn a_round_begins_when_the_last_one_has_ended() {
    let mut flow = flow("[[0], [1, 2]]", CLOSED, Stop::at_first(Some(1), None));
    let (first, request) = flow.next_call(0, 0, 5).unwrap();
    assert_eq!((request, flow.next_call(0, 0, 6)), (0, None));
    replied(&mut flow, first, 100);
    let (second, request) = flow.next_call(0, 0, 101).unwrap();
    assert_eq!(request, 1);
    let (third, request) = flow.next_call(1, 1, 102).unwrap();
    assert_eq!((request, flow.next_call(0, 0, 103)), (2, None));
    replied(&mut flow, third, 200);
    assert!(!flow.is_finished(200));
    replied(&mut flow, second, 300);
    assert!(flow.is_finished(300));
    assert_eq!(flow.recorder.transactions, 1);
    flow.recorder.finish().unwrap();
    assert_eq!(flow.recorder.service.max_ns(), 295);
    assert_eq!((flow.payload.sent, flow.payload.received), (9, 12));
}

#[test]
fn a_failed_round_is_the_last() {
    let mut flow = flow("[[0, 1], [2]]", CLOSED, Stop::at_first(Some(1), None));
    let (first, _) = flow.next_call(0, 0, 0).unwrap();
    let (second, _) = flow.next_call(0, 0, 0).unwrap();
    flow.failed(first, Fault::protocol("test"), 10);
    assert!(!flow.is_finished(10));
    replied(&mut flow, second, 20);
    assert!(flow.is_finished(20));
    assert_eq!(flow.recorder.errors[Failure::ProtocolError as usize], 1);
    assert_eq!(flow.next_call(0, 0, 30), None);
}

#[test]
fn a_backlog_keeps_its_intended_times() {
    let mut flow = flow("[[0]]", CONSTANT, Stop::at_first(Some(3), None));
    let (first, _) = flow.next_call(0, 0, 0).unwrap();
    replied(&mut flow, first, 1_000);
    for (now, end) in [(1_000, 1_010), (1_010, 1_020)] {
        let (call, _) = flow.next_call(0, 0, now).unwrap();
        replied(&mut flow, call, end);
    }
    assert!(flow.is_finished(1_020));
    // Due at 0, 100 and 200, ended at 1000, 1010 and 1020.
    flow.recorder.finish().unwrap();
    assert_eq!(flow.recorder.response.total_ns(), 1_000.0 + 910.0 + 820.0);
    assert_eq!(flow.recorder.service.total_ns(), 1_000.0 + 10.0 + 10.0);
    assert_eq!(flow.recorder.lag.moments.total_ns(), 900.0 + 810.0);
}

#[test]
fn what_was_due_and_never_started_is_counted() {
    let mut flow = flow("[[0]]", CONSTANT, Stop::at_first(None, Some(1_000)));
    let (call, _) = flow.next_call(0, 0, 0).unwrap();
    replied(&mut flow, call, 2_000);
    assert_eq!(flow.next_call(0, 0, 2_000), None);
    assert!(flow.is_finished(2_000));
    assert_eq!(flow.never_sent(), 9);
}

#[test]
fn calls_time_out_in_their_order() {
    let mut flow = flow("[[0, 1]]", CLOSED, Stop::at_first(Some(1), None));
    let (first, _) = flow.next_call(3, 0, 0).unwrap();
    let (second, _) = flow.next_call(4, 0, 50).unwrap();
    assert_eq!(flow.next_timeout(), Some(1_000_000));
    assert_eq!(flow.timed_out(999_999), None);
    let expected = TimedOut {
        call: first,
        connection: 3,
        is_complete: false,
    };
    assert_eq!(flow.timed_out(1_000_000), Some(expected));
    flow.failed(first, Fault::new(Failure::Timeout, "test"), 1_000_000);
    assert_eq!(flow.timed_out(1_000_049), None);
    replied(&mut flow, second, 1_000_049);
    assert_eq!(flow.next_timeout(), None);
    assert_eq!(flow.recorder.errors[Failure::Timeout as usize], 1);
}

#[test]
fn a_request_may_have_a_deadline_of_its_own() {
    let mut flow = flow("[[2, 0]]", CLOSED, Stop::at_first(Some(1), None));
    let (patient, _) = flow.next_call(3, 0, 0).unwrap();
    let (other, _) = flow.next_call(4, 0, 50).unwrap();
    assert_eq!(flow.next_timeout(), Some(1_000_050));
    assert_eq!(flow.timed_out(1_000_050).unwrap().call, other);
    assert_eq!(flow.next_timeout(), Some(2_000_000));
    assert_eq!(flow.timed_out(2_000_000).unwrap().call, patient);
}

#[test]
fn expected_totals_follow_littles_law() {
    let mut flow = flow("[[0]]", CONSTANT, Stop::at_first(Some(2), None));
    let (first, _) = flow.next_call(0, 0, 0).unwrap();
    let (second, _) = flow.next_call(0, 0, 100).unwrap();
    replied(&mut flow, second, 300);
    replied(&mut flow, first, 500);
    flow.recorder.finish().unwrap();
    assert_eq!(
        flow.client_time().whole_ns as f64,
        flow.recorder.service.total_ns()
    );
}

#[test]
fn answers_that_arrived_before_they_were_read_keep_littles_law() {
    let mut flow = flow("[[0]]", CONSTANT, Stop::at_first(Some(3), None));
    let (first, _) = flow.next_call(0, 0, 0).unwrap();
    let (second, _) = flow.next_call(0, 0, 100).unwrap();
    let (third, _) = flow.next_call(0, 0, 240).unwrap();
    replied(&mut flow, first, 230); // arrived before the third was sent
    replied(&mut flow, third, 300);
    replied(&mut flow, second, 260); // and out of order
    assert!(flow.is_finished(300));
    flow.recorder.finish().unwrap();
    assert_eq!(flow.recorder.service.total_ns(), 230.0 + 160.0 + 60.0);
    assert_eq!(flow.client_time().whole_ns, 230 + 160 + 60);
}

#[test]
fn a_transaction_ends_with_the_last_answer_and_not_before_it_began() {
    let mut flow = flow("[[0, 1]]", CONSTANT, Stop::at_first(Some(2), None));
    let (first, _) = flow.next_call(0, 0, 50).unwrap();
    let (second, _) = flow.next_call(1, 1, 50).unwrap();
    replied(&mut flow, first, 90);
    replied(&mut flow, second, 80);
    let (first, _) = flow.next_call(0, 0, 150).unwrap();
    let (second, _) = flow.next_call(1, 1, 150).unwrap();
    replied(&mut flow, first, 140);
    replied(&mut flow, second, 145);
    flow.recorder.finish().unwrap();
    let service = &flow.recorder.service;
    assert_eq!((service.max_ns(), service.min_ns()), (40, 0));
    // The replies say that their first byte came at 0.
    let first_byte = &flow.recorder.first_byte;
    assert_eq!(
        (first_byte.moments.count(), first_byte.moments.max_ns()),
        (2, 0)
    );
    assert_eq!(flow.client_time().whole_ns, 40);
}

#[test]
fn waiting_for_a_connection_is_not_the_engines_time_and_hesitating_is() {
    let two = PacerKind::Closed {
        clients: 2,
        think_time_us: 0,
        transactions_per_client: None,
    };
    let mut flow = flow("[[0]]", two, Stop::at_first(Some(4), None));
    // One connection for two clients, and 10 ns from each reply to the next request.
    let mut start = 0;
    for _ in 0..4 {
        let (call, _) = flow.next_call(0, 0, start).unwrap();
        flow.full();
        replied(&mut flow, call, start + 90);
        start += 100;
    }
    let time = flow.client_time();
    // The first client: 0 to 290, of that 90 to 190 waiting; the second one: 100 to 390.
    assert_eq!((time.whole_ns, time.waiting_ns), (580, 200));
    // What is left is service, and twice the hesitation.
    flow.recorder.finish().unwrap();
    assert_eq!(flow.recorder.service.total_ns(), 360.0);
}

#[test]
fn warming_up_leaves_no_trace() {
    let mut flow = flow("[[0]]", CLOSED, Stop::at_first(None, None));
    flow.phase.recorded = false;
    let (call, _) = flow.next_call(0, 0, 0).unwrap();
    flow.failed(call, Fault::protocol("test"), 10);
    assert_eq!(flow.recorder.transactions, 0);
    assert_eq!(flow.mismatches.into_inner().len(), 0);
}
