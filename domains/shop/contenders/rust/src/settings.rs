//! What the command line and the environment say.

use std::env;
use std::net::SocketAddr;

#[derive(Clone, Copy)]
pub enum Protocol {
    Rest,
    Graphql,
    Grpc,
    Mcp,
}

pub struct Settings {
    pub protocol: Protocol,
    pub address: SocketAddr,
    pub store_url: String,
    /// Tools answer by streams of events.
    pub streamed: bool,
}

impl Settings {
    /// Reads them, or gives one text that names everything that is wrong.
    pub fn read() -> Result<Self, String> {
        let mut problems = vec![];
        let mut wrong =
            |name: &str, expected: &str, got: &str| problems.push(format!("{name}: expected {expected}, got {got:?}"));
        let arguments: Vec<String> = env::args().skip(1).collect();
        let protocol = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["--protocol", "rest"] => Some(Protocol::Rest),
            ["--protocol", "graphql"] => Some(Protocol::Graphql),
            ["--protocol", "grpc"] => Some(Protocol::Grpc),
            ["--protocol", "mcp"] => Some(Protocol::Mcp),
            _ => {
                wrong("arguments", "--protocol and rest, graphql, grpc or mcp", &arguments.join(" "));
                None
            }
        };
        let given = |name: &str| env::var(name).unwrap_or_default();
        let (host, port, store_url) = (given("WIRELAB_HOST"), given("WIRELAB_PORT"), given("WIRELAB_STORE_URL"));
        let address = format!("{host}:{port}").parse().ok();
        if address.is_none() {
            wrong("WIRELAB_HOST and WIRELAB_PORT", "an address and a port", &format!("{host}:{port}"));
        }
        if !store_url.starts_with("postgres") {
            wrong("WIRELAB_STORE_URL", "postgresql://USER@HOST:PORT/DATABASE", &store_url);
        }
        let answers = given("SHOP_ANSWERS");
        if !["", "json", "events"].contains(&answers.as_str()) {
            wrong("SHOP_ANSWERS", "json or events", &answers);
        }
        match (protocol, address) {
            (Some(protocol), Some(address)) if problems.is_empty() => Ok(Self { protocol, address, store_url, streamed: answers == "events" }),
            _ => Err(problems.join("\n")),
        }
    }
}
