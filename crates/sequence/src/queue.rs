//! When steps have ended, and which buffers are there then.
//!
//! This is known before anything is executed: it depends on the steps alone, and not on what kernels do.

use crate::model::{Sequence, Task};

/// A release of a buffer that a step may come after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The step that releases it.
    pub step: usize,
    /// It comes later in the sequence, while this step may still be in the queue.
    pub is_later: bool,
}

impl Sequence {
    /// The release of a buffer after which a step may use it; none if the buffer is there for certain.
    pub fn release(&self, step: usize, buffer: usize) -> Option<Release> {
        let releases = |i: &usize| match &self.steps[*i].task {
            Task::Free { buffer: name } => *name == self.buffers[buffer].name,
            _ => false,
        };
        let before = (0..step).find(releases).map(|step| Release { step, is_later: false });
        before.or_else(|| {
            let last = self.ended(step).unwrap_or(self.steps.len());
            let later = (step + 1..last).find(releases);
            later.map(|step| Release { step, is_later: true })
        })
    }

    /// The step before which this one has ended for certain; none if the host waits for it nowhere.
    pub fn ended(&self, step: usize) -> Option<usize> {
        let is_queued = match self.steps[step].task {
            Task::Launch(_) => true,
            Task::Copy { asynchronous, .. } => asynchronous,
            Task::Fill { .. } | Task::Wait | Task::Free { .. } => false,
        };
        if !is_queued {
            return Some(step + 1);
        }
        let waits = |i: &usize| {
            matches!(self.steps[*i].task, Task::Wait | Task::Copy { asynchronous: false, .. })
        };
        (step + 1..self.steps.len()).find(waits)
    }

    /// Asynchronous copies that the host does not wait for before it touches one of their buffers itself. `is_of_device`
    /// says which buffers launches are given: what these hold the host sees by copies alone.
    pub(crate) fn early_looks(&self, is_of_device: &[bool], compared: &[usize]) -> Vec<EarlyLook> {
        let mut out = Vec::new();
        for (copy, step) in self.steps.iter().enumerate() {
            let Task::Copy { from, to, asynchronous: true } = &step.task else { continue };
            let ended = self.ended(copy);
            for (name, is_target) in [(from, false), (to, true)] {
                let Some(buffer) = self.position(name).filter(|at| !is_of_device[*at]) else {
                    continue;
                };
                let fills = |s: &usize| match &self.steps[*s].task {
                    Task::Fill { buffer, .. } => buffer == name,
                    _ => false,
                };
                let filled = (copy + 1..ended.unwrap_or(self.steps.len())).find(fills);
                let is_compared = is_target && ended.is_none() && compared.contains(&buffer);
                if filled.is_some() || is_compared {
                    out.push(EarlyLook { copy, buffer, is_target, filled });
                }
            }
        }
        out
    }
}

/// The host touches a buffer of an asynchronous copy that may still be in the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EarlyLook {
    /// The step of the copy.
    pub(crate) copy: usize,
    pub(crate) buffer: usize,
    pub(crate) is_target: bool,
    /// The step in which the host fills the buffer; none where it is compared in the end.
    pub(crate) filled: Option<usize>,
}
