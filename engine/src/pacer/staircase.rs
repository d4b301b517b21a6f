//! A staircase: constant rates one after the other, each for the same time; the last one stays.

/// Due times in nanoseconds from the start. Each is computed from its number within its step, so
/// that rounding errors do not accumulate.
pub fn arrivals(
    from_per_s: f64,
    to_per_s: f64,
    steps: u32,
    step_s: f64,
) -> impl Iterator<Item = u64> + Send {
    let height = (to_per_s - from_per_s) / f64::from(steps.max(2) - 1);
    let rate = move |step: u32| from_per_s + height * f64::from(step);
    let lasting = (0..steps - 1).flat_map(move |step| {
        let begin_s = f64::from(step) * step_s;
        let inside = move |time_s: &f64| *time_s < step_s;
        let times = (0u64..).map(move |number| number as f64 / rate(step));
        times.take_while(inside).map(move |time_s| begin_s + time_s)
    });
    let last = steps - 1;
    let begin_s = f64::from(last) * step_s;
    let staying = (0u64..).map(move |number| begin_s + number as f64 / rate(last));
    lasting
        .chain(staying)
        .map(|time_s| (time_s * 1e9).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_has_its_rate() {
        let times: Vec<u64> = arrivals(100.0, 300.0, 3, 2.0).take(1_500).collect();
        let within = |from: u64, to: u64| {
            let range = from * 1_000_000_000..to * 1_000_000_000;
            times.iter().filter(|time| range.contains(time)).count()
        };
        assert_eq!((within(0, 2), within(2, 4), within(4, 6)), (200, 400, 600));
        assert_eq!(within(6, 7), 300, "the last step stays");
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn steps_may_descend_and_one_step_is_a_constant_rate() {
        let down: Vec<u64> = arrivals(400.0, 100.0, 2, 1.0).skip(399).take(3).collect();
        assert_eq!(down, [997_500_000, 1_000_000_000, 1_010_000_000]);
        let flat: Vec<u64> = arrivals(10.0, 10.0, 1, 1.0).take(3).collect();
        assert_eq!(flat, [0, 100_000_000, 200_000_000]);
    }
}
