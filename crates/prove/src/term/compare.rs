//! Constructors of comparisons, with arithmetic rewriting ([`crate::term::simplify`] explains why it is correct).

use crate::term::simplify::masked;
use crate::term::{Bin, Node, Pool, T, bits_for, gcd, mask, sign_extend, smax, smin};

impl Pool {
    pub(crate) fn implies(&mut self, a: T, b: T) -> T {
        let n = self.not(a);
        self.or(n, b)
    }

    pub(super) fn new_eq(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        assert_eq!(w, self.width(b));
        if a == b {
            return self.truth(true);
        }
        let (ra, rb) = (self.range(a), self.range(b));
        if ra.uhi < rb.ulo || rb.uhi < ra.ulo || ra.shi < rb.slo || rb.shi < ra.slo {
            return self.truth(false);
        }
        if w == 1 {
            for (x, y) in [(a, b), (b, a)] {
                match self.as_const(x) {
                    Some(1) => return y,
                    Some(_) => return self.not(y),
                    None => {}
                }
            }
            if self.negation_of(a) == Some(b) || self.negation_of(b) == Some(a) {
                return self.truth(false);
            }
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            return self.intern(Node::Bin(Bin::Eq, a, b), 1);
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Some(c) = self.as_const(x)
                && let Node::Ite(cond, p, q) = *self.node(y)
                && (self.as_const(p).is_some() || self.as_const(q).is_some())
            {
                let c = self.constant(c, w);
                let (p, q) = (self.eq(p, c), self.eq(q, c));
                return self.ite(cond, p, q);
            }
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::ZExt(x), Node::ZExt(y)) | (Node::SExt(x), Node::SExt(y))
                if self.width(x) == self.width(y) =>
            {
                return self.eq(x, y);
            }
            // Values that truncation does not change are compared untruncated.
            (Node::Trunc(x), Node::Trunc(y))
                if self.width(x) == self.width(y)
                    && self.range(x).uhi.max(self.range(y).uhi) <= mask(w) =>
            {
                return self.eq(x, y);
            }
            // With one common operand, the results are equal iff the other operands are.
            (Node::Bin(Bin::Xor, p, q), Node::Bin(Bin::Xor, x, y)) => {
                for (p, q) in [(p, q), (q, p)] {
                    for (x, y) in [(x, y), (y, x)] {
                        if p == x {
                            return self.eq(q, y);
                        }
                    }
                }
            }
            _ => {}
        }
        let difference = self.sub(a, b);
        let (c, terms) = self.lin_parts(difference);
        if terms.is_empty() {
            return self.truth(c == 0);
        }
        self.lin_is_zero(c, terms, w)
    }

    /// Whether a sum is zero, modulo the width.
    fn lin_is_zero(&mut self, c: u64, terms: Vec<(T, u64)>, w: u32) -> T {
        let (lo, hi) = self.lin_interval(c, &terms, w);
        let modulus = 1i128 << w;
        let first = lo.div_euclid(modulus) * modulus;
        let first = if first < lo { first + modulus } else { first };
        if first > hi {
            return self.truth(false);
        }
        if first == 0 && modulus > hi {
            return self.integer_is_zero(c, terms, w);
        }
        // Modulo a power of two, only common powers of two of the coefficients give information.
        let twos = terms.iter().map(|(_, k)| k.trailing_zeros()).min().unwrap_or(0);
        if c != 0 && c.trailing_zeros() < twos {
            return self.truth(false);
        }
        self.raw_lin_eq(c, &terms, w)
    }

    /// The same, where the sum as an integer cannot reach another multiple of the modulus.
    fn integer_is_zero(&mut self, c: u64, terms: Vec<(T, u64)>, w: u32) -> T {
        let signed: Vec<(T, i128)> =
            terms.iter().map(|&(a, k)| (a, i128::from(sign_extend(k, w)))).collect();
        let constant = i128::from(sign_extend(c, w));
        let g = signed.iter().fold(0i128, |g, (_, k)| gcd(g, *k));
        if constant % g != 0 {
            return self.truth(false);
        }
        let constant = constant / g;
        let mut signed: Vec<(T, i128)> = signed.into_iter().map(|(a, k)| (a, k / g)).collect();
        // Mixed radix: if the small terms together can equal only one multiple of the large terms' common factor (minus
        // the constant), each part must have that value by itself.
        signed.sort_by_key(|(_, k)| k.abs());
        for cut in 1..signed.len() {
            let big = signed[cut..].iter().fold(0i128, |g, (_, k)| gcd(g, *k));
            let (mut lo, mut hi) = (0i128, 0i128);
            for &(a, k) in &signed[..cut] {
                let (alo, ahi) = self.atom_interval(a);
                lo += if k >= 0 { k * alo } else { k * ahi };
                hi += if k >= 0 { k * ahi } else { k * alo };
            }
            // The small part is congruent to minus the constant: its value is known only if its interval contains one
            // such number.
            let value = lo + (-constant - lo).rem_euclid(big);
            if value > hi {
                return self.truth(false);
            }
            if value + big <= hi {
                continue;
            }
            let rest = -value;
            let part = |terms: &[(T, i128)]| -> Vec<(T, u64)> {
                terms.iter().map(|&(a, k)| (a, k as u64)).collect()
            };
            let (small, large) =
                (masked(&part(&signed[..cut]), w), masked(&part(&signed[cut..]), w));
            let first = self.lin_is_zero(rest as u64 & mask(w), small, w);
            let second = self.lin_is_zero((constant - rest) as u64 & mask(w), large, w);
            return self.and(first, second);
        }
        signed.sort_by_key(|(a, _)| *a);
        self.narrow_relation(Bin::Eq, constant, &signed).unwrap_or_else(|| {
            let raw: Vec<(T, u64)> = signed.iter().map(|&(a, k)| (a, k as u64 & mask(w))).collect();
            self.raw_lin_eq(constant as u64 & mask(w), &raw, w)
        })
    }

    /// `constant + terms  (== or <)  0` over the integers, written with only as many bits as it needs: positive terms
    /// on one side, negative ones on the other. `<` is for [`Pool::ult`] and [`Pool::slt`]. `None` where an atom may be
    /// negative, or where 64 bits are too few.
    fn narrow_relation(&mut self, op: Bin, constant: i128, terms: &[(T, i128)]) -> Option<T> {
        let mut most = [constant.max(0), (-constant).max(0)];
        for &(a, k) in terms {
            let (low, high) = self.atom_interval(a);
            if low < 0 {
                return None;
            }
            most[usize::from(k < 0)] += k.abs() * high;
        }
        let narrow = bits_for(u64::try_from(most[0].max(most[1])).ok()?);
        let mut sides = [Vec::new(), Vec::new()];
        for &(a, k) in terms {
            let t = self.resize(a, narrow);
            sides[usize::from(k < 0)].push((t, k.unsigned_abs() as u64));
        }
        let a = self.sum(constant.max(0) as u64, &sides[0], narrow);
        let b = self.sum((-constant).max(0) as u64, &sides[1], narrow);
        Some(self.raw_compare(op, a, b))
    }

    fn raw_compare(&mut self, op: Bin, a: T, b: T) -> T {
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.truth(if op == Bin::Eq { x == y } else { x < y });
        }
        if op == Bin::Eq && self.width(a) == 1 {
            return self.eq(a, b);
        }
        if op == Bin::Eq
            && let Some(t) = self.below_extensions(a, b)
        {
            return t;
        }
        let (a, b) = if op == Bin::Eq && b < a { (b, a) } else { (a, b) };
        self.intern(Node::Bin(op, a, b), 1)
    }

    /// `sum == 0` written as an equation with the atom with the highest number alone on one side where possible.
    fn raw_lin_eq(&mut self, c: u64, terms: &[(T, u64)], w: u32) -> T {
        let alone = terms.iter().rposition(|(_, k)| *k == 1 || *k == mask(w)).unwrap_or(0);
        let (atom, k) = terms[alone];
        let rest: Vec<(T, u64)> =
            terms.iter().enumerate().filter(|(i, _)| *i != alone).map(|(_, t)| *t).collect();
        // k*atom + rest + c == 0.
        let (left, right) = if k == 1 {
            let negated: Vec<(T, u64)> = rest.iter().map(|(t, k)| (*t, k.wrapping_neg())).collect();
            (atom, self.sum(c.wrapping_neg(), &negated, w))
        } else if k == mask(w) {
            (atom, self.sum(c, &rest, w))
        } else {
            let negated: Vec<(T, u64)> = rest.iter().map(|(t, k)| (*t, k.wrapping_neg())).collect();
            (self.scale(atom, k), self.sum(c.wrapping_neg(), &negated, w))
        };
        if let Some(t) = self.below_extensions(left, right) {
            return t;
        }
        let (left, right) = if left <= right { (left, right) } else { (right, left) };
        self.intern(Node::Bin(Bin::Eq, left, right), 1)
    }

    /// The equation of two terms that were extended in the same way, over their operands.
    fn below_extensions(&mut self, a: T, b: T) -> Option<T> {
        match (self.node(a), self.node(b)) {
            (&Node::SExt(x), &Node::SExt(y)) | (&Node::ZExt(x), &Node::ZExt(y))
                if self.width(x) == self.width(y) =>
            {
                Some(self.eq(x, y))
            }
            _ => None,
        }
    }

    pub(super) fn new_ult(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        let (ra, rb) = (self.range(a), self.range(b));
        if ra.uhi < rb.ulo {
            return self.truth(true);
        }
        if a == b || ra.ulo >= rb.uhi {
            return self.truth(false);
        }
        if self.as_const(b) == Some(1) {
            let zero = self.constant(0, w);
            return self.eq(a, zero);
        }
        if self.as_const(a) == Some(0) {
            let e = self.eq(a, b);
            return self.not(e);
        }
        if let Some(t) = self.integer_less(a, b, false) {
            return t;
        }
        self.intern(Node::Bin(Bin::Ult, a, b), 1)
    }

    pub(super) fn new_slt(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        let (ra, rb) = (self.range(a), self.range(b));
        if ra.shi < rb.slo {
            return self.truth(true);
        }
        if a == b || ra.slo >= rb.shi {
            return self.truth(false);
        }
        if ra.nonneg() && rb.nonneg() {
            return self.ult(a, b);
        }
        if let (Node::SExt(x), Node::SExt(y)) = (self.node(a).clone(), self.node(b).clone())
            && self.width(x) == self.width(y)
        {
            return self.slt(x, y);
        }
        if w == 1 {
            // -1 < 0.
            let n = self.not(b);
            return self.and(a, n);
        }
        if let Some(t) = self.integer_less(a, b, true) {
            return t;
        }
        self.intern(Node::Bin(Bin::Slt, a, b), 1)
    }

    /// `a < b` as a comparison of few bits, where neither sum overflows and all atoms are non-negative.
    fn integer_less(&mut self, a: T, b: T, signed: bool) -> Option<T> {
        let w = self.width(a);
        let mut parts: Vec<(T, i128)> = Vec::new();
        let mut constant = 0i128;
        for (t, sign) in [(a, 1i128), (b, -1)] {
            let (c, terms) = self.lin_parts(t);
            let (lo, hi) = self.lin_interval(c, &terms, w);
            let fits = if signed {
                lo >= i128::from(smin(w)) && hi <= i128::from(smax(w))
            } else {
                lo >= 0 && hi <= i128::from(mask(w))
            };
            if !fits {
                return None;
            }
            constant += sign * i128::from(sign_extend(c, w));
            for (atom, k) in terms {
                parts.push((atom, sign * i128::from(sign_extend(k, w))));
            }
        }
        parts.sort_by_key(|(t, _)| *t);
        let mut merged: Vec<(T, i128)> = Vec::new();
        for (t, k) in parts {
            match merged.last_mut() {
                Some((u, uk)) if *u == t => *uk += k,
                _ => merged.push((t, k)),
            }
        }
        merged.retain(|(_, k)| *k != 0);
        let (mut lo, mut hi) = (constant, constant);
        for &(t, k) in &merged {
            let (alo, ahi) = self.atom_interval(t);
            if alo < 0 {
                return None;
            }
            lo += if k >= 0 { k * alo } else { k * ahi };
            hi += if k >= 0 { k * ahi } else { k * alo };
        }
        if hi < 0 {
            return Some(self.truth(true));
        }
        if lo >= 0 {
            return Some(self.truth(false));
        }
        if hi > i128::from(i64::MAX) || lo < i128::from(i64::MIN) {
            return None;
        }
        self.narrow_relation(Bin::Ult, constant, &merged)
    }
}
