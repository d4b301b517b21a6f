//! The random numbers of `java.util.Random`, which its documentation specifies.

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const INCREMENT: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;

/// A 48-bit linear congruential generator. The data set is defined by its numbers, so it is used
/// here instead of the crate's own generator.
#[derive(Clone)]
pub struct JavaRandom {
    state: u64,
}

impl JavaRandom {
    /// The generator of a seed.
    pub fn new(seed: i64) -> Self {
        Self {
            state: (seed as u64 ^ MULTIPLIER) & MASK,
        }
    }

    /// A number from 0 to `end` - 1; an `end` of 1 takes a step too.
    pub fn below(&mut self, end: u32) -> u32 {
        if end.is_power_of_two() {
            return ((u64::from(end) * self.next(31)) >> 31) as u32;
        }
        let end = u64::from(end);
        loop {
            let bits = self.next(31);
            let value = bits % end;
            // The last, incomplete range of the 31-bit numbers would favour small values.
            if bits - value + (end - 1) < 1 << 31 {
                return value as u32;
            }
        }
    }

    /// A number from `first` to `last`, both included.
    pub fn between(&mut self, first: u32, last: u32) -> u32 {
        first + self.below(last - first + 1)
    }

    /// A number of 64 bits.
    pub fn long(&mut self) -> i64 {
        let high = self.next(32) as i32;
        let low = self.next(32) as i32;
        (i64::from(high) << 32).wrapping_add(i64::from(low))
    }

    /// `count` distinct numbers below `end`, in the order in which they are removed from the list
    /// 0, 1, 2, … by random positions.
    pub fn pick(&mut self, count: u32, end: u32) -> Vec<u32> {
        let mut picked = Vec::with_capacity(count as usize);
        let mut ascending: Vec<u32> = Vec::with_capacity(count as usize);
        for taken in 0..count {
            let mut value = self.below(end - taken);
            let mut place = 0;
            // Each number removed before this position moves the rest up by one.
            while place < ascending.len() && ascending[place] <= value {
                value += 1;
                place += 1;
            }
            ascending.insert(place, value);
            picked.push(value);
        }
        picked
    }

    fn next(&mut self, bits: u32) -> u64 {
        self.state = (self.state.wrapping_mul(MULTIPLIER)).wrapping_add(INCREMENT) & MASK;
        self.state >> (48 - bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that the class library of Java gives for seed 42.
    #[test]
    fn the_numbers_are_those_of_java() {
        assert_eq!(JavaRandom::new(42).next(32) as i32, -1_170_105_035);
        assert_eq!(JavaRandom::new(42).long(), -5_025_562_857_975_149_833);
        let mut random = JavaRandom::new(42);
        let drawn: Vec<u32> = (0..5).map(|_| random.below(10)).collect();
        assert_eq!(drawn, [0, 3, 8, 4, 0]);
    }

    #[test]
    fn the_text_stream_starts_with_the_known_values() {
        let mut random = JavaRandom::new(0);

        assert_eq!(random.between(1, 3), 1);
        assert_eq!(random.below(89_523), 59_236);
    }

    #[test]
    fn picks_are_removed_from_a_list() {
        for seed in 0..200 {
            let (count, end) = (1 + seed % 40, 40);
            let picked = JavaRandom::new(i64::from(seed)).pick(count, end);

            let mut random = JavaRandom::new(i64::from(seed));
            let mut list: Vec<u32> = (0..end).collect();
            let expected: Vec<u32> = (0..count)
                .map(|_| list.remove(random.below(list.len() as u32) as usize))
                .collect();
            assert_eq!(picked, expected);
        }
    }
}
