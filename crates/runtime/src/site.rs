//! Where in the program a call of the runtime was made.
//!
//! A call keeps the return addresses of its callers. What they are in the source is looked up only for what is reported:
//! the first caller that is neither in this library nor in our headers.

use std::ffi::{CStr, c_void};
use std::path::{Path, PathBuf};

/// The callers of a function of the runtime, innermost first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Site {
    callers: Vec<usize>,
}

/// A line of the program's source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub file: String,
    pub line: u32,
    pub function: String,
}

/// How many callers are kept.
const MOST: usize = 24;

impl Site {
    /// The callers of who calls this.
    pub(crate) fn here() -> Site {
        let own = module_of(Site::here as *const () as usize);
        let mut callers = Vec::new();
        backtrace::trace(|frame| {
            let at = frame.ip() as usize;
            // Code without tables for unwinding ends in nothing.
            if at != 0 && module_of(at) != own {
                callers.push(at);
            }
            callers.len() < MOST
        });
        Site { callers }
    }

    /// The line of the call, if the program has information about lines.
    pub(crate) fn line(&self) -> Option<Line> {
        self.callers.iter().find_map(|&at| line_at(at))
    }

    /// ` at main.cu:12`, or nothing.
    pub(crate) fn told(&self) -> String {
        self.line().map_or_else(String::new, |l| format!(" at {}:{}", l.file, l.line))
    }
}

fn line_at(address: usize) -> Option<Line> {
    let mut found = None;
    backtrace::resolve((address - 1) as *mut c_void, |symbol| {
        let name = symbol.name().map(|n| n.to_string()).unwrap_or_default();
        if found.is_some() {
            return;
        }
        let (Some(file), Some(line)) = (symbol.filename(), symbol.lineno()) else { return };
        // What calls `main` may have information about lines, too.
        if !is_ours(file) && !name.starts_with("__libc_start") {
            found = Some(Line { file: shown(file), line, function: name });
        }
    });
    found
}

/// Whether a file is one of our headers.
fn is_ours(file: &Path) -> bool {
    let ours = |f: &Path| f.ends_with("cuda/lockstep") || f.ends_with("include/cuda");
    file.ancestors().any(ours) || file.file_name().is_some_and(|n| n == "lockstep_cuda_prelude.h")
}

/// A file as it is called from the folder that the program runs in.
fn shown(file: &Path) -> String {
    let plain: PathBuf = file.components().collect();
    let here = std::env::current_dir().unwrap_or_default();
    plain.strip_prefix(&here).unwrap_or(&plain).to_string_lossy().into_owned()
}

/// Where the program or library that has this address begins.
fn module_of(address: usize) -> usize {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `dladdr` only looks the address up, and fills in what it is given.
    unsafe { libc::dladdr(address as *const c_void, &mut info) };
    info.dli_fbase as usize
}

/// A text that the program gave.
///
/// # Safety
///
/// It is null, or ends with a zero.
pub(crate) unsafe fn text(from: *const libc::c_char) -> String {
    if from.is_null() {
        return String::new();
    }
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned()
}
