//! Beginning again after LLVM's reader has crashed.
//!
//! The reader trusts its input, and may crash on bitcode that is damaged. Reading every file in another process first
//! ([`crate::llvm::reader`]) costs as much as checking a small kernel, and nearly all files are whole. So a file is read at once,
//! and the signal of a crash makes the process begin again, by `execve`, with a word in its environment ([`is_careful`]) that
//! has all bitcode read aside. Nothing is lost: a report is written at its end, and what was known of other kernels lies
//! in the cache.
//!
//! What it can miss: a crash while another thread writes a report, which then comes twice; there is no such thread today.
//! What was read from standard input cannot be read again, so that is always read aside.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStringExt;
use std::sync::OnceLock;
use std::{mem, ptr};

use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;

/// Set where the process has begun again.
const CAREFUL: &str = "LOCKSTEP_READ_ASIDE";

/// How a crash ends.
const SIGNALS: [c_int; 5] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

/// What is needed to begin again, made before it is: in a handler nothing can be allocated.
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

/// Whether all bitcode is to be read aside, because some of it has crashed this process before.
pub fn is_careful() -> bool {
    std::env::var_os(CAREFUL).is_some()
}

/// From now on, a crash of LLVM's reader makes this process begin again with what it was called with.
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
        // SAFETY: the handler does nothing that a handler may not do.
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

/// Begins again, if what has crashed is the reader.
fn begin_again(again: &Again) {
    if IS_READING.get() {
        let own = c"/proc/self/exe".as_ptr();
        // SAFETY: both lists end in null.
        unsafe { libc::execve(own, again.arguments.as_ptr(), again.environment.as_ptr()) };
    }
}

/// LLVM's own way to give up.
extern "C" fn on_fatal_error(reason: *const c_char) {
    if let Some(again) = AGAIN.get() {
        begin_again(again);
    }
    // SAFETY: a text that ends in zero.
    let reason = unsafe { CStr::from_ptr(reason) };
    eprintln!("LLVM ERROR: {}", reason.to_string_lossy());
    std::process::abort();
}

extern "C" fn on_crash(signal: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
    let Some(again) = AGAIN.get() else { return };
    begin_again(again);
    // SAFETY: a function that a handler may call.
    unsafe {
        // Not ours, or it cannot begin again: what was at fault is done once more, under who was there before.
        let before = SIGNALS.iter().position(|&s| s == signal).map(|at| &again.before[at]);
        libc::sigaction(signal, before.map_or(ptr::null(), ptr::from_ref), ptr::null_mut());
    }
}

/// Reads with LLVM what may be damaged; `None` where a crash would be the end.
pub(crate) fn guarded<R>(read: impl FnOnce() -> R) -> Option<R> {
    AGAIN.get()?;
    IS_READING.set(true);
    let result = read();
    IS_READING.set(false);
    Some(result)
}
