//! A checkout: all or nothing, in one transaction.

use deadpool_postgres::GenericClient;
use garde::Validate;

use crate::orders::Orders;
use crate::refusal::{Kind, Refusal, Result};
use crate::stock::{columns, take_stock};
use crate::store::{Values, rows};
use crate::types::{CheckoutInput, Order, OrderLine, Payment, Shipping};

const REFUSED_CARD: &str = "0002";
const LARGEST_PAYMENT: i64 = 100_000_000;

impl Orders {
    /// Checks the user, takes the stock and the payment, and writes the order.
    pub async fn checkout(&self, mut input: CheckoutInput) -> Result<Order> {
        input.validate()?;
        input.idempotency_key.take_if(|key| key.is_empty()); // what Protocol Buffers make of none
        let shipping = self.users.shipping(&input.token, input.address_id).await?;
        if let Some(order) = self.carried_out(&input, &shipping).await? {
            return Ok(order);
        }
        match self.carry_out(&input, &shipping).await {
            // By the same client at the same time.
            Err(refusal) if refusal.kind == Kind::Repeated => self.carried_out(&input, &shipping).await?.ok_or(refusal),
            other => other,
        }
    }

    /// The order that the key was used for before, if so.
    async fn carried_out(&self, input: &CheckoutInput, shipping: &Shipping) -> Result<Option<Order>> {
        let Some(key) = &input.idempotency_key else {
            return Ok(None);
        };
        let sql = "SELECT id, user_id FROM orders WHERE checkout_key = $1";
        let found = rows(&self.store.connection().await?, sql, &[key]).await?;
        let Some(order) = found.first() else {
            return Ok(None);
        };
        if order.get::<_, i32>(1) != shipping.user_id {
            return Err(Refusal::new(Kind::OutOfStock, "the key was used by somebody else"));
        }
        self.read(order.get(0)).await.map(Some)
    }

    async fn carry_out(&self, input: &CheckoutInput, shipping: &Shipping) -> Result<Order> {
        let mut connection = self.store.connection().await?;
        let transaction = connection.transaction().await?;
        let prices = take_stock(&transaction, &input.lines).await?;
        let order = write(&transaction, input, shipping, &prices).await?;
        transaction.commit().await?;
        Ok(order)
    }
}

/// Takes the payment and writes the order, by one statement.
async fn write(
    transaction: &impl GenericClient,
    input: &CheckoutInput,
    shipping: &Shipping,
    prices: &[i32],
) -> Result<Order> {
    let lines: Vec<OrderLine> = input
        .lines
        .iter()
        .zip(prices)
        .map(|(line, price)| OrderLine {
            product_id: line.product_id,
            quantity: line.quantity,
            unit_price_cents: *price,
            product: None,
        })
        .collect();
    let total: i64 = lines.iter().map(|line| i64::from(line.quantity) * i64::from(line.unit_price_cents)).sum();
    if input.card_number.ends_with(REFUSED_CARD) || total > LARGEST_PAYMENT {
        return Err(Refusal::new(Kind::PaymentRefused, format!("the bank refuses to pay {total} cents")));
    }
    let total = i32::try_from(total).unwrap_or(i32::MAX);
    let (ids, quantities) = columns(&input.lines);
    let card_ending = input.card_number[input.card_number.len() - 4..].to_owned();
    let sql = "WITH written AS (
            INSERT INTO orders (checkout_key, user_id, total_cents, ship_to) VALUES ($1, $2, $3, $4)
            RETURNING id, placed_on, status
        ), lines AS (
            INSERT INTO order_lines (order_id, product_id, quantity, unit_price_cents)
            SELECT written.id, line.* FROM written, unnest($5::int[], $6::int[], $7::int[]) AS line
        ), paid AS (
            INSERT INTO payments (order_id, amount_cents, card_ending) SELECT id, $3, $8 FROM written RETURNING paid_on
        ) SELECT id, placed_on::text, status, paid_on::text FROM written, paid";
    let values: Values = &[
        &input.idempotency_key,
        &shipping.user_id,
        &total,
        &shipping.ship_to,
        &ids,
        &quantities,
        &prices,
        &card_ending,
    ];
    let written = rows(transaction, sql, values).await?;
    let row = written.first().ok_or_else(|| Refusal::not_found("order"))?;
    Ok(Order {
        id: row.get(0),
        user_id: shipping.user_id,
        placed_on: row.get(1),
        status: row.get(2),
        total_cents: total,
        ship_to: shipping.ship_to.clone(),
        payment: Payment { amount_cents: total, card_ending, paid_on: row.get(3) },
        lines: Some(lines),
    })
}
