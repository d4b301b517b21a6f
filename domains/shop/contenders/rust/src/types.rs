//! What the shop answers, and what a client writes: the same for every protocol.

use async_graphql::{InputObject, SimpleObject};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::checks::{card, country_code, distinct, mailbox, picture, text};

#[derive(Clone, Debug, JsonSchema, Serialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Product {
    pub id: i32,
    pub title: String,
    pub description: String,
    pub price_cents: i32,
    pub stock: i32,
    pub pictures: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[graphql(skip)]
    pub reviews: Option<Vec<Review>>,
}

#[derive(Clone, Debug, JsonSchema, Serialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    pub id: i32,
    pub product_id: i32,
    pub user_id: i32,
    pub rating: i32,
    pub headline: String,
    pub body: String,
    pub written_on: String,
}

#[derive(Clone, Debug, JsonSchema, Serialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct User {
    pub id: i32,
    pub email: String,
    pub name: String,
    pub registered_on: String,
    pub addresses: Vec<Address>,
}

#[derive(Clone, Debug, JsonSchema, Serialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    pub id: i32,
    pub street: String,
    pub city: String,
    pub postal_code: String,
    pub country: String,
}

#[derive(Clone, Debug, JsonSchema, Serialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    pub user_id: i32,
    pub name: String,
    pub token: String,
}

#[derive(Clone, Debug, Serialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
pub struct Shipping {
    pub user_id: i32,
    pub ship_to: String,
}

#[derive(Clone, Debug, JsonSchema, Serialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct Order {
    pub id: i32,
    pub user_id: i32,
    pub placed_on: String,
    pub status: String,
    pub total_cents: i32,
    pub ship_to: String,
    pub payment: Payment,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[graphql(skip)]
    pub lines: Option<Vec<OrderLine>>,
}

#[derive(Clone, Debug, JsonSchema, Serialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
pub struct Payment {
    pub amount_cents: i32,
    pub card_ending: String,
    pub paid_on: String,
}

#[derive(Clone, Debug, JsonSchema, Serialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
#[graphql(complex)]
pub struct OrderLine {
    pub product_id: i32,
    pub quantity: i32,
    pub unit_price_cents: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[graphql(skip)]
    pub product: Option<Product>,
}

#[derive(Clone, Debug, Serialize, SimpleObject)]
#[serde(rename_all = "camelCase")]
pub struct ProductEvent {
    pub id: i32,
    pub product_id: i32,
    pub kind: String,
    pub price_cents: i32,
    pub stock: i32,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Quote {
    pub product_id: i32,
    pub quantity: i32,
    pub unit_price_cents: i32,
    pub available: bool,
}

#[derive(Clone, Debug, Deserialize, InputObject, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProductInput {
    #[garde(custom(text(1, 200)))]
    pub title: String,
    #[garde(custom(text(1, 2000)))]
    pub description: String,
    #[garde(range(min = 1, max = 100_000_000))]
    pub price_cents: i32,
    #[garde(range(min = 0, max = 1_000_000))]
    pub stock: i32,
    #[garde(length(max = 10), inner(custom(picture)))]
    pub pictures: Vec<String>,
}

#[derive(Clone, Debug, Deserialize, InputObject, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReviewInput {
    #[garde(range(min = 1, max = 5))]
    pub rating: i32,
    #[garde(custom(text(1, 200)))]
    pub headline: String,
    #[garde(custom(text(1, 2000)))]
    pub body: String,
}

#[derive(Clone, Debug, Deserialize, InputObject, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddressInput {
    #[garde(custom(text(1, 200)))]
    pub street: String,
    #[garde(custom(text(1, 200)))]
    pub city: String,
    #[garde(custom(text(1, 20)))]
    pub postal_code: String,
    #[garde(custom(country_code))]
    pub country: String,
}

#[derive(Clone, Debug, Deserialize, InputObject, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewUser {
    #[garde(custom(mailbox))]
    pub email: String,
    #[garde(custom(text(1, 200)))]
    pub name: String,
    #[garde(custom(text(8, 100)))]
    pub password: String,
    #[garde(dive)]
    pub address: AddressInput,
}

#[derive(Clone, Debug, Deserialize, InputObject, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UserInput {
    #[garde(custom(mailbox))]
    pub email: String,
    #[garde(custom(text(1, 200)))]
    pub name: String,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Login {
    #[garde(skip)]
    pub user_id: i32,
    #[garde(custom(text(1, 100)))]
    pub password: String,
}

#[derive(Clone, Debug, Deserialize, InputObject, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WishInput {
    #[garde(skip)]
    pub product_id: i32,
    #[garde(range(min = 1, max = 1_000_000))]
    pub quantity: i32,
}

#[derive(Clone, Debug, Deserialize, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Wishes {
    #[garde(length(min = 1, max = 50), dive, custom(distinct))]
    pub lines: Vec<WishInput>,
}

#[derive(Clone, Debug, Deserialize, InputObject, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckoutInput {
    #[garde(skip)]
    pub token: String,
    #[garde(skip)]
    pub address_id: i32,
    #[garde(length(min = 1, max = 50), dive, custom(distinct))]
    pub lines: Vec<WishInput>,
    #[garde(custom(card))]
    pub card_number: String,
    #[garde(inner(length(chars, max = 100)))]
    pub idempotency_key: Option<String>,
}

#[derive(Clone, Debug, Validate)]
pub struct StockCount {
    #[garde(skip)]
    pub product_id: i32,
    #[garde(range(min = 0, max = 1_000_000))]
    pub stock: i32,
}

/// Which rows of many.
#[derive(Clone, Copy, Debug, Validate)]
pub struct Page {
    #[garde(range(min = 0))]
    pub after: i32,
    #[garde(range(min = 1, max = 100))]
    pub limit: i32,
}

/// Which events, until the stream ends.
#[derive(Clone, Copy, Debug, Validate)]
pub struct Watch {
    #[garde(range(min = 0))]
    pub after: i32,
    #[garde(range(min = 1, max = 1_000_000))]
    pub count: i32,
}
