//! Where rows go: a module a format or database.

mod dumps;
mod mysql;
mod parquet;
mod postgresql;
mod table_files;

pub use dumps::{MysqlDump, PostgresqlDump};
pub use mysql::Mysql;
pub use parquet::ParquetFiles;
pub use postgresql::Postgresql;
pub use table_files::TableFiles;

use super::rows::TakeRows;
use crate::error::Error;

/// Takes the rows of one university after the other. Dropped before `finish`, it leaves nothing
/// of what it took.
pub trait Sink: Sized {
    /// The rows of a university, in the form in which they are written; any thread makes it.
    type Chunk: TakeRows + Default + Send;

    fn take(&mut self, chunk: Self::Chunk) -> Result<(), Error>;

    fn finish(self) -> Result<(), Error>;
}
