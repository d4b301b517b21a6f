//! A library: authors called "Author - 0", "Author - 1" and so on, and the books that they wrote.
//!
//! Of the first 12,001 authors, and of no other number, 3112 have "Author - 1" in their name; 111
//! of them have "Author - 100" and 11 "Author - 1000".

mod words;

use clap::Args;
use serde::Serialize;

use crate::error::Error;
use crate::output::{Folder, Row};
use crate::random::Random;
use crate::text::fill;
use crate::window::Window;
use words::{COUNTRIES, lexicon};

/// The most books of an author, who has at least one.
const MOST_BOOKS: u64 = 3;

/// Authors and their books; --count and --skip count authors
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    window: Window,

    /// Seed of the data: another seed gives other countries and books
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    folder: Folder,
}

/// An author.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Author {
    id: u64,
    name: String,
    country: &'static str,
}

/// A book of an author.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Book {
    id: u64,
    author_id: u64,
    title: String,
    year: u64,
}

impl Row for Author {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.id.to_string(),
            self.name.clone(),
            self.country.to_owned(),
        ])
    }
}

impl Row for Book {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.id.to_string(),
            self.author_id.to_string(),
            self.title.clone(),
            self.year.to_string(),
        ])
    }
}

/// Writes both tables.
pub fn write(arguments: &Arguments) -> Result<(), Error> {
    let (seed, folder) = (arguments.seed, &arguments.folder);
    let parts = folder.parts(2);
    let numbers = |table| parts.rows(table, arguments.window.numbers());
    folder.write("author", numbers("author").map(|row| author(seed, row)))?;
    folder.write("book", numbers("book").flat_map(|row| books(seed, row)))
}

/// The author in a row. Names count from 0, so "Author - 1" is the second.
fn author(seed: u64, row: u64) -> Author {
    let random = &mut Random::for_row(seed, "author", row);
    Author {
        id: row,
        name: format!("Author - {}", row - 1),
        country: COUNTRIES[random.below(COUNTRIES.len() as u64) as usize],
    }
}

/// The books of the author in a row. Ids ascend, with gaps after authors with fewer books.
fn books(seed: u64, row: u64) -> Vec<Book> {
    let random = &mut Random::for_row(seed, "book", row);
    (0..random.between(1, MOST_BOOKS))
        .map(|number| Book {
            id: (row - 1) * MOST_BOOKS + number + 1,
            author_id: row,
            title: fill(random, lexicon, "{title}"),
            year: random.between(1900, 2025),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the first authors have each phrase of the study in their name.
    fn matches(authors: u64) -> [usize; 3] {
        let names: Vec<String> = (1..=authors).map(|row| author(1, row).name).collect();
        ["Author - 1", "Author - 100", "Author - 1000"]
            .map(|phrase| names.iter().filter(|name| name.contains(phrase)).count())
    }

    #[test]
    fn the_three_phrases_match_as_often_as_published_for_one_number_of_authors_only() {
        assert_eq!(matches(12_001), [3112, 111, 11]);
        // The first count grows with every author from number 10,000 to 19,999.
        assert_eq!(matches(12_000), [3111, 111, 11]);
        assert_eq!(matches(12_002), [3113, 111, 11]);
        assert!(matches(10_000)[0] < 3112 && matches(20_000)[0] > 3112);
    }

    #[test]
    fn every_country_is_one_that_the_domain_knows() {
        let known = include_str!("../../../domains/library/countries.txt");
        for country in COUNTRIES {
            assert!(known.lines().any(|line| line == country), "{country}");
        }
    }

    #[test]
    fn books_belong_to_their_author_and_ids_never_repeat() {
        let books: Vec<Book> = (1..=500).flat_map(|row| books(1, row)).collect();

        assert!(books.is_sorted_by(|one, next| one.id < next.id));
        assert!(
            books
                .iter()
                .all(|it| (it.id - 1) / MOST_BOOKS == it.author_id - 1)
        );
        assert!((600..1400).contains(&books.len()), "{}", books.len());
    }

    #[test]
    fn titles_contain_characters_that_are_hard_to_encode() {
        let books: Vec<Book> = (1..=200).flat_map(|row| books(1, row)).collect();
        for character in ['é', 'の', 'Ł', '&', '<', '%', '"', '\'', '\\'] {
            assert!(
                books.iter().any(|it| it.title.contains(character)),
                "{character} in a title"
            );
        }
        assert!(!books.iter().any(|it| it.title.contains(['{', '}'])));
    }

    /// The promise to everybody who has measured with this data: it stays the same. To change the
    /// generator is to change this number, and to say so in the changelog.
    #[test]
    fn the_same_seed_always_gives_the_same_bytes() {
        let sum = (1..=500)
            .flat_map(|row| {
                let all = (author(1, row), books(1, row));
                serde_json::to_vec(&all).unwrap()
            })
            .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
                (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3) // FNV-1a
            });

        assert_eq!(format!("{sum:016x}"), "15c30ac5b349bc31");
    }

    #[test]
    fn another_seed_gives_other_books_to_the_same_names() {
        assert_ne!(books(1, 1), books(2, 1));
        assert_eq!(author(1, 5).name, author(2, 5).name);
    }
}
