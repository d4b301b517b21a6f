//! Compresses samples: each as its difference from the previous one, some 11 of 85 bytes.
//!
//! First the set of the rarely changing numbers that have changed, then their differences, then the
//! times and the client. All are variable-length integers (LEB128), signed ones in zigzag encoding,
//! so that small ones are short.

use super::sample::Sample;

const STEADY: usize = 12;
/// The longest encoding of 64 bits, seven in a byte.
const LONGEST_INTEGER: usize = 10;
/// The longest encoding of a sample, in bytes.
pub const LONGEST: usize = LONGEST_INTEGER * (1 + STEADY + 5);

/// The previous sample of a writer or a reader; both begin with zeros.
#[derive(Default)]
pub struct Before {
    intended_ns: i64,
    steady: [i64; STEADY],
}

impl Before {
    /// Appends a sample. It allocates nothing if `bytes` has room for `LONGEST` more.
    #[inline]
    pub fn write(&mut self, sample: &Sample, bytes: &mut Vec<u8>) {
        let steady = steady_of(sample);
        if steady == self.steady {
            bytes.push(0);
        } else {
            self.write_changes(&steady, bytes);
        }
        let lag_ns = sample.start_ns.wrapping_sub(sample.intended_ns);
        let awaited_ns = sample.first_byte_ns.wrapping_sub(sample.start_ns);
        let read_ns = sample.end_ns.wrapping_sub(sample.first_byte_ns);
        write_signed(sample.intended_ns.wrapping_sub(self.intended_ns), bytes);
        write_signed(lag_ns, bytes);
        write_signed(awaited_ns, bytes);
        write_signed(read_ns, bytes);
        write_integer(sample.client.into(), bytes);
        self.intended_ns = sample.intended_ns;
    }

    #[cold]
    fn write_changes(&mut self, steady: &[i64; STEADY], bytes: &mut Vec<u8>) {
        let both = || steady.iter().zip(&self.steady);
        let changed = both()
            .enumerate()
            .map(|(index, (number, before))| u64::from(number != before) << index);
        write_integer(changed.sum(), bytes);
        for (number, before) in both().filter(|(number, before)| number != before) {
            write_signed(number.wrapping_sub(*before), bytes);
        }
        self.steady = *steady;
    }

    /// Reads a sample from the front of `bytes`; None if they have no complete one.
    #[inline]
    pub fn read(&mut self, bytes: &mut &[u8]) -> Option<Sample> {
        let changed = read_integer(bytes)?;
        if changed != 0 {
            self.read_changes(changed, bytes)?;
        }
        let intended_ns = self.intended_ns.wrapping_add(read_signed(bytes)?);
        let start_ns = intended_ns.wrapping_add(read_signed(bytes)?);
        let first_byte_ns = start_ns.wrapping_add(read_signed(bytes)?);
        let end_ns = first_byte_ns.wrapping_add(read_signed(bytes)?);
        self.intended_ns = intended_ns;
        Some(Sample {
            intended_ns,
            start_ns,
            first_byte_ns,
            end_ns,
            client: read_integer(bytes)? as u32,
            ..with_steady(&self.steady)
        })
    }

    #[cold]
    fn read_changes(&mut self, mut changed: u64, bytes: &mut &[u8]) -> Option<()> {
        while changed != 0 {
            let number = self.steady.get_mut(changed.trailing_zeros() as usize)?;
            *number = number.wrapping_add(read_signed(bytes)?);
            changed &= changed - 1;
        }
        Some(())
    }
}

/// The numbers that are mostly equal to the previous sample's.
#[inline]
fn steady_of(sample: &Sample) -> [i64; STEADY] {
    [
        sample.transaction.into(),
        sample.bytes_sent.into(),
        sample.bytes_received.into(),
        sample.payload_bytes.into(),
        sample.connect_ns,
        sample.tls_ns,
        sample.first_item_ns,
        sample.last_item_ns,
        sample.items.into(),
        sample.items_sent.into(),
        sample.status.into(),
        sample.failure.into(),
    ]
}

#[inline]
fn with_steady(steady: &[i64; STEADY]) -> Sample {
    Sample {
        transaction: steady[0] as u32,
        bytes_sent: steady[1] as u32,
        bytes_received: steady[2] as u32,
        payload_bytes: steady[3] as u32,
        connect_ns: steady[4],
        tls_ns: steady[5],
        first_item_ns: steady[6],
        last_item_ns: steady[7],
        items: steady[8] as u32,
        items_sent: steady[9] as u32,
        status: steady[10] as u16,
        failure: steady[11] as u8,
        ..Sample::default()
    }
}

/// Zigzag: the sign is the lowest bit.
#[inline]
fn write_signed(number: i64, bytes: &mut Vec<u8>) {
    write_integer(((number << 1) ^ (number >> 63)) as u64, bytes);
}

#[inline]
fn read_signed(bytes: &mut &[u8]) -> Option<i64> {
    let integer = read_integer(bytes)?;
    Some((integer >> 1) as i64 ^ -((integer & 1) as i64))
}

#[inline]
fn write_integer(mut integer: u64, bytes: &mut Vec<u8>) {
    while integer >= 0x80 {
        bytes.push(integer as u8 | 0x80);
        integer >>= 7;
    }
    bytes.push(integer as u8);
}

#[inline]
fn read_integer(bytes: &mut &[u8]) -> Option<u64> {
    let mut integer = 0;
    for index in 0..LONGEST_INTEGER {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        integer |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some(integer);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(samples: &[Sample]) -> Vec<u8> {
        let (mut before, mut bytes) = (Before::default(), Vec::new());
        samples
            .iter()
            .for_each(|sample| before.write(sample, &mut bytes));
        bytes
    }

    fn extreme(number: i64) -> Sample {
        Sample {
            intended_ns: number,
            start_ns: !number,
            first_byte_ns: number,
            end_ns: !number,
            connect_ns: number,
            tls_ns: !number,
            first_item_ns: number,
            last_item_ns: !number,
            transaction: number as u32,
            client: number as u32,
            bytes_sent: number as u32,
            bytes_received: number as u32,
            payload_bytes: number as u32,
            items: number as u32,
            items_sent: number as u32,
            status: number as u16,
            failure: number as u8,
        }
    }

    #[test]
    fn written_samples_are_read_back_unchanged() {
        let samples: Vec<Sample> = [0, 1, -1, i64::MAX, i64::MIN, 1 << 40, 5, 5]
            .map(extreme)
            .into();
        let bytes = written(&samples);

        let (mut before, mut left) = (Before::default(), bytes.as_slice());
        let read: Vec<Sample> = std::iter::from_fn(|| before.read(&mut left)).collect();
        assert_eq!(read, samples);
        assert!(left.is_empty());
    }

    #[test]
    fn the_longest_difference_has_at_most_the_stated_length() {
        for (first, second) in [(0, i64::MIN), (i64::MIN, 0), (i64::MIN, i64::MAX)] {
            let both = written(&[extreme(first), extreme(second)]).len();
            assert!(both - written(&[extreme(first)]).len() <= LONGEST);
        }
    }

    #[test]
    fn equal_fields_take_no_space() {
        let usual = |number: i64| Sample {
            intended_ns: number * 5_000,
            start_ns: number * 5_000 + 900,
            first_byte_ns: number * 5_000 + 300_000 + number * number % 70_000,
            end_ns: number * 5_000 + 300_800 + number * number % 70_000,
            connect_ns: -1,
            tls_ns: -1,
            first_item_ns: -1,
            last_item_ns: -1,
            bytes_sent: 40,
            bytes_received: 350,
            payload_bytes: 130,
            status: 200,
            client: (number % 64) as u32,
            ..Sample::default()
        };
        let samples: Vec<Sample> = (0..1_000).map(usual).collect();
        assert!(written(&samples).len() < 12 * samples.len());
    }

    #[test]
    fn a_truncated_difference_is_not_read() {
        let bytes = written(&[extreme(i64::MIN)]);
        for length in 0..bytes.len() {
            assert_eq!(Before::default().read(&mut &bytes[..length]), None);
        }
        let no_such_number = [0x80, 0x80, 0x80, 0x80, 0x01, 0x02];
        assert_eq!(Before::default().read(&mut no_such_number.as_slice()), None);
    }
}
