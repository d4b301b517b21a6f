//! A bank: movements of money on a fixed number of accounts of its customers.
//!
//! The customers and accounts do not depend on the number of movements, so that new movements are
//! on existing accounts.

mod words;

use clap::Args;
use serde::Serialize;
use time::macros::date;
use time::{Date, Duration};

use crate::error::Error;
use crate::output::{Folder, Row};
use crate::random::Random;
use crate::text::fill;
use crate::window::Window;
use words::{CITIES, KINDS, Kind, lexicon};

const CUSTOMERS: u64 = 6_000;
const ACCOUNTS: u64 = 10_000;

/// The number of movements per day.
const MOVEMENTS_PER_DAY: u64 = 500;

const FIRST_BOOKING: Date = date!(2020 - 01 - 01);

/// Movements, accounts and customers; --count and --skip count movements
///
/// Accounts and customers are written with the first movement only: with --skip, the rows are
/// movements on accounts that were written before.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    window: Window,

    /// Seed of the data: another seed gives another bank
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    folder: Folder,
}

/// A customer with one or more accounts.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Customer {
    id: u64,
    name: String,
    email: String,
    city: &'static str,
    since: String,
}

/// An account of one customer.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Account {
    id: u64,
    customer_id: u64,
    number: String,
    kind: &'static str,
    opened_on: String,
}

/// A movement: money paid into an account, or out of it (a negative amount).
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Movement {
    id: u64,
    account_id: u64,
    booked_on: String,
    kind: &'static str,
    amount_cents: i64,
    reference: String,
    description: String,
}

impl Row for Customer {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.id.to_string(),
            self.name.clone(),
            self.email.clone(),
            self.city.to_owned(),
            self.since.clone(),
        ])
    }
}

impl Row for Account {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.id.to_string(),
            self.customer_id.to_string(),
            self.number.clone(),
            self.kind.to_owned(),
            self.opened_on.clone(),
        ])
    }
}

impl Row for Movement {
    fn fields(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![
            self.id.to_string(),
            self.account_id.to_string(),
            self.booked_on.clone(),
            self.kind.to_owned(),
            self.amount_cents.to_string(),
            self.reference.clone(),
            self.description.clone(),
        ])
    }
}

/// Writes the three tables.
pub fn write(arguments: &Arguments) -> Result<(), Error> {
    let (seed, window) = (arguments.seed, &arguments.window);
    let (customers, accounts) = if window.skip == 0 {
        (CUSTOMERS, ACCOUNTS)
    } else {
        (0, 0)
    };
    let folder = &arguments.folder;
    let parts = folder.parts(3);
    let rows = parts.rows("customer", 1..customers + 1);
    folder.write("customer", rows.map(|row| customer(seed, row)))?;
    let rows = parts.rows("account", 1..accounts + 1);
    folder.write("account", rows.map(|row| account(seed, row)))?;
    let rows = parts.rows("movement", window.numbers());
    folder.write("movement", rows.map(|row| movement(seed, row)))
}

fn customer(seed: u64, row: u64) -> Customer {
    let random = &mut Random::for_row(seed, "customer", row);
    Customer {
        id: row,
        name: fill(random, lexicon, "{given} {family}"),
        email: format!("customer{row}@mail.example"),
        city: random.pick(&CITIES),
        since: day(random, date!(1990 - 01 - 01), 10),
    }
}

/// The first accounts belong to one customer each, the others to customers with another account.
fn account(seed: u64, row: u64) -> Account {
    let random = &mut Random::for_row(seed, "account", row);
    Account {
        id: row,
        customer_id: if row <= CUSTOMERS {
            row
        } else {
            random.between(1, CUSTOMERS)
        },
        // Multiples of a number that is coprime to 10^8 are distinct.
        number: format!("22{:08}", row * 7_919_711 % 100_000_000),
        kind: if random.chance(70) {
            "savings"
        } else {
            "checking"
        },
        opened_on: day(random, date!(2000 - 01 - 01), 20),
    }
}

fn movement(seed: u64, row: u64) -> Movement {
    let random = &mut Random::for_row(seed, "movement", row);
    let booked = FIRST_BOOKING + Duration::days(((row - 1) / MOVEMENTS_PER_DAY) as i64);
    let kind = kind(random);
    Movement {
        id: row,
        account_id: busy_account(random),
        booked_on: booked.to_string(),
        kind: kind.name,
        amount_cents: amount(random, kind),
        reference: format!("{}{row:09}", kind.letter),
        description: fill(random, lexicon, kind.description),
    }
}

fn kind(random: &mut Random) -> &'static Kind {
    let mut left = random.below(100);
    for kind in &KINDS {
        if left < kind.percent {
            return kind;
        }
        left -= kind.percent;
    }
    &KINDS[0]
}

/// Some accounts have far more movements than others: the smaller of two random numbers.
fn busy_account(random: &mut Random) -> u64 {
    let one = random.between(1, ACCOUNTS);
    one.min(random.between(1, ACCOUNTS))
}

/// Mostly small amounts and a few large ones, never zero.
fn amount(random: &mut Random, kind: &Kind) -> i64 {
    let limit = random.between(1, kind.most_cents);
    let cents = random.between(1, limit) as i64;
    if random.chance(kind.percent_out) {
        -cents
    } else {
        cents
    }
}

fn day(random: &mut Random, first: Date, years: u64) -> String {
    (first + Duration::days(random.below(years * 365) as i64)).to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn movements(count: u64) -> Vec<Movement> {
        (1..=count).map(|row| movement(1, row)).collect()
    }

    #[test]
    fn every_customer_has_an_account_and_every_account_a_customer() {
        let owners: BTreeSet<u64> = (1..=ACCOUNTS)
            .map(|row| account(1, row).customer_id)
            .collect();

        assert_eq!(owners, (1..=CUSTOMERS).collect());
    }

    #[test]
    fn account_numbers_are_unique() {
        let numbers: BTreeSet<String> = (1..=ACCOUNTS).map(|row| account(1, row).number).collect();

        assert_eq!(numbers.len() as u64, ACCOUNTS);
        assert!(numbers.iter().all(|number| number.len() == 10));
    }

    #[test]
    fn movements_are_on_existing_accounts_and_some_are_busier_than_others() {
        let movements = movements(20_000);
        let busy = movements
            .iter()
            .filter(|it| it.account_id <= ACCOUNTS / 4)
            .count();

        assert!(
            movements
                .iter()
                .all(|it| (1..=ACCOUNTS).contains(&it.account_id))
        );
        // 1 - (3/4)^2 of them.
        assert!((8_400..9_100).contains(&busy), "{busy}");
    }

    #[test]
    fn deposits_are_positive_and_withdrawals_negative() {
        let movements = movements(20_000);

        assert!(movements.iter().all(|it| it.amount_cents != 0));
        assert!(movements.iter().all(|it| match it.kind {
            "deposit" | "interest" => it.amount_cents > 0,
            "withdrawal" | "purchase" | "fee" => it.amount_cents < 0,
            other => other == "transfer",
        }));
        for kind in &KINDS {
            let count = movements.iter().filter(|it| it.kind == kind.name).count() as u64;
            let expected = 200 * kind.percent;
            assert!(count.abs_diff(expected) < 300, "{} {count}", kind.name);
        }
        assert_eq!(KINDS.iter().map(|kind| kind.percent).sum::<u64>(), 100);
    }

    #[test]
    fn days_pass_as_movements_are_booked() {
        assert_eq!(movement(1, 1).booked_on, "2020-01-01");
        assert_eq!(movement(1, 500).booked_on, "2020-01-01");
        assert_eq!(movement(1, 501).booked_on, "2020-01-02");
        assert_eq!(movement(1, 1_000_000).booked_on, "2025-06-22");
    }

    /// The answer to a query of one table with 100,000 records had 15,843,095 bytes as published.
    #[test]
    fn a_movement_is_as_long_as_published() {
        let bytes: usize = (1..=100_000)
            .map(|row| serde_json::to_vec(&movement(1, row)).unwrap().len())
            .sum();
        let underscores = 3 * 100_000; // names are written in camel case
        let commas = 100_000;

        let answer = (bytes + commas - underscores) as f64;
        assert!((answer / 15_843_095.0 - 1.0).abs() < 0.005, "{answer}");
    }

    #[test]
    fn texts_contain_characters_that_are_hard_to_encode() {
        let movements = movements(3_000);
        for character in ['é', 'ñ', '&', '<', '%', '"', '\'', '\\', '–', '€'] {
            assert!(
                movements
                    .iter()
                    .any(|it| it.description.contains(character)),
                "{character} in a description"
            );
        }
        assert!(
            !movements
                .iter()
                .any(|it| it.description.contains(['{', '}']))
        );
    }

    /// The promise to everybody who has measured with this data: it stays the same. To change the
    /// generator is to change this number, and to say so in the changelog.
    #[test]
    fn the_same_seed_always_gives_the_same_bytes() {
        let sum = (1..=500)
            .flat_map(|row| {
                let all = (customer(1, row), account(1, 9_000 + row), movement(1, row));
                serde_json::to_vec(&all).unwrap()
            })
            .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
                (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3) // FNV-1a
            });

        assert_eq!(format!("{sum:016x}"), "e6659cb50ddb2495");
    }

    #[test]
    fn another_seed_generates_another_bank() {
        assert_ne!(movement(1, 1), movement(2, 1));
        assert_ne!(customer(1, 1), customer(2, 1));
    }
}
