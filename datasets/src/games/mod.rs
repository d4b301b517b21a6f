//! Games: one document each, in the shape of the "80000 Steam games" data set, about 3 KB of JSON.

mod generate;
mod load;
mod price;
mod reading;
mod words;

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::error::Error;
use crate::output::{Destination, Row};
use crate::window::Window;
use price::Price;

/// A catalogue of computer games, one document of about 3 KB each
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    window: Window,

    /// Seed of the data: another seed gives another catalogue
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Load the rows from a file of the real data set (.csv, .json or .ndjson) instead of
    /// generating them
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    #[command(flatten)]
    destination: Destination,
}

/// A game. Only id and name are always present.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Game {
    id: String,
    url: Option<String>,
    name: String,
    types: Option<String>,
    desc_snippet: Option<String>,
    recent_reviews: Option<String>,
    all_reviews: Option<String>,
    /// A day in ISO 8601.
    release_date: Option<String>,
    developer: Option<String>,
    publisher: Option<String>,
    popular_tags: Vec<String>,
    game_details: Vec<String>,
    languages: Vec<String>,
    achievements: Option<u32>,
    genre: Vec<String>,
    game_description: Option<String>,
    mature_content: Option<String>,
    minimum_requirements: Option<String>,
    recommended_requirements: Option<String>,
    original_price: Option<Price>,
    discount_price: Option<Price>,
}

impl Row for Game {
    /// Two columns: the id and the whole document.
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![self.id.clone(), serde_json::to_string(self)?])
    }
}

/// Writes the requested rows, generated or loaded.
pub fn write(arguments: &Arguments) -> Result<(), Error> {
    let (seed, window) = (arguments.seed, &arguments.window);
    let destination = &arguments.destination;
    let Some(file) = &arguments.from else {
        let parts = destination.parts(1);
        let rows = parts.rows("games", window.numbers());
        return destination.write(rows.map(|row| generate::game(seed, row)));
    };
    let parts = destination.parts(2);
    let games = load::games(file, window, &parts)?;
    let rows = parts.rows("writing", 0..games.len() as u64);
    destination.write(games.into_iter().zip(rows).map(|(game, _)| game))
}

/// The id of the game in a row. It is a text, since stores differ in numeric keys.
fn id(row: u64) -> String {
    format!("game-{row:06}")
}
