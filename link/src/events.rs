//! Writes events as lines of JSON.

use std::fs::File;
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::path::Path;

use nix::libc;
use nix::time::{ClockId, clock_gettime};
use serde::Serialize;

use crate::conditions::Conditions;
use crate::counters::Counters;

/// An event.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Report<'a> {
    Ready {
        pid: u32,
        /// The namespace of the client's end, for nsenter(1).
        namespace: String,
        server: Ipv4Addr,
        client: Ipv4Addr,
        device: &'a str,
        seed: u64,
        real_time: bool,
        down: Conditions,
        up: Conditions,
        /// The kernel's default, which determines how TCP reacts to loss and delay.
        congestion_control: String,
    },
    Counters {
        seconds: f64,
        /// The CPU time of this program, including system time.
        cpu_seconds: f64,
        ignored: u64,
        down: Box<Counters>,
        up: Box<Counters>,
    },
}

/// The destination of events.
pub struct Events(Box<dyn Write>);

impl Events {
    /// Opens `path`, or standard output, or standard error if standard output belongs to the
    /// command (`with_command`). The error is that of opening the file.
    pub fn open(path: Option<&Path>, with_command: bool) -> io::Result<Self> {
        Ok(Self(match path {
            Some(path) => Box::new(File::create(path)?),
            None if with_command => Box::new(io::stderr()),
            None => Box::new(io::stdout()),
        }))
    }

    /// Writes an event as one line. Errors are ignored: a reader that has ended must not end the
    /// link.
    pub fn write(&mut self, event: &Report<'_>) {
        if let Ok(line) = serde_json::to_string(event) {
            let _ = writeln!(self.0, "{line}").and_then(|()| self.0.flush());
        }
    }
}

/// The CPU time of this process, in seconds.
pub fn cpu_seconds() -> f64 {
    clock_gettime(ClockId::from_raw(libc::CLOCK_PROCESS_CPUTIME_ID))
        .map_or(0.0, |it| it.tv_sec() as f64 + it.tv_nsec() as f64 / 1e9)
}

/// The kernel's default congestion control of TCP.
pub fn congestion_control() -> String {
    std::fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control")
        .map_or_else(|_| String::new(), |text| text.trim().to_owned())
}
