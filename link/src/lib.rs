//! Emulates a network link between two network namespaces, packet by packet.
//!
//! The server's end is a TUN device in the namespace in which the program is started; the client's
//! end is one in a new namespace. Packets are read from one, held as the conditions of their
//! direction require, and written to the other: the kernel's TCP and the programs' QUIC react to
//! delay, rate and loss as on a real link.

mod command;
mod conditions;
mod counters;
mod direction;
mod emulator;
mod ends;
mod events;
mod line;
mod options;
mod presets;
mod random;
mod tun;

use std::fmt::Display;
use std::io::{self, Write};
use std::process::{Child, ExitCode};
use std::time::Instant;

use clap::Parser;
use nix::libc;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::sys::signalfd::SignalFd;

use emulator::{Emulator, Event};
use ends::{CannotLink, Ends};
use events::{Events, Report};
use options::Options;

const FAILED: u8 = 1;
const BAD_INPUT: u8 = 2;
/// The exit code if the machine lacks permissions or the device.
const NO_LINK_HERE: u8 = 3;

/// Runs the program `wirelab-link` with the arguments of the process, and returns its exit code.
pub fn run() -> ExitCode {
    let options = Options::parse();
    let code = if options.list {
        list()
    } else {
        link(&options).unwrap_or_else(|(message, code)| {
            say(message);
            code
        })
    };
    ExitCode::from(code)
}

fn list() -> u8 {
    match serde_json::to_string_pretty(&presets::PRESETS) {
        Ok(text) => u8::from(writeln!(io::stdout(), "{text}").is_err()),
        Err(_) => FAILED,
    }
}

/// Creates the link and forwards packets until a signal arrives or the command ends; returns the
/// exit code. The error is a message with an exit code.
fn link(options: &Options) -> Result<u8, (String, u8)> {
    let failed = |what: &str, error: &dyn Display| (format!("cannot {what}: {error}"), FAILED);
    let with_command = !options.command.is_empty();
    let mut events = Events::open(options.events.as_deref(), with_command)
        .map_err(|error| (format!("--events: {error}"), BAD_INPUT))?;
    let signals = command::take_signals().map_err(|error| failed("watch signals", &error))?;
    let ends = Ends::open().map_err(|cannot| match cannot {
        CannotLink::NotPermitted(message) => {
            let remedy = "a link requires root (CAP_NET_ADMIN and CAP_SYS_ADMIN) and /dev/net/tun";
            (format!("{message}; {remedy}"), NO_LINK_HERE)
        }
        CannotLink::Failed(message) => (message, FAILED),
    })?;
    let child = if with_command {
        Some(command::start(&options.command, &ends)?)
    } else {
        None
    };
    // Only now, so that the command keeps the default.
    prctl::set_timerslack(1).map_err(|error| failed("set the timer slack", &error))?;
    let real_time = options.real_time && go_first();
    events.write(&Report::Ready {
        pid: std::process::id(),
        namespace: format!("/proc/{}/ns/net", std::process::id()),
        server: ends.server.address,
        client: ends.client.address,
        device: ends.server.tun.name(),
        seed: options.seed,
        real_time,
        down: options.down(),
        up: options.up(),
        congestion_control: events::congestion_control(),
    });
    let mut emulator = Emulator::new(ends, options.down(), options.up(), options.seed);
    Ok(carry(&mut emulator, &signals, &mut events, child))
}

/// Forwards packets until the end, and returns the exit code.
fn carry(
    emulator: &mut Emulator,
    signals: &SignalFd,
    events: &mut Events,
    mut child: Option<Child>,
) -> u8 {
    let began = Instant::now();
    let mut report = |emulator: &mut Emulator| {
        let (down, up, ignored) = emulator.counters();
        events.write(&Report::Counters {
            seconds: began.elapsed().as_secs_f64(),
            cpu_seconds: events::cpu_seconds(),
            ignored,
            down: Box::new(down),
            up: Box::new(up),
        });
    };
    let code = loop {
        match emulator.carry(signals) {
            Event::Signal(Signal::SIGUSR1) => report(emulator),
            Event::Signal(Signal::SIGCHLD) => {
                if let Some(Ok(Some(status))) = child.as_mut().map(Child::try_wait) {
                    break command::exit_code(status);
                }
            }
            // The end of the link ends the command too, which requires it.
            Event::Signal(signal) => {
                break child.as_mut().map_or(0, |child| end(child, signal));
            }
            Event::Failed(error) => {
                say(format!("the link failed: {error}"));
                break FAILED;
            }
        }
    };
    report(emulator);
    code
}

/// Ends the command at once: without its link it would only run into time-outs.
fn end(child: &mut Child, signal: Signal) -> u8 {
    let _ = child.kill();
    let _ = child.wait();
    128 + signal as u8
}

/// Gives this process real-time priority; returns whether the kernel permits that.
fn go_first() -> bool {
    let parameters = libc::sched_param { sched_priority: 1 };
    // SAFETY: the kernel reads the parameters, which outlive the call.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) == 0 }
}

/// Prints a line on standard error. `eprintln!` would panic if its reader has ended.
fn say(message: impl Display) {
    let _ = writeln!(io::stderr(), "wirelab-link: {message}");
}
