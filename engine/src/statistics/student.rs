//! Student's t.

/// The 97.5 % quantile of Student's t, by Fisher's expansion in the normal quantile (Abramowitz and
/// Stegun 26.7.5): exact within 0.1 % from 4 degrees of freedom, and within 0.01 % from 6.
pub fn student_975(freedom: f64) -> f64 {
    let z = 1.959_963_984_540_054_f64;
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
        (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5)
            - 1920.0 * z.powi(3)
            - 945.0 * z)
            / 92_160.0,
    ];
    let powers = (1..).map(|power| freedom.powi(power));
    z + terms
        .iter()
        .zip(powers)
        .map(|(term, power)| term / power)
        .sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_is_the_one_in_the_tables() {
        for (freedom, exact, error) in [
            (4.0, 2.776_445, 2e-3),
            (5.0, 2.570_582, 5e-4),
            (6.0, 2.446_912, 2e-4),
            (9.0, 2.262_157, 2e-5),
            (19.0, 2.093_024, 1e-5),
            (39.0, 2.022_691, 1e-5),
        ] {
            let quantile = student_975(freedom);
            assert!((quantile - exact).abs() < error, "{freedom}: {quantile}");
        }
    }
}
