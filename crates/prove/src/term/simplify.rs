//! Constructors of terms, with arithmetic rewriting.
//!
//! Every rewrite is an equality of bit-vectors: it holds for all values of the variables in their intervals. Where a
//! rule needs that nothing overflows, it computes the interval of the whole sum over the integers first. The tests
//! compare every constructor with `semantics.rs` on random values, and with all values at small widths.

use crate::term::{Bin, Node, Pool, T, mask, sign_extend};

impl Pool {
    // ---- sums ----

    /// The term as a constant and atoms with coefficients.
    pub(crate) fn lin_parts(&self, t: T) -> (u64, Vec<(T, u64)>) {
        match self.node(t) {
            Node::Const(c) => (*c, Vec::new()),
            Node::Lin(c, terms) => (*c, terms.to_vec()),
            _ => (0, vec![(t, 1)]),
        }
    }

    /// The sum of a constant and terms with coefficients (terms may be sums themselves).
    pub(super) fn new_sum(&mut self, constant: u64, parts: &[(T, u64)], width: u32) -> T {
        let m = mask(width);
        let mut c = constant;
        let mut terms: Vec<(T, u64)> = Vec::new();
        for &(t, k) in parts {
            let (tc, tt) = self.lin_parts(t);
            c = c.wrapping_add(tc.wrapping_mul(k));
            for (a, ak) in tt {
                let ak = ak.wrapping_mul(k) & m;
                match self.multiplied_back(a, ak) {
                    Some((whole, ak)) => {
                        let (wc, wt) = self.lin_parts(whole);
                        c = c.wrapping_add(wc.wrapping_mul(ak));
                        terms.extend(wt.into_iter().map(|(b, bk)| (b, bk.wrapping_mul(ak))));
                    }
                    None => terms.push((a, ak)),
                }
            }
        }
        terms.sort_by_key(|(a, _)| *a);
        let mut merged: Vec<(T, u64)> = Vec::with_capacity(terms.len());
        for (a, k) in terms {
            match merged.last_mut() {
                Some((b, bk)) if *b == a => *bk = bk.wrapping_add(k),
                _ => merged.push((a, k)),
            }
        }
        for (_, k) in &mut merged {
            *k &= m;
        }
        merged.retain(|(_, k)| *k != 0);
        c &= m;
        match merged.as_slice() {
            [] => self.constant(c, width),
            [(a, 1)] if c == 0 => *a,
            _ => self.intern(Node::Lin(c, merged.into()), width),
        }
    }

    /// `k * (x / c)` as a multiple of `x`, where `c` is a power of two that divides `k`, and `x` by its own coefficients: the
    /// index `i / 4` of a vector of four, with the vector's size.
    fn multiplied_back(&mut self, t: T, k: u64) -> Option<(T, u64)> {
        let width = self.width(t);
        let (quotient, extension) = match *self.node(t) {
            Node::SExt(x) => (x, Some(true)),
            Node::ZExt(x) => (x, Some(false)),
            _ => (t, None),
        };
        let Node::Bin(op, x, by) = *self.node(quotient) else { return None };
        let (w, by) = (self.width(x), self.as_const(by)?);
        let (c, signed) = match op {
            Bin::SDiv => (by, true),
            Bin::UDiv => (by, false),
            Bin::AShr if by < u64::from(w) => (1 << by, true),
            Bin::LShr if by < u64::from(w) => (1 << by, false),
            _ => return None,
        };
        // A divisor that is negative is no such power.
        let divides = c > 1 && c.is_power_of_two() && c <= mask(w) >> 1 && k.is_multiple_of(c);
        if !divides || extension.is_some_and(|extension| extension != signed) {
            return None;
        }
        if !self.is_multiple(x, c) {
            return None;
        }
        let whole = match extension {
            Some(true) => self.sext(x, width),
            Some(false) => self.zext(x, width),
            None => x,
        };
        Some((whole, k / c))
    }

    /// Whether a term is a multiple of a power of two, whatever its variables are.
    fn is_multiple(&self, t: T, c: u64) -> bool {
        match self.node(t) {
            Node::Const(k) => k.is_multiple_of(c),
            Node::Lin(k, terms) => {
                let is_one = |(a, k): &(T, u64)| k.is_multiple_of(c) || self.is_multiple(*a, c);
                k.is_multiple_of(c) && terms.iter().all(is_one)
            }
            Node::Bin(Bin::Mul, a, b) => self.is_multiple(*a, c) || self.is_multiple(*b, c),
            Node::ZExt(a) | Node::SExt(a) | Node::Trunc(a) => self.is_multiple(*a, c),
            _ => false,
        }
    }

    pub(crate) fn add(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        self.sum(0, &[(a, 1), (b, 1)], w)
    }

    pub(crate) fn sub(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        self.sum(0, &[(a, 1), (b, u64::MAX)], w)
    }

    pub(crate) fn add_const(&mut self, a: T, c: u64) -> T {
        let w = self.width(a);
        self.sum(c, &[(a, 1)], w)
    }

    pub(crate) fn scale(&mut self, a: T, k: u64) -> T {
        let w = self.width(a);
        self.sum(0, &[(a, k)], w)
    }

    pub(super) fn new_mul(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        let (ca, pa) = self.lin_parts(a);
        let (cb, pb) = self.lin_parts(b);
        if pa.is_empty() {
            return self.scale(b, ca);
        }
        if pb.is_empty() {
            return self.scale(a, cb);
        }
        if pa.len() > 3 || pb.len() > 3 {
            return self.raw_mul(a, b);
        }
        let mut parts = Vec::new();
        for &(x, kx) in &pa {
            for &(y, ky) in &pb {
                let p = self.raw_mul(x, y);
                parts.push((p, kx.wrapping_mul(ky)));
            }
        }
        parts.extend(pa.iter().map(|&(x, k)| (x, k.wrapping_mul(cb))));
        parts.extend(pb.iter().map(|&(y, k)| (y, k.wrapping_mul(ca))));
        self.sum(ca.wrapping_mul(cb), &parts, w)
    }

    fn raw_mul(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        self.intern(Node::Bin(Bin::Mul, a, b), w)
    }

    // ---- division, remainder, shifts, bits ----

    pub(super) fn new_udiv(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        let (ra, rb) = (self.range(a), self.range(b));
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(x.checked_div(y).unwrap_or(u64::MAX), w);
        }
        if rb.ulo > 0 && ra.uhi < rb.ulo {
            return self.constant(0, w);
        }
        if let Some(c) = self.as_const(b) {
            if c == 1 {
                return a;
            }
            if c > 1
                && let Some((whole, _)) = self.split_by(a, c)
            {
                return whole;
            }
            if c.is_power_of_two() {
                let amount = self.constant(u64::from(c.trailing_zeros()), w);
                return self.lshr(a, amount);
            }
        }
        self.intern(Node::Bin(Bin::UDiv, a, b), w)
    }

    pub(super) fn new_urem(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        let (ra, rb) = (self.range(a), self.range(b));
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(x.checked_rem(y).unwrap_or(x), w);
        }
        if rb.ulo > 0 && ra.uhi < rb.ulo {
            return a;
        }
        if let Some(c) = self.as_const(b) {
            if c == 1 {
                return self.constant(0, w);
            }
            if c > 1
                && let Some((_, rest)) = self.split_by(a, c)
            {
                return rest;
            }
            if c.is_power_of_two() {
                let m = self.constant(c - 1, w);
                return self.and(a, m);
            }
        }
        self.intern(Node::Bin(Bin::URem, a, b), w)
    }

    /// `a = c * whole + rest` with `0 <= rest < c`, where the sum's own structure shows it and nothing overflows.
    fn split_by(&mut self, a: T, c: u64) -> Option<(T, T)> {
        let w = self.width(a);
        let (k, terms) = self.lin_parts(a);
        let (lo, hi) = self.lin_interval(k, &terms, w);
        if terms.is_empty() || lo < 0 || hi > i128::from(mask(w)) || c > i64::MAX as u64 {
            return None;
        }
        let m = i128::from(c);
        let mut whole = Vec::new();
        let mut rest = Vec::new();
        for &(atom, coefficient) in &terms {
            let signed = i128::from(sign_extend(coefficient, w));
            if signed % m == 0 {
                whole.push((atom, (signed / m) as u64));
            } else {
                rest.push((atom, coefficient));
            }
        }
        if whole.is_empty() {
            return None;
        }
        let constant = i128::from(sign_extend(k, w));
        let (kw, kr) = (constant.div_euclid(m), constant.rem_euclid(m));
        let (rlo, rhi) = self.lin_interval(kr as u64, &rest, w);
        if rlo < 0 || rhi >= m {
            return None;
        }
        // The atoms are read as integers. The signed reading of an atom is congruent to the atom modulo the width, so
        // the quotient's sum is correct modulo the width too, because the quotient as an integer fits the width.
        let whole = self.sum(kw as u64, &whole, w);
        let rest = self.sum(kr as u64, &rest, w);
        Some((whole, rest))
    }

    pub(super) fn new_sdiv(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        let (ra, rb) = (self.range(a), self.range(b));
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            let v = if y == 0 {
                u64::MAX
            } else {
                sign_extend(x, w).wrapping_div(sign_extend(y, w)) as u64
            };
            return self.constant(v, w);
        }
        if ra.nonneg() && rb.slo > 0 {
            return self.udiv(a, b);
        }
        self.intern(Node::Bin(Bin::SDiv, a, b), w)
    }

    pub(super) fn new_srem(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        let (ra, rb) = (self.range(a), self.range(b));
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            let v =
                if y == 0 { x } else { sign_extend(x, w).wrapping_rem(sign_extend(y, w)) as u64 };
            return self.constant(v, w);
        }
        if ra.nonneg() && rb.slo > 0 {
            return self.urem(a, b);
        }
        self.intern(Node::Bin(Bin::SRem, a, b), w)
    }

    pub(super) fn new_shl(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        if let Some(c) = self.as_const(b) {
            if c >= u64::from(w) {
                return self.constant(0, w);
            }
            return self.scale(a, 1 << c);
        }
        if self.as_const(a) == Some(0) {
            return a;
        }
        self.intern(Node::Bin(Bin::Shl, a, b), w)
    }

    pub(super) fn new_lshr(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        if let Some(c) = self.as_const(b) {
            if c == 0 {
                return a;
            }
            if c >= u64::from(w) || self.range(a).uhi >> c == 0 {
                return self.constant(0, w);
            }
            if let Some(v) = self.as_const(a) {
                return self.constant(v >> c, w);
            }
            if let Some((whole, _)) = self.split_by(a, 1 << c) {
                return whole;
            }
            if let Node::Bin(Bin::LShr, x, y) = *self.node(a)
                && let Some(d) = self.as_const(y)
            {
                let total = self.constant(c + d, w);
                return self.lshr(x, total);
            }
        }
        if self.as_const(a) == Some(0) {
            return a;
        }
        self.intern(Node::Bin(Bin::LShr, a, b), w)
    }

    pub(super) fn new_ashr(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        if self.range(a).nonneg() {
            return self.lshr(a, b);
        }
        if let (Some(x), Some(c)) = (self.as_const(a), self.as_const(b)) {
            let v = sign_extend(x, w) >> c.min(u64::from(w) - 1).min(63);
            return self.constant(v as u64, w);
        }
        if self.as_const(b) == Some(0) {
            return a;
        }
        self.intern(Node::Bin(Bin::AShr, a, b), w)
    }

    pub(super) fn new_and(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b {
            return a;
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.as_const(x) {
                Some(0) => return x,
                Some(c) if c == mask(w) => return y,
                Some(c) if (c + 1).is_power_of_two() => {
                    if self.range(y).uhi <= c {
                        return y;
                    }
                    if let Some(v) = self.as_const(y) {
                        return self.constant(v & c, w);
                    }
                    if let Some((_, rest)) = self.split_by(y, c + 1) {
                        return rest;
                    }
                }
                Some(c) => {
                    if let Some(v) = self.as_const(y) {
                        return self.constant(v & c, w);
                    }
                }
                None => {}
            }
        }
        // A canonical form for a mask of a narrow number, independent of its width.
        for (x, y) in [(a, b), (b, a)] {
            if let (Node::ZExt(narrow), Some(c)) = (self.node(x).clone(), self.as_const(y)) {
                let own = self.width(narrow);
                let c = self.constant(c & mask(own), own);
                let masked = self.and(narrow, c);
                return self.zext(masked, w);
            }
        }
        if w == 1 {
            if self.negation_of(a) == Some(b) || self.negation_of(b) == Some(a) {
                return self.constant(0, 1);
            }
            // Absorption: x & (x & y), x & (x | y).
            for (x, y) in [(a, b), (b, a)] {
                if let Node::Bin(op @ (Bin::And | Bin::Or), p, q) = *self.node(y)
                    && (p == x || q == x)
                {
                    return if op == Bin::And { y } else { x };
                }
            }
        }
        self.intern(Node::Bin(Bin::And, a, b), w)
    }

    pub(super) fn new_or(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b {
            return a;
        }
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(x | y, w);
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.as_const(x) {
                Some(0) => return y,
                Some(c) if c == mask(w) => return x,
                _ => {}
            }
        }
        if w == 1 {
            if self.negation_of(a) == Some(b) || self.negation_of(b) == Some(a) {
                return self.constant(1, 1);
            }
            for (x, y) in [(a, b), (b, a)] {
                if let Node::Bin(op @ (Bin::And | Bin::Or), p, q) = *self.node(y)
                    && (p == x || q == x)
                {
                    return if op == Bin::Or { y } else { x };
                }
            }
            // `(x & c) | (x & !c)`: the two sides of a branch join again.
            if let (Node::Bin(Bin::And, p, q), Node::Bin(Bin::And, r, s)) =
                (self.node(a).clone(), self.node(b).clone())
            {
                for (common, one, other) in
                    [(p == r, q, s), (p == s, q, r), (q == r, p, s), (q == s, p, r)]
                {
                    if common
                        && (self.negation_of(one) == Some(other)
                            || self.negation_of(other) == Some(one))
                    {
                        return if one == q { p } else { q };
                    }
                }
            }
        }
        self.intern(Node::Bin(Bin::Or, a, b), w)
    }

    pub(super) fn new_xor(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b {
            return self.constant(0, w);
        }
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(x ^ y, w);
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.as_const(x) {
                Some(0) => return y,
                Some(c) if c == mask(w) && w > 1 => {
                    // Not: -1 - y.
                    return self.sum(u64::MAX, &[(y, u64::MAX)], w);
                }
                Some(c) => {
                    if let Node::Bin(Bin::Xor, p, q) = *self.node(y) {
                        for (p, q) in [(p, q), (q, p)] {
                            if let Some(d) = self.as_const(p) {
                                let k = self.constant(c ^ d, w);
                                return self.xor(k, q);
                            }
                        }
                    }
                }
                None => {}
            }
        }
        self.intern(Node::Bin(Bin::Xor, a, b), w)
    }

    // ---- conditions ----

    pub(crate) fn not(&mut self, a: T) -> T {
        assert_eq!(self.width(a), 1);
        let one = self.constant(1, 1);
        self.xor(a, one)
    }

    /// The operand, if `a` is a negation.
    pub(crate) fn negation_of(&self, a: T) -> Option<T> {
        match *self.node(a) {
            Node::Bin(Bin::Xor, p, q) if self.width(a) == 1 => {
                if self.as_const(p) == Some(1) {
                    Some(q)
                } else if self.as_const(q) == Some(1) {
                    Some(p)
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    pub(super) fn new_ite(&mut self, c: T, a: T, b: T) -> T {
        if a == b || self.is_true(c) {
            return a;
        }
        if self.is_false(c) {
            return b;
        }
        let w = self.width(a);
        if w == 1 {
            if self.is_true(a) {
                return self.or(c, b);
            }
            if self.is_false(a) {
                let n = self.not(c);
                return self.and(n, b);
            }
            if self.is_true(b) {
                let n = self.not(c);
                return self.or(n, a);
            }
            if self.is_false(b) {
                return self.and(c, a);
            }
        }
        if let Some(positive) = self.negation_of(c) {
            return self.ite(positive, b, a);
        }
        // The same condition nested inside.
        let a = match *self.node(a) {
            Node::Ite(c2, x, _) if c2 == c => x,
            _ => a,
        };
        let b = match *self.node(b) {
            Node::Ite(c2, _, y) if c2 == c => y,
            _ => b,
        };
        if a == b {
            return a;
        }
        self.intern(Node::Ite(c, a, b), w)
    }

    pub(crate) fn bin(&mut self, op: Bin, a: T, b: T) -> T {
        match op {
            Bin::Mul => self.mul(a, b),
            Bin::UDiv => self.udiv(a, b),
            Bin::URem => self.urem(a, b),
            Bin::SDiv => self.sdiv(a, b),
            Bin::SRem => self.srem(a, b),
            Bin::And => self.and(a, b),
            Bin::Or => self.or(a, b),
            Bin::Xor => self.xor(a, b),
            Bin::Shl => self.shl(a, b),
            Bin::LShr => self.lshr(a, b),
            Bin::AShr => self.ashr(a, b),
            Bin::Eq => self.eq(a, b),
            Bin::Ult => self.ult(a, b),
            Bin::Slt => self.slt(a, b),
        }
    }

    pub(crate) fn ule(&mut self, a: T, b: T) -> T {
        let less = self.ult(b, a);
        self.not(less)
    }

    pub(crate) fn sle(&mut self, a: T, b: T) -> T {
        let less = self.slt(b, a);
        self.not(less)
    }
}

pub(crate) fn masked(terms: &[(T, u64)], w: u32) -> Vec<(T, u64)> {
    let mut out: Vec<(T, u64)> = terms.iter().map(|&(t, k)| (t, k & mask(w))).collect();
    out.sort_by_key(|(t, _)| *t);
    out
}
