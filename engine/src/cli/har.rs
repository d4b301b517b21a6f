//! Reads requests recorded by a browser or a proxy: HTTP Archive format (HAR) 1.2.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::targets::Entry;

#[derive(Deserialize)]
struct Archive {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Recorded>,
}

#[derive(Deserialize)]
struct Recorded {
    request: Request,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<Header>,
    post_data: Option<PostData>,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct PostData {
    #[serde(default)]
    text: String,
    encoding: Option<String>,
}

/// Headers that the engine sets itself, or that held for the recording only.
const LEFT_OUT: [&str; 9] = [
    "accept-encoding",
    "connection",
    "content-length",
    "host",
    "if-modified-since",
    "if-none-match",
    "keep-alive",
    "transfer-encoding",
    "upgrade",
];

/// Whether a text is an archive, valid or not.
pub fn is_har(text: &str) -> bool {
    let inside = text.trim_start().strip_prefix('{').map(str::trim_start);
    inside.is_some_and(|text| text.starts_with("\"log\""))
}

/// The HTTP requests in the order in which they were recorded. The error is the problem.
pub fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let archive: Archive =
        serde_json::from_str(text).map_err(|error| format!("not a HAR file: {error}"))?;
    let recorded = archive.log.entries.into_iter().enumerate();
    recorded
        .filter(|(_, it)| it.request.url.starts_with("http"))
        .map(|(number, it)| entry(it.request, format!("request {}", number + 1)))
        .collect()
}

fn entry(request: Request, source: String) -> Result<Entry, String> {
    let headers = request.headers.into_iter().filter(|header| {
        let name = header.name.to_ascii_lowercase();
        !name.starts_with(':') && !LEFT_OUT.contains(&name.as_str())
    });
    let body = match request.post_data {
        None => Vec::new(),
        Some(data) if data.encoding.as_deref() == Some("base64") => STANDARD
            .decode(data.text)
            .map_err(|_| format!("{source}: its body should be base64, and is not"))?,
        Some(data) => data.text.into_bytes(),
    };
    Ok(Entry {
        method: request.method,
        url: request.url,
        headers: headers.map(|it| (it.name, it.value)).collect(),
        body,
        captures: Vec::new(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_requests_are_read() {
        let text = r#" { "log": { "version": "1.2", "creator": {}, "entries": [
            { "startedDateTime": "x", "response": {}, "request": { "method": "POST",
              "url": "https://a/x?q=1", "httpVersion": "h2", "queryString": [],
              "headers": [ {"name": ":path", "value": "/x"}, {"name": "Host", "value": "a"},
                           {"name": "Cookie", "value": "s=1"} ],
              "postData": { "mimeType": "application/json", "text": "{\"a\":{id}}" } } },
            { "request": { "method": "GET", "url": "wss://a/socket", "headers": [] } },
            { "request": { "method": "PUT", "url": "https://a/y",
              "postData": { "text": "AAE=", "encoding": "base64" } } } ] } }"#;
        assert!(is_har(text) && !is_har("{\"method\":\"GET\"}"));
        let entries = parse(text).unwrap();
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].headers, [("Cookie".into(), "s=1".into())]);
        assert_eq!(entries[0].body, b"{\"a\":{id}}");
        assert_eq!(
            (entries[1].body.as_slice(), entries[1].source.as_str()),
            (&[0, 1][..], "request 3")
        );
        assert!(
            parse("{\"log\": {}}")
                .unwrap_err()
                .contains("not a HAR file")
        );
    }
}
