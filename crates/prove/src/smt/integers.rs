//! Terms as integers: the second translation for the solver.
//!
//! Bit-vectors are exact, but the solver bit-blasts them, and a product of 64 bits takes some thousand gates; queries
//! about the rows and columns of a matrix, or a loop's stride against a tile, become too large. Over the integers the
//! same query is a few linear equations. So every term is also translated to an integer that is congruent to its value
//! modulo its width, with an interval that bounds it. Sums, products and selections stay as they are. Only where an
//! operation depends on the value itself (a comparison, a division, an extension) is it reduced to the range of the
//! width: `v = u + 2^w q`, with `q` left out where the intervals leave one choice. So overflow is modelled exactly, and
//! costs something only where it can happen.
//!
//! An operation without a good form over the integers (most of `&`, `|`, `^` of unknowns) becomes a new unknown with
//! its known bounds. That is weaker than the term, so `unsat` is still a proof; a model only counts once the conditions
//! themselves have been evaluated under it ([`crate::decide::solve`]), as for bit-vectors.

use std::ffi::{CStr, CString, c_uint};
use std::ptr::null_mut;

use rustc_hash::FxHashMap;

use crate::smt::z3::{Language, symbol};
use crate::smt::z3_api::{
    Ast, Context, FuncDecl, Model, Sort, Z3_get_bool_value, Z3_get_numeral_string, Z3_mk_add,
    Z3_mk_and, Z3_mk_app, Z3_mk_bool_sort, Z3_mk_const, Z3_mk_div, Z3_mk_eq, Z3_mk_false,
    Z3_mk_func_decl, Z3_mk_int_sort, Z3_mk_ite, Z3_mk_le, Z3_mk_lt, Z3_mk_mod, Z3_mk_mul,
    Z3_mk_not, Z3_mk_numeral, Z3_mk_or, Z3_mk_true, Z3_mk_xor, Z3_model_eval,
};
use crate::term::walk::children;
use crate::term::{Bin, FnId, Node, Pool, T, mask, sign_extend};

/// An integer with a larger bound is reduced to the range of its width before it is used.
const WIDE: i128 = 1 << 100;

/// Maximum number of cases of a shift by an unknown amount.
const SHIFTS: u64 = 64;

/// Maximum number of runs of ones in a mask.
const RUNS: usize = 4;

/// An integer and an interval that it is in.
#[derive(Clone, Copy)]
struct Int {
    ast: Ast,
    lo: i128,
    hi: i128,
}

pub(crate) struct Integers<'a> {
    c: Context,
    pool: &'a Pool,
    sort: Sort,
    booleans: FxHashMap<T, Ast>,
    /// Congruent to the term modulo its width.
    values: FxHashMap<T, Int>,
    unsigned: FxHashMap<T, Int>,
    signed: FxHashMap<T, Int>,
    fns: FxHashMap<(FnId, u32), FuncDecl>,
    /// The definitions of the unknowns that were introduced.
    definitions: Vec<Ast>,
    unknowns: u32,
    products: bool,
}

impl<'a> Integers<'a> {
    pub(crate) unsafe fn new(c: Context, pool: &'a Pool) -> Integers<'a> {
        Integers {
            c,
            pool,
            // SAFETY: the context is alive, and all terms are of it.
            sort: unsafe { Z3_mk_int_sort(c) },
            booleans: FxHashMap::default(),
            values: FxHashMap::default(),
            unsigned: FxHashMap::default(),
            signed: FxHashMap::default(),
            fns: FxHashMap::default(),
            definitions: Vec::new(),
            unknowns: 0,
            products: false,
        }
    }

    // ---- integers of the solver ----

    fn number(&self, n: i128) -> Ast {
        let digits = CString::new(n.to_string()).expect("digits");
        // SAFETY: the context is alive as long as this translation, and every term made in it.
        unsafe { Z3_mk_numeral(self.c, digits.as_ptr(), self.sort) }
    }

    fn constant(&self, n: i128) -> Int {
        Int { ast: self.number(n), lo: n, hi: n }
    }

    fn add(&self, a: Ast, b: Ast) -> Ast {
        // SAFETY: the context is alive, and all terms are of it.
        unsafe { Z3_mk_add(self.c, 2, [a, b].as_ptr()) }
    }

    fn times(&self, k: i128, a: Ast) -> Ast {
        if k == 1 {
            return a;
        }
        // SAFETY: the context is alive, and all terms are of it.
        unsafe { Z3_mk_mul(self.c, 2, [self.number(k), a].as_ptr()) }
    }

    fn shifted(&self, v: Int, by: i128) -> Int {
        if by == 0 {
            return v;
        }
        Int { ast: self.add(v.ast, self.number(by)), lo: v.lo + by, hi: v.hi + by }
    }

    fn choose(&self, c: Ast, a: Int, b: Int) -> Int {
        // SAFETY: the context is alive, and all terms are of it.
        let ast = unsafe { Z3_mk_ite(self.c, c, a.ast, b.ast) };
        Int { ast, lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) }
    }

    /// The quotient by a positive number, rounded down.
    fn quotient(&self, a: Int, k: i128) -> Int {
        if k == 1 {
            return a;
        }
        // SAFETY: the context is alive, and all terms are of it.
        let ast = unsafe { Z3_mk_div(self.c, a.ast, self.number(k)) };
        Int { ast, lo: a.lo.div_euclid(k), hi: a.hi.div_euclid(k) }
    }

    /// The remainder of the same division.
    fn remainder(&self, a: Int, k: i128) -> Int {
        if a.lo >= 0 && a.hi < k {
            return a;
        }
        // SAFETY: the context is alive, and all terms are of it.
        Int { ast: unsafe { Z3_mk_mod(self.c, a.ast, self.number(k)) }, lo: 0, hi: k - 1 }
    }

    /// A new unknown within bounds.
    fn unknown(&mut self, lo: i128, hi: i128) -> Int {
        if lo == hi {
            return self.constant(lo);
        }
        self.unknowns += 1;
        // SAFETY: the context is alive, and all terms are of it.
        let ast = unsafe {
            Z3_mk_const(self.c, symbol(self.c, &format!("k{}", self.unknowns)), self.sort)
        };
        let v = Int { ast, lo, hi };
        self.bound(v);
        v
    }

    fn bound(&mut self, v: Int) {
        // SAFETY: the context is alive, and all terms are of it.
        unsafe {
            self.definitions.push(Z3_mk_le(self.c, self.number(v.lo), v.ast));
            self.definitions.push(Z3_mk_le(self.c, v.ast, self.number(v.hi)));
        }
    }

    /// The integer in `lo..=hi`, an interval no larger than the modulus, that is congruent to `v`.
    fn reduced(&mut self, v: Int, width: u32, lo: i128, hi: i128) -> Int {
        let m = 1i128 << width;
        let least = -(hi - v.lo).div_euclid(m);
        let most = (v.hi - lo).div_euclid(m);
        if least == most {
            let u = self.shifted(v, -m * least);
            return Int { ast: u.ast, lo: u.lo.max(lo), hi: u.hi.min(hi) };
        }
        let u = self.unknown(lo, hi);
        if least < most {
            let q = self.unknown(least, most);
            let wrapped = self.add(u.ast, self.times(m, q.ast));
            // SAFETY: the context is alive, and all terms are of it.
            self.definitions.push(unsafe { Z3_mk_eq(self.c, v.ast, wrapped) });
        }
        u
    }

    // ---- readings of terms that have been translated ----

    fn value(&self, t: T) -> Int {
        if self.pool.width(t) == 1 {
            return self.choose(self.booleans[&t], self.constant(1), self.constant(0));
        }
        self.values[&t]
    }

    fn unsigned(&mut self, t: T) -> Int {
        if let Some(&v) = self.unsigned.get(&t) {
            return v;
        }
        let (w, r) = (self.pool.width(t), self.pool.range(t));
        let v = self.reduced(self.value(t), w, i128::from(r.ulo), i128::from(r.uhi));
        self.unsigned.insert(t, v);
        v
    }

    fn signed(&mut self, t: T) -> Int {
        if let Some(&v) = self.signed.get(&t) {
            return v;
        }
        let (w, r) = (self.pool.width(t), self.pool.range(t));
        let v = self.reduced(self.value(t), w, i128::from(r.slo), i128::from(r.shi));
        self.signed.insert(t, v);
        v
    }

    /// The reading with the tighter interval.
    fn tight(&mut self, t: T) -> Int {
        if self.pool.reads_signed(t) { self.signed(t) } else { self.unsigned(t) }
    }

    // ---- translation ----

    fn translate(&mut self, root: T) {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.is_done(t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            children(self.pool.node(t), |c| {
                if !self.is_done(c) {
                    stack.push(c);
                }
            });
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if self.pool.width(t) == 1 {
                let ast = self.condition(t);
                self.booleans.insert(t, ast);
            } else {
                let v = self.integer(t);
                self.values.insert(t, v);
            }
        }
    }

    fn is_done(&self, t: T) -> bool {
        self.booleans.contains_key(&t) || self.values.contains_key(&t)
    }

    fn truth(&self, value: bool) -> Ast {
        // SAFETY: the context is alive, and all terms are of it.
        unsafe { if value { Z3_mk_true(self.c) } else { Z3_mk_false(self.c) } }
    }

    fn condition(&mut self, t: T) -> Ast {
        let c = self.c;
        match *self.pool.node(t) {
            Node::Const(v) => self.truth(v == 1),
            Node::App(f, ref args) => self.application(f, args, t),
            Node::Ite(i, a, b) => {
                let parts = [i, a, b].map(|t| self.booleans[&t]);
                // SAFETY: the context is alive, and all terms are of it.
                unsafe { Z3_mk_ite(c, parts[0], parts[1], parts[2]) }
            }
            Node::Bin(op, a, b) if self.pool.width(a) == 1 => {
                let (x, y) = (self.booleans[&a], self.booleans[&b]);
                self.connective(op, x, y)
            }
            Node::Bin(Bin::Eq, a, b) => self.equal(a, b),
            Node::Bin(Bin::Ult, a, b) => {
                let (x, y) = (self.unsigned(a), self.unsigned(b));
                self.less(x, y)
            }
            Node::Bin(Bin::Slt, a, b) => {
                let (x, y) = (self.signed(a), self.signed(b));
                self.less(x, y)
            }
            Node::Trunc(a) => {
                let v = self.value(a);
                let last = self.remainder(v, 2);
                // SAFETY: the context is alive, and all terms are of it.
                unsafe { Z3_mk_eq(c, last.ast, self.number(1)) }
            }
            // A variable, or a sum of single bits, without a better form.
            _ => {
                self.unknowns += 1;
                // SAFETY: the context is alive, and all terms are of it.
                unsafe {
                    let name = symbol(c, &format!("b{}", self.unknowns));
                    Z3_mk_const(c, name, Z3_mk_bool_sort(c))
                }
            }
        }
    }

    fn connective(&self, op: Bin, x: Ast, y: Ast) -> Ast {
        let c = self.c;
        // SAFETY: as for every term here.
        unsafe {
            match op {
                Bin::And | Bin::Mul => Z3_mk_and(c, 2, [x, y].as_ptr()),
                Bin::Or => Z3_mk_or(c, 2, [x, y].as_ptr()),
                Bin::Xor => Z3_mk_xor(c, x, y),
                Bin::Eq => Z3_mk_eq(c, x, y),
                Bin::Ult => Z3_mk_and(c, 2, [Z3_mk_not(c, x), y].as_ptr()),
                Bin::Slt => Z3_mk_and(c, 2, [x, Z3_mk_not(c, y)].as_ptr()),
                // `x / 1`, and `x / 0` (all ones); the remainder by zero is the dividend.
                Bin::UDiv => Z3_mk_or(c, 2, [x, Z3_mk_not(c, y)].as_ptr()),
                Bin::SDiv => Z3_mk_or(c, 2, [x, Z3_mk_not(c, y)].as_ptr()),
                Bin::URem | Bin::SRem | Bin::Shl | Bin::LShr => {
                    Z3_mk_and(c, 2, [x, Z3_mk_not(c, y)].as_ptr())
                }
                Bin::AShr => x,
            }
        }
    }

    fn less(&self, x: Int, y: Int) -> Ast {
        if x.hi < y.lo || x.lo >= y.hi {
            return self.truth(x.hi < y.lo);
        }
        // SAFETY: the context is alive, and all terms are of it.
        unsafe { Z3_mk_lt(self.c, x.ast, y.ast) }
    }

    fn equal(&mut self, a: T, b: T) -> Ast {
        let (x, y) = (self.value(a), self.value(b));
        let m = 1i128 << self.pool.width(a);
        // Their difference cannot be another multiple of the modulus.
        let (x, y) = if x.lo - y.hi > -m && x.hi - y.lo < m {
            (x, y)
        } else if self.pool.reads_signed(a) || self.pool.reads_signed(b) {
            (self.signed(a), self.signed(b))
        } else {
            (self.unsigned(a), self.unsigned(b))
        };
        // SAFETY: the context is alive, and all terms are of it.
        unsafe { Z3_mk_eq(self.c, x.ast, y.ast) }
    }

    /// A function applied to the values of its arguments.
    fn application(&mut self, f: FnId, args: &[T], t: T) -> Ast {
        let asts: Vec<Ast> = args.iter().map(|&a| self.unsigned(a).ast).collect();
        let w = self.pool.width(t);
        let c = self.c;
        // SAFETY: as for every term here; the number of sorts and arguments is as declared.
        unsafe {
            let sorts = vec![self.sort; args.len()];
            let range = if w == 1 { Z3_mk_bool_sort(c) } else { self.sort };
            let decl = *self.fns.entry((f, w)).or_insert_with(|| {
                let name = symbol(c, &format!("f{}w{w}", f.0));
                Z3_mk_func_decl(c, name, sorts.len() as c_uint, sorts.as_ptr(), range)
            });
            Z3_mk_app(c, decl, asts.len() as c_uint, asts.as_ptr())
        }
    }

    fn integer(&mut self, t: T) -> Int {
        let w = self.pool.width(t);
        let r = self.pool.range(t);
        let (lo, hi) = (i128::from(r.ulo), i128::from(r.uhi));
        match *self.pool.node(t) {
            Node::Const(v) => self.constant(i128::from(v)),
            Node::Var(_) => self.unknown(lo, hi),
            Node::App(f, ref args) => {
                let ast = self.application(f, args, t);
                let v = Int { ast, lo, hi };
                self.bound(v);
                v
            }
            Node::Lin(constant, ref terms) => {
                self.sum(constant, terms, w).unwrap_or_else(|| self.unknown(lo, hi))
            }
            Node::Ite(i, a, b) => self.choose(self.booleans[&i], self.value(a), self.value(b)),
            Node::ZExt(a) => self.unsigned(a),
            Node::SExt(a) => self.signed(a),
            Node::Trunc(a) => self.value(a),
            Node::Bin(op, a, b) => {
                self.operation(op, a, b, w).unwrap_or_else(|| self.unknown(lo, hi))
            }
        }
    }

    fn sum(&mut self, constant: u64, terms: &[(T, u64)], w: u32) -> Option<Int> {
        let mut sum = self.constant(i128::from(sign_extend(constant, w)));
        for &(atom, k) in terms {
            let k = i128::from(sign_extend(k, w));
            let mut v = self.value(atom);
            if v.lo < -WIDE || v.hi > WIDE {
                v = self.tight(atom);
            }
            let (x, y) = (v.lo.checked_mul(k)?, v.hi.checked_mul(k)?);
            let part = Int { ast: self.times(k, v.ast), lo: x.min(y), hi: x.max(y) };
            sum = if sum.lo == 0 && sum.hi == 0 {
                part
            } else {
                Int {
                    ast: self.add(sum.ast, part.ast),
                    lo: sum.lo.checked_add(part.lo)?,
                    hi: sum.hi.checked_add(part.hi)?,
                }
            };
        }
        Some(sum)
    }

    /// `None` where there is no good form over the integers.
    fn operation(&mut self, op: Bin, a: T, b: T, w: u32) -> Option<Int> {
        match op {
            Bin::Mul => {
                let (x, y) = (self.tight(a), self.tight(b));
                let ends = [
                    x.lo.checked_mul(y.lo)?,
                    x.lo.checked_mul(y.hi)?,
                    x.hi.checked_mul(y.lo)?,
                    x.hi.checked_mul(y.hi)?,
                ];
                self.products |= x.lo != x.hi && y.lo != y.hi;
                // SAFETY: the context is alive, and all terms are of it.
                let ast = unsafe { Z3_mk_mul(self.c, 2, [x.ast, y.ast].as_ptr()) };
                let (lo, hi) = (ends.into_iter().min()?, ends.into_iter().max()?);
                Some(Int { ast, lo, hi })
            }
            Bin::UDiv | Bin::URem => {
                let (x, y) = (self.unsigned(a), self.unsigned(b));
                Some(self.division(op == Bin::UDiv, x, y, i128::from(mask(w))))
            }
            Bin::SDiv | Bin::SRem => {
                let (x, y) = (self.signed(a), self.signed(b));
                if y.lo < 0 {
                    return None;
                }
                // Rounded towards zero: divide the absolute value.
                let negative = self.less(x, self.constant(0));
                let minus = Int { ast: self.times(-1, x.ast), lo: -x.hi, hi: -x.lo };
                let magnitude = if x.lo >= 0 { x } else { self.choose(negative, minus, x) };
                let magnitude = Int { lo: magnitude.lo.max(0), hi: x.hi.max(-x.lo), ..magnitude };
                if y.lo == 0 {
                    return (x.lo >= 0).then(|| self.division(op == Bin::SDiv, x, y, -1));
                }
                let v = self.division(op == Bin::SDiv, magnitude, y, -1);
                if x.lo >= 0 {
                    return Some(v);
                }
                let minus = Int { ast: self.times(-1, v.ast), lo: -v.hi, hi: -v.lo };
                Some(self.choose(negative, minus, v))
            }
            Bin::And => self.masked(a, b).or_else(|| {
                let (x, y) = (self.unsigned(a), self.unsigned(b));
                let v = self.unknown(0, x.hi.min(y.hi));
                self.at_most(v, x);
                self.at_most(v, y);
                Some(v)
            }),
            Bin::Or | Bin::Xor => Some(self.joined(op, a, b, w)),
            Bin::Shl | Bin::LShr | Bin::AShr => self.shift(op, a, b, w),
            Bin::Eq | Bin::Ult | Bin::Slt => None,
        }
    }

    /// Quotient or remainder of non-negative numbers; the quotient by zero is `ones`.
    fn division(&mut self, quotient: bool, x: Int, y: Int, ones: i128) -> Int {
        let v = if y.lo == y.hi && y.lo > 0 {
            return if quotient { self.quotient(x, y.lo) } else { self.remainder(x, y.lo) };
        } else if quotient {
            // SAFETY: the context is alive, and all terms are of it.
            let ast = unsafe { Z3_mk_div(self.c, x.ast, y.ast) };
            Int { ast, lo: 0, hi: x.hi }
        } else {
            // SAFETY: the context is alive, and all terms are of it.
            let ast = unsafe { Z3_mk_mod(self.c, x.ast, y.ast) };
            Int { ast, lo: 0, hi: x.hi.min((y.hi - 1).max(0)) }
        };
        self.products = true;
        if y.lo > 0 {
            return v;
        }
        // SAFETY: the context is alive, and all terms are of it.
        let zero = unsafe { Z3_mk_eq(self.c, y.ast, self.number(0)) };
        let otherwise = if quotient { self.constant(ones) } else { x };
        self.choose(zero, otherwise, v)
    }

    fn at_most(&mut self, v: Int, x: Int) {
        // SAFETY: the context is alive, and all terms are of it.
        self.definitions.push(unsafe { Z3_mk_le(self.c, v.ast, x.ast) });
    }

    /// `a & constant`, for each run of ones in the constant.
    fn masked(&mut self, a: T, b: T) -> Option<Int> {
        let (x, m) = match (self.pool.as_const(a), self.pool.as_const(b)) {
            (_, Some(m)) => (self.unsigned(a), m),
            (Some(m), _) => (self.unsigned(b), m),
            _ => return None,
        };
        let mut out: Option<Int> = None;
        let mut rest = m;
        for _ in 0..RUNS {
            if rest == 0 {
                break;
            }
            let from = rest.trailing_zeros();
            let ones = (rest >> from).trailing_ones();
            let to = from + ones;
            rest = if to >= 64 { 0 } else { rest >> to << to };
            let high = self.remainder(x, 1i128 << to);
            let low = self.remainder(x, 1i128 << from);
            let part = if from == 0 {
                high
            } else {
                let ast = self.add(high.ast, self.times(-1, low.ast));
                Int { ast, lo: 0, hi: high.hi }
            };
            out = Some(match out {
                None => part,
                Some(o) => {
                    Int { ast: self.add(o.ast, part.ast), lo: 0, hi: (o.hi + part.hi).min(x.hi) }
                }
            });
        }
        if rest != 0 {
            return None;
        }
        out
    }

    /// `a | b` and `a ^ b`: the sum where no bit is set in both.
    fn joined(&mut self, op: Bin, a: T, b: T, w: u32) -> Int {
        let (x, y) = (self.unsigned(a), self.unsigned(b));
        let apart = |p: Int, q: T| p.hi < 1i128 << self.zeros(q);
        let together = self.add(x.ast, y.ast);
        let sum = Int { ast: together, lo: x.lo + y.lo, hi: x.hi + y.hi };
        if apart(x, b) || apart(y, a) {
            return sum;
        }
        if op == Bin::Xor && (x.lo == x.hi || y.lo == y.hi) {
            let (k, v) = if x.lo == x.hi { (x.lo, y) } else { (y.lo, x) };
            if k == i128::from(mask(w)) {
                let minus = Int { ast: self.times(-1, v.ast), lo: -v.hi, hi: -v.lo };
                return self.shifted(minus, k);
            }
        }
        let v = self.unknown(0, sum.hi.min(i128::from(mask(w))));
        self.at_most(v, sum);
        if op == Bin::Or {
            self.at_most(x, v);
            self.at_most(y, v);
        }
        v
    }

    /// The number of trailing zero bits that every value of a term has.
    fn zeros(&self, t: T) -> u32 {
        let w = self.pool.width(t);
        let own = match *self.pool.node(t) {
            Node::Const(v) => v.trailing_zeros(),
            Node::Lin(constant, ref terms) => terms
                .iter()
                .map(|&(a, k)| k.trailing_zeros() + self.zeros(a))
                .fold(constant.trailing_zeros(), u32::min),
            Node::Bin(Bin::Mul, a, b) => self.zeros(a) + self.zeros(b),
            Node::Bin(Bin::And, a, b) => self.zeros(a).max(self.zeros(b)),
            Node::Bin(Bin::Or | Bin::Xor, a, b) => self.zeros(a).min(self.zeros(b)),
            Node::Ite(_, a, b) => self.zeros(a).min(self.zeros(b)),
            Node::ZExt(a) | Node::SExt(a) if self.zeros(a) < self.pool.width(a) => self.zeros(a),
            Node::Trunc(a) => self.zeros(a),
            _ => 0,
        };
        own.min(w)
    }

    fn shift(&mut self, op: Bin, a: T, b: T, w: u32) -> Option<Int> {
        let x = if op == Bin::AShr { self.signed(a) } else { self.unsigned(a) };
        let amount = self.unsigned(b);
        let last = amount.hi.min(i128::from(w) - 1);
        if last - amount.lo >= i128::from(SHIFTS) {
            return None;
        }
        let by = |it: &Self, k: i128| -> Option<Int> {
            let factor = 1i128 << k;
            Some(match op {
                Bin::Shl => Int {
                    ast: it.times(factor, x.ast),
                    lo: x.lo.checked_mul(factor)?,
                    hi: x.hi.checked_mul(factor)?,
                },
                _ => it.quotient(x, factor),
            })
        };
        // A shift by the width or more gives zero, or the sign.
        let beyond = match op {
            Bin::AShr => self.quotient(x, 1i128 << (w - 1)),
            _ => self.constant(0),
        };
        let mut out = if amount.hi >= i128::from(w) { Some(beyond) } else { None };
        for k in (amount.lo..=last).rev() {
            let one = by(self, k)?;
            out = Some(match out {
                None => one,
                Some(rest) => {
                    // SAFETY: the context is alive, and all terms are of it.
                    let is = unsafe { Z3_mk_eq(self.c, amount.ast, self.number(k)) };
                    self.choose(is, one, rest)
                }
            });
        }
        out
    }
}

impl Language for Integers<'_> {
    unsafe fn assertion(&mut self, t: T) -> Ast {
        self.translate(t);
        self.booleans[&t]
    }

    fn definitions(&mut self) -> Vec<Ast> {
        std::mem::take(&mut self.definitions)
    }

    /// Products of unknowns take the solver longer as integers than as bit-vectors.
    fn is_worth_asking(&self) -> bool {
        !self.products
    }

    unsafe fn value_in(&self, m: Model, t: T) -> Option<u64> {
        let mut v: Ast = null_mut();
        let w = self.pool.width(t);
        let ast = match w {
            1 => *self.booleans.get(&t)?,
            _ => self.values.get(&t)?.ast,
        };
        // SAFETY: the model is of this context.
        unsafe {
            if !Z3_model_eval(self.c, m, ast, true, &raw mut v) || v.is_null() {
                return None;
            }
            if w == 1 {
                return match Z3_get_bool_value(self.c, v) {
                    1 => Some(1),
                    -1 => Some(0),
                    _ => None,
                };
            }
            let digits = Z3_get_numeral_string(self.c, v);
            if digits.is_null() {
                return None;
            }
            let n: i128 = CStr::from_ptr(digits).to_str().ok()?.parse().ok()?;
            Some(n as u64 & mask(w))
        }
    }
}
