//! Elements that are moved where a comparison of them says so: `if (s[i + h] > s[i]) s[i] = s[i + h];`.
//!
//! A kernel that picks the largest of some elements, or sorts them, does it because they come in any order: nobody has
//! sorted them before. Not seen: moves through another array, and values that were changed on the way.

use crate::flow::{Control, Def};
use crate::hints::graph::Graph;
use crate::hints::params::arrays_of;
use crate::{Inst, Op, Operand, Reg, Terminator};

/// How far back a condition is followed, and a value.
const DEPTH: u32 = 8;

/// Whether a comparison of elements of the arrays given decides about a store of one of these elements to them.
pub(super) fn moves(graph: &Graph, control: &Control, compares: &Inst, arrays: &[usize]) -> bool {
    let Some(outcome) = compares.dst else { return false };
    graph.cfg.order.iter().any(|&b| {
        let among = |of: &[usize]| !of.is_empty() && of.iter().all(|a| arrays.contains(a));
        let is_move = |inst: &Inst| match &inst.op {
            Op::Store { addr, values, .. } => {
                among(&graph.bases.targets(*addr))
                    && values
                        .iter()
                        .any(|&v| arrays_of(graph, v, DEPTH).is_some_and(|from| among(&from)))
            }
            _ => false,
        };
        graph.kernel.block(b).insts.iter().any(is_move)
            && control.deciders(std::iter::once(b)).iter().enumerate().any(|(c, decides)| {
                let Terminator::Branch { cond, .. } = graph.kernel.blocks[c].term else {
                    return false;
                };
                *decides && follows(graph, cond, outcome, DEPTH)
            })
    })
}

/// Whether a condition is made of a register.
fn follows(graph: &Graph, cond: Operand, from: Reg, depth: u32) -> bool {
    let Operand::Reg(r) = cond else { return false };
    if r == from || depth == 0 {
        return r == from;
    }
    let mut found = false;
    let mut ask = |o| found |= follows(graph, o, from, depth - 1);
    match graph.defs[r.0 as usize] {
        Def::Inst(_, inst) if !matches!(inst.op, Op::Load { .. }) => {
            inst.op.for_each_operand(&mut ask);
        }
        Def::Phi(_, phi) => phi.incoming.iter().for_each(|&(_, o)| ask(o)),
        _ => {}
    }
    found
}
