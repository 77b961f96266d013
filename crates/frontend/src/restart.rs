//! Restarting the process after LLVM's reader has crashed.
//!
//! The reader trusts its input, and may crash on damaged bitcode. Reading every file in another process first
//! ([`crate::llvm::reader`]) costs as much as checking a small kernel, and nearly all files are valid. So a file is
//! read directly, and the signal of a crash makes the process restart, by `execve`, with an environment variable
//! ([`is_careful`]) that makes it read all bitcode in another process. Nothing is lost: a report is written at the end,
//! and results of other kernels are in the cache.
//!
//! What it can miss: a crash while another thread writes a report, which would then appear twice; there is no such
//! thread today. Standard input cannot be read again, so it is always read in another process.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStringExt;
use std::sync::OnceLock;
use std::{mem, ptr};

use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;

/// Set if the process has restarted.
const CAREFUL: &str = "LOCKSTEP_READ_ASIDE";

/// The signals of a crash.
const SIGNALS: [c_int; 5] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

/// The arguments for a restart, prepared in advance: a signal handler cannot allocate.
struct Again {
    arguments: Vec<*const c_char>,
    environment: Vec<*const c_char>,
    before: [libc::sigaction; SIGNALS.len()],
}

// SAFETY: it is only read, and what it points to is never freed.
unsafe impl Send for Again {}
// SAFETY: as above.
unsafe impl Sync for Again {}

static AGAIN: OnceLock<Again> = OnceLock::new();

thread_local! {
    static IS_READING: Cell<bool> = const { Cell::new(false) };
}

/// Whether all bitcode has to be read in another process, because some of it has crashed this process before.
pub fn is_careful() -> bool {
    std::env::var_os(CAREFUL).is_some()
}

/// From now on, a crash of LLVM's reader makes this process restart with the same arguments.
pub fn begin_again_after_crash() {
    AGAIN.get_or_init(|| {
        let text = |t: Vec<u8>| CString::new(t).ok().map(|t| t.into_raw().cast_const());
        let mut arguments: Vec<*const c_char> =
            std::env::args_os().filter_map(|a| text(a.into_vec())).collect();
        let careful = (CAREFUL.into(), "1".into());
        let environment = std::env::vars_os()
            .chain([careful])
            .filter_map(|(name, value)| text([name.into_vec(), value.into_vec()].join(&b'=')));
        let mut environment: Vec<*const c_char> = environment.collect();
        arguments.push(ptr::null());
        environment.push(ptr::null());
        // SAFETY: the handler is async-signal-safe.
        unsafe {
            let mut own: libc::sigaction = mem::zeroed();
            own.sa_sigaction = on_crash as *const () as usize;
            own.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigemptyset(&mut own.sa_mask);
            LLVMInstallFatalErrorHandler(Some(on_fatal_error));
            let before = SIGNALS.map(|signal| {
                let mut before = mem::zeroed();
                libc::sigaction(signal, &own, &mut before);
                before
            });
            Again { arguments, environment, before }
        }
    });
}

/// Restarts, if it was the reader that crashed.
fn begin_again(again: &Again) {
    if IS_READING.get() {
        let own = c"/proc/self/exe".as_ptr();
        // SAFETY: both lists end in null.
        unsafe { libc::execve(own, again.arguments.as_ptr(), again.environment.as_ptr()) };
    }
}

/// LLVM's handler for fatal errors.
extern "C" fn on_fatal_error(reason: *const c_char) {
    if let Some(again) = AGAIN.get() {
        begin_again(again);
    }
    // SAFETY: a zero-terminated string.
    let reason = unsafe { CStr::from_ptr(reason) };
    eprintln!("LLVM ERROR: {}", reason.to_string_lossy());
    std::process::abort();
}

extern "C" fn on_crash(signal: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
    let Some(again) = AGAIN.get() else { return };
    begin_again(again);
    // SAFETY: this function is async-signal-safe.
    unsafe {
        // Not a crash of the reader, or the restart failed: the faulting instruction is executed again, under the
        // previous handler.
        let before = SIGNALS.iter().position(|&s| s == signal).map(|at| &again.before[at]);
        libc::sigaction(signal, before.map_or(ptr::null(), ptr::from_ref), ptr::null_mut());
    }
}

/// Reads possibly damaged input with LLVM; `None` if this process cannot restart after a crash.
pub(crate) fn guarded<R>(read: impl FnOnce() -> R) -> Option<R> {
    AGAIN.get()?;
    IS_READING.set(true);
    let result = read();
    IS_READING.set(false);
    Some(result)
}
