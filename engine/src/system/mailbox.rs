//! A queue between threads of different real-time priorities.
//!
//! A thread that takes from a channel of the standard library spins while another thread is putting
//! something in. If that thread has a lower real-time priority, and its CPU is that of the spinning
//! one, it never runs again. Here the receiver sleeps until the lock is free.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Creates a queue: the end to put values in, which can be cloned, and the end to take them from.
pub fn mailbox<T>() -> (Outbox<T>, Inbox<T>) {
    let shared = Arc::new(Shared {
        state: Mutex::new(State {
            waiting: VecDeque::new(),
            senders: 1,
        }),
        changed: Condvar::new(),
    });
    (Outbox(Arc::clone(&shared)), Inbox(shared))
}

/// The end of a queue to put values in.
pub struct Outbox<T>(Arc<Shared<T>>);

/// The end of a queue to take values from.
pub struct Inbox<T>(Arc<Shared<T>>);

struct Shared<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    waiting: VecDeque<T>,
    senders: usize,
}

impl<T> Outbox<T> {
    /// Puts a value in; it never waits for the receiver to take one.
    pub fn send(&self, value: T) {
        self.0.lock().waiting.push_back(value);
        self.0.changed.notify_one();
    }
}

impl<T> Clone for Outbox<T> {
    fn clone(&self) -> Self {
        self.0.lock().senders += 1;
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for Outbox<T> {
    fn drop(&mut self) {
        self.0.lock().senders -= 1;
        self.0.changed.notify_one();
    }
}

impl<T> Inbox<T> {
    /// Takes the next value; waits for it. None if there is none, and no sender is left.
    pub fn recv(&self) -> Option<T> {
        let mut state = self.0.lock();
        while state.waiting.is_empty() && state.senders > 0 {
            let woken = self.0.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.pop_front()
    }

    /// Takes the next value, if one is there.
    pub fn take(&self) -> Option<T> {
        self.0.lock().waiting.pop_front()
    }

    /// Takes all values that are there.
    pub fn take_all(&self) -> VecDeque<T> {
        std::mem::take(&mut self.0.lock().waiting)
    }
}

impl<T> Shared<T> {
    /// A thread that panicked cannot have left a value half in the queue.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn values_arrive_in_order_until_the_last_sender_has_ended() {
        let (outbox, inbox) = mailbox();
        let other = outbox.clone();
        let sending = thread::spawn(move || (0..1000).for_each(|number| other.send(number)));
        let received: Vec<u32> = (0..1000).filter_map(|_| inbox.recv()).collect();
        assert_eq!(received, (0..1000).collect::<Vec<_>>());
        sending.join().unwrap();
        outbox.send(7);
        outbox.send(8);
        drop(outbox);
        assert_eq!(inbox.recv(), Some(7));
        assert_eq!(inbox.take_all(), [8]);
        assert_eq!(inbox.recv(), None);
    }
}
