//! Reads whose value is only a guess.
//!
//! What the hardware has no atomic for is done in a loop: read the old value, compute the new one, and swap if the old one
//! is still there. The first read may be a plain one, as in the programming guides: whatever it returns, the
//! compare-and-swap at the same address finds out, and the loop goes round with what it found. So such a read and an
//! atomic do not race in a way that matters.
//!
//! What it can claim too much: a guess that is used for something else before it is checked counts as one, too. Other
//! stores than atomics race with it as before.

use crate::flow::{Def, definitions};
use crate::{AtomicOp, Kernel, Op, Operand, SiteId};

/// Steps from a compare-and-swap back to a read.
const MOST_STEPS: usize = 64;

/// The loads of one element whose value, as it was read, a compare-and-swap at the same address expects.
pub fn guessing_reads(kernel: &Kernel) -> Vec<SiteId> {
    let defs = definitions(kernel);
    let mut out = Vec::new();
    for inst in kernel.insts() {
        let Op::Atomic { op: AtomicOp::CompareExchange, addr, expected, .. } = inst.op else {
            continue;
        };
        let mut work = vec![expected];
        let mut seen = Vec::new();
        while let Some(o) = work.pop().filter(|_| seen.len() < MOST_STEPS) {
            let Operand::Reg(r) = o else { continue };
            if seen.contains(&r) {
                continue;
            }
            seen.push(r);
            match defs[r.0 as usize] {
                Def::Phi(_, phi) => work.extend(phi.incoming.iter().map(|&(_, o)| o)),
                Def::Inst(_, inst) => match &inst.op {
                    Op::Copy { a, .. } | Op::Cast { a, .. } => work.push(*a),
                    Op::Load { site, addr: from, .. }
                        if inst.op.result_count() == 1 && is_same(&defs, *from, addr, 8) =>
                    {
                        out.push(*site);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }
    out.sort();
    out.dedup();
    out
}

/// Whether two addresses are made in the same way of the same values.
fn is_same(defs: &[Def], a: Operand, b: Operand, depth: u32) -> bool {
    if a == b {
        return true;
    }
    let made = |o: Operand| match o {
        Operand::Reg(r) => match defs[r.0 as usize] {
            Def::Inst(_, inst) => Some(&inst.op),
            _ => None,
        },
        _ => None,
    };
    let same = |a, b| depth > 0 && is_same(defs, a, b, depth - 1);
    match (made(a), made(b)) {
        (Some(&Op::Copy { a: from, .. }), _) => same(from, b),
        (_, Some(&Op::Copy { a: from, .. })) => same(a, from),
        (
            Some(&Op::Index { base, index, scale, offset }),
            Some(&Op::Index { base: b, index: i, scale: s, offset: o }),
        ) => (scale, offset) == (s, o) && same(base, b) && same(index, i),
        (Some(&Op::Cast { op, a: x, .. }), Some(&Op::Cast { op: other, a: y, .. })) => {
            op == other && same(x, y)
        }
        _ => false,
    }
}
