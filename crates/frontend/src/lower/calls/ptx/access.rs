//! Scalar and vector accesses and atomics in inline PTX.

use lockstep_kernel::{AtomicOp, IntOp, Op, Operand, Order, Reg, Scope, SiteKind, Space, Ty};

use super::text::{Names, Statement, vector};
use super::{scope_of, types};
use crate::lower::Lower;
use crate::lower::insts::unsigned;

impl Lower<'_> {
    /// `ld.acquire.gpu.u32 $0, [$1]`, `atom.add.relaxed.cta.shared.u32 $0, [$1], $2`.
    pub(super) fn ptx_access(&mut self, s: &Statement<'_>, names: &mut Names) -> Option<()> {
        let (kind, tail, operands) = (s.parts[0], s.tail(), &s.operands[..]);
        if tail.iter().any(|t| matches!(*t, "async" | "param" | "matrix" | "bulk")) {
            return None;
        }
        let pair = *tail.last()? == "f16x2";
        let ty = match *tail.last()? {
            "u8" | "s8" | "b8" => Ty::I8,
            "u16" | "s16" | "b16" => Ty::I16,
            "u32" | "s32" | "b32" => Ty::I32,
            "u64" | "s64" | "b64" => Ty::I64,
            "f16" | "f16x2" => Ty::F16,
            "f32" => Ty::F32,
            "f64" => Ty::F64,
            _ => return None,
        };
        let signed = tail.last()?.starts_with('s');
        let space = tail.iter().find_map(|t| {
            Some(match *t {
                "shared" | "shared::cta" => Space::Shared,
                "global" => Space::Global,
                "const" => Space::Constant,
                _ => return None,
            })
        });
        let space = space.unwrap_or(Space::Generic);
        let is_load = kind == "ld";
        let has_result = matches!(kind, "ld" | "atom");
        let at = operands.get(usize::from(has_result))?;
        let addr = self.ptx_address(at, names)?;
        let strong = tail.iter().any(|t| matches!(*t, "acquire" | "release" | "relaxed"));
        let count = match tail.iter().find(|t| matches!(**t, "v2" | "v4" | "v8")) {
            Some(&"v2") => 2,
            Some(&"v4") => 4,
            Some(_) => 8,
            None => 1,
        };
        if pair {
            return self.ptx_atomic_pair(kind, tail, space, addr, operands, names);
        }
        if count > 1 {
            if !matches!(kind, "ld" | "st") {
                return None;
            }
            if strong {
                return self
                    .ptx_strong_vector(is_load, tail, ty, count, space, addr, operands, names);
            }
            // One access for all elements.
            let volatile = tail.contains(&"volatile");
            return self
                .ptx_vector_access(is_load, ty, count, space, volatile, addr, operands, names);
        }
        let rest: Vec<(Operand, Ty)> = operands[usize::from(has_result) + 1..]
            .iter()
            .map(|o| {
                names
                    .get(o)
                    .copied()
                    .or_else(|| o.parse::<u64>().ok().map(|v| (Operand::Imm(v), ty)))
            })
            .collect::<Option<_>>()?;
        let rest: Vec<Operand> =
            rest.into_iter().map(|(v, from)| self.convert_bits(from, ty, v)).collect();
        let scope = scope_of(tail);
        let order = order_of(tail);
        let result = match kind {
            "ld" | "st" if !strong => {
                let volatile = tail.contains(&"volatile");
                let access = if is_load { SiteKind::Read } else { SiteKind::Write };
                let site =
                    self.site(access, ty.bytes(), ty.bytes(), space, volatile, Scope::Thread);
                if is_load {
                    Some(self.def(Op::Load { site, ty, count: 1, addr }, ty))
                } else {
                    self.push(Op::Store { site, ty, values: vec![*rest.first()?], addr }, None);
                    None
                }
            }
            "ld" => Some(self.atomic(
                AtomicOp::Load,
                ty,
                space,
                addr,
                Operand::Undef,
                Operand::Undef,
                order,
                scope,
            )),
            "st" => {
                self.atomic(
                    AtomicOp::Store,
                    ty,
                    space,
                    addr,
                    *rest.first()?,
                    Operand::Undef,
                    order,
                    scope,
                );
                None
            }
            _ => {
                let op = tail.iter().find_map(|t| {
                    Some(match *t {
                        "add" if ty.is_float() => AtomicOp::FAdd,
                        "add" => AtomicOp::Add,
                        "exch" => AtomicOp::Exchange,
                        "cas" => AtomicOp::CompareExchange,
                        "and" => AtomicOp::And,
                        "or" => AtomicOp::Or,
                        "xor" => AtomicOp::Xor,
                        "inc" => AtomicOp::Inc,
                        "dec" => AtomicOp::Dec,
                        "min" if signed => AtomicOp::SMin,
                        "min" => AtomicOp::UMin,
                        "max" if signed => AtomicOp::SMax,
                        "max" => AtomicOp::UMax,
                        _ => return None,
                    })
                })?;
                let (value, expected) = match (op, &rest[..]) {
                    (AtomicOp::CompareExchange, &[expected, desired]) => (desired, expected),
                    (_, &[value]) => (value, Operand::Undef),
                    _ => return None,
                };
                Some(self.atomic(op, ty, space, addr, value, expected, order, scope))
            }
        };
        if let (true, Some(r)) = (has_result, result) {
            names.insert(operands.first()?.to_string(), (r, ty));
        }
        Some(())
    }

    /// `[$1+16]`.
    pub(super) fn ptx_address(&mut self, text: &str, names: &Names) -> Option<Operand> {
        let inner = text.strip_prefix('[')?.strip_suffix(']')?.trim();
        let (name, offset) = inner.split_once('+').unwrap_or((inner, "0"));
        let offset = types::integer(offset.trim())? as i64;
        let &(value, ty) = names.get(name.trim())?;
        let pointer = match ty.bits() {
            64 => self.bits(ty, Ty::Ptr, value),
            // Which pointer it was made of is found when the kernel is complete.
            32 => self.narrow_address(value),
            _ => return None,
        };
        Some(self.index(pointer, Operand::Imm(0), 0, offset))
    }

    /// `atom.add.noftz.f16x2 $0, [$1], $2`: each half is atomic, not the pair.
    fn ptx_atomic_pair(
        &mut self,
        kind: &str,
        tail: &[&str],
        space: Space,
        addr: Operand,
        operands: &[&str],
        names: &mut Names,
    ) -> Option<()> {
        let (result, value) = match (kind, operands) {
            ("atom", &[result, _, value]) => (Some(result), value),
            ("red", &[_, value]) => (None, value),
            _ => return None,
        };
        if !tail.contains(&"add") {
            return None;
        }
        let (scope, order) = (scope_of(tail), order_of(tail));
        let whole = self.ptx_value(value, Ty::I32, names)?;
        let mut old = Operand::Imm(0);
        for half in 0..2u64 {
            let part = self.int(IntOp::LShr, Ty::I32, whole, Operand::Imm(16 * half));
            let part = self.zext(Ty::I32, Ty::I16, part);
            let part = self.bits(Ty::I16, Ty::F16, part);
            let at = self.index(addr, Operand::Imm(0), 0, 2 * half as i64);
            let add = AtomicOp::FAdd;
            let before = self.atomic(add, Ty::F16, space, at, part, Operand::Undef, order, scope);
            let bits = self.bits(Ty::F16, Ty::I16, before);
            let bits = self.zext(Ty::I16, Ty::I32, bits);
            let bits = self.int(IntOp::Shl, Ty::I32, bits, Operand::Imm(16 * half));
            old = self.int(IntOp::Or, Ty::I32, old, bits);
        }
        if let Some(result) = result {
            names.insert(result.to_string(), (old, Ty::I32));
        }
        Some(())
    }

    /// `st.relaxed.gpu.v2.u32 [$0], {a,b}`: in the memory model, a separate access for each element.
    fn ptx_strong_vector(
        &mut self,
        is_load: bool,
        tail: &[&str],
        ty: Ty,
        count: u8,
        space: Space,
        addr: Operand,
        operands: &[&str],
        names: &mut Names,
    ) -> Option<()> {
        let parts = parts_of_vector(operands.get(usize::from(!is_load))?, count)?;
        let (scope, order) = (scope_of(tail), order_of(tail));
        for (i, name) in parts.iter().enumerate() {
            let at = self.index(addr, Operand::Imm(0), 0, i as i64 * i64::from(ty.bytes()));
            let (op, value) = if is_load {
                (AtomicOp::Load, Operand::Undef)
            } else {
                let value = self.ptx_value(name, unsigned(ty), names)?;
                (AtomicOp::Store, self.bits(unsigned(ty), ty, value))
            };
            let result = self.atomic(op, ty, space, at, value, Operand::Undef, order, scope);
            if is_load {
                names.insert((*name).to_string(), (result, ty));
            }
        }
        Some(())
    }

    /// `ld.global.v4.u32 {a,b,c,d}, [$1]`, `st.global.v2.f32 [$0], {a,b}`.
    fn ptx_vector_access(
        &mut self,
        is_load: bool,
        ty: Ty,
        count: u8,
        space: Space,
        volatile: bool,
        addr: Operand,
        operands: &[&str],
        names: &mut Names,
    ) -> Option<()> {
        let parts = parts_of_vector(operands.get(usize::from(!is_load))?, count)?;
        let size = ty.bytes() * u32::from(count);
        let access = if is_load { SiteKind::Read } else { SiteKind::Write };
        if is_load {
            let site = self.site(access, size, size, space, volatile, Scope::Thread);
            let regs: Vec<Reg> = parts.iter().map(|_| self.new_reg(ty)).collect();
            self.push(Op::Load { site, ty, count, addr }, Some(regs[0]));
            for (name, reg) in parts.iter().zip(regs) {
                names.insert((*name).to_string(), (Operand::Reg(reg), ty));
            }
        } else {
            let mut values = Vec::new();
            for name in &parts {
                values.push(self.ptx_value(name, unsigned(ty), names)?);
            }
            let values = values.into_iter().map(|v| self.bits(unsigned(ty), ty, v)).collect();
            let site = self.site(access, size, size, space, volatile, Scope::Thread);
            self.push(Op::Store { site, ty, values, addr }, None);
        }
        Some(())
    }
}

fn order_of(parts: &[&str]) -> Order {
    if parts.contains(&"acq_rel") {
        Order::AcqRel
    } else if parts.contains(&"acquire") {
        Order::Acquire
    } else if parts.contains(&"release") {
        Order::Release
    } else {
        Order::Relaxed
    }
}

/// `{a,b}`, if it has the expected number of elements.
fn parts_of_vector(operand: &str, count: u8) -> Option<Vec<&str>> {
    vector(operand).filter(|parts| parts.len() == usize::from(count))
}
