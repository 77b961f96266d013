//! Words of two or four integers (`vadd4` and its like), funnel shifts, selections, and other small arithmetic with
//! operands of its own.

use lockstep_kernel::{CmpOp, IntOp, Operand, Ty};

use super::arithmetic::comparison;
use super::text::{Names, Statement};
use super::types::Kind;
use crate::lower::Lower;

const WORD: Ty = Ty::I32;

impl Lower<'_> {
    /// `vabsdiff4.u32.u32.u32.add d, a, b, c`: lane by lane, wrapped or saturated; with `add`, the sum of the lanes and
    /// `c`. Selections of lanes (`a.b0123`, `d.b0`) are unsupported.
    pub(super) fn ptx_by_lane(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let (name, lanes) = match s.parts[0].split_at(s.parts[0].len() - 1) {
            (name, "2") => (name, 2),
            (name, "4") => (name, 4),
            _ => return None,
        };
        let is_signed = |suffix: &str| match suffix {
            "s32" => Some(true),
            "u32" => Some(false),
            _ => None,
        };
        let (result, rest) = match (name, s.tail()) {
            ("vset", rest) => (false, rest),
            (_, [to, rest @ ..]) => (is_signed(to)?, rest),
            _ => return None,
        };
        let &[a_type, b_type, ref rest @ ..] = rest else { return None };
        let signs = [is_signed(a_type)?, is_signed(b_type)?];
        let (how, rest) = match (name, rest) {
            ("vset", [how, rest @ ..]) => (Some(*how), rest),
            (_, rest) => (None, rest),
        };
        let (saturates, adds) = match rest {
            [] => (false, false),
            ["sat"] => (true, false),
            ["add"] => (false, true),
            ["sat", "add"] => (true, true),
            _ => return None,
        };
        let &[d, a, b, c] = &s.operands[..] else { return None };
        let words = [self.ptx_value(a, WORD, names)?, self.ptx_value(b, WORD, names)?];
        let width = WORD.bits() / lanes;
        let (mut whole, mut sum) = (Operand::Imm(0), self.ptx_value(c, WORD, names)?);
        for lane in 0..lanes {
            let at = Operand::Imm(u64::from(lane * width));
            let [x, y] = [0, 1].map(|i| self.lane_of(words[i], at, width, signs[i]));
            let value = self.on_lanes(name, how, signs, x, y)?;
            let value = if saturates { self.clamped(value, width, result) } else { value };
            if adds {
                let value = self.lane_of(value, Operand::Imm(0), width, result);
                sum = self.int(IntOp::Add, WORD, sum, value);
            }
            let bits = self.int(IntOp::And, WORD, value, Operand::Imm((1 << width) - 1));
            let bits = self.int(IntOp::Shl, WORD, bits, at);
            whole = self.int(IntOp::Or, WORD, whole, bits);
        }
        names.insert(d.to_string(), (if adds { sum } else { whole }, WORD));
        Some(())
    }

    /// A lane, extended to a word.
    fn lane_of(&mut self, word: Operand, at: Operand, width: u32, signed: bool) -> Operand {
        let bits = self.int(IntOp::LShr, WORD, word, at);
        let narrow = if width == 8 { Ty::I8 } else { Ty::I16 };
        let bits = self.zext(WORD, narrow, bits);
        if signed { self.sext(narrow, WORD, bits) } else { self.zext(narrow, WORD, bits) }
    }

    fn on_lanes(
        &mut self,
        name: &str,
        how: Option<&str>,
        signs: [bool; 2],
        x: Operand,
        y: Operand,
    ) -> Option<Operand> {
        // Both are extended, so comparisons and differences are those of signed words.
        let less = |me: &mut Self| me.cmp(CmpOp::SLt, WORD, x, y);
        Some(match name {
            "vadd" => self.int(IntOp::Add, WORD, x, y),
            "vsub" => self.int(IntOp::Sub, WORD, x, y),
            "vmin" => self.int(IntOp::SMin, WORD, x, y),
            "vmax" => self.int(IntOp::SMax, WORD, x, y),
            "vabsdiff" => {
                let (up, down) =
                    (self.int(IntOp::Sub, WORD, y, x), self.int(IntOp::Sub, WORD, x, y));
                let less = less(self);
                self.select(WORD, less, up, down)
            }
            "vavrg" => {
                // Rounded away from zero.
                let sum = self.int(IntOp::Add, WORD, x, y);
                let up = self.cmp(CmpOp::SGe, WORD, sum, Operand::Imm(0));
                let up = self.zext(Ty::I1, WORD, up);
                let sum = self.int(IntOp::Add, WORD, sum, up);
                self.int(IntOp::AShr, WORD, sum, Operand::Imm(1))
            }
            "vset" => {
                let test = comparison(how?, false, signs[0] || signs[1])?;
                let holds = self.cmp(test, WORD, x, y);
                self.zext(Ty::I1, WORD, holds)
            }
            _ => return None,
        })
    }

    fn clamped(&mut self, x: Operand, width: u32, signed: bool) -> Operand {
        let (least, most) = match signed {
            true => (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1),
            false => (0, (1i64 << width) - 1),
        };
        let word = |v: i64| Operand::Imm(v as u64 & WORD.mask());
        let x = self.int(IntOp::SMax, WORD, x, word(least));
        self.int(IntOp::SMin, WORD, x, word(most))
    }

    /// `shf.l.clamp.b32 d, low, high, n`: 32 bits of both words, shifted by at most 32 (`clamp`) or by `n` modulo 32.
    pub(super) fn ptx_funnel(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let (&[side, how, "b32"], &[d, low, high, n]) = (s.tail(), &s.operands[..]) else {
            return None;
        };
        let wide = Ty::I64;
        let [low, high, n] = [low, high, n].map(|o| self.ptx_value(o, WORD, names));
        let n = match how {
            "clamp" => self.int(IntOp::UMin, WORD, n?, Operand::Imm(32)),
            "wrap" => self.int(IntOp::And, WORD, n?, Operand::Imm(31)),
            _ => return None,
        };
        let [low, high, n] = [low?, high?, n].map(|o| self.zext(WORD, wide, o));
        let high = self.int(IntOp::Shl, wide, high, Operand::Imm(32));
        let both = self.int(IntOp::Or, wide, high, low);
        let shifted = match side {
            "l" => {
                let up = self.int(IntOp::Shl, wide, both, n);
                self.int(IntOp::LShr, wide, up, Operand::Imm(32))
            }
            "r" => self.int(IntOp::LShr, wide, both, n),
            _ => return None,
        };
        let shifted = self.zext(wide, WORD, shifted);
        names.insert(d.to_string(), (shifted, WORD));
        Some(())
    }

    /// `selp.b32 d, a, b, p`.
    pub(super) fn ptx_select(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let kind = Kind::of(s.parts.last()?)?;
        let &[dst, a, b, p] = &s.operands[..] else { return None };
        let (a, b) = (self.operand(a, kind, names)?, self.operand(b, kind, names)?);
        let p = self.predicate(p, names)?;
        let r = self.select(kind.storage(), p, a, b);
        names.insert(dst.to_string(), (r, kind.storage()));
        Some(())
    }

    /// `slct.b32.s32 d, a, b, c`: `a` where `c` is not negative.
    pub(super) fn ptx_select_by_sign(
        &mut self,
        s: &Statement<'_>,
        names: &mut Names,
    ) -> Option<()> {
        let (&[.., of, by], &[dst, a, b, c]) = (&s.parts[..], &s.operands[..]) else { return None };
        let (of, by) = (Kind::of(of)?, Kind::of(by)?);
        let c = self.operand(c, by, names)?;
        let (ty, test) = match by {
            Kind::Int { ty, signed: true } => (ty, CmpOp::SGe),
            Kind::Float(ty) => (ty, CmpOp::FOGe),
            _ => return None,
        };
        let chosen = self.cmp(test, ty, c, Operand::Imm(0));
        let (a, b) = (self.operand(a, of, names)?, self.operand(b, of, names)?);
        let r = self.select(of.storage(), chosen, a, b);
        names.insert(dst.to_string(), (r, of.storage()));
        Some(())
    }

    /// `dp2a.lo.s32.u32 d, a, b, c`: two products of halves of `a` and bytes of `b`.
    pub(super) fn ptx_dot_of_halves(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let (&[part, a_type, b_type], &[dst, a, b, c]) = (s.tail(), &s.operands[..]) else {
            return None;
        };
        let first = match part {
            "lo" => 0,
            "hi" => 2,
            _ => return None,
        };
        let signed = |t| match t {
            "s32" => Some(true),
            "u32" => Some(false),
            _ => None,
        };
        let (a_signed, b_signed) = (signed(a_type)?, signed(b_type)?);
        let [a, b, c] = [a, b, c].map(|o| self.ptx_value(o, WORD, names));
        let (a, b, mut sum) = (a?, b?, c?);
        for i in 0..2u64 {
            let x = self.lane_of(a, Operand::Imm(16 * i), 16, a_signed);
            let y = self.lane_of(b, Operand::Imm(8 * (first + i)), 8, b_signed);
            let product = self.int(IntOp::Mul, WORD, x, y);
            sum = self.int(IntOp::Add, WORD, sum, product);
        }
        names.insert(dst.to_string(), (sum, WORD));
        Some(())
    }

    /// `cvta.to.shared.u64 d, a`: an address is the same in every window here.
    pub(super) fn ptx_cvta(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let &[dst, a] = &s.operands[..] else { return None };
        let value = *names.get(a)?;
        names.insert(dst.to_string(), value);
        Some(())
    }

    /// `createpolicy.fractional.L2::evict_last.b64 d, 1.0`: a number that accesses hand on to the cache.
    pub(super) fn ptx_policy(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let dst = *s.operands.first()?;
        names.insert(dst.to_string(), (Operand::Imm(0), Ty::I64));
        Some(())
    }
}
