//! What is wrong with Lockstep itself costs one kernel its verdict, not the others theirs.
//!
//! A panic while a file is read or a kernel is looked at becomes an error with that file's or kernel's name; the run goes on,
//! and its exit status is that of an input that could not be used.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// What a panic of this thread's guarded work has said, nothing so far being empty; none where no such work is under way.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

/// Does the work; what it panicked with, where it did. Whatever the work was changing is left as it was then.
pub(crate) fn guarded<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            // Threads of no guarded work say it as always.
            let heard = SAID.with_borrow_mut(|said| said.as_mut().map(|s| *s = describe(info)));
            if heard.is_none() {
                usual(info);
            }
        }));
    });
    let outer = SAID.replace(Some(String::new()));
    let result = catch_unwind(AssertUnwindSafe(work));
    let said = SAID.replace(outer).unwrap_or_default();
    result.map_err(|_| format!("internal error, a defect of Lockstep: {said}"))
}

fn describe(info: &PanicHookInfo) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("panicked").trim();
    let at = info.location().map_or(String::new(), |l| format!(" ({}:{})", l.file(), l.line()));
    format!("{text}{at}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let list = [1, 2, 3];
        let nth = |i: usize| guarded(|| list[i]);
        assert_eq!(nth(1), Ok(2));
        let said = nth(3).unwrap_err();
        assert!(said.contains("the len is 3 but the index is 3"), "{said}");
        assert!(said.contains("internal.rs:"), "{said}");
        // The next one is not concerned, nor is the work around it.
        let inner = guarded(|| (nth(7).is_err(), nth(0)));
        assert_eq!(inner, Ok((true, Ok(1))));
    }
}
