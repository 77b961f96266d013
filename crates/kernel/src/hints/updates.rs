//! Stores that add to what they find.
//!
//! `bins[k] += 1` makes sense for equal `k`, if only it were atomic; so does `if (v > best[k]) best[k] = v`. Where a
//! store puts back what took more than one operation to compute, or nothing that was read there, two threads with
//! equal `k` have no sensible result in any order. Nor have they where what is added was computed from other elements of
//! the array, as in `x[u] += x[v] - x[u]`: no atomic would make that right, so the caller keeps such threads apart.
//!
//! What it can claim too much: that the element read is the one that is written, which is not looked at.

use crate::flow::{Bases, Def};
use crate::{FloatOp, Inst, IntOp, Kernel, Op, Operand, SiteId};

/// Operations on the way from an element to what is added.
const DEPTH: u32 = 6;

/// The stores of the kernel that add to an element of the same array.
pub(super) fn updates(kernel: &Kernel, defs: &[Def], bases: &Bases) -> Vec<SiteId> {
    let mut compared: Vec<(Operand, Operand)> = Vec::new();
    for inst in kernel.insts() {
        if let Op::Cmp { a, b, .. } = inst.op {
            compared.push((bare(defs, a), bare(defs, b)));
        }
    }
    let mut out = Vec::new();
    for inst in kernel.insts() {
        let Op::Store { site, values, addr, .. } = &inst.op else { continue };
        let targets = bases.targets(*addr);
        let reads = |o: Operand| is_read(defs, bases, o, &targets);
        let adds = values.iter().any(|&v| {
            let v = bare(defs, v);
            let parts = combined(defs, v);
            let adds = (0..parts.len()).any(|i| {
                let mut others = parts.iter().enumerate().filter(|(k, _)| *k != i);
                reads(bare(defs, parts[i]))
                    && !others.any(|(_, &o)| follows(defs, &reads, o, DEPTH))
            });
            adds || compared.iter().any(|&(a, b)| a == v && reads(b) || b == v && reads(a))
        });
        if adds {
            out.push(*site);
        }
    }
    out.sort();
    out
}

fn inst<'k>(defs: &[Def<'k>], o: Operand) -> Option<&'k Inst> {
    let Operand::Reg(r) = o else { return None };
    match defs[r.0 as usize] {
        Def::Inst(_, inst) => Some(inst),
        _ => None,
    }
}

/// The value before it was converted.
fn bare(defs: &[Def], mut o: Operand) -> Operand {
    while let Some(Op::Cast { a, .. } | Op::Copy { a, .. }) = inst(defs, o).map(|i| &i.op) {
        o = *a;
    }
    o
}

/// What one operation made a value of. Nothing accumulates by dividing, and no atomic divides.
fn combined(defs: &[Def], o: Operand) -> Vec<Operand> {
    let mut out = Vec::new();
    if let Some(inst) = inst(defs, o) {
        match inst.op {
            Op::Int { op: IntOp::UDiv | IntOp::SDiv | IntOp::URem | IntOp::SRem, .. }
            | Op::Float { op: FloatOp::Div | FloatOp::Rem, .. } => {}
            Op::Int { .. } | Op::Float { .. } | Op::Fma { .. } | Op::Select { .. } => {
                inst.op.for_each_operand(|o| out.push(o));
            }
            _ => {}
        }
    }
    out
}

/// Whether a value is computed from one that was read so.
fn follows(defs: &[Def], reads: &dyn Fn(Operand) -> bool, o: Operand, depth: u32) -> bool {
    let Some(inst) = inst(defs, o) else { return false };
    let mut found = reads(o);
    if depth > 0 && !matches!(inst.op, Op::Load { .. } | Op::Atomic { .. }) {
        inst.op.for_each_operand(|o| found |= follows(defs, reads, o, depth - 1));
    }
    found
}

/// Whether a value was read from an array that a store may write.
fn is_read(defs: &[Def], bases: &Bases, o: Operand, targets: &[usize]) -> bool {
    let Some(Op::Load { addr, .. }) = inst(defs, o).map(|i| &i.op) else { return false };
    bases.targets(*addr).iter().any(|t| targets.contains(t))
}
