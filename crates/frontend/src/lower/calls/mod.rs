//! Calls: dispatch by callee.
//!
//! Functions with a body are inlined; functions without one are looked up by name in the tables: LLVM's intrinsics,
//! NVIDIA's, libdevice and C's maths, OpenCL's builtins, and `__lockstep_…` of our own headers. An unknown name is
//! unsupported, and recorded, because a library may define it.

mod atomics;
mod events;
mod images;
mod intrinsics;
mod libdevice;
mod maths;
mod nvvm;
mod opencl;
mod opencl_maths;
mod ptx;

use std::rc::Rc;

use llvm_sys::core::*;
use lockstep_kernel::{
    AtomicOp, Barrier, Language, Op, Operand, Order, PrintArgs, PrintValue, Scope, ShuffleMode,
    SiteKind, Space, Ty, Unsupported, VoteKind,
};

use crate::llvm::{self, TypeKind, Val, ValueKind};
use crate::lower::Lower;
use crate::{llvm::mangle, prepare};

pub(in crate::lower) type Outcome = Result<Vec<Operand>, String>;

impl Lower<'_> {
    pub(in crate::lower) fn call(&mut self, inst: Val) -> Outcome {
        let args = llvm::call_args(inst);
        let Some(f) = llvm::callee(inst) else {
            // SAFETY: LLVM is given a call, of a module that is alive.
            let called = unsafe { LLVMGetCalledValue(inst) };
            if llvm::value_kind(called) == ValueKind::LLVMInlineAsmValueKind {
                return self.inline_asm(inst, called, &args);
            }
            let values: Vec<Rc<[Operand]>> = args.iter().map(|&a| self.value(a)).collect();
            return self.indirect(called, inst, values).map(|v| v.to_vec());
        };
        let name = llvm::name(f);
        if name.starts_with(prepare::KEEP) {
            return Ok(Vec::new());
        }
        if !llvm::is_declaration(f) {
            let values: Vec<Rc<[Operand]>> = args.iter().map(|&a| self.value(a)).collect();
            return self.inline(f, values).map(|v| v.to_vec());
        }
        if let Some(rest) = name.strip_prefix("llvm.nvvm.") {
            return self.nvvm(rest, inst, &args);
        }
        if let Some(rest) = name.strip_prefix("llvm.") {
            return self.intrinsic(rest, inst, &args);
        }
        let plain = mangle::parse(&name);
        let called = match &plain {
            Some(m) => m.name.as_str(),
            None => mangle::template_name(&name).unwrap_or(&name),
        };
        if let Some(rest) = called.strip_prefix("__lockstep_") {
            return self.own(rest, &args);
        }
        // A function of CUDA or C++ with the name of an OpenCL builtin is not that builtin.
        let has_builtins = matches!(self.k.language, Language::OpenCl | Language::Llvm);
        if let Some(m) = plain.as_ref().filter(|_| has_builtins)
            && let Some(result) = self.opencl(m, inst, &args)
        {
            return result;
        }
        if let Some(result) = self.c_function(&name, inst, &args) {
            return result;
        }
        let maths = name.strip_prefix("__nv_").or(plain.is_none().then_some(name.as_str()));
        if let Some(maths) = maths
            && let Some(result) = self.libdevice(maths, inst, &args)
        {
            return result;
        }
        // In OpenCL C, only builtins are mangled.
        let own = match (&plain, self.k.language) {
            (Some(m), Language::Cuda) => Some(&m.name),
            (None, Language::OpenCl) => Some(&name),
            _ => None,
        };
        if let Some(own) = own
            && self.is_foreign(f, own, inst)
        {
            return self.foreign(own, inst);
        }
        self.missing.push(name.clone());
        Err(format!("call of {}", crate::llvm::demangle::function(&name)))
    }

    /// Whether a function without a body is the user's own, and is passed nothing that it could write through.
    fn is_foreign(&self, f: Val, name: &str, inst: Val) -> bool {
        let passes_copy = |(i, &a): (usize, &Val)| {
            let pointer = llvm::type_kind(llvm::type_of(a)) == TypeKind::LLVMPointerTypeKind;
            !pointer || llvm::byval_type(f, i as u32).is_some()
        };
        // A function without a result is called for its side effects. Names that start with underscores belong to the
        // language.
        llvm::type_kind(llvm::type_of(inst)) != TypeKind::LLVMVoidTypeKind
            && !name.starts_with("__")
            && llvm::arguments(f).iter().enumerate().all(passes_copy)
    }

    fn foreign(&mut self, name: &str, inst: Val) -> Outcome {
        let leaves = self.leaves(llvm::type_of(inst))?;
        let results = u8::try_from(leaves.len()).map_err(|_| format!("call of {name}"))?;
        let regs: Vec<_> = leaves.iter().map(|l| self.new_reg(l.ty)).collect();
        self.k.reg_names.extend(regs.iter().map(|&r| (r, format!("{name}(…)"))));
        let what = self.k.unsupported.len() as u32;
        let call = Unsupported { what: format!("call of {name}"), loc: self.loc };
        self.k.unsupported.push(call);
        self.push(Op::Foreign { what, results }, regs.first().copied());
        Ok(regs.into_iter().map(Operand::Reg).collect())
    }

    pub(in crate::lower) fn ty_of(&mut self, v: Val) -> Result<Ty, String> {
        let leaves = self.leaves(llvm::type_of(v))?;
        leaves.first().map(|l| l.ty).ok_or_else(|| "a value without a type".into())
    }

    fn c_function(&mut self, name: &str, inst: Val, args: &[Val]) -> Option<Outcome> {
        Some(match (name, args) {
            ("vprintf", &[format, buffer]) => {
                let (format, buffer) = (self.scalar(format), self.scalar(buffer));
                self.push(Op::Print { format, args: PrintArgs::Buffer(buffer) }, None);
                Ok(vec![Operand::Imm(1)])
            }
            ("printf", &[format, ref rest @ ..]) => self.print_values(format, rest),
            ("__assertfail" | "__assert_fail", &[message, ..]) => {
                let message = self.string(message).unwrap_or_else(|| "assertion".into());
                self.push(Op::Assert { cond: Operand::Imm(0), message }, None);
                Ok(Vec::new())
            }
            ("memcpy" | "memmove", &[dst, ..]) if args.len() == 3 => {
                let to = self.scalar(dst);
                self.mem_copy(args).map(|_| vec![to])
            }
            ("memset", &[dst, byte, len]) => {
                let to = self.scalar(dst);
                let byte_ty = match self.ty_of(byte) {
                    Ok(t) => t,
                    Err(e) => return Some(Err(e)),
                };
                let byte = self.scalar(byte);
                let byte = self.zext(byte_ty, Ty::I8, byte);
                let len = match self.index_unsigned(len) {
                    Ok(len) => len,
                    Err(e) => return Some(Err(e)),
                };
                let space = self.pointer_space(dst);
                let site = self.site(SiteKind::Write, 0, 1, space, false, Scope::Thread);
                self.push(Op::MemSet { site, dst: to, byte, len }, None);
                Ok(vec![to])
            }
            ("malloc" | "_Znwm" | "_Znam", &[size]) => match self.index_unsigned(size) {
                Ok(size) => {
                    let reg = self.new_reg(Ty::Ptr);
                    self.push(Op::Alloc { size }, Some(reg));
                    Ok(vec![Operand::Reg(reg)])
                }
                Err(e) => Err(e),
            },
            ("free" | "_ZdlPv" | "_ZdlPvm" | "_ZdaPv" | "_ZdaPvm", &[ptr, ..]) => {
                let ptr = self.scalar(ptr);
                self.push(Op::Free { ptr }, None);
                Ok(Vec::new())
            }
            ("__translate_sampler_initializer", &[sampler]) => Ok(vec![self.scalar(sampler)]),
            ("__nvvm_reflect", _) => Ok(vec![Operand::Imm(0)]),
            ("abort" | "exit", _) => {
                self.push(Op::Assert { cond: Operand::Imm(0), message: name.to_string() }, None);
                Ok(Vec::new())
            }
            ("llvm_trap", _) => {
                let _ = inst;
                Ok(Vec::new())
            }
            _ => return None,
        })
    }

    pub(in crate::lower) fn print_values(&mut self, format: Val, rest: &[Val]) -> Outcome {
        let format = self.scalar(format);
        let mut values = Vec::new();
        for &v in rest {
            let ty = self.ty_of(v)?;
            values.push(PrintValue { ty, lanes: self.value(v).to_vec() });
        }
        self.push(Op::Print { format, args: PrintArgs::Values(values) }, None);
        Ok(vec![Operand::Imm(0)])
    }

    /// The text of a constant string.
    pub(in crate::lower) fn string(&mut self, v: Val) -> Option<String> {
        let Operand::Object(id, at) = self.scalar(v) else {
            return None;
        };
        let bytes =
            self.k.objects[id.0 as usize].init.as_ref()?.get(usize::try_from(at).ok()?..)?;
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }

    /// The functions that our own headers declare.
    fn own(&mut self, name: &str, args: &[Val]) -> Outcome {
        if let Some(rest) = name.strip_prefix("atomic_") {
            return self.own_atomic(rest, args);
        }
        if let Some(rest) = name.strip_prefix("atom_") {
            return self.ordered_atomic(rest, args);
        }
        match name {
            "texture" => return self.own_texture(args),
            "surface" => return self.own_surface(args),
            _ => {}
        }
        let operands: Vec<Operand> = args.iter().map(|&a| self.scalar(a)).collect();
        match (name, &operands[..]) {
            ("requires" | "assume", &[cond]) => {
                let cond = self.truth(args[0], cond)?;
                self.push(Op::Requires { cond, text: String::new() }, None);
                Ok(Vec::new())
            }
            ("assert", &[cond, ..]) => {
                let cond = self.truth(args[0], cond)?;
                self.push(Op::Assert { cond, message: String::new() }, None);
                Ok(Vec::new())
            }
            ("ghost" | "ghost_int", _) => {
                let ty = if name == "ghost" { Ty::I1 } else { Ty::I32 };
                let reg = self.new_reg(ty);
                self.ghosts.insert(reg);
                self.push(Op::Copy { ty, a: Operand::Undef }, Some(reg));
                Ok(vec![Operand::Reg(reg)])
            }
            ("shfl_idx_i32", &[v, lane, c]) => {
                Ok(vec![self.shuffle(ShuffleMode::Index, Ty::I32, v, lane, c, None)])
            }
            ("shfl_up_i32", &[v, lane, c]) => {
                Ok(vec![self.shuffle(ShuffleMode::Up, Ty::I32, v, lane, c, None)])
            }
            ("shfl_down_i32", &[v, lane, c]) => {
                Ok(vec![self.shuffle(ShuffleMode::Down, Ty::I32, v, lane, c, None)])
            }
            ("shfl_bfly_i32", &[v, lane, c]) => {
                Ok(vec![self.shuffle(ShuffleMode::Butterfly, Ty::I32, v, lane, c, None)])
            }
            ("vote_any", &[p]) => self.own_vote(VoteKind::Any, args[0], p),
            ("vote_all", &[p]) => self.own_vote(VoteKind::All, args[0], p),
            ("vote_ballot", &[p]) => self.own_vote(VoteKind::Ballot, args[0], p),
            ("activemask", _) => Ok(vec![self.def(Op::ActiveMask, Ty::I32)]),
            ("grid_sync", _) => {
                let site = self.site(SiteKind::Barrier, 0, 1, Space::Generic, false, Scope::Device);
                self.push(Op::Barrier { site, barrier: Barrier::Grid }, None);
                Ok(Vec::new())
            }
            ("arrive", &[id, threads]) => {
                self.arrive(id, threads);
                Ok(Vec::new())
            }
            ("await", &[id]) => {
                let site = self.site(SiteKind::Barrier, 0, 1, Space::Generic, false, Scope::Block);
                self.push(Op::Barrier { site, barrier: Barrier::Await { id } }, None);
                Ok(Vec::new())
            }
            ("async_copy", &[dst, src, _]) => {
                let len = self.index_unsigned(args[2])?;
                self.async_copy(dst, src, len);
                Ok(Vec::new())
            }
            ("async_commit", _) => {
                self.push(Op::CommitCopies { bulk: false }, None);
                Ok(Vec::new())
            }
            ("async_wait", &[left]) => {
                self.push(Op::AwaitCopies { left, bulk: false, reads_only: false }, None);
                Ok(Vec::new())
            }
            ("nanosleep", _) => {
                self.push(Op::Yield, None);
                Ok(Vec::new())
            }
            _ => Err(format!("call of __lockstep_{name}")),
        }
    }

    fn own_vote(&mut self, kind: VoteKind, arg: Val, p: Operand) -> Outcome {
        let pred = self.truth(arg, p)?;
        let ty = if kind == VoteKind::Ballot { Ty::I32 } else { Ty::I1 };
        let r = self.def(Op::Vote { kind, pred, mask: None }, ty);
        Ok(vec![self.zext(ty, Ty::I32, r)])
    }

    /// A value as a condition.
    pub(in crate::lower) fn truth(&mut self, v: Val, x: Operand) -> Result<Operand, String> {
        Ok(match self.ty_of(v)? {
            Ty::I1 => x,
            ty => self.cmp(lockstep_kernel::CmpOp::Ne, ty, x, Operand::Imm(0)),
        })
    }

    pub(in crate::lower) fn shuffle(
        &mut self,
        mode: ShuffleMode,
        ty: Ty,
        value: Operand,
        lane: Operand,
        clamp: Operand,
        mask: Option<Operand>,
    ) -> Operand {
        self.def(Op::Shuffle { mode, ty, value, lane, clamp, mask, predicate: false }, ty)
    }

    /// `add_i32` and the like, with scope and order as arguments: for libcu++.
    fn ordered_atomic(&mut self, rest: &str, args: &[Val]) -> Outcome {
        let unknown = || format!("call of __lockstep_atom_{rest}");
        let operands: Vec<Operand> = args.iter().map(|&a| self.scalar(a)).collect();
        let [rest_of @ .., scope, order] = &operands[..] else { return Err(unknown()) };
        let (Operand::Imm(scope), Operand::Imm(order)) = (*scope, *order) else {
            return Err("an atomic whose order or scope is not a constant".into());
        };
        let scope = match scope {
            0 => Scope::System,
            1 => Scope::Device,
            2 => Scope::Block,
            3 => Scope::Warp,
            _ => Scope::Thread,
        };
        let order = match order {
            0 => Order::Relaxed,
            1 | 2 => Order::Acquire,
            3 => Order::Release,
            4 => Order::AcqRel,
            _ => Order::SeqCst,
        };
        if rest == "fence" {
            if order != Order::Relaxed {
                self.fence(scope, order, true, true);
            }
            return Ok(Vec::new());
        }
        let (Some((op, ty)), Some(&pointer)) = (rest.split_once('_'), args.first()) else {
            return Err(unknown());
        };
        let (Some(op), Some(ty)) = (atomic_op(op), atomic_type(ty)) else { return Err(unknown()) };
        let (value, expected) = match (op, &rest_of[1..]) {
            (AtomicOp::CompareExchange, &[expected, desired]) => (desired, expected),
            (AtomicOp::Load, []) => (Operand::Undef, Operand::Undef),
            (_, &[value]) => (value, Operand::Undef),
            _ => return Err(unknown()),
        };
        let space = self.pointer_space(pointer);
        let old = self.atomic(op, ty, space, rest_of[0], value, expected, order, scope);
        Ok(if op == AtomicOp::Store { Vec::new() } else { vec![old] })
    }

    /// `add_i32_device` and the like; `fadd_f16_device_pair` is for the first of two that are aligned together.
    fn own_atomic(&mut self, rest: &str, args: &[Val]) -> Outcome {
        let unknown = || format!("call of __lockstep_atomic_{rest}");
        let mut parts = rest.split('_');
        let (Some(op), Some(ty), Some(scope)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(unknown());
        };
        let (Some(op), Some(ty)) = (atomic_op(op), atomic_type(ty)) else { return Err(unknown()) };
        let scope = match scope {
            "block" => Scope::Block,
            "system" => Scope::System,
            _ => Scope::Device,
        };
        let Some(&pointer) = args.first() else {
            return Err(unknown());
        };
        let space = self.pointer_space(pointer);
        let operands: Vec<Operand> = args.iter().map(|&a| self.scalar(a)).collect();
        let (value, expected) = match (op, &operands[1..]) {
            (AtomicOp::CompareExchange, &[expected, desired]) => (desired, expected),
            (AtomicOp::Load, _) => (Operand::Undef, Operand::Undef),
            (_, &[value]) => (value, Operand::Undef),
            _ => return Err(unknown()),
        };
        let old = self.atomic(op, ty, space, operands[0], value, expected, Order::Relaxed, scope);
        if parts.next() == Some("pair")
            && let Some(site) = self.k.sites.last_mut()
        {
            site.align = 2 * ty.bytes();
        }
        Ok(if op == AtomicOp::Store { Vec::new() } else { vec![old] })
    }
}

fn atomic_op(name: &str) -> Option<AtomicOp> {
    Some(match name {
        "add" => AtomicOp::Add,
        "sub" => AtomicOp::Sub,
        "xchg" => AtomicOp::Exchange,
        "min" => AtomicOp::SMin,
        "max" => AtomicOp::SMax,
        "umin" => AtomicOp::UMin,
        "umax" => AtomicOp::UMax,
        "inc" => AtomicOp::Inc,
        "dec" => AtomicOp::Dec,
        "cas" => AtomicOp::CompareExchange,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        "xor" => AtomicOp::Xor,
        "fadd" => AtomicOp::FAdd,
        "load" => AtomicOp::Load,
        "store" => AtomicOp::Store,
        _ => return None,
    })
}

fn atomic_type(name: &str) -> Option<Ty> {
    Some(match name {
        "i16" => Ty::I16,
        "i32" => Ty::I32,
        "i64" => Ty::I64,
        "f16" => Ty::F16,
        "f32" => Ty::F32,
        "f64" => Ty::F64,
        _ => return None,
    })
}
