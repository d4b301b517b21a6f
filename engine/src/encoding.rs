//! The names of content encodings.

/// How a body is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Not compressed.
    #[default]
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
    /// An unknown encoding, or several.
    Unknown,
}

impl Encoding {
    /// The encodings that can be requested, by their names in HTTP.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("gzip", Self::Gzip),
        ("deflate", Self::Deflate),
        ("br", Self::Brotli),
        ("zstd", Self::Zstd),
    ];

    /// Reads the value of `content-encoding`.
    pub fn parse(value: &[u8]) -> Self {
        let value = value.trim_ascii();
        if value.is_empty() || value.eq_ignore_ascii_case(b"identity") {
            return Self::Identity;
        }
        let mut known = Self::NAMES.iter();
        known
            .find(|(name, _)| value.eq_ignore_ascii_case(name.as_bytes()))
            .map_or(Self::Unknown, |(_, encoding)| *encoding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_recognised() {
        for (value, expected) in [
            ("", Encoding::Identity),
            ("identity", Encoding::Identity),
            (" GZIP ", Encoding::Gzip),
            ("br", Encoding::Brotli),
            ("compress", Encoding::Unknown),
            ("gzip, br", Encoding::Unknown),
        ] {
            assert_eq!(Encoding::parse(value.as_bytes()), expected, "{value}");
        }
    }
}
