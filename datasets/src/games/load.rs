//! Loads games from the real data set, as published on Kaggle.

use std::path::Path;

use super::reading::{Findings, Reader};
use super::{Game, id};
use crate::error::Error;
use crate::problem::Problem;
use crate::progress::Parts;
use crate::source::{self, Record};
use crate::window::Window;

/// The columns of the file, which are also the keys of the documents.
const COLUMNS: [&str; 20] = [
    "url",
    "types",
    "name",
    "desc_snippet",
    "recent_reviews",
    "all_reviews",
    "release_date",
    "developer",
    "publisher",
    "popular_tags",
    "game_details",
    "languages",
    "achievements",
    "genre",
    "game_description",
    "mature_content",
    "minimum_requirements",
    "recommended_requirements",
    "original_price",
    "discount_price",
];

/// The games in some rows of a file. The error has all problems of these rows.
///
/// All rows are read before the first is written, so that an error in the last row leaves nothing
/// half written.
pub fn games(file: &Path, window: &Window, parts: &Parts) -> Result<Vec<Game>, Error> {
    let mut games = Vec::new();
    let mut findings = Findings::default();
    let mut found = 0;
    let skip = usize::try_from(window.skip).unwrap_or(usize::MAX);
    for (row, record) in parts
        .rows("reading", window.numbers())
        .zip(source::open(file, &COLUMNS)?.skip(skip))
    {
        found += 1;
        match record {
            Ok(record) => games.push(game(row, &record, &mut findings)),
            Err(problem) => findings.problems.push(problem),
        }
    }
    if findings.problems.is_empty() && found < window.count {
        let behind = if skip == 0 {
            String::new()
        } else {
            format!(" after the first {skip}")
        };
        findings.problems.push(Problem {
            place: file.display().to_string(),
            found: format!("has {found} rows{behind}"),
            expected: format!("the {} of --count", window.count),
        });
    }
    findings.conclude()?;
    Ok(games)
}

fn game(row: u64, record: &Record, findings: &mut Findings) -> Game {
    let mut reader = Reader { record, findings };
    Game {
        id: id(row),
        url: reader.text("url"),
        name: reader.needed_text("name"),
        types: reader.text("types"),
        desc_snippet: reader.text("desc_snippet"),
        recent_reviews: reader.text("recent_reviews"),
        all_reviews: reader.text("all_reviews"),
        release_date: reader.day("release_date"),
        developer: reader.text("developer"),
        publisher: reader.text("publisher"),
        popular_tags: reader.list("popular_tags"),
        game_details: reader.list("game_details"),
        languages: reader.list("languages"),
        achievements: reader.count("achievements"),
        genre: reader.list("genre"),
        game_description: reader.text("game_description"),
        mature_content: reader.text("mature_content"),
        minimum_requirements: reader.text("minimum_requirements"),
        recommended_requirements: reader.text("recommended_requirements"),
        original_price: reader.price("original_price"),
        discount_price: reader.price("discount_price"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(values: Value) -> (Game, Vec<String>) {
        let Value::Object(values) = values else {
            panic!("an object is needed")
        };
        let record = Record {
            place: "games.json line 7".to_owned(),
            values,
        };
        let mut findings = Findings::default();
        let game = game(7, &record, &mut findings);
        (
            game,
            findings.problems.iter().map(ToString::to_string).collect(),
        )
    }

    #[test]
    fn texts_of_the_real_file_become_values() {
        let (game, problems) = read(json!({
            "name": " DOOM ", "url": "NaN", "developer": "", "popular_tags": "Gore, Action,FPS,",
            "languages": "NaN", "achievements": "54.0", "release_date": "May 12, 2016",
            "original_price": "$19.99", "discount_price": "NaN",
        }));

        assert_eq!(problems, [""; 0]);
        let document = serde_json::to_value(game).unwrap();
        assert_eq!(document["id"], "game-000007");
        assert_eq!(document["name"], "DOOM");
        assert_eq!(document["url"], Value::Null);
        assert_eq!(document["developer"], Value::Null);
        assert_eq!(document["popular_tags"], json!(["Gore", "Action", "FPS"]));
        assert_eq!(document["languages"], json!([]));
        assert_eq!(document["achievements"], 54);
        assert_eq!(document["release_date"], "2016-05-12");
        assert_eq!(document["original_price"], 19.99);
        assert_eq!(document["discount_price"], Value::Null);
    }

    #[test]
    fn values_in_the_generated_form_are_kept() {
        let (game, problems) = read(json!({
            "name": 1942, "popular_tags": ["Hack, Slash"], "achievements": 3,
            "release_date": "2016-05-12", "original_price": 20, "discount_price": 4.99,
        }));

        assert_eq!(problems, [""; 0]);
        assert_eq!(game.name, "1942");
        assert_eq!(game.popular_tags, ["Hack, Slash"]);
        assert_eq!(game.achievements, Some(3));
        assert_eq!(game.release_date.as_deref(), Some("2016-05-12"));
        assert_eq!(game.original_price.map(|it| it.0), Some(2000));
        assert_eq!(game.discount_price.map(|it| it.0), Some(499));
    }

    #[test]
    fn every_wrong_value_of_a_row_is_named() {
        let (_, problems) = read(json!({
            "name": "NaN", "developer": {"a": 1}, "publisher": "a\u{1}b", "popular_tags": 5,
            "achievements": "many", "release_date": "May 32, 2016", "original_price": "19,99 €",
            "discount_price": -1,
        }));

        let place = "games.json line 7";
        assert_eq!(
            problems,
            [
                format!("{place}: name is missing; expected a text"),
                format!(
                    "{place}: release_date is \"May 32, 2016\"; expected a day such as \"May 12, 2016\" or \"2016-05-12\""
                ),
                format!("{place}: developer is {{\"a\":1}}; expected a text"),
                format!(
                    "{place}: publisher is \"a\\u{{1}}b\"; expected a text without control characters"
                ),
                format!(
                    "{place}: popular_tags is 5; expected texts separated by commas, or a list of texts"
                ),
                format!("{place}: achievements is \"many\"; expected an integer of at least 0"),
                format!(
                    "{place}: original_price is \"19,99 €\"; expected a price such as \"$19.99\", 19.99 or \"Free\""
                ),
                format!(
                    "{place}: discount_price is -1; expected a price such as \"$19.99\", 19.99 or \"Free\""
                ),
            ]
        );
    }

    #[test]
    fn text_instead_of_a_day_or_a_price_is_left_out_and_counted() {
        let mut findings = Findings::default();
        for words in ["Coming soon", "Q3 2019"] {
            let values =
                json!({"name": "x", "release_date": words, "original_price": "Third-party"});
            let Value::Object(values) = values else {
                panic!("an object is needed")
            };
            let game = game(
                1,
                &Record {
                    place: "f".to_owned(),
                    values,
                },
                &mut findings,
            );
            assert_eq!((game.release_date, game.original_price), (None, None));
        }

        assert_eq!(
            findings.notes(),
            [
                "original_price is not a price in 2 rows, such as \"Third-party\": written as null",
                "release_date is not a day in 2 rows, such as \"Coming soon\": written as null",
            ]
        );
        assert_eq!(findings.problems, []);
    }
}
