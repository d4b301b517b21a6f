//! Stolen time (steal), by CPU of the machine.

use std::fs::read_to_string;

use crate::system::process::ticks_per_s;

/// The index of stolen time among the fields of a CPU, after its name.
const STEAL: usize = 7;

/// Reads it in microseconds since the machine was started, with a resolution of 10 ms; empty if it
/// cannot be read.
pub fn by_cpu(proc: &str) -> Vec<f64> {
    let text = read_to_string(format!("{proc}/stat")).unwrap_or_default();
    let us_per_tick = 1e6 / ticks_per_s();
    text.lines()
        .filter_map(|line| {
            let (name, fields) = line.split_once(' ')?;
            let number = name.strip_prefix("cpu")?;
            let is_one = number.bytes().next()?.is_ascii_digit();
            let ticks: u64 = fields.split_ascii_whitespace().nth(STEAL)?.parse().ok()?;
            is_one.then_some(ticks as f64 * us_per_tick)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_each_cpu_is_separate() {
        let folder = std::env::temp_dir().join(format!("wirelab-stat-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let text = "cpu  9 9 9 9 9 9 9 30 0 0\ncpu0 1 2 3 4 5 6 7 10 0 0\n\
                    cpu1 1 2 3 4 5 6 7 20 0 0\nintr 5 5\n";
        std::fs::write(folder.join("stat"), text).unwrap();
        let us_per_tick = 1e6 / ticks_per_s();
        let stolen = by_cpu(folder.to_str().unwrap());
        assert_eq!(stolen, [10.0 * us_per_tick, 20.0 * us_per_tick]);
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(by_cpu("/no/such/folder").is_empty());
        assert!(!by_cpu("/proc").is_empty());
    }
}
