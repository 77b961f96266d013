//! A conjunction in a form that is fast to evaluate repeatedly: its terms in topological order, with operands given by
//! their positions in it.
//!
//! [`crate::decide::guessed_models`] evaluates it under many assignments, a batch at a time, and
//! [`crate::decide::intervals`] over intervals. Both are tried before the solver on the same conjunction, so it is
//! converted only once.

use rustc_hash::FxHashMap;

use crate::term::walk::{eval_bin, reachable};
use crate::term::{Bin, Node, Pool, T, mask, sign_extend};

/// A term's position in a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At(pub(crate) u32);

impl At {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of assignments that are evaluated together.
pub(crate) const LANES: usize = 32;

/// The values of one term under each of these assignments.
pub(crate) type Lanes = [u64; LANES];

pub(crate) struct Program<'a> {
    pub(crate) pool: &'a Pool,
    /// Operands first: a term is created after its operands, so ascending numbers are an evaluation order.
    pub(crate) terms: Vec<T>,
    pub(crate) nodes: Vec<Node<At>>,
    pub(crate) widths: Vec<u32>,
    /// The conditions, in the order in which they were given.
    pub(crate) roots: Vec<At>,
    pub(crate) is_root: Vec<bool>,
}

impl<'a> Program<'a> {
    pub(crate) fn new(pool: &'a Pool, list: &[T]) -> Program<'a> {
        let terms = reachable(pool, list);
        let positions: FxHashMap<T, At> = terms.iter().zip(0..).map(|(&t, i)| (t, At(i))).collect();
        let at = |t: &T| positions[t];
        let node = |t: T| match pool.node(t) {
            Node::Const(c) => Node::Const(*c),
            Node::Var(v) => Node::Var(*v),
            Node::App(f, args) => Node::App(*f, args.iter().map(at).collect()),
            Node::Lin(c, terms) => Node::Lin(*c, terms.iter().map(|(a, k)| (at(a), *k)).collect()),
            Node::Bin(op, a, b) => Node::Bin(*op, at(a), at(b)),
            Node::Ite(c, a, b) => Node::Ite(at(c), at(a), at(b)),
            Node::ZExt(a) => Node::ZExt(at(a)),
            Node::SExt(a) => Node::SExt(at(a)),
            Node::Trunc(a) => Node::Trunc(at(a)),
        };
        let nodes = terms.iter().map(|&t| node(t)).collect();
        let widths = terms.iter().map(|&t| pool.width(t)).collect();
        let roots: Vec<At> = list.iter().map(at).collect();
        let mut is_root = vec![false; terms.len()];
        for r in &roots {
            is_root[r.index()] = true;
        }
        Program { pool, terms, nodes, widths, roots, is_root }
    }

    pub(crate) fn width(&self, a: At) -> u32 {
        self.widths[a.index()]
    }

    /// Storage for the values of all terms, with those of constants filled in.
    pub(crate) fn room(&self) -> Vec<Lanes> {
        let constant = |(node, &w): (&Node<At>, &u32)| match node {
            Node::Const(c) => [*c & mask(w); LANES],
            _ => [0; LANES],
        };
        self.nodes.iter().zip(&self.widths).map(constant).collect()
    }

    /// The lanes in which all conditions hold, as a bit mask. `values` ([`Program::room`]) holds the values of the
    /// variables at their positions; every function application has the value `app`. Only the first `used` lanes count.
    /// Evaluation stops as soon as no lane is left.
    pub(crate) fn holds(&self, values: &mut [Lanes], app: u64, used: usize) -> u32 {
        let mut left = if used >= LANES { u32::MAX } else { (1 << used) - 1 };
        for (i, node) in self.nodes.iter().enumerate() {
            let (done, rest) = values.split_at_mut(i);
            let Some(out) = rest.first_mut() else { return 0 };
            let of = |a: &At| &done[a.index()];
            let bits = mask(self.widths[i]);
            match node {
                Node::Var(_) | Node::Const(_) => {}
                Node::App(..) => *out = [app; LANES],
                Node::Lin(c, terms) => {
                    *out = [*c; LANES];
                    for (a, k) in terms {
                        each(out, of(a), |s, v| s.wrapping_add(v.wrapping_mul(*k)));
                    }
                }
                Node::Bin(op, a, b) => {
                    *out = *of(a);
                    bin(*op, out, of(b), self.width(*a));
                }
                Node::Ite(c, a, b) => {
                    *out = *of(a);
                    let other = of(b);
                    for ((o, c), b) in out.iter_mut().zip(of(c)).zip(other) {
                        *o = if *c == 1 { *o } else { *b };
                    }
                }
                Node::ZExt(a) | Node::Trunc(a) => *out = *of(a),
                Node::SExt(a) => {
                    let w = self.width(*a);
                    each(out, of(a), |_, v| sign_extend(v, w) as u64);
                }
            }
            if !matches!(node, Node::Const(_) | Node::Var(_) | Node::ZExt(_)) {
                for o in out.iter_mut() {
                    *o &= bits;
                }
            }
            if self.is_root[i] {
                let held = out.iter().rev().fold(0, |m, &v| m << 1 | u32::from(v == 1));
                left &= held;
                if left == 0 {
                    break;
                }
            }
        }
        left
    }
}

fn each(out: &mut Lanes, other: &Lanes, f: impl Fn(u64, u64) -> u64) {
    for (o, v) in out.iter_mut().zip(other) {
        *o = f(*o, *v);
    }
}

/// A binary operation on operands of a width, lane by lane; the common operations have loops of their own.
fn bin(op: Bin, a: &mut Lanes, b: &Lanes, w: u32) {
    match op {
        Bin::Mul => each(a, b, u64::wrapping_mul),
        Bin::And => each(a, b, |a, b| a & b),
        Bin::Or => each(a, b, |a, b| a | b),
        Bin::Xor => each(a, b, |a, b| a ^ b),
        Bin::Eq => each(a, b, |a, b| u64::from(a == b)),
        Bin::Ult => each(a, b, |a, b| u64::from(a < b)),
        Bin::Slt => each(a, b, |a, b| u64::from(sign_extend(a, w) < sign_extend(b, w))),
        _ => each(a, b, |a, b| eval_bin(op, a, b, w)),
    }
}
