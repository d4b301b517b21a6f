//! Seeded random numbers (SplitMix64): small, fast and the same on every machine.

/// The state of a generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator whose numbers depend on the seed alone.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A uniform number in (0, 1]; never zero, so that its logarithm exists.
    pub fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// A uniform number below `bound` (with a bias below bound / 2^64).
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Shuffles `items`; every order is equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// The number of rounds after which all pairs of neighbours are as likely, also of few numbers.
const ROUNDS: usize = 12;

/// A random order of the numbers below `count`, each of which is computed from its position: nothing
/// is shuffled, however many there are.
///
/// It is a Feistel network over the bits of the numbers, with unequal halves if their number is odd.
/// Results that are too large are mapped again, until one is not (cycle walking; Black and Rogaway,
/// CT-RSA 2002).
#[derive(Clone, Debug)]
pub struct Permutation {
    count: u64,
    low_bits: u32,
    high_bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// An order that depends on the seed alone.
    pub fn new(seed: u64, count: u64) -> Self {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        let mut random = Random::new(seed);
        Self {
            count,
            low_bits: bits.div_ceil(2),
            high_bits: bits / 2,
            keys: std::array::from_fn(|_| random.next()),
        }
    }

    /// The number at a position below the count.
    #[inline]
    pub fn at(&self, position: u64) -> u64 {
        let mut number = position;
        loop {
            number = self.map(number);
            if number < self.count || self.count == 0 {
                return number;
            }
        }
    }

    #[inline]
    fn map(&self, number: u64) -> u64 {
        let mask = |bits: u32| (1 << bits) - 1;
        let mut low = number & mask(self.low_bits);
        let mut high = number >> self.low_bits;
        for pair in self.keys.chunks_exact(2) {
            low ^= Random::new(high ^ pair[0]).next() & mask(self.low_bits);
            high ^= Random::new(low ^ pair[1]).next() & mask(self.high_bits);
        }
        high << self.low_bits | low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_has_each_number_once() {
        for count in [1, 2, 3, 5, 64, 100, 1_000, 4_097] {
            let order = Permutation::new(7, count);
            let mut numbers: Vec<u64> = (0..count).map(|position| order.at(position)).collect();
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count), "{count}");
        }
    }

    #[test]
    fn every_number_is_as_likely_at_each_position() {
        const COUNT: u64 = 5;
        const ORDERS: u64 = 20_000;
        let (mut counts, mut pairs) = ([[0_u64; 5]; 5], [0_u64; 25]);
        for seed in 0..ORDERS {
            let order = Permutation::new(seed, COUNT);
            for position in 0..COUNT {
                counts[position as usize][order.at(position) as usize] += 1;
            }
            pairs[(5 * order.at(0) + order.at(1)) as usize] += 1;
        }
        let close = |count: u64, of: u64| {
            let expected = ORDERS as f64 / of as f64;
            (count as f64 / expected - 1.0).abs() < 0.2
        };
        assert!(
            counts.iter().flatten().all(|count| close(*count, 5)),
            "{counts:?}"
        );
        // Two different numbers, in any order.
        let different = pairs.iter().filter(|count| **count > 0);
        assert!(different.clone().count() == 20 && different.clone().all(|it| close(*it, 20)));
    }

    #[test]
    fn follows_the_published_sequence() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::new(7).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn unit_numbers_are_spread_evenly() {
        let mut random = Random::new(3);
        let mean = (0..100_000).map(|_| random.unit()).sum::<f64>() / 100_000.0;
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
    }
}
