//! The value of a term, where those of its variables are given: by the functions that say what operations mean.

use rustc_hash::{FxHashMap, FxHashSet};

use lockstep_kernel::semantics::bits;
use lockstep_kernel::{Rounding, Ty};

use super::{Node, Pool, T};

/// The value of one operation whose operands have these values; none for a variable without a value.
pub(crate) fn apply(pool: &Pool, node: &Node, ty: Ty, of: &impl Fn(T) -> u64) -> Option<u64> {
    let ty_of = |t: T| pool.ty(t);
    Some(match *node {
        Node::Const(v) => v,
        Node::Var(_) => return None,
        Node::Int(op, a, b) => bits::int(op, ty, of(a), of(b)),
        Node::IntUn(op, a) => bits::int_un(op, ty, of(a)),
        Node::Funnel(left, hi, lo, amount) => bits::funnel(left, ty, of(hi), of(lo), of(amount)),
        Node::Float(op, rounding, a, b) => bits::float(op, ty, rounding, of(a), of(b)),
        Node::AnyOrder(op, _, a, b) => bits::float(op, ty, Rounding::NearestEven, of(a), of(b)),
        Node::FloatUn(op, rounding, a) => bits::float_un(op, ty, rounding, of(a)),
        Node::Fma(rounding, a, b, c) => bits::fma(ty, rounding, of(a), of(b), of(c)),
        Node::Math(f, a, b) => bits::math(f, ty_of(a), of(a), of(b)),
        Node::Cmp(op, a, b) => u64::from(bits::compare(op, ty_of(a), of(a), of(b))),
        Node::Same(a, b) => u64::from(is_same(ty_of(a), of(a), of(b))),
        Node::Cast(op, a) => bits::cast(op, ty_of(a), ty, of(a)),
        Node::Select(c, a, b) => {
            if of(c) != 0 {
                of(a)
            } else {
                of(b)
            }
        }
        Node::Not(a) => of(a) ^ 1,
        Node::All(ref list) => u64::from(list.iter().all(|&t| of(t) != 0)),
        // Some number that differs between objects, as addresses do.
        Node::Address(object, offset) => {
            (u64::from(object) << 40 | 1 << 39).wrapping_add(of(offset))
        }
        // Some contents: small numbers.
        Node::Element(input, index) => {
            let mixed = of(index).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(input) << 32;
            let number = (mixed >> 29) % 1000;
            if ty.is_float() { bits::real_bits(ty, number as f64) } else { number }
        }
    })
}

/// Whether two values of a type are the same, as results are compared: NaNs are alike.
pub(crate) fn is_same(ty: Ty, a: u64, b: u64) -> bool {
    let is_nan = |x: u64| ty.is_float() && bits::real_value(ty, x).is_nan();
    a == b || is_nan(a) && is_nan(b)
}

/// Values of all terms of a pool under one assignment, computed as they are asked for.
pub(crate) struct Evaluation {
    values: FxHashMap<T, u64>,
}

impl Evaluation {
    /// Values of variables, by their number.
    pub(crate) fn new() -> Evaluation {
        Evaluation { values: FxHashMap::default() }
    }

    /// The value of a term; `variable` gives that of a variable.
    pub(crate) fn value(&mut self, pool: &Pool, root: T, variable: &impl Fn(u32) -> u64) -> u64 {
        if let Some(&v) = self.values.get(&root) {
            return v;
        }
        // Depth first, without recursion: chains of additions are long.
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.values.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            super::walk::children(pool.node(t), |c| {
                if !self.values.contains_key(&c) {
                    stack.push(c);
                }
            });
            if stack.len() > before {
                continue;
            }
            let ty = pool.ty(t);
            let v = match pool.node(t) {
                Node::Var(v) => variable(*v) & ty.mask(),
                node => apply(pool, node, ty, &|c| self.values[&c]).unwrap_or(0) & ty.mask(),
            };
            self.values.insert(t, v);
            stack.pop();
        }
        self.values[&root]
    }

    /// Whether nothing that a term is computed from is infinite or a NaN, but for constants; of a selection, only what is
    /// selected counts.
    pub(crate) fn is_finite(
        &mut self,
        pool: &Pool,
        root: T,
        variable: &impl Fn(u32) -> u64,
    ) -> bool {
        let mut seen: FxHashSet<T> = FxHashSet::default();
        let mut open = vec![root];
        while let Some(t) = open.pop() {
            if !seen.insert(t) {
                continue;
            }
            let (ty, node) = (pool.ty(t), pool.node(t));
            let is_constant = matches!(node, Node::Const(_));
            if ty.is_float() && !is_constant {
                let value = bits::real_value(ty, self.value(pool, t, variable));
                if !value.is_finite() {
                    return false;
                }
            }
            match *node {
                Node::Select(c, a, b) => {
                    let is_first = self.value(pool, c, variable) != 0;
                    open.extend([c, if is_first { a } else { b }]);
                }
                ref node => super::walk::children(node, |c| open.push(c)),
            }
        }
        true
    }
}

/// The value of one term.
#[cfg(test)]
pub(crate) fn value(pool: &Pool, root: T, variable: &impl Fn(u32) -> u64) -> u64 {
    Evaluation::new().value(pool, root, variable)
}
