//! What plain sockets cost on this machine: the limit that load generators are held against.
//!
//! A client that does nothing but the system calls of a request and two readings of the clock, a
//! server that does nothing but answer, and what a comparison needs around them: a probe of the
//! machine's state, a recorder of arrivals, and a launcher that reads what a program has used.

mod arguments;
mod client;
mod epoll;
mod histogram;
mod launch;
mod probe;
mod process;
mod recorder;
mod server;
mod wire;

use std::process::ExitCode;

pub type Failure = Box<dyn std::error::Error + Send + Sync>;

const USAGE: &str = "wirelab-floor client http1|websocket ADDRESS [--path PATH] [--message FILE]
              [--connections N] [--seconds S] [--rate N]     closed loop, or N/s, spinning
wirelab-floor server ADDRESS BODY-FILE                       answers every HTTP/1.1 request
wirelab-floor recorder ADDRESS BODY-FILE --output FILE [--hold-us N]
              answers, too, polling, after N us; arrivals and answers go to FILE at SIGTERM
wirelab-floor probe [--seconds S] [--server-cpu N] [--client-cpu N]
wirelab-floor launch USAGE-FILE OUTPUT-FILE PROGRAM [ARGUMENT...]
              runs PROGRAM and writes its output and its resource usage";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("", &[][..]),
    };
    let done = match command {
        "client" => client::run(rest),
        "server" => server::run(rest),
        "recorder" => recorder::run(rest),
        "probe" => probe::run(rest),
        "launch" => return launch::run(rest),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
