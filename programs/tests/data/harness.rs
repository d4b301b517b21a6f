//! Running the program, and a folder for its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub const DATA: &str = env!("CARGO_BIN_EXE_wirelab-data");

/// An empty folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("data-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// The names of everything in a folder, hidden or not.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

pub fn run(arguments: &[&str], folder: &Path) -> Output {
    Command::new(DATA)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// What it writes to the standard output, when all is well.
pub fn games(arguments: &[&str]) -> String {
    let output = Command::new(DATA)
        .arg("games")
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(text(&output.stderr), "");
    assert!(output.status.success());
    text(&output.stdout)
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What it says about an input that it refuses; nothing must be written then.
pub fn refusal(arguments: &[&str], folder: &Path) -> String {
    let output = run(arguments, folder);
    assert_eq!(text(&output.stdout), "");
    assert_eq!(output.status.code(), Some(2));
    text(&output.stderr)
}
