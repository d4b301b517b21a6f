//! Reads requests in JSON: vegeta's targets, an object for each, or a HAR file (HTTP Archive 1.2) of
//! what a browser or a proxy recorded.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Deserializer, Value};

use super::Entry;
use crate::capture::{Capture, encode};
use crate::cli::instant;
use crate::job::{Problems, Section, kind};

/// Headers of a recording that the engine sets itself, or that held for the recording only.
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
const FORM: &str = "application/x-www-form-urlencoded";

/// The requests of a text, and whether they were recorded. The error is the list of all problems,
/// which do not repeat values: any of them may be a secret.
pub fn parse(text: &str) -> Result<(Vec<Entry>, bool), Vec<String>> {
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    let mut documents = Deserializer::from_str(text).into_iter::<Value>();
    let (mut line, mut read) = (1, 0);
    loop {
        let rest = &text[documents.byte_offset()..];
        let begin = text.len() - rest.trim_start().len();
        line += text[read..begin].matches('\n').count();
        read = begin;
        let document = match documents.next() {
            None => break,
            Some(Ok(document)) => document,
            Some(Err(error)) => {
                problems.push(format!("not JSON: {error}"));
                break;
            }
        };
        if line == 1 && document.get("log").is_some() {
            return har(&document).map(|entries| (entries, true));
        }
        let source = format!("line {line}");
        let found = Problems::without_values("the request");
        let entry = target(
            &Section::new(String::new(), Some(&document), &found),
            &source,
        );
        entries.extend(entry);
        problems.extend(
            found
                .into_inner()
                .into_iter()
                .map(|it| format!("{source}: {it}")),
        );
    }
    match problems.is_empty() {
        true => Ok((entries, false)),
        false => Err(problems),
    }
}

fn target(root: &Section, source: &str) -> Option<Entry> {
    if root.is_absent() {
        return None; // it is not an object
    }
    let method = root.require("method", root.text("method"), "a text");
    let url = root.require("url", root.text("url"), "a text");
    let body = root.read("body", "a text, the bytes in base64", |body| {
        STANDARD.decode(body.as_str()?).ok()
    });
    let mut headers = Vec::new();
    let expected = "an object with a list of texts for each name";
    let named = root.read("header", expected, Value::as_object);
    for (name, values) in named.into_iter().flatten() {
        let texts: Option<Vec<&str>> = values
            .as_array()
            .and_then(|values| values.iter().map(Value::as_str).collect());
        match texts {
            Some(texts) => headers.extend(texts.iter().map(|&it| (name.clone(), it.into()))),
            None => root.problem(&format!("header.{name}"), kind(values), "a list of texts"),
        }
    }
    let expected = "NAME=/json/pointer or NAME=header:NAME";
    let captures = root.items("capture", expected, |capture| {
        Capture::parse(capture.as_str()?).ok()
    });
    Some(Entry {
        method: method?.into(),
        url: url?.into(),
        headers,
        body: body.unwrap_or_default(),
        captures,
        source: source.into(),
        time_s: None,
    })
}

/// The HTTP requests in the order in which they were recorded.
fn har(document: &Value) -> Result<Vec<Entry>, Vec<String>> {
    let problems = Problems::without_values("the HAR file");
    let entries: Vec<Entry> = {
        let log = Section::new("log".into(), document.get("log"), &problems);
        log.allow_all_keys();
        log.sections("entries")
            .iter()
            .filter_map(recorded)
            .collect()
    };
    let problems = problems.into_inner();
    match problems.is_empty() {
        true => Ok(entries),
        false => Err(problems),
    }
}

/// A recorded request; none if it is of another protocol, such as a WebSocket.
fn recorded(entry: &Section) -> Option<Entry> {
    entry.allow_all_keys();
    let request = entry.section("request");
    entry.require("request", (!request.is_absent()).then_some(()), "an object")?;
    request.allow_all_keys();
    let method = request.require("method", request.text("method"), "a text");
    let url = request.require("url", request.text("url"), "a text");
    if !url?.starts_with("http") {
        return None;
    }
    let headers = pairs(&request, "headers").into_iter().filter(|(name, _)| {
        let name = name.to_ascii_lowercase();
        !name.starts_with(':') && !LEFT_OUT.contains(&name.as_str())
    });
    Some(Entry {
        method: method?.into(),
        url: url?.into(),
        headers: headers.collect(),
        body: posted(&request.section("postData")),
        captures: Vec::new(),
        source: entry.path("request"),
        time_s: entry.text("startedDateTime").and_then(instant::seconds),
    })
}

/// The body, which is recorded as a text or as the values of a form.
fn posted(data: &Section) -> Vec<u8> {
    data.allow_all_keys();
    let text = data.text("text").unwrap_or_default();
    let values = pairs(data, "params");
    let is_encoded = data.choice("encoding", &[("base64", ())]).is_some();
    if text.is_empty() && !values.is_empty() {
        let media_type = data.text("mimeType").unwrap_or_default();
        if !media_type.to_ascii_lowercase().starts_with(FORM) {
            let expected = format!("{FORM}, or postData.text with the whole body");
            data.problem("mimeType", "a form that cannot be encoded again", expected);
        }
        let encoded = |text: &str| encode(text).replace("%20", "+");
        let pair = |(name, value): &(String, String)| encoded(name) + "=" + &encoded(value);
        return values.iter().map(pair).collect::<Vec<_>>().join("&").into();
    }
    if !is_encoded {
        return text.into();
    }
    STANDARD.decode(text).unwrap_or_else(|_| {
        data.problem("text", "not base64", "base64, as `encoding` says");
        Vec::new()
    })
}

/// The objects of a list, each a name and a value.
fn pairs(section: &Section, key: &'static str) -> Vec<(String, String)> {
    let pair = |pair: Section| {
        pair.allow_all_keys();
        let name = pair.require("name", pair.text("name"), "a text");
        let value = pair.require("value", pair.text("value"), "a text");
        Some((name?.into(), value?.into()))
    };
    section.sections(key).into_iter().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<Entry> {
        parse(text).unwrap().0
    }

    fn har_with(request: &str) -> String {
        format!("{{\"log\": {{\"entries\": [{{\"request\": {request}}}]}}}}")
    }

    fn posted(data: &str) -> Result<Vec<u8>, Vec<String>> {
        let request =
            format!("{{\"method\": \"POST\", \"url\": \"http://a/\", \"postData\": {data}}}");
        parse(&har_with(&request)).map(|(entries, _)| entries[0].body.clone())
    }

    #[test]
    fn targets_are_objects_one_after_the_other() {
        let text = "{\"method\":\"POST\",\"url\":\"http://a/x\",\"body\":\"aGk=\",\
                    \"header\":{\"X\":[\"1\",\"2\"]}}\n\n{\"method\": \"GET\",\n \"url\": \"/y\"}";
        let found = entries(text);
        assert_eq!(found[0].body, b"hi");
        let headers = [("X".into(), "1".into()), ("X".into(), "2".into())];
        assert_eq!(found[0].headers, headers);
        let sources: Vec<&str> = found.iter().map(|it| it.source.as_str()).collect();
        assert_eq!(sources, ["line 1", "line 3"]);
    }

    #[test]
    fn what_a_target_cannot_have_is_named_without_its_value() {
        for (wrong, key) in [
            ("\"body\": {\"a\": \"s3cret\"}", "body"),
            ("\"body\": 5", "body"),
            ("\"body\": \"s3cret!\"", "body"),
            ("\"header\": {\"X-Id\": [7, \"s3cret\"]}", "header.X-Id"),
            ("\"header\": {\"X-Id\": \"s3cret\"}", "header.X-Id"),
            ("\"header\": [\"X-Id: s3cret\"]", "header"),
            ("\"headers\": {\"X-Id\": [\"s3cret\"]}", "headers"),
            ("\"capture\": [\"s3cret\"]", "capture[0]"),
        ] {
            let text = format!("{{\"method\": \"GET\", \"url\": \"/\", {wrong}}}");
            let problems = parse(&text).unwrap_err();
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert!(
                problems[0].starts_with(&format!("line 1: {key}: ")),
                "{problems:?}"
            );
            assert!(!problems[0].contains("s3cret"), "{problems:?}");
        }
        let problems = parse("{\"method\":\"GET\"}\n[]\n{\n").unwrap_err();
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(
            problems[0].starts_with("line 1: url: missing"),
            "{problems:?}"
        );
    }

    #[test]
    fn recorded_requests_are_read() {
        let text = r#"{ "log": { "version": "1.2", "creator": {}, "entries": [
            { "startedDateTime": "x", "response": {}, "request": { "method": "POST",
              "url": "https://a/x?q=1", "httpVersion": "h2", "queryString": [],
              "headers": [ {"name": ":path", "value": "/x"}, {"name": "Host", "value": "a"},
                           {"name": "Cookie", "value": "s=1"} ],
              "postData": { "mimeType": "application/json", "text": "{\"a\":{id}}" } } },
            { "request": { "method": "GET", "url": "wss://a/socket", "headers": [] } },
            { "request": { "method": "PUT", "url": "https://a/y",
              "postData": { "text": "AAE=", "encoding": "base64" } } } ] } }"#;
        let (entries, is_recorded) = parse(text).unwrap();
        assert!(is_recorded);
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].headers, [("Cookie".into(), "s=1".into())]);
        assert_eq!(entries[0].body, b"{\"a\":{id}}");
        assert_eq!(
            (entries[1].body.as_slice(), entries[1].source.as_str()),
            (&[0, 1][..], "log.entries[2].request")
        );
    }

    #[test]
    fn the_values_of_a_form_are_its_body() {
        let params = r#""params": [{"name": "user", "value": "ann"}, {"name": "pass word", "value": "a&b"}]"#;
        let form = format!("\"mimeType\": \"{FORM}; charset=UTF-8\"");
        let expected = Ok(b"user=ann&pass+word=a%26b".to_vec());
        assert_eq!(posted(&format!("{{{form}, {params}}}")), expected);
        assert_eq!(
            posted(&format!("{{{form}, {params}, \"text\": \"\"}}")),
            expected
        );
        let whole = posted(&format!("{{{form}, {params}, \"text\": \"user=ann\"}}"));
        assert_eq!(whole, Ok(b"user=ann".to_vec()), "both were recorded");
        let parts = format!("{{\"mimeType\": \"multipart/form-data; boundary=X\", {params}}}");
        let problems = posted(&parts).unwrap_err();
        assert!(problems[0].starts_with("log.entries[0].request.postData.mimeType: "));
    }

    #[test]
    fn what_a_recording_cannot_have_is_named_without_its_value() {
        for (request, key) in [
            ("\"s3cret\"", ""),
            ("{\"method\": \"GET\"}", ".url"),
            (
                r#"{"method": "GET", "url": "http://a/", "headers": {"Cookie": "s3cret"}}"#,
                ".headers",
            ),
            (
                r#"{"method": "GET", "url": "http://a/", "headers": [{"name": "Cookie", "value": ["s3cret"]}]}"#,
                ".headers[0].value",
            ),
            (
                r#"{"method": "GET", "url": "http://a/", "postData": {"text": {"a": "s3cret"}}}"#,
                ".postData.text",
            ),
            (
                r#"{"method": "GET", "url": "http://a/", "postData": {"text": "s3cret!", "encoding": "base64"}}"#,
                ".postData.text",
            ),
        ] {
            let problems = parse(&har_with(request)).unwrap_err();
            let place = format!("log.entries[0].request{key}: ");
            assert!(problems[0].starts_with(&place), "{problems:?}");
            assert!(
                problems.iter().all(|it| !it.contains("s3cret")),
                "{problems:?}"
            );
        }
        assert!(parse("{\"log\": []}").is_err());
    }
}
