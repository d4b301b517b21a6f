//! The shop over MCP: the official SDK (rmcp) on axum, one tool for each operation.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler, tool, tool_handler, tool_router};

use crate::refusal::{Kind, Refusal};
use crate::rest_body::LARGEST_BODY;
use crate::rest_forms::{Number, Orders, Products};
use crate::shop::Shop;
use crate::tool_forms::{
    ChangedOrder, ChangedProduct, ChangedReview, ChangedUser, NewProduct, OrdersOf, PageOf, ReviewOf, Status, UserWritten,
};
use crate::types::{CheckoutInput, Login, Order, Product, Review, Session, User};

const IDLE: Duration = Duration::from_secs(30 * 60);

/// Serves the tools at /mcp: the current revision without sessions, earlier ones in sessions, which
/// the SDK always answers by a stream of events.
pub fn router(shop: Shop, streamed: bool) -> Router {
    let tools = Tools { shop, router: Arc::new(Tools::tool_router()) };
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(IDLE);
    let config = StreamableHttpServerConfig::default()
        .with_json_response(!streamed)
        .with_max_request_body_bytes(LARGEST_BODY)
        .disable_allowed_hosts(); // whoever starts a server chooses its name: the laboratory, or a container
    let service = StreamableHttpService::new(move || Ok(tools.clone()), Arc::new(sessions), config);
    Router::new().nest_service("/mcp", service)
}

impl IntoCallToolResult for Refusal {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        let kind = match self.kind {
            Kind::OutOfStock | Kind::PaymentRefused => "conflict",
            other => other.name(),
        };
        Ok(CallToolResult::error(vec![ContentBlock::text(format!("{kind}: {}", self.detail))]).into())
    }
}

#[derive(Clone)]
struct Tools {
    shop: Shop,
    router: Arc<ToolRouter<Self>>,
}

#[tool_handler(router = self.router, name = "shop", version = "1")]
impl ServerHandler for Tools {}

#[tool_router]
impl Tools {
    /// Say that the server is there
    #[tool(annotations(read_only_hint = true))]
    async fn ping(&self) -> Json<Status> {
        Json(Status { status: "ok" })
    }

    /// List the products after an id, with their newest reviews
    #[tool(annotations(read_only_hint = true))]
    async fn list_products(&self, Parameters(page): Parameters<PageOf>) -> Result<Json<Products>, Refusal> {
        let catalogue = &self.shop.catalogue;
        let products = catalogue.with_reviews(catalogue.list(page.into()).await?).await?;
        Ok(Json(Products { products }))
    }

    /// Read a product with its newest reviews
    #[tool(annotations(read_only_hint = true))]
    async fn read_product(&self, Parameters(asked): Parameters<Number>) -> Result<Json<Product>, Refusal> {
        let catalogue = &self.shop.catalogue;
        let mut found = catalogue.with_reviews(vec![catalogue.read(asked.id).await?]).await?;
        Ok(Json(found.remove(0)))
    }

    /// Add a product
    #[tool(annotations(read_only_hint = false))]
    async fn create_product(&self, Parameters(asked): Parameters<NewProduct>) -> Result<Json<Product>, Refusal> {
        Ok(Json(self.shop.catalogue.create(asked.product).await?))
    }

    /// Replace every field of a product
    #[tool(annotations(read_only_hint = false))]
    async fn update_product(&self, Parameters(asked): Parameters<ChangedProduct>) -> Result<Json<Product>, Refusal> {
        Ok(Json(self.shop.catalogue.update(asked.id, asked.product).await?))
    }

    /// Remove a product and its reviews
    #[tool(annotations(read_only_hint = false))]
    async fn delete_product(&self, Parameters(asked): Parameters<Number>) -> Result<Json<Number>, Refusal> {
        Ok(Json(Number { id: self.shop.catalogue.delete(asked.id).await? }))
    }

    /// Add a review of a product by a user
    #[tool(annotations(read_only_hint = false))]
    async fn create_review(&self, Parameters(asked): Parameters<ReviewOf>) -> Result<Json<Review>, Refusal> {
        Ok(Json(self.shop.catalogue.create_review(asked.product_id, asked.user_id, asked.review).await?))
    }

    /// Read a review
    #[tool(annotations(read_only_hint = true))]
    async fn read_review(&self, Parameters(asked): Parameters<Number>) -> Result<Json<Review>, Refusal> {
        Ok(Json(self.shop.catalogue.read_review(asked.id).await?))
    }

    /// Change the rating, the headline and the text of a review
    #[tool(annotations(read_only_hint = false))]
    async fn update_review(&self, Parameters(asked): Parameters<ChangedReview>) -> Result<Json<Review>, Refusal> {
        Ok(Json(self.shop.catalogue.update_review(asked.id, asked.review).await?))
    }

    /// Remove a review
    #[tool(annotations(read_only_hint = false))]
    async fn delete_review(&self, Parameters(asked): Parameters<Number>) -> Result<Json<Number>, Refusal> {
        Ok(Json(Number { id: self.shop.catalogue.delete_review(asked.id).await? }))
    }

    /// Check a password; the token is for checkouts
    #[tool(annotations(read_only_hint = true))]
    async fn login(&self, Parameters(asked): Parameters<Login>) -> Result<Json<Session>, Refusal> {
        Ok(Json(self.shop.users.login(asked).await?))
    }

    /// Read a user with all addresses
    #[tool(annotations(read_only_hint = true))]
    async fn read_user(&self, Parameters(asked): Parameters<Number>) -> Result<Json<User>, Refusal> {
        Ok(Json(self.shop.users.read(asked.id).await?))
    }

    /// Add a user with one address
    #[tool(annotations(read_only_hint = false))]
    async fn create_user(&self, Parameters(asked): Parameters<UserWritten>) -> Result<Json<User>, Refusal> {
        Ok(Json(self.shop.users.create(asked.user).await?))
    }

    /// Change the email address and the name of a user
    #[tool(annotations(read_only_hint = false))]
    async fn update_user(&self, Parameters(asked): Parameters<ChangedUser>) -> Result<Json<User>, Refusal> {
        Ok(Json(self.shop.users.update(asked.id, asked.user).await?))
    }

    /// Remove a user and the addresses
    #[tool(annotations(read_only_hint = false))]
    async fn delete_user(&self, Parameters(asked): Parameters<Number>) -> Result<Json<Number>, Refusal> {
        Ok(Json(Number { id: self.shop.users.delete(asked.id).await? }))
    }

    /// Order products: reserve the stock, take the payment, write the order, or nothing
    #[tool(annotations(read_only_hint = false))]
    async fn checkout(&self, Parameters(asked): Parameters<CheckoutInput>) -> Result<Json<Order>, Refusal> {
        Ok(Json(self.shop.orders.checkout(asked).await?))
    }

    /// Read an order with its lines and payment
    #[tool(annotations(read_only_hint = true))]
    async fn read_order(&self, Parameters(asked): Parameters<Number>) -> Result<Json<Order>, Refusal> {
        Ok(Json(self.shop.orders.read(asked.id).await?))
    }

    /// Say what has become of an order
    #[tool(annotations(read_only_hint = false))]
    async fn update_order(&self, Parameters(asked): Parameters<ChangedOrder>) -> Result<Json<Order>, Refusal> {
        Ok(Json(self.shop.orders.update(asked.id, &asked.status).await?))
    }

    /// Remove an order, its lines and its payment
    #[tool(annotations(read_only_hint = false))]
    async fn delete_order(&self, Parameters(asked): Parameters<Number>) -> Result<Json<Number>, Refusal> {
        Ok(Json(Number { id: self.shop.orders.delete(asked.id).await? }))
    }

    /// List the newest orders of a user, if wanted with their products
    #[tool(annotations(read_only_hint = true))]
    async fn list_orders(&self, Parameters(asked): Parameters<OrdersOf>) -> Result<Json<Orders>, Refusal> {
        let orders = self.shop.orders.list(asked.user_id, asked.limit, asked.include_products).await?;
        Ok(Json(Orders { orders }))
    }
}
