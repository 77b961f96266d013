//! Canonical forms: two terms that have the same one are equal, under the assumptions that it was made with.
//!
//! A term is rebuilt from the canonical forms of its parts, and the [`RULES`] are applied. Operations whose order does not
//! matter are gathered first ([`Family`]): the operands of a whole tree of additions are put into one order. For integers that
//! needs no assumption: they are sums of products, modulo a power of two. For floats it is the assumption `associative`.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use lockstep_kernel::semantics::bits::{self, real_bits, real_value};
use lockstep_kernel::{CastOp, FloatOp, IntOp, Rounding, Ty};

use super::assumptions::Assumptions;
use super::rules::{RULES, negate};
use crate::term::walk::children;
use crate::term::{Node, Pool, T};

const NEAREST: Rounding = Rounding::NearestEven;
/// Terms of a product of sums that is multiplied out.
const LARGEST_PRODUCT: usize = 256;
/// Rules that are applied to one term, one after the other.
const MOST_RULES: u32 = 64;

/// Operations that are gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// Sums of integers: `+`, `-`, `* constant`.
    IntegerSum,
    /// Operations on sets of integers: `&`, `|`, minimum, maximum; and `^`, where what comes twice goes.
    IntegerSet(IntOp),
    FloatSum,
    FloatProduct,
    FloatSet(FloatOp),
}

pub(crate) struct Canonical {
    assumed: Assumptions,
    /// An atomic addition is the only one of its value: it is an addition.
    single: bool,
    known: FxHashMap<T, T>,
}

impl Canonical {
    pub(crate) fn new(assumed: Assumptions, single: bool) -> Canonical {
        Canonical { assumed, single, known: FxHashMap::default() }
    }

    pub(crate) fn of(&mut self, pool: &mut Pool, root: T) -> T {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.known.contains_key(&t) {
                stack.pop();
                continue;
            }
            let parts = self.parts(pool, t);
            let before = stack.len();
            stack.extend(parts.iter().filter(|p| !self.known.contains_key(p)));
            if stack.len() > before {
                continue;
            }
            let made = self.build(pool, t);
            self.known.insert(t, made);
            stack.pop();
        }
        self.known[&root]
    }

    fn family(&self, pool: &Pool, t: T) -> Option<Family> {
        let has = |a| self.assumed.has(a);
        match *pool.node(t) {
            Node::Int(IntOp::Add | IntOp::Sub, ..) => Some(Family::IntegerSum),
            Node::Int(IntOp::Mul, _, b) if pool.value(b).is_some() => Some(Family::IntegerSum),
            Node::Int(
                op @ (IntOp::And
                | IntOp::Or
                | IntOp::Xor
                | IntOp::SMin
                | IntOp::SMax
                | IntOp::UMin
                | IntOp::UMax),
                ..,
            ) => Some(Family::IntegerSet(op)),
            Node::Float(FloatOp::Add | FloatOp::Sub, NEAREST, ..)
                if has(Assumptions::ASSOCIATIVE) =>
            {
                Some(Family::FloatSum)
            }
            Node::AnyOrder(FloatOp::Add, ..) if has(Assumptions::ASSOCIATIVE) => {
                Some(Family::FloatSum)
            }
            Node::Float(FloatOp::Mul, NEAREST, ..) if has(Assumptions::ASSOCIATIVE) => {
                Some(Family::FloatProduct)
            }
            Node::Float(op @ (FloatOp::Min | FloatOp::Max), ..)
            | Node::AnyOrder(op @ (FloatOp::Min | FloatOp::Max), ..) => Some(Family::FloatSet(op)),
            _ => None,
        }
    }

    /// The terms whose canonical forms are needed.
    fn parts(&self, pool: &Pool, t: T) -> Vec<T> {
        if let Some(family) = self.family(pool, t) {
            let parts = self.gather(pool, &[(t, 1)], family);
            // A difference of floats is its own only operand.
            if !parts.contains_key(&t) {
                return parts.into_keys().collect();
            }
        }
        let mut parts = Vec::new();
        // Which NaN an operation gives shows in its bits: no rule below a reinterpretation of them.
        if !is_bits_of_float(pool, t) {
            children(pool.node(t), |c| parts.push(c));
        }
        parts
    }

    /// The operands of a whole tree of one family, each with its factor (or how often it stands there).
    fn gather(&self, pool: &Pool, roots: &[(T, u64)], family: Family) -> BTreeMap<T, u64> {
        let mut out: BTreeMap<T, u64> = BTreeMap::new();
        let mut open: BTreeMap<T, u64> = BTreeMap::new();
        let ty = roots.first().map_or(Ty::I64, |(t, _)| pool.ty(*t));
        let add = |to: &mut BTreeMap<T, u64>, t: T, n: u64| {
            let sum = to.entry(t).or_insert(0);
            *sum = sum.wrapping_add(n);
        };
        roots.iter().for_each(|&(t, n)| add(&mut open, t, n));
        // What a term is made of is older than it: each is opened once, with all its factors.
        while let Some((t, n)) = open.pop_last() {
            if self.family(pool, t) != Some(family) {
                add(&mut out, t, n);
                continue;
            }
            match *pool.node(t) {
                Node::Int(IntOp::Sub, a, b) => {
                    add(&mut open, a, n);
                    add(&mut open, b, n.wrapping_neg() & ty.mask());
                }
                Node::Int(IntOp::Mul, a, b) if family == Family::IntegerSum => {
                    let factor = pool.value(b).unwrap_or(1);
                    add(&mut open, a, n.wrapping_mul(factor) & ty.mask());
                }
                Node::Int(_, a, b) | Node::AnyOrder(_, _, a, b) => {
                    add(&mut open, a, n);
                    add(&mut open, b, n);
                }
                // A difference is opened by its rule first.
                Node::Float(FloatOp::Sub, ..) => add(&mut out, t, n),
                Node::Float(_, _, a, b) => {
                    add(&mut open, a, n);
                    add(&mut open, b, n);
                }
                _ => add(&mut out, t, n),
            }
        }
        out
    }

    fn build(&mut self, pool: &mut Pool, t: T) -> T {
        let Some(family) = self.family(pool, t) else {
            let rebuilt = self.rebuilt(pool, t);
            return self.ruled(pool, rebuilt);
        };
        let gathered = self.gather(pool, &[(t, 1)], family);
        if gathered.len() == 1 && gathered.contains_key(&t) {
            // A difference of floats.
            let rebuilt = self.rebuilt(pool, t);
            return self.ruled(pool, rebuilt);
        }
        let parts: Vec<(T, u64)> = gathered.iter().map(|(p, n)| (self.known[p], *n)).collect();
        // The canonical form of a part may be of the family again.
        let again = self.gather(pool, &parts, family);
        let ty = pool.ty(t);
        match family {
            Family::IntegerSum => sum(pool, ty, again),
            Family::IntegerSet(op) => set(pool, op, again),
            Family::FloatSum => self.float_sum(pool, ty, again),
            Family::FloatProduct => self.float_product(pool, ty, again),
            Family::FloatSet(op) => {
                let neutral = if op == FloatOp::Min { f64::INFINITY } else { f64::NEG_INFINITY };
                let is_neutral = |p: &T| {
                    self.assumed.has(Assumptions::FINITE)
                        && pool.value(*p).is_some_and(|v| real_value(ty, v) == neutral)
                };
                let parts: Vec<T> = again.into_keys().filter(|p| !is_neutral(p)).collect();
                let joined = parts.into_iter().reduce(|all, p| pool.float(op, NEAREST, all, p));
                joined.unwrap_or_else(|| pool.constant(ty, real_bits(ty, neutral)))
            }
        }
    }

    /// The term with canonical parts.
    fn rebuilt(&mut self, pool: &mut Pool, t: T) -> T {
        if is_bits_of_float(pool, t) {
            return t;
        }
        let node = pool.node(t).clone();
        let ty = pool.ty(t);
        let of = |c: T| self.known.get(&c).copied().unwrap_or(c);
        match node {
            Node::Const(_) | Node::Var(_) => t,
            Node::Int(IntOp::Mul, a, b) => product(pool, of(a), of(b)),
            Node::Int(op, a, b) => pool.int(op, of(a), of(b)),
            Node::IntUn(op, a) => pool.int_un(op, of(a)),
            Node::Funnel(left, a, b, c) => pool.funnel(left, of(a), of(b), of(c)),
            Node::Float(op, rounding, a, b) => pool.float(op, rounding, of(a), of(b)),
            Node::FloatUn(op, rounding, a) => pool.float_un(op, rounding, of(a)),
            Node::Fma(rounding, a, b, c) => pool.fma(rounding, of(a), of(b), of(c)),
            Node::Math(f, a, b) => pool.math(f, of(a), of(b)),
            Node::Cmp(op, a, b) => pool.cmp(op, of(a), of(b)),
            Node::Same(a, b) => pool.same(of(a), of(b)),
            Node::Cast(CastOp::Trunc, a) => truncated(pool, of(a), ty),
            Node::Cast(op, a) => pool.cast(op, of(a), ty),
            Node::Select(c, a, b) if ty.is_int() && ty != Ty::I1 => {
                conditional_sum(pool, of(c), of(a), of(b))
            }
            Node::Select(c, a, b) => pool.select(of(c), of(a), of(b)),
            Node::Not(a) => pool.not(of(a)),
            Node::All(list) => {
                let parts: Vec<T> = list.iter().map(|p| of(*p)).collect();
                pool.all(&parts)
            }
            Node::Address(object, offset) => pool.address(object, of(offset)),
            Node::Element(input, index) => pool.element(input, of(index), ty),
            Node::AnyOrder(op, execution, a, b) => match self.single {
                true => pool.float(op, NEAREST, of(a), of(b)),
                false => pool.any_order(op, execution, of(a), of(b)),
            },
        }
    }

    fn ruled(&mut self, pool: &mut Pool, t: T) -> T {
        let mut t = t;
        for _ in 0..MOST_RULES {
            let usable = RULES.iter().filter(|r| self.assumed.has(r.needs));
            let Some(next) = usable.filter_map(|r| (r.apply)(pool, t)).find(|n| *n != t) else {
                break;
            };
            // What a rule makes of a selection has new sides.
            let next = match *pool.node(next) {
                Node::Select(c, a, b) if pool.ty(a).is_float() => {
                    let (x, y) = (self.once(pool, a), self.once(pool, b));
                    pool.select(c, x, y)
                }
                _ => next,
            };
            // What a rule makes may have parts of a family.
            t = match self.family(pool, next) {
                Some(family) if !matches!(pool.node(next), Node::Float(FloatOp::Sub, ..)) => {
                    let parts = self.gather(pool, &[(next, 1)], family);
                    let ty = pool.ty(next);
                    match family {
                        Family::FloatSum => self.float_sum(pool, ty, parts),
                        Family::FloatProduct => self.float_product(pool, ty, parts),
                        _ => next,
                    }
                }
                _ => next,
            };
        }
        t
    }

    /// The first rule that says something, and no other.
    fn once(&self, pool: &mut Pool, t: T) -> T {
        let usable = RULES.iter().filter(|r| self.assumed.has(r.needs));
        usable.filter_map(|r| (r.apply)(pool, t)).find(|n| *n != t).unwrap_or(t)
    }

    /// Operands in one order; constants are added, and opposites cancel where nothing is infinite.
    fn float_sum(&mut self, pool: &mut Pool, ty: Ty, parts: BTreeMap<T, u64>) -> T {
        let mut constant = 0.0;
        let mut has_constant = false;
        let mut counts: BTreeMap<T, (u64, u64)> = BTreeMap::new();
        for (p, n) in parts {
            if let Some(v) = pool.value(p) {
                constant += real_value(ty, v) * n as f64;
                has_constant = true;
                continue;
            }
            match *pool.node(p) {
                Node::FloatUn(lockstep_kernel::FloatUnOp::Neg, _, inner) => {
                    counts.entry(inner).or_default().1 += n;
                }
                _ => counts.entry(p).or_default().0 += n,
            }
        }
        let cancels = self.assumed.has(Assumptions::FINITE.with(Assumptions::POSITIVE_ZERO));
        let mut list: Vec<(T, u64)> = Vec::new();
        for (p, (mut plus, mut minus)) in counts {
            if cancels {
                (plus, minus) = (plus.saturating_sub(minus), minus.saturating_sub(plus));
            }
            list.push((p, plus));
            if minus > 0 {
                list.push((negate(pool, p), minus));
            }
        }
        let mut out: Option<T> = None;
        for (p, n) in list {
            // As the rule for `x + x` has it.
            let (p, n) = match n {
                2 => {
                    let two = pool.constant(ty, real_bits(ty, 2.0));
                    (pool.float(FloatOp::Mul, NEAREST, p, two), 1)
                }
                _ => (p, n),
            };
            for _ in 0..n {
                out = Some(match out {
                    None => p,
                    Some(all) => pool.float(FloatOp::Add, NEAREST, all, p),
                });
            }
        }
        let zero = constant == 0.0
            && (self.assumed.has(Assumptions::POSITIVE_ZERO) || f64::is_sign_negative(constant));
        match out {
            Some(all) if !has_constant || zero => all,
            Some(all) => {
                let k = pool.constant(ty, real_bits(ty, constant));
                pool.float(FloatOp::Add, NEAREST, all, k)
            }
            None => pool.constant(ty, real_bits(ty, constant)),
        }
    }

    fn float_product(&mut self, pool: &mut Pool, ty: Ty, parts: BTreeMap<T, u64>) -> T {
        let mut constant = 1.0;
        let mut negative = false;
        let mut list: BTreeMap<T, u64> = BTreeMap::new();
        for (p, n) in parts {
            if let Some(v) = pool.value(p) {
                constant *= real_value(ty, v).powf(n as f64);
                continue;
            }
            match *pool.node(p) {
                Node::FloatUn(lockstep_kernel::FloatUnOp::Neg, _, inner) => {
                    *list.entry(inner).or_default() += n;
                    negative ^= n % 2 == 1;
                }
                _ => *list.entry(p).or_default() += n,
            }
        }
        let mut out: Option<T> = None;
        for (p, n) in list {
            for _ in 0..n {
                out = Some(match out {
                    None => p,
                    Some(all) => pool.float(FloatOp::Mul, NEAREST, all, p),
                });
            }
        }
        let sign = if negative { -1.0 } else { 1.0 };
        let k = pool.constant(ty, real_bits(ty, constant.abs()));
        let is_negative =
            sign * constant < 0.0 || constant == 0.0 && f64::is_sign_negative(sign * constant);
        let zero = constant == 0.0
            && self.assumed.has(Assumptions::FINITE.with(Assumptions::POSITIVE_ZERO));
        let made = match out {
            _ if zero => pool.constant(ty, 0),
            None => k,
            Some(all) if constant.abs() == 1.0 => all,
            Some(all) => pool.float(FloatOp::Mul, NEAREST, all, k),
        };
        if is_negative && !zero { negate(pool, made) } else { made }
    }
}

/// The bits of a float that an operation made.
fn is_bits_of_float(pool: &Pool, t: T) -> bool {
    match *pool.node(t) {
        Node::Cast(CastOp::Bit, a) => pool.ty(a).is_float() && !pool.ty(t).is_float(),
        _ => false,
    }
}

/// A sum of integers: operands in order, each with its factor, then the constant.
fn sum(pool: &mut Pool, ty: Ty, parts: BTreeMap<T, u64>) -> T {
    let mut constant = 0u64;
    let mut out: Option<T> = None;
    for (p, n) in parts {
        let n = n & ty.mask();
        if let Some(v) = pool.value(p) {
            constant = constant.wrapping_add(v.wrapping_mul(n));
            continue;
        }
        if n == 0 {
            continue;
        }
        let factor = pool.constant(ty, n);
        let term = pool.int(IntOp::Mul, p, factor);
        out = Some(match out {
            None => term,
            Some(all) => pool.int(IntOp::Add, all, term),
        });
    }
    let constant = pool.constant(ty, constant);
    match out {
        None => constant,
        Some(all) => pool.int(IntOp::Add, all, constant),
    }
}

/// The operands of a canonical sum, each with its factor.
fn terms(pool: &Pool, t: T) -> Vec<(T, u64)> {
    Canonical::new(Assumptions::NONE, false)
        .gather(pool, &[(t, 1)], Family::IntegerSum)
        .into_iter()
        .collect()
}

/// The factors of a product.
fn factors(pool: &Pool, t: T, out: &mut Vec<T>) {
    match *pool.node(t) {
        Node::Int(IntOp::Mul, a, b) if pool.value(b).is_none() => {
            factors(pool, a, out);
            factors(pool, b, out);
        }
        _ => out.push(t),
    }
}

/// A product of canonical integers: sums are multiplied out, as long as that is not too long.
fn product(pool: &mut Pool, a: T, b: T) -> T {
    let ty = pool.ty(a);
    let (x, y) = (terms(pool, a), terms(pool, b));
    if x.len() * y.len() > LARGEST_PRODUCT {
        return pool.int(IntOp::Mul, a, b);
    }
    let mut sums: BTreeMap<T, u64> = BTreeMap::new();
    for &(p, n) in &x {
        for &(q, m) in &y {
            let mut list = Vec::new();
            let mut factor = n.wrapping_mul(m);
            for part in [p, q] {
                match pool.value(part) {
                    Some(v) => factor = factor.wrapping_mul(v),
                    None => factors(pool, part, &mut list),
                }
            }
            list.sort_unstable();
            let one = pool.constant(ty, 1);
            let whole =
                list.into_iter().reduce(|all, f| pool.int(IntOp::Mul, all, f)).unwrap_or(one);
            let own = sums.entry(whole).or_insert(0);
            *own = own.wrapping_add(factor);
        }
    }
    sum(pool, ty, sums)
}

/// `c ? x + a : x + b` is `x + (c ? a : b)`: what both sides have in common is taken out.
fn conditional_sum(pool: &mut Pool, c: T, a: T, b: T) -> T {
    let (x, y) = (terms(pool, a), terms(pool, b));
    let ty = pool.ty(a);
    let is_common = |p: &(T, u64)| y.binary_search(p).is_ok() && pool.value(p.0).is_none();
    let common: BTreeMap<T, u64> = x.iter().filter(|p| is_common(p)).copied().collect();
    if common.is_empty() {
        return pool.select(c, a, b);
    }
    let rest = |of: &[(T, u64)]| -> BTreeMap<T, u64> {
        of.iter().filter(|p| !common.contains_key(&p.0)).copied().collect()
    };
    let (a, b) = (sum(pool, ty, rest(&x)), sum(pool, ty, rest(&y)));
    let chosen = pool.select(c, a, b);
    let mut all = common.clone();
    for (p, n) in terms(pool, chosen) {
        let own = all.entry(p).or_insert(0);
        *own = own.wrapping_add(n);
    }
    sum(pool, ty, all)
}

/// The low bits of a sum are the sum of the low bits.
fn truncated(pool: &mut Pool, a: T, ty: Ty) -> T {
    let is_sum = matches!(pool.node(a), Node::Int(IntOp::Add | IntOp::Sub | IntOp::Mul, ..));
    if !is_sum || ty == Ty::I1 {
        return pool.cast(CastOp::Trunc, a, ty);
    }
    let mut sums: BTreeMap<T, u64> = BTreeMap::new();
    for (p, n) in terms(pool, a) {
        let mut list = Vec::new();
        factors(pool, p, &mut list);
        let mut whole: Option<T> = None;
        let mut low: Vec<T> = list.into_iter().map(|f| pool.cast(CastOp::Trunc, f, ty)).collect();
        low.sort_unstable();
        for f in low {
            whole = Some(match whole {
                None => f,
                Some(all) => pool.int(IntOp::Mul, all, f),
            });
        }
        let one = pool.constant(ty, 1);
        let own = sums.entry(whole.unwrap_or(one)).or_insert(0);
        *own = own.wrapping_add(n & ty.mask());
    }
    sum(pool, ty, sums)
}

fn set(pool: &mut Pool, op: IntOp, parts: BTreeMap<T, u64>) -> T {
    let kept: Vec<T> =
        parts.iter().filter(|(_, n)| op != IntOp::Xor || *n % 2 == 1).map(|(p, _)| *p).collect();
    let Some(&any) = parts.keys().next() else { unreachable!("an operation has operands") };
    let ty = pool.ty(any);
    let mut constant: Option<u64> = None;
    let mut out: Option<T> = None;
    for p in kept {
        match pool.value(p) {
            Some(v) => constant = Some(constant.map_or(v, |c| bits::int(op, ty, c, v))),
            None => {
                out = Some(match out {
                    None => p,
                    Some(all) => pool.int(op, all, p),
                });
            }
        }
    }
    let zero = pool.constant(ty, 0);
    match (out, constant) {
        (Some(all), Some(c)) => {
            let c = pool.constant(ty, c);
            pool.int(op, all, c)
        }
        (Some(all), None) => all,
        (None, Some(c)) => pool.constant(ty, c),
        (None, None) => zero,
    }
}
