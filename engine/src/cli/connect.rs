//! The options of connections and of TLS.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

use crate::duration::seconds;

#[derive(Args, Debug, PartialEq)]
pub struct ConnectOptions {
    /// Use HTTP/2 for an http:// or https:// address
    ///
    /// With http:// the server must expect it (prior knowledge).
    #[arg(long)]
    pub http2: bool,

    /// Use HTTP/3 over QUIC for an https:// address
    ///
    /// The server must expect it (prior knowledge).
    #[arg(long, conflicts_with = "http2")]
    pub http3: bool,

    /// Trusted certificates (PEM) instead of the system's
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub ca: Option<PathBuf>,

    /// Client certificate (PEM), with the chain to its CA
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,

    /// Private key (PEM) of --cert
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,

    /// Accept any certificate; the result says so
    #[arg(long)]
    pub insecure: bool,

    /// Server's name in TLS [default: the host of the URL]
    ///
    /// The name that is sent (SNI) and that the certificate must have.
    #[arg(long, value_name = "NAME")]
    pub server_name: Option<String>,

    /// A full TLS handshake per connection, never resumed
    #[arg(long)]
    pub no_resumption: bool,

    /// A new connection for each request
    #[arg(long)]
    pub no_reuse: bool,

    /// Connect to HOST:PORT, or to unix:PATH, instead
    ///
    /// Requests and TLS keep the name in the URL. With several servers: one address for all, or
    /// the option once for each, in their order.
    #[arg(long, value_name = "ADDRESS")]
    pub connect_to: Vec<String>,

    /// IP address to connect from; several take turns
    ///
    /// Of this machine, separated by commas: each has its own 60,000 ports.
    #[arg(long, value_delimiter = ',', value_name = "ADDRESSES")]
    pub source: Vec<IpAddr>,

    /// Wait up to this time until the server answers
    ///
    /// Until then it is asked ten times a second: HTTP servers with GET at the path of the first
    /// request, of which any answer but 502, 503 and 504 counts, gRPC servers for their health. If
    /// it does not answer in time, the load begins all the same.
    #[arg(long, value_parser = seconds, value_name = "TIME")]
    pub wait: Option<f64>,

    /// Time-out of connecting, including TLS
    #[arg(long, value_parser = seconds, default_value = "5s", value_name = "TIME")]
    pub connect_timeout: f64,

    /// Time-out of a request, from its actual start
    #[arg(long, value_parser = seconds, default_value = "10s", value_name = "TIME")]
    pub timeout: f64,
}

impl ConnectOptions {
    /// Whether an option needs TLS.
    pub fn needs_tls(&self) -> bool {
        self.ca.is_some()
            || self.cert.is_some()
            || self.insecure
            || self.no_resumption
            || self.server_name.is_some()
    }

    /// The address to connect to instead of that of a server's URL, by the server's index.
    pub fn address(&self, server: usize) -> Option<&str> {
        let given = match self.connect_to.as_slice() {
            [only] => Some(only),
            several => several.get(server),
        };
        given.map(String::as_str)
    }

    /// The problem with this number of servers, if there is one.
    pub fn flaw(&self, servers: usize) -> Option<String> {
        let given = self.connect_to.len();
        (given > 1 && given != servers).then(|| {
            format!("--connect-to: {given} addresses for {servers} servers; expected one for all, or one for each")
        })
    }
}
