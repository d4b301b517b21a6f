//! A closed load: each of N clients starts its next transaction when the last one has ended and
//! its think time is over.

use std::collections::VecDeque;

use super::{ClientTime, Due, Pacer, Share, Turn};

pub struct Closed {
    /// Who is due when. Equal think times keep it in order without sorting.
    queue: VecDeque<(Option<u64>, u32)>,
    clients: Vec<Client>,
    think_time_ns: u64,
    share: Share,
    turn: Turn,
}

/// What counts of a client: that which started when recording had begun.
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
    /// A client that has not started yet is due with the start of load.
    #[inline]
    fn next_due(&self) -> Option<u64> {
        let (due, _) = self.queue.front()?;
        Some(due.unwrap_or(self.turn.start))
    }

    #[inline]
    fn take(&mut self, now: u64) -> Option<Due> {
        let (due, client) = self.queue.pop_front()?;
        let intended = due.unwrap_or(now);
        if now >= self.turn.counted_from {
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
    fn ended(&mut self, client: Option<u32>, at: u64) {
        let Some(number) = client else { return };
        let index = number / self.share.workers as u32;
        let client = &mut self.clients[index as usize];
        client.last_end = at;
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
        counted_from: 5,
        per_client: None,
        seed: None,
    };

    #[test]
    fn the_next_is_due_when_the_last_has_ended() {
        let mut pacer = Closed::new(1, 0, ALONE, FROM_5);
        assert_eq!(pacer.next_due(), Some(5));
        assert_eq!(
            pacer.take(7),
            Some(Due {
                intended: 7,
                client: Some(0)
            })
        );
        assert_eq!((pacer.next_due(), pacer.take(8)), (None, None));
        pacer.ended(Some(0), 500);
        assert_eq!(pacer.next_due(), Some(500));
        assert_eq!(
            pacer.take(510),
            Some(Due {
                intended: 500,
                client: Some(0)
            })
        );
    }

    #[test]
    fn clients_think() {
        let mut pacer = Closed::new(2, 1_000, ALONE, FROM_5);
        pacer.take(0);
        pacer.take(0);
        pacer.ended(Some(1), 100);
        pacer.ended(Some(0), 200);
        assert_eq!(
            pacer.take(5_000),
            Some(Due {
                intended: 1_100,
                client: Some(1)
            })
        );
        assert_eq!(
            pacer.take(5_000),
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
            assert!(pacer.take(6).is_some());
            pacer.ended(Some(0), 10);
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
            .map(|_| pacer.take(0).unwrap().client.unwrap())
            .collect();
        assert_eq!(numbers, [1, 3]);
        assert_eq!(pacer.take(0), None);
        pacer.ended(Some(3), 9);
        assert_eq!(
            pacer.take(9),
            Some(Due {
                intended: 9,
                client: Some(3)
            })
        );
    }

    #[test]
    fn client_time_leaves_out_the_idle_end_and_counts_thinking_as_it_was_meant() {
        let mut pacer = Closed::new(2, 100, ALONE, FROM_5);
        pacer.take(1_000);
        pacer.take(1_000);
        pacer.ended(Some(0), 2_000);
        pacer.ended(Some(1), 1_500);
        pacer.take(2_170); // 70 later than it should
        pacer.ended(Some(0), 3_000);
        let expected = ClientTime {
            whole_ns: 2_000 + 500,
            thinking_ns: 100,
            waiting_ns: 0,
        };
        assert_eq!(pacer.client_time(), Some(expected));
    }

    #[test]
    fn what_starts_before_recording_counts_neither_as_time_nor_towards_the_limit() {
        let guarded = Turn {
            counted_from: 1_000,
            per_client: Some(1),
            ..FROM_5
        };
        let mut pacer = Closed::new(1, 0, ALONE, guarded);
        for (start, end) in [(5, 400), (410, 990), (995, 1_500)] {
            assert!(pacer.take(start).is_some());
            pacer.ended(Some(0), end);
        }
        assert_eq!(pacer.client_time(), Some(ClientTime::default()));
        pacer.take(1_510);
        pacer.ended(Some(0), 2_000);
        assert_eq!(pacer.next_due(), None);
        // From when it was due: with the end of the one before.
        assert_eq!(pacer.client_time().unwrap().whole_ns, 500);
    }
}
