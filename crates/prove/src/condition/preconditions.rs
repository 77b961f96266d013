//! Preconditions that fix or bound a parameter: `__requires(n == blockDim.x)`, `__requires(n < 1024)`.
//!
//! A precondition that every thread reaches holds in every launch considered. Where it makes a parameter equal to a
//! constant, or bounds it by one, the kernel is evaluated again with that value or bound, so that loops up to the
//! parameter can be counted and intervals are tighter. Preconditions of other forms remain assumptions of every query.

use lockstep_finding::Origin;

use crate::launch::assumptions::Assumptions;
use crate::launch::context::VarKind;
use crate::launch::expressions::{AssumeExpr, Operator, Tree};
use crate::symbolic::evaluate::Exec;
use crate::term::walk::conjuncts;
use crate::term::{Bin, Node, T, sign_extend};

/// The assumptions extended by the constants and bounds that preconditions give single parameters; `None` if they add
/// nothing.
pub(crate) fn sharpen(exec: &mut Exec, given: &Assumptions) -> Option<Assumptions> {
    let mut literals = Vec::new();
    for (b, c, _) in &exec.requires {
        let always = exec.nest(*b).is_empty() && exec.ctx.pool.is_true(exec.reach[b.0 as usize]);
        if always {
            conjuncts(&exec.ctx.pool, *c, &mut literals);
        }
    }
    for e in &given.exprs {
        let c = exec.ctx.assume(&e.tree);
        conjuncts(&exec.ctx.pool, c, &mut literals);
    }
    let mut out = given.clone();
    let mut more = false;
    for t in literals {
        let (negated, t) = match *exec.ctx.pool.node(t) {
            Node::Bin(Bin::Xor, a, b) if exec.ctx.pool.as_const(a) == Some(1) => (true, b),
            Node::Bin(Bin::Xor, a, b) if exec.ctx.pool.as_const(b) == Some(1) => (true, a),
            _ => (false, t),
        };
        let Node::Bin(op, a, b) = *exec.ctx.pool.node(t) else { continue };
        for (x, y, left) in [(a, b, true), (b, a, false)] {
            let (Some((param, signed)), Some(c)) = (parameter(exec, x), exec.ctx.pool.as_const(y))
            else {
                continue;
            };
            let value = if signed || op == Bin::Slt {
                sign_extend(c, exec.ctx.pool.width(y))
            } else {
                c as i64
            };
            match op {
                Bin::Eq if !negated && !out.scalars.iter().any(|(p, _)| *p == param) => {
                    out.scalars.push((param, vec![c]));
                    more = true;
                }
                Bin::Slt if signed => {
                    let op = match (left, negated) {
                        (true, false) => Operator::Lt,
                        (true, true) => Operator::Ge,
                        (false, false) => Operator::Gt,
                        (false, true) => Operator::Le,
                    };
                    push(&mut out, param, op, value, &mut more);
                }
                Bin::Ult if !signed => {
                    let op = match (left, negated) {
                        (true, false) => Operator::Lt,
                        (true, true) => Operator::Ge,
                        (false, false) => Operator::Gt,
                        (false, true) => Operator::Le,
                    };
                    push(&mut out, param, op, value, &mut more);
                }
                _ => {}
            }
        }
    }
    more.then_some(out)
}

fn push(out: &mut Assumptions, param: usize, op: Operator, value: i64, more: &mut bool) {
    let tree = Tree::Binary(op, Box::new(Tree::Param(param)), Box::new(Tree::Const(value)));
    let known = out.exprs.iter().any(|e| e.tree == tree);
    if !known {
        out.exprs.push(AssumeExpr { told: None, tree, origin: Origin::Annotation });
        *more = true;
    }
}

/// The scalar parameter if the term is one, possibly extended according to its signedness.
fn parameter(exec: &Exec, t: T) -> Option<(usize, bool)> {
    let pool = &exec.ctx.pool;
    let (t, extended) = match *pool.node(t) {
        Node::SExt(x) => (x, Some(true)),
        Node::ZExt(x) => (x, Some(false)),
        _ => (t, None),
    };
    let Node::Var(v) = *pool.node(t) else { return None };
    let (VarKind::Param(p, 0), _) = exec.ctx.vars[v.0 as usize] else { return None };
    let signed = exec.ctx.kernel.params[p].signed;
    (extended.is_none_or(|e| e == signed)).then_some((p, signed))
}
