//! Contradictions between sums, which intervals cannot see because they involve two terms together.
//!
//! Each term that does not overflow is an integer sum of atoms ([`Form`]), whatever its width, so that a sum that
//! occurs in several widths, or as a multiple, has one form. The quotient and the remainder by a constant are atoms
//! that add up to the dividend. A comparison known to be true or false bounds the difference of its sides; an equation
//! with an atom of coefficient one is solved for it. Atoms are identified by their operands, so that terms made equal
//! by an equation have one name in the next round. Contradictory bounds of one sum are a contradiction; a comparison
//! that the bounds decide is returned to the caller ([`crate::decide::intervals`]), whose intervals may then decide
//! others.
//!
//! Why it is sound: intervals hold in every model, and so do all equations and bounds derived from them: in a model, an
//! atom has the value of the term it stands for. Nothing is split or guessed. A term that does not fit (a number too
//! large, a sum too long, a term that may overflow) becomes an atom, or is left out, which only loses facts.
//!
//! What it can miss: bounds of one sum are compared with each other; bounds of different sums are never added up.

use rustc_hash::FxHashMap;

use crate::decide::program::{At, Program};
use crate::term::{Bin, FnId, Node, Range, gcd, mask, sign_extend, smax, smin};

/// Limits of the length of a sum, in atoms, and of its coefficients, constants and values of atoms: they keep every
/// value of a sum below [`FAR`].
const LONGEST: usize = 12;
const LARGEST: i128 = 1 << 50;
const LARGEST_CONSTANT: i128 = 1 << 100;
const LARGEST_ATOM: i128 = 1 << 70;

/// Larger than every value of a sum.
const FAR: i128 = 1 << 125;

/// The width of an `int`, half the width of an address.
const HALF: u32 = 32;

type Atom = u32;

/// A constant plus atoms with non-zero coefficients, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Form {
    constant: i128,
    terms: Vec<(Atom, i128)>,
}

impl Form {
    fn constant(constant: i128) -> Form {
        Form { constant, terms: Vec::new() }
    }

    fn atom(a: Atom) -> Form {
        Form { constant: 0, terms: vec![(a, 1)] }
    }

    fn coefficient(&self, a: Atom) -> i128 {
        self.terms.iter().find(|(b, _)| *b == a).map_or(0, |t| t.1)
    }

    /// This plus `k` times another; `None` where the sum is too long, or the numbers are too large.
    fn plus(&self, k: i128, other: &Form) -> Option<Form> {
        let constant = self.constant.checked_add(k.checked_mul(other.constant)?)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut i, mut j) = (0, 0);
        loop {
            let (a, n) = match (self.terms.get(i), other.terms.get(j)) {
                (Some(x), Some(y)) if x.0 == y.0 => {
                    (i, j) = (i + 1, j + 1);
                    (x.0, x.1.checked_add(k.checked_mul(y.1)?)?)
                }
                (Some(x), y) if y.is_none_or(|y| x.0 < y.0) => {
                    i += 1;
                    *x
                }
                (_, Some(y)) => {
                    j += 1;
                    (y.0, k.checked_mul(y.1)?)
                }
                (_, None) => break,
            };
            if n != 0 {
                terms.push((a, n));
            }
        }
        Form { constant, terms }.fitting()
    }

    fn fitting(self) -> Option<Form> {
        let fits = self.terms.len() <= LONGEST
            && self.constant.abs() <= LARGEST_CONSTANT
            && self.terms.iter().all(|t| t.1.abs() <= LARGEST);
        fits.then_some(self)
    }

    fn times(&self, k: i128) -> Option<Form> {
        Form::default().plus(k, self)
    }
}

/// The integer that an atom stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// The value of a term, read as signed or unsigned.
    Term(u32, bool),
    /// The value of a function application, read as signed or unsigned: its arguments, and its width.
    Call(FnId, Vec<Form>, u32, bool),
    Product(Form, Form),
    Quotient(Form, i128),
    Rest(Form, i128),
}

/// Bounds of the difference of two terms, and the one value that it cannot have.
struct Fact {
    form: Form,
    low: i128,
    high: i128,
    is_not_zero: bool,
}

/// Bounds of a sum without a constant, whose coefficients have no common divisor.
struct Bounds {
    low: i128,
    high: i128,
    without: Vec<i128>,
}

type Sums = FxHashMap<Vec<(Atom, i128)>, Bounds>;

pub(crate) struct Forms<'a> {
    program: &'a Program<'a>,
    ranges: Vec<Range>,
    atoms: FxHashMap<Key, Atom>,
    /// The interval of each atom.
    bounds: Vec<(i128, i128)>,
    /// Atoms solved by equations; the solutions contain no solved atoms.
    solved: FxHashMap<Atom, Form>,
    /// The values of terms in this round, read as unsigned and as signed.
    done: FxHashMap<(u32, bool), Form>,
    /// The values of terms in this round modulo two to the power of a width.
    cut: FxHashMap<(u32, u32), Option<Form>>,
    facts: Vec<Fact>,
}

impl<'a> Forms<'a> {
    pub(crate) fn new(program: &'a Program<'a>) -> Forms<'a> {
        Forms {
            program,
            ranges: Vec::new(),
            atoms: FxHashMap::default(),
            bounds: Vec::new(),
            solved: FxHashMap::default(),
            done: FxHashMap::default(),
            cut: FxHashMap::default(),
            facts: Vec::new(),
        }
    }

    /// Comparisons that the intervals leave open, with the truth values found; `None` where there is no model. The flag
    /// is whether new facts were found, so that another round may find more.
    pub(crate) fn round(&mut self, ranges: &[Range]) -> Option<(Vec<(At, bool)>, bool)> {
        self.ranges = ranges.to_vec();
        self.done.clear();
        self.cut.clear();
        self.facts.clear();
        let comparisons = self.comparisons();
        for &(t, op, a, b) in &comparisons {
            if let Some(value) = self.known(t) {
                if op == Bin::Eq && value && self.is_odd(a, b) {
                    return None;
                }
                self.compare(op, value, a, b);
            }
        }
        self.bound_terms();
        let before = self.solved.len();
        self.solve()?;
        let sums = self.sums()?;
        let mut found = Vec::new();
        for &(t, op, a, b) in &comparisons {
            if self.known(t).is_none()
                && let Some(value) = self.comes_to(op, a, b, &sums)
            {
                found.push((t, value));
            }
        }
        Some((found, self.solved.len() > before))
    }

    fn comparisons(&self) -> Vec<(At, Bin, At, At)> {
        let comparison = |(i, node): (u32, &Node<At>)| match *node {
            Node::Bin(op @ (Bin::Eq | Bin::Ult | Bin::Slt), a, b) => Some((At(i), op, a, b)),
            _ => None,
        };
        (0..).zip(&self.program.nodes).filter_map(comparison).collect()
    }

    fn range(&self, t: At) -> Range {
        self.ranges[t.index()]
    }

    fn width(&self, t: At) -> u32 {
        self.program.width(t)
    }

    fn value(&self, t: At) -> Option<u64> {
        let r = self.range(t);
        (r.ulo == r.uhi).then_some(r.ulo)
    }

    fn known(&self, t: At) -> Option<bool> {
        self.value(t).map(|v| v == 1)
    }

    /// The value of an atom, replaced by its solution where an equation gives one.
    fn named(&mut self, key: Key, low: i128, high: i128) -> Form {
        let next = self.bounds.len() as Atom;
        let a = *self.atoms.entry(key).or_insert(next);
        if a == next {
            self.bounds.push((low, high));
        }
        let own = &mut self.bounds[a as usize];
        *own = (own.0.max(low), own.1.min(high));
        self.solved.get(&a).cloned().unwrap_or_else(|| Form::atom(a))
    }

    /// The interval of a sum by those of its atoms.
    fn interval(&self, form: &Form) -> (i128, i128) {
        let mut out = (form.constant, form.constant);
        for &(a, k) in &form.terms {
            let (low, high) = self.bounds[a as usize];
            let (x, y) = (k * low, k * high);
            out = (out.0 + x.min(y), out.1 + x.max(y));
        }
        out
    }

    /// Whether the signed reading of a term is the narrower one.
    fn reads_signed(&self, t: At) -> bool {
        let ((low, high), (slow, shigh)) = (self.reading(t, false), self.reading(t, true));
        shigh - slow < high - low
    }

    /// The bounds of a term's value, read as signed or unsigned.
    fn reading(&self, t: At, signed: bool) -> (i128, i128) {
        let r = self.range(t);
        match signed {
            true => (r.slo.into(), r.shi.into()),
            false => (r.ulo.into(), r.uhi.into()),
        }
    }

    /// The term's value as an integer, read as signed or unsigned.
    fn form(&mut self, t: At, signed: bool) -> Form {
        // Where the value is not negative, both readings are the same.
        let signed = signed && self.range(t).slo < 0;
        if let Some(f) = self.done.get(&(t.0, signed)) {
            return f.clone();
        }
        let f = self.structure(t, signed).unwrap_or_else(|| self.itself(t, signed));
        self.done.insert((t.0, signed), f.clone());
        f
    }

    fn itself(&mut self, t: At, signed: bool) -> Form {
        let (low, high) = self.reading(t, signed);
        let key = match &self.program.nodes[t.index()] {
            Node::App(f, args) => {
                let args = args.iter().map(|&a| self.form(a, false)).collect();
                Key::Call(*f, args, self.width(t), signed)
            }
            _ => Key::Term(t.0, signed),
        };
        self.named(key, low, high)
    }

    /// Whether the width can hold all values in the interval, read as signed or unsigned: then nothing overflows.
    fn fits(&self, t: At, signed: bool, (low, high): (i128, i128)) -> bool {
        let w = self.width(t);
        match signed {
            true => low >= smin(w).into() && high <= smax(w).into(),
            false => low >= 0 && high <= mask(w).into(),
        }
    }

    /// The value computed from those of the operands; `None` where it may overflow, or the operation is not linear.
    fn structure(&mut self, t: At, signed: bool) -> Option<Form> {
        let w = self.width(t);
        match self.program.nodes[t.index()] {
            Node::Const(c) if signed => Some(Form::constant(sign_extend(c, w).into())),
            Node::Const(c) => Some(Form::constant((c & mask(w)).into())),
            Node::Var(_) | Node::App(..) => None,
            Node::ZExt(a) => Some(self.form(a, false)),
            Node::SExt(a) if signed || self.range(a).slo >= 0 => Some(self.form(a, true)),
            Node::SExt(_) => None,
            Node::Trunc(a) if self.fits(t, signed, self.reading(a, signed)) => {
                Some(self.form(a, signed))
            }
            Node::Trunc(a) if !signed => self.divided(a, 1 << w).map(|d| d.1),
            Node::Trunc(_) => None,
            Node::Lin(c, ref terms) => {
                let mut sum = Form::constant(sign_extend(c, w).into());
                let mut interval = (sum.constant, sum.constant);
                for &(a, k) in terms {
                    let k = i128::from(sign_extend(k, w));
                    let (low, high) = self.reading(a, self.reads_signed(a));
                    let (x, y) = (k.checked_mul(low)?, k.checked_mul(high)?);
                    interval.0 = interval.0.checked_add(x.min(y))?;
                    interval.1 = interval.1.checked_add(x.max(y))?;
                }
                if !self.fits(t, signed, interval) {
                    return None;
                }
                for &(a, k) in terms {
                    let part = self.form(a, self.reads_signed(a));
                    sum = sum.plus(sign_extend(k, w).into(), &part)?;
                }
                Some(sum)
            }
            Node::Ite(c, a, b) => {
                self.known(c).map(|yes| self.form(if yes { a } else { b }, signed))
            }
            Node::Bin(op, a, b) => self.operation(t, signed, op, a, b),
        }
    }

    fn operation(&mut self, t: At, signed: bool, op: Bin, a: At, b: At) -> Option<Form> {
        let w = self.width(t);
        let is_positive = |t: At| self.range(t).slo >= 0;
        match op {
            Bin::Mul => {
                let ((al, ah), (bl, bh)) = (self.reading(a, signed), self.reading(b, signed));
                let corners = [al.checked_mul(bl), al.checked_mul(bh), ah.checked_mul(bl)];
                let corners = corners.into_iter().chain([ah.checked_mul(bh)]);
                let corners: Vec<i128> = corners.collect::<Option<_>>()?;
                let interval = (*corners.iter().min()?, *corners.iter().max()?);
                if !self.fits(t, signed, interval) {
                    return None;
                }
                let (x, y) = (self.form(a, signed), self.form(b, signed));
                if x.terms.is_empty() {
                    return y.times(x.constant);
                }
                if y.terms.is_empty() {
                    return x.times(y.constant);
                }
                let (low, high) = self.reading(t, signed);
                // In an order that does not depend on the width.
                let (x, y) = if x.terms <= y.terms { (x, y) } else { (y, x) };
                Some(self.named(Key::Product(x, y), low, high))
            }
            Bin::Shl if !signed => {
                let k = self.value(b).filter(|&k| k < u64::from(w))?;
                let by = 1i128 << k;
                let (low, high) = self.reading(a, false);
                let fits = self.fits(t, false, (low.checked_mul(by)?, high.checked_mul(by)?));
                if fits { self.form(a, false).times(by) } else { None }
            }
            Bin::LShr if !signed => {
                let k = self.value(b).filter(|&k| k < u64::from(w))?;
                self.divided(a, 1 << k).map(|d| d.0)
            }
            Bin::UDiv if !signed => self.divided(a, self.value(b)?.into()).map(|d| d.0),
            Bin::URem if !signed => self.divided(a, self.value(b)?.into()).map(|d| d.1),
            Bin::SDiv if is_positive(a) && is_positive(b) => {
                self.divided(a, self.value(b)?.into()).map(|d| d.0)
            }
            Bin::SRem if is_positive(a) && is_positive(b) => {
                self.divided(a, self.value(b)?.into()).map(|d| d.1)
            }
            Bin::And if !signed => {
                let (x, m) = match (self.value(a), self.value(b)) {
                    (Some(m), _) => (b, m),
                    (_, Some(m)) => (a, m),
                    _ => return None,
                };
                let low = !m & mask(w);
                if m & m.wrapping_add(1) == 0 {
                    self.divided(x, i128::from(m) + 1).map(|d| d.1)
                } else if low & low.wrapping_add(1) == 0 {
                    let by = i128::from(low) + 1;
                    self.divided(x, by)?.0.times(by)
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// Quotient and remainder of a non-negative value by a positive number. Multiples of the divisor are moved into the
    /// quotient, so that sums that differ by them have the same remainder.
    fn divided(&mut self, t: At, by: i128) -> Option<(Form, Form)> {
        let whole = self.form(t, false);
        match by {
            ..=0 => return None,
            1 => return Some((whole, Form::default())),
            _ if self.reading(t, false).1 < by => return Some((Form::default(), whole)),
            _ => {}
        }
        let cut = |n: i128| n.rem_euclid(by);
        let left = whole.terms.iter().map(|&(a, k)| (a, cut(k))).filter(|t| t.1 != 0);
        let left = Form { constant: cut(whole.constant), terms: left.collect() }.fitting()?;
        let multiple = whole.plus(-1, &left)?;
        let terms = multiple.terms.iter().map(|&(a, k)| (a, k / by)).collect();
        let multiple = Form { constant: multiple.constant / by, terms };
        if left.terms.is_empty() {
            return Some((multiple, left));
        }
        let (low, high) = self.interval(&left);
        let (low, high) = (low.div_euclid(by), high.div_euclid(by));
        // Nothing else bounds the size of nested quotients.
        if low < -LARGEST_ATOM || high > LARGEST_ATOM {
            return None;
        }
        let quotient = self.named(Key::Quotient(left.clone(), by), low, high);
        let rest = self.named(Key::Rest(left.clone(), by), 0, by - 1);
        let form = left.plus(-by, &quotient)?.plus(-1, &rest)?;
        self.facts.push(Fact { form, low: 0, high: 0, is_not_zero: false });
        Some((quotient.plus(1, &multiple)?, rest))
    }

    /// The value modulo two to the power of a width that is at most the term's own.
    fn modular(&mut self, t: At, w: u32) -> Option<Form> {
        if let Some(f) = self.cut.get(&(t.0, w)) {
            return f.clone();
        }
        let f = self.modular_structure(t, w);
        self.cut.insert((t.0, w), f.clone());
        f
    }

    fn modular_structure(&mut self, t: At, w: u32) -> Option<Form> {
        match self.program.nodes[t.index()] {
            Node::Lin(c, ref terms) => {
                let mut sum = Form::constant(c.into());
                for &(a, k) in terms {
                    let k = i128::from(sign_extend(k, self.width(t)));
                    sum = sum.plus(k, &self.modular(a, w)?)?;
                }
                Some(sum)
            }
            Node::Trunc(a) => self.modular(a, w),
            Node::ZExt(a) | Node::SExt(a) if self.width(a) >= w => self.modular(a, w),
            Node::SExt(a) => Some(self.form(a, true)),
            _ => Some(self.form(t, self.reads_signed(t))),
        }
    }

    /// The difference of two terms modulo their width, or a smaller one, with coefficients of least absolute value.
    fn difference(&mut self, a: At, b: At, w: u32) -> Option<Form> {
        let d = self.modular(a, w)?.plus(-1, &self.modular(b, w)?)?;
        let all = 1i128 << w;
        let centred = |n: i128| {
            let n = n.rem_euclid(all);
            if n > all / 2 { n - all } else { n }
        };
        let terms = d.terms.iter().map(|&(a, k)| (a, centred(k))).filter(|t| t.1 != 0);
        Form { constant: centred(d.constant), terms: terms.collect() }.fitting()
    }

    /// Whether the two differ in their lowest bits: for instance, all coefficients of the difference are even, and the
    /// constant is odd.
    fn is_odd(&mut self, a: At, b: At) -> bool {
        let own = self.width(a);
        [own, own.min(HALF)].into_iter().any(|w| {
            self.difference(a, b, w).is_some_and(|d| {
                let shared = d.terms.iter().map(|t| t.1.trailing_zeros()).min();
                d.constant.trailing_zeros() < shared.unwrap_or(128)
            })
        })
    }

    /// The difference of the sides of a comparison as an integer, where it determines the result.
    fn sides(&mut self, op: Bin, a: At, b: At) -> Option<Form> {
        if op != Bin::Eq {
            let signed = op == Bin::Slt;
            return self.form(a, signed).plus(-1, &self.form(b, signed));
        }
        let w = self.width(a);
        if let Some(d) = self.difference(a, b, w) {
            let (low, high) = self.interval(&d);
            // Of all multiples of the modulus, only zero is possible.
            if low > -(1 << w) && high < 1 << w {
                return Some(d);
            }
        }
        self.form(a, false).plus(-1, &self.form(b, false))
    }

    /// A form that is zero if the two are equal, because then their lower halves are equal: a sum that may wrap in 32
    /// bits, and is then extended, is exact modulo 2^32.
    fn lower(&mut self, a: At, b: At) -> Option<Form> {
        if self.width(a) <= HALF {
            return None;
        }
        let d = self.difference(a, b, HALF)?;
        let (low, high) = self.interval(&d);
        (low > -(1 << HALF) && high < 1 << HALF).then_some(d)
    }

    /// Records the fact that a comparison is true, or that it is false.
    fn compare(&mut self, op: Bin, holds: bool, a: At, b: At) {
        let (low, high) = match (op, holds) {
            (Bin::Eq, true) => (0, 0),
            (Bin::Eq, false) => (-FAR, FAR),
            (_, true) => (-FAR, -1),
            (_, false) => (0, FAR),
        };
        let is_not_zero = op == Bin::Eq && !holds;
        let whole = self.sides(op, a, b);
        let half = if op == Bin::Eq && holds { self.lower(a, b) } else { None };
        // Equal values are equal in both readings.
        let is_negative = self.range(a).slo < 0 || self.range(b).slo < 0;
        let signed = match op {
            Bin::Eq if is_negative => self.form(a, true).plus(-1, &self.form(b, true)),
            _ => None,
        };
        let forms = whole.into_iter().chain(half).chain(signed);
        self.facts.extend(forms.map(|form| Fact { form, low, high, is_not_zero }));
    }

    /// The intervals of sums and products are facts, too.
    fn bound_terms(&mut self) {
        for i in 0..self.program.nodes.len() as u32 {
            let t = At(i);
            if matches!(self.program.nodes[t.index()], Node::Lin(..)) {
                let signed = self.reads_signed(t);
                let form = self.form(t, signed);
                let (low, high) = self.reading(t, signed);
                self.facts.push(Fact { form, low, high, is_not_zero: false });
            }
        }
    }

    /// Solves equations, and substitutes the solutions in all facts. `None` for a contradiction.
    fn solve(&mut self) -> Option<()> {
        let mut at = 0;
        while at < self.facts.len() {
            let fact = &self.facts[at];
            at += 1;
            if (fact.low, fact.high) != (0, 0) {
                continue;
            }
            if fact.form.terms.is_empty() {
                if fact.form.constant != 0 {
                    return None;
                }
                continue;
            }
            // The latest atom: one defined by others, rather than one of these.
            let Some(&(a, k)) = fact.form.terms.iter().rev().find(|t| t.1.abs() == 1) else {
                continue;
            };
            let Some(value) = Form::atom(a).plus(-k, &fact.form) else { continue };
            let put = |form: &Form| match form.coefficient(a) {
                0 => Some(form.clone()),
                n => form.plus(-n, &Form::atom(a))?.plus(n, &value),
            };
            let given: Option<FxHashMap<Atom, Form>> =
                self.solved.iter().map(|(b, form)| Some((*b, put(form)?))).collect();
            let Some(given) = given else { continue };
            self.solved = given;
            // A fact in which the substitution fails is dropped.
            self.facts.retain_mut(|f| put(&f.form).map(|form| f.form = form).is_some());
            self.solved.insert(a, value);
            at = 0;
        }
        Some(())
    }

    /// Bounds of all sums that occur. `None` where the bounds of one are contradictory.
    fn sums(&mut self) -> Option<Sums> {
        let mut out = Sums::default();
        for fact in &self.facts {
            if fact.form.terms.is_empty() {
                let c = fact.form.constant;
                if c < fact.low || c > fact.high || (fact.is_not_zero && c == 0) {
                    return None;
                }
                continue;
            }
            let (sum, by) = primitive(&fact.form);
            let (low, high) = self.interval(&Form { constant: 0, terms: sum.clone() });
            let own = out.entry(sum).or_insert(Bounds { low, high, without: Vec::new() });
            let c = fact.form.constant;
            // low <= by * sum + c <= high
            let (low, high) = (fact.low - c, fact.high - c);
            let (low, high) = if by > 0 { (low, high) } else { (-high, -low) };
            own.low = own.low.max(-(-low).div_euclid(by.abs()));
            own.high = own.high.min(high.div_euclid(by.abs()));
            if fact.is_not_zero && c % by == 0 {
                own.without.push(-c / by);
            }
        }
        for (sum, own) in &mut out {
            own.without.sort_unstable();
            for &v in &own.without {
                own.low += i128::from(own.low == v);
            }
            for &v in own.without.iter().rev() {
                own.high -= i128::from(own.high == v);
            }
            if own.low > own.high {
                return None;
            }
            if let [(a, 1)] = sum[..] {
                self.bounds[a as usize] = (own.low, own.high);
            }
        }
        Some(out)
    }

    /// The truth value of a comparison, if the bounds of the difference of its sides decide it.
    fn comes_to(&mut self, op: Bin, a: At, b: At, sums: &Sums) -> Option<bool> {
        if op == Bin::Eq {
            let half = self.lower(a, b);
            if self.is_odd(a, b) || half.is_some_and(|d| self.is_zero(d, sums) == Some(false)) {
                return Some(false);
            }
            let form = self.sides(op, a, b)?;
            return self.is_zero(form, sums);
        }
        let form = self.sides(op, a, b)?;
        match self.bounded(form, sums)? {
            (_, high, _) if high < 0 => Some(true),
            (low, ..) if low >= 0 => Some(false),
            _ => None,
        }
    }

    fn is_zero(&self, form: Form, sums: &Sums) -> Option<bool> {
        match self.bounded(form, sums)? {
            (_, _, true) => Some(false),
            (low, high, _) if low > 0 || high < 0 => Some(false),
            (0, 0, _) => Some(true),
            _ => None,
        }
    }

    /// Bounds of a sum, and whether it is known not to be zero.
    fn bounded(&self, form: Form, sums: &Sums) -> Option<(i128, i128, bool)> {
        let form = self.put(form)?;
        let (mut low, mut high) = self.interval(&form);
        if form.terms.is_empty() {
            return Some((low, high, false));
        }
        let (sum, by) = primitive(&form);
        let root = (form.constant % by == 0).then_some(-form.constant / by);
        let mut is_not_zero = root.is_none();
        if let Some(own) = sums.get(&sum) {
            let (x, y) = (by.checked_mul(own.low)?, by.checked_mul(own.high)?);
            low = low.max(x.min(y).checked_add(form.constant)?);
            high = high.min(x.max(y).checked_add(form.constant)?);
            is_not_zero |= root.is_some_and(|v| own.without.contains(&v));
        }
        Some((low, high, is_not_zero))
    }

    /// A sum with solved atoms substituted, for a sum built before they were solved.
    fn put(&self, form: Form) -> Option<Form> {
        let mut out = Form::constant(form.constant);
        for &(a, k) in &form.terms {
            out = match self.solved.get(&a) {
                Some(value) => out.plus(k, value)?,
                None => out.plus(k, &Form::atom(a))?,
            };
        }
        Some(out)
    }
}

/// The atoms of a non-constant sum, divided by their common divisor such that the first coefficient is positive; and
/// that divisor.
fn primitive(form: &Form) -> (Vec<(Atom, i128)>, i128) {
    let shared = form.terms.iter().fold(0, |g, t| gcd(g, t.1));
    let by = if form.terms.first().is_some_and(|t| t.1 < 0) { -shared } else { shared };
    (form.terms.iter().map(|&(a, k)| (a, k / by)).collect(), by)
}
