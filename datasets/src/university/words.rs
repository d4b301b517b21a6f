//! The words of titles, abstracts and research interests.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::problem::quoted;
use crate::random::Random;

/// The number of words. It affects every draw of a word, so a list of another length would give
/// another data set.
pub const WORDS: u32 = 89_523;

/// How many of 1000 words have 2, 3, 4, … letters: approximately as in the list of the benchmark,
/// without its few words of more than 18 letters.
const LENGTHS: [u64; 17] = [
    1, 3, 14, 48, 94, 153, 185, 159, 116, 84, 60, 39, 23, 12, 6, 2, 1,
];

const SHORTEST: usize = 2;

const VOWELS: [&str; 12] = [
    "a", "e", "i", "o", "u", "a", "e", "i", "o", "ou", "ea", "io",
];
const CONSONANTS: [&str; 28] = [
    "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "w", "k", "j", "z", "st",
    "tr", "pl", "cr", "br", "sh", "ch", "th", "qu", "gl",
];

/// 89,523 distinct words of the letters a to z.
pub struct WordList(Vec<String>);

impl WordList {
    /// Reads the words of a file, or generates them. The error is that of the file.
    pub fn load(file: Option<&Path>) -> Result<Self, Error> {
        file.map_or_else(|| Ok(Self::make()), Self::read)
    }

    /// The word of a number.
    pub fn word(&self, number: u32) -> &str {
        &self.0[number as usize]
    }

    /// A text of words, each followed by a blank.
    pub fn spell(&self, words: &[u32]) -> String {
        let mut text = String::new();
        self.spell_into(&mut text, words);
        text
    }

    /// The same, replacing the text.
    pub fn spell_into(&self, text: &mut String, words: &[u32]) {
        text.clear();
        for word in words {
            text.push_str(self.word(*word));
            text.push(' ');
        }
    }

    /// Generates words from syllables, always the same.
    fn make() -> Self {
        let random = &mut Random::for_row(1, "university words", 1);
        let mut words = Vec::with_capacity(WORDS as usize);
        let mut seen = HashSet::with_capacity(WORDS as usize);
        while words.len() < WORDS as usize {
            let word = make_word(random);
            if seen.insert(word.clone()) {
                words.push(word);
            }
        }
        Self(words)
    }

    fn read(file: &Path) -> Result<Self, Error> {
        let wrong = |found: String| {
            let expected = format!(
                "{WORDS} distinct words of the letters a to z, one per line, such as the list \
                 titlewords.txt of the benchmark"
            );
            Error::input(format!("--words {}", file.display()), found, expected)
        };
        let text = fs::read_to_string(file).map_err(|cause| wrong(cause.to_string()))?;
        let words: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut seen = HashSet::with_capacity(words.len());
        for (index, word) in words.iter().enumerate() {
            let place = || format!("line {} is {}", index + 1, quoted(word));
            if word.is_empty() || !word.bytes().all(|it| it.is_ascii_lowercase()) {
                return Err(wrong(place()));
            }
            if !seen.insert(word) {
                return Err(wrong(format!("{}, which is a repetition", place())));
            }
        }
        if words.len() != WORDS as usize {
            return Err(wrong(format!("{} words", words.len())));
        }
        Ok(Self(words))
    }
}

fn make_word(random: &mut Random) -> String {
    let mut left = random.below(LENGTHS.iter().sum());
    let mut length = SHORTEST;
    for weight in LENGTHS {
        if left < weight {
            break;
        }
        left -= weight;
        length += 1;
    }
    let mut word = String::with_capacity(length + 2);
    let mut starts_with_vowel = random.chance(25);
    while word.len() < length {
        if !starts_with_vowel {
            word.push_str(random.pick(&CONSONANTS));
        }
        starts_with_vowel = false;
        word.push_str(random.pick(&VOWELS));
        if random.chance(30) {
            word.push_str(random.pick(&CONSONANTS[..18]));
        }
    }
    word.truncate(length);
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use xxhash_rust::xxh3::xxh3_64;

    #[test]
    fn the_words_never_change() {
        let list = WordList::make().0;

        assert_eq!(list.len(), WORDS as usize);
        assert_eq!(
            xxh3_64(list.join("\n").as_bytes()),
            3_415_248_111_855_507_599
        );
    }

    #[test]
    fn words_are_about_as_long_as_those_of_the_benchmark() {
        let list = WordList::make().0;
        let letters: usize = list.iter().map(String::len).sum();

        assert!((8.7..8.95).contains(&(letters as f64 / list.len() as f64)));
        assert!(list.iter().all(|word| (2..=18).contains(&word.len())));
        assert!(
            list.iter()
                .all(|word| word.bytes().all(|it| it.is_ascii_lowercase()))
        );
    }
}
