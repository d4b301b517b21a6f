//! Rounds of requests, in time or not.

use super::*;

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
fn a_failed_round_ends_the_transaction() {
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
fn a_call_that_waits_for_a_connection_can_fail() {
    let mut flow = flow("[[0, 1], [2]]", CLOSED, Stop::at_first(Some(1), None));
    let (call, _) = flow.next_call(0, 0, 0).unwrap();
    flow.fail_waiting(Fault::new(Failure::Timeout, "test"), 70);
    assert!(!flow.is_finished(70));
    flow.failed(call, Fault::protocol("test"), 80);
    assert!(flow.is_finished(80));
    let (counts, _) = recorded(&mut flow);
    assert_eq!(counts.errors[Failure::Timeout as usize], 1, "the first one");
}
