//! Bodies of REST that GraphQL and gRPC do not have in this form; MCP has some of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::messages as pb;
use crate::types::{Order, Product, Review};

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    pub id: i32,
}

impl From<Number> for pb::Id {
    fn from(Number { id }: Number) -> Self {
        Self { id }
    }
}

#[derive(JsonSchema, Serialize)]
pub struct Products {
    pub products: Vec<Product>,
}

#[derive(Serialize)]
pub struct Reviews {
    pub reviews: Vec<Review>,
}

#[derive(JsonSchema, Serialize)]
pub struct Orders {
    pub orders: Vec<Order>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reserved {
    pub unit_prices_cents: Vec<i32>,
}

/// A review with its author, whose fields stand beside the others in JSON.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewReview {
    pub user_id: i32,
    pub rating: i32,
    pub headline: String,
    pub body: String,
}

impl From<pb::NewReview> for NewReview {
    fn from(it: pb::NewReview) -> Self {
        let pb::ReviewInput { rating, headline, body } = it.review.unwrap_or_default();
        Self { user_id: it.user_id, rating, headline, body }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShippingRequest {
    pub token: String,
    pub address_id: i32,
}

impl From<pb::ShippingRequest> for ShippingRequest {
    fn from(it: pb::ShippingRequest) -> Self {
        Self { token: it.token, address_id: it.address_id }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderStatus {
    pub status: String,
}

impl From<pb::UpdateOrderRequest> for OrderStatus {
    fn from(it: pb::UpdateOrderRequest) -> Self {
        Self { status: it.status }
    }
}
