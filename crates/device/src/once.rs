//! Accesses that are recorded once, and stand for others at the same address.
//!
//! After GMRace's static half: where an address does not change in a loop, the first access of the loop is recorded; and
//! where all threads of a block access one element, a few threads record it.
//!
//! Nothing is lost, since each access that is left out has one that is recorded for it, in the same launch and between the
//! same barriers:
//!
//! - Of a loop the first access that is made is recorded, when it is made; a loop that makes none records none. The loop
//!   has no barrier of block or warp, and nothing by which a thread learns of others, so that the accesses of one thread
//!   to one address are one in all that a cell says of them. Where the loop is entered again, the next first one is
//!   recorded.
//! - Reads and atomic updates of one element by all threads, outside of loops, are recorded by the first two
//!   threads of the first two warps. Whichever thread conflicts with some of all, it does so with one of these:
//!   if it is of another warp than the first, with the first thread; if it is of the first warp, with that of
//!   the second; and where there is one warp only, with one of the first two. Writes of all threads to one
//!   element are a race among themselves, and are recorded by all. So are all accesses of a kernel in which
//!   threads learn of others, or that has barriers of some threads of a warp: these make threads differ in what
//!   orders them.
//!
//! Swaps and volatile accesses are recorded each time: what they do is known only when they have done it.
//!
//! What it can miss: addresses that are the same for other reasons than that they are made of the same values.

use std::collections::BTreeMap;

use lockstep_kernel::cfg::{Cfg, Loop};
use lockstep_kernel::{
    AtomicOp, Barrier, BlockId, Inst, Kernel, Op, Operand, SiteId, Special, Terminator,
};

use crate::plan::{As, Loops, Recorded};
use crate::uniform::Uniform;

/// Where a register is made.
#[derive(Clone, Copy)]
enum Made<'k> {
    /// Before the kernel's first block.
    Before,
    ByPhi(BlockId),
    By(BlockId, &'k Op),
}

struct Kept<'k> {
    cfg: Cfg,
    made: Vec<Made<'k>>,
    /// By loop: accesses of one thread to one address are one for a cell.
    quiet: Vec<bool>,
}

/// How often each access is recorded, where not each time it is made.
pub(crate) fn recorded(kernel: &Kernel) -> BTreeMap<SiteId, Recorded> {
    let used = used(kernel);
    let kept = Kept::new(kernel, &used);
    let uniform = Uniform::new(kernel, &kept.cfg);
    let is_plain = !kernel.insts().any(|i| learns(kernel, &used, i) || is_partial(&i.op));
    let mut out: BTreeMap<SiteId, Option<Recorded>> = BTreeMap::new();
    for (b, block) in kernel.blocks.iter().enumerate() {
        let b = BlockId(b as u32);
        for inst in &block.insts {
            let (site, address) = match inst.op {
                Op::Load { site, addr, .. } | Op::Store { site, addr, .. } => (site, addr),
                Op::Atomic { site, addr, op, .. } if op != AtomicOp::CompareExchange => {
                    (site, addr)
                }
                _ => continue,
            };
            let recorded = (!kernel.site(site).volatile).then(|| Recorded {
                loops: kept.loops(b, address),
                // In a loop, asking who records costs more than one lane that records for its warp.
                for_block: is_plain
                    && kept.cfg.innermost[b.0 as usize].is_none()
                    && uniform.is_executed_by_all(b)
                    && uniform.is_same(address),
            });
            // A site of several instructions is recorded each time.
            out.entry(site).and_modify(|r| *r = None).or_insert(recorded);
        }
    }
    out.into_iter().filter_map(|(site, r)| Some((site, r?))).collect()
}

impl Recorded {
    /// What of it holds for an access that is checked so.
    pub(crate) fn limited_to(self, how: As) -> Recorded {
        Recorded {
            loops: self.loops.filter(|_| how != As::ReadAtomically),
            for_block: self.for_block && matches!(how, As::Bounds | As::Read | As::Update),
        }
    }
}

impl<'k> Kept<'k> {
    fn new(kernel: &'k Kernel, used: &[bool]) -> Kept<'k> {
        let cfg = Cfg::new(kernel);
        let mut made = vec![Made::Before; kernel.regs.len()];
        for (b, block) in kernel.blocks.iter().enumerate() {
            let b = BlockId(b as u32);
            for phi in &block.phis {
                made[phi.dst.0 as usize] = Made::ByPhi(b);
            }
            for inst in &block.insts {
                let Some(dst) = inst.dst else { continue };
                for r in dst.0..dst.0 + inst.op.result_count() {
                    made[r as usize] = Made::By(b, &inst.op);
                }
            }
        }
        let orders = |i: &Inst| matches!(i.op, Op::Barrier { .. }) || learns(kernel, used, i);
        let is_quiet = |l: &Loop| {
            let blocks = l.blocks.iter().map(|b| kernel.block(*b));
            let insts = blocks.flat_map(|b| &b.insts);
            // Another way in than through its head would begin a round without its first access.
            !insts.into_iter().any(orders) && l.blocks.iter().all(|b| cfg.dominates(l.head, *b))
        };
        let quiet = cfg.loops.iter().map(is_quiet).collect();
        Kept { cfg, made, quiet }
    }

    /// The loops around a block in which an address stays as it is, from the innermost on.
    fn loops(&self, block: BlockId, address: Operand) -> Option<Loops> {
        let (mut once, mut around) = (0, 0);
        let mut at = self.cfg.innermost[block.0 as usize];
        while let Some(l) = at {
            let stays = once == around && self.quiet[l] && self.stays(address, l, MOST_STEPS);
            once += u32::from(stays);
            around += 1;
            at = self.cfg.loops[l].parent;
        }
        (once > 0).then_some(Loops { once, around })
    }

    /// Whether an operand has one value in all rounds of a loop.
    fn stays(&self, operand: Operand, l: usize, steps: u32) -> bool {
        let register = match operand {
            Operand::Reg(r) => r,
            Operand::Imm(_) | Operand::Object(..) => return true,
            Operand::Undef => return false,
        };
        let inside = |block: BlockId| self.cfg.loops[l].blocks.contains(&block);
        match self.made[register.0 as usize] {
            Made::Before => true,
            Made::ByPhi(block) => !inside(block),
            Made::By(block, _) if !inside(block) => true,
            Made::By(_, op) => {
                let is_fixed = op.is_pure() && !matches!(op, Op::Special(Special::Clock));
                let mut all = is_fixed && steps > 0;
                op.for_each_operand(|o| all = all && self.stays(o, l, steps - 1));
                all
            }
        }
    }
}

/// Steps from an address to what it is made of.
const MOST_STEPS: u32 = 16;

/// By register, whether something reads it.
fn used(kernel: &Kernel) -> Vec<bool> {
    let mut out = vec![false; kernel.regs.len()];
    let mut mark = |o: Operand| {
        if let Operand::Reg(r) = o {
            out[r.0 as usize] = true;
        }
    };
    for block in &kernel.blocks {
        block.phis.iter().flat_map(|p| &p.incoming).for_each(|(_, o)| mark(*o));
        block.insts.iter().for_each(|i| i.op.for_each_operand(&mut mark));
        if let Terminator::Branch { cond, .. } = block.term {
            mark(cond);
        }
    }
    out
}

/// Whether a thread may know what others have done once it has made this access.
fn learns(kernel: &Kernel, used: &[bool], inst: &Inst) -> bool {
    match &inst.op {
        Op::Atomic { .. } => inst.dst.is_some_and(|r| used[r.0 as usize]),
        Op::Load { site, .. } => kernel.site(*site).volatile,
        _ => false,
    }
}

/// A barrier of threads of the warp that may not be all.
fn is_partial(op: &Op) -> bool {
    let all = u64::from(u32::MAX);
    matches!(op, Op::Barrier { barrier: Barrier::Warp { mask }, .. }
        if !matches!(mask, Operand::Imm(m) if m & all == all))
}
