//! A shop: users with addresses, products with reviews, orders with lines and payments, and events
//! of products.
//!
//! A shop of N has N users, products, orders, payments and events, and three reviews per product. A
//! row refers to older rows only, so that a shop of N is the beginning of every larger one.

mod credentials;
mod records;
mod rows;
mod skew;
mod words;

use std::ops::Range;

use clap::Args;

use crate::error::Error;
use crate::output::Folder;
use crate::window::Window;
use rows::Shop;

const REVIEWS_PER_PRODUCT: u64 = 3;

/// Users, addresses, products, reviews, orders, their lines, payments, and events; --count and
/// --skip count users, products and orders, with the rows that belong to them
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    window: Window,

    /// Seed of the data: another seed gives another shop
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Iterations of PBKDF2-HMAC-SHA256 per password
    #[arg(long, value_name = "ITERATIONS", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(1..))]
    password_cost: u32,

    #[command(flatten)]
    folder: Folder,
}

/// Writes the eight tables.
pub fn write(arguments: &Arguments) -> Result<(), Error> {
    let folder = &arguments.folder;
    let parts = folder.parts(8);
    let numbers = |table| parts.rows(table, arguments.window.numbers());
    let shop = Shop {
        seed: arguments.seed,
        password_cost: arguments.password_cost,
    };
    folder.write("user", numbers("user").map(|row| shop.user(row)))?;
    let users = numbers("address");
    folder.write("address", users.flat_map(|row| shop.addresses(row)))?;
    folder.write("product", numbers("product").map(|row| shop.product(row)))?;
    let reviews = numbers("review").flat_map(reviews_with);
    folder.write("review", reviews.map(|row| shop.review(row)))?;
    folder.write("order", numbers("order").map(|row| shop.order(row)))?;
    let orders = numbers("order_line");
    folder.write("order_line", orders.flat_map(|row| shop.lines(row)))?;
    folder.write("payment", numbers("payment").map(|row| shop.payment(row)))?;
    let events = numbers("product_event");
    folder.write("product_event", events.map(|row| shop.event(row)))
}

/// The numbers of the reviews that are written with a product.
fn reviews_with(product: u64) -> Range<u64> {
    let first = (product - 1) * REVIEWS_PER_PRODUCT + 1;
    first..first + REVIEWS_PER_PRODUCT
}

/// The size of the shop when a review was written.
fn size_at_review(review: u64) -> u64 {
    review.div_ceil(REVIEWS_PER_PRODUCT)
}
