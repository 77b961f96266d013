//! Axes that are there only for a thread's number in its block.
//!
//! A library that numbers the threads of any block (`x + w * (y + h * z)`, as cooperative groups do) reads all three axes and
//! says nothing of the blocks that a kernel is made for. Where the second and third axis are in nothing but such numbers
//! and in the number of all threads (`w * h * d`), the kernel cannot tell a block of three axes from a row of as many
//! threads, unless it looks at the first axis too: then it was made for a row.
//!
//! What it can miss: numbers that are put together in another way. Then all axes count as before.

use super::graph::{Graph, Use};
use crate::flow::Def;
use crate::{Inst, IntOp, Op, Operand, Reg, Special};

/// An index and the dimension it goes up to, by axis.
pub(super) struct Axes {
    pub(super) index: fn(u8) -> Special,
    pub(super) extent: fn(u8) -> Special,
}

impl Axes {
    /// Whether the second and third axis are read, and only for such numbers.
    pub(super) fn are_only_ranks(&self, graph: &Graph) -> bool {
        let (index, extent) = (self.index, self.extent);
        let is = |o: Operand, s: Special| special(graph, o) == Some(s);
        let layer =
            |o: Operand| product(graph, o, &|a, b| is(a, extent(1)) && is(b, index(2))).is_some();
        let area =
            |o: Operand| product(graph, o, &|a, b| is(a, extent(0)) && is(b, extent(1))).is_some();
        let mut any = false;
        for inst in graph.kernel.insts() {
            let (Op::Special(s), Some(dst)) = (&inst.op, inst.dst) else { continue };
            let fits = |f: &dyn Fn(&Inst) -> bool| all_uses(graph, dst, f);
            let by = |of: &dyn Fn(Operand) -> bool, inst: &Inst| is_of(inst, IntOp::Mul, of);
            let whole = match *s {
                s if s == index(1) => fits(&|i| is_of(i, IntOp::Add, &layer)),
                s if s == index(2) => fits(&|i| by(&|o| is(o, extent(1)), i)),
                s if s == extent(1) => fits(&|i| {
                    let of_area = || {
                        i.dst.is_some_and(|d| all_uses(graph, d, &|j| by(&|o| is(o, extent(2)), j)))
                    };
                    by(&|o| is(o, index(2)), i) || by(&|o| is(o, extent(0)), i) && of_area()
                }),
                s if s == extent(2) => fits(&|i| by(&area, i)),
                _ => continue,
            };
            if !whole {
                return false;
            }
            any = true;
        }
        any
    }
}

/// Whether an operation is this one, of two operands of which one is such.
fn is_of(inst: &Inst, wanted: IntOp, such: &dyn Fn(Operand) -> bool) -> bool {
    matches!(inst.op, Op::Int { op, a, b, .. } if op == wanted && (such(a) || such(b)))
}

/// The operation that made a value, before conversions.
fn made<'k>(graph: &Graph<'k>, mut o: Operand) -> Option<&'k Inst> {
    loop {
        let Operand::Reg(r) = o else { return None };
        let Def::Inst(_, inst) = graph.defs[r.0 as usize] else { return None };
        match inst.op {
            Op::Copy { a, .. } | Op::Cast { a, .. } => o = a,
            _ => return Some(inst),
        }
    }
}

fn special(graph: &Graph, o: Operand) -> Option<Special> {
    match made(graph, o)?.op {
        Op::Special(s) => Some(s),
        _ => None,
    }
}

/// The factors of a product for which something holds, in one order or the other.
fn product(
    graph: &Graph,
    o: Operand,
    holds: &dyn Fn(Operand, Operand) -> bool,
) -> Option<(Operand, Operand)> {
    match made(graph, o)?.op {
        Op::Int { op: IntOp::Mul, a, b, .. } if holds(a, b) => Some((a, b)),
        Op::Int { op: IntOp::Mul, a, b, .. } if holds(b, a) => Some((b, a)),
        _ => None,
    }
}

/// Whether all that reads a register, be it converted, is as wanted.
fn all_uses(graph: &Graph, r: Reg, wanted: &dyn Fn(&Inst) -> bool) -> bool {
    graph.uses[r.0 as usize].iter().all(|u| match u {
        Use::Inst(inst) => match (&inst.op, inst.dst) {
            (Op::Copy { .. } | Op::Cast { .. }, Some(d)) => all_uses(graph, d, wanted),
            _ => wanted(inst),
        },
        Use::Phi | Use::Branch => false,
    })
}
