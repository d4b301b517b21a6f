use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::output::Row;

const SHOP: Shop = Shop {
    seed: 1,
    password_cost: 1,
};

const SIZE: u64 = 3_000;

#[test]
fn rows_refer_to_existing_rows_and_those_beyond_to_older_ones() {
    for row in 1..=SIZE + 64 {
        let order = SHOP.order(row);
        assert!(order.user_id <= SIZE.min(row));
        let owner = SHOP.addresses(order.user_id);
        assert!(owner.iter().any(|it| it.id == order.address_id));
        assert!(order.basket.iter().all(|it| it.product_id <= SIZE.min(row)));
        assert!(SHOP.event(row).product_id <= row);
    }
    for row in 1..=3 * (SIZE + 64) {
        let review = SHOP.review(row);
        assert!(review.product_id <= SIZE && review.user_id <= SIZE);
        assert!((1..=5).contains(&review.rating));
    }
}

#[test]
fn an_order_is_worth_its_lines_and_was_paid() {
    let mut ids = BTreeSet::new();
    for row in 1..=SIZE {
        let (order, lines) = (SHOP.order(row), SHOP.lines(row));
        assert!(lines.iter().all(|line| ids.insert(line.id)), "no id twice");
        let products: BTreeSet<u64> = lines.iter().map(|line| line.product_id).collect();
        assert_eq!(products.len(), lines.len(), "no product twice");
        for line in &lines {
            assert_eq!(
                line.unit_price_cents,
                SHOP.product(line.product_id).price_cents
            );
        }
        assert_eq!(order.total_cents, total(&lines));
        assert_eq!(SHOP.payment(row).amount_cents, order.total_cents);
        assert!(order.card_number.ends_with(&SHOP.payment(row).card_ending));
        assert!(
            !order.card_number.ends_with("0002"),
            "a card that is refused"
        );
    }
}

#[test]
fn a_few_buy_a_lot_and_a_few_products_are_what_most_buy() {
    let (mut buyers, mut products) = (BTreeMap::new(), BTreeMap::new());
    let mut lines = 0;
    for row in 1..=SIZE {
        let order = SHOP.order(row);
        *buyers.entry(order.user_id).or_insert(0_u64) += 1;
        for wish in order.basket {
            *products.entry(wish.product_id).or_insert(0_u64) += 1;
            lines += 1;
        }
    }
    let most = buyers.values().max().copied().unwrap_or(0);
    let popular: u64 = products.range(..=10).map(|(_, count)| count).sum();

    assert!((20..SIZE / 10).contains(&most), "{most}");
    assert!(buyers.len() as u64 > SIZE / 3, "{}", buyers.len());
    assert!(
        (lines / 4..lines / 2).contains(&popular),
        "{popular} of {lines}"
    );
    assert!((2 * SIZE..3 * SIZE).contains(&lines), "{lines}");
}

#[test]
fn every_old_product_has_a_review() {
    let reviewed: BTreeSet<u64> = (1..=3 * SIZE)
        .map(|row| SHOP.review(row).product_id)
        .collect();
    let without = (1..=SIZE / 4).filter(|id| !reviewed.contains(id)).count();

    assert!(without < 60, "{without} of {}", SIZE / 4);
}

#[test]
fn ids_of_addresses_are_never_two_users() {
    let ids: Vec<u64> = (1..=SIZE)
        .flat_map(|user| SHOP.addresses(user))
        .map(|it| it.id)
        .collect();

    assert!(ids.is_sorted());
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
}

#[test]
fn texts_have_no_placeholders_left_and_are_no_longer_than_allowed() {
    for row in 1..=500 {
        let (product, review) = (SHOP.product(row), SHOP.review(row));
        for text in [&product.title, &review.headline] {
            assert!(
                text.chars().count() <= 200 && !text.contains(['{', '}']),
                "{text}"
            );
        }
        for text in [&product.description, &review.body] {
            assert!(
                text.chars().count() <= 2000 && !text.contains(['{', '}']),
                "{text}"
            );
        }
    }
}

/// The promise to everybody who has measured with this data: it stays the same. To change the
/// generator is to change this number, and to say so in the changelog.
#[test]
fn the_same_seed_always_gives_the_same_bytes() {
    let sum = (1..=300)
        .flat_map(|row| {
            let user = SHOP.user(row);
            let kept = user.fields().unwrap_or_default();
            let (addresses, lines) = (SHOP.addresses(row), SHOP.lines(row));
            let rest = (
                SHOP.product(row),
                SHOP.review(row),
                SHOP.order(row),
                SHOP.payment(row),
            );
            serde_json::to_vec(&(user, kept, addresses, lines, rest, SHOP.event(row)))
                .unwrap_or_default()
        })
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3) // FNV-1a
        });

    assert_eq!(format!("{sum:016x}"), "53f14ed3e5c1518d");
}

#[test]
fn another_seed_generates_another_shop() {
    let other = Shop { seed: 2, ..SHOP };

    assert_ne!(SHOP.product(1), other.product(1));
    assert_ne!(SHOP.order(9), other.order(9));
}
