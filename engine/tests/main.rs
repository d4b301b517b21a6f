//! The engine as a separate program, against servers in this process. All of it is one crate, so
//! that what the tests share is compiled once.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod support;

mod absent_targets;
mod answers;
mod around_slices;
mod arrival;
mod by_hand;
mod captures;
mod command_line;
mod commands;
mod compare;
mod compression;
mod connecting;
mod expectations;
mod feeds;
mod floods;
mod floods_encrypted;
mod http1;
mod http2;
mod http3;
mod lifecycle;
mod logins;
mod memory;
mod misbehaviour;
mod null_servers;
mod outcome;
mod pacing;
mod prepared;
mod progress;
mod redirects;
mod rpc;
mod secrets;
mod sessions;
mod slices;
mod streams;
mod tls;
mod truth;
mod turns_gone_wrong;
mod websocket;

#[test]
fn every_file_is_a_part_of_this_crate() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs").filter(|&it| it != "main") else {
            continue;
        };
        assert!(
            include_str!("main.rs").contains(&format!("mod {module};\n")),
            "{name}"
        );
    }
}
