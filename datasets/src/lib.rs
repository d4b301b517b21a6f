//! The data sets of the domains: made from a seed, or loaded from the real thing.
//!
//! A domain is a module with the arguments it takes and a function that gives its rows; how rows
//! are written is the same for all (`output`).

mod bank;
mod error;
mod games;
mod library;
mod output;
mod problem;
mod progress;
mod random;
mod shop;
mod source;
mod text;
mod university;
mod whole_file;
mod whole_folder;
mod window;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use error::Error;
use progress::EMPTY_LINE;

/// Make the data set of a domain: the same rows for the same seed, on every machine.
#[derive(Debug, Parser)]
#[command(
    name = "wirelab-data",
    version,
    after_help = "Exit code: 0 written; 1 the machine would not let it; 2 bad option or input file; \
                  130 interrupted. A file appears under its name only when it is whole."
)]
struct Options {
    #[command(subcommand)]
    domain: Domain,
}

#[derive(Debug, Subcommand)]
enum Domain {
    Bank(bank::Arguments),
    Games(games::Arguments),
    Library(library::Arguments),
    Shop(shop::Arguments),
    University(university::Arguments),
    UniversityQueries(university::queries::Arguments),
}

impl Domain {
    fn write(&self) -> Result<(), Error> {
        match self {
            Self::Bank(arguments) => bank::write(arguments),
            Self::Games(arguments) => games::write(arguments),
            Self::Library(arguments) => library::write(arguments),
            Self::Shop(arguments) => shop::write(arguments),
            Self::University(arguments) => university::write(arguments),
            Self::UniversityQueries(arguments) => university::queries::write(arguments),
        }
    }
}

/// The program `wirelab-data`: its arguments are those of the process.
pub fn run() -> ExitCode {
    match Options::parse().domain.write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !matches!(error, Error::NoReader) {
                say(&error);
            }
            error.exit_code()
        }
    }
}

/// Talk goes to stderr, a prefix on each line; a closed stderr is no reason to fail.
fn say(message: &impl ToString) {
    // In place of the line of progress that a terminal may show.
    let start = if io::stderr().is_terminal() {
        EMPTY_LINE
    } else {
        ""
    };
    for line in message.to_string().lines() {
        let _ = writeln!(io::stderr(), "{start}wirelab-data: {line}");
    }
}
