//! Universities: the data set of the Linköping GraphQL Benchmark (LinGBM), with the same rows as
//! the benchmark's own generator, and the same texts if it has the same list of words.

mod address;
mod java_random;
mod lines;
mod numbers;
mod pipeline;
pub mod queries;
mod rdf;
mod rows;
mod sinks;
mod sql;
mod structure;
mod tables;
mod tally;
mod texts;
mod triples;
mod words;

use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use std::time::Instant;

use clap::{Args, ValueEnum};

use crate::error::Error;
use crate::progress::{Display, thousands};
use crate::say;
use crate::whole_file::{Interruption, WholeFile, failed};
use lines::{Csv, Ndjson};
use numbers::LARGEST_SCALE_FACTOR;
use pipeline::Plan;
use sinks::{Mysql, MysqlDump, ParquetFiles, Postgresql, PostgresqlDump, Sink, TableFiles};
use tally::Tally;
use triples::{Syntax, Triples, without_prefixes};
use words::WordList;

/// The number of distinct base seeds: larger ones repeat data sets.
const BASE_SEEDS: i64 = 1 << 17;

const TEXT_SEED: u32 = 0;

/// The universities of the benchmark LinGBM: fourteen tables, or the same as RDF
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,

    /// Format of the rows
    #[arg(
        long,
        value_enum,
        requires = "output",
        required_unless_present = "load"
    )]
    format: Option<Format>,

    /// File to write, or folder for one file per table (csv, ndjson, parquet); - is standard output
    #[arg(long, value_name = "PATH", requires = "format")]
    output: Option<PathBuf>,

    /// Database to load into instead: postgresql://… or mysql://…, with a password as ${NAME}, a
    /// variable of the environment; or @FILE, with the address in a file of mode 600
    #[arg(long, value_name = "URL", conflicts_with_all = ["format", "output"])]
    load: Option<String>,
}

/// The universities and their words.
#[derive(Args, Clone, Debug)]
pub struct Source {
    /// Number of universities
    #[arg(long, value_name = "N", value_parser = scale_factor)]
    pub scale_factor: u32,

    /// Seed of counts and relations; the seed of texts and ages is fixed
    #[arg(long, value_name = "S", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(..BASE_SEEDS))]
    pub seed: u32,

    /// File of words, such as the benchmark's titlewords.txt, for the same texts as the benchmark's
    #[arg(long, value_name = "FILE")]
    pub words: Option<PathBuf>,

    /// Number of threads, on which the data does not depend [default: one per core]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A dump for psql: one transaction of COPY
    Postgresql,
    /// A dump for mysql and mariadb: one transaction of INSERT
    Mysql,
    /// Comma-separated values without a header, one file per table
    Csv,
    /// One JSON object per line, one file per table
    Ndjson,
    /// One Parquet file per table
    Parquet,
    /// RDF, one triple per line
    Ntriples,
    /// RDF, with prefixes
    Turtle,
}

impl Source {
    fn plan(&self, text_seed: u32) -> Plan {
        let cores = || available_parallelism().map_or(1, |it| it.get() as u32);
        Plan {
            scale_factor: self.scale_factor,
            base_seed: self.seed,
            text_seed,
            threads: self.threads.unwrap_or_else(cores),
        }
    }
}

/// Writes or loads the data set.
pub fn write(arguments: &Arguments) -> Result<(), Error> {
    let source = &arguments.source;
    let making = |interruption| {
        Ok(Making {
            plan: source.plan(TEXT_SEED),
            words: WordList::load(source.words.as_deref())?,
            interruption,
            display: Display::beside(arguments.output.as_deref()),
            began: Instant::now(),
        })
    };
    if let Some(written) = &arguments.load {
        let url = address::resolve(written)?;
        return load(&making(Interruption::listen()?)?, &url);
    }
    let (Some(format), Some(path)) = (arguments.format, &arguments.output) else {
        return Ok(()); // clap requires one of both
    };
    let making = making(Interruption::while_writing(path)?)?;
    match format {
        Format::Postgresql => making.fill(PostgresqlDump::create(path)?),
        Format::Mysql => making.fill(MysqlDump::create(path)?),
        Format::Csv => making.fill(TableFiles::<Csv>::create(path, "csv")?),
        Format::Ndjson => making.fill(TableFiles::<Ndjson>::create(path, "ndjson")?),
        Format::Parquet => making.fill(ParquetFiles::create(path)?),
        Format::Ntriples => making.describe(Syntax::Ntriples, path),
        Format::Turtle => making.describe(Syntax::Turtle, path),
    }
}

fn load(making: &Making, url: &str) -> Result<(), Error> {
    match url.split_once("://").map(|(scheme, _)| scheme) {
        Some("postgresql" | "postgres") => making.fill(Postgresql::connect(url)?),
        Some("mysql") => making.fill(Mysql::connect(url)?),
        scheme => {
            let scheme = scheme.unwrap_or_default();
            let found = format!("the scheme {scheme:?}");
            let expected = "postgresql://… or mysql://…".to_owned();
            Err(Error::input("--load".to_owned(), found, expected))
        }
    }
}

/// The settings for generating universities.
struct Making {
    plan: Plan,
    words: WordList,
    interruption: Interruption,
    display: Display,
    began: Instant,
}

impl Making {
    /// Writes all rows to a sink.
    fn fill<S: Sink>(&self, mut sink: S) -> Result<(), Error> {
        let (scale_factor, words) = (self.plan.scale_factor, &self.words);
        let mut made = Tally::default();
        pipeline::in_order(
            self.plan,
            &self.display,
            |university, texts| {
                let mut chunk = S::Chunk::default();
                rows::give(&mut chunk, university, texts, words)?;
                Ok(chunk)
            },
            |tally, chunk| {
                sink.take(chunk)?;
                made.add(tally);
                self.interruption.check()
            },
        )?;
        // Only now all universities are known.
        let mut chunk = S::Chunk::default();
        let universities = made.universities.iter().copied();
        rows::give_universities(&mut chunk, universities, scale_factor);
        sink.take(chunk)?;
        self.interruption.check()?;
        sink.finish()?;
        self.report(&made);
        Ok(())
    }

    /// Writes everything as RDF.
    fn describe(&self, syntax: Syntax, path: &Path) -> Result<(), Error> {
        let mut file = WholeFile::create(path)?;
        let mut made = Tally::default();
        let failed = |cause| failed(path, cause);
        let words = &self.words;
        pipeline::in_order(
            self.plan,
            &self.display,
            |university, texts| {
                let tell = |triples: &mut _| rdf::describe(triples, university, texts, words);
                Triples::write(syntax, tell).map_err(failed)
            },
            |tally, bytes| {
                let first = made.universities.is_empty();
                file.put(if first {
                    &bytes
                } else {
                    without_prefixes(&bytes)
                })?;
                made.add(tally);
                self.interruption.check()
            },
        )?;
        // The universities that are only the origin of degrees.
        let mut others = made.universities.range(self.plan.scale_factor..);
        let bytes = Triples::write(syntax, |triples| {
            others.try_for_each(|number| rdf::name_university(triples, *number))
        });
        file.put(without_prefixes(&bytes.map_err(failed)?))?;
        self.interruption.check()?;
        file.keep()?;
        self.report(&made);
        Ok(())
    }

    /// Prints the counts and the duration.
    fn report(&self, made: &Tally) {
        let seconds = self.began.elapsed().as_secs_f64();
        let [rows, counted, objects] =
            [made.all_rows(), made.paper_rows(), made.paper_objects()].map(thousands);
        say(&format!(
            "{rows} rows in 14 tables (counted as in the benchmark's paper: {counted} rows, \
             {objects} objects) in {seconds:.1} s"
        ));
    }
}

fn scale_factor(text: &str) -> Result<u32, String> {
    let number = text.parse().ok();
    number
        .filter(|number| (1..=LARGEST_SCALE_FACTOR).contains(number))
        .ok_or_else(|| {
            format!(
                "expected a number from 1 to {LARGEST_SCALE_FACTOR}; beyond, the numbers of \
                 publications do not fit into 32 bits"
            )
        })
}
