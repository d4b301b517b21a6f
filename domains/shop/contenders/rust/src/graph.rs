//! The shop's schema.

use async_graphql::{ComplexObject, Context, Error, ErrorExtensions, Object, Result, Subscription};
use futures_util::{Stream, TryStreamExt};

use crate::graph_loaders::{LinesOf, Loaders, OrdersOf, ProductAt, ReviewsOf};
use crate::refusal::{Kind, Refusal};
use crate::shop::Shop;
use crate::types::{
    CheckoutInput, Login, NewUser, Order, OrderLine, Page, Product, ProductEvent, ProductInput, Review, ReviewInput,
    Session, Shipping, User, UserInput, Watch, WishInput, Wishes,
};

impl From<Refusal> for Error {
    fn from(Refusal { kind, detail }: Refusal) -> Self {
        let code = match kind {
            Kind::NotFound => "NOT_FOUND",
            Kind::Invalid => "BAD_USER_INPUT",
            Kind::Unauthenticated => "UNAUTHENTICATED",
            Kind::OutOfStock | Kind::PaymentRefused => "CONFLICT",
            Kind::Unavailable => "SERVICE_UNAVAILABLE",
            Kind::TooLate => "DEADLINE_EXCEEDED",
            Kind::Repeated | Kind::Internal => "INTERNAL_SERVER_ERROR",
        };
        Self::new(detail).extend_with(|_, extensions| {
            extensions.set("code", code);
            extensions.set("reason", kind.name());
        })
    }
}

fn shop<'a>(context: &'a Context<'_>) -> &'a Shop {
    context.data_unchecked()
}

fn loaders<'a>(context: &'a Context<'_>) -> &'a Loaders {
    context.data_unchecked()
}

/// What a loader gives for a key that it knows.
fn some<Value>(found: std::result::Result<Option<Vec<Value>>, Refusal>) -> Result<Vec<Value>> {
    Ok(found?.unwrap_or_default())
}

#[ComplexObject]
impl Product {
    async fn reviews(&self, context: &Context<'_>, #[graphql(default = 5)] first: i32) -> Result<Vec<Review>> {
        some(loaders(context).load_one(ReviewsOf(self.id, first)).await)
    }
}

#[ComplexObject]
impl User {
    async fn orders(&self, context: &Context<'_>, #[graphql(default = 20)] first: i32) -> Result<Vec<Order>> {
        some(loaders(context).load_one(OrdersOf(self.id, first)).await)
    }
}

#[ComplexObject]
impl Order {
    async fn lines(&self, context: &Context<'_>) -> Result<Vec<OrderLine>> {
        match &self.lines {
            Some(lines) => Ok(lines.clone()), // of a checkout
            None => some(loaders(context).load_one(LinesOf(self.id)).await),
        }
    }
}

#[ComplexObject]
impl OrderLine {
    async fn product(&self, context: &Context<'_>) -> Result<Option<Product>> {
        Ok(loaders(context).load_one(ProductAt(self.product_id)).await?)
    }
}

/// A value that is null where there is an error.
fn optional<Value>(found: std::result::Result<Value, Refusal>) -> Result<Option<Value>> {
    Ok(Some(found?))
}

pub struct Query;

#[Object]
impl Query {
    async fn ping(&self) -> &str {
        "ok"
    }

    async fn products(
        &self,
        context: &Context<'_>,
        #[graphql(default = 0)] after: i32,
        #[graphql(default = 20)] first: i32,
    ) -> Result<Vec<Product>> {
        Ok(shop(context).catalogue.list(Page { after, limit: first }).await?)
    }

    async fn products_by_id(&self, context: &Context<'_>, ids: Vec<i32>) -> Result<Vec<Product>> {
        Ok(shop(context).catalogue.by_id(&ids).await?)
    }

    async fn product(&self, context: &Context<'_>, id: i32) -> Result<Option<Product>> {
        optional(shop(context).catalogue.read(id).await)
    }

    async fn review(&self, context: &Context<'_>, id: i32) -> Result<Option<Review>> {
        optional(shop(context).catalogue.read_review(id).await)
    }

    async fn user(&self, context: &Context<'_>, id: i32) -> Result<Option<User>> {
        optional(shop(context).users.read(id).await)
    }

    async fn order(&self, context: &Context<'_>, id: i32) -> Result<Option<Order>> {
        optional(shop(context).orders.head(id).await)
    }

    async fn shipping(&self, context: &Context<'_>, token: String, address_id: i32) -> Result<Option<Shipping>> {
        optional(shop(context).users.shipping(&token, address_id).await)
    }
}

pub struct Mutation;

#[Object]
impl Mutation {
    async fn create_product(&self, context: &Context<'_>, product: ProductInput) -> Result<Option<Product>> {
        optional(shop(context).catalogue.create(product).await)
    }

    async fn update_product(&self, context: &Context<'_>, id: i32, product: ProductInput) -> Result<Option<Product>> {
        optional(shop(context).catalogue.update(id, product).await)
    }

    async fn delete_product(&self, context: &Context<'_>, id: i32) -> Result<Option<i32>> {
        optional(shop(context).catalogue.delete(id).await)
    }

    async fn create_review(
        &self,
        context: &Context<'_>,
        product_id: i32,
        user_id: i32,
        review: ReviewInput,
    ) -> Result<Option<Review>> {
        optional(shop(context).catalogue.create_review(product_id, user_id, review).await)
    }

    async fn update_review(&self, context: &Context<'_>, id: i32, review: ReviewInput) -> Result<Option<Review>> {
        optional(shop(context).catalogue.update_review(id, review).await)
    }

    async fn delete_review(&self, context: &Context<'_>, id: i32) -> Result<Option<i32>> {
        optional(shop(context).catalogue.delete_review(id).await)
    }

    async fn login(&self, context: &Context<'_>, user_id: i32, password: String) -> Result<Option<Session>> {
        optional(shop(context).users.login(Login { user_id, password }).await)
    }

    async fn create_user(&self, context: &Context<'_>, user: NewUser) -> Result<Option<User>> {
        optional(shop(context).users.create(user).await)
    }

    async fn update_user(&self, context: &Context<'_>, id: i32, user: UserInput) -> Result<Option<User>> {
        optional(shop(context).users.update(id, user).await)
    }

    async fn delete_user(&self, context: &Context<'_>, id: i32) -> Result<Option<i32>> {
        optional(shop(context).users.delete(id).await)
    }

    async fn checkout(&self, context: &Context<'_>, checkout: CheckoutInput) -> Result<Option<Order>> {
        optional(shop(context).orders.checkout(checkout).await)
    }

    async fn update_order(&self, context: &Context<'_>, id: i32, status: String) -> Result<Option<Order>> {
        optional(shop(context).orders.update(id, &status).await)
    }

    async fn delete_order(&self, context: &Context<'_>, id: i32) -> Result<Option<i32>> {
        optional(shop(context).orders.delete(id).await)
    }

    async fn reserve(&self, context: &Context<'_>, key: String, lines: Vec<WishInput>) -> Result<Option<Vec<i32>>> {
        optional(shop(context).catalogue.reserve(&key, Wishes { lines }).await)
    }

    async fn release(&self, context: &Context<'_>, key: String) -> Result<Option<bool>> {
        optional(shop(context).catalogue.release(&key).await.map(|()| true))
    }
}

pub struct Events;

#[Subscription(name = "Subscription")]
impl Events {
    async fn product_events(
        &self,
        context: &Context<'_>,
        #[graphql(default = 0)] after: i32,
        count: i32,
    ) -> Result<impl Stream<Item = Result<ProductEvent>> + use<>> {
        Ok(shop(context).catalogue.watch(Watch { after, count })?.map_err(Error::from))
    }
}
