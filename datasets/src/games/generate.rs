//! Generates a game from a seed and a number.

use time::macros::date;
use time::{Date, Duration};

use super::price::Price;
use super::words::{DETAILS, GENRES, KINDS, LANGUAGES, OPINIONS, PRICES, TAGS, lexicon};
use super::{Game, id};
use crate::random::Random;
use crate::text::{fill, sentence};

/// The range of the length of a description, in characters, for documents of 3 KB on average.
const DESCRIPTION_CHARACTERS: (u64, u64) = (1060, 1900);

const FIRST_RELEASE: Date = date!(2000 - 01 - 01);

/// The game in a row of the catalogue of `seed`.
///
/// The fields draw from the row's random stream one after the other, so their order determines the
/// data.
pub fn game(seed: u64, row: u64) -> Game {
    let random = &mut Random::for_row(seed, "game", row);
    let name = fill(random, lexicon, "{title}");
    let developer = fill(random, lexicon, "{company}");
    let publisher = if random.chance(60) {
        developer.clone()
    } else {
        fill(random, lexicon, "{company}")
    };
    let price = PRICES[random.below(PRICES.len() as u64) as usize];
    let reduced = price > 0 && random.chance(25);
    Game {
        id: id(row),
        url: Some(url(random, &name)),
        types: Some(
            if random.chance(90) {
                KINDS[0]
            } else {
                random.pick(&KINDS[1..])
            }
            .to_owned(),
        ),
        desc_snippet: Some(snippet(random)),
        recent_reviews: Some(reviews(random, 2_000, " in the last 30 days")),
        all_reviews: Some(reviews(random, 90_000, "")),
        release_date: Some(release_date(random)),
        developer: Some(developer),
        publisher: Some(publisher),
        popular_tags: some(random, &TAGS, 5, 14),
        game_details: some(random, &DETAILS, 1, 6),
        languages: some(random, &LANGUAGES, 1, 12),
        achievements: Some(if random.chance(20) {
            0
        } else {
            random.between(1, 120) as u32
        }),
        genre: some(random, &GENRES, 1, 4),
        game_description: Some(description(random)),
        mature_content: random.chance(25).then(|| fill(random, lexicon, "{mature}")),
        minimum_requirements: Some(fill(random, lexicon, "{minimum}")),
        recommended_requirements: Some(fill(random, lexicon, "{recommended}")),
        original_price: Some(Price(price)),
        discount_price: reduced.then(|| Price(price * random.between(25, 90) / 100)),
        name,
    }
}

fn some(random: &mut Random, list: &[&str], least: u64, most: u64) -> Vec<String> {
    let count = random.between(least, most);
    random.pick_some(list, count)
}

/// A URL that does not exist, with the name as its slug.
fn url(random: &mut Random, name: &str) -> String {
    let number = random.between(10_000, 9_999_999);
    let words: Vec<String> = name
        .split(|it: char| !it.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    format!("https://store.example/app/{number}/{}/", words.join("_"))
}

fn snippet(random: &mut Random) -> String {
    let first = sentence(random, lexicon, "{snippet}");
    let second = sentence(random, lexicon, "{snippet}");
    format!("{first} {second}")
}

fn reviews(random: &mut Random, most: u64, when: &str) -> String {
    let count = random.between(10, most);
    let share = random.below(100);
    let opinion = OPINIONS[share as usize * OPINIONS.len() / 100];
    format!("{opinion} ({count}): {share}% of the {count} user reviews{when} are positive.")
}

/// A day in the quarter of a century from 2000 on.
fn release_date(random: &mut Random) -> String {
    let days = random.below(25 * 365);
    (FIRST_RELEASE + Duration::days(days as i64)).to_string()
}

/// Paragraphs of three sentences, none repeated before all have been used.
fn description(random: &mut Random) -> String {
    let length = random.between(DESCRIPTION_CHARACTERS.0, DESCRIPTION_CHARACTERS.1) as usize;
    let templates = random.pick_some(lexicon("description"), u64::MAX);
    let mut text = "About this game".to_owned();
    let mut written = text.chars().count();
    for (number, template) in templates.iter().cycle().enumerate() {
        if written >= length {
            break;
        }
        let next = sentence(random, lexicon, template);
        text.push(if number % 3 == 0 { '\n' } else { ' ' });
        written += 1 + next.chars().count();
        text.push_str(&next);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(seed: u64, count: u64) -> Vec<String> {
        (1..=count)
            .map(|row| serde_json::to_string(&game(seed, row)).unwrap())
            .collect()
    }

    #[test]
    fn a_document_has_about_three_kilobytes() {
        for (seed, count) in [(1, 100), (2, 100), (3, 100), (7, 3000)] {
            let documents = documents(seed, count);
            let bytes: usize = documents.iter().map(String::len).sum();
            let mean = bytes as f64 / count as f64;

            assert!(
                (2800.0..=3200.0).contains(&mean),
                "{mean} bytes with seed {seed}"
            );
            assert!(documents.iter().all(|it| (1500..5000).contains(&it.len())));
        }
    }

    /// The promise to everybody who has measured with this data: it stays the same. To change the
    /// generator is to change this number, and to say so in the changelog.
    #[test]
    fn the_same_seed_always_gives_the_same_bytes() {
        let all = documents(1, 500).concat();
        let sum = all.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3) // FNV-1a
        });

        assert_eq!(format!("{sum:016x}"), "5f880898d583de8e");
    }

    #[test]
    fn another_seed_gives_other_games() {
        assert_ne!(documents(1, 3), documents(2, 3));
    }

    #[test]
    fn every_placeholder_has_words() {
        let all = documents(1, 3000).concat();

        // The only braces left are those of the documents themselves.
        assert_eq!(all.matches('{').count(), 3000);
        assert_eq!(all.matches('}').count(), 3000);
    }

    #[test]
    fn names_and_descriptions_contain_characters_that_are_hard_to_encode() {
        let games: Vec<Game> = (1..=100).map(|row| game(1, row)).collect();
        for character in ['é', 'ü', '™', '中', '&', '<', '"', '\''] {
            assert!(
                games.iter().any(|it| it.name.contains(character)),
                "{character} in a name"
            );
        }
        for character in ['é', 'ü', '続', '&', '<', '>', '"', '\'', '\\', '\n'] {
            let has = |it: &Game| {
                it.game_description
                    .as_ref()
                    .is_some_and(|it| it.contains(character))
            };
            assert!(games.iter().any(has), "{character:?} in a description");
        }
    }

    #[test]
    fn optional_values_are_sometimes_missing_and_prices_make_sense() {
        let games: Vec<Game> = (1..=200).map(|row| game(1, row)).collect();

        for has in [
            |it: &Game| it.discount_price.is_some(),
            |it: &Game| it.mature_content.is_some(),
            |it: &Game| it.original_price == Some(Price(0)),
            |it: &Game| it.achievements == Some(0),
        ] {
            let count = games.iter().filter(|it| has(it)).count();
            assert!((1..200).contains(&count));
        }
        for game in &games {
            let reduced = game.discount_price.map_or(0, |it| it.0);
            assert!(
                reduced <= game.original_price.map_or(0, |it| it.0),
                "{}",
                game.id
            );
        }
    }
}
