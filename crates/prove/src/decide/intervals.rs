//! Deciding small conjunctions by intervals: narrow them, and split where narrowing makes no more progress.
//!
//! Most queries are small: a handful of comparisons between indices of a few bits. Starting the solver takes longer
//! than answering them. Here every term has an interval. The intervals of its operands narrow it, and a condition on a
//! term narrows its operands (constraint propagation over finite domains). A box in which some condition cannot hold is
//! dropped; one in which all conditions hold is a model; in any other, the variable with the smallest interval is
//! halved, the lower half first, so that models are small numbers.
//!
//! After some time, sums are compared as well ([`crate::decide::linear_sums`]): intervals alone cannot see that `a < b`
//! contradicts `b <= a`.
//!
//! Its answers are exact. It gives up after some thousand operations, long before the solver would have started.
//! Applications of functions are treated as variables; a model in which one function would need two values for the same
//! arguments is discarded.

use crate::decide::linear_sums::Forms;
use crate::decide::program::{At, Program};
use crate::smt::z3::Answer;
use crate::term::walk::{Assignment, children, eval_bin};
use crate::term::{Bin, Node, Range, mask, range_of, sign_extend, smax, smin};

/// Upper bound of the intervals that are computed: of the queries that are decided at all, one in thirty takes more.
const MOST: usize = 10_000;

/// Number of intervals after which sums are compared, too: most queries that intervals alone can decide are decided by
/// then.
const SOON: usize = 1_000;

/// How often sums are compared again after they narrowed an interval.
const AGAIN: usize = 4;

/// The longest conjunction that is looked at, in terms.
const LONGEST: usize = 600;

/// Rounds of narrowing of one box.
const ROUNDS: usize = 6;

/// `Unsat`, or a model; `Unknown` where the limit is reached.
pub(crate) fn decide(program: &Program) -> Answer {
    if program.terms.len() > LONGEST {
        return Answer::Unknown;
    }
    let search = Search::new(program);
    let Some(first) = search.whole() else { return Answer::Unsat };
    let mut left = MOST;
    let mut whole = Some(first.clone());
    let mut open = vec![first];
    while let Some(mut part) = open.pop() {
        if !search.narrow(&mut part, &mut left) {
            continue;
        }
        if left < MOST - SOON
            && let Some(whole) = whole.take()
            && search.contradicts(whole)
        {
            return Answer::Unsat;
        }
        if left == 0 {
            return Answer::Unknown;
        }
        if search.corner_holds(&part.ranges) {
            let model = search.model(&part.ranges);
            let whole = whole.take().filter(|_| matches!(model, Answer::Unknown));
            let contradicts = whole.is_some_and(|w| search.contradicts(w));
            return if contradicts { Answer::Unsat } else { model };
        }
        // Where every variable has a single value, that is the corner, which was checked not to be a model.
        let Some(i) = search.smallest(&part.ranges) else { continue };
        let r = part.ranges[i.index()];
        let middle = r.ulo + (r.uhi - r.ulo) / 2;
        let w = program.width(i);
        let half = |lo: u64, hi: u64| meet(r, Range::unsigned(lo, hi, w));
        // The upper half goes on the stack below the lower half.
        if let Some(upper) = half(middle + 1, r.uhi) {
            let mut other = part.clone();
            search.set(&mut other, i, upper);
            open.push(other);
        }
        if let Some(lower) = half(r.ulo, middle) {
            search.set(&mut part, i, lower);
            open.push(part);
        }
    }
    Answer::Unsat
}

/// The intervals of all terms, and the terms that must be computed again because an interval has changed.
#[derive(Clone)]
struct Part {
    ranges: Vec<Range>,
    /// Terms whose interval must be computed from those of their operands.
    own: Bits,
    /// Terms whose operands' intervals must be narrowed, by the term's own interval and each other's.
    operands: Bits,
}

impl Part {
    fn of(&self, a: At) -> Range {
        self.ranges[a.index()]
    }
}

/// A set of terms.
#[derive(Clone)]
struct Bits(Vec<u64>);

impl Bits {
    fn all(n: usize) -> Bits {
        let mut words = vec![u64::MAX; n.div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| !n.is_multiple_of(64)) {
            *last = (1 << (n % 64)) - 1;
        }
        Bits(words)
    }

    fn insert(&mut self, a: At) {
        self.0[a.index() / 64] |= 1 << (a.index() % 64);
    }

    /// Removes the first member at or after a position.
    fn take_from(&mut self, from: usize) -> Option<At> {
        let mut below = (1u64 << (from % 64)) - 1;
        for (i, word) in self.0.iter_mut().enumerate().skip(from / 64) {
            let rest = *word & !std::mem::take(&mut below);
            if rest != 0 {
                let bit = rest.trailing_zeros();
                *word &= !(1 << bit);
                return Some(At(i as u32 * 64 + bit));
            }
        }
        None
    }

    /// Removes the last member before a position.
    fn take_before(&mut self, end: usize) -> Option<At> {
        let mut below = (1u64 << (end % 64)) - 1;
        for i in (0..=(end / 64)).rev() {
            let mask = std::mem::replace(&mut below, u64::MAX);
            let Some(word) = self.0.get_mut(i) else { continue };
            let rest = *word & mask;
            if rest != 0 {
                let bit = 63 - rest.leading_zeros();
                *word &= !(1 << bit);
                return Some(At(i as u32 * 64 + bit));
            }
        }
        None
    }
}

fn is_leaf(node: &Node<At>) -> bool {
    matches!(node, Node::Var(_) | Node::App(..))
}

/// For each term, the terms that have it as an operand.
struct Users {
    /// Where the users of a term begin in `all`; one entry more than there are terms.
    from: Vec<u32>,
    all: Vec<At>,
}

impl Users {
    fn of(program: &Program) -> Users {
        let mut from = vec![0u32; program.nodes.len() + 1];
        for node in &program.nodes {
            children(node, |a| from[a.index() + 1] += 1);
        }
        for i in 1..from.len() {
            from[i] += from[i - 1];
        }
        let mut next = from.clone();
        let mut all = vec![At(0); from.last().map_or(0, |n| *n as usize)];
        for (node, user) in program.nodes.iter().zip(0..) {
            children(node, |a| {
                let slot = &mut next[a.index()];
                all[*slot as usize] = At(user);
                *slot += 1;
            });
        }
        Users { from, all }
    }

    fn using(&self, a: At) -> &[At] {
        let i = a.index();
        &self.all[self.from[i] as usize..self.from[i + 1] as usize]
    }
}

/// The intersection of two intervals, unless it is empty.
fn meet(a: Range, b: Range) -> Option<Range> {
    let r = Range {
        ulo: a.ulo.max(b.ulo),
        uhi: a.uhi.min(b.uhi),
        slo: a.slo.max(b.slo),
        shi: a.shi.min(b.shi),
    };
    (r.ulo <= r.uhi && r.slo <= r.shi).then_some(r)
}

fn single(r: Range) -> Option<u64> {
    (r.ulo == r.uhi).then_some(r.ulo)
}

struct Search<'a> {
    program: &'a Program<'a>,
    users: Users,
    /// Variables, and applications of functions.
    leaves: Vec<At>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program<'a>) -> Search<'a> {
        let leaves = (0..).zip(&program.nodes).filter(|(_, node)| is_leaf(node));
        let leaves = leaves.map(|(i, _)| At(i)).collect();
        Search { program, users: Users::of(program), leaves }
    }

    /// The initial box, before anything is computed; `None` where a condition is false.
    fn whole(&self) -> Option<Part> {
        let n = self.program.terms.len();
        let mut ranges: Vec<Range> =
            self.program.terms.iter().map(|&t| self.program.pool.range(t)).collect();
        for root in &self.program.roots {
            let own = &mut ranges[root.index()];
            *own = meet(*own, Range::unsigned(1, 1, 1))?;
        }
        Some(Part { ranges, own: Bits::all(n), operands: Bits::all(n) })
    }

    /// Sets the interval of a term.
    fn set(&self, part: &mut Part, a: At, r: Range) {
        part.ranges[a.index()] = r;
        part.operands.insert(a);
        for &user in self.users.using(a) {
            part.own.insert(user);
            part.operands.insert(user);
        }
    }

    /// Whether sums and intervals together show that there is no model ([`crate::decide::linear_sums`]).
    fn contradicts(&self, mut part: Part) -> bool {
        let mut forms = Forms::new(self.program);
        let mut left = MOST;
        for _ in 0..AGAIN {
            if !self.narrow(&mut part, &mut left) {
                return true;
            }
            let Some((found, is_new)) = forms.round(&part.ranges) else { return true };
            let is_over = found.is_empty() && !is_new;
            for (a, value) in found {
                let v = u64::from(value);
                if self.demand(&mut part, a, Range::unsigned(v, v, 1)).is_none() {
                    return true;
                }
            }
            if is_over || left == 0 {
                break;
            }
        }
        false
    }

    /// Narrows all intervals until nothing changes, or a limit is reached. False where there is no model. Terms whose
    /// neighbours have not changed since they were last processed are skipped.
    fn narrow(&self, part: &mut Part, left: &mut usize) -> bool {
        for _ in 0..ROUNDS {
            let mut changed = false;
            let mut from = 0;
            while let Some(a) = part.own.take_from(from) {
                from = a.index() + 1;
                *left = left.saturating_sub(1);
                match self.demand(part, a, self.upwards(&part.ranges, a)) {
                    None => return false,
                    Some(more) => changed |= more,
                }
            }
            let mut end = self.program.terms.len();
            while let Some(a) = part.operands.take_before(end) {
                end = a.index();
                *left = left.saturating_sub(1);
                match self.downwards(part, a) {
                    None => return false,
                    Some(more) => changed |= more,
                }
            }
            if !changed || *left == 0 {
                break;
            }
        }
        true
    }

    /// The interval of a term from those of its operands.
    fn upwards(&self, ranges: &[Range], a: At) -> Range {
        let (node, width) = (&self.program.nodes[a.index()], self.program.width(a));
        let of = |a: At| ranges[a.index()];
        let exactly = |v: u64| Range::unsigned(v, v, width);
        match *node {
            Node::Var(_) | Node::App(..) => return of(a),
            Node::Ite(c, a, b) => match single(of(c)) {
                Some(1) => return of(a),
                Some(_) => return of(b),
                None => {}
            },
            Node::Bin(op, a, b) if width == 1 => {
                if let Some(v) = truth(op, of(a), of(b)) {
                    return exactly(u64::from(v));
                }
            }
            _ => {}
        }
        match self.value(a, |a| single(of(a))) {
            Some(v) => exactly(v),
            None => range_of(node, width, of),
        }
    }

    /// The value of a term that is not a leaf, from those of its operands.
    fn value(&self, a: At, of: impl Fn(At) -> Option<u64>) -> Option<u64> {
        let width = |a| self.program.width(a);
        let v = match self.program.nodes[a.index()] {
            Node::Var(_) | Node::App(..) => return None,
            Node::Const(c) => c,
            Node::Lin(c, ref terms) => {
                let add =
                    |s: u64, &(a, k): &(At, u64)| Some(s.wrapping_add(of(a)?.wrapping_mul(k)));
                terms.iter().try_fold(c, add)?
            }
            Node::Bin(op, a, b) => eval_bin(op, of(a)?, of(b)?, width(a)),
            Node::Ite(c, a, b) => of(if of(c)? == 1 { a } else { b })?,
            Node::ZExt(a) | Node::Trunc(a) => of(a)?,
            Node::SExt(a) => sign_extend(of(a)?, width(a)) as u64,
        };
        Some(v & mask(width(a)))
    }

    /// Whether all conditions hold where every leaf has its least value.
    fn corner_holds(&self, ranges: &[Range]) -> bool {
        let mut values: Vec<u64> = Vec::with_capacity(ranges.len());
        for (i, r) in (0..).zip(ranges) {
            let v = self.value(At(i), |a| values.get(a.index()).copied());
            let v = v.unwrap_or(r.ulo);
            if self.program.is_root[i as usize] && v != 1 {
                return false;
            }
            values.push(v);
        }
        true
    }

    /// Narrows the operands of a term by its own interval. `None` where an interval becomes empty, otherwise whether
    /// one changed.
    fn downwards(&self, part: &mut Part, t: At) -> Option<bool> {
        let own = part.ranges[t.index()];
        let width = |a: At| self.program.width(a);
        match self.program.nodes[t.index()] {
            Node::Const(_) | Node::Var(_) | Node::App(..) => Some(false),
            Node::ZExt(a) => {
                let wanted = Range::unsigned(own.ulo, own.uhi, width(a));
                if own.ulo > mask(width(a)) {
                    return None;
                }
                self.demand(part, a, wanted)
            }
            Node::SExt(a) => {
                let wanted = Range::signed(own.slo, own.shi, width(a));
                if wanted.slo > wanted.shi {
                    return None;
                }
                self.demand(part, a, wanted)
            }
            Node::Trunc(a) => {
                let r = part.of(a);
                if r.uhi > mask(width(t)) {
                    return Some(false);
                }
                self.demand(part, a, Range::unsigned(own.ulo, own.uhi, width(a)))
            }
            Node::Lin(c, ref terms) => self.sum(part, t, c, terms),
            Node::Ite(c, a, b) => match single(part.of(c)) {
                Some(1) => self.demand(part, a, own),
                Some(_) => self.demand(part, b, own),
                None => {
                    let possible = |t| meet(part.of(t), own).is_some();
                    match (possible(a), possible(b)) {
                        (true, true) => Some(false),
                        (true, false) => self.demand(part, c, Range::unsigned(1, 1, 1)),
                        (false, true) => self.demand(part, c, Range::unsigned(0, 0, 1)),
                        (false, false) => None,
                    }
                }
            },
            Node::Bin(op, a, b) if width(t) == 1 => {
                let Some(value) = single(own) else { return Some(false) };
                self.condition(part, op, value == 1, a, b)
            }
            Node::Bin(Bin::UDiv, a, b) => {
                let Some(d @ 1..) = single(part.of(b)) else { return Some(false) };
                let most = own.uhi.saturating_mul(d).saturating_add(d - 1);
                let least = own.ulo.saturating_mul(d);
                if least > mask(width(a)) {
                    return None;
                }
                self.demand(part, a, Range::unsigned(least, most, width(a)))
            }
            Node::Bin(..) => Some(false),
        }
    }

    fn demand(&self, part: &mut Part, a: At, wanted: Range) -> Option<bool> {
        let r = part.of(a);
        let narrowed = meet(r, wanted)?;
        if narrowed == r {
            return Some(false);
        }
        self.set(part, a, narrowed);
        Some(true)
    }

    /// Narrows the operands of a condition that has to be true, or false.
    fn condition(&self, part: &mut Part, op: Bin, holds: bool, a: At, b: At) -> Option<bool> {
        let (ra, rb) = (part.of(a), part.of(b));
        let w = self.program.width(a);
        let (wa, wb) = match (op, holds) {
            (Bin::And, true) => (Range::unsigned(1, 1, 1), Range::unsigned(1, 1, 1)),
            (Bin::Or, false) => (Range::unsigned(0, 0, 1), Range::unsigned(0, 0, 1)),
            (Bin::And, false) | (Bin::Or, true) => {
                // Where one operand does not decide the result, the other has to.
                let neutral = u64::from(op == Bin::And);
                let other = Range::unsigned(1 - neutral, 1 - neutral, 1);
                match (single(ra) == Some(neutral), single(rb) == Some(neutral)) {
                    (true, true) => return None,
                    (true, false) => (ra, other),
                    (false, true) => (other, rb),
                    (false, false) => return Some(false),
                }
            }
            (Bin::Xor, _) if w == 1 => {
                let partner = |r: Range| {
                    single(r).map_or(Range::full(1), |v| {
                        let v = v ^ u64::from(holds);
                        Range::unsigned(v, v, 1)
                    })
                };
                (partner(rb), partner(ra))
            }
            (Bin::Eq, true) => (rb, ra),
            (Bin::Eq, false) => (without(ra, rb, w)?, without(rb, ra, w)?),
            (Bin::Ult, true) => below(ra, rb, w)?,
            (Bin::Ult, false) => {
                (Range::unsigned(rb.ulo, mask(w), w), Range::unsigned(0, ra.uhi, w))
            }
            (Bin::Slt, true) => signed_below(ra, rb, w)?,
            (Bin::Slt, false) => {
                (Range::signed(rb.slo, i64::MAX, w), Range::signed(i64::MIN, ra.shi, w))
            }
            _ => return Some(false),
        };
        let first = self.demand(part, a, wa)?;
        Some(self.demand(part, b, wb)? | first)
    }

    /// A sum that does not overflow: each atom is narrowed by the intervals of the sum and of the other atoms.
    fn sum(&self, part: &mut Part, t: At, c: u64, terms: &[(At, u64)]) -> Option<bool> {
        let w = self.program.width(t);
        let own = part.of(t);
        let base = i128::from(sign_extend(c, w));
        let parts: Vec<(i128, (i128, i128), bool)> = terms
            .iter()
            .map(|&(atom, k)| {
                let r = part.of(atom);
                let k = i128::from(sign_extend(k, w));
                let (lo, hi) = r.as_integer();
                (k, if k >= 0 { (k * lo, k * hi) } else { (k * hi, k * lo) }, r.reads_signed())
            })
            .collect();
        let lo = base + parts.iter().map(|p| p.1.0).sum::<i128>();
        let hi = base + parts.iter().map(|p| p.1.1).sum::<i128>();
        let (least, most) = if lo >= 0 && hi <= i128::from(mask(w)) {
            (i128::from(own.ulo), i128::from(own.uhi))
        } else if lo >= i128::from(smin(w)) && hi <= i128::from(smax(w)) {
            (i128::from(own.slo), i128::from(own.shi))
        } else if let [(atom, k)] = *terms {
            return self.shifted(part, t, c, atom, k);
        } else {
            return Some(false);
        };
        let mut changed = false;
        for (&(atom, _), &(k, (plo, phi), signed)) in terms.iter().zip(&parts) {
            // least <= others + k * atom <= most
            let (low, high) = (least - (hi - phi), most - (lo - plo));
            // Dividing by a negative number reverses the order.
            let (l, h) = if k > 0 { (low, high) } else { (-high, -low) };
            // Rounded up for the lower bound, and down for the upper.
            let (from, to) = (-floor(-l, k.abs()), floor(h, k.abs()));
            if from > to {
                return None;
            }
            let own_width = self.program.width(atom);
            let wanted = if signed {
                let clamp = |v: i128| v.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
                let r = Range::signed(clamp(from), clamp(to), own_width);
                if r.slo > r.shi {
                    return None;
                }
                r
            } else {
                if to < 0 || from > i128::from(mask(own_width)) {
                    return None;
                }
                let clamp = |v: i128| v.clamp(0, i128::from(u64::MAX)) as u64;
                Range::unsigned(clamp(from), clamp(to), own_width)
            };
            changed |= self.demand(part, atom, wanted)?;
        }
        Some(changed)
    }

    /// A constant plus or minus one atom, which may overflow: the atom's interval is that of the sum minus the
    /// constant, where that interval does not wrap around.
    fn shifted(&self, part: &mut Part, t: At, c: u64, atom: At, k: u64) -> Option<bool> {
        let w = self.program.width(t);
        let own = part.of(t);
        let c = i128::from(sign_extend(c, w));
        let negative = k == mask(w);
        if k != 1 && !negative {
            return Some(false);
        }
        let mut changed = false;
        let readings = [
            (i128::from(own.ulo), i128::from(own.uhi)),
            (i128::from(own.slo), i128::from(own.shi)),
        ];
        for (low, high) in readings {
            let (low, high) = if negative { (c - high, c - low) } else { (low - c, high - c) };
            let all = 1i128 << w;
            // Both ends are off by the same multiple of the modulus, in the unsigned or in the signed reading.
            if low.div_euclid(all) == high.div_euclid(all) {
                let (low, high) = (low.rem_euclid(all) as u64, high.rem_euclid(all) as u64);
                changed |= self.demand(part, atom, Range::unsigned(low, high, w))?;
            }
            let half = all / 2;
            if (low + half).div_euclid(all) == (high + half).div_euclid(all) {
                let signed = |n: i128| ((n + half).rem_euclid(all) - half) as i64;
                changed |= self.demand(part, atom, Range::signed(signed(low), signed(high), w))?;
            }
        }
        Some(changed)
    }

    /// The variable with the fewest values, among those with more than one.
    fn smallest(&self, ranges: &[Range]) -> Option<At> {
        let leaves = self.leaves.iter().map(|&a| (a, ranges[a.index()]));
        let open = leaves.filter(|(_, r)| r.ulo < r.uhi);
        open.min_by_key(|(_, r)| r.uhi - r.ulo).map(|(a, _)| a)
    }

    /// The remaining assignment, if it is a model.
    fn model(&self, ranges: &[Range]) -> Answer {
        let pool = self.program.pool;
        let mut out = Assignment::default();
        for (&t, r) in self.program.terms.iter().zip(ranges) {
            match pool.node(t) {
                Node::Var(v) => {
                    out.vars.insert(*v, r.ulo);
                }
                Node::App(f, args) => {
                    let args = args.iter().map(|&a| out.eval(pool, a)).collect();
                    out.apps.insert((*f, args), r.ulo);
                }
                _ => {}
            }
        }
        let roots = self.program.roots.iter().map(|a| self.program.terms[a.index()]);
        if roots.into_iter().all(|t| out.eval(pool, t) == 1) {
            Answer::Sat(out)
        } else {
            Answer::Unknown
        }
    }
}

/// The quotient by a positive number, rounded down. Most numbers are small, and division of 128 bits is slow.
fn floor(a: i128, by: i128) -> i128 {
    match (i64::try_from(a), i64::try_from(by)) {
        (_, Ok(1)) => a,
        (Ok(a), Ok(by)) => i128::from(a.div_euclid(by)),
        _ => a.div_euclid(by),
    }
}

/// The truth value of a condition that two intervals determine.
fn truth(op: Bin, a: Range, b: Range) -> Option<bool> {
    match op {
        Bin::Eq if meet(a, b).is_none() => Some(false),
        Bin::Ult if a.uhi < b.ulo => Some(true),
        Bin::Ult if a.ulo >= b.uhi => Some(false),
        Bin::Slt if a.shi < b.slo => Some(true),
        Bin::Slt if a.slo >= b.shi => Some(false),
        Bin::Or if single(a) == Some(1) || single(b) == Some(1) => Some(true),
        Bin::And if single(a) == Some(0) || single(b) == Some(0) => Some(false),
        _ => None,
    }
}

/// An interval without the only value of another, if that value is one of its ends.
fn without(r: Range, other: Range, w: u32) -> Option<Range> {
    let Some(v) = single(other) else { return Some(r) };
    if single(r) == Some(v) {
        return None;
    }
    let mut out = r;
    if r.ulo == v {
        out = meet(out, Range::unsigned(v + 1, mask(w), w))?;
    } else if r.uhi == v {
        out = meet(out, Range::unsigned(0, v - 1, w))?;
    }
    let s = sign_extend(v, w);
    if out.slo == s && s < i64::MAX {
        out = meet(out, Range::signed(s + 1, i64::MAX, w))?;
    } else if out.shi == s && s > i64::MIN {
        out = meet(out, Range::signed(i64::MIN, s - 1, w))?;
    }
    Some(out)
}

/// Both intervals narrowed by the condition that the first value is less than the second.
fn below(a: Range, b: Range, w: u32) -> Option<(Range, Range)> {
    let (high, low) = (b.uhi.checked_sub(1)?, a.ulo.checked_add(1)?);
    if low > mask(w) {
        return None;
    }
    Some((Range::unsigned(0, high, w), Range::unsigned(low, mask(w), w)))
}

fn signed_below(a: Range, b: Range, w: u32) -> Option<(Range, Range)> {
    let (high, low) = (b.shi.checked_sub(1)?, a.slo.checked_add(1)?);
    if high < smin(w) || low > smax(w) {
        return None;
    }
    Some((Range::signed(i64::MIN, high, w), Range::signed(low, i64::MAX, w)))
}

#[cfg(test)]
mod tests;
