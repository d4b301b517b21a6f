use super::*;
use crate::transport::http1::Http1;

#[test]
fn a_resting_connection_is_not_available_even_if_it_is_listed() {
    let mut pool = Pool::<Http1>::new(Address::Inet(([127, 0, 0, 1], 1).into()), 1, 1, 1, 0);
    pool.offer(0);
    assert_eq!(pool.first_available(), Some(0));
    pool.discard(0, false, 5);
    assert_eq!(pool.first_available(), None);
    pool.wake_rested(4 + REST_NS);
    assert_eq!(pool.first_available(), None);
    pool.wake_rested(5 + REST_NS);
    assert_eq!(pool.first_available(), Some(0));
}

/// What is seldom needed, TLS and QUIC, is elsewhere.
#[test]
fn a_slot_is_small() {
    let slot = size_of::<Connection<Http1>>();
    assert!(slot <= 768, "{slot} bytes");
}

#[test]
fn tokens_survive_packing() {
    for token in [
        Token::Command,
        Token::Alarm,
        Token::Slot {
            index: 0,
            generation: 0,
        },
        Token::Slot {
            index: 59_999,
            generation: 7,
        },
        Token::Leaving(0),
        Token::Leaving(12),
    ] {
        assert_eq!(Token::unpack(token.pack()), token);
    }
}
