//! System calls behind small safe functions. No other code of the crate is `unsafe`, except reading
//! the time-stamp counter.

mod address;
pub mod alarm;
pub mod epoll;
pub mod mailbox;
pub mod process;
pub mod signals;
pub mod tcp;
pub mod time;
pub mod wakeup;

use std::io;

pub use address::Address;

/// Turns the C convention of -1 and errno into a `Result`.
fn check(returned: libc::c_int) -> io::Result<libc::c_int> {
    if returned < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(returned)
    }
}
