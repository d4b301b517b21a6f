//! Reads the TLS settings of a target.

use std::path::Path;

use rustls::pki_types::ServerName;

use super::section::Section;
use crate::tls::{Identity, Settings, Trust, Version, roots_of_file, roots_of_system};

/// Reads `tls` of a target; absent means clear text, except `over_quic`. The server's name defaults
/// to that of `authority`.
pub fn settings(section: &Section, authority: Option<&str>, over_quic: bool) -> Option<Settings> {
    if section.is_absent() && !over_quic {
        return None;
    }
    let (insecure, ca) = (section.flag("insecure", false), section.text("ca"));
    let resumption = section.flag("resumption", true);
    let versions = [("1.2", Version::Tls12), ("1.3", Version::Tls13)];
    let version = section.choice("version", &versions);
    if over_quic && version == Some(Version::Tls12) {
        section.problem("version", "1.2", "1.3, which QUIC requires");
    }
    let server_name = server_name(section, authority);
    let trust = match (insecure, ca) {
        (true, Some(_)) => {
            let found = "given with insecure";
            section.problem(
                "ca",
                found,
                "either a file of certificates or insecure = true",
            );
            None
        }
        (true, None) => Some(Trust::Anything),
        (false, Some(path)) => roots_of_file(Path::new(path))
            .map_err(|error| section.problem("ca", error, "a PEM file of certificates"))
            .map(Trust::File)
            .ok(),
        (false, None) => roots_of_system()
            .map_err(|error| section.problem("ca", error, "a PEM file, or insecure = true"))
            .map(Trust::System)
            .ok(),
    };
    let identity = match (section.text("certificate"), section.text("key")) {
        (Some(certificate), Some(key)) => Identity::read(Path::new(certificate), Path::new(key))
            .map_err(|error| {
                let expected = "PEM files of a certificate and of its private key";
                section.problem("certificate", error, expected);
            })
            .ok(),
        (None, None) => None,
        _ => {
            section.problem(
                "certificate",
                "given without the other",
                "both certificate and key",
            );
            None
        }
    };
    Some(Settings {
        identity,
        trust: trust?,
        server_name: server_name?,
        version,
        resumption,
    })
}

fn server_name(section: &Section, authority: Option<&str>) -> Option<ServerName<'static>> {
    let name = section.text("server_name").or(authority.map(host))?;
    let parsed = ServerName::try_from(name.to_owned()).ok();
    if parsed.is_none() {
        let expected = "the host name or IP address that the server's certificate is for";
        section.problem("server_name", format!("{name:?}"), expected);
    }
    parsed
}

/// The host of host:port, without the brackets of an IPv6 address.
fn host(authority: &str) -> &str {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    host.trim_start_matches('[').trim_end_matches(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found() {
        for (authority, expected) in [
            ("localhost:8443", "localhost"),
            ("example.org", "example.org"),
            ("127.0.0.1:1", "127.0.0.1"),
            ("[::1]:8443", "::1"),
            ("[::1]", "::1"),
        ] {
            assert_eq!(host(authority), expected);
        }
    }
}
