//! When long work has to end: a token by which it is told to stop (a user's Ctrl-C, an editor's newer text), and the
//! clock of its budget ([`Moment`]).
//!
//! Whoever works looks at [`Cancel::is_cancelled`] where it looks at the time; whoever waits for something that does not
//! look (a solver, a compiler) says with [`Cancel::on_cancel`] how to end the wait. What was cut short is `unknown`,
//! as it is when time runs out; that it was cut short, and by whom, the caller knows.

mod clock;

pub use clock::Moment;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Shared by all clones. The default is never cancelled, and costs nothing to look at.
#[derive(Clone, Default)]
pub struct Cancel(Option<Arc<Shared>>);

#[derive(Default)]
struct Shared {
    cancelled: AtomicBool,
    waits: Mutex<Waits>,
}

#[derive(Default)]
struct Waits {
    next: u64,
    /// How to end each wait that is under way.
    ends: Vec<(u64, Box<dyn Fn() + Send>)>,
}

impl Cancel {
    /// One that can be cancelled.
    pub fn new() -> Cancel {
        Cancel(Some(Arc::default()))
    }

    pub fn can_be_cancelled(&self) -> bool {
        self.0.is_some()
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|s| s.cancelled.load(Ordering::Relaxed))
    }

    /// Tells all that work under the token to stop, and ends their waits.
    pub fn cancel(&self) {
        let Some(shared) = &self.0 else { return };
        let waits = shared.waits();
        shared.cancelled.store(true, Ordering::Relaxed);
        waits.ends.iter().for_each(|(_, end)| end());
    }

    /// Calls `end` when the token is cancelled, or now if it is already, until the guard is dropped. `end` runs on
    /// another thread, never after the drop of the guard, and must not use the token.
    #[must_use]
    pub fn on_cancel(&self, end: impl Fn() + Send + 'static) -> Wait {
        let Some(shared) = &self.0 else { return Wait(None) };
        let mut waits = shared.waits();
        if shared.cancelled.load(Ordering::Relaxed) {
            end();
            return Wait(None);
        }
        let id = waits.next;
        waits.next += 1;
        waits.ends.push((id, Box::new(end)));
        drop(waits);
        Wait(Some((shared.clone(), id)))
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}

impl Shared {
    fn waits(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// As long as it lives, the wait is ended when the token is cancelled.
pub struct Wait(Option<(Arc<Shared>, u64)>);

impl Drop for Wait {
    fn drop(&mut self) {
        if let Some((shared, id)) = &self.0 {
            shared.waits().ends.retain(|(i, _)| i != id);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn counter() -> (Arc<AtomicUsize>, impl Fn() + Send + 'static) {
        let count = Arc::new(AtomicUsize::new(0));
        let own = count.clone();
        (count, move || {
            own.fetch_add(1, Ordering::Relaxed);
        })
    }

    #[test]
    fn waits_are_ended_once_and_only_while_they_last() {
        let cancel = Cancel::new();
        let (open, end_open) = counter();
        let (closed, end_closed) = counter();
        let _open = cancel.on_cancel(end_open);
        drop(cancel.on_cancel(end_closed));
        assert!(!cancel.is_cancelled());
        cancel.clone().cancel();
        assert!(cancel.is_cancelled());
        assert_eq!((open.load(Ordering::Relaxed), closed.load(Ordering::Relaxed)), (1, 0));
    }

    #[test]
    fn a_wait_that_begins_too_late_ends_at_once() {
        let cancel = Cancel::new();
        cancel.cancel();
        let (count, end) = counter();
        let _wait = cancel.on_cancel(end);
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn the_default_is_never_cancelled() {
        let never = Cancel::default();
        never.cancel();
        assert!(!never.is_cancelled() && !never.can_be_cancelled());
        let (count, end) = counter();
        let _wait = never.on_cancel(end);
        assert_eq!(count.load(Ordering::Relaxed), 0);
    }
}
