//! Finds the order of magnitude of the capacity: closed loads with more and more clients, which
//! never exceed what the server can do.

use serde::Serialize;

/// The least ratio of rates for which doubling the clients goes on.
const GAIN: f64 = 1.1;

/// The result of a closed load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rung {
    pub clients: u32,
    pub rate_per_s: f64,
    /// Whether the objective was kept.
    pub is_kept: bool,
}

/// The number of clients of the next rung. None at the top: more clients gain too little, miss the
/// objective, or exceed `most`.
pub fn next(rungs: &[Rung], most: u32) -> Option<u32> {
    let Some(last) = rungs.last() else {
        return Some(1);
    };
    let best = rungs[..rungs.len() - 1].iter();
    let best = best.map(|it| it.rate_per_s).fold(0.0, f64::max);
    let climbs = last.is_kept && last.rate_per_s > GAIN * best;
    (climbs && last.clients < most).then(|| (2 * last.clients).min(most))
}

/// The rung with the highest rate.
pub fn best(rungs: &[Rung]) -> Option<Rung> {
    let by_rate = |one: &&Rung, other: &&Rung| one.rate_per_s.total_cmp(&other.rate_per_s);
    rungs.iter().max_by(by_rate).copied()
}

/// Whether the ladder ended only because of the limit of clients.
pub fn wants_more(rungs: &[Rung], most: u32) -> bool {
    let is_last = rungs.last().is_some_and(|it| it.clients == most);
    is_last && next(rungs, u32::MAX).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn climb(most: u32, rate: impl Fn(u32) -> f64, kept_up_to: u32) -> Vec<Rung> {
        let mut rungs = Vec::new();
        while let Some(clients) = next(&rungs, most) {
            rungs.push(Rung {
                clients,
                rate_per_s: rate(clients),
                is_kept: clients <= kept_up_to,
            });
        }
        rungs
    }

    fn clients(rungs: &[Rung]) -> Vec<u32> {
        rungs.iter().map(|it| it.clients).collect()
    }

    #[test]
    fn the_ladder_is_climbed_until_more_clients_bring_no_higher_rate() {
        let rungs = climb(100, |clients| f64::from(clients.min(4)) * 50.0, 100);
        assert_eq!(clients(&rungs), [1, 2, 4, 8]);
        assert_eq!(best(&rungs).unwrap().rate_per_s, 200.0);
        assert!(!wants_more(&rungs, 100));
    }

    #[test]
    fn the_ladder_is_climbed_until_the_objective_is_missed() {
        assert_eq!(clients(&climb(100, f64::from, 2)), [1, 2, 4]);
    }

    #[test]
    fn the_ladder_has_no_more_rungs_than_connections() {
        let rungs = climb(6, f64::from, 100);
        assert_eq!(clients(&rungs), [1, 2, 4, 6]);
        assert!(wants_more(&rungs, 6));
    }
}
