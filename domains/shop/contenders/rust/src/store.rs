//! PostgreSQL: a pool of connections, each of which prepares a statement once.

use std::collections::HashMap;
use std::time::Duration;

use deadpool_postgres::{GenericClient, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use tokio_postgres::{NoTls, Row, types::ToSql};

use crate::refusal::{Refusal, Result};

const POOL_SIZE: usize = 10;

/// How long opening a connection may take, and how long a statement waits for one of the pool.
const CONNECTION_WAIT: Duration = Duration::from_secs(5);

pub type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// What can be made of a row, by the places of its columns.
pub trait FromRow: Sized {
    fn from_row(row: &Row) -> Self;
}

#[derive(Clone)]
pub struct Store(Pool);

impl Store {
    pub async fn open(url: &str) -> std::result::Result<Self, Box<dyn std::error::Error>> {
        let mut config: tokio_postgres::Config = url.parse()?;
        config.connect_timeout(CONNECTION_WAIT);
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let pool = Pool::builder(Manager::from_config(config, NoTls, recycling))
            .max_size(POOL_SIZE)
            .wait_timeout(Some(CONNECTION_WAIT))
            .create_timeout(Some(CONNECTION_WAIT))
            .runtime(Runtime::Tokio1)
            .build()?;
        pool.get().await?.simple_query("SELECT 1").await?;
        Ok(Self(pool))
    }

    pub async fn connection(&self) -> Result<Object> {
        Ok(self.0.get().await?)
    }

    pub async fn all<T: FromRow>(&self, sql: &str, values: Values<'_>) -> Result<Vec<T>> {
        all(&self.connection().await?, sql, values).await
    }

    pub async fn one<T: FromRow>(&self, what: &str, sql: &str, values: Values<'_>) -> Result<T> {
        one(&self.connection().await?, what, sql, values).await
    }
}

pub async fn rows(client: &impl GenericClient, sql: &str, values: Values<'_>) -> Result<Vec<Row>> {
    let statement = client.prepare_cached(sql).await?;
    Ok(client.query(&statement, values).await?)
}

pub async fn all<T: FromRow>(client: &impl GenericClient, sql: &str, values: Values<'_>) -> Result<Vec<T>> {
    Ok(rows(client, sql, values).await?.iter().map(T::from_row).collect())
}

/// The only row; none is refused.
pub async fn one<T: FromRow>(client: &impl GenericClient, what: &str, sql: &str, values: Values<'_>) -> Result<T> {
    let found = rows(client, sql, values).await?;
    found.first().map(T::from_row).ok_or_else(|| Refusal::not_found(what))
}

/// How many rows a statement changed.
pub async fn changed(client: &impl GenericClient, sql: &str, values: Values<'_>) -> Result<u64> {
    let statement = client.prepare_cached(sql).await?;
    Ok(client.execute(&statement, values).await?)
}

/// Sorts rows into those of each key.
pub fn grouped<T>(rows: impl IntoIterator<Item = (i32, T)>) -> HashMap<i32, Vec<T>> {
    let mut groups: HashMap<i32, Vec<T>> = HashMap::new();
    for (key, value) in rows {
        groups.entry(key).or_default().push(value);
    }
    groups
}
