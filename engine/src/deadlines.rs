//! Deadlines of things that all have the same time-out.
//!
//! Then the order of starting is the order of the deadlines, and a doubly linked list threaded
//! through an array does what a heap would do, in constant time and without allocation.

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Link {
    previous: u32,
    next: u32,
    at: u64,
    listed: bool,
}

pub struct Deadlines {
    links: Vec<Link>,
    first: u32,
    last: u32,
    timeout_ns: u64,
}

impl Deadlines {
    pub fn new(timeout_ns: u64, capacity: usize) -> Self {
        Self {
            links: Vec::with_capacity(capacity),
            first: NONE,
            last: NONE,
            timeout_ns,
        }
    }

    /// Starts the clock for `key`; `now` must not lie before that of an earlier call.
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

    /// Takes `key` off the list, if it is there.
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

    /// When the next deadline is.
    pub fn next(&self) -> Option<u64> {
        (self.first != NONE).then(|| self.links[self.first as usize].at)
    }

    /// Takes one key off the list whose deadline has passed.
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
    fn expire_in_the_order_of_starting() {
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
    fn starting_again_moves_to_the_end() {
        let mut deadlines = Deadlines::new(100, 4);
        deadlines.start(1, 0);
        deadlines.start(2, 5);
        deadlines.start(1, 50);
        assert_eq!(deadlines.expired(1000), Some(2));
        assert_eq!(deadlines.expired(1000), Some(1));
        assert_eq!(deadlines.expired(1000), None);
    }
}
