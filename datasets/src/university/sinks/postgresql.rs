//! Loads into PostgreSQL by COPY, in one transaction.

use std::error::Error as _;
use std::io::Write as _;
use std::time::Duration;

use postgres::config::Host;
use postgres::{Client, Config, NoTls};

use super::Sink;
use crate::error::Error;
use crate::university::lines::{CopyText, Lines};
use crate::university::sql;
use crate::university::tables::Table;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection within a transaction. If it is dropped before the end, the server rolls everything
/// back, including the tables.
pub struct Postgresql {
    client: Client,
    place: String,
}

impl Postgresql {
    /// Connects, and creates the tables. The error is that the database rejects them, or already
    /// has them.
    pub fn connect(url: &str) -> Result<Self, Error> {
        let mut config: Config = url.parse().map_err(|it: postgres::Error| {
            let expected = "an address like postgresql://USER:${PASSWORD}@HOST:PORT/DATABASE";
            Error::input("--load".to_owned(), explain(&it), expected.to_owned())
        })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        let place = place(&config);
        let connected = config.connect(NoTls).and_then(|mut client| {
            client.batch_execute("BEGIN")?;
            let taken = taken(&mut client)?;
            Ok((client, taken))
        });
        let (client, taken) = connected.map_err(|it| failed(&place, &it))?;
        if !taken.is_empty() {
            return Err(Error::tables_exist(&place, &taken));
        }
        let mut sink = Self { client, place };
        for table in Table::ALL {
            sink.run(&sql::postgresql::create_table(table))?;
        }
        Ok(sink)
    }

    fn run(&mut self, statement: &str) -> Result<(), Error> {
        let done = self.client.batch_execute(statement);
        done.map_err(|it| failed(&self.place, &it))
    }

    fn copy(&mut self, table: Table, rows: &[u8]) -> Result<(), postgres::Error> {
        let statement = format!("COPY {} FROM STDIN WITH (FREEZE)", table.name());
        let mut copy = self.client.copy_in(&statement)?;
        // If the server aborts, writing fails without a reason; finishing returns it.
        let _ = copy.write_all(rows);
        copy.finish()?;
        Ok(())
    }
}

impl Sink for Postgresql {
    type Chunk = Lines<CopyText>;

    fn take(&mut self, chunk: Self::Chunk) -> Result<(), Error> {
        for (table, rows) in chunk.tables() {
            self.copy(table, &rows)
                .map_err(|it| failed(&self.place, &it))?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), Error> {
        for statement in sql::postgresql::finish() {
            self.run(&statement)?;
        }
        // Otherwise, autovacuum would analyse the tables during a measurement.
        self.run("ANALYZE")?;
        self.run("COMMIT")
    }
}

/// The tables that already exist.
fn taken(client: &mut Client) -> Result<Vec<String>, postgres::Error> {
    let names = Table::ALL.map(|it| it.name().to_lowercase());
    let query = "SELECT table_name::text FROM information_schema.tables \
                 WHERE table_schema = current_schema() AND table_name = ANY($1) ORDER BY 1";
    let rows = client.query(query, &[&names.as_slice()])?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

/// The server and the database, without a password.
fn place(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        Some(Host::Unix(path)) => path.display().to_string(),
        None => String::new(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let database = config
        .get_dbname()
        .or(config.get_user())
        .unwrap_or_default();
    format!("{host}:{port}/{database}")
}

fn failed(place: &str, cause: &postgres::Error) -> Error {
    Error::Load {
        place: place.to_owned(),
        cause: explain(cause),
    }
}

/// The message of the server, or else the error with its causes.
fn explain(error: &postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        let more = [said.detail(), said.hint()];
        let parts = std::iter::once(said.message()).chain(more.into_iter().flatten());
        return parts.collect::<Vec<_>>().join("; ");
    }
    let mut text = error.to_string();
    let mut behind = error.source();
    while let Some(cause) = behind {
        text = format!("{text}: {cause}");
        behind = cause.source();
    }
    text
}
