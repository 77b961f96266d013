//! Matrices held by the lanes of a warp.
//!
//! Loads and stores (`ldmatrix`, `stmatrix`) are what each lane reads or writes, at an address that another lane gives:
//! lane `8 * m + r` has that of row `r` of matrix `m`. A row has 16 bytes. Products (`mma`) are one operation; which lane
//! holds which element is in [`lockstep_kernel::Product`]; Volta's layout is another one ([`super::volta`]). Unsupported: sparse
//! and block-scaled products, matrices of 8-bit elements in memory.

use lockstep_kernel::{
    CmpOp, IntOp, MatrixElem, MatrixTimes, Op, Operand, Product, Reg, Scope, ShuffleMode, SiteKind,
    Space, Special, Ty,
};

use super::text::{Names, Statement, vector};
use super::types;
use super::warp::{ALL_LANES, WHOLE_WARP};
use crate::lower::Lower;

/// Elements of 16 bits of one lane in an 8x8 matrix: two of its row, or, transposed, of its column.
struct Place {
    addr: Operand,
    /// For the transposed form, the second element.
    second: Option<Operand>,
}

impl Lower<'_> {
    /// `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d…}, {a…}, {b…}, {c…}`.
    pub(super) fn ptx_mma(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let product = product(&s.parts[3..])?;
        let &[d, a, b, c] = &s.operands[..] else { return None };
        let list = |text| vector(text).unwrap_or_else(|| vec![text]);
        let [na, nb, nc] = product.registers();
        let read = |me: &mut Self, text, ty: Ty, n: u32| {
            let texts = list(text);
            let value = |t: &&str| match me.ptx_value(t, ty, names) {
                Some(value) => Some(value),
                None => types::float(t, ty).map(Operand::Imm),
            };
            let values: Option<Vec<Operand>> = texts.iter().map(value).collect();
            values.filter(|v| v.len() == n as usize)
        };
        let (factor, sum) = (product.factor_register(), product.sum_register());
        let a = read(self, a, factor, na)?;
        let b = read(self, b, factor, nb)?;
        let c = read(self, c, sum, nc)?;
        let d = list(d);
        if d.len() != nc as usize {
            return None;
        }
        let regs: Vec<Reg> = d.iter().map(|_| self.new_reg(sum)).collect();
        self.push(Op::MatrixProduct { product, a, b, c }, Some(regs[0]));
        for (name, reg) in d.into_iter().zip(regs) {
            names.insert(name.to_string(), (Operand::Reg(reg), sum));
        }
        Some(())
    }

    /// `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {r…}, [p]`.
    pub(super) fn ptx_ldmatrix(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let &[d, at] = &s.operands[..] else { return None };
        let regs = vector(d)?;
        for (place, name) in self.places(s, at, regs.len(), names)?.into_iter().zip(regs) {
            let mut load = |ty: Ty, addr| {
                let bytes = ty.bytes();
                let kind = SiteKind::Read;
                let site = self.site(kind, bytes, bytes, Space::Shared, false, Scope::Thread);
                self.def(Op::Load { site, ty, count: 1, addr }, ty)
            };
            let value = match place.second {
                None => load(Ty::I32, place.addr),
                Some(second) => {
                    let (low, high) = (load(Ty::I16, place.addr), load(Ty::I16, second));
                    self.two_halves(low, high)
                }
            };
            names.insert(name.to_string(), (value, Ty::I32));
        }
        Some(())
    }

    /// `stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [p], {r…}`.
    pub(super) fn ptx_stmatrix(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let &[at, values] = &s.operands[..] else { return None };
        let values = vector(values)?;
        for (place, name) in self.places(s, at, values.len(), names)?.into_iter().zip(values) {
            let value = self.ptx_value(name, Ty::I32, names)?;
            let store = |me: &mut Self, ty: Ty, addr, value| {
                let bytes = ty.bytes();
                let kind = SiteKind::Write;
                let site = me.site(kind, bytes, bytes, Space::Shared, false, Scope::Thread);
                me.push(Op::Store { site, ty, values: vec![value], addr }, None);
            };
            match place.second {
                None => store(self, Ty::I32, place.addr, value),
                Some(second) => {
                    let low = self.zext(Ty::I32, Ty::I16, value);
                    let high = self.int(IntOp::LShr, Ty::I32, value, Operand::Imm(16));
                    let high = self.zext(Ty::I32, Ty::I16, high);
                    store(self, Ty::I16, place.addr, low);
                    store(self, Ty::I16, second, high);
                }
            }
        }
        Some(())
    }

    /// Where the lane's elements of each matrix are.
    fn places(
        &mut self,
        s: &Statement<'_>,
        at: &str,
        registers: usize,
        names: &Names,
    ) -> Option<Vec<Place>> {
        let count = match (s.has("x1"), s.has("x2"), s.has("x4")) {
            (true, ..) => 1,
            (_, true, _) => 2,
            (.., true) => 4,
            _ => return None,
        };
        if !s.has("m8n8") || s.parts.last() != Some(&"b16") || registers != count {
            return None;
        }
        let given = self.ptx_address(at, names)?;
        let t = Ty::I32;
        let lane = self.special(Special::LaneId);
        let group = self.int(IntOp::LShr, t, lane, Operand::Imm(2));
        let member = self.int(IntOp::And, t, lane, Operand::Imm(3));
        let mut places = Vec::new();
        for m in 0..count as u64 {
            let row = |me: &mut Self, row: Operand| {
                let from = me.int(IntOp::Add, t, row, Operand::Imm(8 * m));
                me.shuffle(ShuffleMode::Index, Ty::Ptr, given, from, WHOLE_WARP, Some(ALL_LANES))
            };
            if !s.has("trans") {
                let begin = row(self, group);
                let by = self.zext(t, Ty::I64, member);
                places.push(Place { addr: self.index(begin, by, 4, 0), second: None });
                continue;
            }
            let first = self.int(IntOp::Shl, t, member, Operand::Imm(1));
            let next = self.int(IntOp::Add, t, first, Operand::Imm(1));
            let by = self.zext(t, Ty::I64, group);
            let (first, next) = (row(self, first), row(self, next));
            let (addr, second) = (self.index(first, by, 2, 0), self.index(next, by, 2, 0));
            places.push(Place { addr, second: Some(second) });
        }
        Some(places)
    }

    /// `movmatrix.sync.aligned.m8n8.trans.b16 d, a`: the lane's two elements of a column come from the lanes that hold
    /// them in their rows.
    pub(super) fn ptx_movmatrix(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let &[d, a] = &s.operands[..] else { return None };
        if s.parts[3..] != ["m8n8", "trans", "b16"] {
            return None;
        }
        let t = Ty::I32;
        let a = self.ptx_value(a, t, names)?;
        let lane = self.special(Special::LaneId);
        let group = self.int(IntOp::LShr, t, lane, Operand::Imm(2));
        let member = self.int(IntOp::And, t, lane, Operand::Imm(3));
        let pair = self.int(IntOp::LShr, t, group, Operand::Imm(1));
        let odd = self.int(IntOp::And, t, group, Operand::Imm(1));
        let is_odd = self.cmp(CmpOp::Ne, t, odd, Operand::Imm(0));
        let element = |me: &mut Self, i: u64| {
            let from = me.int(IntOp::Shl, t, member, Operand::Imm(3));
            let from = me.int(IntOp::Add, t, from, pair);
            let from = me.int(IntOp::Add, t, from, Operand::Imm(4 * i));
            let (mode, all) = (ShuffleMode::Index, Some(ALL_LANES));
            let word = me.shuffle(mode, t, a, from, WHOLE_WARP, all);
            let high = me.int(IntOp::LShr, t, word, Operand::Imm(16));
            let half = me.select(t, is_odd, high, word);
            me.zext(t, Ty::I16, half)
        };
        let (low, high) = (element(self, 0), element(self, 1));
        let value = self.two_halves(low, high);
        names.insert(d.to_string(), (value, t));
        Some(())
    }

    pub(super) fn two_halves(&mut self, low: Operand, high: Operand) -> Operand {
        let low = self.zext(Ty::I16, Ty::I32, low);
        let high = self.zext(Ty::I16, Ty::I32, high);
        let high = self.int(IntOp::Shl, Ty::I32, high, Operand::Imm(16));
        self.int(IntOp::Or, Ty::I32, low, high)
    }
}

/// `m16n8k16.row.col.f32.f16.f16.f32`, `m16n8k256.row.col.s32.b1.b1.s32.xor.popc`.
fn product(parts: &[&str]) -> Option<Product> {
    let (shape, rest) = parts.split_first()?;
    let shape = shape.strip_prefix('m')?;
    let (rows, shape) = shape.split_once('n')?;
    let (columns, depth) = shape.split_once('k')?;
    let rest = rest.strip_prefix(&["row", "col"])?;
    let (saturates, rest) = match rest.strip_prefix(&["satfinite"]) {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    // The formats of 8 bits have the layout of other bytes.
    let rest = rest.strip_prefix(&["kind::f8f6f4"]).unwrap_or(rest);
    let (&[d, a, b, c], times) = rest.split_at_checked(4).and_then(|(types, rest)| {
        let times = match rest {
            [] => MatrixTimes::Product,
            ["and", "popc"] => MatrixTimes::And,
            ["xor", "popc"] => MatrixTimes::Xor,
            _ => return None,
        };
        Some((<&[&str; 4]>::try_from(types).ok()?, times))
    })?;
    let sum = match d {
        "f16" => Ty::F16,
        "f32" => Ty::F32,
        "f64" => Ty::F64,
        "s32" => Ty::I32,
        _ => return None,
    };
    let (a, b) = (elem(a)?, elem(b)?);
    let (rows, depth) = (rows.parse().ok()?, depth.parse().ok()?);
    let product = Product { rows, depth, a, b, times, sum, saturates };
    let is_binary = (a == MatrixElem::Bit) == (times != MatrixTimes::Product);
    let is_integer = |e| matches!(e, MatrixElem::Int { .. } | MatrixElem::Bit);
    let fits = columns == "8"
        && d == c
        && matches!(rows, 8 | 16)
        && a.bits() == b.bits()
        && u32::from(depth) % (4 * product.in_register()) == 0
        && is_binary
        && is_integer(a) == (sum == Ty::I32)
        && is_integer(b) == (sum == Ty::I32)
        && (a == MatrixElem::F64) == (sum == Ty::F64);
    // Volta's layout is another one: there 8 columns of depth 4 are not a whole step.
    fits.then_some(product)
}

fn elem(name: &str) -> Option<MatrixElem> {
    let int = |bits, signed| Some(MatrixElem::Int { bits, signed });
    match name {
        "f16" => Some(MatrixElem::F16),
        "bf16" => Some(MatrixElem::BF16),
        "tf32" => Some(MatrixElem::TF32),
        "f64" => Some(MatrixElem::F64),
        "e4m3" => Some(MatrixElem::E4M3),
        "e5m2" => Some(MatrixElem::E5M2),
        "s8" => int(8, true),
        "u8" => int(8, false),
        "s4" => int(4, true),
        "u4" => int(4, false),
        "b1" => Some(MatrixElem::Bit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Product> {
        product(&text.split('.').collect::<Vec<_>>())
    }

    #[test]
    fn shapes() {
        let p = of("m16n8k16.row.col.f32.bf16.bf16.f32").unwrap();
        assert_eq!((p.registers(), p.sum_register()), ([4, 2, 4], Ty::F32));
        let p = of("m16n8k16.row.col.f16.f16.f16.f16").unwrap();
        assert_eq!((p.registers(), p.sum_register()), ([4, 2, 2], Ty::I32));
        let p = of("m16n8k32.row.col.satfinite.s32.u8.s8.s32").unwrap();
        assert_eq!((p.registers(), p.saturates), ([4, 2, 4], true));
        let p = of("m8n8k4.row.col.f64.f64.f64.f64").unwrap();
        assert_eq!((p.registers(), p.factor_register()), ([1, 1, 2], Ty::F64));
        assert!(of("m16n8k256.row.col.s32.b1.b1.s32.xor.popc").is_some());
        // Volta's layout, a layout that does not exist, types that do not fit.
        assert_eq!(of("m8n8k4.row.col.f32.f16.f16.f32"), None);
        assert_eq!(of("m16n8k16.row.row.f32.f16.f16.f32"), None);
        assert_eq!(of("m16n8k16.row.col.f32.s8.s8.f32"), None);
        assert_eq!(of("m16n8k256.row.col.s32.b1.b1.s32"), None);
    }
}
