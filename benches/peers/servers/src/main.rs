//! Neutral servers: one thread each, made of the libraries that production servers are made of.

mod grpc;
mod http3;
mod websocket;

use std::net::SocketAddr;
use std::process::ExitCode;

type Failure = Box<dyn std::error::Error + Send + Sync>;

const USAGE: &str = "wirelab-peer-servers grpc ADDRESS
wirelab-peer-servers websocket ADDRESS
wirelab-peer-servers http3 ADDRESS FOLDER    FOLDER holds the files that are served
wirelab-peer-servers certificate FOLDER      writes certificate.pem and key.pem for localhost";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["grpc", address] => serve(address, grpc::serve),
        ["websocket", address] => serve(address, websocket::serve),
        ["http3", address, folder] => serve(address, |address| http3::serve(address, folder)),
        ["certificate", folder] => http3::write_certificate(folder.as_ref()),
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

fn serve<F>(address: &str, server: impl FnOnce(SocketAddr) -> F) -> Result<(), Failure>
where
    F: Future<Output = Result<(), Failure>>,
{
    let address = address.parse()?;
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build()?.block_on(server(address))
}
