//! Inline PTX: barriers, fences, lane registers, and the scalar accesses that `cuda::atomic` is made of.
//!
//! Each statement of the text is read by itself; `$n` names the call's operand `n`, results first. A statement
//! that is not understood makes the whole text unsupported.

use std::collections::HashMap;

use llvm_sys::core::*;
use lockstep_kernel::{
    AtomicOp, BarrierReduce, CmpOp, IntOp, Op, Operand, Order, Scope, SiteKind, Space, Ty,
};

use super::Lower;
use super::calls::Outcome;
use super::insts::unsigned;
use super::nvvm::special_register;
use crate::llvm::{self, Val};

impl Lower<'_> {
    pub(super) fn inline_asm(&mut self, inst: Val, asm: Val, args: &[Val]) -> Outcome {
        let text = unsafe {
            let mut len = 0;
            let p = LLVMGetInlineAsmAsmString(asm, &mut len);
            if p.is_null() {
                String::new()
            } else {
                String::from_utf8_lossy(std::slice::from_raw_parts(p.cast(), len)).into_owned()
            }
        };
        let outs = self.leaves(llvm::type_of(inst))?;
        let mut names: HashMap<String, (Operand, Ty)> = HashMap::new();
        for (i, &arg) in args.iter().enumerate() {
            let ty = self.ty_of(arg)?;
            let value = self.scalar(arg);
            names.insert(format!("${}", outs.len() + i), (value, ty));
        }
        let shown = || {
            let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("inline PTX \"{}\"", one_line.chars().take(80).collect::<String>())
        };
        let body = text.replace("$$", "%%");
        for statement in body.split(';') {
            let statement = statement.trim().trim_matches(['{', '}']).trim();
            if statement.is_empty() || statement.starts_with("//") {
                continue;
            }
            if self
                .statement(statement, &mut names, &outs.iter().map(|l| l.ty).collect::<Vec<_>>())
                .is_none()
            {
                return Err(shown());
            }
        }
        let mut results = Vec::new();
        for (i, leaf) in outs.iter().enumerate() {
            let Some(&(value, ty)) = names.get(&format!("${i}")) else {
                return Err(shown());
            };
            results.push(self.convert_bits(ty, leaf.ty, value));
        }
        Ok(results)
    }

    fn convert_bits(&mut self, from: Ty, to: Ty, x: Operand) -> Operand {
        let (fi, ti) = (unsigned(from), unsigned(to));
        let x = self.bits(from, fi, x);
        let x = self.zext(fi, ti, x);
        self.bits(ti, to, x)
    }

    fn statement(
        &mut self,
        text: &str,
        names: &mut HashMap<String, (Operand, Ty)>,
        outs: &[Ty],
    ) -> Option<()> {
        let (opcode, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let operands: Vec<&str> =
            rest.split(',').map(str::trim).filter(|s| !s.is_empty()).collect();
        let parts: Vec<&str> = opcode.split('.').collect();
        let read = |text: &str| -> Option<(Operand, Ty)> {
            if let Some(&known) = names.get(text) {
                return Some(known);
            }
            let value = match text.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex.trim_end_matches('U'), 16).ok()?,
                None => text.parse::<i64>().ok()? as u64,
            };
            Some((Operand::Imm(value & u32::MAX as u64), Ty::I32))
        };
        let out_ty = |name: &str| {
            let i: Option<usize> = name.strip_prefix('$').and_then(|n| n.parse().ok());
            i.and_then(|i| outs.get(i).copied()).unwrap_or(Ty::I32)
        };
        match parts[..] {
            [".reg", ..] | ["", "reg", ..] => Some(()),
            ["bar" | "barrier", ref tail @ ..] => {
                let tail: Vec<&str> =
                    tail.iter().copied().filter(|t| !matches!(*t, "cta" | "aligned")).collect();
                match (&tail[..], &operands[..]) {
                    (["sync"], &[id]) => {
                        self.block_barrier(read(id)?.0, None, None);
                    }
                    (["sync"], &[id, n]) => {
                        self.block_barrier(read(id)?.0, Some(read(n)?.0), None);
                    }
                    (["arrive"], &[id, n]) => self.arrive(read(id)?.0, read(n)?.0),
                    (["warp", "sync"], &[mask]) => self.warp_barrier(read(mask)?.0),
                    (["red", kind, ..], &[dst, id, pred]) => {
                        let kind = match *kind {
                            "popc" => BarrierReduce::Count,
                            "and" => BarrierReduce::And,
                            "or" => BarrierReduce::Or,
                            _ => return None,
                        };
                        let (p, ty) = read(pred)?;
                        let p = self.cmp(CmpOp::Ne, ty, p, Operand::Imm(0));
                        let r = self.block_barrier(read(id)?.0, None, Some((kind, p)))?;
                        names.insert(dst.to_string(), (r, Ty::I32));
                    }
                    _ => return None,
                }
                Some(())
            }
            ["membar", level] => {
                let scope = match level {
                    "cta" => Scope::Block,
                    "gl" => Scope::Device,
                    "sys" => Scope::System,
                    _ => return None,
                };
                self.fence(scope, Order::SeqCst, true, true);
                Some(())
            }
            ["fence", ref tail @ ..] => {
                if tail.contains(&"proxy") {
                    return None;
                }
                self.fence(
                    scope_of(tail),
                    if tail.contains(&"sc") { Order::SeqCst } else { Order::AcqRel },
                    true,
                    true,
                );
                Some(())
            }
            ["nanosleep", ..] => {
                self.push(Op::Yield, None);
                Some(())
            }
            ["activemask", ..] => {
                let r = self.def(Op::ActiveMask, Ty::I32);
                names.insert(operands.first()?.to_string(), (r, Ty::I32));
                Some(())
            }
            ["mov", ..] => {
                let &[dst, src] = &operands[..] else {
                    return None;
                };
                let value = match src.strip_prefix("%%").or(src.strip_prefix('%')) {
                    Some(register) => {
                        let special = special_register(register)?;
                        let ty = out_ty(dst);
                        (self.read_special(special, ty), ty)
                    }
                    None => read(src)?,
                };
                names.insert(dst.to_string(), value);
                Some(())
            }
            ["ld" | "st" | "atom" | "red", ref tail @ ..] => {
                self.ptx_access(parts[0], tail, &operands, names)
            }
            ["prefetch" | "prefetchu", ..]
            | ["cp", "async", "commit_group" | "wait_group" | "wait_all", ..]
                if parts[0] != "cp" =>
            {
                Some(())
            }
            ["lop3" | "bfe" | "bfi" | "prmt", ..] => self.ptx_integer(&parts, &operands, names),
            _ => None,
        }
    }

    fn ptx_integer(
        &mut self,
        parts: &[&str],
        operands: &[&str],
        names: &mut HashMap<String, (Operand, Ty)>,
    ) -> Option<()> {
        let get = |i: usize| -> Option<Operand> {
            let text = *operands.get(i)?;
            names.get(text).map(|k| k.0).or_else(|| {
                let v = match text.strip_prefix("0x") {
                    Some(h) => u64::from_str_radix(h, 16).ok()?,
                    None => text.parse().ok()?,
                };
                Some(Operand::Imm(v))
            })
        };
        let dst = operands.first()?.to_string();
        let r = match (parts[0], parts.last().copied()?) {
            ("prmt", "b32") => self.byte_perm(get(1)?, get(2)?, get(3)?),
            ("bfe", "u32") => {
                let t = Ty::I64;
                let (x, at, n) = (get(1)?, get(2)?, get(3)?);
                let (x, at, n) =
                    (self.zext(Ty::I32, t, x), self.zext(Ty::I32, t, at), self.zext(Ty::I32, t, n));
                let (at, n) = (
                    self.int(IntOp::And, t, at, Operand::Imm(63)),
                    self.int(IntOp::And, t, n, Operand::Imm(63)),
                );
                let x = self.int(IntOp::LShr, t, x, at);
                let one = self.int(IntOp::Shl, t, Operand::Imm(1), n);
                let mask = self.int(IntOp::Sub, t, one, Operand::Imm(1));
                let x = self.int(IntOp::And, t, x, mask);
                self.zext(t, Ty::I32, x)
            }
            _ => return None,
        };
        names.insert(dst, (r, Ty::I32));
        Some(())
    }

    /// `ld.acquire.gpu.u32 $0, [$1]`, `atom.add.relaxed.cta.shared.u32 $0, [$1], $2`.
    fn ptx_access(
        &mut self,
        kind: &str,
        tail: &[&str],
        operands: &[&str],
        names: &mut HashMap<String, (Operand, Ty)>,
    ) -> Option<()> {
        if tail.iter().any(|t| matches!(*t, "v2" | "v4" | "async" | "param" | "matrix")) {
            return None;
        }
        let ty = match *tail.last()? {
            "u8" | "s8" | "b8" => Ty::I8,
            "u16" | "s16" | "b16" => Ty::I16,
            "u32" | "s32" | "b32" => Ty::I32,
            "u64" | "s64" | "b64" => Ty::I64,
            "f16" => Ty::F16,
            "f32" => Ty::F32,
            "f64" => Ty::F64,
            _ => return None,
        };
        let signed = tail.last()?.starts_with('s');
        let space = if tail.contains(&"shared") {
            Space::Shared
        } else if tail.contains(&"global") {
            Space::Global
        } else if tail.contains(&"const") {
            Space::Constant
        } else {
            Space::Generic
        };
        // A shared-window address is a 32-bit number, which does not say which object it means.
        let address = |text: &str, names: &HashMap<String, (Operand, Ty)>| {
            let inner = text.strip_prefix('[')?.strip_suffix(']')?.trim();
            let (name, offset) = inner.split_once('+').unwrap_or((inner, "0"));
            let (value, ty) = *names.get(name.trim())?;
            Some((value, ty, offset.trim().parse::<i64>().ok()?))
        };
        let is_load = kind == "ld";
        let has_result = matches!(kind, "ld" | "atom");
        let at = operands.get(usize::from(has_result))?;
        let (pointer, pointer_ty, offset) = address(at, names)?;
        if pointer_ty.bits() != 64 {
            return None;
        }
        let pointer = self.bits(pointer_ty, Ty::Ptr, pointer);
        let addr = self.index(pointer, Operand::Imm(0), 0, offset);
        let rest: Vec<(Operand, Ty)> = operands[usize::from(has_result) + 1..]
            .iter()
            .map(|o| {
                names
                    .get(*o)
                    .copied()
                    .or_else(|| o.parse::<u64>().ok().map(|v| (Operand::Imm(v), ty)))
            })
            .collect::<Option<_>>()?;
        let rest: Vec<Operand> =
            rest.into_iter().map(|(v, from)| self.convert_bits(from, ty, v)).collect();
        let scope = scope_of(tail);
        let order = if tail.contains(&"acq_rel") {
            Order::AcqRel
        } else if tail.contains(&"acquire") {
            Order::Acquire
        } else if tail.contains(&"release") {
            Order::Release
        } else {
            Order::Relaxed
        };
        let strong = order != Order::Relaxed || tail.contains(&"relaxed");
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
}

fn scope_of(parts: &[&str]) -> Scope {
    if parts.contains(&"cta") {
        Scope::Block
    } else if parts.contains(&"sys") {
        Scope::System
    } else {
        Scope::Device
    }
}
