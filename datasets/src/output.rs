//! Writing rows: as NDJSON or CSV, to a file or the standard output.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::error::Error;
use crate::progress::{Display, Parts};
use crate::whole_file::{Interruption, WholeFile};

/// A row of a table of some domain. As NDJSON it is what serde makes of it.
pub trait Row: Serialize {
    /// Its fields as CSV, in the order of the table's columns.
    fn fields(&self) -> Result<Vec<String>, serde_json::Error>;
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One JSON object a line
    Ndjson,
    /// The table's columns as in RFC 4180, without a header; what COPY … (FORMAT csv) takes
    Csv,
}

/// Where rows go, and how.
#[derive(Args, Clone, Debug)]
pub struct Destination {
    /// How to write the rows
    #[arg(long, value_enum, default_value_t = Format::Ndjson)]
    pub format: Format,

    /// The file to write; - is the standard output
    #[arg(long, value_name = "PATH", default_value = "-")]
    pub output: PathBuf,
}

/// Where the rows of several tables go, and how.
#[derive(Args, Clone, Debug)]
pub struct Folder {
    /// How to write the rows
    #[arg(long, value_enum, default_value_t = Format::Ndjson)]
    format: Format,

    /// The folder to write to: a file a table, named <table>.ndjson or <table>.csv
    #[arg(long, value_name = "FOLDER")]
    output: PathBuf,
}

impl Folder {
    /// Where to show how many rows of how many tables are written.
    pub fn parts(&self, tables: usize) -> Parts {
        Parts::new(tables, Display::beside(Some(&self.output)))
    }

    /// Writes all rows of one table, or leaves its file as it was.
    pub fn write<R: Row>(&self, table: &str, rows: impl Iterator<Item = R>) -> Result<(), Error> {
        let ending = match self.format {
            Format::Ndjson => "ndjson",
            Format::Csv => "csv",
        };
        let output = self.output.join(format!("{table}.{ending}"));
        let format = self.format;
        Destination { format, output }.write(rows)
    }
}

impl Destination {
    /// Where to show how much is done of some parts of the work, of which writing is the last.
    pub fn parts(&self, all: usize) -> Parts {
        Parts::new(all, Display::beside(Some(&self.output)))
    }

    /// Writes all rows, or leaves nothing behind: a file appears under its name when it is whole.
    pub fn write<R: Row>(&self, rows: impl Iterator<Item = R>) -> Result<(), Error> {
        let interruption = Interruption::while_writing(&self.output)?;
        let mut file = WholeFile::create(&self.output)?;
        let write = match self.format {
            Format::Ndjson => write_ndjson,
            Format::Csv => write_csv,
        };
        for row in rows {
            write(&mut file, &row).map_err(|cause| file.failed(cause))?;
            interruption.check()?;
        }
        file.keep()
    }
}

fn write_ndjson(sink: &mut impl Write, row: &impl Row) -> io::Result<()> {
    serde_json::to_writer(&mut *sink, row)?;
    sink.write_all(b"\n")
}

fn write_csv(sink: &mut impl Write, row: &impl Row) -> io::Result<()> {
    let mut line = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(sink);
    line.write_record(row.fields()?)?;
    line.flush()
}
