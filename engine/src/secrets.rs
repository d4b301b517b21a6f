//! Credentials of requests, and how they are removed from output: a server may repeat them in its
//! answers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::capture::encode;

/// Replaces a credential in output.
pub const HIDDEN: &str = "(hidden)";
/// The shortest secret, in bytes: a shorter text occurs by chance.
const SHORTEST: usize = 4;
/// Headers that are never secret. Any other may be.
const PUBLIC: [&str; 7] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "content-type",
    "soapaction",
    "te",
    "user-agent",
];

/// The value of a header as it is shown.
pub fn shown<'a>(name: &str, value: &'a str) -> &'a str {
    if is_public(name) { value } else { HIDDEN }
}

fn is_public(name: &str) -> bool {
    PUBLIC.iter().any(|it| it.eq_ignore_ascii_case(name))
}

/// The texts that no excerpt of an answer may show.
pub struct Secrets {
    /// In all encodings, the longest first.
    spellings: Vec<Vec<u8>>,
}

impl Secrets {
    /// The secrets in the headers of a request and in the captured values of its client.
    pub fn new<'a>(headers: impl Iterator<Item = &'a (String, String)>, values: &[String]) -> Self {
        let mut texts: Vec<String> = values.to_vec();
        for (name, value) in headers.filter(|(name, _)| !is_public(name)) {
            texts.extend(parts(name, value));
        }
        let long = texts.iter().filter(|it| it.len() >= SHORTEST);
        let mut spellings: Vec<Vec<u8>> = long.flat_map(|it| spellings(it)).collect();
        spellings.sort_unstable_by(|one, other| (other.len(), other).cmp(&(one.len(), one)));
        spellings.dedup();
        Self { spellings }
    }

    /// The first `most` bytes of a text, with its secrets replaced.
    pub fn excerpt(&self, text: &[u8], most: usize) -> String {
        let mut shown = Vec::new();
        let mut at = 0;
        while at < text.len().min(most) {
            let rest = &text[at..];
            match self.spellings.iter().find(|it| rest.starts_with(it)) {
                Some(secret) => {
                    shown.extend_from_slice(HIDDEN.as_bytes());
                    at += secret.len();
                }
                None => {
                    shown.push(text[at]);
                    at += 1;
                }
            }
        }
        String::from_utf8_lossy(&shown).into_owned()
    }
}

/// The value of a header and its secret parts: the credentials after a scheme (`Bearer`), the
/// password of Basic authentication, the values of cookies.
fn parts(name: &str, value: &str) -> Vec<String> {
    let mut found = vec![value.to_string()];
    if name.eq_ignore_ascii_case("cookie") {
        let pairs = value.split(';').filter_map(|pair| pair.split_once('='));
        found.extend(pairs.map(|(_, value)| value.trim().to_string()));
    } else if let Some((scheme, rest)) = value.split_once(' ') {
        found.push(rest.trim().into());
        let is_basic = scheme.eq_ignore_ascii_case("basic");
        let decoded = STANDARD.decode(rest.trim()).ok().filter(|_| is_basic);
        if let Some(pair) = decoded.and_then(|it| String::from_utf8(it).ok()) {
            found.extend(
                pair.split_once(':')
                    .map(|(_, password)| password.to_string()),
            );
            found.push(pair);
        }
    }
    found
}

/// A text in plain, in JSON (some escape the slash) and percent-encoded.
fn spellings(text: &str) -> [Vec<u8>; 4] {
    let quoted = serde_json::Value::from(text).to_string();
    let json = quoted[1..quoted.len() - 1].to_string();
    let slashed = json.replace('/', "\\/");
    [text.into(), json, slashed, encode(text)].map(String::into_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(headers: &[(&str, &str)], text: &str, most: usize) -> String {
        let headers: Vec<(String, String)> = headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        Secrets::new(headers.iter(), &["from-an-answer".into()]).excerpt(text.as_bytes(), most)
    }

    #[test]
    fn credentials_are_hidden_in_all_their_spellings() {
        for (header, text, shown) in [
            (
                ("Authorization", "Bearer a/b+c"),
                "not Bearer a/b+c",
                "not (hidden)",
            ),
            (
                ("authorization", "Bearer a/b+c"),
                "a/b+c a\\/b+c a%2Fb%2Bc",
                "(hidden) (hidden) (hidden)",
            ),
            (
                ("authorization", "Basic bWU6b3BlbiBzZXNhbWU="),
                "bWU6b3BlbiBzZXNhbWU= is me:open sesame, open sesame",
                "(hidden) is (hidden), (hidden)",
            ),
            (
                ("cookie", "lang=en; session=s3cret"),
                "s3cret of en",
                "(hidden) of en",
            ),
            (("x-own", "pass\"word"), "pass\\\"word", "(hidden)"),
            (
                ("accept", "text/html"),
                "no text/html, from-an-answer",
                "no text/html, (hidden)",
            ),
            (("x-short", "abc"), "abc", "abc"),
        ] {
            assert_eq!(excerpt(&[header], text, 200), shown);
        }
    }

    #[test]
    fn no_part_of_a_credential_is_shown_where_the_excerpt_ends() {
        let header = [("x-key", "0123456789")];
        assert_eq!(excerpt(&header, "ab 0123456789 cd", 6), "ab (hidden)");
        assert_eq!(excerpt(&header, "ab 0123456789 cd", 15), "ab (hidden) c");
    }
}
