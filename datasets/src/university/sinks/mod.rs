//! Destinations of rows: one module per format or database.

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

/// Receives the rows of one university after the other. Dropped before `finish`, it leaves nothing
/// behind.
pub trait Sink: Sized {
    /// The rows of a university, as they are written; any thread may create it.
    type Chunk: TakeRows + Default + Send;

    fn take(&mut self, chunk: Self::Chunk) -> Result<(), Error>;

    fn finish(self) -> Result<(), Error>;
}
