//! The process that started the engine: its commands on standard input, and its signals.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;

use memchr::memchr;

use crate::system::signals::{Signals, poll};
use crate::system::wakeup::Wakeup;

/// The longest command, in bytes.
const LONGEST_LINE: usize = 16 << 20;

/// Receives commands and signals.
pub struct Caller {
    signals: Signals,
    /// Present if commands come on standard input.
    input: Option<Input>,
    is_signalled: bool,
}

impl Caller {
    /// Blocks SIGINT and SIGTERM in this thread and in those that it starts, and receives them
    /// here.
    pub fn new(gives_commands: bool) -> io::Result<Self> {
        let input = gives_commands.then(|| io::stdin().as_fd().try_clone_to_owned());
        let input = input.transpose()?.map(|it| Input::new(File::from(it)));
        Ok(Self {
            signals: Signals::new()?,
            input,
            is_signalled: false,
        })
    }

    /// Whether the engine must end: because of a signal, or because standard input has ended and
    /// all commands have been taken.
    pub fn is_interrupted(&self) -> bool {
        self.is_signalled || self.input.as_ref().is_some_and(Input::has_ended)
    }

    /// Whether SIGINT or SIGTERM has arrived by now, without waiting.
    pub fn is_signalled(&mut self) -> io::Result<bool> {
        if !self.is_signalled {
            let [signalled] = poll([Some(self.signals.as_fd())], Some(0))?;
            self.is_signalled = signalled;
        }
        Ok(self.is_signalled)
    }

    /// Waits for a signal, for input or for a report of a worker, at most `timeout_ms`. True if a
    /// worker has reported. After an interruption it waits for reports only.
    pub fn wait(&mut self, reported: &Wakeup, timeout_ms: Option<u32>) -> io::Result<bool> {
        let listens = !self.is_interrupted();
        let input = self.input.as_ref().filter(|input| !input.is_closed);
        let sources = [
            listens.then(|| self.signals.as_fd()),
            input.filter(|_| listens).map(|input| input.file.as_fd()),
            Some(reported.as_fd()),
        ];
        let [signalled, readable, has_reports] = poll(sources, timeout_ms)?;
        self.is_signalled |= signalled;
        if let Some(input) = self.input.as_mut().filter(|_| readable) {
            input.read()?;
        }
        if has_reports {
            reported.clear();
        }
        Ok(has_reports)
    }

    /// The next command, if a whole line has arrived.
    pub fn next_line(&mut self) -> Option<String> {
        self.input.as_mut()?.lines.pop_front()
    }
}

/// Splits standard input into lines. It does not use the standard library's buffer, whose content
/// `poll` does not see.
struct Input {
    file: File,
    lines: VecDeque<String>,
    rest: Vec<u8>,
    is_closed: bool,
}

impl Input {
    fn new(file: File) -> Self {
        Self {
            file,
            lines: VecDeque::new(),
            rest: Vec::new(),
            is_closed: false,
        }
    }

    fn has_ended(&self) -> bool {
        self.is_closed && self.lines.is_empty()
    }

    /// Reads the available bytes.
    fn read(&mut self) -> io::Result<()> {
        let mut piece = [0; 1 << 16];
        let count = self.file.read(&mut piece)?;
        self.is_closed = count == 0;
        // Bytes read before contain no line end.
        let mut searched = self.rest.len();
        self.rest.extend_from_slice(&piece[..count]);
        while let Some(position) = memchr(b'\n', &self.rest[searched..]) {
            let end = searched + position;
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            self.take(&line[..end]);
            searched = 0;
        }
        if self.is_closed || self.rest.len() > LONGEST_LINE {
            // The last line may lack its end; a line that is too long is refused later.
            let rest = std::mem::take(&mut self.rest);
            self.take(&rest);
        }
        Ok(())
    }

    fn take(&mut self, line: &[u8]) {
        if !line.trim_ascii().is_empty() {
            let text = String::from_utf8_lossy(line).into_owned();
            self.lines.push_back(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn lines_arrive_whole_and_in_order() {
        let (reader, mut writer) = io::pipe().unwrap();
        let mut input = Input::new(File::from(std::os::fd::OwnedFd::from(reader)));
        writer.write_all(b"first\n\n  \nlast but").unwrap();
        input.read().unwrap();
        assert_eq!(input.lines, ["first"]);
        writer.write_all(b" one\nlast").unwrap();
        drop(writer);
        input.read().unwrap();
        assert!(!input.has_ended());
        input.read().unwrap();
        assert_eq!(input.lines, ["first", "last but one", "last"]);
        assert!(input.is_closed && !input.has_ended());
        input.lines.clear();
        assert!(input.has_ended());
    }
}
