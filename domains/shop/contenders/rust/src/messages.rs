//! The messages of shop.proto, and what they are made of and into.

#![allow(clippy::all, clippy::pedantic)]

tonic::include_proto!("shop.v1");

pub const DESCRIBED: &[u8] = include_bytes!("../shop.bin");

use crate::types;

impl From<types::Product> for Product {
    fn from(it: types::Product) -> Self {
        Self {
            id: it.id,
            title: it.title,
            description: it.description,
            price_cents: it.price_cents,
            stock: it.stock,
            pictures: it.pictures,
            reviews: made(it.reviews.unwrap_or_default()),
        }
    }
}

impl From<types::Product> for ProductSummary {
    fn from(it: types::Product) -> Self {
        let reviews = made(it.reviews.unwrap_or_default());
        Self { id: it.id, title: it.title, price_cents: it.price_cents, stock: it.stock, reviews }
    }
}

impl From<types::Review> for ReviewSummary {
    fn from(it: types::Review) -> Self {
        Self { rating: it.rating, headline: it.headline }
    }
}

impl From<Vec<types::Product>> for SummaryList {
    fn from(products: Vec<types::Product>) -> Self {
        Self { products: made(products) }
    }
}

impl From<types::Review> for Review {
    fn from(it: types::Review) -> Self {
        Self {
            id: it.id,
            product_id: it.product_id,
            user_id: it.user_id,
            rating: it.rating,
            headline: it.headline,
            body: it.body,
            written_on: it.written_on,
        }
    }
}

impl From<types::User> for User {
    fn from(it: types::User) -> Self {
        let addresses = made(it.addresses);
        Self { id: it.id, email: it.email, name: it.name, registered_on: it.registered_on, addresses }
    }
}

impl From<types::Address> for Address {
    fn from(it: types::Address) -> Self {
        Self { id: it.id, street: it.street, city: it.city, postal_code: it.postal_code, country: it.country }
    }
}

impl From<types::Session> for Session {
    fn from(it: types::Session) -> Self {
        Self { user_id: it.user_id, name: it.name, token: it.token }
    }
}

impl From<types::Shipping> for Shipping {
    fn from(it: types::Shipping) -> Self {
        Self { user_id: it.user_id, ship_to: it.ship_to }
    }
}

impl From<types::Order> for Order {
    fn from(it: types::Order) -> Self {
        let payment = Payment {
            amount_cents: it.payment.amount_cents,
            card_ending: it.payment.card_ending,
            paid_on: it.payment.paid_on,
        };
        Self {
            id: it.id,
            user_id: it.user_id,
            placed_on: it.placed_on,
            status: it.status,
            total_cents: it.total_cents,
            ship_to: it.ship_to,
            payment: Some(payment),
            lines: made(it.lines.unwrap_or_default()),
        }
    }
}

impl From<types::OrderLine> for OrderLine {
    fn from(it: types::OrderLine) -> Self {
        Self {
            product_id: it.product_id,
            quantity: it.quantity,
            unit_price_cents: it.unit_price_cents,
            product: it.product.map(Into::into),
        }
    }
}

impl From<types::ProductEvent> for ProductEvent {
    fn from(it: types::ProductEvent) -> Self {
        Self { id: it.id, product_id: it.product_id, kind: it.kind, price_cents: it.price_cents, stock: it.stock }
    }
}

impl From<types::Quote> for Quote {
    fn from(it: types::Quote) -> Self {
        Self {
            product_id: it.product_id,
            quantity: it.quantity,
            unit_price_cents: it.unit_price_cents,
            available: it.available,
        }
    }
}

impl From<Vec<types::Product>> for ProductList {
    fn from(products: Vec<types::Product>) -> Self {
        Self { products: made(products) }
    }
}

impl From<Vec<types::Order>> for OrderList {
    fn from(orders: Vec<types::Order>) -> Self {
        Self { orders: made(orders) }
    }
}

impl From<i32> for Id {
    fn from(id: i32) -> Self {
        Self { id }
    }
}

pub fn made<Message: From<Value>, Value>(values: Vec<Value>) -> Vec<Message> {
    values.into_iter().map(Into::into).collect()
}

impl From<ProductInput> for types::ProductInput {
    fn from(it: ProductInput) -> Self {
        let ProductInput { title, description, price_cents, stock, pictures } = it;
        Self { title, description, price_cents, stock, pictures }
    }
}

impl From<ReviewInput> for types::ReviewInput {
    fn from(it: ReviewInput) -> Self {
        Self { rating: it.rating, headline: it.headline, body: it.body }
    }
}

impl From<NewUser> for types::NewUser {
    fn from(it: NewUser) -> Self {
        let AddressInput { street, city, postal_code, country } = it.address.unwrap_or_default();
        let address = types::AddressInput { street, city, postal_code, country };
        Self { email: it.email, name: it.name, password: it.password, address }
    }
}

impl From<UserInput> for types::UserInput {
    fn from(it: UserInput) -> Self {
        Self { email: it.email, name: it.name }
    }
}

impl From<LoginRequest> for types::Login {
    fn from(it: LoginRequest) -> Self {
        Self { user_id: it.user_id, password: it.password }
    }
}

impl From<Wish> for types::WishInput {
    fn from(it: Wish) -> Self {
        Self { product_id: it.product_id, quantity: it.quantity }
    }
}

impl From<Reservation> for types::Wishes {
    fn from(it: Reservation) -> Self {
        Self { lines: made(it.lines) }
    }
}

impl From<CheckoutRequest> for types::CheckoutInput {
    fn from(it: CheckoutRequest) -> Self {
        Self {
            token: it.token,
            address_id: it.address_id,
            lines: made(it.lines),
            card_number: it.card_number,
            idempotency_key: Some(it.idempotency_key),
        }
    }
}

impl From<StockCount> for types::StockCount {
    fn from(it: StockCount) -> Self {
        Self { product_id: it.product_id, stock: it.stock }
    }
}
