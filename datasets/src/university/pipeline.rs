//! Generates universities in several threads, and returns them in order.
//!
//! A university has its own random stream, except for its texts, which come from one stream for
//! all. So the threads form a ring and pass that stream on: the thread that has it draws the texts
//! of the next university, passes it on, and then does the long work of writing rows. The result
//! does not depend on the number of threads.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::java_random::JavaRandom;
use super::structure::University;
use super::tally::Tally;
use super::texts::Texts;
use crate::error::Error;
use crate::progress::{Display, Steps};

/// The universities to generate.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub scale_factor: u32,
    /// The seed of everything but texts and ages.
    pub base_seed: u32,
    /// The seed of texts and ages.
    pub text_seed: u32,
    pub threads: u32,
}

/// Calls a function with each university, and passes the results to `take` in the order of their
/// numbers.
pub fn in_order<T: Send>(
    plan: Plan,
    display: &Display,
    make: impl Fn(&University, &Texts) -> Result<T, Error> + Sync,
    mut take: impl FnMut(&Tally, T) -> Result<(), Error>,
) -> Result<(), Error> {
    let ring = plan.threads.min(plan.scale_factor);
    let (mut pass, batons): (Vec<_>, Vec<_>) = (0..ring).map(|_| sync_channel(1)).unzip();
    // The first thread has the stream at the start; its new channel has room for it.
    let _ = pass[0].send(JavaRandom::new(i64::from(plan.text_seed)));
    pass.rotate_left(1);
    let make = &make;
    let mut steps = Steps::new(plan.scale_factor.into());
    thread::scope(|scope| {
        // If `take` fails, the receivers are dropped, which ends every thread.
        let made: Vec<Receiver<_>> = (0..ring)
            .zip(batons.into_iter().zip(pass))
            .map(|(first, (baton, pass))| {
                let (sender, receiver) = sync_channel(1);
                let numbers = (first..plan.scale_factor).step_by(ring as usize);
                scope.spawn(move || work(plan, numbers, &baton, &pass, make, &sender));
                receiver
            })
            .collect();
        for number in 0..plan.scale_factor {
            let Ok((tally, product)) = made[(number % ring) as usize].recv() else {
                break; // the thread panicked, which the scope propagates
            };
            take(&tally, product?)?;
            steps.advance();
            display.show(|| format!("universities: {}", steps.describe()));
        }
        Ok(())
    })
}

fn work<T>(
    plan: Plan,
    numbers: impl Iterator<Item = u32>,
    baton: &Receiver<JavaRandom>,
    pass: &SyncSender<JavaRandom>,
    make: &impl Fn(&University, &Texts) -> Result<T, Error>,
    made: &SyncSender<(Tally, Result<T, Error>)>,
) {
    for number in numbers {
        let university = University::draw(plan.base_seed, number);
        let Ok(mut stream) = baton.recv() else {
            return;
        };
        let texts = Texts::draw(&mut stream, &university);
        let _ = pass.send(stream); // after the last university it is not needed
        let product = (Tally::of(&university), make(&university, &texts));
        if made.send(product).is_err() {
            return;
        }
    }
}
