//! Deadlines of items that all have the same time-out.
//!
//! The order of starting is then the order of the deadlines, and a doubly linked list in an array
//! replaces a heap, in constant time and without allocation.

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Link {
    previous: u32,
    next: u32,
    at: u64,
    listed: bool,
}

/// The running deadlines, by key.
pub struct Deadlines {
    links: Vec<Link>,
    first: u32,
    last: u32,
    timeout_ns: u64,
}

impl Deadlines {
    /// No running deadline; with room for the keys below `capacity`.
    pub fn new(timeout_ns: u64, capacity: usize) -> Self {
        Self {
            links: Vec::with_capacity(capacity),
            first: NONE,
            last: NONE,
            timeout_ns,
        }
    }

    /// Starts the deadline of `key`; `now`, in nanoseconds, must not be earlier than in the
    /// previous call.
    pub fn start(&mut self, key: u32, now: u64) {
        self.stop(key);
        if key as usize >= self.links.len() {
            let unlisted = Link {
                previous: NONE,
                next: NONE,
                at: 0,
                listed: false,
            };
            self.links.resize(key as usize + 1, unlisted);
        }
        self.links[key as usize] = Link {
            previous: self.last,
            next: NONE,
            at: now + self.timeout_ns,
            listed: true,
        };
        match self.last {
            NONE => self.first = key,
            last => self.links[last as usize].next = key,
        }
        self.last = key;
    }

    /// Removes the deadline of `key`, if it has one.
    pub fn stop(&mut self, key: u32) {
        let Some(&Link {
            previous,
            next,
            listed: true,
            ..
        }) = self.links.get(key as usize)
        else {
            return;
        };
        match previous {
            NONE => self.first = next,
            previous => self.links[previous as usize].next = next,
        }
        match next {
            NONE => self.last = previous,
            next => self.links[next as usize].previous = previous,
        }
        self.links[key as usize].listed = false;
    }

    /// The time of the next deadline, in nanoseconds.
    pub fn next(&self) -> Option<u64> {
        (self.first != NONE).then(|| self.links[self.first as usize].at)
    }

    /// Removes and returns a key whose deadline has passed.
    pub fn expired(&mut self, now: u64) -> Option<u32> {
        if self.next()? > now {
            return None;
        }
        let key = self.first;
        self.stop(key);
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_expire_in_the_order_of_starting() {
        let mut deadlines = Deadlines::new(100, 4);
        for (key, now) in [(5, 0), (2, 10), (9, 20), (0, 30)] {
            deadlines.start(key, now);
        }
        deadlines.stop(9);
        deadlines.stop(7);

        assert_eq!(deadlines.next(), Some(100));
        assert_eq!(deadlines.expired(99), None);
        assert_eq!(deadlines.expired(110), Some(5));
        assert_eq!(deadlines.expired(110), Some(2));
        assert_eq!(deadlines.expired(110), None);
        assert_eq!(deadlines.expired(1000), Some(0));
        assert_eq!(deadlines.next(), None);
    }

    #[test]
    fn restarting_a_deadline_moves_it_to_the_end() {
        let mut deadlines = Deadlines::new(100, 4);
        deadlines.start(1, 0);
        deadlines.start(2, 5);
        deadlines.start(1, 50);
        assert_eq!(deadlines.expired(1000), Some(2));
        assert_eq!(deadlines.expired(1000), Some(1));
        assert_eq!(deadlines.expired(1000), None);
    }
}
