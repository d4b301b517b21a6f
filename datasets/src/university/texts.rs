//! Ages and words, drawn from the random stream that all universities share.

use std::ops::Range;

use super::java_random::JavaRandom;
use super::structure::{Department, University};
use super::words::WORDS;

/// The texts of a university, and the ages of its students.
pub struct Texts {
    pub departments: Vec<DepartmentTexts>,
}

/// The texts and ages of a department.
pub struct DepartmentTexts {
    /// For each professor, in the order of the faculty.
    pub interests: Vec<Phrase>,
    pub undergraduate_ages: Vec<u32>,
    pub graduate_ages: Vec<u32>,
    /// For each publication its title and its abstract.
    pub publications: Vec<(Phrase, Phrase)>,
    words: Vec<u32>,
}

/// A text: the range of its words among those of its department.
pub struct Phrase(Range<usize>);

impl Texts {
    /// Draws the texts of a university. The stream must be where the previous university left it.
    pub fn draw(random: &mut JavaRandom, university: &University) -> Self {
        let departments = university.departments.iter();
        Self {
            departments: departments
                .map(|it| DepartmentTexts::draw(random, it))
                .collect(),
        }
    }
}

impl DepartmentTexts {
    fn draw(random: &mut JavaRandom, department: &Department) -> Self {
        let mut words = Vec::with_capacity(24 * department.publications.len());
        let mut phrase = |random: &mut JavaRandom, length| {
            let start = words.len();
            words.extend((0..length).map(|_| random.below(WORDS)));
            Phrase(start..words.len())
        };
        let professors = department
            .faculty
            .iter()
            .filter(|it| it.kind.is_professor());
        let interests = professors
            .map(|_| {
                let length = random.between(1, 3);
                phrase(random, length)
            })
            .collect();
        let mut ages =
            |count: usize, first, last| (0..count).map(|_| random.between(first, last)).collect();
        let undergraduate_ages = ages(department.undergraduates.len(), 16, 24);
        let graduate_ages = ages(department.graduates.len(), 20, 27);
        let publications = (0..department.publications.len())
            .map(|_| {
                let title = random.between(3, 6);
                let summary = random.between(10, 20);
                (phrase(random, title), phrase(random, summary))
            })
            .collect();
        Self {
            interests,
            undergraduate_ages,
            graduate_ages,
            publications,
            words,
        }
    }

    /// The numbers of the words of a text.
    pub fn words(&self, phrase: &Phrase) -> &[u32] {
        &self.words[phrase.0.clone()]
    }
}
