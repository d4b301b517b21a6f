//! Draws instances of a template: the same ones, in the same order, as the original.

use std::collections::HashSet;

use super::template::{PUBLICATION_FIELDS, Placeholder, STUDENT_FIELDS, Template};
use super::values::{Values, variety};
use crate::university::java_random::JavaRandom;
use crate::university::words::WordList;

const OFFSETS: u32 = 50;
const LEAST_COUNT: u32 = 500;
const COUNTS: u32 = 501;
const LEAST_AGE: u32 = 20;
const AGES: u32 = 8;

/// The values of an instance, one per placeholder: numbers, or the numbers of words and fields.
pub type Instance = Vec<u32>;

/// Draws `wanted` distinct instances, or all that can be drawn.
///
/// A template's random stream depends only on its number, so the first instances are always the
/// same.
pub fn draw(template: &Template, values: &Values, wanted: u64) -> Vec<Instance> {
    let seed = JavaRandom::new(i64::from(template.number)).long();
    let random = &mut JavaRandom::new(seed);
    let wanted = wanted.min(drawable(template, values)) as usize;
    let mut seen = HashSet::with_capacity(wanted);
    let mut instances = Vec::with_capacity(wanted);
    while instances.len() < wanted {
        let instance = draw_one(template, values, random);
        if seen.insert(instance.clone()) {
            instances.push(instance);
        }
    }
    instances
}

/// The text of a placeholder's value.
pub fn text(placeholder: Placeholder, value: u32, words: &WordList) -> String {
    match placeholder {
        Placeholder::FirstField | Placeholder::SecondField => {
            STUDENT_FIELDS[value as usize].to_owned()
        }
        Placeholder::PublicationField => PUBLICATION_FIELDS[value as usize].to_owned(),
        Placeholder::Keyword | Placeholder::InterestWord => words.word(value).to_owned(),
        _ => value.to_string(),
    }
}

/// The number of distinct instances of these lists.
fn drawable(template: &Template, values: &Values) -> u64 {
    let varieties = template.placeholders.iter().map(|it| match it {
        Placeholder::Offset => u64::from(OFFSETS),
        Placeholder::Count => u64::from(COUNTS),
        Placeholder::Age => u64::from(AGES),
        Placeholder::FirstField => STUDENT_FIELDS.len() as u64,
        Placeholder::SecondField => STUDENT_FIELDS.len() as u64 - 1,
        Placeholder::PublicationField => PUBLICATION_FIELDS.len() as u64,
        _ => variety(list(*it, values)),
    });
    varieties.product()
}

fn draw_one(template: &Template, values: &Values, random: &mut JavaRandom) -> Instance {
    let mut instance = Instance::with_capacity(template.placeholders.len());
    for placeholder in template.placeholders {
        let mut value = draw_value(*placeholder, values, random);
        // The original draws again while the text is among those drawn so far.
        while *placeholder == Placeholder::SecondField && instance.last() == Some(&value) {
            value = draw_value(*placeholder, values, random);
        }
        instance.push(value);
    }
    instance
}

fn draw_value(placeholder: Placeholder, values: &Values, random: &mut JavaRandom) -> u32 {
    match placeholder {
        Placeholder::Offset => 1 + random.below(OFFSETS),
        Placeholder::Count => LEAST_COUNT + random.below(COUNTS),
        Placeholder::Age => LEAST_AGE + random.below(AGES),
        Placeholder::FirstField | Placeholder::SecondField => {
            random.below(STUDENT_FIELDS.len() as u32)
        }
        Placeholder::PublicationField => random.below(PUBLICATION_FIELDS.len() as u32),
        _ => {
            let list = list(placeholder, values);
            list[random.below(list.len() as u32) as usize]
        }
    }
}

/// The list of a placeholder's values; empty for computed ones.
fn list(placeholder: Placeholder, values: &Values) -> &[u32] {
    match placeholder {
        Placeholder::Faculty => &values.faculty,
        Placeholder::University => &values.universities,
        Placeholder::ResearchGroup => &values.research_groups,
        Placeholder::Lecturer => &values.lecturers,
        Placeholder::Department => &values.departments,
        Placeholder::Keyword => &values.title_words,
        Placeholder::InterestWord => &values.interest_words,
        _ => &[],
    }
}
