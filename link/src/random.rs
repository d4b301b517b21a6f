//! A seeded generator of random numbers: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).

/// A generator that suffices for loss and jitter, with the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A uniform number in [0, 1).
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_generator() {
        let mut random = Random::new(1_234_567);
        let numbers: Vec<u64> = (0..3).map(|_| random.next()).collect();

        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn shares_are_uniform() {
        let mut random = Random::new(1);
        let shares: Vec<f64> = (0..100_000).map(|_| random.share()).collect();

        assert!(shares.iter().all(|share| (0.0..1.0).contains(share)));
        let mean = shares.iter().sum::<f64>() / 100_000.0;
        // Six standard errors of this mean.
        assert!((mean - 0.5).abs() < 6.0 * (1.0 / 12.0_f64).sqrt() / 100_000_f64.sqrt());
    }
}
