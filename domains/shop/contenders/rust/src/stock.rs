//! The stock of the catalogue: taking, reserving, counting, quoting.

use std::collections::HashMap;

use deadpool_postgres::GenericClient;
use garde::Validate;

use crate::catalogue::Catalogue;
use crate::refusal::{Kind, Refusal, Result};
use crate::store::{changed, rows};
use crate::types::{Quote, StockCount, WishInput, Wishes};

const OF_LINES: &str = "FROM unnest($1::int[], $2::int[]) AS line (product_id, quantity) WHERE id = product_id";

pub fn columns(lines: &[WishInput]) -> (Vec<i32>, Vec<i32>) {
    lines.iter().map(|line| (line.product_id, line.quantity)).unzip()
}

/// Takes all that is wanted from the shelves and gives the unit prices, or refuses.
pub async fn take_stock(transaction: &impl GenericClient, lines: &[WishInput]) -> Result<Vec<i32>> {
    let (ids, quantities) = columns(lines);
    // In the order of their ids, so that no two checkouts wait for one another.
    let sql = "SELECT id, price_cents, stock FROM products WHERE id = ANY($1) ORDER BY id FOR UPDATE";
    let found: HashMap<i32, (i32, i32)> =
        rows(transaction, sql, &[&ids]).await?.iter().map(|row| (row.get(0), (row.get(1), row.get(2)))).collect();
    let mut prices = Vec::with_capacity(lines.len());
    for line in lines {
        let (price, _) = found.get(&line.product_id).ok_or_else(|| Refusal::not_found("product"))?;
        prices.push(*price);
    }
    if let Some(line) = lines.iter().find(|line| found[&line.product_id].1 < line.quantity) {
        let detail = format!("there are not {} of product {}", line.quantity, line.product_id);
        return Err(Refusal::new(Kind::OutOfStock, detail));
    }
    let sql = format!("UPDATE products SET stock = stock - quantity {OF_LINES}");
    changed(transaction, &sql, &[&ids, &quantities]).await?;
    Ok(prices)
}

impl Catalogue {
    /// Takes stock for a checkout of another service, once for each key.
    pub async fn reserve(&self, key: &str, wishes: Wishes) -> Result<Vec<i32>> {
        wishes.validate()?;
        let (ids, quantities) = columns(&wishes.lines);
        let mut connection = self.store.connection().await?;
        let transaction = connection.transaction().await?;
        let sql = "INSERT INTO reservations (key, state, product_ids, quantities) VALUES ($1, 'reserved', $2, $3)
                   ON CONFLICT DO NOTHING";
        if changed(&transaction, sql, &[&key, &ids, &quantities]).await? == 0 {
            let detail = format!("the reservation {key} was made or released before");
            return Err(Refusal::new(Kind::OutOfStock, detail));
        }
        let prices = take_stock(&transaction, &wishes.lines).await?;
        transaction.commit().await?;
        Ok(prices)
    }

    /// Gives back what was reserved, once for each key. The key stays released, so that a reservation that was under way
    /// for too long comes to nothing.
    pub async fn release(&self, key: &str) -> Result<()> {
        let mut connection = self.store.connection().await?;
        let transaction = connection.transaction().await?;
        let sql = "INSERT INTO reservations (key, state, product_ids, quantities) VALUES ($1, 'released', '{}', '{}')
                   ON CONFLICT (key) DO UPDATE SET state = 'released' WHERE reservations.state = 'reserved'
                   RETURNING product_ids, quantities";
        if let Some(released) = rows(&transaction, sql, &[&key]).await?.first() {
            let (ids, quantities): (Vec<i32>, Vec<i32>) = (released.get(0), released.get(1));
            rows(&transaction, "SELECT FROM products WHERE id = ANY($1) ORDER BY id FOR UPDATE", &[&ids]).await?;
            let sql = format!("UPDATE products SET stock = stock + quantity {OF_LINES}");
            changed(&transaction, &sql, &[&ids, &quantities]).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// Sets the stock of products as they were counted, all of them or none.
    pub async fn count_stock(&self, counts: &[StockCount]) -> Result<i32> {
        for count in counts {
            count.validate()?;
        }
        // The last count of a product that is counted twice.
        let last: HashMap<i32, i32> = counts.iter().map(|count| (count.product_id, count.stock)).collect();
        let (ids, stocks): (Vec<i32>, Vec<i32>) = last.into_iter().unzip();
        let mut connection = self.store.connection().await?;
        let transaction = connection.transaction().await?;
        let sql = "SELECT id FROM products WHERE id = ANY($1) ORDER BY id FOR UPDATE";
        if rows(&transaction, sql, &[&ids]).await?.len() < ids.len() {
            return Err(Refusal::not_found("product"));
        }
        let sql = format!("UPDATE products SET stock = quantity {OF_LINES}");
        changed(&transaction, &sql, &[&ids, &stocks]).await?;
        transaction.commit().await?;
        Ok(i32::try_from(counts.len()).unwrap_or(i32::MAX))
    }

    /// Says whether something can be had now, and for how much.
    pub async fn quote(&self, wish: WishInput) -> Result<Quote> {
        wish.validate()?;
        let product = self.read(wish.product_id).await?;
        Ok(Quote {
            product_id: wish.product_id,
            quantity: wish.quantity,
            unit_price_cents: product.price_cents,
            available: product.stock >= wish.quantity,
        })
    }
}
