//! Addresses as people write them: scheme://host[:port][/path].

#[derive(Debug, PartialEq, Eq)]
pub struct Url<'a> {
    /// The transport of a job, as it is called there.
    pub transport: &'static str,
    pub is_secure: bool,
    pub authority: &'a str,
    /// With the port, even where it is the ordinary one.
    pub address: String,
    /// From the first slash on, with the query.
    pub path: &'a str,
}

pub fn parse(text: &str) -> Result<Url<'_>, String> {
    const EXPECTED: &str =
        "expected http(s)://, h2c://, h2://, h3://, grpc(s):// or ws(s)://, and host:port/path";
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    let (transport, is_secure) = match scheme {
        "http" => ("http1", false),
        "https" => ("http1", true),
        "h2c" => ("http2", false),
        "h2" => ("http2", true),
        "h3" => ("http3", true),
        "grpc" => ("grpc", false),
        "grpcs" => ("grpc", true),
        "ws" => ("websocket", false),
        "wss" => ("websocket", true),
        _ => return Err(format!("{text}: unknown scheme {scheme:?}; {EXPECTED}")),
    };
    let rest = rest.split('#').next().unwrap_or_default();
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if authority.is_empty() || authority.contains('@') {
        return Err(format!("{text}: no plain host; {EXPECTED}"));
    }
    if path.starts_with('?') {
        return Err(format!("{text}: a query without a path; {EXPECTED}"));
    }
    let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| {
        !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    });
    let port = if is_secure { 443 } else { 80 };
    Ok(Url {
        transport,
        is_secure,
        authority,
        address: if has_port {
            authority.into()
        } else {
            format!("{authority}:{port}")
        },
        path: if path.is_empty() { "/" } else { path },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found() {
        let url = parse("http://localhost:8080/games?limit=5#top").unwrap();
        assert_eq!((url.transport, url.authority), ("http1", "localhost:8080"));
        assert_eq!(
            (url.address.as_str(), url.path),
            ("localhost:8080", "/games?limit=5")
        );
        let url = parse("grpcs://localhost/a.B/C").unwrap();
        assert_eq!((url.transport, url.is_secure), ("grpc", true));
        assert_eq!(url.address, "localhost:443");
        let url = parse("ws://[::1]").unwrap();
        assert_eq!((url.address.as_str(), url.path), ("[::1]:80", "/"));
    }

    #[test]
    fn what_cannot_work_is_told() {
        for (text, reason) in [
            ("ftp://a/", "unknown scheme \"ftp\""),
            ("http:///x", "no plain host"),
            ("http://me:secret@a/", "no plain host"),
            ("http://a?x", "without a path"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(reason) && error.contains(text), "{error}");
        }
    }
}
