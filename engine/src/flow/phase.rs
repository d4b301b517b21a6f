//! A slice as the flow goes through it: load begins with the guard, and flows into what is recorded.

use crate::pacer::{Closed, Pacer, Share, Turn};
use crate::plan::Sequence;
use crate::stop::Stop;

pub struct Phase {
    pub pacer: Box<dyn Pacer>,
    pub stop: Stop,
    /// When load begins.
    pub begin: u64,
    /// What starts from here on counts.
    pub start: u64,
    /// Whether what counts goes into the totals, too.
    pub recorded: bool,
    /// How many have started that count.
    pub started: u64,
    /// What comes until then, and from then on.
    pub guard: Sequence,
    pub sequence: Sequence,
}

impl Phase {
    /// Nothing to do.
    pub fn idle() -> Self {
        let alone = Share {
            worker: 0,
            workers: 1,
        };
        let turn = Turn {
            start: 0,
            counted_from: 0,
            per_client: None,
            seed: None,
        };
        Self {
            pacer: Box::new(Closed::new(0, 0, alone, turn)),
            stop: Stop::at_first(Some(0), None),
            begin: 0,
            start: 0,
            recorded: false,
            started: 0,
            guard: Sequence::empty(),
            sequence: Sequence::empty(),
        }
    }
}
