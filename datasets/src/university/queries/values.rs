//! The values of instances: the lists that the original generator writes with its data, with its
//! peculiarities.

use std::collections::{BTreeSet, HashSet};

use crate::error::Error;
use crate::progress::Display;
use crate::university::numbers;
use crate::university::pipeline::{self, Plan};
use crate::university::structure::University;
use crate::university::tally::Tally;
use crate::university::texts::Texts;
use crate::university::words::WordList;

/// Values to draw from. The order matters, since values are drawn by position.
#[derive(Default)]
pub struct Values {
    pub faculty: Vec<u32>,
    pub lecturers: Vec<u32>,
    pub research_groups: Vec<u32>,
    pub departments: Vec<u32>,
    /// Only the universities related to the last generated one.
    pub universities: Vec<u32>,
    /// The distinct words in the titles of each university; a word occurs once per university that
    /// uses it.
    pub title_words: Vec<u32>,
    /// The same for research interests.
    pub interest_words: Vec<u32>,
    /// The counts of all objects.
    pub tally: Tally,
}

impl Values {
    /// Collects the values of universities.
    pub fn gather(plan: Plan, words: &WordList) -> Result<Self, Error> {
        let mut all = Self::default();
        pipeline::in_order(
            plan,
            &Display::beside(None),
            |university, texts| Ok(Self::of(university, texts, words)),
            |tally, values| {
                all.append(values);
                all.tally.add(tally);
                Ok(())
            },
        )?;
        Ok(all)
    }

    fn of(university: &University, texts: &Texts, words: &WordList) -> Self {
        let own = std::iter::once(university.number);
        let mut values = Self {
            universities: distinct(own.chain(university.degree_universities())),
            title_words: hash_order(distinct(title_words(texts)), words),
            interest_words: hash_order(distinct(interest_words(texts)), words),
            ..Self::default()
        };
        for department in &university.departments {
            let number = department.number;
            values.departments.push(number);
            let groups = 0..department.research_groups;
            let groups = groups.map(|index| numbers::research_group(number, index));
            values.research_groups.extend(groups);
            for member in &department.faculty {
                let faculty = numbers::faculty(number, member.kind, member.index);
                values.faculty.push(faculty);
                if !member.kind.is_professor() {
                    values.lecturers.push(faculty);
                }
            }
        }
        values
    }

    fn append(&mut self, mut other: Self) {
        self.faculty.append(&mut other.faculty);
        self.lecturers.append(&mut other.lecturers);
        self.research_groups.append(&mut other.research_groups);
        self.departments.append(&mut other.departments);
        self.universities = other.universities;
        self.title_words.append(&mut other.title_words);
        self.interest_words.append(&mut other.interest_words);
    }
}

/// The number of values at the time of the benchmark's paper, from an earlier generator, whose
/// lists had repetitions and collected universities for each university.
pub struct PaperValues {
    pub universities: u64,
    pub title_words: u64,
    pub interest_words: u64,
}

impl PaperValues {
    /// The seed of texts at that time.
    pub const TEXT_SEED: u32 = 20;

    /// Counts the values of universities as the earlier generator.
    pub fn count(plan: Plan) -> Result<Self, Error> {
        let mut count = Self {
            universities: 0,
            title_words: 0,
            interest_words: 0,
        };
        pipeline::in_order(
            plan,
            &Display::beside(None),
            |_, texts| Ok((title_words(texts).count(), interest_words(texts).count())),
            |tally, (title_words, interest_words)| {
                count.universities += tally.universities.len() as u64;
                count.title_words += title_words as u64;
                count.interest_words += interest_words as u64;
                Ok(())
            },
        )?;
        Ok(count)
    }
}

/// The number of distinct values of a list.
pub fn variety(list: &[u32]) -> u64 {
    list.iter().collect::<HashSet<_>>().len() as u64
}

/// The numbers of all words in titles, in the order of the texts.
fn title_words(texts: &Texts) -> impl Iterator<Item = u32> {
    texts.departments.iter().flat_map(|department| {
        let titles = department.publications.iter().map(|it| &it.0);
        titles.flat_map(|title| department.words(title)).copied()
    })
}

fn interest_words(texts: &Texts) -> impl Iterator<Item = u32> {
    texts.departments.iter().flat_map(|department| {
        let interests = department.interests.iter();
        interests.flat_map(|it| department.words(it)).copied()
    })
}

/// The distinct numbers, in the order of their first occurrence.
fn distinct(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut seen = BTreeSet::new();
    numbers.filter(|number| seen.insert(*number)).collect()
}

/// Words in the order of a hash set of Java: by bucket, and within a bucket in the order of
/// insertion. The number of buckets doubles at a load factor of three quarters.
fn hash_order(mut words: Vec<u32>, list: &WordList) -> Vec<u32> {
    let mut buckets = 16;
    while 4 * words.len() > 3 * buckets {
        buckets *= 2;
    }
    words.sort_by_cached_key(|word| spread_hash(list.word(*word)) as usize & (buckets - 1));
    words
}

/// The hash of a Java string, with its upper half mixed into the lower.
fn spread_hash(text: &str) -> u32 {
    let hash = text.bytes().fold(0_u32, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(u32::from(byte))
    });
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_java() {
        assert_eq!(spread_hash("a"), 97);
        assert_eq!(spread_hash("hello"), 99_162_322 ^ (99_162_322 >> 16));
    }
}
