//! Writes SQL for `psql` and `mysql`: one file that creates tables and rows.

use std::path::Path;

use super::Sink;
use crate::error::Error;
use crate::university::lines::{CopyText, Inserts, Lines};
use crate::university::sql;
use crate::university::tables::Table;
use crate::whole_file::WholeFile;

/// A dump for `psql`: one transaction, so that it loads all or nothing.
pub struct PostgresqlDump(WholeFile);

impl PostgresqlDump {
    /// Starts the file.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let mut file = WholeFile::create(path)?;
        file.put(b"\\set ON_ERROR_STOP on\nBEGIN;\n")?;
        put_statements(&mut file, Table::ALL.map(sql::postgresql::create_table))?;
        Ok(Self(file))
    }
}

impl Sink for PostgresqlDump {
    type Chunk = Lines<CopyText>;

    fn take(&mut self, chunk: Self::Chunk) -> Result<(), Error> {
        for (table, bytes) in chunk.tables() {
            let head = format!("COPY {} FROM stdin WITH (FREEZE);\n", table.name());
            self.0.put(head.as_bytes())?;
            self.0.put(&bytes)?;
            self.0.put(b"\\.\n")?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), Error> {
        put_statements(&mut self.0, sql::postgresql::finish())?;
        self.0.put(b"COMMIT;\nANALYZE;\n")?;
        self.0.keep()
    }
}

/// A dump for `mysql` and `mariadb`: it creates tables first; the rows are one transaction.
pub struct MysqlDump(WholeFile);

impl MysqlDump {
    /// Starts the file.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let mut file = WholeFile::create(path)?;
        put_statements(&mut file, Table::ALL.map(sql::mysql::create_table))?;
        put_statements(&mut file, sql::mysql::BEGIN.map(str::to_owned))?;
        Ok(Self(file))
    }
}

impl Sink for MysqlDump {
    type Chunk = Lines<Inserts>;

    fn take(&mut self, chunk: Self::Chunk) -> Result<(), Error> {
        for (_, bytes) in chunk.tables() {
            self.0.put(&bytes)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), Error> {
        self.0.put(b"COMMIT;\n")?;
        self.0.keep()
    }
}

fn put_statements(
    file: &mut WholeFile,
    statements: impl IntoIterator<Item = String>,
) -> Result<(), Error> {
    for statement in statements {
        file.put(format!("{statement};\n").as_bytes())?;
    }
    Ok(())
}
