//! A sample of the answers to requests whose correct answers differ in their bytes. No hash can
//! check them; wirelab decodes and compares the sample after the run.
//!
//! The sample is drawn at random (Vitter's Algorithm R, seeded), beside the first answer and the
//! last. It is a file with one slot per answer, so that it takes no memory and at most `LONGEST`
//! bytes of disk per slot, however long the run.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use crate::allowance::WHOLE;
use crate::random::Random;
use crate::transport::Reply;

/// The number of answers drawn at random: if one answer in a hundred is wrong, at least one of 459
/// is wrong with a probability of 1 - 0.99^459 > 0.99.
const RANDOM: u64 = 459;
/// The slots of the first and the last answer, before those drawn at random.
const FIRST: u64 = 0;
const LAST: u64 = 1;
const SLOTS: u64 = LAST + 1 + RANDOM;

/// A longer answer is sampled without its body.
const LONGEST: usize = WHOLE;
const HEADER: usize = 32;
/// The size of a slot in bytes: whole pages, so that no two slots share one.
const SLOT: u64 = (LONGEST + 4096) as u64;

/// The sample of one worker.
pub struct Answers {
    /// Absent if no answer is to be sampled. It is unlinked, so that nothing is left however the
    /// engine ends.
    file: Option<File>,
    random: Random,
    seen: u64,
    /// The number of answers in the sample, once it has been read.
    kept: u64,
    /// The latest answer, encoded as its slot of the file.
    latest: Vec<u8>,
    error: Option<io::Error>,
}

/// A sampled answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Sampled {
    /// Its number among the answers of the worker, from 1.
    pub number: u64,
    pub transaction: u32,
    pub request: u32,
    pub status: u16,
    pub length: u64,
    /// Absent if it was longer than `LONGEST`.
    pub body: Option<Vec<u8>>,
}

impl Answers {
    /// Samples answers into a new file at `path`, or none without a path. The error is that of
    /// creating the file, which must not exist yet.
    pub fn new(path: Option<&Path>, seed: u64) -> io::Result<Self> {
        Ok(Self {
            file: path.map(prepared).transpose()?,
            random: Random::new(seed),
            seen: 0,
            kept: 0,
            latest: Vec::new(),
            error: None,
        })
    }

    /// Counts an answer, and keeps it if it is drawn.
    pub fn take(&mut self, transaction: u32, request: u32, reply: &Reply) {
        let Some(file) = &self.file else { return };
        self.seen += 1;
        let body = match reply.long {
            None if reply.body.len() <= LONGEST => Some(reply.body),
            _ => None,
        };
        write(
            &mut self.latest,
            [self.seen, reply.length()],
            [transaction, request, reply.status.into()],
            body,
        );
        let drawn = match self.seen {
            few if few <= RANDOM => few - 1,
            many => self.random.below(many as usize) as u64,
        };
        let first = (self.seen == 1).then_some(FIRST);
        let random = (drawn < RANDOM).then_some(LAST + 1 + drawn);
        for slot in [first, random].into_iter().flatten() {
            if let Err(error) = file.write_all_at(&self.latest, slot * SLOT) {
                self.error.get_or_insert(error);
            }
        }
    }

    /// The number of answers, and of those read from the sample.
    pub fn counts(&self) -> (u64, u64) {
        (self.seen, self.kept)
    }

    /// Passes each answer of the sample to `receive` once, in no particular order.
    pub fn read(&mut self, mut receive: impl FnMut(Sampled) -> io::Result<()>) -> io::Result<()> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let Some(file) = self.file.as_ref().filter(|_| self.seen > 0) else {
            return Ok(());
        };
        file.write_all_at(&self.latest, LAST * SLOT)?;
        let mut numbers = Vec::new();
        for slot in 0..SLOTS.min(LAST + 1 + self.seen) {
            let sampled = read(file, slot * SLOT)?;
            // The first and the last answer may have been drawn at random too.
            if !numbers.contains(&sampled.number) {
                numbers.push(sampled.number);
                receive(sampled)?;
            }
        }
        self.kept = numbers.len() as u64;
        Ok(())
    }
}

/// Creates the file with the first page of each slot: on a virtual machine with two CPUs, first writes
/// took 30 to 57 µs on average, later ones 2 to 11 µs. A load would lose that between two requests.
fn prepared(path: &Path) -> io::Result<File> {
    let file = nameless(path)?;
    for slot in 0..SLOTS {
        file.write_all_at(&[0; HEADER], slot * SLOT)?;
    }
    Ok(file)
}

fn nameless(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600);
    let file = options.open(path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

/// Encodes a slot: two numbers of 8 bytes, three of 4, whether there is a body, the body.
fn write(slot: &mut Vec<u8>, long: [u64; 2], short: [u32; 3], body: Option<&[u8]>) {
    slot.clear();
    slot.extend(long.iter().flat_map(|number| number.to_le_bytes()));
    slot.extend(short.iter().flat_map(|number| number.to_le_bytes()));
    slot.extend(u32::from(body.is_some()).to_le_bytes());
    slot.extend_from_slice(body.unwrap_or_default());
}

fn read(file: &File, offset: u64) -> io::Result<Sampled> {
    let mut header = [0; HEADER];
    file.read_exact_at(&mut header, offset)?;
    let long = |at: usize| {
        let mut number = [0; 8];
        number.copy_from_slice(&header[at..at + 8]);
        u64::from_le_bytes(number)
    };
    let short = |at: usize| {
        let mut number = [0; 4];
        number.copy_from_slice(&header[at..at + 4]);
        u32::from_le_bytes(number)
    };
    let length = long(8);
    let body = (short(28) != 0).then(|| {
        let mut body = vec![0; length as usize];
        file.read_exact_at(&mut body, offset + HEADER as u64)
            .map(|()| body)
    });
    Ok(Sampled {
        number: long(0),
        length,
        transaction: short(16),
        request: short(20),
        status: short(24) as u16,
        body: body.transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept_for(name: &str, seed: u64) -> Answers {
        let name = format!("wirelab-answers-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let answers = Answers::new(Some(&path), seed).unwrap();
        assert!(!path.exists());
        answers
    }

    /// The sample of answers whose bodies are their numbers.
    fn sample_of(name: &str, seed: u64, count: u64) -> Vec<Sampled> {
        let mut answers = kept_for(name, seed);
        for number in 1..=count {
            answers.take(3, 4, &Reply::example(number.to_string().as_bytes()));
        }
        let mut sample = Vec::new();
        let receive = |it| {
            sample.push(it);
            Ok(())
        };
        answers.read(receive).unwrap();
        assert_eq!(answers.counts(), (count, sample.len() as u64));
        sample
    }

    fn numbers(sample: &[Sampled]) -> Vec<u64> {
        let mut numbers: Vec<u64> = sample.iter().map(|it| it.number).collect();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn a_few_answers_are_all_kept_and_once() {
        for count in [0, 1, 2, RANDOM] {
            let sample = sample_of("few", 1, count);
            assert_eq!(numbers(&sample), (1..=count).collect::<Vec<_>>());
        }
        let sample = sample_of("few", 1, 2);
        let first = sample.iter().find(|it| it.number == 1);
        let expected = Sampled {
            number: 1,
            transaction: 3,
            request: 4,
            status: 200,
            length: 1,
            body: Some(b"1".to_vec()),
        };
        assert_eq!(first, Some(&expected));
    }

    #[test]
    fn the_sample_of_many_answers_contains_the_first_the_last_and_a_random_selection() {
        let sample = sample_of("many", 7, 20_000);
        for each in &sample {
            assert_eq!(each.body, Some(each.number.to_string().into_bytes()));
        }
        let drawn = numbers(&sample);
        assert!((RANDOM..=RANDOM + 2).contains(&(drawn.len() as u64)));
        assert_eq!((drawn[0], drawn[drawn.len() - 1]), (1, 20_000));
        let mean = drawn.iter().sum::<u64>() as f64 / drawn.len() as f64;
        // The standard error of the mean of so many is 20,000 / sqrt(12 x 459) = 270.
        assert!((mean - 10_000.0).abs() < 4.0 * 270.0, "{mean}");
        assert_eq!(drawn, numbers(&sample_of("again", 7, 20_000)), "seeded");
        assert_ne!(drawn, numbers(&sample_of("other", 8, 20_000)));
    }

    /// The promise itself: 1 % of the answers are lies, and a sample has one of them with 99 %.
    #[test]
    fn one_wrong_answer_in_a_hundred_is_in_the_sample_with_99_percent() {
        const RUNS: u64 = 400;
        let missed = (0..RUNS).filter(|&seed| {
            let sample = sample_of("lies", seed, 5_000);
            !sample.iter().any(|it| it.number % 100 == 50)
        });
        // Of 400 samples 4 are expected without a lie; more than 14 with a chance of 1 in 50,000.
        assert!(missed.count() <= 14);
    }

    #[test]
    fn an_answer_that_is_too_long_is_in_the_sample_without_its_body() {
        let mut answers = kept_for("long", 1);
        answers.take(0, 0, &Reply::example(&vec![b'x'; LONGEST]));
        answers.take(0, 0, &Reply::example(&vec![b'x'; LONGEST + 1]));
        let mut found = Vec::new();
        let receive = |it: Sampled| {
            found.push((it.length as usize, it.body.map(|it| it.len())));
            Ok(())
        };
        answers.read(receive).unwrap();
        found.sort_unstable();
        let expected = [(LONGEST, Some(LONGEST)), (LONGEST + 1, None)];
        assert_eq!(found, expected);
    }

    #[test]
    fn nothing_is_kept_without_sampling() {
        let mut answers = Answers::new(None, 1).unwrap();
        answers.take(0, 0, &Reply::example(b"x"));
        answers.read(|_| unreachable!()).unwrap();
        assert_eq!(answers.counts(), (0, 0));
    }
}
