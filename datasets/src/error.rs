//! Why nothing was written, and the exit code that says so.

use std::fmt;
use std::io;
use std::process::ExitCode;

use crate::problem::{Problem, render};

/// Why a data set was not written.
#[derive(Debug)]
pub enum Error {
    /// The arguments or the input file are wrong.
    Input(Vec<Problem>),
    /// The machine would not let it.
    Output { path: String, cause: io::Error },
    /// The reader of the output has gone: it had enough.
    NoReader,
    /// A signal.
    Interrupted,
}

impl Error {
    /// The exit code, as `wirelab` itself uses them.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::NoReader => 0,
            Self::Output { .. } => 1,
            Self::Input(_) => 2,
            Self::Interrupted => 130,
        })
    }

    /// One problem with an argument or a file.
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
            Self::NoReader => formatter.write_str("nobody reads the output any more"),
            Self::Interrupted => formatter.write_str("interrupted; nothing was kept"),
        }
    }
}
