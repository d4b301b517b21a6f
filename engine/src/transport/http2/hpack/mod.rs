//! Header compression of HTTP/2 (RFC 7541), in both directions.

mod decoder;
mod encoder;
pub mod huffman;
pub mod integer;
mod table;
mod text;

pub use decoder::Decoder;
pub use encoder::{Encoder, Field, Indexing};
pub use text::Texts;

#[cfg(test)]
mod tests;
