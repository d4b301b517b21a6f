//! A simulated server whose capacity is known: one queue with Poisson arrivals, service times that
//! vary, and pauses (M/G/1). Half of a service time is fixed and half exponential. A pause comes at
//! random and takes its turn in the queue, as a request would that takes that long.

/// SplitMix64.
struct Random(u64);

impl Random {
    /// A number in (0, 1].
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (((mixed ^ (mixed >> 31)) >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -self.unit().ln() * mean
    }
}

pub struct Server {
    service_s: f64,
    pause_s: f64,
    between_pauses_s: f64,
    limit_s: f64,
    random: Random,
}

/// Of each trial, before what counts.
const GUARD_SHARE: f64 = 0.1;

impl Server {
    /// Of 20,000 requests a second that take their turn, with 20 pauses a second of 2 ms, and a
    /// limit of 8 ms.
    pub fn new(seed: u64) -> Self {
        Self {
            service_s: 50e-6,
            pause_s: 2e-3,
            between_pauses_s: 0.05,
            limit_s: 8e-3,
            random: Random(seed),
        }
    }

    /// What it does at most, one request after the other.
    pub fn busiest_per_s(&self) -> f64 {
        (1.0 - self.pause_s / self.between_pauses_s) / self.service_s
    }

    /// The share of requests beyond the limit in a trial at a rate.
    pub fn trial(&mut self, rate_per_s: f64, seconds: f64) -> f64 {
        let (mut counted, mut late) = (0u64, 0u64);
        // When the server will have done all that has come so far.
        let (mut free, mut now) = (0.0, 0.0);
        let mut pause = self.random.exponential(self.between_pauses_s);
        let start = seconds * GUARD_SHARE;
        loop {
            now += self.random.exponential(1.0 / rate_per_s);
            if now > start + seconds {
                return late as f64 / counted.max(1) as f64;
            }
            while pause < now {
                free = f64::max(free, pause) + self.pause_s;
                pause += self.random.exponential(self.between_pauses_s);
            }
            let service_s = 0.5 * self.service_s + self.random.exponential(0.5 * self.service_s);
            free = f64::max(free, now) + service_s;
            if now >= start {
                counted += 1;
                late += u64::from(free - now > self.limit_s);
            }
        }
    }
}

/// The rate at which a share of trials loses more than `loss_ratio`: by bisection, of many trials.
pub fn capacity(loss_ratio: f64, exceed_ratio: f64, trials: u32) -> f64 {
    let busiest = Server::new(0).busiest_per_s();
    let (mut low, mut high) = (0.3 * busiest, busiest);
    while high / low > 1.001 {
        let rate = (low * high).sqrt();
        let exceeds = |seed| Server::new(u64::from(seed) << 20).trial(rate, 1.0) > loss_ratio;
        let exceeding = (0..trials).filter(|&seed| exceeds(seed)).count();
        match exceeding as f64 > exceed_ratio * f64::from(trials) {
            true => high = rate,
            false => low = rate,
        }
    }
    (low * high).sqrt()
}
