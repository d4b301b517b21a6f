//! What the rows of the store are, by the places of their columns.

use tokio_postgres::Row;

use crate::store::FromRow;
use crate::types::{Address, Order, Payment, Product, ProductEvent, Review, User};

impl FromRow for Product {
    fn from_row(row: &Row) -> Self {
        Self {
            id: row.get(0),
            title: row.get(1),
            description: row.get(2),
            price_cents: row.get(3),
            stock: row.get(4),
            pictures: row.get(5),
            reviews: None,
        }
    }
}

impl FromRow for Review {
    fn from_row(row: &Row) -> Self {
        Self {
            id: row.get(0),
            product_id: row.get(1),
            user_id: row.get(2),
            rating: row.get(3),
            headline: row.get(4),
            body: row.get(5),
            written_on: row.get(6),
        }
    }
}

impl FromRow for User {
    fn from_row(row: &Row) -> Self {
        Self { id: row.get(0), email: row.get(1), name: row.get(2), registered_on: row.get(3), addresses: vec![] }
    }
}

impl FromRow for Address {
    fn from_row(row: &Row) -> Self {
        Self { id: row.get(0), street: row.get(1), city: row.get(2), postal_code: row.get(3), country: row.get(4) }
    }
}

impl FromRow for Order {
    fn from_row(row: &Row) -> Self {
        Self {
            id: row.get(0),
            user_id: row.get(1),
            placed_on: row.get(2),
            status: row.get(3),
            total_cents: row.get(4),
            ship_to: row.get(5),
            payment: Payment { amount_cents: row.get(6), card_ending: row.get(7), paid_on: row.get(8) },
            lines: None,
        }
    }
}

impl FromRow for ProductEvent {
    fn from_row(row: &Row) -> Self {
        Self { id: row.get(0), product_id: row.get(1), kind: row.get(2), price_cents: row.get(3), stock: row.get(4) }
    }
}

impl FromRow for i32 {
    fn from_row(row: &Row) -> Self {
        row.get(0)
    }
}
