//! A list of intended times, such as those of a log, used once.

use std::sync::Arc;

/// The times of the list, in nanoseconds from the start.
pub fn arrivals(times_ns: &Arc<[u64]>) -> impl Iterator<Item = u64> + Send + use<> {
    let times_ns = Arc::clone(times_ns);
    (0..times_ns.len()).map(move |number| times_ns[number])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_keeps_its_list_and_ends() {
        let times: Arc<[u64]> = Arc::from([0, 5, 5, 900]);
        assert_eq!(arrivals(&times).collect::<Vec<_>>(), [0, 5, 5, 900]);
    }
}
