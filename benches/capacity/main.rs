//! The search for capacity against bisection, on a simulated server whose capacity is known:
//! `cargo bench --package wirelab-engine --bench capacity`. No time is measured, so any machine gives
//! the same table.

mod searches;
mod server;

use searches::{Found, HEADLINE, LOSS_RATIO, STRICT, bisection, shared};
use wirelab_engine::capacity::{Goal, Search, Span, Trial};

const SEARCHES: u64 = 100;
/// Trials at each rate, of which the true capacity is known.
const TRIALS: u32 = 2_000;

fn main() {
    let ratios = [HEADLINE, STRICT];
    let known = ratios.map(|ratio| server::capacity(LOSS_RATIO, ratio, TRIALS));
    println!("capacity of the simulated server, of {TRIALS} trials at each rate:");
    for (ratio, rate) in ratios.iter().zip(known) {
        println!(
            "  {rate:.0}/s where a share of {ratio} of the trials exceeds 1 % of late requests"
        );
    }
    println!("\n{SEARCHES} searches of each kind:");
    println!("search               exceed ratio  within 2 %  typical error  trial seconds");
    show("RFC 9971, both", &ratios, &known, shared);
    show("bisection, both", &ratios, &known, bisection);
    show("RFC 9971, one", &ratios[..1], &known, shared);
    show("bisection, one", &ratios[..1], &known, bisection);
}

fn show(name: &str, ratios: &[f64], known: &[f64], search: fn(&[f64], u64) -> Found) {
    let all: Vec<Found> = (1..=SEARCHES).map(|seed| search(ratios, seed)).collect();
    let trial_s: f64 = all.iter().map(|it| it.trial_s).sum::<f64>() / SEARCHES as f64;
    for (index, ratio) in ratios.iter().enumerate() {
        let errors = all
            .iter()
            .map(|it| (it.rates[index] / known[index] - 1.0).abs());
        let mut errors: Vec<f64> = errors.collect();
        errors.sort_by(f64::total_cmp);
        let within = errors.iter().filter(|error| **error <= 0.02).count();
        let typical = errors[errors.len() / 2] * 100.0;
        println!("{name:20} {ratio:12}  {within:9}%  {typical:12.2}%  {trial_s:13.0}");
    }
}
