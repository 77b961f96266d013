//! Terms made again with other parts: variables replaced, indices in one form, conditions decided that follow from what holds.

use rustc_hash::FxHashMap;

use lockstep_kernel::Ty;

use super::Linear;
use crate::term::walk::children;
use crate::term::{Node, Pool, T};

/// The operation of a node on other operands.
pub(crate) fn with_parts(pool: &mut Pool, t: T, of: &impl Fn(T) -> T) -> T {
    let ty = pool.ty(t);
    match pool.node(t).clone() {
        Node::Const(_) | Node::Var(_) => t,
        Node::Int(op, a, b) => pool.int(op, of(a), of(b)),
        Node::IntUn(op, a) => pool.int_un(op, of(a)),
        Node::Funnel(left, a, b, c) => pool.funnel(left, of(a), of(b), of(c)),
        Node::Float(op, rounding, a, b) => pool.float(op, rounding, of(a), of(b)),
        Node::FloatUn(op, rounding, a) => pool.float_un(op, rounding, of(a)),
        Node::Fma(rounding, a, b, c) => pool.fma(rounding, of(a), of(b), of(c)),
        Node::Math(f, a, b) => pool.math(f, of(a), of(b)),
        Node::Cmp(op, a, b) => pool.cmp(op, of(a), of(b)),
        Node::Cast(op, a) => pool.cast(op, of(a), ty),
        Node::Same(a, b) => pool.same(of(a), of(b)),
        Node::Select(c, a, b) => pool.select(of(c), of(a), of(b)),
        Node::Not(a) => pool.not(of(a)),
        Node::All(list) => {
            let parts: Vec<T> = list.iter().map(|p| of(*p)).collect();
            pool.all(&parts)
        }
        Node::Address(object, offset) => pool.address(object, of(offset)),
        Node::AnyOrder(op, execution, a, b) => pool.any_order(op, execution, of(a), of(b)),
        Node::Element(input, index) => pool.element(input, of(index), ty),
    }
}

/// The term with some variables replaced.
pub(crate) fn replaced(pool: &mut Pool, root: T, by: &FxHashMap<T, T>) -> T {
    let mut done = by.clone();
    rebuilt(pool, root, &mut done, &mut |pool, t, of| with_parts(pool, t, &of))
}

/// Terms below a root made again, what a term is made of before it.
fn rebuilt(
    pool: &mut Pool,
    root: T,
    done: &mut FxHashMap<T, T>,
    make: &mut impl FnMut(&mut Pool, T, &dyn Fn(T) -> T) -> T,
) -> T {
    let mut stack = vec![root];
    while let Some(&t) = stack.last() {
        if done.contains_key(&t) {
            stack.pop();
            continue;
        }
        let before = stack.len();
        children(pool.node(t), |c| {
            if !done.contains_key(&c) {
                stack.push(c);
            }
        });
        if stack.len() > before {
            continue;
        }
        let made = make(pool, t, &|c| done.get(&c).copied().unwrap_or(c));
        done.insert(t, made);
        stack.pop();
    }
    done[&root]
}

impl Linear {
    /// The same value where what is known holds, with indices in their one form and without selections that are decided.
    pub(crate) fn settled(&mut self, pool: &mut Pool, root: T) -> T {
        let mut done = std::mem::take(&mut self.rebuilt);
        let made = rebuilt(pool, root, &mut done, &mut |pool, t, of| {
            let t = with_parts(pool, t, &of);
            self.settled_one(pool, t)
        });
        self.rebuilt = done;
        made
    }

    fn settled_one(&mut self, pool: &mut Pool, t: T) -> T {
        match *pool.node(t) {
            Node::Element(input, index) => {
                let form = self.form(pool, index);
                match self.term(pool, &form) {
                    Some(one) => pool.element(input, one, pool.ty(t)),
                    None => t,
                }
            }
            Node::Cmp(_, a, _) if pool.ty(a).is_int() && pool.ty(a) != Ty::I1 => {
                match self.decide(pool, t) {
                    Some(known) => pool.truth(known),
                    None => t,
                }
            }
            _ => t,
        }
    }
}
