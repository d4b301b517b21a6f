//! Parses addresses: scheme://host[:port][/path].

use std::borrow::Cow;

/// A parsed address.
#[derive(Debug, PartialEq, Eq)]
pub struct Url<'a> {
    /// The transport, by its name in a job.
    pub transport: &'static str,
    pub is_secure: bool,
    pub authority: &'a str,
    /// Host and port, even if it is the default port.
    pub address: String,
    /// The path from the first slash on, with the query.
    pub path: Cow<'a, str>,
}

/// Parses an address. The error says what is expected.
pub fn parse(text: &str) -> Result<Url<'_>, String> {
    const EXPECTED: &str =
        "expected http(s)://, h2c://, h2://, h3://, grpc(s):// or ws(s)://, and host:port/path";
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    let (transport, is_secure) = match scheme.to_ascii_lowercase().as_str() {
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
    if authority.contains('@') {
        let expected = "expected it in -H 'authorization: ...' or --user";
        return Err(format!("{text}: credentials in the address; {expected}"));
    }
    let authority = authority.strip_suffix(':').unwrap_or(authority);
    if authority.is_empty() {
        return Err(format!("{text}: no host; {EXPECTED}"));
    }
    if !authority.is_ascii() {
        let expected =
            "expected the form that the domain name system has, such as xn--mnchen-3ya.de";
        return Err(format!(
            "{text}: a host with characters beyond ASCII; {expected}"
        ));
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
        path: match path {
            rooted if rooted.starts_with('/') => rooted.into(),
            query => format!("/{query}").into(),
        },
    })
}

/// A path with its query as it may be sent (RFC 9112, section 3.2; RFC 3986, section 3): bytes
/// that an address cannot contain are percent-encoded, also a `%` that encodes nothing. All others
/// stay as they were typed, dots and existing encodings included.
pub fn legal(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let bytes = path.as_bytes();
    for (position, &byte) in bytes.iter().enumerate() {
        let is_legal = match byte {
            b'%' => bytes
                .get(position + 1..position + 3)
                .is_some_and(is_hexadecimal),
            byte => byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte),
        };
        match is_legal {
            true => text.push(char::from(byte)),
            false => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

fn is_hexadecimal(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_url_are_found() {
        let url = parse("http://localhost:8080/games?limit=5#top").unwrap();
        assert_eq!((url.transport, url.authority), ("http1", "localhost:8080"));
        assert_eq!(
            (url.address.as_str(), &*url.path),
            ("localhost:8080", "/games?limit=5")
        );
        let url = parse("grpcs://localhost/a.B/C").unwrap();
        assert_eq!((url.transport, url.is_secure), ("grpc", true));
        assert_eq!(url.address, "localhost:443");
        let url = parse("ws://[::1]").unwrap();
        assert_eq!((url.address.as_str(), &*url.path), ("[::1]:80", "/"));
    }

    #[test]
    fn unusual_urls_have_their_standard_meaning() {
        let url = parse("HTTP://a:?x=1").unwrap();
        assert_eq!((url.transport, url.authority), ("http1", "a"));
        assert_eq!((url.address.as_str(), &*url.path), ("a:80", "/?x=1"));
    }

    #[test]
    fn paths_are_sent_as_typed_as_far_as_they_are_legal() {
        for (typed, sent) in [
            ("/x/../y/./z//", "/x/../y/./z//"),
            (
                "/a%2Fb/%c3%BC;v=1,2@:!$&'()*+",
                "/a%2Fb/%c3%BC;v=1,2@:!$&'()*+",
            ),
            ("/münchen?q=ü", "/m%C3%BCnchen?q=%C3%BC"),
            ("/a?q=\"x\"<y> z", "/a?q=%22x%22%3Cy%3E%20z"),
            ("/[a]{b}|^`\\", "/%5Ba%5D%7Bb%7D%7C%5E%60%5C"),
            ("/50%?a=%zz%4", "/50%25?a=%25zz%254"),
            ("/a\r\nx: y", "/a%0D%0Ax:%20y"),
        ] {
            assert_eq!(legal(typed), sent);
            assert_eq!(legal(sent), sent);
        }
    }

    #[test]
    fn impossible_urls_are_reported() {
        for (text, reason) in [
            ("ftp://a/", "unknown scheme \"ftp\""),
            ("http:///x", "no host"),
            ("http://münchen.de/", "xn--mnchen-3ya.de"),
            ("http://me:secret@a/", "-H 'authorization"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(reason) && error.contains(text), "{error}");
        }
    }
}
