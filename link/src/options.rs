//! The arguments of the program.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;

use crate::conditions::Conditions;
use crate::presets::Preset;

/// Emulate a network link, packet by packet, for TCP and UDP alike.
///
/// The server's end of the link is an address of this machine, the client's end an address in a new
/// network namespace. All packets between them pass through this program. A command after `--` runs
/// at the client's end, with the addresses in WIRELAB_SERVER and WIRELAB_CLIENT; the link ends with
/// it. Without a command the link lasts until SIGTERM; programs enter the client's end with
/// `nsenter --net=/proc/PID/ns/net`.
///
/// Events are lines of JSON: `ready` with the addresses, and `counters` at the end and on SIGUSR1.
/// Device and namespace are removed when the program ends, in whatever way; it ends with its
/// parent. It requires root and /dev/net/tun.
#[derive(Debug, Parser)]
#[command(
    name = "wirelab-link",
    version,
    verbatim_doc_comment,
    after_help = "Exit codes: that of the command, or 128 + N if signal N ended it; without a command 0 \
                  after a signal; 127 no such command; 126 it cannot be executed; 2 invalid option; \
                  3 this machine does not permit a link; 1 the link failed."
)]
pub struct Options {
    /// Conditions of a named network: loopback, lan, wifi, mobile or far
    #[arg(long, value_name = "NAME", value_parser = Preset::find)]
    pub network: Option<Preset>,

    /// Conditions from server to client, instead of the network's:
    /// delay=20ms,jitter=5ms,rate=12Mbit,queue=64KB,loss=1%
    #[arg(long, value_name = "CONDITIONS")]
    pub down: Option<Conditions>,

    /// Conditions from client to server, instead of the network's
    #[arg(long, value_name = "CONDITIONS")]
    pub up: Option<Conditions>,

    /// Seed of loss and jitter
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    pub seed: u64,

    /// Run with real-time priority, if it is permitted, so that packets are in time
    #[arg(long)]
    pub real_time: bool,

    /// File for events [default: standard output; standard error with a command]
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,

    /// Print the named networks as JSON, and exit
    #[arg(long)]
    pub list: bool,

    /// The command and its arguments
    #[arg(last = true, value_names = ["COMMAND", "ARG"])]
    pub command: Vec<OsString>,
}

impl Options {
    /// The conditions from server to client.
    pub fn down(&self) -> Conditions {
        let of_network = self.network.map(|it| it.down);
        self.down.or(of_network).unwrap_or(Conditions::NOTHING)
    }

    /// The conditions from client to server.
    pub fn up(&self) -> Conditions {
        let of_network = self.network.map(|it| it.up);
        self.up.or(of_network).unwrap_or(Conditions::NOTHING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_overrides_that_of_the_network() {
        let arguments = [
            "link",
            "--network",
            "far",
            "--up",
            "delay=1ms",
            "--",
            "true",
            "-x",
        ];
        let options = Options::parse_from(arguments);

        assert_eq!(options.down().delay_ns, 45_000_000);
        assert_eq!(options.up().delay_ns, 1_000_000);
        assert_eq!(options.up().rate_bit_s, 0);
        assert_eq!(options.command, ["true", "-x"]);
    }

    #[test]
    fn without_options_a_link_does_nothing_to_packets() {
        let options = Options::parse_from(["link"]);

        assert_eq!(
            (options.down(), options.up()),
            (Conditions::NOTHING, Conditions::NOTHING)
        );
    }
}
