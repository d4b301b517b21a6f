//! The service of orders over its store and the two other services.

use std::collections::HashMap;

use garde::Validate;

use crate::catalogue::Catalogue;
use crate::refusal::{Kind, Refusal, Result};
use crate::store::{Store, grouped, rows};
use crate::types::{Order, OrderLine, Page};
use crate::users::Users;

const STATUSES: [&str; 4] = ["placed", "shipped", "delivered", "returned"];
const ORDER: &str =
    "orders.id, user_id, placed_on::text, status, total_cents, ship_to, amount_cents, card_ending, paid_on::text";
const OF_ORDERS: &str = "FROM orders JOIN payments ON order_id = orders.id WHERE";

#[derive(Clone)]
pub struct Orders {
    pub store: Store,
    pub users: Users,
    pub catalogue: Catalogue,
}

impl Orders {
    /// An order without its lines.
    pub async fn head(&self, id: i32) -> Result<Order> {
        self.store.one("order", &format!("SELECT {ORDER} {OF_ORDERS} orders.id = $1"), &[&id]).await
    }

    pub async fn read(&self, id: i32) -> Result<Order> {
        let mut order = [self.head(id).await?];
        self.with_lines(&mut order).await?;
        let [order] = order;
        Ok(order)
    }

    /// The newest orders of each user, without their lines, with the user's id.
    pub async fn heads_of(&self, users: &[i32], limit: i32) -> Result<Vec<(i32, Order)>> {
        Page { after: 0, limit }.validate()?;
        let sql = format!(
            "SELECT newest.* FROM unnest($1::int[]) AS buyer (id) CROSS JOIN LATERAL
             (SELECT {ORDER} {OF_ORDERS} user_id = buyer.id ORDER BY orders.id DESC LIMIT $2) AS newest"
        );
        let orders: Vec<Order> = self.store.all(&sql, &[&users, &i64::from(limit)]).await?;
        Ok(orders.into_iter().map(|order| (order.user_id, order)).collect())
    }

    /// The newest orders of a user who must be there, with their lines.
    pub async fn list(&self, user_id: i32, limit: i32, products: bool) -> Result<Vec<Order>> {
        Page { after: 0, limit }.validate()?;
        self.users.read(user_id).await?;
        let mut orders: Vec<Order> =
            self.heads_of(&[user_id], limit).await?.into_iter().map(|(_, order)| order).collect();
        self.with_lines(&mut orders).await?;
        if products {
            self.with_products(&mut orders).await?;
        }
        Ok(orders)
    }

    async fn with_lines(&self, orders: &mut [Order]) -> Result<()> {
        let ids: Vec<i32> = orders.iter().map(|order| order.id).collect();
        let mut lines = grouped(self.lines_of(&ids).await?);
        for order in orders {
            order.lines = Some(lines.remove(&order.id).unwrap_or_default());
        }
        Ok(())
    }

    /// The lines of each order, with its id.
    pub async fn lines_of(&self, ids: &[i32]) -> Result<Vec<(i32, OrderLine)>> {
        let sql = "SELECT order_id, product_id, quantity, unit_price_cents FROM order_lines WHERE order_id = ANY($1) ORDER BY id";
        let found = rows(&self.store.connection().await?, sql, &[&ids]).await?;
        let line = |row: &tokio_postgres::Row| OrderLine {
            product_id: row.get(1),
            quantity: row.get(2),
            unit_price_cents: row.get(3),
            product: None,
        };
        Ok(found.iter().map(|row| (row.get(0), line(row))).collect())
    }

    /// Asks the catalogue once for all products.
    async fn with_products(&self, orders: &mut [Order]) -> Result<()> {
        let lines = || orders.iter().flat_map(|order| order.lines.iter().flatten());
        let mut ids: Vec<i32> = lines().map(|line| line.product_id).collect();
        ids.sort_unstable();
        ids.dedup();
        let products: HashMap<i32, _> =
            self.catalogue.by_id(&ids).await?.into_iter().map(|product| (product.id, product)).collect();
        for line in orders.iter_mut().flat_map(|order| order.lines.iter_mut().flatten()) {
            line.product = products.get(&line.product_id).cloned();
        }
        Ok(())
    }

    pub async fn update(&self, id: i32, status: &str) -> Result<Order> {
        if !STATUSES.contains(&status) {
            return Err(Refusal::new(Kind::Invalid, format!("status must be one of {}", STATUSES.join(", "))));
        }
        let sql = "UPDATE orders SET status = $2 WHERE id = $1 RETURNING id";
        let id: i32 = self.store.one("order", sql, &[&id, &status]).await?;
        self.read(id).await
    }

    pub async fn delete(&self, id: i32) -> Result<i32> {
        self.store.one("order", "DELETE FROM orders WHERE id = $1 RETURNING id", &[&id]).await
    }
}
