//! Deciding small conjunctions by intervals: narrow, and where that ends, split.
//!
//! Most questions are small: a handful of comparisons between indices of a few bits. Starting the solver takes longer than
//! answering them. Here every term has an interval; those of operands narrow that of a term, and what a condition demands
//! of a term narrows its operands (constraint propagation as solvers over finite domains do it). A box in which some
//! condition cannot hold is dropped; one in which all hold is a model; of any other the smallest variable is halved,
//! the lower half first, so that models are small numbers.
//!
//! What it says is exact. It gives up after some thousand operations, long before the solver would have started; applications of
//! functions are variables here, so a model that would need one function to have two values is not one, and is no answer.

use rustc_hash::FxHashMap;

use crate::term::{Bin, Node, Pool, Range, T, mask, range_of, sign_extend, smax, smin};
use crate::walk::{Assignment, eval_bin, reachable};
use crate::z3::Answer;

/// Intervals that are computed before it gives up.
const MOST: usize = 60_000;

/// The longest conjunction that is looked at, in terms.
const LONGEST: usize = 600;

/// Rounds of narrowing of one box.
const ROUNDS: usize = 6;

/// `Unsat`, or a model; `Unknown` where it gave up.
pub(crate) fn decide(pool: &Pool, list: &[T]) -> Answer {
    let terms = reachable(pool, list);
    if terms.len() > LONGEST {
        return Answer::Unknown;
    }
    let at: FxHashMap<T, u32> = terms.iter().zip(0..).map(|(&t, i)| (t, i)).collect();
    let search = Search { pool, terms: &terms, at: &at };
    let mut first: Vec<Range> = terms.iter().map(|&t| pool.range(t)).collect();
    for t in list {
        match meet(first[at[t] as usize], Range::unsigned(1, 1, 1)) {
            Some(r) => first[at[t] as usize] = r,
            None => return Answer::Unsat,
        }
    }
    let mut left = MOST;
    let mut open = vec![first];
    while let Some(mut ranges) = open.pop() {
        if !search.narrow(&mut ranges, &mut left) {
            continue;
        }
        if left == 0 {
            return Answer::Unknown;
        }
        if search.corner_holds(&ranges, list) {
            return search.model(list, &ranges);
        }
        // Where all have one value, that is the corner, and it does not hold.
        let Some(i) = search.smallest(&ranges) else { continue };
        let r = ranges[i];
        let middle = r.ulo + (r.uhi - r.ulo) / 2;
        let w = pool.width(terms[i]);
        // The upper half waits below the lower one.
        let halves = [(middle + 1, r.uhi), (r.ulo, middle)];
        for half in halves.into_iter().filter_map(|(lo, hi)| meet(r, Range::unsigned(lo, hi, w))) {
            let mut part = ranges.clone();
            part[i] = half;
            open.push(part);
        }
    }
    Answer::Unsat
}

/// What both allow, if anything.
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

/// One conjunction: its terms, operands first, and where each is.
struct Search<'a> {
    pool: &'a Pool,
    terms: &'a [T],
    at: &'a FxHashMap<T, u32>,
}

impl Search<'_> {
    fn of(&self, ranges: &[Range], t: T) -> Range {
        ranges[self.at[&t] as usize]
    }

    /// Narrows all until nothing changes, or long enough. False where there is no model.
    fn narrow(&self, ranges: &mut [Range], left: &mut usize) -> bool {
        for _ in 0..ROUNDS {
            *left = left.saturating_sub(2 * self.terms.len());
            let mut changed = false;
            for i in 0..self.terms.len() {
                match meet(ranges[i], self.upwards(ranges, self.terms[i])) {
                    None => return false,
                    Some(r) => {
                        changed |= r != ranges[i];
                        ranges[i] = r;
                    }
                }
            }
            for i in (0..self.terms.len()).rev() {
                match self.downwards(ranges, i) {
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

    /// The interval of a term by those of its operands.
    fn upwards(&self, ranges: &[Range], t: T) -> Range {
        let (node, width) = (self.pool.node(t), self.pool.width(t));
        let of = |t: T| self.of(ranges, t);
        let exactly = |v: u64| Range::unsigned(v, v, width);
        match *node {
            Node::Var(_) | Node::App(..) => return of(t),
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
        match self.value(t, |t| single(of(t))) {
            Some(v) => exactly(v),
            None => range_of(node, width, of),
        }
    }

    /// The value of a term that is no leaf, by those of its operands.
    fn value(&self, t: T, of: impl Fn(T) -> Option<u64>) -> Option<u64> {
        let v = match *self.pool.node(t) {
            Node::Var(_) | Node::App(..) => return None,
            Node::Const(c) => c,
            Node::Lin(c, ref terms) => {
                let add = |s: u64, &(a, k): &(T, u64)| Some(s.wrapping_add(of(a)?.wrapping_mul(k)));
                terms.iter().try_fold(c, add)?
            }
            Node::Bin(op, a, b) => eval_bin(op, of(a)?, of(b)?, self.pool.width(a)),
            Node::Ite(c, a, b) => of(if of(c)? == 1 { a } else { b })?,
            Node::ZExt(a) | Node::Trunc(a) => of(a)?,
            Node::SExt(a) => sign_extend(of(a)?, self.pool.width(a)) as u64,
        };
        Some(v & mask(self.pool.width(t)))
    }

    /// Whether all hold where every leaf has the least of its values.
    fn corner_holds(&self, ranges: &[Range], list: &[T]) -> bool {
        let mut values: Vec<u64> = Vec::with_capacity(self.terms.len());
        for (i, &t) in self.terms.iter().enumerate() {
            let v = self.value(t, |t| values.get(self.at[&t] as usize).copied());
            values.push(v.unwrap_or(ranges[i].ulo));
        }
        list.iter().all(|t| values[self.at[t] as usize] == 1)
    }

    /// Narrows the operands of a term by its own interval. `None` where nothing is left of one, else whether one changed.
    fn downwards(&self, ranges: &mut [Range], i: usize) -> Option<bool> {
        let t = self.terms[i];
        let own = ranges[i];
        match *self.pool.node(t) {
            Node::Const(_) | Node::Var(_) | Node::App(..) => Some(false),
            Node::ZExt(a) => {
                let wanted = Range::unsigned(own.ulo, own.uhi, self.pool.width(a));
                if own.ulo > mask(self.pool.width(a)) {
                    return None;
                }
                self.demand(ranges, a, wanted)
            }
            Node::SExt(a) => {
                let wanted = Range::signed(own.slo, own.shi, self.pool.width(a));
                if wanted.slo > wanted.shi {
                    return None;
                }
                self.demand(ranges, a, wanted)
            }
            Node::Trunc(a) => {
                let r = self.of(ranges, a);
                if r.uhi > mask(self.pool.width(t)) {
                    return Some(false);
                }
                self.demand(ranges, a, Range::unsigned(own.ulo, own.uhi, self.pool.width(a)))
            }
            Node::Lin(c, ref terms) => self.sum(ranges, t, c, terms),
            Node::Ite(c, a, b) => match single(self.of(ranges, c)) {
                Some(1) => self.demand(ranges, a, own),
                Some(_) => self.demand(ranges, b, own),
                None => {
                    let possible = |t| meet(self.of(ranges, t), own).is_some();
                    match (possible(a), possible(b)) {
                        (true, true) => Some(false),
                        (true, false) => self.demand(ranges, c, Range::unsigned(1, 1, 1)),
                        (false, true) => self.demand(ranges, c, Range::unsigned(0, 0, 1)),
                        (false, false) => None,
                    }
                }
            },
            Node::Bin(op, a, b) if self.pool.width(t) == 1 => {
                let Some(value) = single(own) else { return Some(false) };
                self.condition(ranges, op, value == 1, a, b)
            }
            Node::Bin(Bin::UDiv, a, b) => {
                let Some(d @ 1..) = single(self.of(ranges, b)) else { return Some(false) };
                let most = own.uhi.saturating_mul(d).saturating_add(d - 1);
                let least = own.ulo.saturating_mul(d);
                if least > mask(self.pool.width(a)) {
                    return None;
                }
                self.demand(ranges, a, Range::unsigned(least, most, self.pool.width(a)))
            }
            Node::Bin(..) => Some(false),
        }
    }

    fn demand(&self, ranges: &mut [Range], t: T, wanted: Range) -> Option<bool> {
        let r = &mut ranges[self.at[&t] as usize];
        let narrowed = meet(*r, wanted)?;
        let changed = narrowed != *r;
        *r = narrowed;
        Some(changed)
    }

    /// A condition that has to hold, or not to.
    fn condition(&self, ranges: &mut [Range], op: Bin, holds: bool, a: T, b: T) -> Option<bool> {
        let (ra, rb) = (self.of(ranges, a), self.of(ranges, b));
        let w = self.pool.width(a);
        let (wa, wb) = match (op, holds) {
            (Bin::And, true) => (Range::unsigned(1, 1, 1), Range::unsigned(1, 1, 1)),
            (Bin::Or, false) => (Range::unsigned(0, 0, 1), Range::unsigned(0, 0, 1)),
            (Bin::And, false) | (Bin::Or, true) => {
                // Where one operand does not settle it, the other has to.
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
        let first = self.demand(ranges, a, wa)?;
        Some(self.demand(ranges, b, wb)? | first)
    }

    /// A sum that does not wrap: each atom is what the others leave of it.
    fn sum(&self, ranges: &mut [Range], t: T, c: u64, terms: &[(T, u64)]) -> Option<bool> {
        let w = self.pool.width(t);
        let own = self.of(ranges, t);
        let base = i128::from(sign_extend(c, w));
        let parts: Vec<(i128, (i128, i128), bool)> = terms
            .iter()
            .map(|&(atom, k)| {
                let r = self.of(ranges, atom);
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
        } else {
            return Some(false);
        };
        let mut changed = false;
        for (&(atom, _), &(k, (plo, phi), signed)) in terms.iter().zip(&parts) {
            // least <= others + k * atom <= most
            let (low, high) = (least - (hi - phi), most - (lo - plo));
            let (from, to) = if k > 0 {
                (low.div_euclid(k) + i128::from(low.rem_euclid(k) != 0), high.div_euclid(k))
            } else {
                // Dividing by a negative number turns the order round.
                let (l, h) = (-high, -low);
                let k = -k;
                (l.div_euclid(k) + i128::from(l.rem_euclid(k) != 0), h.div_euclid(k))
            };
            if from > to {
                return None;
            }
            let own_width = self.pool.width(atom);
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
            changed |= self.demand(ranges, atom, wanted)?;
        }
        Some(changed)
    }

    /// The variable of the fewest values, among those that have more than one.
    fn smallest(&self, ranges: &[Range]) -> Option<usize> {
        (0..self.terms.len())
            .filter(|&i| matches!(self.pool.node(self.terms[i]), Node::Var(_) | Node::App(..)))
            .filter(|&i| ranges[i].ulo < ranges[i].uhi)
            .min_by_key(|&i| ranges[i].uhi - ranges[i].ulo)
    }

    /// The model that is left, if it is one.
    fn model(&self, list: &[T], ranges: &[Range]) -> Answer {
        let mut out = Assignment::default();
        for (&t, r) in self.terms.iter().zip(ranges) {
            match self.pool.node(t) {
                Node::Var(v) => {
                    out.vars.insert(*v, r.ulo);
                }
                Node::App(f, args) => {
                    let args = args.iter().map(|&a| out.eval(self.pool, a)).collect();
                    out.apps.insert((*f, args), r.ulo);
                }
                _ => {}
            }
        }
        if list.iter().all(|&t| out.eval(self.pool, t) == 1) {
            Answer::Sat(out)
        } else {
            Answer::Unknown
        }
    }
}

/// What two intervals say of a condition.
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

/// An interval without the only value of another, where that is at an end of it.
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

/// What is left of both where the first is less.
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
mod tests {
    use super::*;
    use crate::tests::Rng;

    /// A random term of some width; small numbers are likely, so that conditions are close ones.
    fn term(pool: &mut Pool, rng: &mut Rng, vars: &[T], width: u32, depth: u32) -> T {
        if depth == 0 || rng.below(6) == 0 {
            if rng.below(4) == 0 {
                let v = if rng.below(2) == 0 { rng.below(5) } else { rng.next() };
                return pool.constant(v, width);
            }
            let v = vars[rng.below(vars.len() as u64) as usize];
            return pool.resize(v, width);
        }
        let mut sub = |pool: &mut Pool, w| term(pool, rng, vars, w, depth - 1);
        let (a, b) = (sub(pool, width), sub(pool, width));
        match rng.below(14) {
            0..=3 => {
                let k = [1, 3, 4, mask(width)][rng.below(4) as usize];
                pool.sum(rng.below(4), &[(a, 1), (b, k)], width)
            }
            4 => pool.bin(Bin::Mul, a, b),
            5 => pool.bin([Bin::UDiv, Bin::SDiv][rng.below(2) as usize], a, b),
            6 => pool.bin([Bin::URem, Bin::SRem][rng.below(2) as usize], a, b),
            7 => pool.bin([Bin::And, Bin::Or, Bin::Xor][rng.below(3) as usize], a, b),
            8 => pool.bin([Bin::Shl, Bin::LShr, Bin::AShr][rng.below(3) as usize], a, b),
            9 => {
                let c = condition(pool, rng, vars, depth - 1);
                pool.ite(c, a, b)
            }
            10 => {
                let narrow = pool.trunc(a, 2);
                pool.zext(narrow, width)
            }
            11 => {
                let narrow = pool.trunc(a, 3);
                pool.sext(narrow, width)
            }
            _ => {
                let d = pool.constant(1 + rng.below(5), width);
                pool.bin([Bin::UDiv, Bin::URem][rng.below(2) as usize], a, d)
            }
        }
    }

    fn condition(pool: &mut Pool, rng: &mut Rng, vars: &[T], depth: u32) -> T {
        let w = [4, 6][rng.below(2) as usize];
        let (a, b) = (term(pool, rng, vars, w, depth), term(pool, rng, vars, w, depth));
        let c = match rng.below(6) {
            0 | 1 => pool.eq(a, b),
            2 | 3 => pool.bin(Bin::Ult, a, b),
            4 => pool.bin(Bin::Slt, a, b),
            _ if depth == 0 => pool.bin(Bin::Slt, b, a),
            _ => {
                let (x, y) =
                    (condition(pool, rng, vars, depth - 1), condition(pool, rng, vars, depth - 1));
                pool.bin([Bin::And, Bin::Or, Bin::Xor][rng.below(3) as usize], x, y)
            }
        };
        if rng.below(3) == 0 { pool.not(c) } else { c }
    }

    #[test]
    fn as_trying_all_values_says() {
        let mut rng = Rng(77);
        let (mut sat, mut unsat, mut open) = (0, 0, 0);
        for round in 0..1200 {
            let mut pool = Pool::default();
            let (mut ids, mut vars) = (Vec::new(), Vec::new());
            for most in [15, 15, 4 + rng.below(4)] {
                let (id, t) = pool.var(most, 4);
                ids.push((id, most));
                vars.push(t);
            }
            let n = 2 + rng.below(4);
            let list: Vec<T> = (0..n).map(|_| condition(&mut pool, &mut rng, &vars, 2)).collect();
            let holds = |values: [u64; 3]| {
                let mut m = Assignment::default();
                m.vars.extend(ids.iter().zip(values).map(|((id, _), v)| (*id, v)));
                list.iter().all(|&t| m.eval(&pool, t) == 1)
            };
            match decide(&pool, &list) {
                Answer::Sat(m) => {
                    let value = |i: usize| m.vars.get(&ids[i].0).copied().unwrap_or(0);
                    let values = [value(0), value(1), value(2)];
                    assert!(holds(values), "round {round}: {values:?}");
                    assert!(ids.iter().zip(values).all(|((_, most), v)| v <= *most));
                    sat += 1;
                }
                Answer::Unsat => {
                    for x in 0..=ids[0].1 {
                        for y in 0..=ids[1].1 {
                            for z in 0..=ids[2].1 {
                                assert!(!holds([x, y, z]), "round {round}: {x} {y} {z}");
                            }
                        }
                    }
                    unsat += 1;
                }
                Answer::Unknown => open += 1,
            }
        }
        assert!(sat > 300 && unsat > 300 && open < 100, "{sat} {unsat} {open}");
    }
}
