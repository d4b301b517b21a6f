//! Where a server listens.

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use socket2::SockAddr;

/// What precedes the path of a Unix socket.
const UNIX: &str = "unix:";

/// The address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    Inet(SocketAddr),
    Unix(PathBuf),
}

impl Address {
    /// All addresses of `host:port`, in the order in which they are tried, or the one of
    /// `unix:path`. None if the name cannot be resolved.
    pub fn resolve(text: &str) -> Vec<Self> {
        if let Some(path) = text.strip_prefix(UNIX) {
            return vec![Self::Unix(path.into())];
        }
        let found: Vec<SocketAddr> = match cfg!(any(test, feature = "fuzzing")) {
            true => text.parse().into_iter().collect(), // random names must not be resolved
            false => text.to_socket_addrs().into_iter().flatten().collect(),
        };
        found.into_iter().map(Self::Inet).collect()
    }

    /// The same as the system knows it. The error is that a path is too long.
    pub fn of_system(&self) -> io::Result<SockAddr> {
        match self {
            Self::Inet(address) => Ok(SockAddr::from(*address)),
            Self::Unix(path) => SockAddr::unix(path),
        }
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Self::Inet(address)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Inet(address) => address.fmt(to),
            Self::Unix(path) => write!(to, "{UNIX}{}", path.display()),
        }
    }
}
