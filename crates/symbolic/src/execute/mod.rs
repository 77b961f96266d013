//! One launch of a kernel, executed with terms for values.
//!
//! Threads run one after the other until each waits at a barrier or is done, as in the KLEE-CL paper; then the barrier lets
//! them go on. That is one of many orders, and its result is that of all others as long as no two accesses conflict,
//! which access records show ([`crate::memory::records`]): where they do, there is no result, but a [`Trouble`].
//!
//! The paper forks the whole state at a branch on a symbolic condition. Here a thread forks into groups, as a warp does: each
//! has a guard (the condition under which the thread is there) and registers; memory is one, and a store under a guard leaves
//! `guard ? new : old`. The group whose block comes first in the weak topological order runs; groups that come to the same
//! block are one again, with selections for the registers in which they differ. So a data-dependent branch costs its two
//! sides, and not two executions of all that follows.
//!
//! An execution may also go on after trouble, to see all of it ([`watch`]).
//!
//! Whether a side of a branch is possible at all is asked only where a loop could run on for ever; elsewhere a guard that can
//! never hold does no harm. Everything that the engine does not follow, and everything that is undefined on a path that may be
//! taken, ends the execution with its reason: the result of an execution that ends well is exact.
//!
//! What it can miss: nothing of the launch that it executes, for all values of its inputs; but it is one launch.
//! What it does not follow: barriers of a part of the block or of the whole grid, asynchronous copies, images, the heap,
//! masks that depend on data, indices that depend on data into more than [`Limits::targets`] elements, and threads of a
//! warp that rely on running in lockstep.

mod access;
pub(crate) mod assumed;
mod atomics;
mod block;
mod exchange;
mod liveness;
mod loops;
mod operation;
pub(crate) mod reasons;
mod sequence;
mod setup;
mod thread;
pub(crate) mod together;
pub(crate) mod watch;

use lockstep_kernel::cfg::Cfg;
use lockstep_kernel::{Kernel, LocId};

use crate::memory::Object;
use crate::memory::records::Events;
use crate::solve::{Model, Solver};
use crate::term::{Pool, T};

pub(crate) use sequence::{Steps, execute_sequence};
pub(crate) use setup::Side;

/// How far an execution goes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Iterations of a loop whose end depends on symbolic values.
    pub unroll: u32,
    /// Elements that an index may pick from, where it depends on symbolic values.
    pub targets: u64,
    /// Operations of all threads together.
    pub steps: u64,
    /// Conditions under which something may go wrong, where all of them are looked at.
    pub conditions: u64,
    /// Questions to the solver.
    pub questions: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            unroll: 128,
            targets: 1024,
            steps: 400_000_000,
            conditions: u64::MAX,
            questions: u64::MAX,
        }
    }
}

/// Why there is no result.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub(crate) what: What,
    pub(crate) at: LocId,
    /// Inputs for which it happens, where they are known.
    pub(crate) model: Option<Model>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Something without a model, in words.
    NotFollowed(String),
    OutOfBounds {
        object: String,
    },
    /// A buffer that the host has released, or may have by then.
    Released {
        object: String,
    },
    /// Two accesses of different threads; where the other one is.
    Race {
        other: LocId,
        object: String,
    },
    AtomicOrder {
        other: LocId,
        object: String,
    },
    /// Not all threads come to a barrier, or to an operation of the warp.
    Divergence,
    Assertion,
    /// A read of memory that nobody has written.
    Uninitialised,
    Misaligned,
    /// An address that is none of an object of this thread.
    UnknownObject,
    /// An index into so many elements.
    TooManyTargets {
        elements: u64,
    },
    Unroll {
        iterations: u32,
    },
    /// Of integers: no language says what it gives.
    DivisionByZero,
    Trap,
    /// Threads, blocks or iterations that cannot be executed as one.
    NotTogether,
    Steps,
    Late,
}

pub(crate) type Outcome<V> = Result<V, Trouble>;

/// Who wrote something: an access, its thread and its block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    /// Of a sequence, which launch.
    pub(crate) launch: u32,
    pub(crate) site: u32,
    pub(crate) thread: u32,
    pub(crate) block: u32,
}

/// The memory that a launch leaves.
pub(crate) struct Executed {
    pub(crate) objects: Vec<Object>,
    /// The object of each array parameter.
    pub(crate) params: Vec<Option<u32>>,
    /// By [`crate::memory::Writer`].
    pub(crate) writers: Vec<Written>,
    /// Divisors of a reference that would be zero, with their places: such inputs do not count.
    pub(crate) divisions: Vec<(T, LocId)>,
    pub(crate) steps: u64,
}

/// What launches before have left.
#[derive(Default)]
struct Before {
    launch: u32,
    /// The arrays of parameters, where they are not new.
    arrays: Vec<Option<Object>>,
    writers: Vec<Written>,
}

/// Executes a launch.
pub(crate) fn execute(
    pool: &mut Pool,
    solver: &mut Solver,
    side: &Side,
    limits: Limits,
    number: u32,
) -> Outcome<Executed> {
    execute_after(pool, solver, side, limits, number, Before::default())
}

fn execute_after(
    pool: &mut Pool,
    solver: &mut Solver,
    side: &Side,
    limits: Limits,
    number: u32,
    before: Before,
) -> Outcome<Executed> {
    let mut machine = Machine::new(pool, solver, side, limits, number);
    if !before.writers.is_empty() {
        machine.writers = before.writers;
    }
    machine.launch = before.launch;
    let params = machine.set_up(before.arrays)?;
    machine.run_blocks()?;
    let Machine { objects, writers, divisions, steps, .. } = machine;
    Ok(Executed { objects, params, writers, divisions, steps })
}

/// Executes a launch with one thread, or one block, for all; `contents` are those of the arrays, by parameter.
pub(crate) fn execute_together(
    pool: &mut Pool,
    solver: &mut Solver,
    side: &Side,
    limits: Limits,
    unit: together::Unit,
    contents: &[Option<together::Contents>],
) -> Outcome<together::Left> {
    let mut machine = Machine::new(pool, solver, side, limits, 0);
    let params = machine.set_up(Vec::new())?;
    machine.run_together(&params, unit, contents)
}

fn product(d: [u32; 3]) -> u32 {
    d[0].saturating_mul(d[1]).saturating_mul(d[2])
}

/// The coordinates of a number along the axes.
pub(crate) fn coordinates(number: u32, d: [u32; 3]) -> [u32; 3] {
    [number % d[0], number / d[0] % d[1], number / d[0] / d[1]]
}

struct Machine<'a> {
    kernel: &'a Kernel,
    cfg: Cfg,
    live: Vec<Vec<u32>>,
    /// Registers that something reads.
    used: Vec<bool>,
    side: &'a Side<'a>,
    pool: &'a mut Pool,
    solver: &'a mut Solver,
    limits: Limits,
    objects: Vec<Object>,
    /// The object of each of the kernel's own that all threads share.
    statics: Vec<Option<u32>>,
    /// Registers on entry.
    first: Vec<Option<T>>,
    writers: Vec<Written>,
    launch: u32,
    divisions: Vec<(T, LocId)>,
    /// Of the block that runs.
    events: Events,
    steps: u64,
    threads: u64,
    /// Which execution this is.
    number: u32,
    /// The operation that is executed.
    at: LocId,
    /// Set where the execution goes on after trouble.
    watch: Option<watch::Watch>,
    /// Where one thread or block is executed for all.
    together: Option<together::Together>,
}

impl<'a> Machine<'a> {
    fn new(
        pool: &'a mut Pool,
        solver: &'a mut Solver,
        side: &'a Side<'a>,
        limits: Limits,
        number: u32,
    ) -> Machine<'a> {
        let kernel = side.kernel;
        Machine {
            kernel,
            cfg: Cfg::new(kernel),
            live: liveness::live_at_entry(kernel),
            used: liveness::used(kernel),
            side,
            pool,
            solver,
            limits,
            objects: Vec::new(),
            statics: Vec::new(),
            first: Vec::new(),
            writers: vec![Written { launch: 0, site: 0, thread: 0, block: 0 }],
            launch: 0,
            divisions: Vec::new(),
            events: Events::default(),
            steps: 0,
            threads: together::threads(side.launch),
            number,
            at: kernel.loc,
            watch: None,
            together: None,
        }
    }

    fn run_blocks(&mut self) -> Outcome<()> {
        (0..product(self.side.launch.grid)).try_for_each(|block| self.run_block(block))
    }
}

impl Machine<'_> {
    fn trouble<V>(&self, what: What) -> Outcome<V> {
        Err(Trouble { what, at: self.at, model: None })
    }

    fn not_followed<V>(&self, what: &str) -> Outcome<V> {
        self.trouble(What::NotFollowed(what.to_owned()))
    }

    /// Trouble under a guard: none where the guard can never hold.
    fn trouble_if(&mut self, guard: T, what: What) -> Outcome<()> {
        use crate::solve::Answer;
        if self.is_watching() {
            return self.notice(guard, what);
        }
        match self.solver.can(self.pool, guard) {
            Answer::Never => Ok(()),
            Answer::Sometimes(model) => Err(Trouble { what, at: self.at, model: Some(model) }),
            Answer::Open => self.trouble(what),
        }
    }

    fn step(&mut self) -> Outcome<()> {
        self.steps += 1;
        if self.steps > self.limits.steps || self.solver.questions > self.limits.questions {
            return self.trouble(What::Steps);
        }
        if self.steps.is_multiple_of(4096) && self.solver.is_late() {
            return self.trouble(What::Late);
        }
        Ok(())
    }
}
