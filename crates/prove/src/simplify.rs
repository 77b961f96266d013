//! Constructors of terms, with the rewriting that arithmetic allows.
//!
//! Every rewrite is an equality of bit-vectors: it holds for all values of the variables that lie in their intervals.
//! Where a rule needs that nothing wraps, it computes the interval of the whole sum over the integers first. The
//! tests compare every constructor with `semantics.rs` on random values, and with all values at small widths.

use crate::term::{Bin, Node, Pool, T, bits_for, gcd, mask, sign_extend, smax, smin};

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
    pub(crate) fn sum(&mut self, constant: u64, parts: &[(T, u64)], width: u32) -> T {
        let m = mask(width);
        let mut c = constant;
        let mut terms: Vec<(T, u64)> = Vec::new();
        for &(t, k) in parts {
            let (tc, tt) = self.lin_parts(t);
            c = c.wrapping_add(tc.wrapping_mul(k));
            terms.extend(tt.into_iter().map(|(a, ak)| (a, ak.wrapping_mul(k))));
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

    pub(crate) fn mul(&mut self, a: T, b: T) -> T {
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

    pub(crate) fn udiv(&mut self, a: T, b: T) -> T {
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

    pub(crate) fn urem(&mut self, a: T, b: T) -> T {
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

    /// `a = c * whole + rest` with `0 <= rest < c`, where the sum's own structure shows it and nothing wraps.
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
        // The atoms are read as integers; a signed reading of an atom is the atom itself modulo the width, so the
        // quotient's sum is right modulo the width too, because the quotient as an integer fits it.
        let whole = self.sum(kw as u64, &whole, w);
        let rest = self.sum(kr as u64, &rest, w);
        Some((whole, rest))
    }

    pub(crate) fn sdiv(&mut self, a: T, b: T) -> T {
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

    pub(crate) fn srem(&mut self, a: T, b: T) -> T {
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

    pub(crate) fn shl(&mut self, a: T, b: T) -> T {
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

    pub(crate) fn lshr(&mut self, a: T, b: T) -> T {
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

    pub(crate) fn ashr(&mut self, a: T, b: T) -> T {
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

    pub(crate) fn and(&mut self, a: T, b: T) -> T {
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
        // One form for a mask of a narrow number, whatever the width that it is written with.
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

    pub(crate) fn or(&mut self, a: T, b: T) -> T {
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
            // (x & c) | (x & !c): the two ways around a branch meet again.
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

    pub(crate) fn xor(&mut self, a: T, b: T) -> T {
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
        debug_assert_eq!(self.width(a), 1);
        let one = self.constant(1, 1);
        self.xor(a, one)
    }

    /// What `a` is the negation of, where it is written as one.
    fn negation_of(&self, a: T) -> Option<T> {
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

    pub(crate) fn implies(&mut self, a: T, b: T) -> T {
        let n = self.not(a);
        self.or(n, b)
    }

    pub(crate) fn eq(&mut self, a: T, b: T) -> T {
        let w = self.width(a);
        debug_assert_eq!(w, self.width(b));
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
            // What was cut and lost nothing is compared as it was.
            (Node::Trunc(x), Node::Trunc(y))
                if self.width(x) == self.width(y)
                    && self.range(x).uhi.max(self.range(y).uhi) <= mask(w) =>
            {
                return self.eq(x, y);
            }
            // With one number in common, the others are equal or not.
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
        // Modulo a power of two only common powers of two tell something.
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
        // Mixed radix: if the small terms together can be only one multiple of the large terms' common factor (less the
        // constant), each part must be that by itself.
        signed.sort_by_key(|(_, k)| k.abs());
        for cut in 1..signed.len() {
            let big = signed[cut..].iter().fold(0i128, |g, (_, k)| gcd(g, *k));
            let (mut lo, mut hi) = (0i128, 0i128);
            for &(a, k) in &signed[..cut] {
                let (alo, ahi) = self.atom_interval(a);
                lo += if k >= 0 { k * alo } else { k * ahi };
                hi += if k >= 0 { k * ahi } else { k * alo };
            }
            // The small part is congruent to minus the constant: only where one such number is in reach is it known.
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
        self.narrow_relation(Bin::Eq, constant, &signed, w)
    }

    /// `constant + terms  (== or <)  0` over the integers, written with only as many bits as it needs: positive terms
    /// on one side, negative ones on the other. `<` is for [`Pool::ult`] and [`Pool::slt`].
    fn narrow_relation(&mut self, op: Bin, constant: i128, terms: &[(T, i128)], w: u32) -> T {
        let nonneg = terms.iter().all(|&(a, _)| self.atom_interval(a).0 >= 0);
        let mut left = constant.max(0);
        let mut right = (-constant).max(0);
        for &(a, k) in terms {
            let high = self.atom_interval(a).1;
            if k > 0 {
                left += k * high;
            } else {
                right -= k * high;
            }
        }
        let top = left.max(right);
        let raw: Vec<(T, u64)> = terms.iter().map(|&(a, k)| (a, k as u64 & mask(w))).collect();
        if !nonneg || top > i128::from(u64::MAX) {
            return self.raw_lin_eq(constant as u64 & mask(w), &raw, w);
        }
        let narrow = bits_for(top as u64);
        let mut sides = [Vec::new(), Vec::new()];
        for &(a, k) in terms {
            let t = self.resize(a, narrow);
            sides[usize::from(k < 0)].push((t, k.unsigned_abs() as u64));
        }
        let a = self.sum(constant.max(0) as u64, &sides[0], narrow);
        let b = self.sum((-constant).max(0) as u64, &sides[1], narrow);
        self.raw_compare(op, a, b)
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

    /// `sum == 0` written as an equation with the atom of the largest number alone on its side where it can be.
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

    /// The equation of two terms that were extended in the same way.
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

    pub(crate) fn ult(&mut self, a: T, b: T) -> T {
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

    pub(crate) fn slt(&mut self, a: T, b: T) -> T {
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

    /// `a < b` as a comparison of few bits, where neither sum wraps and all atoms are non-negative.
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
        Some(self.narrow_relation_less(constant, &merged, w))
    }

    fn narrow_relation_less(&mut self, constant: i128, terms: &[(T, i128)], w: u32) -> T {
        let mut left = constant.max(0);
        let mut right = (-constant).max(0);
        for &(a, k) in terms {
            let high = self.atom_interval(a).1;
            if k > 0 {
                left += k * high;
            } else {
                right -= k * high;
            }
        }
        let top = left.max(right);
        debug_assert!(top >= 0);
        if top > i128::from(u64::MAX) {
            // Cannot happen within the bounds checked by the caller, but costs nothing to answer.
            let raw: Vec<(T, u64)> = terms.iter().map(|&(a, k)| (a, k as u64)).collect();
            let s = self.sum(constant as u64, &masked(&raw, w), w);
            let zero = self.constant(0, w);
            return self.intern(Node::Bin(Bin::Slt, s, zero), 1);
        }
        self.narrow_relation(Bin::Ult, constant, terms, w)
    }

    pub(crate) fn ite(&mut self, c: T, a: T, b: T) -> T {
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
        // Same condition again inside.
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

fn masked(terms: &[(T, u64)], w: u32) -> Vec<(T, u64)> {
    let mut out: Vec<(T, u64)> = terms.iter().map(|&(t, k)| (t, k & mask(w))).collect();
    out.sort_by_key(|(t, _)| *t);
    out
}
