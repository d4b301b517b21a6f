use super::*;
use crate::encoding::Encoding;
use crate::job::{self, Agent, PacerKind};
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
    guarded_flow(rounds, kind, stop, 0)
}

/// The same; what starts in the first so many nanoseconds does not count.
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
        agent: Agent::ALONE,
    };
    let sequence = || Sequence::new(target.order, 1, ALONE, 0);
    let recorder = Recorder::new(None, Arc::default(), Arc::default()).unwrap();
    let answers = Answers::new(None, 0).unwrap();
    let mut flow = Flow::new(Arc::new(Plan::new(target)), recorder, answers, 8);
    flow.recorder.begin(Some(0));
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
    assert_eq!(flow.phase.ended, 1);
    assert_eq!((flow.payload.sent, flow.payload.received), (9, 12));
    let (_, total) = recorded(&mut flow);
    assert_eq!(total.service.max_ns(), 295);
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
    let (counts, _) = recorded(&mut flow);
    assert_eq!(counts.errors[Failure::ProtocolError as usize], 1);
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
    let (counts, total) = recorded(&mut flow);
    assert_eq!(counts.response_ns, 1_000 + 910 + 820);
    assert_eq!(total.response.total_ns(), 1_000.0 + 910.0 + 820.0);
    assert_eq!(total.service.total_ns(), 1_000.0 + 10.0 + 10.0);
    assert_eq!(total.lag.moments.total_ns(), 900.0 + 810.0);
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
    let (counts, _) = recorded(&mut flow);
    assert_eq!(counts.errors[Failure::Timeout as usize], 1);
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
    let whole_ns = flow.client_time().whole_ns as f64;
    let (_, total) = recorded(&mut flow);
    assert_eq!(whole_ns, total.service.total_ns());
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
    assert_eq!(flow.client_time().whole_ns, 230 + 160 + 60);
    let (_, total) = recorded(&mut flow);
    assert_eq!(total.service.total_ns(), 230.0 + 160.0 + 60.0);
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
    assert_eq!(flow.client_time().whole_ns, 40);
    let (_, total) = recorded(&mut flow);
    assert_eq!((total.service.max_ns(), total.service.min_ns()), (40, 0));
    // The replies say that their first byte came at 0.
    let first_byte = &total.first_byte.moments;
    assert_eq!((first_byte.count(), first_byte.max_ns()), (2, 0));
}

#[test]
fn waiting_for_a_connection_is_not_the_engines_time_and_hesitating_is() {
    let two = PacerKind::Closed {
        clients: 2,
        think_time_us: 0,
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
    let (_, total) = recorded(&mut flow);
    assert_eq!(total.service.total_ns(), 360.0);
}

#[test]
fn a_rehearsal_is_counted_and_leaves_no_trace() {
    let mut flow = flow("[[0]]", CLOSED, Stop::at_first(None, None));
    flow.recorder.begin(None);
    flow.phase.recorded = false;
    for (start, end) in [(0, 10), (10, 30)] {
        let (call, _) = flow.next_call(0, 0, start).unwrap();
        flow.failed(call, Fault::protocol("test"), end);
    }
    let (counts, total) = recorded(&mut flow);
    assert_eq!((counts.transactions, counts.failed()), (2, 2));
    assert_eq!((total.response.count(), total.slices.len()), (0, 0));
    assert_eq!(flow.mismatches.into_inner().len(), 0);
}

#[test]
fn load_flows_from_the_guard_into_what_counts() {
    let mut flow = guarded_flow("[[0]]", CLOSED, Stop::at_first(Some(2), Some(5_000)), 1_000);
    // The third starts in the guard and ends after it; its failure is nobody's business.
    for (start, end) in [(0, 400), (410, 900), (910, 1_200)] {
        let (call, _) = flow.next_call(0, 0, start).unwrap();
        flow.failed(call, Fault::protocol("guard"), end);
        assert_eq!(flow.stopped_at(end), None);
    }
    for (start, end) in [(1_210, 1_300), (1_310, 1_390)] {
        let (call, _) = flow.next_call(0, 0, start).unwrap();
        replied(&mut flow, call, end);
    }
    assert_eq!(flow.next_call(0, 0, 1_400), None);
    assert_eq!(flow.stopped_at(1_400), Some(1_400));
    assert!(flow.is_finished(1_400));
    assert_eq!(
        (flow.unrecorded, flow.dropped(), flow.never_sent()),
        (3, 0, 0)
    );
    assert_eq!((flow.payload.sent, flow.payload.received), (6, 8));
    // From when the first of them was due, with the end of the one before.
    assert_eq!(flow.client_time().whole_ns, 1_390 - 1_200);
    let (counts, total) = recorded(&mut flow);
    assert_eq!((counts.transactions, counts.failed()), (2, 0));
    assert_eq!(counts.last_end_ns, 390, "from the start of what counts");
    assert_eq!(counts.response_ns, 100 + 90);
    assert_eq!(total.service.total_ns(), 90.0 + 80.0);
    assert_eq!(flow.mismatches.into_inner().len(), 0);
}

const TWO_CLIENTS: PacerKind = PacerKind::Closed {
    clients: 2,
    think_time_us: 0,
};

#[test]
fn load_goes_on_until_the_last_that_counts_has_ended() {
    let stop = Stop::at_first(None, Some(1_500));
    let mut flow = guarded_flow("[[0]]", TWO_CLIENTS, stop, 1_000);
    let (slow, _) = flow.next_call(0, 0, 1_100).unwrap();
    let (quick, _) = flow.next_call(1, 1, 1_100).unwrap();
    replied(&mut flow, quick, 1_600);
    // The time is over, and one of those that count is still under way.
    assert_eq!(flow.stopped_at(1_610), Some(1_500));
    assert_eq!(flow.next_due(1_610), Some(1_600));
    let mut now = 1_610;
    for _ in 0..3 {
        let (trailing, _) = flow.next_call(1, 1, now).unwrap();
        now += 100;
        flow.failed(trailing, Fault::protocol("trailing"), now);
        assert!(!flow.is_finished(now));
    }
    let (last, _) = flow.next_call(1, 1, now).unwrap();
    replied(&mut flow, slow, now + 10);
    assert_eq!(flow.next_call(0, 0, now + 20), None);
    assert_eq!(flow.next_due(now + 20), None);
    assert!(
        !flow.is_finished(now + 20),
        "the connection is not free yet"
    );
    replied(&mut flow, last, now + 50);
    assert!(flow.is_finished(now + 50));
    assert_eq!((flow.unrecorded, flow.dropped()), (4, 0));
    assert_eq!((flow.payload.sent, flow.payload.received), (6, 8));
    // Each client from its first start to the end of its last transaction that counts.
    assert_eq!(flow.client_time().whole_ns, 500 + now + 10 - 1_100);
    let (counts, total) = recorded(&mut flow);
    assert_eq!((counts.transactions, counts.failed()), (2, 0));
    assert_eq!(total.service.total_ns(), (500 + now + 10 - 1_100) as f64);
    assert_eq!(flow.mismatches.into_inner().len(), 0);
}

#[test]
fn nothing_trails_a_window_without_a_guard_or_what_is_given_up() {
    let stop = Stop::at_first(Some(2), None);
    let mut flow = guarded_flow("[[0]]", TWO_CLIENTS, stop, 0);
    let start_two = |flow: &mut Flow, at| {
        let (first, _) = flow.next_call(0, 0, at).unwrap();
        let (_second, _) = flow.next_call(1, 1, at).unwrap();
        replied(flow, first, at + 100);
    };
    start_two(&mut flow, 0);
    assert_eq!(flow.next_call(0, 0, 110), None);

    let mut flow = guarded_flow("[[0]]", TWO_CLIENTS, stop, 1_000);
    start_two(&mut flow, 1_000);
    assert!(flow.next_due(1_110).is_some());
    flow.cease();
    assert_eq!(
        (flow.next_due(1_110), flow.next_call(0, 0, 1_110)),
        (None, None)
    );
}

#[test]
fn a_schedule_goes_on_behind_what_counts_and_late_starts_are_told() {
    let mut flow = guarded_flow("[[0]]", CONSTANT, Stop::at_first(None, Some(1_000)), 500);
    for due in (0..500).step_by(100) {
        let (call, _) = flow.next_call(0, 0, due).unwrap();
        replied(&mut flow, call, due + 50);
    }
    let (slow, _) = flow.next_call(0, 0, 500).unwrap();
    // Nothing is free before 1 100: those due from 600 to 900 start behind what counts.
    for _ in 0..6 {
        let (trailing, _) = flow.next_call(1, 1, 1_100).unwrap();
        replied(&mut flow, trailing, 1_100);
    }
    replied(&mut flow, slow, 1_200);
    assert_eq!(flow.next_call(0, 0, 1_300), None);
    assert!(flow.is_finished(1_300));
    assert_eq!((flow.unrecorded, flow.never_sent()), (5 + 6, 4));
    let (counts, _) = recorded(&mut flow);
    assert_eq!(counts.transactions, 1);
}

#[test]
fn a_schedule_goes_on_through_the_guard() {
    let mut flow = guarded_flow("[[0]]", CONSTANT, Stop::at_first(None, Some(1_000)), 500);
    let mut ended = 0;
    // Due at 0, 100, ...; from 500 on they count.
    for due in (0..700).step_by(100) {
        let (call, _) = flow.next_call(0, 0, due).unwrap();
        replied(&mut flow, call, due + 50);
        ended = due + 50;
    }
    // Those due at 700, 800 and 900 find no connection.
    assert_eq!(flow.stopped_at(1_100), Some(1_000));
    assert!(flow.is_finished(1_100));
    assert_eq!((flow.unrecorded, flow.never_sent()), (5, 3));
    assert_eq!((flow.client_time().whole_ns, ended), (100, 650));
    let (_, total) = recorded(&mut flow);
    assert_eq!(total.service.total_ns(), 100.0);
}

#[test]
fn what_waits_for_a_connection_can_be_failed() {
    let mut flow = flow("[[0, 1], [2]]", CLOSED, Stop::at_first(Some(1), None));
    let (call, _) = flow.next_call(0, 0, 0).unwrap();
    flow.fail_waiting(Fault::new(Failure::Timeout, "test"), 70);
    assert!(!flow.is_finished(70));
    flow.failed(call, Fault::protocol("test"), 80);
    assert!(flow.is_finished(80));
    let (counts, _) = recorded(&mut flow);
    assert_eq!(counts.errors[Failure::Timeout as usize], 1, "the first one");
}

/// Tene's example of coordinated omission (vector V12 of the method), at a hundredth of its length:
/// 200 answers of 1 ms, then the server stands still for as long as they took at one in 5 ms, and
/// what has piled up is answered at once.
#[test]
fn the_response_times_of_a_freeze_have_the_published_shape() {
    const MS: u64 = 1_000_000;
    const FREEZE: u64 = 1_000 * MS;
    let every_5_ms = PacerKind::Constant { rate_per_s: 200.0 };
    let mut flow = flow("[[0]]", every_5_ms, Stop::at_first(Some(400), None));
    let mut now = 0;
    for number in 0..400 {
        now = now.max(flow.next_due(now).unwrap());
        let (call, _) = flow.next_call(0, 0, now).unwrap();
        now += match number {
            0..200 => MS,
            200 => FREEZE,
            _ => 0,
        };
        replied(&mut flow, call, now);
    }
    let mut record = flow.recorder.end(Box::default());
    let near = |found: f64, share: f64| {
        let expected = share * FREEZE as f64;
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    };
    near(record.counts.response_ns as f64 / 400.0, 0.25);
    let [median, p90, p99] = record.responses.quantiles([0.5, 0.9, 0.99]).unwrap();
    assert_eq!(median, MS, "half of them were answered at once");
    near(p90 as f64, 0.80);
    near(p99 as f64, 0.98);
    assert_eq!(record.counts.max_ns, FREEZE);
    let service = &flow.recorder.total.service;
    assert_eq!(service.max_ns(), FREEZE);
    assert!(service.mean_ns() < 0.01 * FREEZE as f64);
}
