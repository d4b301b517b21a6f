//! The null servers of the program itself.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use super::about_the_first;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_wirelab-engine");

/// A null server, which ends with the test.
pub struct Null {
    pub child: Child,
    /// host:port
    pub authority: String,
    /// With TLS: the file of its certificate.
    pub certificate: String,
}

impl Null {
    pub fn start(protocol: &str, bytes: &str) -> Self {
        Self::start_with(protocol, bytes, &[])
    }

    pub fn start_with(protocol: &str, bytes: &str, options: &[&str]) -> Self {
        let mut child = Command::new(PROGRAM)
            .args(["null", protocol, "--port", "0", "--bytes", bytes])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let mut certificate = String::new();
        if options.contains(&"--tls") {
            reader.read_line(&mut certificate).unwrap();
        }
        let (_, rest) = line.trim().split_once("://").unwrap();
        Self {
            child,
            authority: rest.trim_end_matches('/').into(),
            certificate: certificate.trim().replace("certificate ", ""),
        }
    }
}

impl Drop for Null {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // A killed server cannot remove the certificate it made.
        let _ = std::fs::remove_file(&self.certificate);
    }
}

/// Runs the program to its end.
pub fn load(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).output().unwrap()
}

/// What it has printed of its only target, having ended well.
pub fn result(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{text}");
    about_the_first(&serde_json::from_slice(&output.stdout).unwrap())
}
