//! The rows of the tables. As CSV they are the rows of the store; as NDJSON they also have what a
//! client needs: a password, a token, the content of the basket.

use serde::Serialize;

use super::credentials::password_hash;
use crate::output::Row;
use crate::random::Random;

/// A user.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct User {
    pub id: u64,
    pub email: String,
    pub name: String,
    pub password: String,
    pub token: String,
    pub registered_on: String,
    #[serde(skip)]
    pub seed: u64,
    #[serde(skip)]
    pub password_cost: u32,
}

/// An address of a user.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Address {
    pub id: u64,
    pub user_id: u64,
    pub street: String,
    pub city: &'static str,
    pub postal_code: String,
    pub country: &'static str,
}

/// A product.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Product {
    pub id: u64,
    pub title: String,
    pub description: String,
    pub price_cents: u64,
    pub stock: u64,
    pub pictures: Vec<String>,
}

/// A review of a product by a user.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Review {
    pub id: u64,
    pub product_id: u64,
    pub user_id: u64,
    pub rating: u64,
    pub headline: String,
    pub body: String,
    pub written_on: String,
}

/// A product in a basket.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Wish {
    pub product_id: u64,
    pub quantity: u64,
}

/// An order of a user.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Order {
    pub id: u64,
    pub user_id: u64,
    pub placed_on: String,
    pub status: &'static str,
    pub total_cents: u64,
    pub ship_to: String,
    pub token: String,
    pub address_id: u64,
    pub basket: Vec<Wish>,
    pub card_number: String,
}

/// A line of an order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OrderLine {
    pub id: u64,
    pub order_id: u64,
    pub product_id: u64,
    pub quantity: u64,
    pub unit_price_cents: u64,
}

/// The payment of an order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Payment {
    pub id: u64,
    pub order_id: u64,
    pub amount_cents: u64,
    pub card_ending: String,
    pub paid_on: String,
}

/// A change of a product's price or stock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProductEvent {
    pub id: u64,
    pub product_id: u64,
    pub kind: &'static str,
    pub price_cents: u64,
    pub stock: u64,
}

impl Row for User {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        let random = &mut Random::for_row(self.seed, "salt", self.id);
        Ok(vec![
            self.id.to_string(),
            self.email.clone(),
            self.name.clone(),
            password_hash(random, &self.password, self.password_cost),
            self.registered_on.clone(),
        ])
    }
}

impl Row for Address {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.id.to_string(),
            self.user_id.to_string(),
            self.street.clone(),
            self.city.to_owned(),
            self.postal_code.clone(),
            self.country.to_owned(),
        ])
    }
}

impl Row for Product {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.id.to_string(),
            self.title.clone(),
            self.description.clone(),
            self.price_cents.to_string(),
            self.stock.to_string(),
            format!("{{{}}}", self.pictures.join(",")), // an array of PostgreSQL; no text requires quotes
        ])
    }
}

impl Row for Review {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.id.to_string(),
            self.product_id.to_string(),
            self.user_id.to_string(),
            self.rating.to_string(),
            self.headline.clone(),
            self.body.clone(),
            self.written_on.clone(),
        ])
    }
}

impl Row for Order {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.id.to_string(),
            self.user_id.to_string(),
            self.placed_on.clone(),
            self.status.to_owned(),
            self.total_cents.to_string(),
            self.ship_to.clone(),
        ])
    }
}

impl Row for OrderLine {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.id.to_string(),
            self.order_id.to_string(),
            self.product_id.to_string(),
            self.quantity.to_string(),
            self.unit_price_cents.to_string(),
        ])
    }
}

impl Row for Payment {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.id.to_string(),
            self.order_id.to_string(),
            self.amount_cents.to_string(),
            self.card_ending.clone(),
            self.paid_on.clone(),
        ])
    }
}

impl Row for ProductEvent {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.id.to_string(),
            self.product_id.to_string(),
            self.kind.to_owned(),
            self.price_cents.to_string(),
            self.stock.to_string(),
        ])
    }
}
