//! A closed load: each of N clients starts its next transaction when the last one has ended and
//! its think time is over.

use std::collections::VecDeque;

use super::{ClientTime, Due, Pacer, Share, Turn};

/// The clients of one worker.
pub struct Closed {
    /// When which client is due. Equal think times keep the queue sorted.
    queue: VecDeque<(Option<u64>, u32)>,
    clients: Vec<Client>,
    think_time_ns: u64,
    share: Share,
    turn: Turn,
}

/// The transactions of a client that count.
#[derive(Clone, Copy, Default)]
struct Client {
    started: u64,
    first_due: u64,
    last_end: u64,
}

impl Closed {
    /// The clients of one worker.
    pub fn new(clients: u32, think_time_ns: u64, share: Share, turn: Turn) -> Self {
        let count = share.of(u64::from(clients)) as u32;
        Self {
            queue: (0..count).map(|client| (None, client)).collect(),
            clients: vec![Client::default(); count as usize],
            think_time_ns,
            share,
            turn,
        }
    }

    /// The number of a client among those of all workers.
    fn number(&self, client: u32) -> u32 {
        client * self.share.workers as u32 + self.share.worker as u32
    }
}

impl Pacer for Closed {
    /// A client that has not started yet is due at the start of the load.
    #[inline]
    fn next_due(&self) -> Option<u64> {
        let (due, _) = self.queue.front()?;
        Some(due.unwrap_or(self.turn.start))
    }

    #[inline]
    fn take(&mut self, now: u64, counts: bool) -> Option<Due> {
        let (due, client) = self.queue.pop_front()?;
        let intended = due.unwrap_or(now);
        if counts {
            let state = &mut self.clients[client as usize];
            if state.started == 0 {
                state.first_due = intended;
            }
            state.started += 1;
        }
        Some(Due {
            intended,
            client: Some(self.number(client)),
        })
    }

    #[inline]
    fn ended(&mut self, client: Option<u32>, at: u64, counts: bool) {
        let Some(number) = client else { return };
        let index = number / self.share.workers as u32;
        let client = &mut self.clients[index as usize];
        if counts {
            client.last_end = at;
        }
        let limit = self.turn.per_client;
        if limit.is_none_or(|limit| client.started < limit) {
            self.queue.push_back((Some(at + self.think_time_ns), index));
        }
    }

    fn client_time(&self) -> Option<ClientTime> {
        let mut time = ClientTime::default();
        for client in self.clients.iter().filter(|client| client.started > 0) {
            time.whole_ns += client.last_end.saturating_sub(client.first_due);
            time.thinking_ns += (client.started - 1) * self.think_time_ns;
        }
        Some(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: Share = Share {
        worker: 0,
        workers: 1,
    };
    const FROM_5: Turn = Turn {
        start: 5,
        per_client: None,
        seed: None,
    };

    #[test]
    fn the_next_is_due_when_the_last_has_ended() {
        let mut pacer = Closed::new(1, 0, ALONE, FROM_5);
        assert_eq!(pacer.next_due(), Some(5));
        assert_eq!(
            pacer.take(7, true),
            Some(Due {
                intended: 7,
                client: Some(0)
            })
        );
        assert_eq!((pacer.next_due(), pacer.take(8, true)), (None, None));
        pacer.ended(Some(0), 500, true);
        assert_eq!(pacer.next_due(), Some(500));
        assert_eq!(
            pacer.take(510, true),
            Some(Due {
                intended: 500,
                client: Some(0)
            })
        );
    }

    #[test]
    fn clients_wait_their_think_time() {
        let mut pacer = Closed::new(2, 1_000, ALONE, FROM_5);
        pacer.take(0, true);
        pacer.take(0, true);
        pacer.ended(Some(1), 100, true);
        pacer.ended(Some(0), 200, true);
        assert_eq!(
            pacer.take(5_000, true),
            Some(Due {
                intended: 1_100,
                client: Some(1)
            })
        );
        assert_eq!(
            pacer.take(5_000, true),
            Some(Due {
                intended: 1_200,
                client: Some(0)
            })
        );
    }

    #[test]
    fn each_client_has_its_limit() {
        let twice = Turn {
            per_client: Some(2),
            ..FROM_5
        };
        let mut pacer = Closed::new(1, 0, ALONE, twice);
        for _ in 0..2 {
            assert!(pacer.take(6, true).is_some());
            pacer.ended(Some(0), 10, true);
        }
        assert_eq!(pacer.next_due(), None);
    }

    #[test]
    fn clients_are_numbered_over_all_workers() {
        let second = Share {
            worker: 1,
            workers: 2,
        };
        let mut pacer = Closed::new(5, 0, second, FROM_5);
        let numbers: Vec<_> = (0..2)
            .map(|_| pacer.take(0, true).unwrap().client.unwrap())
            .collect();
        assert_eq!(numbers, [1, 3]);
        assert_eq!(pacer.take(0, true), None);
        pacer.ended(Some(3), 9, true);
        assert_eq!(
            pacer.take(9, true),
            Some(Due {
                intended: 9,
                client: Some(3)
            })
        );
    }

    #[test]
    fn client_time_excludes_the_idle_end_and_counts_the_intended_think_time() {
        let mut pacer = Closed::new(2, 100, ALONE, FROM_5);
        pacer.take(1_000, true);
        pacer.take(1_000, true);
        pacer.ended(Some(0), 2_000, true);
        pacer.ended(Some(1), 1_500, true);
        pacer.take(2_170, true); // 70 later than it should
        pacer.ended(Some(0), 3_000, true);
        let expected = ClientTime {
            whole_ns: 2_000 + 500,
            thinking_ns: 100,
            ..ClientTime::default()
        };
        assert_eq!(pacer.client_time(), Some(expected));
    }

    #[test]
    fn uncounted_transactions_affect_neither_client_time_nor_limit() {
        let once = Turn {
            per_client: Some(1),
            ..FROM_5
        };
        let mut pacer = Closed::new(1, 0, ALONE, once);
        for (start, end) in [(5, 400), (410, 990), (995, 1_500)] {
            assert!(pacer.take(start, false).is_some());
            pacer.ended(Some(0), end, false);
        }
        assert_eq!(pacer.client_time(), Some(ClientTime::default()));
        pacer.take(1_510, true);
        pacer.ended(Some(0), 2_000, true);
        assert_eq!(pacer.next_due(), None);
        // From when it was due: with the end of the one before.
        assert_eq!(pacer.client_time().unwrap().whole_ns, 500);
    }

    #[test]
    fn time_after_the_last_counted_transaction_is_not_client_time() {
        let mut pacer = Closed::new(1, 0, ALONE, FROM_5);
        pacer.take(10, true);
        pacer.ended(Some(0), 110, true);
        pacer.take(115, false);
        pacer.ended(Some(0), 400, false);
        assert_eq!(pacer.client_time().unwrap().whole_ns, 100);
    }
}
