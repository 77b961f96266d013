//! Conditions under which [`crate::decide::rules::nested`] can prove that a multi-dimensional index is different for
//! different positions.
//!
//! In `((b*H + h)*S + s)*D + d` the sizes are the factors, innermost first, and the remaining summand at each level is
//! a digit. A digit that a guard or a division keeps below its size needs no condition. For any other digit, the
//! condition is that there are no more threads or blocks along it than the size, or that the size is at least the bound
//! in a guard. The product of all sizes must also fit an `int`, or be not much larger where the index is wider.
//! Divisors must be positive. These conditions are guesses: only a proof under them shows whether they suffice.

use crate::decide::presolve::literal;
use crate::decide::rules::poly::{Poly, without};
use crate::launch::context::{Ctx, VarKind};
use crate::launch::expressions::{Operator, Tree, product_at_most};
use crate::term::walk::{conjuncts, reachable};
use crate::term::{Bin, Node, T, gcd};

/// The built-in index that a thread's position along an axis is computed from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Index {
    Thread(u8),
    Block(u8),
}

/// Upper bound of sizes where an index is wider than an `int`.
const WIDE: i64 = 1 << 32;

/// An access for which conditions are to be found.
pub(crate) struct Access<'a> {
    pub(crate) offset: T,
    pub(crate) bytes: u64,
    /// The conditions under which the access is executed.
    pub(crate) conditions: &'a [T],
}

/// The conditions that the index of an access needs, if it has this form; `guards` marks the parameters such that
/// threads with an index beyond them do nothing.
pub(crate) fn of(ctx: &Ctx, access: &Access, guards: &[bool]) -> Option<Vec<Tree>> {
    let narrow = is_narrow(ctx, access.offset);
    let mut all = loosely(ctx, access.offset)?;
    all.0.retain(|(factors, _)| factors.iter().any(|&f| is_own(ctx, f)));
    let scale = all.0.iter().fold(i128::from(access.bytes), |g, (_, k)| gcd(g, *k)).max(1);
    all.0.iter_mut().for_each(|(_, k)| *k /= scale);
    let length = (i128::from(access.bytes) / scale).max(1);
    let mut reader = Reader { ctx, guards, below: Vec::new(), positive: Vec::new() };
    reader.guarded(access.conditions);
    reader.divisions(access.offset);
    let mut radices = Vec::new();
    let (mut out, top) = reader.take_apart(&all, length, &mut radices)?;
    let wide = |&t: &T| ctx.pool.width(plain(ctx, t)) > 32;
    let is_wide = |p: &Poly| p.0.iter().any(|(f, _)| f.iter().any(wide));
    // A value that fits an `int` by its type needs no condition.
    if !narrow && !radices.iter().any(is_wide) && radices.len() < 2 {
        return None;
    }
    // Unsigned sizes may be so large that their product overflows: each gets an upper bound of its own.
    let unsigned = |t: &&T| match kind(ctx, **t) {
        Some(VarKind::Param(p, _)) => !ctx.kernel.params[p].signed && !wide(t),
        _ => false,
    };
    let mut large: Vec<T> = Vec::new();
    for p in radices.iter().chain([&top]) {
        large.extend(p.0.iter().flat_map(|(f, _)| f).filter(unsigned).map(|&t| plain(ctx, t)));
    }
    large.sort();
    large.dedup();
    for size in large.into_iter().filter_map(|t| named(ctx, t)) {
        out.push(size.at_most(Tree::Const(i32::MAX.into())));
    }
    let mut total = top.clone();
    let mut sizes = factors(ctx, &top)?;
    for radix in radices.iter().rev() {
        if is_wide(radix) {
            out.push(named_sum(ctx, radix)?.at_most(Tree::Const(WIDE)));
            continue;
        }
        total = total.times(radix)?;
        sizes.extend(factors(ctx, radix)?);
    }
    let most = if narrow { i64::from(i32::MAX) } else { WIDE };
    // Other values that have to fit an `int`: dividends, and rows within a wide stride.
    let mut products: Vec<Poly> = reader.divided(access.offset);
    if narrow && radices.iter().any(is_wide) {
        products.extend(reader.inner(&all, &radices));
    }
    let all_products = products.clone();
    let is_factor = |p: &Poly| all_products.iter().any(|q| q != p && q.divide_exactly(p).is_some());
    products.retain(|p| !is_factor(p));
    let is_part = products.iter().any(|p| p.minus(&total).is_some_and(|rest| rest.is_natural()));
    if !radices.iter().any(is_wide) && !is_part {
        out.extend(product_at_most(sizes, most));
    }
    for p in products {
        let known = total.divide_exactly(&p).is_some()
            || total.minus(&p).is_some_and(|rest| rest.is_natural());
        if is_part || !known {
            out.extend(product_at_most(factors(ctx, &p)?, i64::from(i32::MAX)));
        }
    }
    let positive = |t: &T| named(ctx, *t).map(|size| size.at_least(Tree::Const(1)));
    reader.positive.sort();
    reader.positive.dedup();
    let mut all: Vec<Tree> = reader.positive.iter().filter_map(positive).collect();
    out.iter().for_each(|c| {
        if !all.contains(c) {
            all.push(c.clone())
        }
    });
    Some(all)
}

/// Whether a product in the offset has to fit an `int`.
fn is_narrow(ctx: &Ctx, offset: T) -> bool {
    let narrow =
        |&t: &T| matches!(ctx.pool.node(t), Node::Bin(Bin::Mul, ..)) && ctx.pool.width(t) == 32;
    reachable(&ctx.pool, &[offset]).iter().any(narrow)
}

/// Whether the value of a term can differ between threads.
fn is_own(ctx: &Ctx, t: T) -> bool {
    reachable(&ctx.pool, &[t]).iter().any(|&t| match *ctx.pool.node(t) {
        Node::Var(v) => !matches!(
            ctx.vars[v.0 as usize].0,
            VarKind::Param(..) | VarKind::GridDim(_) | VarKind::BlockDim(_)
        ),
        Node::App(..) => true,
        _ => false,
    })
}

/// An offset as a polynomial, as if nothing overflowed.
fn loosely(ctx: &Ctx, t: T) -> Option<Poly> {
    Poly::read(ctx, t, &|t| match *ctx.pool.node(t) {
        Node::SExt(a) | Node::ZExt(a) => loosely(ctx, a),
        _ => Some(Poly::atom(t)),
    })
}

/// A quotient or a remainder: whether it is a remainder, the dividend, and the divisor.
fn division(ctx: &Ctx, t: T) -> Option<(bool, T, T)> {
    match *ctx.pool.node(t) {
        Node::Bin(Bin::UDiv | Bin::SDiv, a, b) => Some((false, a, b)),
        Node::Bin(Bin::URem | Bin::SRem, a, b) => Some((true, a, b)),
        _ => None,
    }
}

struct Reader<'r, 'c> {
    ctx: &'r Ctx<'c>,
    guards: &'r [bool],
    /// Thread-dependent values, each with an upper bound (exclusive).
    below: Vec<(Poly, Poly)>,
    /// Sizes that must be positive.
    positive: Vec<T>,
}

impl Reader<'_, '_> {
    /// Adds the comparisons that hold where the access is executed.
    fn guarded(&mut self, conditions: &[T]) {
        let ctx = self.ctx;
        let mut list = Vec::new();
        conditions.iter().for_each(|&c| conjuncts(&ctx.pool, c, &mut list));
        for t in list {
            let (negated, t) = literal(&ctx.pool, t);
            let Node::Bin(Bin::Ult | Bin::Slt, a, b) = *ctx.pool.node(t) else { continue };
            let (Some(p), Some(end)) = (loosely(ctx, a), loosely(ctx, b)) else { continue };
            let (own, common) = p.partition(|f| f.iter().any(|&t| is_own(ctx, t)));
            let Some(end) = end.minus(&common).filter(|_| !negated && !own.0.is_empty()) else {
                continue;
            };
            // `size - 1` may wrap, and half of a size may be negative.
            let is_size = |(f, k): &(Vec<T>, i128)| {
                *k > 0 && !f.is_empty() && f.iter().all(|&t| named(ctx, t).is_some())
            };
            if !end.0.iter().all(is_size) {
                self.be_positive(&end);
            }
            self.below.push((own, end));
        }
    }

    fn be_positive(&mut self, p: &Poly) {
        let atoms: Vec<T> = p.0.iter().flat_map(|(f, _)| f).copied().collect();
        let is_size = |t: &T| {
            let param = |v: crate::term::VarId| self.ctx.vars[v.0 as usize].0;
            matches!(*self.ctx.pool.node(*t), Node::Var(v) if matches!(param(v), VarKind::Param(..)))
        };
        self.positive.extend(reachable(&self.ctx.pool, &atoms).into_iter().filter(is_size));
    }

    /// Adds the bounds of quotients and remainders in an index.
    fn divisions(&mut self, offset: T) {
        let ctx = self.ctx;
        for t in reachable(&ctx.pool, &[offset]) {
            let Some((is_remainder, of, by)) = division(ctx, t) else { continue };
            let Some(by) = loosely(ctx, by) else { continue };
            if !is_own(ctx, t) {
                continue;
            }
            self.be_positive(&by);
            if is_remainder {
                self.below.push((Poly::atom(t), by));
                continue;
            }
            // (x / m) / n is x / (m*n).
            let (mut of, mut by) = (of, by);
            while let Some((false, inner, more)) = division(ctx, of)
                && let Some(whole) = loosely(ctx, more).and_then(|more| by.times(&more))
            {
                (of, by) = (inner, whole);
            }
            for end in self.ends(of) {
                self.be_positive(&end);
                if let Some(end) = end.divide_exactly(&by) {
                    self.below.push((Poly::atom(t), end));
                }
            }
        }
    }

    /// The upper bounds that guards give a value.
    fn ends(&self, t: T) -> Vec<Poly> {
        let Some(p) = loosely(self.ctx, t) else { return Vec::new() };
        self.below.iter().filter(|(q, _)| *q == p).map(|(_, end)| end.clone()).collect()
    }

    /// The upper bounds of dividends in an index.
    fn divided(&self, offset: T) -> Vec<Poly> {
        let numbers = reachable(&self.ctx.pool, &[offset]).into_iter();
        let numbers = numbers.filter_map(|t| Some(division(self.ctx, t)?.1));
        let mut out: Vec<Poly> = Vec::new();
        for end in numbers.flat_map(|t| self.ends(t)) {
            if end.0.iter().any(|(f, _)| f.len() > 1) && !out.contains(&end) {
                out.push(end);
            }
        }
        out
    }

    /// The polynomial that remains without the multiples of wide strides.
    fn inner(&self, all: &Poly, radices: &[Poly]) -> Vec<Poly> {
        let mut rest = all.clone();
        for radix in radices {
            rest = divide(self.ctx, &rest, radix).1;
        }
        let end = self.bound(&rest).map(|end| end.positive_part());
        end.into_iter().filter(|p| p.0.iter().any(|(f, _)| f.len() > 1)).collect()
    }

    /// Splits a position into digits, innermost first. Returns the conditions this needs and the remaining topmost
    /// digit; the radices are collected innermost first.
    fn take_apart(
        &self,
        p: &Poly,
        length: i128,
        radices: &mut Vec<Poly>,
    ) -> Option<(Vec<Tree>, Poly)> {
        let digits = p.0.iter().filter(|(f, _)| f.iter().any(|&t| is_own(self.ctx, t))).count();
        if !radices.is_empty() && (digits <= 1 || self.is_number(p)) {
            let top = self.bound(p)?;
            return Some((Vec::new(), top.positive_part()));
        }
        for radix in self.radices(p) {
            let (quotient, digit) = divide(self.ctx, p, &radix);
            if quotient.0.is_empty() {
                continue;
            }
            // A bare stride may have any value: no condition is assumed that keeps it from overflowing.
            let is_number = radix.0.iter().all(|(f, _)| f.is_empty());
            if digit.0.is_empty() && radices.is_empty() && !is_number {
                continue;
            }
            let Some(condition) = self.fits(&digit, &radix, length) else { continue };
            radices.push(radix);
            if let Some((mut out, top)) = self.take_apart(&quotient, 1, radices) {
                out.extend(condition);
                return Some((out, top));
            }
            radices.pop();
        }
        None
    }

    /// Whether a sum is a single thread-dependent value with a known bound.
    fn is_number(&self, p: &Poly) -> bool {
        self.below.iter().any(|(q, _)| q == p) || indices(self.ctx, p).is_some()
    }

    fn radices(&self, p: &Poly) -> Vec<Poly> {
        let atoms = p.radices().into_iter().filter(|&t| named(self.ctx, t).is_some());
        let mut out: Vec<Poly> = atoms.map(Poly::atom).collect();
        out.extend(p.sums(|t| is_own(self.ctx, t)));
        out.extend(p.numbers().into_iter().map(Poly::constant));
        out
    }

    /// The condition under which a digit is below its radix; `Some(None)` if it always is.
    fn fits(&self, digit: &Poly, radix: &Poly, length: i128) -> Option<Option<Tree>> {
        if digit.0.is_empty() {
            return Some(None);
        }
        let end = self.bound(digit)?.plus(&Poly::constant(length - 1))?;
        if radix.minus(&end).is_some_and(|rest| rest.is_natural() || is_half(self.ctx, &rest)) {
            return Some(None);
        }
        let size = named_sum(self.ctx, radix)?;
        if matches!(size, Tree::Param(p) if self.guards.get(p) == Some(&true)) {
            return None;
        }
        let most = named_sum(self.ctx, &end.positive_part())?;
        if most == size {
            return Some(None);
        }
        Some(Some(size.at_least(most)))
    }

    /// An upper bound (exclusive) of a sum: from guards, from divisions, or from the ranges of indices.
    fn bound(&self, p: &Poly) -> Option<Poly> {
        let guard = self.below.iter().find(|(q, _)| q == p).map(|(_, end)| end.clone());
        if let Some(end) = guard.or_else(|| indices(self.ctx, p)) {
            return Some(end);
        }
        // The bounded values that the sum consists of, the longest first.
        let mut known: Vec<&(Poly, Poly)> = self.below.iter().collect();
        known.sort_by_key(|(q, _)| usize::MAX - q.0.len());
        let (mut rest, mut end) = (p.clone(), Poly::constant(1));
        while let Some((first, k)) = rest.0.first().cloned() {
            let part = known.iter().find_map(|(q, end)| {
                let times = self.times(&first, k, q)?;
                let left = rest.minus(&times.times(q)?).filter(Poly::is_natural)?;
                Some((left, times.times(&end.minus(&Poly::constant(1))?)?))
            });
            let alone = || {
                let (own, other): (Vec<T>, Vec<T>) =
                    first.iter().copied().partition(|&t| is_own(self.ctx, t));
                let (own, times) = (Poly(vec![(own, 1)]), Poly(vec![(other, k)]));
                let most = indices(self.ctx, &own)?.minus(&Poly::constant(1))?;
                Some((rest.minus(&times.times(&own)?)?, times.times(&most)?))
            };
            let (left, most) = part.or_else(alone)?;
            end = end.plus(&most)?;
            rest = left;
        }
        Some(end)
    }

    /// The factor by which a value is multiplied in a monomial.
    fn times(&self, factors: &[T], k: i128, number: &Poly) -> Option<Poly> {
        number.0.iter().find_map(|(f, l)| {
            let others = without(factors, f)?;
            let common = !others.iter().any(|&t| is_own(self.ctx, t));
            (common && k % l == 0 && k / l > 0).then(|| Poly(vec![(others, k / l)]))
        })
    }
}

/// The multiples of a radix, divided by it, and the remainder.
fn divide(ctx: &Ctx, p: &Poly, radix: &Poly) -> (Poly, Poly) {
    p.divide_by(radix, |t| is_own(ctx, t))
}

/// Whether this is `n - n / 2`, or with a smaller multiple of the quotient: never negative.
fn is_half(ctx: &Ctx, rest: &Poly) -> bool {
    rest.0.iter().all(|(factors, k)| {
        *k > 0
            || matches!(factors[..], [t] if matches!(*ctx.pool.node(t),
                Node::Bin(Bin::UDiv | Bin::SDiv | Bin::LShr | Bin::AShr, n, _)
                    if rest.0.iter().any(|(f, l)| f[..] == [n] && *l >= -*k)))
    })
}

/// An upper bound (exclusive) of `threadIdx`, `blockIdx`, or `blockIdx * blockDim + threadIdx`.
fn indices(ctx: &Ctx, p: &Poly) -> Option<Poly> {
    let index = |t: T| match kind(ctx, t)? {
        VarKind::ThreadId(a) => Some(Index::Thread(a)),
        VarKind::BlockId(a) => Some(Index::Block(a)),
        _ => None,
    };
    let dimension = |kind: VarKind| ctx.existing(kind, 0).map(Poly::atom);
    let size = |kind: VarKind, spec: crate::launch::DimSpec| match spec {
        crate::launch::DimSpec::Exactly(n) => Some(Poly::constant(i128::from(n))),
        crate::launch::DimSpec::Any => dimension(kind).map(|p| plain_atoms(ctx, &p)),
    };
    let grid = |a: u8| size(VarKind::GridDim(a), ctx.assumptions.grid[usize::from(a)]);
    let block = |a: u8| size(VarKind::BlockDim(a), ctx.assumptions.block[usize::from(a)]);
    match &p.0[..] {
        [(factors, 1)] => match (factors.len(), index(factors[0])?) {
            (1, Index::Thread(a)) => block(a),
            (1, Index::Block(a)) => grid(a),
            _ => None,
        },
        [(f, j), (g, k)] => {
            let one = |f: &[T]| f.iter().find_map(|&t| index(t));
            let (thread, step) = match (one(f)?, one(g)?) {
                (Index::Thread(a), Index::Block(b)) if a == b && *j == 1 => (a, (g, *k)),
                (Index::Block(b), Index::Thread(a)) if a == b && *k == 1 => (a, (f, *j)),
                _ => return None,
            };
            let whole = match ctx.assumptions.block[usize::from(thread)] {
                crate::launch::DimSpec::Exactly(n) => step.1 == i128::from(n) && step.0.len() == 1,
                crate::launch::DimSpec::Any => {
                    let is_dim = |&t: &T| kind(ctx, t) == Some(VarKind::BlockDim(thread));
                    step.1 == 1 && step.0.len() == 2 && step.0.iter().any(is_dim)
                }
            };
            if whole { grid(thread)?.times(&block(thread)?) } else { None }
        }
        _ => None,
    }
}

fn kind(ctx: &Ctx, t: T) -> Option<VarKind> {
    match *ctx.pool.node(plain(ctx, t)) {
        Node::Var(v) => Some(ctx.vars[v.0 as usize].0),
        _ => None,
    }
}

/// A term without extensions.
fn plain(ctx: &Ctx, mut t: T) -> T {
    while let Node::SExt(a) | Node::ZExt(a) = *ctx.pool.node(t) {
        t = a;
    }
    t
}

fn plain_atoms(ctx: &Ctx, p: &Poly) -> Poly {
    Poly(p.0.iter().map(|(f, k)| (f.iter().map(|&t| plain(ctx, t)).collect(), *k)).collect())
}

/// The factors of a product; a sum counts as a single factor.
fn factors(ctx: &Ctx, p: &Poly) -> Option<Vec<Tree>> {
    match &p.0[..] {
        [(factors, 1)] => factors.iter().map(|&t| named(ctx, t)).collect(),
        [(factors, k)] => {
            let mut out = vec![Tree::Const(i64::try_from(*k).ok()?)];
            for &t in factors {
                out.push(named(ctx, t)?);
            }
            Some(out)
        }
        [(first, _), ..] => {
            // The factors that all summands share, and the sum without them.
            let is_common = |t: &&T| p.0.iter().all(|(f, _)| f.contains(t));
            let common: Vec<T> = first.iter().filter(is_common).copied().collect();
            let sum = p.divide_exactly(&Poly(vec![(common.clone(), 1)]))?;
            let mut out = common.iter().map(|&t| named(ctx, t)).collect::<Option<Vec<_>>>()?;
            out.push(named_sum(ctx, &sum)?);
            Some(out)
        }
        [] => None,
    }
}

/// A sum of products of sizes, by their names.
fn named_sum(ctx: &Ctx, p: &Poly) -> Option<Tree> {
    let product = |(factors, k): &(Vec<T>, i128)| {
        let number = Tree::Const(i64::try_from(*k).ok()?);
        let mut names: Vec<Tree> = Vec::new();
        if *k != 1 || factors.is_empty() {
            names.push(number);
        }
        for &t in factors {
            names.push(named(ctx, t)?);
        }
        names.into_iter().reduce(Tree::times)
    };
    let parts: Option<Vec<Tree>> = p.0.iter().map(product).collect();
    parts?.into_iter().reduce(|a, b| Tree::binary(Operator::Add, a, b))
}

/// A parameter or a dimension, by its name.
fn named(ctx: &Ctx, t: T) -> Option<Tree> {
    match kind(ctx, t)? {
        VarKind::Param(p, 0) => Some(Tree::Param(p)),
        VarKind::GridDim(a) => Some(Tree::GridDim(a)),
        VarKind::BlockDim(a) => Some(Tree::BlockDim(a)),
        _ => None,
    }
}
