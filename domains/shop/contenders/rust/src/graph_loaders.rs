//! What a GraphQL request loads: many keys by one statement, each once.

use std::collections::HashMap;

use async_graphql::dataloader::{DataLoader, HashMapCache, Loader};

use crate::refusal::{Refusal, Result};
use crate::shop::Shop;
use crate::store::grouped;
use crate::types::{Order, OrderLine, Product, Review};

/// A product, and how many of its reviews are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReviewsOf(pub i32, pub i32);

/// A user, and how many orders are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct OrdersOf(pub i32, pub i32);

/// An order, whose lines are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LinesOf(pub i32);

/// A product.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProductAt(pub i32);

pub struct Loads(Shop);

pub type Loaders = DataLoader<Loads, HashMapCache>;

/// Loaders of one request. A batch waits for nothing but the fields that are resolved at the same time.
pub fn loaders(shop: Shop) -> Loaders {
    DataLoader::with_cache(Loads(shop), tokio::spawn, HashMapCache::default()).delay(std::time::Duration::ZERO)
}

/// The ids of keys by how many are wanted: those that want another number are loaded apart.
fn by_number(keys: impl Iterator<Item = (i32, i32)>) -> HashMap<i32, Vec<i32>> {
    grouped(keys.map(|(id, first)| (first, id)))
}

impl Loader<ReviewsOf> for Loads {
    type Value = Vec<Review>;
    type Error = Refusal;

    async fn load(&self, keys: &[ReviewsOf]) -> Result<HashMap<ReviewsOf, Vec<Review>>> {
        let mut values = HashMap::with_capacity(keys.len());
        for (first, ids) in by_number(keys.iter().map(|key| (key.0, key.1))) {
            let mut found = grouped(self.0.catalogue.reviews_of(&ids, first).await?);
            values.extend(ids.iter().map(|id| (ReviewsOf(*id, first), found.remove(id).unwrap_or_default())));
        }
        Ok(values)
    }
}

impl Loader<OrdersOf> for Loads {
    type Value = Vec<Order>;
    type Error = Refusal;

    async fn load(&self, keys: &[OrdersOf]) -> Result<HashMap<OrdersOf, Vec<Order>>> {
        let mut values = HashMap::with_capacity(keys.len());
        for (first, ids) in by_number(keys.iter().map(|key| (key.0, key.1))) {
            let mut found = grouped(self.0.orders.heads_of(&ids, first).await?);
            values.extend(ids.iter().map(|id| (OrdersOf(*id, first), found.remove(id).unwrap_or_default())));
        }
        Ok(values)
    }
}

impl Loader<LinesOf> for Loads {
    type Value = Vec<OrderLine>;
    type Error = Refusal;

    async fn load(&self, keys: &[LinesOf]) -> Result<HashMap<LinesOf, Vec<OrderLine>>> {
        let ids: Vec<i32> = keys.iter().map(|key| key.0).collect();
        let mut found = grouped(self.0.orders.lines_of(&ids).await?);
        Ok(ids.iter().map(|id| (LinesOf(*id), found.remove(id).unwrap_or_default())).collect())
    }
}

impl Loader<ProductAt> for Loads {
    type Value = Product;
    type Error = Refusal;

    async fn load(&self, keys: &[ProductAt]) -> Result<HashMap<ProductAt, Product>> {
        let ids: Vec<i32> = keys.iter().map(|key| key.0).collect();
        let found = self.0.catalogue.by_id(&ids).await?;
        Ok(found.into_iter().map(|product| (ProductAt(product.id), product)).collect())
    }
}
