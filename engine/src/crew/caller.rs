//! Whoever started us: commands on standard input, and signals.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;

use memchr::memchr;

use crate::system::signals::{Signals, poll};
use crate::system::wakeup::Wakeup;

/// A line longer than this is no command.
const LONGEST_LINE: usize = 16 << 20;

pub struct Caller {
    signals: Signals,
    /// If commands come on standard input.
    input: Option<Input>,
    is_signalled: bool,
}

impl Caller {
    /// Blocks SIGINT and SIGTERM in this thread and those it starts.
    pub fn new(gives_commands: bool) -> io::Result<Self> {
        let input = gives_commands.then(|| io::stdin().as_fd().try_clone_to_owned());
        let input = input.transpose()?.map(|it| Input::new(File::from(it)));
        Ok(Self {
            signals: Signals::new()?,
            input,
            is_signalled: false,
        })
    }

    /// Whether everything is to end: by a signal, or because there is nobody any more who gives
    /// commands, and none that has not been obeyed.
    pub fn is_interrupted(&self) -> bool {
        self.is_signalled || self.input.as_ref().is_some_and(Input::has_ended)
    }

    /// Whether a signal to end has come by now, without waiting for one.
    pub fn is_signalled(&mut self) -> io::Result<bool> {
        if !self.is_signalled {
            let [signalled] = poll([Some(self.signals.as_fd())], Some(0))?;
            self.is_signalled = signalled;
        }
        Ok(self.is_signalled)
    }

    /// Waits until something happens: to us, which the caller's state tells, or to the workers,
    /// which is told. After an interruption only to these.
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

    /// The next command, if one has come.
    pub fn next_line(&mut self) -> Option<String> {
        self.input.as_mut()?.lines.pop_front()
    }
}

/// Lines as they come. Read without a buffer of the library, which would hide from `poll` what it
/// holds.
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

    /// Reads what is there.
    fn read(&mut self) -> io::Result<()> {
        let mut piece = [0; 1 << 16];
        let count = self.file.read(&mut piece)?;
        self.is_closed = count == 0;
        // What has come before has no end of a line in it.
        let mut searched = self.rest.len();
        self.rest.extend_from_slice(&piece[..count]);
        while let Some(place) = memchr(b'\n', &self.rest[searched..]) {
            let end = searched + place;
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            self.take(&line[..end]);
            searched = 0;
        }
        if self.is_closed || self.rest.len() > LONGEST_LINE {
            // The last line may do without an end; what is too long will be refused.
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
    fn lines_come_whole_and_in_their_order() {
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
