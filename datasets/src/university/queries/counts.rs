//! Counts the instances of each template in three ways.

use serde::Serialize;

use super::template::Template;
use super::values::{PaperValues, Values, variety};
use crate::output::Row;
use crate::university::structure::UNIVERSITIES;
use crate::university::tables::Table;

/// The result of the original after an overflow of its 32 bits.
const OVERFLOW: u64 = (1 << 30) - 1;

/// The counts of a template.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    template: String,
    /// The count of the final version of the original.
    original: u64,
    /// The count in the benchmark's paper.
    paper: u64,
    /// The number of distinct instances whose values all exist.
    distinct: u64,
}

impl Row for Count {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.template.clone(),
            self.original.to_string(),
            self.paper.to_string(),
            self.distinct.to_string(),
        ])
    }
}

impl Count {
    /// Counts the instances of a template.
    pub fn of(template: &Template, values: &Values, paper: &PaperValues) -> Self {
        Self {
            template: format!("QT{}", template.number),
            original: original(template.number, values),
            paper: in_paper(template.number, values, paper),
            distinct: distinct(template.number, values),
        }
    }
}

/// The largest count of the original. It counts 500 limits, 7 ages, and every word as often as it
/// is in the list.
pub fn original(template: u32, values: &Values) -> u64 {
    let universities = values.universities.len() as u64;
    let departments = values.departments.len() as u64;
    let title_words = values.title_words.len() as u64;
    let interest_words = values.interest_words.len() as u64;
    let count = match template {
        7 => 50 * universities,
        8 => 500 * 6 * 5,
        9 => 2 * universities,
        10 => title_words,
        12 => universities * departments,
        13 => universities * interest_words,
        14 => universities * interest_words * 7,
        _ => start(template, values).unwrap_or(universities),
    };
    let bits = count as u32 as i32;
    u64::try_from(bits).unwrap_or(OVERFLOW)
}

fn in_paper(template: u32, values: &Values, paper: &PaperValues) -> u64 {
    let departments = values.departments.len() as u64;
    match template {
        7 => 50 * paper.universities,
        8 => 500 * 6 * 5,
        9 => 2 * u64::from(UNIVERSITIES),
        10 => paper.title_words,
        12 => paper.universities * departments,
        13 => paper.universities * paper.interest_words,
        14 => paper.universities * paper.interest_words * 7,
        _ => start(template, values).unwrap_or(u64::from(UNIVERSITIES)),
    }
}

fn distinct(template: u32, values: &Values) -> u64 {
    let universities = values.tally.rows(Table::University);
    let departments = values.departments.len() as u64;
    let interest_words = || variety(&values.interest_words);
    match template {
        7 => 50 * universities,
        8 => 501 * 6 * 5,
        9 => 2 * universities,
        10 => variety(&values.title_words),
        12 => universities * departments,
        13 => universities * interest_words(),
        14 => universities * interest_words() * 8,
        _ => start(template, values).unwrap_or(universities),
    }
}

/// For a template that does not start from a university: the number of its starting objects.
fn start(template: u32, values: &Values) -> Option<u64> {
    let list = match template {
        1 => &values.faculty,
        3 => &values.research_groups,
        4 => &values.lecturers,
        5 => &values.departments,
        _ => return None,
    };
    Some(list.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::super::template::TEMPLATES;
    use super::*;
    use crate::university::pipeline::Plan;
    use crate::university::words::WordList;

    /// The counts of the sixteen templates at a scale factor: the original's, then the paper's.
    type Known = (u32, [u64; 16], [u64; 16]);

    #[rustfmt::skip]
    const KNOWN: [Known; 5] = [
        (1,
            [540, 979, 224, 93, 15, 979, 48_950, 15_000, 1_958, 23_402, 979, 14_685, 871_310,
                6_099_170, 979, 979],
            [540, 1000, 224, 93, 15, 1000, 48_950, 15_000, 2000, 27_077, 1000, 14_685, 899_701,
                6_297_907, 1000, 1000]),
        (5,
            [3_373, 998, 1_371, 562, 93, 998, 49_900, 15_000, 1_996, 141_081, 998, 92_814,
                5_621_734, 39_352_138, 998, 998],
            [3_373, 1000, 1_371, 562, 93, 1000, 246_500, 15_000, 2000, 170_576, 1000, 458_490,
                27_893_940, 195_257_580, 1000, 1000]),
        (10,
            [6_843, 998, 2_827, 1_128, 189, 998, 49_900, 15_000, 1_996, 284_557, 998, 188_622,
                11_392_170, 79_745_190, 998, 998],
            [6_843, 1000, 2_827, 1_128, 189, 1000, 493_250, 15_000, 2000, 344_750, 1000,
                1_864_485, 113_921_020, 797_447_140, 1000, 1000]),
        (15,
            [10_521, 977, 4_407, 1_745, 293, 977, 48_850, 15_000, 1_954, 435_219, 977, 286_261,
                17_165_890, 120_161_230, 977, 977],
            [10_521, 1000, 4_407, 1_745, 293, 1000, 740_400, 15_000, 2000, 530_133, 1000,
                4_338_744, 262_560_648, 1_837_924_536, 1000, 1000]),
        (20,
            [14_457, 998, 6_032, 2_399, 402, 998, 49_900, 15_000, 1_996, 595_208, 998, 401_196,
                23_925_054, 167_475_378, 998, 998],
            [14_457, 1000, 6_032, 2_399, 402, 1000, 989_250, 15_000, 2000, 728_208, 1000,
                7_953_570, 480_241_305, 3_361_689_135, 1000, 1000]),
    ];

    fn plan(scale_factor: u32, text_seed: u32) -> Plan {
        Plan {
            scale_factor,
            base_seed: 0,
            text_seed,
            threads: 2,
        }
    }

    #[test]
    fn counts_are_those_of_the_original_and_of_the_paper() {
        let words = WordList::load(None).unwrap();
        for (scale_factor, original, in_paper) in KNOWN {
            let values = Values::gather(plan(scale_factor, 0), &words).unwrap();
            let paper = PaperValues::count(plan(scale_factor, PaperValues::TEXT_SEED)).unwrap();
            let counts = TEMPLATES.map(|template| Count::of(&template, &values, &paper));
            assert_eq!(counts.each_ref().map(|it| it.original), original);
            assert_eq!(counts.each_ref().map(|it| it.paper), in_paper);
        }
    }

    #[test]
    fn distinct_counts_count_every_instance_once() {
        let words = WordList::load(None).unwrap();
        let values = Values::gather(plan(1, 0), &words).unwrap();

        let counts = TEMPLATES.map(|template| distinct(template.number, &values));
        assert_eq!(
            counts,
            [
                540, 979, 224, 93, 15, 979, 48_950, 15_030, 1_958, 23_402, 979, 14_685, 871_310,
                6_970_480, 979, 979
            ]
        );
        // With more universities than one there are words that several of them use.
        let values = Values::gather(plan(5, 0), &words).unwrap();
        assert!(distinct(10, &values) < original(10, &values));
        assert_eq!(distinct(2, &values), 1000);
    }

    #[test]
    fn an_overflow_of_32_bits_gives_the_count_of_the_original() {
        let values = Values {
            universities: vec![0; 1000],
            interest_words: vec![0; 400_000],
            ..Values::default()
        };

        assert_eq!(original(13, &values), 400_000_000);
        assert_eq!(original(14, &values), OVERFLOW);
    }
}
