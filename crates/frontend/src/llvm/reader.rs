//! A forked process in which bitcode is test-read.
//!
//! LLVM's reader trusts its input, and may crash on damaged bitcode. In another process that is only a message. It is
//! needed after an earlier crash, or if the input cannot be read again ([`crate::restart`]). Starting a new program
//! takes longer than reading most files, so this process is forked at the very beginning ([`set_reader_aside`]), while
//! there is only one thread and a fork is complete. The fork waits for bitcode, and forks again to read each.
//!
//! A request is a length and that many bytes; the answer is one byte (read, refused, or crashed), a length, and that
//! many bytes of message. The reader exits when the requesting process has closed its pipe.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::{Mutex, OnceLock};

use lockstep_cancel::Cancel;

use crate::llvm;

/// The result of reading bitcode.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Read,
    Refused(String),
    Crashed,
    Cancelled,
}

struct Reader {
    process: libc::pid_t,
    requests: File,
    answers: File,
}

static READER: OnceLock<Mutex<Option<Reader>>> = OnceLock::new();

const READ: u8 = 0;
const REFUSED: u8 = 1;
const CRASHED: u8 = 2;

/// Forks a process for reading bitcode. Without one, bitcode is tested by `opt`, which takes longer.
///
/// # Safety
/// This has to be called before there is a second thread: a forked process has only the thread that called `fork`.
pub unsafe fn set_reader_aside() {
    // SAFETY: the caller guarantees that there is one thread.
    READER.get_or_init(|| Mutex::new(unsafe { fork() }.ok()));
}

/// Reads bitcode in another process; `None` if there is no reader, or it has exited.
pub(crate) fn try_out(bytes: &[u8], cancel: &Cancel) -> Option<Reading> {
    let mut aside = READER.get()?.lock().ok()?;
    let reader = aside.as_mut()?;
    let process = reader.process;
    // SAFETY: it is our child, which has not been waited for.
    let wait = cancel.on_cancel(move || unsafe {
        libc::kill(process, libc::SIGKILL);
    });
    let answer = reader.ask(bytes);
    drop(wait);
    match answer {
        Ok(reading) => Some(reading),
        Err(_) => {
            *aside = None;
            cancel.is_cancelled().then_some(Reading::Cancelled)
        }
    }
}

impl Reader {
    fn ask(&mut self, bytes: &[u8]) -> io::Result<Reading> {
        send(&mut self.requests, bytes)?;
        let mut kind = [0];
        self.answers.read_exact(&mut kind)?;
        let message = receive(&mut self.answers)?;
        Ok(match kind[0] {
            READ => Reading::Read,
            REFUSED => Reading::Refused(String::from_utf8_lossy(&message).into_owned()),
            _ => Reading::Crashed,
        })
    }
}

fn send(to: &mut File, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

fn receive(from: &mut File) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn pipe() -> io::Result<[File; 2]> {
    let mut ends = [0; 2];
    // SAFETY: both are new, and not owned elsewhere.
    unsafe {
        match libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) {
            0 => Ok(ends.map(|end| File::from(OwnedFd::from_raw_fd(end)))),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// # Safety
/// There is one thread.
unsafe fn fork() -> io::Result<Reader> {
    let ([asked, requests], [answers, answer]) = (pipe()?, pipe()?);
    // SAFETY: the caller guarantees that there is one thread.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            drop((requests, answers));
            // SAFETY: this process has one thread, and exits here.
            unsafe {
                be_quiet();
                serve(asked, answer);
                libc::_exit(0)
            }
        }
        process => Ok(Reader { process, requests, answers }),
    }
}

/// Redirects the standard streams to `/dev/null`, so that no process waits for our end of its pipe, and LLVM's crash
/// output is discarded; interrupts are handled by the requesting process.
unsafe fn be_quiet() {
    // SAFETY: plain system calls on the standard streams; the path ends in zero.
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        for standard in 0..3 {
            libc::dup2(nowhere, standard);
        }
        libc::signal(libc::SIGINT, libc::SIG_IGN);
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
}

/// Answers requests until the pipe is closed.
///
/// # Safety
/// There is one thread.
unsafe fn serve(mut asked: File, mut answer: File) {
    while let Ok(bytes) = receive(&mut asked) {
        // SAFETY: there is one thread, as in this function.
        let (kind, message) = unsafe { read_in_a_copy(&bytes) };
        let sent = answer.write_all(&[kind]).and_then(|()| send(&mut answer, &message));
        if sent.is_err() {
            return;
        }
    }
}

unsafe fn read_in_a_copy(bytes: &[u8]) -> (u8, Vec<u8>) {
    let Ok([mut from, mut to]) = pipe() else { return (CRASHED, Vec::new()) };
    // SAFETY: the caller guarantees that there is one thread.
    match unsafe { libc::fork() } {
        -1 => (CRASHED, Vec::new()),
        // SAFETY: this process has one thread, and exits here.
        0 => unsafe {
            // It must not outlive its parent.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            let result = llvm::Module::parse(bytes, "<stdin>").map(drop);
            let status = match result {
                Ok(()) => READ,
                Err(message) => {
                    let _ = to.write_all(message.as_bytes());
                    REFUSED
                }
            };
            libc::_exit(status.into())
        },
        copy => {
            drop(to);
            let mut message = Vec::new();
            let _ = from.read_to_end(&mut message);
            let mut status = 0;
            // SAFETY: it is our child.
            unsafe { libc::waitpid(copy, &mut status, 0) };
            let exited = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
            match exited {
                Some(0) => (READ, message),
                Some(1) => (REFUSED, message),
                _ => (CRASHED, message),
            }
        }
    }
}
