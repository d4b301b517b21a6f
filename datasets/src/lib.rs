//! The data sets of the domains: generated from a seed, or loaded from the real data.
//!
//! Each domain is a module with its arguments and a function that writes its rows; the formats are
//! common to all (`output`).

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

/// Generate the data set of a domain: the same rows for the same seed, on every machine.
#[derive(Debug, Parser)]
#[command(
    name = "wirelab-data",
    version,
    after_help = "Exit codes: 0 written; 1 the output cannot be written; 2 invalid option or input file; \
                  130 interrupted. A file appears under its name only when it is complete."
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

/// Runs the program `wirelab-data` with the arguments of the process, and returns its exit code.
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

/// Prints a message on standard error with a prefix on each line; errors are ignored, since
/// standard error may be closed.
fn say(message: &impl ToString) {
    // Replaces the line of progress on a terminal.
    let start = if io::stderr().is_terminal() {
        EMPTY_LINE
    } else {
        ""
    };
    for line in message.to_string().lines() {
        let _ = writeln!(io::stderr(), "{start}wirelab-data: {line}");
    }
}
