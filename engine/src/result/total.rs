//! What all workers have measured, added up.

use std::collections::BTreeMap;

use crate::arrival::Stamped;
use crate::failure::Failure;
use crate::flow::Payload;
use crate::pacer::ClientTime;
use crate::pool::{Lifetime, Traffic};
use crate::recorder::{Distribution, Second, add};
use crate::system::process::CpuTime;
use crate::tls::Handshakes;
use crate::worker::Outcome;

/// The sum over all workers.
pub struct Total {
    pub response: Distribution,
    pub service: Distribution,
    pub first_byte: Distribution,
    pub lag: Distribution,
    pub connect: Distribution,
    pub tls: Distribution,
    pub handshakes: Handshakes,
    pub first_item: Distribution,
    pub last_item: Distribution,
    pub items: u64,
    pub items_sent: u64,
    pub errors: [u64; Failure::ALL.len() + 1],
    pub late: u64,
    pub dropped: u64,
    pub never_sent: u64,
    pub last_end_ns: i64,
    pub cpu: CpuTime,
    pub client_time: ClientTime,
    pub stamped: Stamped,
    pub traffic: Traffic,
    pub payload: Payload,
    pub lifetime: Lifetime,
}

impl Default for Total {
    fn default() -> Self {
        Self {
            response: Distribution::new(),
            service: Distribution::new(),
            first_byte: Distribution::new(),
            lag: Distribution::new(),
            connect: Distribution::new(),
            tls: Distribution::new(),
            handshakes: Handshakes::default(),
            first_item: Distribution::new(),
            last_item: Distribution::new(),
            items: 0,
            items_sent: 0,
            errors: [0; Failure::ALL.len() + 1],
            late: 0,
            dropped: 0,
            never_sent: 0,
            last_end_ns: 0,
            cpu: CpuTime::default(),
            client_time: ClientTime::default(),
            stamped: Stamped::default(),
            traffic: Traffic::default(),
            payload: Payload::default(),
            lifetime: Lifetime::default(),
        }
    }
}

impl Total {
    pub fn add(&mut self, outcome: &Outcome) {
        let recorder = &outcome.recorder;
        self.response.moments.add(&recorder.response);
        self.service.moments.add(&recorder.service);
        self.first_byte.add(&recorder.first_byte);
        self.lag.add(&recorder.lag);
        self.connect.add(&outcome.connect_times);
        self.tls.add(&outcome.tls_times);
        self.handshakes.merge(&outcome.handshakes);
        self.first_item.add(&recorder.first_item);
        self.last_item.add(&recorder.last_item);
        self.items += recorder.items;
        self.items_sent += recorder.items_sent;
        for (sum, count) in self.errors.iter_mut().zip(recorder.errors) {
            *sum += count;
        }
        self.late += recorder.late;
        self.dropped += outcome.dropped;
        self.never_sent += outcome.never_sent;
        self.last_end_ns = self.last_end_ns.max(recorder.last_end_ns);
        self.cpu = self.cpu.plus(outcome.cpu);
        self.client_time.whole_ns += outcome.client_time.whole_ns;
        self.client_time.thinking_ns += outcome.client_time.thinking_ns;
        self.client_time.waiting_ns += outcome.client_time.waiting_ns;
        self.stamped.usable += outcome.stamped.usable;
        self.stamped.readings += outcome.stamped.readings;
        self.traffic.sent += outcome.traffic.sent;
        self.traffic.received += outcome.traffic.received;
        self.payload.sent += outcome.payload.sent;
        self.payload.received += outcome.payload.received;
        self.payload.decoded += outcome.payload.decoded;
        self.lifetime.merge(&outcome.lifetime);
    }

    /// Adds what is known of response and service times but their moments.
    pub fn add_second(&mut self, second: &Second) {
        add(&mut self.response.histogram, &second.response);
        add(&mut self.service.histogram, &second.service);
    }

    pub fn errors(&self) -> BTreeMap<&'static str, u64> {
        let counted = Failure::ALL
            .iter()
            .map(|it| (it.name(), self.errors[*it as usize]));
        counted.filter(|(_, count)| *count > 0).collect()
    }
}
