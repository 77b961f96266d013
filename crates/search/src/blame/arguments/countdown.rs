//! Counters that are counted down.
//!
//! The thread that draws the last number of a counter knows that all others are done, and reads their results. This is
//! correct only if the counter started with the number of threads, or blocks, that count it down. The host sets it;
//! Lockstep starts with zero. If the bug disappears when the counter starts with the number of blocks or of threads, or
//! one less, it is conditional.
//!
//! What can go wrong: a bug may be called conditional although such a counter only hides it. It is still reported.

use lockstep_finding::{Claim, Statement};
use lockstep_kernel::{AtomicOp, Op, Operand};

use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::Space;
use crate::space::arrays::FreeArray;
use crate::space::candidate::Contents;
use crate::space::structs;

impl Space<'_> {
    /// Whether atomics subtract from the elements of an array.
    fn is_counted_down(&self, array: &FreeArray) -> bool {
        let kernel = self.kernel;
        let name = &kernel.params[array.param].name;
        kernel.insts().any(|inst| {
            let Op::Atomic { op, site, value, ty, .. } = inst.op else { return false };
            let is_negative = |v: u64| v >> (ty.bits() - 1) & 1 == 1;
            let is_less = match op {
                AtomicOp::Sub | AtomicOp::Dec => true,
                AtomicOp::Add => matches!(value, Operand::Imm(v) if is_negative(v)),
                _ => false,
            };
            let place = self.hints.member_at.get(site.0 as usize).copied().flatten();
            let is_of_it = kernel.site(site).through.as_ref() == Some(name)
                && array.member.is_none_or(|m| place == Some((array.param, m.offset)));
            is_less && is_of_it
        })
    }
}

impl Inquiry<'_, '_> {
    /// Whether some array is counted down.
    pub(in crate::blame) fn has_countdown(&self) -> bool {
        let space = self.driver.lab.space;
        space.arrays.iter().any(|array| space.is_counted_down(array))
    }

    /// Counters that start at zero, and are counted down.
    pub(in crate::blame) fn short_countdown(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let is_it = |&i: &usize| {
            c.contents[i] == Contents::Zeros && space.is_counted_down(&space.arrays[i])
        };
        let counters: Vec<usize> = (0..space.arrays.len()).filter(is_it).collect();
        if counters.is_empty() {
            return None;
        }
        let blocks = c.threads() / c.block_threads().max(1);
        let mut numbers: Vec<u64> = [blocks, c.threads()]
            .into_iter()
            .flat_map(|n| [n.saturating_sub(1), n])
            .filter(|&n| n > 0)
            .collect();
        numbers.dedup();
        // For structs whose members are not known, every byte is set: the counter is then too large to be exhausted.
        let is_raw = |&i: &usize| {
            let array = &space.arrays[i];
            array.member.is_none() && structs::is_struct(space.kernel, array.param)
        };
        let is_gone = match counters.iter().any(is_raw) {
            true => {
                let contents: Vec<_> = counters.iter().map(|&i| (i, Contents::Value(1))).collect();
                let without = self.with_contents(c, &contents);
                self.without_bug(&without, shown.wrong).is_some()
            }
            false => numbers.into_iter().any(|n| {
                let contents: Vec<_> = counters.iter().map(|&i| (i, Contents::Value(n))).collect();
                self.gone_with(shown, &contents).is_some()
            }),
        };
        if !is_gone {
            return None;
        }
        let counters = counters.iter().map(|&i| space.arrays[i].name.clone()).collect();
        Some(Statement::CounterTooSmall { counters }.into())
    }
}
