//! Loops in which threads wait for what others write.
//!
//! A loop waits if a value that it reads from memory decides whether it goes on. Most loops of that form do wait; one that
//! draws work from a counter, or follows a list, has the form too, and whoever asks has to see whether its threads stand still.
//!
//! What it can miss: a value that goes through memory between the read and the branch.

use crate::cfg::Cfg;
use crate::flow::{Def, definitions};
use crate::{AtomicOp, BlockId, Kernel, Op, Operand, SiteId, SiteKind, Space, Terminator};

/// A loop that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The reads whose values end it.
    pub reads: Vec<SiteId>,
    pub blocks: Vec<BlockId>,
    /// Blocks of it whose branches leave it.
    pub exits: Vec<BlockId>,
    /// Parameters that its condition is made of, besides what it reads.
    pub params: Vec<usize>,
    /// Numbers that its condition compares with.
    pub numbers: Vec<u64>,
}

/// All loops of a kernel that may wait.
pub fn waits(kernel: &Kernel, cfg: &Cfg) -> Vec<Wait> {
    let defs = definitions(kernel);
    cfg.loops.iter().filter_map(|l| wait(kernel, &defs, &l.blocks, &l.exits)).collect()
}

fn wait(
    kernel: &Kernel,
    defs: &[Def],
    blocks: &[BlockId],
    exits: &[(BlockId, BlockId)],
) -> Option<Wait> {
    let mut out = Wait {
        reads: Vec::new(),
        blocks: blocks.to_vec(),
        exits: exits.iter().map(|e| e.0).collect(),
        params: Vec::new(),
        numbers: Vec::new(),
    };
    out.exits.dedup();
    let conditions = out.exits.iter().filter_map(|&b| match kernel.block(b).term {
        Terminator::Branch { cond, .. } => Some(cond),
        _ => None,
    });
    let mut work: Vec<Operand> = conditions.collect();
    let mut seen = vec![false; defs.len()];
    while let Some(o) = work.pop() {
        let Operand::Reg(r) = o else { continue };
        if std::mem::replace(&mut seen[r.0 as usize], true) {
            continue;
        }
        match defs[r.0 as usize] {
            Def::Param(p) => out.params.push(p),
            Def::Phi(_, phi) => work.extend(phi.incoming.iter().map(|i| i.1)),
            Def::Inst(b, inst) => {
                let site = inst.op.site().filter(|s| kernel.site(*s).space != Space::Private);
                match (&inst.op, site) {
                    (Op::Load { .. } | Op::Atomic { .. }, Some(site)) if blocks.contains(&b) => {
                        out.reads.push(site);
                    }
                    (Op::Load { .. } | Op::Atomic { .. }, _) => {}
                    (op, _) => op.for_each_operand(|o| {
                        work.push(o);
                        if let (Op::Cmp { .. }, Operand::Imm(n)) = (op, o) {
                            out.numbers.push(n);
                        }
                    }),
                }
            }
            Def::Nowhere => {}
        }
    }
    (!out.reads.is_empty()).then_some(out)
}

/// The sites that may write what these read, as far as it is known through what they go; with those of which that is not
/// known. An atomic that leaves everything as it is only reads.
pub fn writers(kernel: &Kernel, reads: &[SiteId]) -> Vec<SiteId> {
    let name = |s: SiteId| kernel.site(s).through.as_ref();
    let may_be = |s: SiteId| {
        let same_space = reads.iter().any(|&r| kernel.site(r).space == kernel.site(s).space);
        match name(s) {
            Some(through) => reads.iter().any(|&r| name(r).is_none_or(|n| n == through)),
            None => same_space,
        }
    };
    let mut out: Vec<SiteId> = kernel
        .insts()
        .filter_map(|inst| match &inst.op {
            Op::Atomic { op, site, value, expected, .. } => {
                use AtomicOp::{Add, CompareExchange, Load, Or, Sub, Xor};
                let reads = match op {
                    Load => true,
                    Add | Sub | Or | Xor => *value == Operand::Imm(0),
                    CompareExchange => value == expected,
                    _ => false,
                };
                (!reads).then_some(*site)
            }
            op => op.site().filter(|s| kernel.site(*s).kind == SiteKind::Write),
        })
        .filter(|&s| may_be(s))
        .collect();
    out.sort();
    out.dedup();
    out
}
