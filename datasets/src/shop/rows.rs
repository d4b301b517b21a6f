//! Generates the rows of a shop by their numbers.

use time::macros::date;
use time::{Date, Duration};

use super::credentials::token;
use super::records::{
    Address, Order, OrderLine, Payment, Product, ProductEvent, Review, User, Wish,
};
use super::size_at_review;
use super::skew::{buyer, known_to, zipf};
use super::words::{CITIES, STATUSES, lexicon};
use crate::random::Random;
use crate::text::{fill, sentence};

const OPENED: Date = date!(2024 - 01 - 01);
const ORDERS_PER_DAY: u64 = 200;
const MOST_LINES: u64 = 8;
const MOST_ADDRESSES: u64 = 3;

/// The shop of a seed.
pub struct Shop {
    pub seed: u64,
    pub password_cost: u32,
}

impl Shop {
    /// The user in a row.
    pub fn user(&self, row: u64) -> User {
        let random = &mut self.random("user", row);
        User {
            id: row,
            name: fill(random, lexicon, "{given} {family}"),
            email: format!("user{row}@mail.example"),
            password: fill(random, lexicon, "{secret}-{digit}{digit}{digit}{digit}"),
            token: token(row),
            registered_on: day(row),
            seed: self.seed,
            password_cost: self.password_cost,
        }
    }

    /// The addresses of a user.
    pub fn addresses(&self, user: u64) -> Vec<Address> {
        let count = self.random("addresses", user).between(1, MOST_ADDRESSES);
        let first = user * MOST_ADDRESSES + 1 - MOST_ADDRESSES;
        (first..first + count)
            .map(|id| {
                let random = &mut self.random("address", id);
                let place = &CITIES[random.below(CITIES.len() as u64) as usize];
                Address {
                    id,
                    user_id: user,
                    street: fill(random, lexicon, "{street} {digit}{digit}"),
                    city: place.name,
                    postal_code: format!("{:05}", random.between(1000, 99_999)),
                    country: place.country,
                }
            })
            .collect()
    }

    /// The product in a row.
    pub fn product(&self, row: u64) -> Product {
        let random = &mut self.random("product", row);
        let pictures = random.between(1, 4);
        Product {
            id: row,
            title: sentence(random, lexicon, "{quality} {thing} {line}"),
            description: (0..random.between(2, 4))
                .map(|_| sentence(random, lexicon, "{praise}."))
                .collect::<Vec<_>>()
                .join(" "),
            price_cents: self.price_cents(row),
            // Enough that no run of a study exhausts the stock.
            stock: random.between(100_000, 500_000),
            pictures: (1..=pictures)
                .map(|number| format!("https://pictures.example/{row}/{number}.webp"))
                .collect(),
        }
    }

    /// The review in a row.
    pub fn review(&self, row: u64) -> Review {
        let random = &mut self.random("review", row);
        let size = size_at_review(row);
        let known = known_to(size);
        // Half of them are for popular products; the others give every product some.
        let product_id = if random.chance(50) {
            zipf(random, known)
        } else {
            random.between(1, known)
        };
        Review {
            id: row,
            product_id,
            user_id: random.between(1, known),
            rating: 5 - random.below(5).min(random.below(5)),
            headline: sentence(random, lexicon, "{verdict}"),
            body: (0..random.between(1, 3))
                .map(|_| sentence(random, lexicon, "{remark}."))
                .collect::<Vec<_>>()
                .join(" "),
            written_on: day(size),
        }
    }

    /// The order in a row.
    pub fn order(&self, row: u64) -> Order {
        let random = &mut self.random("order", row);
        let user = buyer(random, known_to(row));
        let addresses = self.addresses(user);
        let address = &addresses[random.below(addresses.len() as u64) as usize];
        let lines = self.lines(row);
        Order {
            id: row,
            user_id: user,
            placed_on: day(row),
            status: random.pick(&STATUSES),
            total_cents: total(&lines),
            ship_to: format!(
                "{}, {} {}, {}",
                address.street, address.postal_code, address.city, address.country
            ),
            token: token(user),
            address_id: address.id,
            basket: lines
                .iter()
                .map(|line| Wish {
                    product_id: line.product_id,
                    quantity: line.quantity,
                })
                .collect(),
            card_number: self.card_number(row),
        }
    }

    /// The lines of an order.
    pub fn lines(&self, order: u64) -> Vec<OrderLine> {
        let random = &mut self.random("order_line", order);
        let known = known_to(order);
        let mut count = 1;
        while count < MOST_LINES.min(known) && random.chance(60) {
            count += 1;
        }
        let mut products: Vec<u64> = Vec::new();
        while (products.len() as u64) < count {
            let product = zipf(random, known);
            if !products.contains(&product) {
                products.push(product);
            }
        }
        let first = order * MOST_LINES + 1 - MOST_LINES;
        (first..)
            .zip(products)
            .map(|(id, product_id)| OrderLine {
                id,
                order_id: order,
                product_id,
                quantity: if random.chance(75) {
                    1
                } else {
                    random.between(2, 5)
                },
                unit_price_cents: self.price_cents(product_id),
            })
            .collect()
    }

    /// The payment of an order.
    pub fn payment(&self, order: u64) -> Payment {
        let card = self.card_number(order);
        Payment {
            id: order,
            order_id: order,
            amount_cents: total(&self.lines(order)),
            card_ending: card[card.len() - 4..].to_owned(),
            paid_on: day(order),
        }
    }

    /// The event in a row.
    pub fn event(&self, row: u64) -> ProductEvent {
        let random = &mut self.random("product_event", row);
        let is_new = random.chance(20);
        let product = if is_new {
            row
        } else {
            zipf(random, known_to(row))
        };
        ProductEvent {
            id: row,
            product_id: product,
            kind: if is_new { "created" } else { "changed" },
            price_cents: self.price_cents(product) * random.between(80, 120) / 100 + 1,
            stock: random.between(100_000, 500_000),
        }
    }

    /// Mostly low prices and a few high ones.
    fn price_cents(&self, product: u64) -> u64 {
        let random = &mut self.random("price", product);
        let most = random.between(200, 200_000);
        random.between(100, most)
    }

    /// A number of sixteen digits that the shop's bank never rejects.
    fn card_number(&self, order: u64) -> String {
        let ending = 1 + self.random("card", order).below(9_000);
        format!("400000000000{:04}", 999 + ending)
    }

    fn random(&self, table: &str, row: u64) -> Random {
        Random::for_row(self.seed, table, row)
    }
}

fn total(lines: &[OrderLine]) -> u64 {
    lines
        .iter()
        .map(|line| line.quantity * line.unit_price_cents)
        .sum()
}

/// The day on which the shop reached a size.
fn day(size: u64) -> String {
    (OPENED + Duration::days((size / ORDERS_PER_DAY) as i64)).to_string()
}

#[cfg(test)]
mod tests;
