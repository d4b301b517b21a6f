//! What the tools are asked, and answer, that no other protocol has in this form.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::types::{NewUser, Page, ProductInput, ReviewInput, UserInput};

const USUAL_LIMIT: i32 = 20;

fn usual_limit() -> i32 {
    USUAL_LIMIT
}

#[derive(JsonSchema, Serialize)]
pub struct Status {
    pub status: &'static str,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageOf {
    #[serde(default)]
    pub after: i32,
    #[serde(default = "usual_limit")]
    pub limit: i32,
}

impl From<PageOf> for Page {
    fn from(PageOf { after, limit }: PageOf) -> Self {
        Self { after, limit }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewProduct {
    pub product: ProductInput,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangedProduct {
    pub id: i32,
    pub product: ProductInput,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReviewOf {
    pub product_id: i32,
    pub user_id: i32,
    pub review: ReviewInput,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangedReview {
    pub id: i32,
    pub review: ReviewInput,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserWritten {
    pub user: NewUser,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangedUser {
    pub id: i32,
    pub user: UserInput,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangedOrder {
    pub id: i32,
    pub status: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OrdersOf {
    pub user_id: i32,
    #[serde(default = "usual_limit")]
    pub limit: i32,
    #[serde(default)]
    pub include_products: bool,
}
