//! The counted window, the load before it, and the load after it.

use super::*;

#[test]
fn a_rehearsal_is_counted_and_leaves_no_trace() {
    let mut flow = flow("[[0]]", CLOSED, Stop::at_first(None, None));
    flow.recorder.begin(None, false);
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
fn load_continues_from_the_guard_into_the_window() {
    let mut flow = guarded_flow("[[0]]", CLOSED, Stop::at_first(Some(2), Some(5_000)), 1_000);
    // The third starts in the guard and ends after it; its failure does not count.
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
fn load_continues_until_the_last_counted_transaction_has_ended() {
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
fn no_load_trails_a_window_without_a_guard_or_after_an_abort() {
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
fn a_schedule_continues_after_the_window_and_late_starts_are_reported() {
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
fn a_schedule_continues_through_the_guard() {
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
