//! Makes the messages and services of shop.proto, without a protoc.

use std::{env, error::Error, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let described = protox::compile(["shop.proto"], ["."])?;
    let folder = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(folder.join("shop.bin"), protox::prost::Message::encode_to_vec(&described))?;
    tonic_prost_build::configure().build_client(false).compile_fds(described)?;
    println!("cargo:rerun-if-changed=shop.proto");
    Ok(())
}
