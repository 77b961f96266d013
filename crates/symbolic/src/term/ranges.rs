//! Which numbers an integer term can be, read as signed: an interval. Nothing is remembered of how terms hang together.

use lockstep_kernel::semantics::bits::signed;
use lockstep_kernel::{CastOp, IntOp, IntUnOp, Ty};

use super::{Node, Pool, T};

pub(super) type Range = (i128, i128);

/// How far down a term is looked at.
const DEEPEST: u32 = 100;

fn whole(ty: Ty) -> Range {
    let half = 1i128 << (ty.bits() - 1);
    (-half, half - 1)
}

impl Pool {
    /// The least and the greatest number, read as signed.
    pub(crate) fn signed_range(&mut self, t: T) -> Range {
        if let Some(v) = self.value(t) {
            let v = i128::from(signed(self.ty(t), v));
            return (v, v);
        }
        if let Some(&range) = self.ranges.get(&t) {
            return range;
        }
        let ty = self.ty(t);
        // Terms are asked for as they are made, so that what they are made of is nearly always known. Of a long chain
        // that nobody has asked for, the end says nothing.
        if !ty.is_int() || ty == Ty::I1 || self.range_depth > DEEPEST {
            return whole(ty);
        }
        self.range_depth += 1;
        let range = self.range_of(t, ty);
        self.range_depth -= 1;
        self.ranges.insert(t, range);
        range
    }

    /// The same, read as unsigned.
    pub(crate) fn unsigned_range(&mut self, t: T) -> Range {
        let (low, high) = self.signed_range(t);
        if low >= 0 { (low, high) } else { (0, i128::from(self.ty(t).mask())) }
    }

    fn range_of(&mut self, t: T, ty: Ty) -> Range {
        let all = whole(ty);
        let within = |r: Range| if r.0 >= all.0 && r.1 <= all.1 { r } else { all };
        match *self.node(t) {
            Node::Int(op, a, b) => {
                let (x, y) = (self.signed_range(a), self.signed_range(b));
                let positive = x.0 >= 0 && y.0 >= 0;
                match op {
                    IntOp::Add => within((x.0 + y.0, x.1 + y.1)),
                    IntOp::Sub => within((x.0 - y.1, x.1 - y.0)),
                    IntOp::Mul => {
                        let all = [x.0 * y.0, x.0 * y.1, x.1 * y.0, x.1 * y.1];
                        within((
                            all.into_iter().min().unwrap_or(0),
                            all.into_iter().max().unwrap_or(0),
                        ))
                    }
                    IntOp::And if y.0 >= 0 => (0, if x.0 >= 0 { x.1.min(y.1) } else { y.1 }),
                    IntOp::And if x.0 >= 0 => (0, x.1),
                    IntOp::Or | IntOp::Xor if positive => {
                        let top = (x.1.max(y.1) as u128 + 1).next_power_of_two() as i128;
                        within((0, top - 1))
                    }
                    IntOp::URem if y.0 > 0 && x.0 >= 0 => (0, x.1.min(y.1 - 1)),
                    IntOp::URem if y.0 > 0 => (0, y.1 - 1),
                    IntOp::UDiv if y.0 > 0 && x.0 >= 0 => (x.0 / y.1, x.1 / y.0),
                    IntOp::SRem if y.0 > 0 => {
                        (if x.0 >= 0 { 0 } else { 1 - y.1 }, if x.1 <= 0 { 0 } else { y.1 - 1 })
                    }
                    IntOp::LShr if x.0 >= 0 && y.0 >= 0 => (0, x.1),
                    IntOp::LShr if y.0 > 0 && y.1 < i128::from(ty.bits()) => {
                        (0, i128::from(ty.mask() >> y.0 as u64))
                    }
                    IntOp::SMin => (x.0.min(y.0), x.1.min(y.1)),
                    IntOp::SMax => (x.0.max(y.0), x.1.max(y.1)),
                    IntOp::UMin if positive => (x.0.min(y.0), x.1.min(y.1)),
                    IntOp::UMax if positive => (x.0.max(y.0), x.1.max(y.1)),
                    _ => all,
                }
            }
            Node::IntUn(IntUnOp::PopCount | IntUnOp::Clz | IntUnOp::Ctz, _) => {
                within((0, i128::from(ty.bits())))
            }
            Node::Cast(CastOp::ZExt, a) if self.ty(a) == Ty::I1 => (0, 1),
            Node::Cast(CastOp::ZExt, a) if self.ty(a).is_int() => self.unsigned_range(a),
            Node::Cast(CastOp::SExt, a) if self.ty(a).is_int() && self.ty(a) != Ty::I1 => {
                self.signed_range(a)
            }
            Node::Cast(CastOp::Trunc, a) if self.ty(a).is_int() => {
                let r = self.signed_range(a);
                within(r)
            }
            Node::Select(_, a, b) => {
                let (x, y) = (self.signed_range(a), self.signed_range(b));
                (x.0.min(y.0), x.1.max(y.1))
            }
            _ => all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Undefined, evaluate};

    /// Each operation on a byte and small constants: no value is outside the interval.
    #[test]
    fn values_lie_in_their_range() {
        use IntOp::*;
        let numbers = [0u64, 1, 2, 5, 8, 100, 127, 128, 200, 255];
        let mut p = Pool::default();
        let byte = p.undefined(Undefined::Uninitialised, Ty::I8);
        let wide = [p.cast(CastOp::ZExt, byte, Ty::I16), p.cast(CastOp::SExt, byte, Ty::I16)];
        for op in [
            Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, UMin, UMax, SMin,
            SMax,
        ] {
            for x in [byte, wide[0], wide[1]] {
                for c in numbers {
                    let ty = p.ty(x);
                    let k = p.constant(ty, c);
                    for t in [p.int(op, x, k), p.int(op, k, x)] {
                        let (low, high) = p.signed_range(t);
                        for v in numbers {
                            let value = signed(ty, evaluate::value(&p, t, &|_| v));
                            let value = i128::from(value);
                            assert!(low <= value && value <= high, "{op:?} {v} {c}: {value}");
                        }
                    }
                }
            }
        }
    }
}
