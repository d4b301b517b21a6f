//! Skewed choices of buyers and products: a few are much more frequent than most.

use crate::random::Random;

/// The number of rows after a shop of any size that refer only to rows of that shop: those that a
/// client adds.
const BEYOND: u64 = 64;

/// The newest row that the row of this number may refer to; in a small shop, one of the older half.
pub fn known_to(row: u64) -> u64 {
    row.saturating_sub(BEYOND).max(row / 2).max(1).min(row)
}

/// A number from 1 to `last`, n with a probability in proportion to 1 / n: Zipf's law, exactly, and
/// without a logarithm, which machines may round in different ways.
///
/// Each octave (1, 2..3, 4..7, …) is as likely as the others; within one a number is kept with a
/// probability of the octave's first divided by the number. What is rejected is drawn again.
pub fn zipf(random: &mut Random, last: u64) -> u64 {
    let octaves = u64::from(u64::BITS - last.leading_zeros());
    loop {
        let first = 1 << random.below(octaves);
        let number = random.between(first, 2 * first - 1);
        if number <= last && random.below(number) < first {
            return number;
        }
    }
}

/// A buyer: one in five orders comes from the few who buy a lot.
pub fn buyer(random: &mut Random, last: u64) -> u64 {
    if random.chance(20) {
        zipf(random, last)
    } else {
        random.between(1, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_refer_to_older_ones_and_those_beyond_a_shop_only_to_the_shop() {
        for size in 64..1000 {
            for row in size + 1..=size + BEYOND {
                assert!(known_to(row) <= size, "{row} of {size}");
            }
        }
        assert!((1..=64).all(|row| (1..=row).contains(&known_to(row))));
        assert_eq!(known_to(10_000), 10_000 - BEYOND);
    }

    #[test]
    fn popularity_follows_zipf() {
        let mut random = Random::for_row(1, "test", 1);
        let mut counts = [0_u64; 1001];
        let draws = 200_000;
        for _ in 0..draws {
            counts[zipf(&mut random, 1000) as usize] += 1;
        }
        let harmonic: f64 = (1..=1000).map(|n| 1.0 / f64::from(n)).sum();

        assert_eq!(counts[0], 0);
        for n in [1, 2, 3, 5, 8, 13, 100] {
            let expected = draws as f64 / harmonic / n as f64;
            let error = (counts[n] as f64 - expected).abs() / expected.sqrt();
            assert!(error < 4.5, "{n}: {} of {expected:.0}", counts[n]);
        }
        let upper: u64 = counts[512..].iter().sum();
        let expected =
            draws as f64 / harmonic * (512..=1000).map(|n| 1.0 / f64::from(n)).sum::<f64>();
        assert!((upper as f64 - expected).abs() < 4.5 * expected.sqrt());
    }

    #[test]
    fn a_single_row_is_always_chosen() {
        let mut random = Random::for_row(1, "test", 1);

        assert!((0..100).all(|_| zipf(&mut random, 1) == 1));
    }
}
