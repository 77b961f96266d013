//! Loop variables that all threads of a block change in step: in one iteration of the loops around, each has the same value.
//!
//! While a loop is evaluated, its variables are placeholders: what they are follows from the whole body. An exchange
//! between lanes within the body has to know before that whether such a variable depends on the thread. That is read
//! off the code: a variable is in step if its first value and its next ones are computed from constants, parameters,
//! numbers of the block, and other variables in step.
//!
//! What it misses: variables whose next value depends on the path through the body, or on memory.

use lockstep_kernel::{Inst, Object, Op, Operand, Param, ParamKind, Phi, Reg, Space, Special};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::launch::context::Ctx;

/// The heads' phis of all loops that are in step.
pub(crate) fn variables(ctx: &Ctx) -> FxHashSet<Reg> {
    let kernel = ctx.kernel;
    let mut made: FxHashMap<Reg, &Inst> = FxHashMap::default();
    for inst in kernel.insts() {
        made.extend(inst.dst.map(|dst| (dst, inst)));
    }
    let registers = |p: &Param| match p.kind {
        ParamKind::Scalar { count, .. } => p.reg.0..p.reg.0 + u32::from(count),
        _ => p.reg.0..p.reg.0 + 1,
    };
    let params: FxHashSet<Reg> = kernel.params.iter().flat_map(registers).map(Reg).collect();
    // Each latch gives the same value, so it does not matter which one it was.
    let has_one_step = |l: usize, phi: &Phi| {
        let inside = phi.incoming.iter().filter(|(p, _)| ctx.cfg.loops[l].blocks.contains(p));
        let steps: FxHashSet<Operand> = inside.map(|(_, o)| *o).collect();
        let starts: FxHashSet<Operand> = phi.incoming.iter().map(|(_, o)| *o).collect();
        steps.len() <= 1 && starts.len() <= 1 + steps.len()
    };
    let mut phis: Vec<&Phi> = Vec::new();
    for (l, info) in ctx.cfg.loops.iter().enumerate() {
        phis.extend(kernel.block(info.head).phis.iter().filter(|phi| has_one_step(l, phi)));
    }
    loop {
        let mut search = Search {
            objects: &kernel.objects,
            made: &made,
            params: &params,
            assumed: phis.iter().map(|phi| phi.dst).collect(),
            known: FxHashMap::default(),
        };
        let before = phis.len();
        phis.retain(|phi| phi.incoming.iter().all(|(_, o)| search.is_same(*o, DEPTH)));
        if phis.len() == before {
            return search.assumed;
        }
    }
}

/// Maximum length of a chain of operations.
const DEPTH: u32 = 64;

struct Search<'a> {
    objects: &'a [Object],
    made: &'a FxHashMap<Reg, &'a Inst>,
    params: &'a FxHashSet<Reg>,
    assumed: FxHashSet<Reg>,
    known: FxHashMap<Reg, bool>,
}

impl Search<'_> {
    fn is_same(&mut self, o: Operand, depth: u32) -> bool {
        let r = match o {
            Operand::Imm(_) => return true,
            Operand::Object(id, _) => return self.objects[id.0 as usize].space != Space::Private,
            Operand::Undef => return false,
            Operand::Reg(r) => r,
        };
        if self.params.contains(&r) || self.assumed.contains(&r) {
            return true;
        }
        if let Some(&known) = self.known.get(&r) {
            return known;
        }
        // Phis of joins are not among what instructions make.
        let is_same = depth > 0
            && self.made.get(&r).is_some_and(|inst| {
                let mut all = computes(&inst.op);
                inst.op.for_each_operand(|o| all = all && self.is_same(o, depth - 1));
                all
            });
        self.known.insert(r, is_same);
        is_same
    }
}

/// Whether the result follows from the operands, and from nothing else that threads of a block differ in.
fn computes(op: &Op) -> bool {
    match op {
        Op::Special(special) => matches!(
            special,
            Special::BlockId(_)
                | Special::BlockDim(_)
                | Special::GridDim(_)
                | Special::WarpsPerBlock
                | Special::WarpSize
                | Special::GlobalOffset(_)
                | Special::WorkDim
                | Special::DynamicSharedSize
        ),
        Op::Int { .. }
        | Op::IntUn { .. }
        | Op::Cmp { .. }
        | Op::Select { .. }
        | Op::Cast { .. }
        | Op::Index { .. }
        | Op::Copy { .. }
        | Op::Funnel { .. } => true,
        _ => false,
    }
}
