//! Checks replies against expectations. Every reply is checked, so this must be cheap: it hashes
//! the body instead of decoding it.

mod known;

use memchr::memmem::Finder;

use crate::failure::Failure;
use crate::job::Expectation;
use crate::transport::Reply;

pub use known::KnownBodies;
pub use known::xxh3_64;

/// The expectation in a mismatch without any reply.
pub const ANY_REPLY: &str = "a reply";
/// The reason of a mismatch whose values are statuses.
pub const STATUS_DIFFERS: &str = "status differs";

/// An expectation, prepared for checking.
pub struct Check {
    status: Option<u16>,
    body_xxh3: Option<u64>,
    body_length: Option<u64>,
    must_not_contain: Vec<Finder<'static>>,
    items: Option<u32>,
    /// Whether replies that pass are sampled.
    pub wants_sample: bool,
}

impl Check {
    /// Prepares an expectation.
    pub fn new(expectation: &Expectation) -> Self {
        let finder = |text: &String| Finder::new(text).into_owned();
        Self {
            status: expectation.status,
            body_xxh3: expectation.body_xxh3,
            body_length: expectation.body_length,
            must_not_contain: expectation.must_not_contain.iter().map(finder).collect(),
            items: expectation.items,
            wants_sample: expectation.sample,
        }
    }

    /// The failure of a reply to a request, if there is one.
    #[inline]
    pub fn judge(
        &self,
        request: u32,
        reply: &Reply,
        wrong_status: Failure,
        known: &mut KnownBodies,
    ) -> Option<Failure> {
        if self
            .status
            .map_or(!reply.success, |status| status != reply.status)
        {
            return Some(wrong_status);
        }
        if self.items.is_some_and(|items| items != reply.items.count) {
            return Some(Failure::ItemCount);
        }
        if self
            .body_length
            .is_some_and(|length| length != reply.length())
        {
            return Some(Failure::BodyMismatch);
        }
        if self.body_xxh3.is_some_and(|hash| match reply.long {
            None => !known.has_hash(request, reply.body, hash),
            Some(long) => long.xxh3 != hash,
        }) {
            return Some(Failure::BodyMismatch);
        }
        self.forbidden(reply).map(|_| Failure::ForbiddenContent)
    }

    /// The first forbidden text that the reply contains.
    #[inline]
    fn forbidden(&self, reply: &Reply) -> Option<&Finder<'static>> {
        match reply.long {
            None => {
                let mut texts = self.must_not_contain.iter();
                texts.find(|finder| finder.find(reply.body).is_some())
            }
            Some(long) => self.must_not_contain.get(usize::from(long.found?)),
        }
    }

    /// The expected and the actual value, in words, for a reply with this failure.
    pub fn explain(&self, reply: &Reply, failure: Failure) -> Explanation {
        let (reason, expected, got) = match failure {
            Failure::BodyMismatch => {
                let length = reply.length();
                match self.body_length.filter(|&expected| expected != length) {
                    Some(expected) => ("length differs", expected.to_string(), length.to_string()),
                    None => {
                        let expected = self.body_xxh3.map(hexadecimal).unwrap_or_default();
                        let hash = reply.long.map_or_else(|| xxh3_64(reply.body), |it| it.xxh3);
                        ("body differs", expected, hexadecimal(hash))
                    }
                }
            }
            Failure::ItemCount => {
                let expected = self.items.unwrap_or_default().to_string();
                (
                    "number of items differs",
                    expected,
                    reply.items.count.to_string(),
                )
            }
            Failure::ForbiddenContent => {
                let text = self
                    .forbidden(reply)
                    .map(|finder| String::from_utf8_lossy(finder.needle()));
                let text = text.unwrap_or_default();
                (
                    "forbidden content",
                    format!("a body without {text:?}"),
                    text.into_owned(),
                )
            }
            _ => {
                let expected = self
                    .status
                    .map_or("success".into(), |status| status.to_string());
                (STATUS_DIFFERS, expected, reply.status.to_string())
            }
        };
        Explanation {
            reason,
            expected,
            got,
        }
    }
}

/// The reason of a mismatch, with the expected and the actual value.
pub struct Explanation {
    pub reason: &'static str,
    pub expected: String,
    pub got: String,
}

fn hexadecimal(hash: u64) -> String {
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, body: &[u8]) -> Reply<'_> {
        Reply {
            status,
            success: status == 200,
            ..Reply::example(body)
        }
    }

    fn judge(expectation: &Expectation, reply: Reply) -> Option<Failure> {
        Check::new(expectation).judge(0, &reply, Failure::Status, &mut KnownBodies::new(1))
    }

    #[test]
    fn without_expectation_success_is_enough() {
        let nothing = Expectation::default();
        assert_eq!(judge(&nothing, reply(200, b"x")), None);
        assert_eq!(judge(&nothing, reply(500, b"x")), Some(Failure::Status));
    }

    #[test]
    fn each_expectation_is_checked() {
        let expectation = Expectation {
            status: Some(404),
            body_xxh3: Some(xxh3_64(b"no such game")),
            body_length: Some(12),
            must_not_contain: vec!["Traceback".into()],
            items: None,
            sample: false,
        };
        assert_eq!(judge(&expectation, reply(404, b"no such game")), None);
        assert_eq!(
            judge(&expectation, reply(200, b"no such game")),
            Some(Failure::Status)
        );
        assert_eq!(
            judge(&expectation, reply(404, b"no such")),
            Some(Failure::BodyMismatch)
        );
        assert_eq!(
            judge(&expectation, reply(404, b"no such lame")),
            Some(Failure::BodyMismatch)
        );
        let forbidding = Expectation {
            must_not_contain: vec!["x".into()],
            ..Default::default()
        };
        assert_eq!(
            judge(&forbidding, reply(200, b"axb")),
            Some(Failure::ForbiddenContent)
        );
    }

    #[test]
    fn the_hash_is_xxh3_64() {
        assert_eq!(hexadecimal(xxh3_64(b"")), "2d06800538d394c2");
        let body: Vec<u8> = (0..5_000_u32).map(|number| (number * 7) as u8).collect();
        for length in [
            1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 1_024, 1_025, 5_000,
        ] {
            let expected = xxhash_rust::xxh3::xxh3_64(&body[..length]);
            assert_eq!(xxh3_64(&body[..length]), expected, "{length}");
        }
    }

    #[test]
    fn differences_are_explained() {
        let check = Check::new(&Expectation {
            status: Some(200),
            ..Default::default()
        });
        let explanation = check.explain(&reply(503, b""), Failure::Status);
        assert_eq!(explanation.reason, STATUS_DIFFERS);
        assert_eq!(
            (explanation.expected.as_str(), explanation.got.as_str()),
            ("200", "503")
        );
    }
}
