//! Errors, with their exit codes.

use std::fmt;
use std::io;
use std::process::ExitCode;

use crate::problem::{Problem, render};

/// Why a data set was not written.
#[derive(Debug)]
pub enum Error {
    /// The arguments or the input file are wrong.
    Input(Vec<Problem>),
    /// The output cannot be written.
    Output { path: String, cause: io::Error },
    /// A database cannot be reached, or rejects the data.
    Load { place: String, cause: String },
    /// The reader of the output has closed the pipe.
    NoReader,
    /// A signal.
    Interrupted,
}

impl Error {
    /// The exit code, as in `wirelab`.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::NoReader => 0,
            Self::Output { .. } | Self::Load { .. } => 1,
            Self::Input(_) => 2,
            Self::Interrupted => 130,
        })
    }

    /// The database has tables of these names already.
    pub fn tables_exist(place: &str, tables: &[String]) -> Self {
        let found = format!("{place} already has tables: {}", tables.join(", "));
        let expected = "a database without them: drop them, or use another database".to_owned();
        Self::input("--load".to_owned(), found, expected)
    }

    /// A single problem with an argument or a file.
    pub fn input(place: String, found: String, expected: String) -> Self {
        Self::Input(vec![Problem {
            place,
            found,
            expected,
        }])
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Input(problems) => formatter.write_str(&render(problems)),
            Self::Output { path, cause } => {
                write!(formatter, "cannot write {path}: {cause}; nothing was kept")
            }
            Self::Load { place, cause } => {
                write!(
                    formatter,
                    "cannot load into {place}: {cause}; nothing was kept"
                )
            }
            Self::NoReader => formatter.write_str("the reader of the output has closed the pipe"),
            Self::Interrupted => formatter.write_str("interrupted; nothing was kept"),
        }
    }
}
