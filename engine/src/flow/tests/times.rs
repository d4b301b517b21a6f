//! What is counted and timed.

use super::*;

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
fn requests_that_were_due_and_never_started_are_counted() {
    let mut flow = flow("[[0]]", CONSTANT, Stop::at_first(None, Some(1_000)));
    let (call, _) = flow.next_call(0, 0, 0).unwrap();
    replied(&mut flow, call, 2_000);
    assert_eq!(flow.next_call(0, 0, 2_000), None);
    assert!(flow.is_finished(2_000));
    assert_eq!(flow.never_sent(), 9);
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
fn waiting_for_a_connection_is_not_time_of_the_engine_but_a_late_start_is() {
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

/// Tene's example of coordinated omission (vector V12 of the method), at a hundredth of its length:
/// 200 answers of 1 ms, then the server stalls for as long as they took at one in 5 ms, and
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
