//! Z3, through the few functions of its C API that take and give text.
//!
//! The library is loaded with the first question; where it is missing, no question is decided, and [`solver_failure`] says
//! why. A question is a script of SMT-LIB 2, and its answer is read from what Z3 prints: whatever is not exactly `unsat`, or
//! `sat` followed by all values, is no answer.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::OnceLock;
use std::time::Duration;

use lockstep_cancel::Cancel;

type Config = *mut c_void;
type Context = *mut c_void;

struct Library {
    mk_config: unsafe extern "C" fn() -> Config,
    del_config: unsafe extern "C" fn(Config),
    mk_context: unsafe extern "C" fn(Config) -> Context,
    del_context: unsafe extern "C" fn(Context),
    set_error_handler: unsafe extern "C" fn(Context, Option<extern "C" fn(Context, c_int)>),
    eval: unsafe extern "C" fn(Context, *const c_char) -> *const c_char,
    interrupt: unsafe extern "C" fn(Context),
    /// Keeps the library loaded as long as the functions are used.
    _library: libloading::Library,
}

const NAMES: [&str; 2] = ["libz3.so.4", "libz3.so"];

static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();

fn load() -> Result<Library, String> {
    let mut error = String::new();
    for name in NAMES {
        // SAFETY: loading Z3 only initialises tables of its own, and the types are those of its own declarations.
        unsafe {
            match libloading::Library::new(name) {
                Ok(library) => {
                    let functions = || -> Result<_, libloading::Error> {
                        Ok((
                            *library.get(b"Z3_mk_config\0")?,
                            *library.get(b"Z3_del_config\0")?,
                            *library.get(b"Z3_mk_context\0")?,
                            *library.get(b"Z3_del_context\0")?,
                            *library.get(b"Z3_set_error_handler\0")?,
                            *library.get(b"Z3_eval_smtlib2_string\0")?,
                            *library.get(b"Z3_interrupt\0")?,
                        ))
                    };
                    let (
                        mk_config,
                        del_config,
                        mk_context,
                        del_context,
                        set_error_handler,
                        eval,
                        interrupt,
                    ) = functions().map_err(|e| format!("{name}: {e}"))?;
                    return Ok(Library {
                        mk_config,
                        del_config,
                        mk_context,
                        del_context,
                        set_error_handler,
                        eval,
                        interrupt,
                        _library: library,
                    });
                }
                Err(e) if error.is_empty() => error = e.to_string(),
                Err(_) => {}
            }
        }
    }
    Err(error)
}

/// Why no question could be decided, if one was asked.
pub fn solver_failure() -> Option<&'static str> {
    LIBRARY.get()?.as_ref().err().map(String::as_str)
}

/// Errors are seen in the text; without a handler of our own Z3 would end the process.
extern "C" fn ignore_error(_: Context, _: c_int) {}

/// A context that another thread may interrupt.
struct Running(&'static Library, Context);

// SAFETY: only `Z3_interrupt` is called through it, which is made to be called from other threads.
unsafe impl Send for Running {}

impl Running {
    fn interrupt(&self) {
        // SAFETY: the context lives as long as the wait that calls this.
        unsafe { (self.0.interrupt)(self.1) }
    }
}

/// The solver; the library may be missing.
pub(crate) struct Z3(Option<&'static Library>);

#[derive(Clone)]
pub(crate) enum Said {
    Unsat,
    /// Values of the script's variables, in their order.
    Sat(Vec<u64>),
    Unknown,
}

impl Z3 {
    pub(crate) fn new() -> Z3 {
        Z3(LIBRARY.get_or_init(load).as_ref().ok())
    }

    pub(crate) fn ready(&mut self) -> Option<&mut Z3> {
        self.0.is_some().then_some(self)
    }

    /// One question, in a context of its own: answers do not depend on each other.
    pub(crate) fn ask(
        &mut self,
        script: &str,
        work: u32,
        left: Option<Duration>,
        cancel: &Cancel,
    ) -> Said {
        let Some(library) = self.0 else { return Said::Unknown };
        let clock = left.map_or(String::new(), |d| {
            format!("(set-option :timeout {})\n", d.as_millis().clamp(1, 3_600_000))
        });
        let text = format!("{clock}(set-option :rlimit {work})\n{script}");
        let Ok(text) = CString::new(text) else { return Said::Unknown };
        // SAFETY: the context lives until the end of this block and is used by this thread alone, but for the
        // interruption; the text that Z3 gives is its own and is copied before the next call.
        let answer = unsafe {
            let config = (library.mk_config)();
            let context = (library.mk_context)(config);
            (library.del_config)(config);
            (library.set_error_handler)(context, Some(ignore_error));
            let running = Running(library, context);
            let wait = cancel.on_cancel(move || running.interrupt());
            let said = (library.eval)(context, text.as_ptr());
            let answer = match said.is_null() {
                true => String::new(),
                false => CStr::from_ptr(said).to_string_lossy().into_owned(),
            };
            drop(wait);
            (library.del_context)(context);
            answer
        };
        read(&answer)
    }
}

/// What Z3 printed. After `unsat` the values that are asked for are an error, which says nothing.
fn read(answer: &str) -> Said {
    let mut lines = answer.trim_start().splitn(2, '\n');
    match (lines.next().map(str::trim), lines.next()) {
        (Some("unsat"), _) => Said::Unsat,
        (Some("sat"), rest) => {
            let values: Option<Vec<u64>> = numbers(rest.unwrap_or(""));
            values.map_or(Said::Unknown, Said::Sat)
        }
        _ => Said::Unknown,
    }
}

/// The numbers of `((v0 #x00) (v1 #b1))`.
fn numbers(text: &str) -> Option<Vec<u64>> {
    let mut out = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || c == '(' || c == ')') {
        if let Some(digits) = word.strip_prefix("#x") {
            out.push(u64::from_str_radix(digits, 16).ok()?);
        } else if let Some(digits) = word.strip_prefix("#b") {
            out.push(u64::from_str_radix(digits, 2).ok()?);
        } else if word == "error" {
            return None;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_stand() {
        assert!(matches!(read("unsat\n(error \"line 3: model is not available\")"), Said::Unsat));
        assert!(matches!(read("unknown\n"), Said::Unknown));
        assert!(matches!(read("(error \"line 1: unsat\")\nunsat"), Said::Unknown));
        let Said::Sat(values) = read("sat\n((v0 #x0f)\n (v1 #b1))\n") else { panic!() };
        assert_eq!(values, [15, 1]);
    }
}
