//! Makes the messages and services of shop.proto, which protoc has described before.

use std::{error::Error, fs};

use prost::Message;
use prost_types::FileDescriptorSet;

const DESCRIBED: &str = "shop.bin";

fn main() -> Result<(), Box<dyn Error>> {
    let described = FileDescriptorSet::decode(fs::read(DESCRIBED)?.as_slice())?;
    tonic_prost_build::configure().build_client(false).compile_fds(described)?;
    println!("cargo:rerun-if-changed={DESCRIBED}");
    Ok(())
}
