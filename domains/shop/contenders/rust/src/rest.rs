//! The shop as REST: axum, errors as application/problem+json (RFC 9457).

use std::collections::HashMap;

use axum::Router;
use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::{delete, get, post, put};

use crate::messages as pb;
use crate::refusal::{Kind, Refusal, Result};
use crate::rest_body::{Accepts, Problem, Served, body};
use crate::rest_forms::{NewReview, Number, OrderStatus, Orders, Products, Reserved, Reviews, ShippingRequest};
use crate::rest_streams::{converse, watch_products};
use crate::shop::Shop;
use crate::types::{CheckoutInput, Login, NewUser, Page, Product, ProductInput, ReviewInput, UserInput, Wishes};

const OK: StatusCode = StatusCode::OK;
const CREATED: StatusCode = StatusCode::CREATED;
const INTERFACE: &str = "../../openapi.yaml";

type Asked = Query<HashMap<String, String>>;

pub fn router(shop: Shop) -> std::io::Result<Router> {
    let interface = std::fs::read_to_string(INTERFACE)?;
    Ok(Router::new()
        .route("/ping", get(ping))
        .route("/openapi.yaml", get(|| async { ([(CONTENT_TYPE, "application/yaml")], interface).into_response() }))
        .route("/products", get(list_products).post(create_product))
        .route("/products/{id}", get(read_product).put(update_product).delete(delete_product))
        .route("/products/{id}/reviews", get(read_reviews).post(create_review))
        .route("/reviews/{id}", get(read_review).put(update_review).delete(delete_review))
        .route("/reservations/{key}", put(reserve).delete(release))
        .route("/product-events", get(watch_products))
        .route("/stream", get(converse))
        .route("/sessions", post(login))
        .route("/users", post(create_user))
        .route("/users/{id}", get(read_user).put(update_user).delete(delete_user))
        .route("/users/{id}/orders", get(list_orders))
        .route("/shipping", post(resolve_shipping))
        .route("/orders", post(checkout))
        .route("/orders/{id}", get(read_order).patch(update_order))
        .route("/orders/{id}", delete(delete_order))
        .fallback(|request: Request| async move {
            Problem::from(Refusal::new(Kind::NotFound, format!("there is nothing at {}", request.uri().path())))
        })
        .with_state(shop))
}

/// As digits: what is a number to Rust, such as +1, is none in a URL.
fn integer(name: &str, text: &str) -> Result<i32> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let number = if digits.bytes().all(|it| it.is_ascii_digit()) { text.parse().ok() } else { None };
    number.ok_or_else(|| Refusal::new(Kind::Invalid, format!("{name} must be an integer")))
}

pub fn parameter(asked: &HashMap<String, String>, name: &str, default: i32) -> Result<i32> {
    asked.get(name).map_or(Ok(default), |text| integer(name, text))
}

fn page(asked: &HashMap<String, String>) -> Result<Page> {
    Ok(Page { after: parameter(asked, "after", 0)?, limit: parameter(asked, "limit", 20)? })
}

fn includes(asked: &HashMap<String, String>, what: &str) -> bool {
    asked.get("include").is_some_and(|given| given == what)
}

async fn ping(accepts: Accepts) -> Served {
    accepts.reply_as(OK, serde_json::json!({"status": "ok"}), |_| pb::PingResponse { status: "ok".into() })
}

fn products(accepts: &Accepts, products: Vec<Product>) -> Served {
    accepts.reply_as(OK, Products { products }, |it| pb::ProductList::from(it.products))
}

async fn list_products(State(shop): State<Shop>, accepts: Accepts, Query(asked): Asked) -> Served {
    let mut found = match asked.get("ids") {
        Some(ids) => {
            let ids = ids.split(',').map(|id| integer("ids", id)).collect::<Result<Vec<i32>>>()?;
            shop.catalogue.by_id(&ids).await?
        }
        None => shop.catalogue.list(page(&asked)?).await?,
    };
    if includes(&asked, "reviews") {
        found = shop.catalogue.with_reviews(found).await?;
    }
    products(&accepts, found)
}

async fn create_product(State(shop): State<Shop>, accepts: Accepts, request: Request) -> Served {
    let input = body::<ProductInput, pb::ProductInput>(request).await?;
    accepts.reply::<pb::Product, _>(CREATED, shop.catalogue.create(input).await?)
}

async fn read_product(
    State(shop): State<Shop>,
    accepts: Accepts,
    Path(id): Path<String>,
    Query(asked): Asked,
) -> Served {
    let mut found = vec![shop.catalogue.read(integer("id", &id)?).await?];
    if includes(&asked, "reviews") {
        found = shop.catalogue.with_reviews(found).await?;
    }
    accepts.reply::<pb::Product, _>(OK, found.remove(0))
}

async fn update_product(
    State(shop): State<Shop>,
    accepts: Accepts,
    Path(id): Path<String>,
    request: Request,
) -> Served {
    let input = body::<ProductInput, pb::ProductInput>(request).await?;
    accepts.reply::<pb::Product, _>(OK, shop.catalogue.update(integer("id", &id)?, input).await?)
}

async fn delete_product(State(shop): State<Shop>, accepts: Accepts, Path(id): Path<String>) -> Served {
    accepts.reply::<pb::Id, _>(OK, Number { id: shop.catalogue.delete(integer("id", &id)?).await? })
}

async fn read_reviews(
    State(shop): State<Shop>,
    accepts: Accepts,
    Path(id): Path<String>,
    Query(asked): Asked,
) -> Served {
    let limit = page(&asked)?.limit;
    let product = shop.catalogue.read(integer("id", &id)?).await?;
    let reviews =
        shop.catalogue.reviews_of(&[product.id], limit).await?.into_iter().map(|(_, review)| review).collect();
    accepts.reply_as(OK, Reviews { reviews }, |it| pb::Product { reviews: pb::made(it.reviews), ..Default::default() })
}

async fn create_review(State(shop): State<Shop>, accepts: Accepts, Path(id): Path<String>, request: Request) -> Served {
    let NewReview { user_id, rating, headline, body } = body::<NewReview, pb::NewReview>(request).await?;
    let input = ReviewInput { rating, headline, body };
    accepts.reply::<pb::Review, _>(CREATED, shop.catalogue.create_review(integer("id", &id)?, user_id, input).await?)
}

async fn read_review(State(shop): State<Shop>, accepts: Accepts, Path(id): Path<String>) -> Served {
    accepts.reply::<pb::Review, _>(OK, shop.catalogue.read_review(integer("id", &id)?).await?)
}

async fn update_review(State(shop): State<Shop>, accepts: Accepts, Path(id): Path<String>, request: Request) -> Served {
    let input = body::<ReviewInput, pb::ReviewInput>(request).await?;
    accepts.reply::<pb::Review, _>(OK, shop.catalogue.update_review(integer("id", &id)?, input).await?)
}

async fn delete_review(State(shop): State<Shop>, accepts: Accepts, Path(id): Path<String>) -> Served {
    accepts.reply::<pb::Id, _>(OK, Number { id: shop.catalogue.delete_review(integer("id", &id)?).await? })
}

async fn reserve(State(shop): State<Shop>, accepts: Accepts, Path(key): Path<String>, request: Request) -> Served {
    let wishes = body::<Wishes, pb::Reservation>(request).await?;
    let unit_prices_cents = shop.catalogue.reserve(&key, wishes).await?;
    accepts.reply_as(OK, Reserved { unit_prices_cents }, |it| pb::Reserved { unit_prices_cents: it.unit_prices_cents })
}

async fn release(State(shop): State<Shop>, accepts: Accepts, Path(key): Path<String>) -> Served {
    shop.catalogue.release(&key).await?;
    accepts.reply_as(OK, serde_json::json!({}), |_| pb::ReleaseResponse {})
}

async fn login(State(shop): State<Shop>, accepts: Accepts, request: Request) -> Served {
    let login = body::<Login, pb::LoginRequest>(request).await?;
    accepts.reply::<pb::Session, _>(OK, shop.users.login(login).await?)
}

async fn create_user(State(shop): State<Shop>, accepts: Accepts, request: Request) -> Served {
    let input = body::<NewUser, pb::NewUser>(request).await?;
    accepts.reply::<pb::User, _>(CREATED, shop.users.create(input).await?)
}

async fn read_user(State(shop): State<Shop>, accepts: Accepts, Path(id): Path<String>) -> Served {
    accepts.reply::<pb::User, _>(OK, shop.users.read(integer("id", &id)?).await?)
}

async fn update_user(State(shop): State<Shop>, accepts: Accepts, Path(id): Path<String>, request: Request) -> Served {
    let input = body::<UserInput, pb::UserInput>(request).await?;
    accepts.reply::<pb::User, _>(OK, shop.users.update(integer("id", &id)?, input).await?)
}

async fn delete_user(State(shop): State<Shop>, accepts: Accepts, Path(id): Path<String>) -> Served {
    accepts.reply::<pb::Id, _>(OK, Number { id: shop.users.delete(integer("id", &id)?).await? })
}

async fn resolve_shipping(State(shop): State<Shop>, accepts: Accepts, request: Request) -> Served {
    let ShippingRequest { token, address_id } = body::<ShippingRequest, pb::ShippingRequest>(request).await?;
    accepts.reply::<pb::Shipping, _>(OK, shop.users.shipping(&token, address_id).await?)
}

async fn list_orders(
    State(shop): State<Shop>,
    accepts: Accepts,
    Path(id): Path<String>,
    Query(asked): Asked,
) -> Served {
    let limit = page(&asked)?.limit;
    let orders = shop.orders.list(integer("id", &id)?, limit, includes(&asked, "products")).await?;
    accepts.reply_as(OK, Orders { orders }, |it| pb::OrderList::from(it.orders))
}

async fn checkout(State(shop): State<Shop>, accepts: Accepts, request: Request) -> Served {
    let input = body::<CheckoutInput, pb::CheckoutRequest>(request).await?;
    accepts.reply::<pb::Order, _>(CREATED, shop.orders.checkout(input).await?)
}

async fn read_order(State(shop): State<Shop>, accepts: Accepts, Path(id): Path<String>) -> Served {
    accepts.reply::<pb::Order, _>(OK, shop.orders.read(integer("id", &id)?).await?)
}

async fn update_order(State(shop): State<Shop>, accepts: Accepts, Path(id): Path<String>, request: Request) -> Served {
    let OrderStatus { status } = body::<OrderStatus, pb::UpdateOrderRequest>(request).await?;
    accepts.reply::<pb::Order, _>(OK, shop.orders.update(integer("id", &id)?, &status).await?)
}

async fn delete_order(State(shop): State<Shop>, accepts: Accepts, Path(id): Path<String>) -> Served {
    accepts.reply::<pb::Id, _>(OK, Number { id: shop.orders.delete(integer("id", &id)?).await? })
}
