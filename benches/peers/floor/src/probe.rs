//! The state of the machine: what a request costs plain sockets at this moment.
//!
//! Machines like this change their speed by a quarter, in the kernel's network path only, for tens
//! of seconds; a loop that only computes does not see it.

use std::net::TcpListener;

use crate::Failure;
use crate::arguments::Arguments;
use crate::client::Client;
use crate::process::{pin, thread_cpu_ns};
use crate::{server, wire};

const CONNECTIONS: usize = 64;
const BODY: [u8; 130] = [b'x'; 130];

pub fn run(arguments: &[String]) -> Result<(), Failure> {
    let arguments = Arguments::read(arguments, &["seconds", "server-cpu", "client-cpu"])?;
    let seconds = arguments.number("seconds", 1.0)?;
    let server_cpu = arguments.number("server-cpu", 0)?;
    let client_cpu = arguments.number("client-cpu", 1)?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    // Ends with the process; when it fails, the client's connections do, too.
    std::thread::spawn(move || {
        pin(server_cpu)?;
        server::serve(&listener, &wire::answer(&BODY))
    });
    pin(client_cpu)?;
    let exchange = wire::http1(address, "/")?;
    let mut client = Client::connect(exchange, CONNECTIONS, || Ok(wire::connect(address)?))?;
    let before_ns = thread_cpu_ns();
    client.run_closed(seconds)?;
    let used_us = (thread_cpu_ns() - before_ns) as f64 / 1000.0;
    println!(
        "{{\"requests\": {}, \"cpu_us_per_request\": {:.4}}}",
        client.requests(),
        used_us / client.requests().max(1) as f64,
    );
    Ok(())
}
