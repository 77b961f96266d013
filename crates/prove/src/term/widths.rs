//! Changes of width: extensions are pushed into sums and products where nothing overflows, truncations always.
//!
//! Every result is cached, so that a change pushed down a shared graph processes each node once; the depth is limited.

use crate::term::{Bin, Node, Pool, Range, T, Width, mask, sign_extend, smax, smin};

/// How far a change of width is pushed into a term.
const MAX_DEPTH: u32 = 200;

impl Pool {
    pub(super) fn new_zext(&mut self, a: T, width: u32) -> T {
        if self.width(a) == width {
            return a;
        }
        let key = (a, Width::Zero, width as u8);
        if let Some(&t) = self.widths.get(&key) {
            return t;
        }
        if self.width_depth > MAX_DEPTH {
            return self.intern(Node::ZExt(a), width);
        }
        self.width_depth += 1;
        let t = self.zext_now(a, width);
        self.width_depth -= 1;
        self.widths.insert(key, t);
        t
    }

    fn zext_now(&mut self, a: T, width: u32) -> T {
        let w = self.width(a);
        assert!(w < width);
        match self.node(a).clone() {
            Node::Const(c) => return self.constant(c, width),
            Node::ZExt(x) => return self.zext(x, width),
            Node::Trunc(x) if self.range(x).uhi <= mask(w) => return self.resize(x, width),
            Node::Lin(c, terms) => {
                let (lo, hi) = self.lin_interval(c, &terms, w);
                if lo >= 0 && hi <= i128::from(mask(w)) {
                    return self.widen_sum(c, &terms, w, width);
                }
            }
            Node::Bin(Bin::Mul, x, y) => {
                let (rx, ry) = (self.range(x), self.range(y));
                if u128::from(rx.uhi) * u128::from(ry.uhi) <= u128::from(mask(w)) {
                    let (x, y) = (self.zext(x, width), self.zext(y, width));
                    return self.mul(x, y);
                }
            }
            Node::Ite(c, x, y) => {
                let (x, y) = (self.zext(x, width), self.zext(y, width));
                return self.ite(c, x, y);
            }
            _ => {}
        }
        self.intern(Node::ZExt(a), width)
    }

    pub(super) fn new_sext(&mut self, a: T, width: u32) -> T {
        if self.width(a) == width {
            return a;
        }
        let key = (a, Width::Sign, width as u8);
        if let Some(&t) = self.widths.get(&key) {
            return t;
        }
        if self.width_depth > MAX_DEPTH {
            return self.intern(Node::SExt(a), width);
        }
        self.width_depth += 1;
        let t = self.sext_now(a, width);
        self.width_depth -= 1;
        self.widths.insert(key, t);
        t
    }

    fn sext_now(&mut self, a: T, width: u32) -> T {
        let w = self.width(a);
        if self.range(a).nonneg() {
            return self.zext(a, width);
        }
        match self.node(a).clone() {
            Node::Const(c) => return self.constant(sign_extend(c, w) as u64, width),
            Node::SExt(x) => return self.sext(x, width),
            Node::Trunc(x) => {
                let r = self.range(x);
                if r.slo >= smin(w) && r.shi <= smax(w) {
                    return self.resize_signed(x, width);
                }
            }
            Node::Lin(c, terms) => {
                let (lo, hi) = self.lin_interval(c, &terms, w);
                if lo >= i128::from(smin(w)) && hi <= i128::from(smax(w)) {
                    return self.widen_sum(c, &terms, w, width);
                }
            }
            Node::Bin(Bin::Mul, x, y) => {
                let (rx, ry) = (self.range(x), self.range(y));
                let corners = [
                    i128::from(rx.slo) * i128::from(ry.slo),
                    i128::from(rx.slo) * i128::from(ry.shi),
                    i128::from(rx.shi) * i128::from(ry.slo),
                    i128::from(rx.shi) * i128::from(ry.shi),
                ];
                if corners.iter().all(|&p| p >= i128::from(smin(w)) && p <= i128::from(smax(w))) {
                    let (x, y) = (self.sext(x, width), self.sext(y, width));
                    return self.mul(x, y);
                }
            }
            Node::Ite(c, x, y) => {
                let (x, y) = (self.sext(x, width), self.sext(y, width));
                return self.ite(c, x, y);
            }
            _ => {}
        }
        self.intern(Node::SExt(a), width)
    }

    /// A sum that is exact over the integers, in more bits.
    fn widen_sum(&mut self, c: u64, terms: &[(T, u64)], w: u32, width: u32) -> T {
        let mut parts = Vec::with_capacity(terms.len());
        for &(atom, k) in terms {
            let wide = if self.reads_signed(atom) {
                self.sext(atom, width)
            } else {
                self.zext(atom, width)
            };
            parts.push((wide, sign_extend(k, w) as u64));
        }
        self.sum(sign_extend(c, w) as u64, &parts, width)
    }

    pub(super) fn new_trunc(&mut self, a: T, width: u32) -> T {
        if self.width(a) == width {
            return a;
        }
        let key = (a, Width::Cut, width as u8);
        if let Some(&t) = self.widths.get(&key) {
            return t;
        }
        if self.width_depth > MAX_DEPTH {
            return self.intern(Node::Trunc(a), width);
        }
        self.width_depth += 1;
        let t = self.trunc_now(a, width);
        self.width_depth -= 1;
        self.widths.insert(key, t);
        t
    }

    fn trunc_now(&mut self, a: T, width: u32) -> T {
        let w = self.width(a);
        assert!(w > width);
        match self.node(a).clone() {
            Node::Const(c) => return self.constant(c, width),
            Node::Trunc(x) => return self.trunc(x, width),
            Node::ZExt(x) => return self.resize(x, width),
            Node::SExt(x) => return self.resize_signed(x, width),
            Node::Lin(c, terms) => {
                // A sum that is known to fit (a loop variable in its wide form) is not split.
                let (r, t) = (self.range(a), Range::full(width));
                let fits = r.slo >= t.slo && r.shi <= t.shi || r.uhi <= mask(width);
                let keep = fits && {
                    let (lo, hi) = self.lin_interval(c, &terms, w);
                    lo < i128::from(r.slo) || hi > i128::from(r.shi)
                };
                if !keep {
                    let parts: Vec<(T, u64)> =
                        terms.iter().map(|&(x, k)| (self.trunc(x, width), k)).collect();
                    return self.sum(c, &parts, width);
                }
            }
            // A product that is known to fit, although the bounds of its factors do not show it, is not split.
            Node::Bin(Bin::Mul, x, y)
                if self.range(a).uhi <= mask(width)
                    && u128::from(self.range(x).uhi) * u128::from(self.range(y).uhi)
                        > u128::from(mask(width)) => {}
            Node::Bin(op @ (Bin::And | Bin::Or | Bin::Xor | Bin::Mul), x, y) => {
                let (x, y) = (self.trunc(x, width), self.trunc(y, width));
                let cut = self.bin(op, x, y);
                // The known interval of a product that fits also holds for the truncated product.
                let r = self.range(a);
                if op == Bin::Mul && self.is_refined(a) && r.uhi <= mask(width) {
                    self.refine(cut, Range::unsigned(r.ulo, r.uhi, width));
                }
                return cut;
            }
            Node::Ite(c, x, y) => {
                let (x, y) = (self.trunc(x, width), self.trunc(y, width));
                return self.ite(c, x, y);
            }
            _ => {}
        }
        self.intern(Node::Trunc(a), width)
    }

    /// Zero-extends or truncates.
    pub(crate) fn resize(&mut self, a: T, width: u32) -> T {
        if self.width(a) < width { self.zext(a, width) } else { self.trunc(a, width) }
    }

    fn resize_signed(&mut self, a: T, width: u32) -> T {
        if self.width(a) < width { self.sext(a, width) } else { self.trunc(a, width) }
    }
}
