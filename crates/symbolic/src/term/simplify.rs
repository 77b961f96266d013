//! Constructors of integer operations, comparisons, conversions and selections, with what can be rewritten for every value.

use lockstep_kernel::semantics::bits;
use lockstep_kernel::{CastOp, CmpOp, IntOp, Ty};

use super::{Node, Pool, T, Undefined};

fn commutes(op: IntOp) -> bool {
    matches!(
        op,
        IntOp::Add
            | IntOp::Mul
            | IntOp::And
            | IntOp::Or
            | IntOp::Xor
            | IntOp::UMin
            | IntOp::UMax
            | IntOp::SMin
            | IntOp::SMax
            | IntOp::UMulHi
            | IntOp::SMulHi
            | IntOp::UAddSat
            | IntOp::SAddSat
    )
}

impl Pool {
    pub(crate) fn int(&mut self, op: IntOp, a: T, b: T) -> T {
        let ty = self.ty(a);
        if ty == Ty::I1 {
            return self.one_bit(op, a, b);
        }
        let (mut a, mut b) = (a, b);
        // A constant stands second, else the older term first.
        if commutes(op) && (self.value(a).is_some(), a) > (self.value(b).is_some(), b) {
            (a, b) = (b, a);
        }
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => return self.constant(ty, bits::int(op, ty, x, y)),
            (None, Some(y)) => {
                if let Some(t) = self.with_constant(op, ty, a, y) {
                    return t;
                }
            }
            _ => {}
        }
        if a == b {
            match op {
                IntOp::Sub | IntOp::Xor => return self.constant(ty, 0),
                IntOp::And | IntOp::Or | IntOp::UMin | IntOp::UMax | IntOp::SMin | IntOp::SMax => {
                    return a;
                }
                _ => {}
            }
        }
        self.intern(Node::Int(op, a, b), ty)
    }

    fn one_bit(&mut self, op: IntOp, a: T, b: T) -> T {
        match op {
            IntOp::And | IntOp::Mul | IntOp::UMin => self.and(a, b),
            IntOp::Or | IntOp::UMax => self.or(a, b),
            IntOp::Xor | IntOp::Add | IntOp::Sub => {
                let not_b = self.not(b);
                self.select(a, not_b, b)
            }
            _ => self.folded(Node::Int(op, a, b), Ty::I1),
        }
    }

    /// `a op y` with a constant, where that is something simpler.
    fn with_constant(&mut self, op: IntOp, ty: Ty, a: T, y: u64) -> Option<T> {
        let ones = ty.mask();
        let width = u64::from(ty.bits());
        let inner = match *self.node(a) {
            Node::Int(own, x, c) if own == op => self.value(c).map(|c| (x, c)),
            _ => None,
        };
        Some(match op {
            IntOp::Add | IntOp::Or | IntOp::Xor | IntOp::Shl | IntOp::LShr | IntOp::AShr
                if y == 0 =>
            {
                a
            }
            IntOp::Sub => {
                let negative = self.constant(ty, y.wrapping_neg());
                self.int(IntOp::Add, a, negative)
            }
            IntOp::Mul | IntOp::And if y == 0 => self.constant(ty, 0),
            IntOp::Mul | IntOp::UDiv | IntOp::SDiv if y == 1 => a,
            IntOp::URem | IntOp::SRem if y == 1 => self.constant(ty, 0),
            IntOp::And if y == ones => a,
            IntOp::Or if y == ones => self.constant(ty, ones),
            IntOp::Add | IntOp::Mul | IntOp::And | IntOp::Or | IntOp::Xor if inner.is_some() => {
                let (x, c) = inner?;
                let joined = self.constant(ty, bits::int(op, ty, c, y));
                self.int(op, x, joined)
            }
            IntOp::Shl if y >= width => self.constant(ty, 0),
            IntOp::Shl => {
                let factor = self.constant(ty, 1 << y);
                self.int(IntOp::Mul, a, factor)
            }
            IntOp::LShr if y >= width => self.constant(ty, 0),
            IntOp::UDiv if y.is_power_of_two() => {
                let shift = self.constant(ty, u64::from(y.trailing_zeros()));
                self.int(IntOp::LShr, a, shift)
            }
            IntOp::URem if y.is_power_of_two() => {
                let mask = self.constant(ty, y - 1);
                self.int(IntOp::And, a, mask)
            }
            // Of a number that is not negative.
            IntOp::SDiv | IntOp::SRem | IntOp::AShr
                if bits::signed(ty, y) > 0 && self.signed_range(a).0 >= 0 =>
            {
                let unsigned = match op {
                    IntOp::SDiv => IntOp::UDiv,
                    IntOp::SRem => IntOp::URem,
                    _ => IntOp::LShr,
                };
                let y = self.constant(ty, y);
                self.int(unsigned, a, y)
            }
            _ => return None,
        })
    }

    /// How many bits are set, of a number that is made of single bits, each with a condition: what a vote of a warp gives.
    pub(super) fn counted(&mut self, number: T) -> Option<T> {
        let ty = self.ty(number);
        let (mut bits, mut set) = (Vec::new(), 0);
        self.single_bits(number, ty.mask(), &mut set, &mut bits)?;
        (bits.len() > 1).then_some(())?;
        let mut sum = self.constant(ty, 0);
        for bit in bits {
            let bit = self.cast(CastOp::ZExt, bit, ty);
            sum = self.int(IntOp::Add, sum, bit);
        }
        Some(sum)
    }

    /// The conditions of the bits of a number that are within a mask, each bit once.
    fn single_bits(&mut self, t: T, mask: u64, set: &mut u64, out: &mut Vec<T>) -> Option<()> {
        let (bit, condition) = match *self.node(t) {
            Node::Const(0) => return Some(()),
            Node::Int(IntOp::Or, a, b) => {
                self.single_bits(a, mask, set, out)?;
                return self.single_bits(b, mask, set, out);
            }
            Node::Int(IntOp::And, a, b) => {
                let own = self.value(b)?;
                return self.single_bits(a, mask & own, set, out);
            }
            Node::Int(IntOp::Mul, a, b) => match (self.node(a), self.value(b)) {
                (&Node::Cast(CastOp::ZExt, c), Some(factor)) if factor.is_power_of_two() => {
                    (factor, c)
                }
                _ => return None,
            },
            Node::Cast(CastOp::ZExt, c) => (1, c),
            _ => return None,
        };
        if self.ty(condition) != Ty::I1 || *set & bit != 0 {
            return None;
        }
        *set |= bit;
        if mask & bit != 0 {
            out.push(condition);
        }
        Some(())
    }

    /// A comparison of integers becomes one of `==`, unsigned `<` and signed `<`, one of floats one of the ordered `==`,
    /// `!=`, `<`, `<=` and "neither is a NaN"; or the negation of one.
    pub(crate) fn cmp(&mut self, op: CmpOp, a: T, b: T) -> T {
        use CmpOp::*;
        let (op, a, b, negated) = match op {
            Ne => (Eq, a, b, true),
            UGt => (ULt, b, a, false),
            UGe => (ULt, a, b, true),
            ULe => (ULt, b, a, true),
            SGt => (SLt, b, a, false),
            SGe => (SLt, a, b, true),
            SLe => (SLt, b, a, true),
            FOGt => (FOLt, b, a, false),
            FOGe => (FOLe, b, a, false),
            FULt => (FOLe, b, a, true),
            FULe => (FOLt, b, a, true),
            FUGt => (FOLe, a, b, true),
            FUGe => (FOLt, a, b, true),
            FUEq => (FONe, a, b, true),
            FUNe => (FOEq, a, b, true),
            FUno => (FOrd, a, b, true),
            _ => (op, a, b, false),
        };
        let t = self.plain_cmp(op, a, b);
        if negated { self.not(t) } else { t }
    }

    fn plain_cmp(&mut self, op: CmpOp, a: T, b: T) -> T {
        use CmpOp::*;
        let symmetric = matches!(op, Eq | FOEq | FONe | FOrd);
        let (mut a, mut b) = (a, b);
        if symmetric && (self.value(a).is_some(), a) > (self.value(b).is_some(), b) {
            (a, b) = (b, a);
        }
        let ty = self.ty(a);
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            return self.truth(bits::compare(op, ty, x, y));
        }
        if ty == Ty::Ptr {
            return self.pointer_cmp(op, a, b);
        }
        if matches!(op, Eq | ULt | SLt) {
            if a == b {
                return self.truth(op == Eq);
            }
            if let Some(known) = self.integer_cmp(op, ty, a, b) {
                return known;
            }
        }
        self.intern(Node::Cmp(op, a, b), Ty::I1)
    }

    fn integer_cmp(&mut self, op: CmpOp, ty: Ty, a: T, b: T) -> Option<T> {
        use CmpOp::*;
        if ty == Ty::I1 {
            return match (op, self.value(a), self.value(b)) {
                (Eq, _, Some(1)) => Some(a),
                (Eq, _, Some(_)) => Some(self.not(a)),
                _ => None,
            };
        }
        let (low, high) = self.signed_range(a);
        let (other_low, other_high) = self.signed_range(b);
        let both_positive = low >= 0 && other_low >= 0;
        match op {
            Eq if high < other_low || other_high < low => return Some(self.truth(false)),
            SLt | ULt if op == SLt || both_positive => {
                if high < other_low {
                    return Some(self.truth(true));
                }
                if other_high <= low {
                    return Some(self.truth(false));
                }
            }
            _ => {}
        }
        // One order is enough where both are.
        if op == ULt && both_positive {
            return Some(self.cmp(SLt, a, b));
        }
        let y = self.value(b)?;
        match (op, self.node(a).clone()) {
            (Eq, Node::Int(IntOp::Add, x, c)) => {
                let c = self.value(c)?;
                let moved = self.constant(ty, y.wrapping_sub(c));
                Some(self.cmp(Eq, x, moved))
            }
            (Eq, Node::Cast(CastOp::ZExt, x)) => {
                let from = self.ty(x);
                if y > from.mask() {
                    return Some(self.truth(false));
                }
                let y = self.constant(from, y);
                Some(self.cmp(Eq, x, y))
            }
            (Eq, Node::Cast(CastOp::SExt, x)) => {
                let from = self.ty(x);
                let narrow = y & from.mask();
                if bits::signed(from, narrow) as u64 & ty.mask() != y {
                    return Some(self.truth(false));
                }
                let y = self.constant(from, narrow);
                Some(self.cmp(Eq, x, y))
            }
            (Eq, Node::Select(c, x, z)) if self.value(x).is_some() || self.value(z).is_some() => {
                let (x, z) = (self.cmp(Eq, x, b), self.cmp(Eq, z, b));
                Some(self.select(c, x, z))
            }
            _ => None,
        }
    }

    fn pointer_cmp(&mut self, op: CmpOp, a: T, b: T) -> T {
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Address(x, i), Node::Address(y, j)) if x == y => self.cmp(op, i, j),
            // Null is no address of an object.
            (Node::Address(..), Node::Const(0)) | (Node::Const(0), Node::Address(..))
                if op == CmpOp::Eq =>
            {
                self.truth(false)
            }
            (Node::Select(c, x, y), _) => {
                let (x, y) = (self.cmp(op, x, b), self.cmp(op, y, b));
                self.select(c, x, y)
            }
            (_, Node::Select(c, x, y)) => {
                let (x, y) = (self.cmp(op, a, x), self.cmp(op, a, y));
                self.select(c, x, y)
            }
            // Where objects lie to each other, nobody knows.
            _ => self.undefined(Undefined::AddressBits, Ty::I1),
        }
    }

    pub(crate) fn cast(&mut self, op: CastOp, a: T, to: Ty) -> T {
        let from = self.ty(a);
        if let Some(x) = self.value(a) {
            return self.constant(to, bits::cast(op, from, to, x));
        }
        if from == to && !matches!(op, CastOp::FToF(_)) {
            return a;
        }
        if from == Ty::Ptr || to == Ty::Ptr {
            return self.pointer_cast(a, to);
        }
        match (op, self.node(a).clone()) {
            (CastOp::Bit, Node::Cast(CastOp::Bit, x)) => return self.cast(CastOp::Bit, x, to),
            (CastOp::Bit, Node::Select(c, x, y)) => {
                let (x, y) = (self.cast(op, x, to), self.cast(op, y, to));
                return self.select(c, x, y);
            }
            (CastOp::ZExt, Node::Cast(CastOp::ZExt, x)) => return self.cast(op, x, to),
            (CastOp::SExt, Node::Cast(inner @ (CastOp::SExt | CastOp::ZExt), x))
                if inner == CastOp::SExt || self.ty(x).bits() < from.bits() =>
            {
                return self.cast(inner, x, to);
            }
            (CastOp::SExt, _) if from != Ty::I1 && self.signed_range(a).0 >= 0 => {
                return self.cast(CastOp::ZExt, a, to);
            }
            (CastOp::Trunc, Node::Cast(inner @ (CastOp::ZExt | CastOp::SExt), x)) => {
                let own = self.ty(x);
                return match own.bits().cmp(&to.bits()) {
                    std::cmp::Ordering::Equal => x,
                    std::cmp::Ordering::Less => self.cast(inner, x, to),
                    std::cmp::Ordering::Greater => self.cast(CastOp::Trunc, x, to),
                };
            }
            (CastOp::Trunc, Node::Cast(CastOp::Trunc, x)) => return self.cast(op, x, to),
            // The low bits of a whole that was put together from parts.
            (CastOp::Trunc, Node::Int(whole @ (IntOp::Or | IntOp::And), x, y)) => {
                let (x, y) = (self.cast(op, x, to), self.cast(op, y, to));
                return self.int(whole, x, y);
            }
            (CastOp::Trunc, Node::Int(IntOp::Mul, x, c))
                if self.value(c).is_some_and(|c| c & to.mask() == 0) =>
            {
                let _ = x;
                return self.constant(to, 0);
            }
            _ => {}
        }
        self.intern(Node::Cast(op, a), to)
    }

    /// An address keeps what it is through a cast and back; its bits are not known.
    fn pointer_cast(&mut self, a: T, to: Ty) -> T {
        match self.node(a).clone() {
            Node::Select(c, x, y) => {
                let (x, y) = (self.pointer_cast(x, to), self.pointer_cast(y, to));
                self.select(c, x, y)
            }
            Node::Const(v) => self.constant(to, v),
            Node::Cast(CastOp::Bit, x) if self.ty(x) == to => x,
            _ if to == Ty::I64 && self.ty(a) == Ty::Ptr => {
                self.intern(Node::Cast(CastOp::Bit, a), to)
            }
            _ => self.undefined(Undefined::AddressBits, to),
        }
    }

    pub(crate) fn select(&mut self, c: T, a: T, b: T) -> T {
        if let Some(v) = self.value(c) {
            return if v == 1 { a } else { b };
        }
        if a == b {
            return a;
        }
        if let Node::Not(inner) = *self.node(c) {
            return self.select(inner, b, a);
        }
        // What is chosen under the same condition again.
        if let Node::Select(own, x, _) = *self.node(a)
            && own == c
        {
            return self.select(c, x, b);
        }
        if let Node::Select(own, _, y) = *self.node(b)
            && own == c
        {
            return self.select(c, a, y);
        }
        let ty = self.ty(a);
        if ty == Ty::I1 {
            if let Some(t) = self.select_condition(c, a, b) {
                return t;
            }
        } else if ty == Ty::Ptr {
            if let (&Node::Address(x, i), &Node::Address(y, j)) = (self.node(a), self.node(b))
                && x == y
            {
                let offset = self.select(c, i, j);
                return self.address(x, offset);
            }
        } else if ty.is_int() && self.value(a) == Some(1) && self.value(b) == Some(0) {
            return self.cast(CastOp::ZExt, c, ty);
        } else if let Node::Cmp(op, x, y) = *self.node(c)
            && let Some(t) = self.extreme(op, x, y, a, b)
        {
            return t;
        }
        self.intern(Node::Select(c, a, b), ty)
    }

    fn select_condition(&mut self, c: T, a: T, b: T) -> Option<T> {
        let not_c = self.not(c);
        Some(match (self.value(a), self.value(b)) {
            (Some(1), Some(_)) => c,
            (Some(_), Some(_)) => not_c,
            (Some(1), None) => self.or(c, b),
            (Some(_), None) => self.and(not_c, b),
            (None, Some(1)) => self.or(not_c, a),
            (None, Some(_)) => self.and(c, a),
            _ if a == c => self.or(c, b),
            _ if b == c => self.and(c, a),
            _ => return None,
        })
    }

    /// `x < y ? x : y` and its like, of integers.
    fn extreme(&mut self, op: CmpOp, x: T, y: T, a: T, b: T) -> Option<T> {
        let (least, greatest) = match op {
            CmpOp::SLt => (IntOp::SMin, IntOp::SMax),
            CmpOp::ULt => (IntOp::UMin, IntOp::UMax),
            CmpOp::Eq if (a, b) == (x, y) || (a, b) == (y, x) => return Some(b),
            _ => return None,
        };
        if (a, b) == (x, y) {
            return Some(self.int(least, x, y));
        }
        ((a, b) == (y, x)).then(|| self.int(greatest, x, y))
    }

    /// `base + index * scale + offset`, an address.
    pub(crate) fn index(&mut self, base: T, index: T, scale: i64, offset: i64) -> T {
        if let Node::Select(c, x, y) = *self.node(base) {
            let (x, y) = (self.index(x, index, scale, offset), self.index(y, index, scale, offset));
            return self.select(c, x, y);
        }
        let scale = self.constant(Ty::I64, scale as u64);
        let scaled = self.int(IntOp::Mul, index, scale);
        let offset = self.constant(Ty::I64, offset as u64);
        let by = self.int(IntOp::Add, scaled, offset);
        match *self.node(base) {
            Node::Address(object, from) => {
                let offset = self.int(IntOp::Add, from, by);
                self.address(object, offset)
            }
            _ if self.value(by) == Some(0) => base,
            Node::Const(from) if self.value(by).is_some() => {
                let by = self.value(by).unwrap_or(0);
                self.constant(Ty::Ptr, from.wrapping_add(by))
            }
            _ => self.undefined(Undefined::AddressBits, Ty::Ptr),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::evaluate;

    /// Every rewriting of an operation on a variable and small constants, against the operation itself.
    #[test]
    fn rewriting_keeps_values() {
        use IntOp::*;
        let ops = [
            Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, UMin, UMax, SMin,
            SMax, UMulHi, SMulHi, UAddSat, SAddSat, USubSat, SSubSat,
        ];
        let ty = Ty::I8;
        let numbers = [0u64, 1, 2, 3, 7, 8, 127, 128, 200, 255];
        let mut p = Pool::default();
        let x = p.undefined(Undefined::Uninitialised, ty);
        for op in ops {
            for c in numbers {
                for d in numbers {
                    let (ct, dt) = (p.constant(ty, c), p.constant(ty, d));
                    let once = p.int(op, x, ct);
                    let twice = p.int(op, once, dt);
                    let flipped = p.int(op, ct, x);
                    let chosen = p.cmp(CmpOp::SLt, once, dt);
                    let chosen = p.select(chosen, once, dt);
                    for v in numbers {
                        let of = |t: T| evaluate::value(&p, t, &|_| v);
                        let expected = bits::int(op, ty, v, c);
                        assert_eq!(of(once), expected, "{op:?} {v} {c}");
                        assert_eq!(of(twice), bits::int(op, ty, expected, d), "{op:?} {v} {c} {d}");
                        assert_eq!(of(flipped), bits::int(op, ty, c, v), "{op:?} {c} {v}");
                        let least = bits::int(SMin, ty, expected, d);
                        assert_eq!(of(chosen), least, "{op:?} {v} {c} {d}");
                    }
                }
            }
        }
    }

    #[test]
    fn comparisons_keep_values() {
        use CmpOp::*;
        let numbers = [0u64, 1, 2, 127, 128, 200, 255];
        let mut p = Pool::default();
        let x = p.undefined(Undefined::Uninitialised, Ty::I8);
        let wide = [p.cast(CastOp::ZExt, x, Ty::I16), p.cast(CastOp::SExt, x, Ty::I16)];
        for op in [Eq, Ne, ULt, ULe, UGt, UGe, SLt, SLe, SGt, SGe] {
            for c in [0u64, 1, 127, 128, 200, 255, 256, 0xff80, 0xffff] {
                for (signed, w) in [(false, wide[0]), (true, wide[1])] {
                    let k = p.constant(Ty::I16, c);
                    let seven = p.constant(Ty::I16, 7);
                    let sum = p.int(IntOp::Add, w, seven);
                    let (t, u, s) = (p.cmp(op, w, k), p.cmp(op, k, w), p.cmp(op, sum, k));
                    for v in numbers {
                        let of = |t: T| evaluate::value(&p, t, &|_| v) == 1;
                        let cast = if signed { CastOp::SExt } else { CastOp::ZExt };
                        let value = bits::cast(cast, Ty::I8, Ty::I16, v);
                        let plus = bits::int(IntOp::Add, Ty::I16, value, 7);
                        assert_eq!(of(t), bits::compare(op, Ty::I16, value, c), "{op:?} {v} {c}");
                        assert_eq!(of(u), bits::compare(op, Ty::I16, c, value), "{op:?} {c} {v}");
                        assert_eq!(of(s), bits::compare(op, Ty::I16, plus, c), "{op:?} {v}+7 {c}");
                    }
                }
            }
        }
        let f = p.undefined(Undefined::Uninitialised, Ty::F32);
        let values = [0.0f32, -0.0, 1.0, f32::NAN, f32::INFINITY];
        for op in
            [FOEq, FONe, FOLt, FOLe, FOGt, FOGe, FOrd, FUEq, FUNe, FULt, FULe, FUGt, FUGe, FUno]
        {
            for c in values {
                let k = p.constant(Ty::F32, u64::from(c.to_bits()));
                let t = p.cmp(op, f, k);
                for v in values {
                    let v = u64::from(v.to_bits());
                    let expected = bits::compare(op, Ty::F32, v, u64::from(c.to_bits()));
                    assert_eq!(evaluate::value(&p, t, &|_| v) == 1, expected, "{op:?} {v:x} {c}");
                }
            }
        }
    }
}
