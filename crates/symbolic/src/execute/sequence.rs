//! A sequence of launches: what one leaves in its buffers, as terms, is what the next one finds.
//!
//! Launches are executed in order, which is how a queue executes them. A buffer that the host has released when a launch
//! begins, or may release before it has ended, must not be accessed on any path: that is asked like an access out of
//! bounds. Memory that nobody has written is of unknown contents ([`Undefined::Uninitialised`](crate::term::Undefined)), unless
//! the caller gives it an input: then what both sides leave as it was is equal.
//!
//! An address that a launch leaves in a buffer for a later one is not followed. Races between the host and copies, which
//! depend on the steps alone, are found by `lockstep_sequence`.

use lockstep_kernel::{Kernel, Space, Ty};
use lockstep_sequence::{Sequence, Start, Task};

use super::setup::Side;
use super::{Before, Executed, Limits, Trouble, What, execute_after};
use crate::memory::{Init, Object};
use crate::solve::Solver;
use crate::term::Pool;

/// A sequence and its kernels.
pub(crate) struct Steps<'a> {
    pub(crate) sequence: &'a Sequence,
    /// Of each launch, in order.
    pub(crate) kernels: &'a [&'a Kernel],
    /// For each buffer, and each number, the input that it is and its type.
    pub(crate) buffers: Vec<Option<(u32, Ty)>>,
    pub(crate) numbers: Vec<Option<(u32, Ty)>>,
    /// The bytes of buffers that are not inputs.
    pub(crate) contents: &'a [Vec<u8>],
    pub(crate) warp_size: u32,
}

/// Executes a sequence; trouble has the number of its launch. `number` tells executions apart.
pub(crate) fn execute_sequence(
    pool: &mut Pool,
    solver: &mut Solver,
    steps: &Steps,
    limits: Limits,
    number: impl Fn(u32) -> u32,
) -> Result<Executed, (usize, Trouble)> {
    let Steps { sequence, kernels, .. } = *steps;
    let mut memory: Vec<Object> = (0..sequence.buffers.len()).map(|at| steps.fresh(at)).collect();
    let (mut writers, mut operations) = (Vec::new(), 0);
    let mut launched = 0;
    for (step, done) in sequence.steps.iter().enumerate() {
        match &done.task {
            Task::Launch(launch) => {
                let kernel = kernels[launched];
                let fail = |what: What| (launched, Trouble { what, at: kernel.loc, model: None });
                let not = |why: String| fail(What::NotFollowed(why));
                let made = sequence
                    .arguments(launch, kernel, &|_| Some("0".into()))
                    .and_then(|a| Ok((launch.bind(kernel, &a, &|_| Vec::new())?, a)));
                let (bound, arguments) = made.map_err(not)?;
                let array = |at: &Option<usize>| {
                    let at = (*at)?;
                    let mut array = memory[at].copied(&sequence.buffers[at].name);
                    array.released = sequence.release(step, at).is_some();
                    Some(array)
                };
                let side = Side {
                    kernel,
                    launch: &bound,
                    inputs: arguments.numbers.iter().map(|n| steps.numbers[(*n)?]).collect(),
                    warp_size: steps.warp_size,
                    is_reference: false,
                    assumed: None,
                };
                let before = Before {
                    launch: launched as u32,
                    arrays: arguments.buffers.iter().map(array).collect(),
                    writers,
                };
                let limits = Limits { steps: limits.steps.saturating_sub(operations), ..limits };
                let number = number(launched as u32);
                let mut executed = execute_after(pool, solver, &side, limits, number, before)
                    .map_err(|trouble| (launched, trouble))?;
                for (param, at) in arguments.buffers.iter().enumerate() {
                    let (Some(at), Some(object)) = (*at, executed.params[param]) else { continue };
                    let left = &executed.objects[object as usize];
                    if left.holds_address(pool) {
                        return Err(not("an address that is stored for a later launch".into()));
                    }
                    memory[at] = left.copied(&sequence.buffers[at].name);
                }
                operations += executed.steps;
                writers = std::mem::take(&mut executed.writers);
                launched += 1;
            }
            Task::Copy { from, to, .. } => {
                let at = |name: &str| sequence.buffers.iter().position(|b| b.name == *name);
                if let (Some(from), Some(to)) = (at(from), at(to)) {
                    memory[to] = memory[from].copied(&sequence.buffers[to].name);
                }
            }
            Task::Fill { buffer, byte } => {
                let named = |b: &lockstep_sequence::Buffer| b.name == *buffer;
                if let Some(at) = sequence.buffers.iter().position(named) {
                    let size = memory[at].size;
                    let init = Init::Bytes(vec![*byte; size as usize].into());
                    memory[at] = Object::new(buffer, Space::Global, size, init);
                }
            }
            Task::Wait | Task::Free { .. } => {}
        }
    }
    let params = (0..memory.len() as u32).map(Some).collect();
    let divisions = Vec::new();
    Ok(Executed { objects: memory, params, writers, divisions, steps: operations })
}

impl Steps<'_> {
    /// A buffer as the sequence finds it.
    fn fresh(&self, at: usize) -> Object {
        let buffer = &self.sequence.buffers[at];
        let size = buffer.array.bytes();
        let init = match (self.buffers[at], buffer.start) {
            (Some((input, ty)), _) => Init::Input { input, ty },
            (None, Start::Unwritten) => Init::Undefined,
            (None, _) => {
                let mut bytes = self.contents[at].clone();
                bytes.resize(size as usize, 0);
                Init::Bytes(bytes.into())
            }
        };
        Object::new(&buffer.name, Space::Global, size, init)
    }
}
