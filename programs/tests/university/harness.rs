//! Running the program, and folders for what it writes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub const DATA: &str = env!("CARGO_BIN_EXE_wirelab-data");

/// The tables and how many rows they have at scale factor 1.
pub const TABLES: [(&str, usize); 14] = [
    ("coauthorofpublication", 4_635),
    ("department", 15),
    ("faculty", 540),
    ("graduatecourse", 799),
    ("graduatestudent", 1_874),
    ("graduatestudenttakecourse", 3_738),
    ("lecturer", 93),
    ("professor", 447),
    ("publication", 5_999),
    ("researchgroup", 224),
    ("undergraduatecourse", 828),
    ("undergraduatestudent", 5_916),
    ("undergraduatestudenttakecourse", 17_751),
    ("university", 979),
];

/// An empty folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("university-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

pub fn run(arguments: &[&str], folder: &Path) -> Output {
    Command::new(DATA)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Writes an address to a file of its owner's alone; the option that names it.
pub fn address(url: &str, folder: &Path) -> String {
    let path = folder.join("address");
    fs::write(&path, url).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    format!("@{}", path.display())
}

/// Generates universities, and returns the messages.
pub fn universities(options: &[&str], folder: &Path) -> String {
    let output = run(&[&["university"], options].concat(), folder);
    let printed = text(&output.stderr);
    assert!(output.status.success(), "{printed}");
    assert_eq!(text(&output.stdout), "");
    printed
}

/// Returns the message for options that are refused; nothing may exist afterwards.
pub fn refusal(arguments: &[&str], folder: &Path, code: i32) -> String {
    let before = files(folder);
    let output = run(arguments, folder);
    assert_eq!(text(&output.stdout), "");
    assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    assert_eq!(files(folder), before);
    text(&output.stderr)
}

/// All files in a folder and the folders in it, hidden or not; of a folder an empty text.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            let inside = files(&path).into_iter();
            found.extend(inside.map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
            found.insert(name, Vec::new());
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

pub fn read(path: &Path) -> String {
    text(&fs::read(path).unwrap())
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
