//! Walking terms: substitution, evaluation under an assignment, and the leaves of a term.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::term::{Bin, FnId, Node, Pool, T, VarId, mask, sign_extend};

/// A substitution of leaves, applied bottom-up with simplification. Results are cached, so that applying it to many
/// terms of one graph processes each node once.
#[derive(Default)]
pub(crate) struct Substitution {
    pub(crate) vars: FxHashMap<VarId, T>,
    pub(crate) fns: FxHashMap<FnId, FnId>,
    /// Applications of a function that become those of another, to its first argument minus a term and to some of the
    /// others.
    pub(crate) calls: FxHashMap<FnId, Call>,
    /// Whole terms to replace (used for solved equations).
    pub(crate) terms: FxHashMap<T, T>,
    /// For pure renamings: the known interval of a sum holds for its copy too.
    pub(crate) keep_ranges: bool,
    done: FxHashMap<T, T>,
}

/// The replacement of a function: another function, of the first argument minus `start`, and of the next `keep`
/// arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) to: FnId,
    pub(crate) start: T,
    pub(crate) keep: usize,
}

impl Substitution {
    pub(crate) fn renaming() -> Substitution {
        Substitution { keep_ranges: true, ..Substitution::default() }
    }

    /// Substitutes terms for variables that are given as terms: a variable, or an extended one. The new value must fit
    /// the variable's width, so that extending it again to any width is a resize of the value.
    pub(crate) fn rebinding(pool: &mut Pool, pairs: &[(T, T)]) -> Substitution {
        let mut s = Substitution::default();
        for &(from, to) in pairs.iter().filter(|(from, to)| from != to) {
            match *pool.node(from) {
                Node::Var(v) => {
                    s.vars.insert(v, to);
                }
                Node::ZExt(raw) => {
                    let Node::Var(v) = *pool.node(raw) else { continue };
                    s.vars.insert(v, to);
                    let own = pool.width(raw);
                    for w in [8, 16, 32, 64].into_iter().filter(|&w| w > own) {
                        let (wide, value) = (pool.zext(raw, w), pool.resize(to, w));
                        s.terms.insert(wide, value);
                    }
                }
                _ => {}
            }
        }
        s
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.vars.is_empty()
            && self.fns.is_empty()
            && self.calls.is_empty()
            && self.terms.is_empty()
    }

    pub(crate) fn apply(&mut self, pool: &mut Pool, t: T) -> T {
        if self.is_empty() {
            return t;
        }
        // Explicit stack: long chains of conditions are deep.
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if self.done.contains_key(&top) {
                stack.pop();
                continue;
            }
            if let Some(&to) = self.terms.get(&top) {
                self.done.insert(top, to);
                continue;
            }
            let mut ready = true;
            children(pool.node(top), |c| {
                if !self.done.contains_key(&c) {
                    stack.push(c);
                    ready = false;
                }
            });
            if ready {
                let new = self.rebuild(pool, top);
                self.done.insert(top, new);
                stack.pop();
            }
        }
        self.done[&t]
    }

    fn rebuild(&self, pool: &mut Pool, t: T) -> T {
        let get = |c: T| self.done[&c];
        let width = pool.width(t);
        let mut same = true;
        children(pool.node(t), |c| same &= get(c) == c);
        let leaf = match pool.node(t) {
            Node::Var(_) => true,
            Node::App(f, _) => self.fns.contains_key(f) || self.calls.contains_key(f),
            _ => false,
        };
        if same && !leaf {
            return t;
        }
        match pool.node(t).clone() {
            Node::Const(_) => t,
            Node::Var(v) => match self.vars.get(&v) {
                Some(&to) => pool.resize(to, width),
                None => t,
            },
            Node::App(f, args) if self.calls.contains_key(&f) => {
                let Call { to, start, keep } = self.calls[&f];
                let mut own = vec![pool.sub(get(args[0]), start)];
                own.extend(args[1..=keep].iter().map(|&a| get(a)));
                pool.app(to, &own, width)
            }
            Node::App(f, args) => {
                let f = self.fns.get(&f).copied().unwrap_or(f);
                let args: Vec<T> = args.iter().map(|&a| get(a)).collect();
                let new = pool.app(f, &args, width);
                let range = pool.range(t);
                pool.refine(new, range);
                new
            }
            Node::Lin(c, terms) => {
                let parts: Vec<(T, u64)> = terms.iter().map(|&(a, k)| (get(a), k)).collect();
                let new = pool.sum(c, &parts, width);
                if self.keep_ranges && matches!(pool.node(new), Node::Lin(..)) {
                    let range = pool.range(t);
                    pool.refine(new, range);
                }
                new
            }
            Node::Bin(op, a, b) => pool.bin(op, get(a), get(b)),
            Node::Ite(c, a, b) => pool.ite(get(c), get(a), get(b)),
            Node::ZExt(a) => pool.zext(get(a), width),
            Node::SExt(a) => pool.sext(get(a), width),
            Node::Trunc(a) => pool.trunc(get(a), width),
        }
    }
}

pub(crate) fn children<R: Copy>(node: &Node<R>, mut f: impl FnMut(R)) {
    match node {
        Node::Const(_) | Node::Var(_) => {}
        Node::App(_, args) => args.iter().for_each(|&a| f(a)),
        Node::Lin(_, terms) => terms.iter().for_each(|&(a, _)| f(a)),
        Node::Bin(_, a, b) => {
            f(*a);
            f(*b);
        }
        Node::Ite(c, a, b) => {
            f(*c);
            f(*a);
            f(*b);
        }
        Node::ZExt(a) | Node::SExt(a) | Node::Trunc(a) => f(*a),
    }
}

/// The terms that a walk has visited: those marked with the number of the walk.
#[derive(Default)]
struct Marks {
    walk: u32,
    of: Vec<u32>,
}

impl Marks {
    fn begin(&mut self) {
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.of.clear();
            self.walk = 1;
        }
    }

    /// Marks a term; returns whether this walk visits it for the first time.
    fn insert(&mut self, t: T) -> bool {
        let i = t.0 as usize;
        if i >= self.of.len() {
            self.of.resize((i + 1).next_power_of_two(), 0);
        }
        std::mem::replace(&mut self.of[i], self.walk) != self.walk
    }
}

thread_local! {
    static MARKS: RefCell<Marks> = RefCell::default();
}

/// Every term below `roots`, each once.
pub(crate) fn reachable(pool: &Pool, roots: &[T]) -> Vec<T> {
    MARKS.with_borrow_mut(|seen| {
        seen.begin();
        // A worklist: processed terms come first, pending ones after.
        let mut out: Vec<T> = roots.iter().copied().filter(|&t| seen.insert(t)).collect();
        let mut next = 0;
        while let Some(&t) = out.get(next) {
            children(pool.node(t), |c| {
                if seen.insert(c) {
                    out.push(c);
                }
            });
            next += 1;
        }
        out.sort_unstable();
        out
    })
}

/// The variables and functions that occur in a term.
pub(crate) fn leaves(pool: &Pool, t: T) -> (Vec<VarId>, Vec<FnId>) {
    let (mut vars, mut fns) = (Vec::new(), Vec::new());
    for u in reachable(pool, &[t]) {
        match pool.node(u) {
            Node::Var(v) => vars.push(*v),
            Node::App(f, _) => fns.push(*f),
            _ => {}
        }
    }
    (vars, fns)
}

/// The value of a binary operation on constants.
pub(crate) fn eval_bin(op: Bin, a: u64, b: u64, w: u32) -> u64 {
    let (sa, sb) = (sign_extend(a, w), sign_extend(b, w));
    let v = match op {
        Bin::Mul => a.wrapping_mul(b),
        Bin::UDiv => a.checked_div(b).unwrap_or(u64::MAX),
        Bin::URem => a.checked_rem(b).unwrap_or(a),
        Bin::SDiv if b == 0 => u64::MAX,
        Bin::SDiv => sa.wrapping_div(sb) as u64,
        Bin::SRem if b == 0 => a,
        Bin::SRem => sa.wrapping_rem(sb) as u64,
        Bin::And => a & b,
        Bin::Or => a | b,
        Bin::Xor => a ^ b,
        Bin::Shl => {
            if b >= u64::from(w) {
                0
            } else {
                a << b
            }
        }
        Bin::LShr => {
            if b >= u64::from(w) {
                0
            } else {
                a >> b
            }
        }
        Bin::AShr => (sa >> b.min(63)) as u64,
        Bin::Eq => u64::from(a == b),
        Bin::Ult => u64::from(a < b),
        Bin::Slt => u64::from(sa < sb),
    };
    v & mask(w)
}

/// Values of leaves: variables, and applications by function and argument values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assignment {
    pub(crate) vars: FxHashMap<VarId, u64>,
    pub(crate) apps: FxHashMap<(FnId, Vec<u64>), u64>,
}

impl Assignment {
    /// The value of a term; leaves without a value are zero.
    pub(crate) fn eval(&self, pool: &Pool, t: T) -> u64 {
        let mut values: FxHashMap<T, u64> = FxHashMap::default();
        for u in reachable(pool, &[t]) {
            self.eval_into(pool, u, &mut values);
        }
        values[&t]
    }

    fn eval_into(&self, pool: &Pool, root: T, values: &mut FxHashMap<T, u64>) {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if values.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            children(pool.node(t), |c| {
                if !values.contains_key(&c) {
                    stack.push(c);
                }
            });
            if stack.len() > before {
                continue;
            }
            let w = pool.width(t);
            let v = match pool.node(t) {
                Node::Const(c) => *c,
                Node::Var(v) => self.vars.get(v).copied().unwrap_or(0) & mask(w),
                Node::App(f, args) => {
                    let args: Vec<u64> = args.iter().map(|a| values[a]).collect();
                    self.apps.get(&(*f, args)).copied().unwrap_or(0) & mask(w)
                }
                Node::Lin(c, terms) => {
                    let sum = terms
                        .iter()
                        .fold(*c, |s, (a, k)| s.wrapping_add(values[a].wrapping_mul(*k)));
                    sum & mask(w)
                }
                Node::Bin(op, a, b) => {
                    let own = pool.width(*a);
                    eval_bin(*op, values[a], values[b], own) & mask(w)
                }
                Node::Ite(c, a, b) => {
                    if values[c] == 1 {
                        values[a]
                    } else {
                        values[b]
                    }
                }
                Node::ZExt(a) => values[a],
                Node::SExt(a) => sign_extend(values[a], pool.width(*a)) as u64 & mask(w),
                Node::Trunc(a) => values[a] & mask(w),
            };
            values.insert(t, v);
            stack.pop();
        }
    }
}

/// The members of a conjunction.
pub(crate) fn conjuncts(pool: &Pool, t: T, out: &mut Vec<T>) {
    let mut stack = vec![t];
    while let Some(t) = stack.pop() {
        match *pool.node(t) {
            Node::Bin(Bin::And, a, b) if pool.width(t) == 1 => {
                stack.push(b);
                stack.push(a);
            }
            _ => out.push(t),
        }
    }
}
