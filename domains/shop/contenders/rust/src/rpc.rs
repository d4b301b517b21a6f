//! The shop as gRPC: tonic, which describes itself by reflection.

use std::pin::Pin;

use futures_util::{Stream, StreamExt, TryStreamExt};
use tonic::{Code, Request, Response, Status, Streaming, async_trait};

use crate::catalogue::Catalogue;
use crate::messages as pb;
use crate::orders::Orders;
use crate::refusal::{Kind, Refusal};
use crate::types::{Page, StockCount, Watch, WishInput};
use crate::users::Users;

pub use pb::catalogue_server::CatalogueServer;
pub use pb::control_server::ControlServer;
pub use pb::orders_server::OrdersServer;
pub use pb::users_server::UsersServer;

type Answer<Message> = Result<Response<Message>, Status>;
type Sent<Message> = Pin<Box<dyn Stream<Item = Result<Message, Status>> + Send>>;

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal.kind {
            Kind::NotFound => Code::NotFound,
            Kind::Invalid => Code::InvalidArgument,
            Kind::Unauthenticated => Code::Unauthenticated,
            Kind::OutOfStock | Kind::PaymentRefused => Code::FailedPrecondition,
            Kind::Unavailable => Code::Unavailable,
            Kind::TooLate => Code::DeadlineExceeded,
            Kind::Repeated | Kind::Internal => Code::Internal,
        };
        Self::new(code, refusal.detail)
    }
}

/// The message of an answer.
fn made<Value, Message: From<Value>>(value: Value) -> Answer<Message> {
    Ok(Response::new(value.into()))
}

/// A message within another, which may be missing.
fn within<Message: Default + Into<Value>, Value>(message: Option<Message>) -> Value {
    message.unwrap_or_default().into()
}

pub struct Control;

#[async_trait]
impl pb::control_server::Control for Control {
    async fn ping(&self, _: Request<pb::PingRequest>) -> Answer<pb::PingResponse> {
        Ok(Response::new(pb::PingResponse { status: "ok".into() }))
    }
}

#[async_trait]
impl pb::catalogue_server::Catalogue for Catalogue {
    async fn list_products(&self, asked: Request<pb::ListProductsRequest>) -> Answer<pb::ProductList> {
        let pb::ListProductsRequest { after, limit, include_reviews } = asked.into_inner();
        let products = self.list(Page { after, limit }).await?;
        made(if include_reviews { self.with_reviews(products).await? } else { products })
    }

    async fn list_summaries(&self, asked: Request<pb::ListSummariesRequest>) -> Answer<pb::SummaryList> {
        let pb::ListSummariesRequest { after, limit } = asked.into_inner();
        made(self.with_reviews(self.list(Page { after, limit }).await?).await?)
    }

    async fn read_product(&self, asked: Request<pb::ReadProductRequest>) -> Answer<pb::Product> {
        let pb::ReadProductRequest { id, include_reviews } = asked.into_inner();
        let mut products = vec![self.read(id).await?];
        if include_reviews {
            products = self.with_reviews(products).await?;
        }
        made(products.remove(0))
    }

    async fn create_product(&self, asked: Request<pb::CreateProductRequest>) -> Answer<pb::Product> {
        made(self.create(within(asked.into_inner().product)).await?)
    }

    async fn update_product(&self, asked: Request<pb::UpdateProductRequest>) -> Answer<pb::Product> {
        let pb::UpdateProductRequest { id, product } = asked.into_inner();
        made(self.update(id, within(product)).await?)
    }

    async fn delete_product(&self, asked: Request<pb::Id>) -> Answer<pb::Id> {
        made(self.delete(asked.into_inner().id).await?)
    }

    async fn create_review(&self, asked: Request<pb::NewReview>) -> Answer<pb::Review> {
        let pb::NewReview { product_id, user_id, review } = asked.into_inner();
        made(Catalogue::create_review(self, product_id, user_id, within(review)).await?)
    }

    async fn read_review(&self, asked: Request<pb::Id>) -> Answer<pb::Review> {
        made(Catalogue::read_review(self, asked.into_inner().id).await?)
    }

    async fn update_review(&self, asked: Request<pb::UpdateReviewRequest>) -> Answer<pb::Review> {
        let pb::UpdateReviewRequest { id, review } = asked.into_inner();
        made(Catalogue::update_review(self, id, within(review)).await?)
    }

    async fn delete_review(&self, asked: Request<pb::Id>) -> Answer<pb::Id> {
        made(Catalogue::delete_review(self, asked.into_inner().id).await?)
    }

    async fn products_by_id(&self, asked: Request<pb::Ids>) -> Answer<pb::ProductList> {
        made(self.by_id(&asked.into_inner().ids).await?)
    }

    async fn reserve(&self, asked: Request<pb::Reservation>) -> Answer<pb::Reserved> {
        let asked = asked.into_inner();
        let key = asked.key.clone();
        let unit_prices_cents = Catalogue::reserve(self, &key, asked.into()).await?;
        Ok(Response::new(pb::Reserved { unit_prices_cents }))
    }

    async fn release(&self, asked: Request<pb::ReleaseRequest>) -> Answer<pb::ReleaseResponse> {
        Catalogue::release(self, &asked.into_inner().key).await?;
        Ok(Response::new(pb::ReleaseResponse {}))
    }

    type WatchProductsStream = Sent<pb::ProductEvent>;

    async fn watch_products(&self, asked: Request<pb::WatchRequest>) -> Answer<Self::WatchProductsStream> {
        let pb::WatchRequest { after, count } = asked.into_inner();
        let events = self.watch(Watch { after, count })?;
        Ok(Response::new(Box::pin(events.map_ok(Into::into).map_err(Into::into))))
    }

    async fn count_stock(&self, asked: Request<Streaming<pb::StockCount>>) -> Answer<pb::StockSummary> {
        let counts: Vec<StockCount> = asked.into_inner().map_ok(Into::into).try_collect().await?;
        Ok(Response::new(pb::StockSummary { received: Catalogue::count_stock(self, &counts).await? }))
    }

    type QuoteWishesStream = Sent<pb::Quote>;

    async fn quote_wishes(&self, asked: Request<Streaming<pb::Wish>>) -> Answer<Self::QuoteWishesStream> {
        let catalogue = self.clone();
        let quotes = asked.into_inner().then(move |wish| {
            let catalogue = catalogue.clone();
            async move { Ok(catalogue.quote(WishInput::from(wish?)).await?.into()) }
        });
        Ok(Response::new(Box::pin(quotes)))
    }
}

#[async_trait]
impl pb::users_server::Users for Users {
    async fn login(&self, asked: Request<pb::LoginRequest>) -> Answer<pb::Session> {
        made(Users::login(self, asked.into_inner().into()).await?)
    }

    async fn read_user(&self, asked: Request<pb::Id>) -> Answer<pb::User> {
        made(self.read(asked.into_inner().id).await?)
    }

    async fn create_user(&self, asked: Request<pb::NewUser>) -> Answer<pb::User> {
        made(self.create(asked.into_inner().into()).await?)
    }

    async fn update_user(&self, asked: Request<pb::UpdateUserRequest>) -> Answer<pb::User> {
        let pb::UpdateUserRequest { id, user } = asked.into_inner();
        made(self.update(id, within(user)).await?)
    }

    async fn delete_user(&self, asked: Request<pb::Id>) -> Answer<pb::Id> {
        made(self.delete(asked.into_inner().id).await?)
    }

    async fn resolve_shipping(&self, asked: Request<pb::ShippingRequest>) -> Answer<pb::Shipping> {
        let pb::ShippingRequest { token, address_id } = asked.into_inner();
        made(self.shipping(&token, address_id).await?)
    }
}

#[async_trait]
impl pb::orders_server::Orders for Orders {
    async fn checkout(&self, asked: Request<pb::CheckoutRequest>) -> Answer<pb::Order> {
        made(Orders::checkout(self, asked.into_inner().into()).await?)
    }

    async fn read_order(&self, asked: Request<pb::Id>) -> Answer<pb::Order> {
        made(self.read(asked.into_inner().id).await?)
    }

    async fn update_order(&self, asked: Request<pb::UpdateOrderRequest>) -> Answer<pb::Order> {
        let pb::UpdateOrderRequest { id, status } = asked.into_inner();
        made(self.update(id, &status).await?)
    }

    async fn delete_order(&self, asked: Request<pb::Id>) -> Answer<pb::Id> {
        made(self.delete(asked.into_inner().id).await?)
    }

    async fn list_orders(&self, asked: Request<pb::ListOrdersRequest>) -> Answer<pb::OrderList> {
        let pb::ListOrdersRequest { user_id, limit, include_products } = asked.into_inner();
        made(self.list(user_id, limit, include_products).await?)
    }
}
