//! Integers with a prefix of some bits (RFC 7541, section 5.1).

/// Appends `value` with a prefix of `bits` bits; `flags` fills the bits before the prefix.
#[inline]
pub fn write(out: &mut Vec<u8>, value: usize, bits: u8, flags: u8) {
    let limit = (1usize << bits) - 1;
    if value < limit {
        out.push(flags | value as u8);
        return;
    }
    out.push(flags | limit as u8);
    write_rest(out, value - limit);
}

fn write_rest(out: &mut Vec<u8>, mut rest: usize) {
    while rest >= 128 {
        out.push(128 | (rest % 128) as u8);
        rest /= 128;
    }
    out.push(rest as u8);
}

/// Reads an integer from the front; none if it is incomplete or too large.
#[inline]
pub fn read(input: &mut &[u8], bits: u8) -> Option<usize> {
    let limit = (1usize << bits) - 1;
    let (&first, mut rest) = input.split_first()?;
    let mut value = usize::from(first) & limit;
    if value == limit {
        for shift in [0, 7, 14, 21] {
            let (&next, remaining) = rest.split_first()?;
            rest = remaining;
            value += usize::from(next & 127) << shift;
            if next < 128 {
                *input = rest;
                return Some(value);
            }
        }
        return None;
    }
    *input = rest;
    Some(value)
}
