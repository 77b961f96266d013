//! A pseudo-terminal with a program in it, and what a person would see there.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// Far beyond what anything here takes, on however slow a machine.
const PATIENCE: Duration = Duration::from_secs(240);

pub(crate) struct Terminal {
    child: Child,
    keys: File,
    output: Receiver<Vec<u8>>,
    seen: Vec<u8>,
    width: usize,
}

/// How a program ended, and what it left.
pub(crate) struct Ended {
    /// None where a signal ended it.
    pub(crate) status: Option<i32>,
    /// All bytes that came.
    pub(crate) all: String,
    /// What stands on the screen at the end.
    pub(crate) screen: String,
}

impl Terminal {
    pub(crate) fn start(mut command: Command, width: u16) -> Terminal {
        let (mut main, mut other) = (-1, -1);
        let size = libc::winsize { ws_row: 50, ws_col: width, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: both ends are new, and owned by nobody else.
        let (main, other) = unsafe {
            let (name, modes) = (std::ptr::null_mut(), std::ptr::null());
            assert_eq!(libc::openpty(&mut main, &mut other, name, modes, &size), 0, "a terminal");
            (File::from(OwnedFd::from_raw_fd(main)), OwnedFd::from_raw_fd(other))
        };
        let end = || other.try_clone().expect("a copy");
        command.stdin(end()).stdout(end()).stderr(end());
        // SAFETY: both are safe to call between fork and exec.
        unsafe {
            command.pre_exec(|| {
                // Keys that mean a signal reach the program of the session whose terminal it is.
                match libc::setsid() == -1 || libc::ioctl(0, libc::TIOCSCTTY, 0) == -1 {
                    true => Err(std::io::Error::last_os_error()),
                    false => Ok(()),
                }
            });
        }
        let child = command.spawn().expect("the program starts");
        // No end is left open here: the output is over when the program is.
        drop((command, other));
        let (send, output) = mpsc::channel();
        let mut from = main.try_clone().expect("a copy");
        assert!(from.as_raw_fd() >= 0);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = from.read(&mut bytes) {
                if send.send(bytes[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal { child, keys: main, output, seen: Vec::new(), width: width.into() }
    }

    /// Waits until some text has come.
    pub(crate) fn wait_for(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.seen).contains(text) {
            let bytes = self.output.recv_timeout(PATIENCE);
            let seen = || String::from_utf8_lossy(&self.seen).into_owned();
            self.seen.extend(bytes.unwrap_or_else(|_| panic!("no '{text}' in\n{}", seen())));
        }
    }

    pub(crate) fn type_text(&mut self, text: &str) {
        self.keys.write_all(text.as_bytes()).expect("a terminal");
    }

    pub(crate) fn end(mut self) -> Ended {
        while let Ok(bytes) = self.output.recv_timeout(PATIENCE) {
            self.seen.extend(bytes);
        }
        let status = self.child.wait().expect("it ends").code();
        let all = String::from_utf8_lossy(&self.seen).into_owned();
        let screen = screen(&all, self.width);
        Ended { status, all, screen }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a terminal of some width shows of a text; long lines are wrapped, and a line of the screen that is full goes on in
/// the next when another character comes.
fn screen(text: &str, width: usize) -> String {
    let mut lines: Vec<Vec<char>> = vec![Vec::new()];
    let (mut row, mut column) = (0, 0);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => column = 0,
            '\n' => {
                row += 1;
                if row == lines.len() {
                    lines.push(Vec::new());
                }
            }
            '\x1b' => {
                // A control sequence ends with a letter; of those, only the erasing of a line matters.
                let mut sequence = String::new();
                for c in chars.by_ref() {
                    sequence.push(c);
                    if c.is_ascii_alphabetic() {
                        break;
                    }
                }
                if sequence == "[K" {
                    lines[row].truncate(column);
                }
            }
            c => {
                if column == width {
                    (row, column) = (row + 1, 0);
                    if row == lines.len() {
                        lines.push(Vec::new());
                    }
                }
                let line = &mut lines[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = c;
                column += 1;
            }
        }
    }
    // Lines that were wrapped are joined by who looks for a text in them.
    let mut out = String::new();
    for line in &lines {
        out.extend(line);
        if line.len() < width {
            out.push('\n');
        }
    }
    out
}
