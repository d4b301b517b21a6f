//! The instances that the original is known to make.

use std::path::Path;

use super::*;
use crate::university::pipeline::Plan;

/// The original's list of words, if it is available: because of its licence, it is not included.
const WORDS_VARIABLE: &str = "WIRELAB_TITLE_WORDS";

/// The first two instances of each template at scale factor 1.
const KNOWN: [(u32, [&str; 2]); 16] = [
    (1, ["5091", "5052"]),
    (2, ["936", "869"]),
    (3, ["706", "1305"]),
    (4, ["3004", "1004"]),
    (5, ["9", "0"]),
    (6, ["773", "571"]),
    (7, ["356/30", "408/26"]),
    (
        8,
        ["626/emailAddress/advisor", "838/id/undergraduateDegreeFrom"],
    ),
    (9, ["460/title", "634/abstract"]),
    (10, ["transfusing", "sideward"]),
    (11, ["653", "892"]),
    (12, ["958/9", "575/1"]),
    (13, ["493/platinums", "613/gloamings"]),
    (14, ["513/26/ekistics", "171/22/lacquerers"]),
    (15, ["726", "669"]),
    (16, ["279", "981"]),
];

const PLAN: Plan = Plan {
    scale_factor: 1,
    base_seed: 0,
    text_seed: TEXT_SEED,
    threads: 1,
};

fn first_two(template: u32, values: &Values, words: &WordList) -> Vec<String> {
    let template = &TEMPLATES[template as usize - 1];
    let spell = |instance: &Instance| {
        let values = template.placeholders.iter().zip(instance);
        let texts: Vec<String> = values
            .map(|(placeholder, value)| instances::text(*placeholder, *value, words))
            .collect();
        texts.join("/")
    };
    instances::draw(template, values, 2)
        .iter()
        .map(spell)
        .collect()
}

#[test]
fn instances_without_words_are_those_of_the_original() {
    let words = WordList::load(None).unwrap();
    let values = Values::gather(PLAN, &words).unwrap();
    for (template, instances) in KNOWN {
        if ![10, 13, 14].contains(&template) {
            assert_eq!(first_two(template, &values, &words), instances);
        }
    }
}

#[test]
fn instances_are_those_of_the_original_with_its_words() {
    let Ok(file) = std::env::var(WORDS_VARIABLE) else {
        eprintln!("skipped: {WORDS_VARIABLE} does not name the benchmark's titlewords.txt");
        return;
    };
    let words = WordList::load(Some(Path::new(&file))).unwrap();
    let values = Values::gather(PLAN, &words).unwrap();
    for (template, instances) in KNOWN {
        assert_eq!(first_two(template, &values, &words), instances);
    }
}

#[test]
fn a_limit_beyond_all_instances_gives_all_of_them() {
    let words = WordList::load(None).unwrap();
    let values = Values::gather(PLAN, &words).unwrap();

    let mut departments: Vec<u32> = instances::draw(&TEMPLATES[4], &values, 20)
        .into_iter()
        .flatten()
        .collect();
    departments.sort_unstable();
    assert_eq!(departments, (0..15).collect::<Vec<_>>());
}

#[test]
fn fewer_instances_are_the_first_ones_of_more() {
    let words = WordList::load(None).unwrap();
    let values = Values::gather(PLAN, &words).unwrap();
    for template in &TEMPLATES {
        let many = instances::draw(template, &values, 300);
        let few = instances::draw(template, &values, 10);
        assert_eq!(few, many[..10]);
        let mut different = many.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), many.len());
    }
}
