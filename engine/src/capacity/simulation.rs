//! Searches on a simulated server whose capacity is known. `benches/capacity` makes a table of more
//! of them.

#[path = "../../../benches/capacity/searches.rs"]
mod searches;
#[path = "../../../benches/capacity/server.rs"]
mod server;

use super::{Goal, Search, Span, Trial};
use searches::{Found, HEADLINE, LOSS_RATIO, STRICT, bisection, shared};

const SEARCHES: u64 = 20;
const TRIALS: u32 = 200;

fn seconds(found: &[Found]) -> f64 {
    found.iter().map(|it| it.trial_s).sum()
}

#[test]
fn nine_of_ten_searches_are_within_two_percent_in_less_time_than_bisection() {
    let known = server::capacity(LOSS_RATIO, HEADLINE, TRIALS);
    let ratios = [HEADLINE, STRICT];
    let found: Vec<Found> = (1..=SEARCHES).map(|seed| shared(&ratios, seed)).collect();
    let is_close = |it: &&Found| (it.rates[0] / known - 1.0).abs() <= 0.02;
    let close = found.iter().filter(is_close).count() as u64;
    assert!(10 * close >= 9 * SEARCHES, "{close} of {SEARCHES}");
    let is_stricter = |it: &Found| it.rates[1] < it.rates[0];
    assert!(found.iter().all(is_stricter));
    let others: Vec<Found> = (1..=4).map(|seed| bisection(&ratios, seed)).collect();
    let (ours, theirs) = (seconds(&found) / SEARCHES as f64, seconds(&others) / 4.0);
    assert!(ours < 0.6 * theirs, "{ours} s and {theirs} s");
}
