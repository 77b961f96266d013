//! NVIDIA's intrinsics: special registers, barriers, shuffles, votes, fences, atomics, and arithmetic with a
//! rounding mode.
//!
//! Approximate functions (`ex2.approx`, `sin.approx`, …) are computed like the accurate functions, and flush-to-zero
//! forms keep subnormals: a value may differ from the hardware's in its last bits. Both are marked
//! ([`FloatUnOp::Fast`]).

use lockstep_kernel::semantics::phase::PARITY;
use lockstep_kernel::{
    AtomicOp, BarrierReduce, CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, MathFn, Op, Operand, Order,
    Reg, Rounding, Scope, ShuffleMode, Special, Ty, VoteKind,
};

use super::Outcome;
use crate::llvm::{self, Val};
use crate::lower::Lower;

pub(in crate::lower) fn rounding(name: &str) -> Option<Rounding> {
    Some(match name {
        "rn" | "rte" | "rni" => Rounding::NearestEven,
        "rz" | "rtz" | "rzi" => Rounding::TowardZero,
        "rp" | "ru" | "rtp" | "rpi" => Rounding::Up,
        "rm" | "rd" | "rtn" | "rmi" => Rounding::Down,
        _ => return None,
    })
}

fn axis(name: &str) -> Option<u8> {
    match name {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    }
}

pub(in crate::lower) fn special_register(name: &str) -> Option<Special> {
    if let Some((base, a)) = name.rsplit_once('.')
        && let Some(a) = axis(a)
    {
        return Some(match base {
            "tid" => Special::ThreadId(a),
            "ctaid" => Special::BlockId(a),
            "ntid" => Special::BlockDim(a),
            "nctaid" => Special::GridDim(a),
            _ => return None,
        });
    }
    Some(match name {
        "laneid" => Special::LaneId,
        "warpid" => Special::WarpId,
        "nwarpid" => Special::WarpsPerBlock,
        "warpsize" => Special::WarpSize,
        "lanemask.eq" | "lanemask_eq" => Special::LaneMaskEq,
        "lanemask.lt" | "lanemask_lt" => Special::LaneMaskLt,
        "lanemask.le" | "lanemask_le" => Special::LaneMaskLe,
        "lanemask.gt" | "lanemask_gt" => Special::LaneMaskGt,
        "lanemask.ge" | "lanemask_ge" => Special::LaneMaskGe,
        "clock" | "clock64" | "globaltimer" | "globaltimer_lo" => Special::Clock,
        "dynamic_smem_size" => Special::DynamicSharedSize,
        _ => return None,
    })
}

impl Lower<'_> {
    pub(in crate::lower) fn read_special(&mut self, s: Special, ty: Ty) -> Operand {
        if s == Special::Clock {
            let now = self.def(Op::Special(s), Ty::I64);
            return self.zext(Ty::I64, ty, now);
        }
        let r = self.special(s);
        self.zext(Ty::I32, ty, r)
    }

    /// `name` is without `llvm.nvvm.`.
    pub(in crate::lower) fn nvvm(&mut self, name: &str, inst: Val, args: &[Val]) -> Outcome {
        let a: Vec<Operand> = args.iter().map(|&v| self.scalar(v)).collect();
        let unknown = || Err(format!("call of llvm.nvvm.{name}"));
        if let Some(register) = name.strip_prefix("read.ptx.sreg.") {
            let Some(special) = special_register(register) else {
                return Err(format!("the register %{register}"));
            };
            let ty = self.ty_of(inst)?;
            return Ok(vec![self.read_special(special, ty)]);
        }
        let zero = Operand::Imm(0);
        match (name, &a[..]) {
            ("barrier0" | "barrier.cta.sync.all" | "barrier.cta.sync.aligned.all", rest) => {
                let id = rest.first().copied().unwrap_or(zero);
                self.block_barrier(id, None, None);
                return Ok(Vec::new());
            }
            ("bar.sync" | "barrier.sync", &[id]) => {
                self.block_barrier(id, None, None);
                return Ok(Vec::new());
            }
            (
                "barrier" | "barrier.sync.cnt" | "barrier.cta.sync" | "barrier.cta.sync.aligned",
                &[id, n],
            ) => {
                self.block_barrier(id, Some(n), None);
                return Ok(Vec::new());
            }
            ("barrier.n", &[id]) => {
                self.block_barrier(id, None, None);
                return Ok(Vec::new());
            }
            ("barrier0.popc" | "barrier0.and" | "barrier0.or", &[p]) => {
                let kind = match name {
                    "barrier0.popc" => BarrierReduce::Count,
                    "barrier0.and" => BarrierReduce::And,
                    _ => BarrierReduce::Or,
                };
                let p = self.cmp(CmpOp::Ne, Ty::I32, p, zero);
                return Ok(self.block_barrier(zero, None, Some((kind, p))).into_iter().collect());
            }
            ("bar.warp.sync", &[mask]) => {
                self.warp_barrier(mask);
                return Ok(Vec::new());
            }
            ("membar.cta", _) => return self.membar(Scope::Block),
            ("membar.gl", _) => return self.membar(Scope::Device),
            ("membar.sys", _) => return self.membar(Scope::System),
            ("activemask", _) => return Ok(vec![self.def(Op::ActiveMask, Ty::I32)]),
            ("nanosleep", _) => {
                self.push(Op::Yield, None);
                return Ok(Vec::new());
            }
            ("prmt", &[x, y, s]) => return Ok(vec![self.byte_perm(x, y, s)]),
            ("exit", _) => return unknown(),
            _ => {}
        }
        if let Some(rest) = name.strip_prefix("cp.async.") {
            return self.nvvm_async_copy(rest, &a).unwrap_or_else(unknown);
        }
        if let Some(rest) = name.strip_prefix("mbarrier.") {
            return self.nvvm_phase(rest, &a).unwrap_or_else(unknown);
        }
        if let Some(rest) = name.strip_prefix("shfl.") {
            return self.nvvm_shuffle(rest, &a).unwrap_or_else(unknown);
        }
        if let Some(rest) = name.strip_prefix("vote.") {
            return self.nvvm_vote(rest, args, &a).unwrap_or_else(unknown);
        }
        if let Some(rest) = name.strip_prefix("match.") {
            return self.nvvm_match(rest, &a).unwrap_or_else(unknown);
        }
        if let Some(rest) = name.strip_prefix("atomic.") {
            return self.nvvm_atomic(rest, args, &a)?.map_or_else(unknown, Ok);
        }
        if name.starts_with("ldg.global.") || name.starts_with("ldu.global.") {
            let leaves = self.leaves(llvm::type_of(inst))?;
            let space = self.pointer_space(args[0]);
            let align = args.get(1).and_then(|&v| llvm::const_int(v)).unwrap_or(1) as u32;
            return Ok(self.load_leaves(&leaves, a[0], align, space, false));
        }
        if name.starts_with("ptr.") && a.len() == 1 {
            return Ok(a);
        }
        if name.starts_with("texsurf.handle.internal") && args.len() == 1 {
            return Ok(vec![self.texture_reference(args[0])]);
        }
        if name.starts_with("move.") || name.starts_with("compiler.") {
            return if a.len() == 1 { Ok(a) } else { unknown() };
        }
        match self.nvvm_arithmetic(name, inst, args, &a)? {
            Some(r) => Ok(vec![r]),
            None => unknown(),
        }
    }

    fn membar(&mut self, scope: Scope) -> Outcome {
        self.fence(scope, Order::SeqCst, true, true);
        Ok(Vec::new())
    }

    /// `ca.shared.global.16`, `cg.shared.global.16.s`, `commit.group`, `wait.group`, `wait.all`.
    fn nvvm_async_copy(&mut self, name: &str, a: &[Operand]) -> Option<Outcome> {
        let parts: Vec<&str> = name.split('.').collect();
        match (&parts[..], a) {
            (["commit", "group"], []) => self.push(Op::CommitCopies { bulk: false }, None),
            (["wait", "group"], &[left]) => {
                self.push(Op::AwaitCopies { left, bulk: false, reads_only: false }, None);
            }
            (["wait", "all"], []) => self.await_all_copies(),
            (["ca" | "cg", "shared", "global", size, ..], &[dst, src, ref given @ ..]) => {
                let size = Operand::Imm(size.parse().ok()?);
                let given = match *given {
                    [] => size,
                    [n] => self.zext(Ty::I32, Ty::I64, n),
                    _ => return None,
                };
                self.async_copy_filled(dst, src, size, given);
            }
            _ => return None,
        }
        Some(Ok(Vec::new()))
    }

    /// `init`, `arrive`, `test.wait`, `inval`, each also with `.shared`.
    fn nvvm_phase(&mut self, name: &str, a: &[Operand]) -> Option<Outcome> {
        let (none, block) = (Operand::Imm(0), Scope::Block);
        match (name.strip_suffix(".shared").unwrap_or(name), a) {
            ("init", &[at, n]) => {
                let n = self.zext(Ty::I32, Ty::I64, n);
                self.start_phase(at, n);
            }
            ("inval", &[at]) => self.start_phase(at, none),
            ("arrive" | "arrive.drop", &[at]) => {
                let one = Operand::Imm(1);
                let dropped = if name.starts_with("arrive.drop") { one } else { none };
                let update = self.phase_update(one, dropped, none);
                return Some(Ok(vec![self.update_phase(at, update, Order::Release, block)]));
            }
            ("test.wait", &[at, state]) => {
                let parity = self.int(IntOp::LShr, Ty::I64, state, Operand::Imm(PARITY.into()));
                let parity = self.zext(Ty::I64, Ty::I32, parity);
                return Some(Ok(vec![self.phase_is_over(at, parity, Order::Acquire, block)]));
            }
            _ => return None,
        }
        Some(Ok(Vec::new()))
    }

    /// `sync.idx.i32`, `sync.down.f32p`, `bfly.i32`.
    fn nvvm_shuffle(&mut self, name: &str, a: &[Operand]) -> Option<Outcome> {
        let (sync, name) = match name.strip_prefix("sync.") {
            Some(rest) => (true, rest),
            None => (false, name),
        };
        let (mode, ty) = name.split_once('.')?;
        let mode = match mode {
            "idx" => ShuffleMode::Index,
            "up" => ShuffleMode::Up,
            "down" => ShuffleMode::Down,
            "bfly" => ShuffleMode::Butterfly,
            _ => return None,
        };
        let (ty, predicate) = match ty {
            "i32" => (Ty::I32, false),
            "f32" => (Ty::F32, false),
            "i32p" => (Ty::I32, true),
            "f32p" => (Ty::F32, true),
            _ => return None,
        };
        let (mask, rest) = if sync { (Some(*a.first()?), &a[1..]) } else { (None, a) };
        let &[value, lane, clamp] = rest else {
            return None;
        };
        let dst = self.new_reg(ty);
        if predicate {
            self.new_reg(Ty::I1);
        }
        self.push(Op::Shuffle { mode, ty, value, lane, clamp, mask, predicate }, Some(dst));
        let mut out = vec![Operand::Reg(dst)];
        if predicate {
            out.push(Operand::Reg(Reg(dst.0 + 1)));
        }
        Some(Ok(out))
    }

    fn nvvm_vote(&mut self, name: &str, args: &[Val], a: &[Operand]) -> Option<Outcome> {
        let (kind, sync) = match name.split_once('.') {
            Some((kind, "sync")) => (kind, true),
            None => (name, false),
            _ => return None,
        };
        let kind = match kind {
            "all" => VoteKind::All,
            "any" => VoteKind::Any,
            "uni" => VoteKind::Uniform,
            "ballot" => VoteKind::Ballot,
            _ => return None,
        };
        let (mask, pred) = match *a {
            [mask, pred] if sync => (Some(mask), pred),
            [pred] if !sync => (None, pred),
            _ => return None,
        };
        let pred = match self.truth(*args.last()?, pred) {
            Ok(p) => p,
            Err(e) => return Some(Err(e)),
        };
        let ty = if kind == VoteKind::Ballot { Ty::I32 } else { Ty::I1 };
        Some(Ok(vec![self.def(Op::Vote { kind, pred, mask }, ty)]))
    }

    fn nvvm_match(&mut self, name: &str, a: &[Operand]) -> Option<Outcome> {
        let &[mask, value] = a else { return None };
        let all = name.starts_with("all");
        let ty = if name.contains("i64") { Ty::I64 } else { Ty::I32 };
        let dst = self.new_reg(Ty::I32);
        let mut out = vec![Operand::Reg(dst)];
        if all {
            self.new_reg(Ty::I1);
            out.push(Operand::Reg(Reg(dst.0 + 1)));
        }
        self.push(Op::Match { all, ty, value, mask }, Some(dst));
        Some(Ok(out))
    }

    /// `load.inc.32.p0`, `add.gen.i.sys.i32.p0.i32`, `cas.gen.i.cta.…`.
    fn nvvm_atomic(
        &mut self,
        name: &str,
        args: &[Val],
        a: &[Operand],
    ) -> Result<Option<Vec<Operand>>, String> {
        let scope = if name.contains(".cta.") {
            Scope::Block
        } else if name.contains(".sys.") {
            Scope::System
        } else {
            Scope::Device
        };
        let (Some(&pointer), Some(&value)) = (args.first(), args.get(1)) else {
            return Ok(None);
        };
        let ty = self.ty_of(value)?;
        let float = ty.is_float();
        let name = name.strip_prefix("load.").unwrap_or(name);
        let op = match name.split('.').next().unwrap_or("") {
            "add" if float => AtomicOp::FAdd,
            "add" => AtomicOp::Add,
            "inc" => AtomicOp::Inc,
            "dec" => AtomicOp::Dec,
            "exch" => AtomicOp::Exchange,
            "max" => AtomicOp::SMax,
            "min" => AtomicOp::SMin,
            "umax" => AtomicOp::UMax,
            "umin" => AtomicOp::UMin,
            "and" => AtomicOp::And,
            "or" => AtomicOp::Or,
            "xor" => AtomicOp::Xor,
            "cas" => AtomicOp::CompareExchange,
            _ => return Ok(None),
        };
        let space = self.pointer_space(pointer);
        let (value, expected) = match (op, a) {
            (AtomicOp::CompareExchange, &[_, expected, desired]) => (desired, expected),
            (_, &[_, value]) => (value, Operand::Undef),
            _ => return Ok(None),
        };
        Ok(Some(vec![self.atomic(op, ty, space, a[0], value, expected, Order::Relaxed, scope)]))
    }

    /// CUDA's `__byte_perm`: each nibble of `s` selects a byte of `y:x`, or its sign.
    pub(in crate::lower) fn byte_perm(&mut self, x: Operand, y: Operand, s: Operand) -> Operand {
        let t = Ty::I64;
        let (x, y, s) =
            (self.zext(Ty::I32, t, x), self.zext(Ty::I32, t, y), self.zext(Ty::I32, t, s));
        let y = self.int(IntOp::Shl, t, y, Operand::Imm(32));
        let both = self.int(IntOp::Or, t, x, y);
        let mut result = Operand::Imm(0);
        for i in 0..4u64 {
            let nibble = self.int(IntOp::LShr, t, s, Operand::Imm(4 * i));
            let which = self.int(IntOp::And, t, nibble, Operand::Imm(7));
            let shift = self.int(IntOp::Shl, t, which, Operand::Imm(3));
            let byte = self.int(IntOp::LShr, t, both, shift);
            let byte = self.int(IntOp::And, t, byte, Operand::Imm(0xff));
            let sign = self.int(IntOp::And, t, nibble, Operand::Imm(8));
            let wants_sign = self.cmp(CmpOp::Ne, t, sign, Operand::Imm(0));
            let negative = self.cmp(CmpOp::UGe, t, byte, Operand::Imm(0x80));
            let spread = self.select(t, negative, Operand::Imm(0xff), Operand::Imm(0));
            let byte = self.select(t, wants_sign, spread, byte);
            let byte = self.int(IntOp::Shl, t, byte, Operand::Imm(8 * i));
            result = self.int(IntOp::Or, t, result, byte);
        }
        self.zext(t, Ty::I32, result)
    }

    fn nvvm_arithmetic(
        &mut self,
        name: &str,
        inst: Val,
        args: &[Val],
        a: &[Operand],
    ) -> Result<Option<Operand>, String> {
        let ty = self.ty_of(inst)?;
        let parts: Vec<&str> = name.split('.').collect();
        let mode = parts.iter().find_map(|p| rounding(p));
        let round = mode.unwrap_or(Rounding::NearestEven);
        let sat = parts.contains(&"sat");
        let float = |s: &mut Self, op| s.float_rounded(op, ty, round, a[0], a[1]);
        let from = match args.first() {
            Some(&v) => self.ty_of(v)?,
            None => return Ok(None),
        };
        let two = a.len() == 2;
        let r = match parts[0] {
            "add" if two && ty.is_float() => float(self, FloatOp::Add),
            "mul" if two && ty.is_float() => float(self, FloatOp::Mul),
            "sub" if two && ty.is_float() => float(self, FloatOp::Sub),
            "div" if two && ty.is_float() => float(self, FloatOp::Div),
            "fma" if a.len() == 3 && ty.is_float() => {
                self.def(Op::Fma { ty, rounding: round, a: a[0], b: a[1], c: a[2] }, ty)
            }
            "fmin" if two => self.float(FloatOp::Min, ty, a[0], a[1]),
            "fmax" if two => self.float(FloatOp::Max, ty, a[0], a[1]),
            "fabs" => self.float_un(FloatUnOp::Abs, ty, a[0]),
            "sqrt" => {
                self.def(Op::FloatUn { op: FloatUnOp::Sqrt, ty, rounding: round, a: a[0] }, ty)
            }
            "rcp" => {
                let one = self.fconst(ty, 1.0);
                self.float_rounded(FloatOp::Div, ty, round, one, a[0])
            }
            "saturate" => match self.float_function("saturate", ty, a) {
                Some(r) => r,
                None => return Ok(None),
            },
            "rsqrt" | "sin" | "cos" | "floor" | "ceil" | "trunc" | "round" | "tanh"
                if ty.is_float() =>
            {
                // PTX's round is to nearest even.
                let f = if parts[0] == "round" { "rint" } else { parts[0] };
                match self.float_function(f, ty, &a[..1]) {
                    Some(r) => r,
                    None => return Ok(None),
                }
            }
            "ex2" => self.math(MathFn::Exp2, ty, a[0], Operand::Undef),
            "lg2" => self.math(MathFn::Log2, ty, a[0], Operand::Undef),
            "mul24" | "mulhi" | "mulhi2" if two => {
                let signed = !parts.iter().any(|p| p.starts_with('u'));
                let f = if parts[0] == "mul24" { "mul24" } else { "mul_hi" };
                return Ok(self.int_function(f, ty, signed, a));
            }
            "sad" if a.len() == 3 => {
                let signed = !parts.iter().any(|p| p.starts_with('u'));
                let Some(d) = self.int_function("abs_diff", ty, signed, &a[..2]) else {
                    return Ok(None);
                };
                self.int(IntOp::Add, ty, d, a[2])
            }
            "brev32" | "brev64" => return Ok(self.int_function("brev", ty, false, a)),
            "bitcast" => self.bits(from, ty, a[0]),
            "isspacep" => return Ok(None),
            "lohi" => {
                let (lo, hi) =
                    (self.zext(Ty::I32, Ty::I64, a[0]), self.zext(Ty::I32, Ty::I64, a[1]));
                let hi = self.int(IntOp::Shl, Ty::I64, hi, Operand::Imm(32));
                let both = self.int(IntOp::Or, Ty::I64, lo, hi);
                self.bits(Ty::I64, Ty::F64, both)
            }
            "d2i" if parts.get(1) == Some(&"lo") || parts.get(1) == Some(&"hi") => {
                let bits = self.bits(Ty::F64, Ty::I64, a[0]);
                let by = if parts[1] == "hi" { 32 } else { 0 };
                let part = self.int(IntOp::LShr, Ty::I64, bits, Operand::Imm(by));
                self.zext(Ty::I64, Ty::I32, part)
            }
            "f2h" => {
                let h = self.cast(CastOp::FToF(round), from, Ty::F16, a[0]);
                self.bits(Ty::F16, Ty::I16, h)
            }
            "h2f" => {
                let h = self.bits(Ty::I16, Ty::F16, a[0]);
                self.cast(CastOp::FToF(Rounding::NearestEven), Ty::F16, ty, h)
            }
            // Conversions: d2i, f2ui, i2f, ull2d …
            conversion => match conversion.split_once('2') {
                Some((f, t)) if a.len() == 1 && (from.is_float() || ty.is_float()) => {
                    let op = match (from.is_float(), ty.is_float()) {
                        (true, true) => CastOp::FToF(round),
                        (true, false) if t.starts_with('u') => {
                            CastOp::FToU(mode.unwrap_or(Rounding::TowardZero))
                        }
                        (true, false) => CastOp::FToS(mode.unwrap_or(Rounding::TowardZero)),
                        (false, _) if f.starts_with('u') => CastOp::UToF(round),
                        (false, _) => CastOp::SToF(round),
                    };
                    self.cast(op, from, ty, a[0])
                }
                _ => return Ok(None),
            },
        };
        let r = if is_approximate(&parts) { self.float_un(FloatUnOp::Fast, ty, r) } else { r };
        if sat && ty.is_float() {
            return Ok(self.float_function("saturate", ty, &[r]));
        }
        Ok(Some(r))
    }
}

/// Whether an instruction's result may differ from the accurate one.
pub(in crate::lower) fn is_approximate(parts: &[&str]) -> bool {
    parts.iter().any(|p| matches!(*p, "approx" | "full" | "ftz"))
}
