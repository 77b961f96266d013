//! Accesses that are recorded once for a loop: a flag of the thread, which says that this was done.
//!
//! The flag is cleared where the loop is entered, and set where the access is recorded: at the first one that is made, so
//! that a loop that makes none records none. The optimiser makes a register of it.
//!
//! The kernel's blocks are not LLVM's where calls were followed, or branches decided. A loop is named by its place among
//! those around the access; where the numbers of loops differ, there is no flag.

use std::collections::HashMap;

use lockstep_kernel::BlockId;
use lockstep_kernel::cfg::Cfg;

use super::AroundSite;
use super::builder::Builder;
use crate::llvm::{self, Bb, Module, Opcode, Val};

pub(super) struct Loops {
    blocks: Vec<Bb>,
    numbers: HashMap<Bb, usize>,
    cfg: Cfg,
}

impl Loops {
    pub(super) fn new(f: Val) -> Loops {
        let blocks = llvm::blocks(f);
        let numbers: HashMap<Bb, usize> = blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        let successors = |b: &Bb| -> Vec<BlockId> {
            llvm::successors(*b).iter().map(|s| BlockId(numbers[s] as u32)).collect()
        };
        let cfg = Cfg::of(blocks.iter().map(successors).collect());
        Loops { blocks, numbers, cfg }
    }

    /// The flag of an access; none where LLVM has other loops around it than the kernel.
    pub(super) fn flag(&self, module: &Module, inst: Val, around: AroundSite) -> Option<Val> {
        let mut own = Vec::new();
        let mut at = self.cfg.innermost[*self.numbers.get(&llvm::block_of(inst))?];
        while let Some(l) = at {
            own.push(l);
            at = self.cfg.loops[l].parent;
        }
        if own.len() != around.around as usize {
            return None;
        }
        let outermost = &self.cfg.loops[*own.get(around.once.checked_sub(1)? as usize)?];
        if !outermost.blocks.iter().all(|b| self.cfg.dominates(outermost.head, *b)) {
            return None;
        }
        let first = llvm::instructions(*self.blocks.first()?).into_iter();
        let first = first.into_iter().find(|&i| llvm::opcode(i) != Opcode::LLVMAlloca)?;
        let flag = Builder::before(module, first).local(4);
        for before in &self.cfg.predecessors[outermost.head.0 as usize] {
            if !outermost.blocks.contains(before) {
                let last = llvm::instructions(self.blocks[before.0 as usize]).pop()?;
                let b = Builder::before(module, last);
                b.store(b.i32(0), flag);
            }
        }
        Some(flag)
    }
}
