//! Redirections, which are followed on the same server (RFC 9110, section 15.4).

use crate::job::{Endpoint, Request};
use crate::transport::Reply;

/// The most redirections in a row; the next one fails.
const MOST: u8 = 10;

/// Where a transaction was redirected to.
pub struct Redirect {
    path: String,
    /// Whether method and body stay the same; otherwise it goes on with GET.
    is_same: bool,
    number: u8,
}

impl Redirect {
    /// The redirection of a request by a reply; none if the reply is no redirection, leads to another
    /// server, or if there were too many before.
    pub fn of(
        reply: &Reply,
        request: &Request,
        endpoint: &Endpoint,
        last: Option<&Self>,
    ) -> Option<Self> {
        let is_same = match (reply.status, request.method.as_str()) {
            (307 | 308, _) | (301..=303, "GET" | "HEAD") => true,
            (301 | 302, "QUERY") => true, // RFC 10008: only 303 leads to a GET
            (301..=303, _) => false,
            _ => return None,
        };
        let number = last.map_or(0, |it| it.number) + 1;
        let from = last.map_or(&request.path, |it| &it.path);
        let location = reply.headers.iter().find(|(name, _)| name == "location");
        let location = std::str::from_utf8(&location?.1).ok()?;
        let path = resolve(location, from, endpoint)?;
        (number <= MOST).then_some(Self {
            path,
            is_same: is_same && last.is_none_or(|it| it.is_same),
            number,
        })
    }

    /// The request that follows it.
    pub fn request(&self, request: Request) -> Request {
        let path = self.path.clone();
        if self.is_same {
            return Request { path, ..request };
        }
        let describes_body = |name: &str| name.to_ascii_lowercase().starts_with("content-");
        let headers = request.headers.into_iter();
        Request {
            method: "GET".into(),
            path,
            headers: headers.filter(|(name, _)| !describes_body(name)).collect(),
            body: Vec::new(),
            ..request
        }
    }
}

/// The path of a location on the server of `endpoint`, seen from another path (RFC 3986, section
/// 5.2; dots stay as they are). None on another server, or if it has bytes that an address cannot
/// have.
fn resolve(location: &str, from: &str, endpoint: &Endpoint) -> Option<String> {
    let location = location.split('#').next().unwrap_or_default();
    if !location.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let scheme = if endpoint.tls.is_some() {
        "https:"
    } else {
        "http:"
    };
    let begins_with_scheme = location
        .get(..scheme.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
    let rest = match begins_with_scheme {
        true => &location[scheme.len()..],
        false => location,
    };
    if let Some(rest) = rest.strip_prefix("//") {
        let (server, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let usual = if endpoint.tls.is_some() {
            ":443"
        } else {
            ":80"
        };
        let without_port = |it: &str| it.strip_suffix(usual).unwrap_or(it).to_ascii_lowercase();
        let is_same = without_port(server) == without_port(&endpoint.authority);
        let root = if path.starts_with('/') { "" } else { "/" };
        return is_same.then(|| format!("{root}{path}"));
    }
    let scheme = location.find(':').unwrap_or(location.len());
    if !location[..scheme].contains(['/', '?']) && scheme < location.len() {
        return None; // of another scheme
    }
    let before = from.split('?').next().unwrap_or_default();
    Some(match location.bytes().next() {
        None => from.into(),
        Some(b'/') => location.into(),
        Some(b'?') => format!("{before}{location}"),
        Some(_) => {
            let folder = before.rfind('/').map_or("/", |end| &before[..=end]);
            format!("{folder}{location}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{TransportKind, example};

    #[test]
    fn locations_on_the_same_server_are_paths() {
        let mut endpoint = example::endpoint(TransportKind::Http1);
        endpoint.authority = "example:8080".into();
        for (location, path) in [
            ("/b?c#d", Some("/b?c")),
            ("b", Some("/games/b")),
            ("../b", Some("/games/../b")),
            ("?page=2", Some("/games/a?page=2")),
            ("", Some("/games/a?x")),
            ("HTTP://Example:8080/b", Some("/b")),
            ("//example:8080?x", Some("/?x")),
            ("http://example:8080", Some("/")),
            ("http://example/b", None),
            ("https://example:8080/b", None),
            ("mailto:me", None),
            ("/a b", None),
            ("/a:b", Some("/a:b")),
        ] {
            assert_eq!(
                resolve(location, "/games/a?x", &endpoint).as_deref(),
                path,
                "{location}"
            );
        }
        endpoint.authority = "example".into();
        assert_eq!(
            resolve("http://example:80/b", "/", &endpoint).as_deref(),
            Some("/b")
        );
    }

    #[test]
    fn only_307_and_308_repeat_a_body() {
        let endpoint = example::endpoint(TransportKind::Http1);
        let post = Request {
            method: "POST".into(),
            path: "/a".into(),
            headers: vec![
                ("Content-Type".into(), "x".into()),
                ("x".into(), "y".into()),
            ],
            body: b"body".into(),
            ..Request::default()
        };
        let headers = [("location".to_string(), b"/b".to_vec())];
        let follow = |status, last: Option<&Redirect>| {
            let reply = Reply {
                status,
                headers: &headers,
                ..Reply::example(b"")
            };
            Redirect::of(&reply, &post, &endpoint, last)
        };
        let next = follow(303, None).unwrap().request(post.clone());
        assert_eq!((next.method.as_str(), next.path.as_str()), ("GET", "/b"));
        assert_eq!((next.headers.len(), next.body.len()), (1, 0));
        let next = follow(308, None).unwrap().request(post.clone());
        assert_eq!(
            (next.method.as_str(), next.body.as_slice()),
            ("POST", &b"body"[..])
        );
        let query = Request {
            method: "QUERY".into(),
            ..post.clone()
        };
        for (status, method) in [(301, "QUERY"), (302, "QUERY"), (303, "GET")] {
            let reply = Reply {
                status,
                headers: &headers,
                ..Reply::example(b"")
            };
            let next = Redirect::of(&reply, &query, &endpoint, None).unwrap();
            assert_eq!(next.request(query.clone()).method, method, "{status}");
        }
        assert!(follow(200, None).is_none() && follow(304, None).is_none());
        let mut last = follow(307, None).unwrap();
        for _ in 1..MOST {
            last = follow(307, Some(&last)).unwrap();
        }
        assert!(follow(307, Some(&last)).is_none(), "it never ends");
    }
}
