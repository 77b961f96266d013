//! How much work an answer may cost.

use lockstep_cancel::{Cancel, Moment};

/// How far to go. What is cut is told with the answer, and then nothing is proved.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Threads of a launch.
    pub threads: u64,
    /// Threads that communicate, and so are explored.
    pub communicating: u64,
    /// Operations of the kernel that one thread executes while it is specialised, and all threads together, each time
    /// that they are.
    pub steps: u64,
    pub all_steps: u64,
    /// Turns of a loop whose end depends on what other threads write, before it is kept as a loop; and pieces of code of a
    /// thread.
    pub turns: u32,
    pub nodes: usize,
    /// Turns of such a loop in one execution, not counting those that only wait.
    pub iterations: usize,
    /// Judgements of the memory model in one exploration. Work that is counted, not timed, is the same on every machine.
    pub judgements: u64,
    /// Judgements in all explorations together.
    pub all_judgements: u64,
    pub deadline: Option<Moment>,
    pub cancel: Cancel,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            threads: 16_384,
            communicating: 12,
            steps: 50_000,
            all_steps: 500_000,
            turns: 64,
            nodes: 20_000,
            iterations: 8,
            judgements: 20_000,
            all_judgements: 200_000,
            deadline: None,
            cancel: Cancel::default(),
        }
    }
}

impl Limits {
    pub(crate) fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || self.deadline.is_some_and(Moment::is_past)
    }
}
