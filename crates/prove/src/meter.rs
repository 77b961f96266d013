//! The work that a proof has cost, counted rather than timed: what is decided within a budget must not depend on the
//! load of the machine, nor on how many threads call the solver.
//!
//! The counted units are the solver's own units of work, terms created, and queries given to arithmetic. The limit is
//! checked only between batches of queries, by the thread that leads the proof, so that the same kernel always stops at
//! the same point.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Terms created in the time of one unit.
const TERMS: u64 = 8000;
/// Queries that arithmetic processes in the time of one unit.
const QUESTIONS: u64 = 8;

thread_local! {
    static MADE: Cell<u64> = const { Cell::new(0) };
}

/// Counts the creation of a term.
pub(crate) fn term() {
    MADE.with(|made| made.set(made.get() + 1));
}

/// The work of one proof, in units of about a millisecond.
#[derive(Debug)]
pub(crate) struct Meter {
    most: u64,
    solver: AtomicU64,
    questions: AtomicU64,
    /// Terms that this thread had created before.
    before: u64,
}

impl Meter {
    /// A meter for this much time on an otherwise idle machine.
    pub(crate) fn new(time: Duration) -> Meter {
        Meter {
            most: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            solver: AtomicU64::new(0),
            questions: AtomicU64::new(0),
            before: MADE.get(),
        }
    }

    /// Adds units of the solver's work.
    pub(crate) fn solver(&self, work: u64) {
        self.solver.fetch_add(work, Ordering::Relaxed);
    }

    /// Adds queries given to arithmetic.
    pub(crate) fn questions(&self, count: usize) {
        self.questions.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(crate) fn spent(&self) -> u64 {
        let terms = MADE.get() - self.before;
        let questions = self.questions.load(Ordering::Relaxed);
        self.solver.load(Ordering::Relaxed) + terms / TERMS + questions / QUESTIONS
    }

    pub(crate) fn is_over(&self) -> bool {
        self.spent() >= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_every_kind_counts() {
        let meter = Meter::new(Duration::from_millis(10));
        assert_eq!((meter.spent(), meter.is_over()), (0, false));
        meter.solver(4);
        meter.questions(3 * QUESTIONS as usize);
        (0..2 * TERMS).for_each(|_| term());
        assert_eq!((meter.spent(), meter.is_over()), (9, false));
        meter.solver(1);
        assert!(meter.is_over());
        // Work before the meter was created is not counted.
        assert_eq!(Meter::new(Duration::ZERO).spent(), 0);
    }
}
