//! A ramp: a rate that changes linearly and then stays constant.

/// Due times in nanoseconds from the start. The k-th arrival is when the integral of the rate
/// reaches k, so that rounding errors do not accumulate.
pub fn arrivals(
    from_per_s: f64,
    to_per_s: f64,
    duration_s: f64,
) -> impl Iterator<Item = u64> + Send {
    let slope = (to_per_s - from_per_s) / duration_s;
    let on_the_ramp = (from_per_s + to_per_s) / 2.0 * duration_s;
    (0u64..).map(move |number| {
        let number = number as f64;
        let time_s = if number >= on_the_ramp {
            duration_s + (number - on_the_ramp) / to_per_s
        } else {
            // The root of slope / 2 t^2 + from t = k, in the form that is stable for any slope.
            let root = (from_per_s * from_per_s + 2.0 * slope * number)
                .max(0.0)
                .sqrt();
            2.0 * number / (from_per_s + root)
        };
        (time_s * 1e9).round() as u64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_until(times: &[u64], second: f64) -> usize {
        let end = (second * 1e9) as u64;
        times.iter().filter(|time| **time < end).count()
    }

    #[test]
    fn the_rate_rises_evenly_and_stays() {
        let times: Vec<u64> = arrivals(100.0, 500.0, 4.0).take(3_000).collect();
        // The integral of 100 + 100 t: 150 after one second, 400 after two, 1200 after four.
        for (second, expected) in [(1.0, 150), (2.0, 400), (4.0, 1_200), (5.0, 1_700)] {
            assert_eq!(count_until(&times, second), expected, "after {second} s");
        }
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_ramp_may_fall_and_a_level_one_is_constant() {
        let times: Vec<u64> = arrivals(300.0, 100.0, 2.0).take(1_000).collect();
        for (second, expected) in [(1.0, 250), (2.0, 400), (3.0, 500)] {
            assert_eq!(count_until(&times, second), expected, "after {second} s");
        }
        let level: Vec<u64> = arrivals(10.0, 10.0, 1.0).skip(9).take(3).collect();
        assert_eq!(level, [900_000_000, 1_000_000_000, 1_100_000_000]);
    }
}
