//! Runs a program and writes the resource usage of it and its descendants, as the kernel accounts it.
//!
//! This is a separate process, because the peak memory of a program begins with that of the process that started
//! it, and this one is small.

use std::fs::File;
use std::mem::zeroed;
use std::process::{Command, ExitCode};

use crate::Failure;

pub fn run(arguments: &[String]) -> ExitCode {
    match launch(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(127)
        }
    }
}

fn launch(arguments: &[String]) -> Result<u8, Failure> {
    let [usage_file, output_file, program, rest @ ..] = arguments else {
        return Err("files for the usage and the output, and a program, are needed".into());
    };
    let child = Command::new(program)
        .args(rest)
        .stdout(File::create(output_file)?)
        .spawn()
        .map_err(|error| format!("{program}: {error}"))?;
    let mut status = 0;
    // SAFETY: an rusage is plain numbers, for which zeros are valid.
    let mut usage: libc::rusage = unsafe { zeroed() };
    // SAFETY: the child is ours and not waited for elsewhere; both results are ours to write to.
    let ended = unsafe {
        libc::wait4(
            child.id() as libc::pid_t,
            &raw mut status,
            0,
            &raw mut usage,
        )
    };
    if ended < 0 {
        return Err(std::io::Error::last_os_error().into());
    }
    let microseconds = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    let text = format!(
        "{{\"user_us\": {}, \"system_us\": {}, \"memory_peak_bytes\": {}}}\n",
        microseconds(usage.ru_utime),
        microseconds(usage.ru_stime),
        usage.ru_maxrss as u64 * 1024,
    );
    std::fs::write(usage_file, text)?;
    Ok(if libc::WIFEXITED(status) {
        libc::WEXITSTATUS(status) as u8
    } else {
        128 + libc::WTERMSIG(status) as u8
    })
}
