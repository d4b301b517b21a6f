//! Loads into MySQL or MariaDB by INSERT statements, with all rows in one transaction.

use mysql::prelude::Queryable;
use mysql::{Conn, DriverError, Opts};

use super::Sink;
use crate::error::Error;
use crate::university::lines::{Inserts, Lines};
use crate::university::sql;
use crate::university::tables::Table;

/// A connection to a database with newly created tables. If it is dropped before the end, the
/// tables are dropped; if the program is killed, they stay, but empty.
pub struct Mysql {
    connection: Conn,
    place: String,
    created: Vec<Table>,
}

impl Mysql {
    /// Connects, and creates the tables. The error is that the database rejects them, or already
    /// has them.
    pub fn connect(url: &str) -> Result<Self, Error> {
        let options = Opts::from_url(url).map_err(|cause| {
            let expected = "an address like mysql://USER:${PASSWORD}@HOST:PORT/DATABASE";
            Error::input("--load".to_owned(), cause.to_string(), expected.to_owned())
        })?;
        let Some(database) = options.get_db_name() else {
            let expected = "the name of a database after the last slash";
            let found = "an address without a database".to_owned();
            return Err(Error::input(
                "--load".to_owned(),
                found,
                expected.to_owned(),
            ));
        };
        let (host, port) = (options.get_ip_or_hostname(), options.get_tcp_port());
        let place = format!("{host}:{port}/{database}");
        let connected = Conn::new(options.clone()).and_then(|mut connection| {
            let taken = taken(&mut connection)?;
            Ok((connection, taken))
        });
        let (connection, taken) = connected.map_err(|it| failed(&place, &it))?;
        if !taken.is_empty() {
            return Err(Error::tables_exist(&place, &taken));
        }
        let mut sink = Self {
            connection,
            place,
            created: Vec::new(),
        };
        for table in Table::ALL {
            sink.run(&sql::mysql::create_table(table))?;
            sink.created.push(table);
        }
        for statement in sql::mysql::BEGIN {
            sink.run(statement)?;
        }
        Ok(sink)
    }

    fn run(&mut self, statement: &str) -> Result<(), Error> {
        let done = self.connection.query_drop(statement);
        done.map_err(|it| failed(&self.place, &it))
    }
}

impl Sink for Mysql {
    type Chunk = Lines<Inserts>;

    fn take(&mut self, chunk: Self::Chunk) -> Result<(), Error> {
        for (_, bytes) in chunk.tables() {
            // No text has a semicolon.
            let text = String::from_utf8_lossy(&bytes);
            for statement in text.split_terminator(";\n") {
                self.run(statement)?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), Error> {
        self.run("COMMIT")?;
        self.created.clear();
        Ok(())
    }
}

impl Drop for Mysql {
    fn drop(&mut self) {
        if self.created.is_empty() {
            return;
        }
        let _ = self.connection.query_drop("ROLLBACK");
        for table in self.created.iter().rev() {
            let statement = format!("DROP TABLE {}", table.name());
            let _ = self.connection.query_drop(statement); // the server may have ended
        }
    }
}

/// The tables that already exist.
fn taken(connection: &mut Conn) -> Result<Vec<String>, mysql::Error> {
    let names = Table::ALL.map(|it| format!("'{}'", it.name().to_lowercase()));
    connection.query(format!(
        "SELECT table_name FROM information_schema.tables \
         WHERE table_schema = DATABASE() AND LOWER(table_name) IN ({}) ORDER BY 1",
        names.join(", ")
    ))
}

fn failed(place: &str, cause: &mysql::Error) -> Error {
    let cause = match cause {
        mysql::Error::MySqlError(said) => said.message.clone(),
        mysql::Error::DriverError(DriverError::CouldNotConnect(Some((_, why, _)))) => {
            format!("cannot connect: {why}")
        }
        other => other.to_string(),
    };
    Error::Load {
        place: place.to_owned(),
        cause,
    }
}
