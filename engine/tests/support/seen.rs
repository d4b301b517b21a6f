//! What a server saw, by its own clock: for claims about times that hold on any machine, however
//! busy.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::samples::Row;

/// When a server had received each request, and when it began to write its answer, for one client.
#[derive(Clone, Default)]
pub struct Seen(Arc<Mutex<Vec<(Instant, Instant)>>>);

impl Seen {
    /// Takes so long for a request that has just come.
    pub fn take(&self, time: Duration) {
        let got = Instant::now();
        std::thread::sleep(time);
        self.0.lock().unwrap().push((got, Instant::now()));
    }

    /// Each time that the engine reports for a transaction contains the server's own and is between
    /// the answer before it and the request after it. The samples are those of the last requests,
    /// in their order.
    pub fn assert_contained_in(&self, samples: &[Row]) {
        let seen = self.0.lock().unwrap();
        let others = seen.len() - samples.len();
        for (place, sample) in (others..).zip(samples) {
            let (got, answering) = seen[place];
            let own_ns = (answering - got).as_nanos() as i64;
            let service_ns = sample.end_ns - sample.start_ns;
            let first_byte_ns = sample.first_byte_ns - sample.start_ns;
            let response_ns = sample.end_ns - sample.intended_ns;
            let least = own_ns - apart(own_ns);
            assert!(least <= first_byte_ns, "{sample:?} took {own_ns} ns");
            assert!(first_byte_ns <= service_ns, "{sample:?}");
            assert!(service_ns <= response_ns, "{sample:?}");
            let before = place.checked_sub(1).map(|before| seen[before].1);
            let after = seen.get(place + 1).map(|after| after.0);
            if let Some((before, after)) = before.zip(after) {
                let most = (after - before).as_nanos() as i64;
                let most = most + apart(most);
                assert!(response_ns <= most, "{sample:?}: at most {most}");
            }
        }
    }
}

/// How far two clocks may part in so much time.
fn apart(time_ns: i64) -> i64 {
    1_000 + time_ns / 1_000
}

/// Little's law of a closed load without think time, whose clients never wait for a connection: all
/// that is missing is the time from an answer to the next request.
pub fn assert_closure(closure: f64, samples: &[Row]) {
    let mut clients: Vec<u64> = samples.iter().map(|it| it.client).collect();
    clients.sort_unstable();
    clients.dedup();
    let (mut whole, mut service) = (0, 0);
    for client in clients {
        let own = || samples.iter().filter(|it| it.client == client);
        let began = own().map(|it| it.intended_ns).min().unwrap();
        whole += own().map(|it| it.end_ns).max().unwrap() - began;
        service += own().map(|it| it.end_ns - it.start_ns).sum::<i64>();
    }
    let expected = service as f64 / whole as f64;
    assert!((closure - expected).abs() < 1e-6, "{closure} {expected}");
}
