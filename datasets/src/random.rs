//! Seeded random numbers that never change: every row has its own stream.

/// The increment of SplitMix64: the golden ratio as a fraction of 2^64, made odd.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014), implemented here because the data sets must never change, but a library may.
///
/// A row's stream depends only on the seed, the table and the row's number. So rows can be
/// generated in any order, from any row on, and do not depend on their count.
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of a row of a table.
    pub fn for_row(seed: u64, table: &str, row: u64) -> Self {
        let keyed = table
            .bytes()
            .fold(mix(seed), |state, byte| mix(state ^ u64::from(byte)));
        Self {
            state: mix(keyed ^ row),
        }
    }

    /// A number from 0 to `end` - 1, by multiplication (the bias is below `end` / 2^64).
    pub fn below(&mut self, end: u64) -> u64 {
        let product = u128::from(self.next()) * u128::from(end);
        (product >> 64) as u64
    }

    /// A number from `first` to `last`, both included.
    pub fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }

    /// True with a probability of `percent` %.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A random element of a list.
    pub fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len() as u64) as usize]
    }

    /// `count` distinct elements of a list (all if there are fewer), in random order.
    pub fn pick_some(&mut self, list: &[&str], count: u64) -> Vec<String> {
        let mut left = list.to_vec();
        (0..count.min(list.len() as u64))
            .map(|_| {
                left.swap_remove(self.below(left.len() as u64) as usize)
                    .to_owned()
            })
            .collect()
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        mix(self.state)
    }
}

/// The output function of SplitMix64, a bijection.
fn mix(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers for seed 1234567, as other implementations of SplitMix64 give them.
    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        let mut random = Random { state: 1_234_567 };

        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        assert_eq!(random.next(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn seed_table_and_row_each_select_another_stream() {
        let first = |seed, table, row| Random::for_row(seed, table, row).next();
        let streams = [
            first(1, "game", 1),
            first(2, "game", 1),
            first(1, "book", 1),
            first(1, "game", 2),
        ];

        for (index, stream) in streams.iter().enumerate() {
            assert!(!streams[..index].contains(stream));
        }
        assert_eq!(streams[0], first(1, "game", 1));
    }

    #[test]
    fn ranges_are_met_from_end_to_end() {
        let mut random = Random::for_row(1, "test", 1);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            seen[random.between(1, 6) as usize - 1] += 1;
        }

        assert!(
            seen.iter().all(|&count| (850..1150).contains(&count)),
            "{seen:?}"
        );
    }

    #[test]
    fn chosen_elements_are_distinct() {
        let mut random = Random::for_row(1, "test", 1);
        let list = ["a", "b", "c", "d"];
        let mut all = random.pick_some(&list, 9);
        all.sort_unstable();

        assert_eq!(all, list);
        assert_eq!(random.pick_some(&list, 2).len(), 2);
    }
}
