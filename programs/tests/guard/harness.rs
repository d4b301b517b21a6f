//! Starting the guard and watching what it does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

pub const GUARD: &str = env!("CARGO_BIN_EXE_wirelab-guard");

/// Far more than anything here needs; a guard that hangs fails its test instead of stopping it.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub fn guard(arguments: &[&str]) -> Command {
    let mut command = Command::new(GUARD);
    command.args(arguments).stdin(Stdio::null());
    command
}

/// The guard around a shell script that writes the numbers of its processes to files.
pub fn guard_script(options: &[&str], script: &str, folder: &Path) -> Child {
    let mut command = guard(options);
    command
        .args(["--", "sh", "-c", script])
        .current_dir(folder)
        .spawn()
        .unwrap()
}

pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain until {what}");
        sleep(Duration::from_millis(5));
    }
}

/// The process number that a script writes to a file, as soon as it has.
pub fn pid_in(file: &Path) -> u32 {
    until(&format!("{} has a number", file.display()), || {
        fs::read_to_string(file)
            .ok()?
            .strip_suffix('\n')?
            .parse()
            .ok()
    })
}

/// A process that is there and not only waiting to be reaped.
pub fn lives(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or("").starts_with(" Z"))
}

pub fn status(child: &mut Child) -> ExitStatus {
    until("the guard ends", || child.try_wait().unwrap())
}

pub fn signal(name: &str, pid: u32) {
    let done = Command::new("kill")
        .args([&format!("-{name}"), &pid.to_string()])
        .status();
    assert!(done.unwrap().success());
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|it| std::os::unix::fs::MetadataExt::uid(&it) == 0)
}

pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("guard-{name}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}
