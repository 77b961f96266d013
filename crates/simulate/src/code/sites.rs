//! Facts about the sites of a kernel, and about the operations it has.

use lockstep_kernel::{
    AtomicOp, Barrier, CopyDone, Kernel, Op, Operand, Scope, SiteKind, Space, Terminator,
};
use rustc_hash::FxHashMap;

/// The facts about a site that the race checks need.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SiteFacts {
    pub atomic: bool,
    /// Writes memory (atomics: other than loads).
    pub writes: bool,
    pub volatile: bool,
    /// The read of a flag.
    pub polling: bool,
    /// A plain read whose value a compare-and-swap checks.
    pub guesses: bool,
    pub block_scope: bool,
    pub size: u32,
    pub align: u32,
    /// The first site at the same source location.
    pub place: u32,
}

#[derive(Clone, Copy)]
pub(crate) struct Features {
    pub atomics: bool,
    /// Operations that can order threads other than barriers of the whole block.
    pub fine_order: bool,
    /// Blocks must be executed one after the other from the start.
    pub serial: bool,
    /// Bulk copies, and copies that signal barrier objects.
    pub bulk: bool,
    pub signals: bool,
}

impl Features {
    pub(crate) fn of(kernel: &Kernel) -> Features {
        let mut f = Features {
            atomics: false,
            fine_order: false,
            serial: false,
            bulk: false,
            signals: false,
        };
        let mut used = vec![false; kernel.regs.len()];
        let mut mark = |o| {
            if let Operand::Reg(r) = o {
                used[r.0 as usize] = true;
            }
        };
        for b in &kernel.blocks {
            b.phis.iter().flat_map(|p| &p.incoming).for_each(|(_, o)| mark(*o));
            b.insts.iter().for_each(|i| i.op.for_each_operand(&mut mark));
            if let Terminator::Branch { cond, .. } = b.term {
                mark(cond);
            }
        }
        for inst in kernel.insts() {
            match &inst.op {
                Op::Atomic { op, ty, site, .. } => {
                    f.atomics = true;
                    f.fine_order = true;
                    // An atomic whose result is unused, and that commutes, may run in any order.
                    let read = inst.dst.is_some_and(|d| used[d.0 as usize]);
                    let commutes = !ty.is_float()
                        && matches!(
                            op,
                            AtomicOp::Add
                                | AtomicOp::Sub
                                | AtomicOp::And
                                | AtomicOp::Or
                                | AtomicOp::Xor
                                | AtomicOp::SMin
                                | AtomicOp::SMax
                                | AtomicOp::UMin
                                | AtomicOp::UMax
                        );
                    if kernel.site(*site).space != Space::Shared && (read || !commutes) {
                        f.serial = true;
                    }
                }
                Op::MemCopy { done: CopyDone::Signal(_), .. } => (f.bulk, f.signals) = (true, true),
                Op::MemCopy { done: CopyDone::Group { bulk: true }, .. } => f.bulk = true,
                Op::SignalCopies { .. } => f.signals = true,
                Op::Fence { .. } => f.fine_order = true,
                Op::Alloc { .. } | Op::Free { .. } => f.serial = true,
                Op::Barrier { barrier, .. } => match barrier {
                    Barrier::Grid => f.serial = true,
                    Barrier::Block { threads: Some(_), .. } | Barrier::Arrive { .. } => {
                        f.fine_order = true
                    }
                    Barrier::Warp { .. } => f.fine_order = true,
                    _ => {}
                },
                _ => {}
            }
        }
        if kernel.sites.iter().any(|s| s.polling || s.volatile && s.kind == SiteKind::Write) {
            f.fine_order = true;
        }
        if kernel.sites.iter().any(|s| s.polling && s.space != Space::Shared) {
            f.serial = true;
        }
        f
    }
}

pub(crate) fn site_facts(kernel: &Kernel) -> Vec<SiteFacts> {
    let mut facts: Vec<SiteFacts> = kernel
        .sites
        .iter()
        .map(|s| SiteFacts {
            atomic: s.kind == SiteKind::Atomic,
            writes: s.kind == SiteKind::Write,
            volatile: s.volatile,
            polling: s.polling,
            guesses: false,
            block_scope: s.scope <= Scope::Block,
            size: s.size,
            align: s.align.max(1),
            place: 0,
        })
        .collect();
    let mut first = FxHashMap::default();
    for (i, s) in kernel.sites.iter().enumerate() {
        let mut chain = kernel.loc_chain(s.loc);
        let spot = chain.next().map(|l| (l.file, l.line, l.column));
        let call = chain.last().map(|l| (l.file, l.line, l.column));
        // Without a line, source locations cannot be distinguished.
        let known = spot.is_some_and(|s| s.1 != 0);
        let key = (spot, call, s.kind, if known { 0 } else { i });
        facts[i].place = *first.entry(key).or_insert(i as u32);
    }
    for inst in kernel.insts() {
        if let Op::Atomic { site, op, .. } = inst.op {
            facts[site.0 as usize].writes = op != AtomicOp::Load;
        }
    }
    for site in lockstep_kernel::guesses::guessing_reads(kernel) {
        facts[site.0 as usize].guesses = true;
    }
    facts
}
