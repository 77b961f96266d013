//! Loads, stores and block copies: one access each, whatever its width.
//!
//! Consecutive leaves of one type are one access of several elements; a struct of different types, or one with padding,
//! has one access for each run. `vload`/`vstore` use this too.

use std::rc::Rc;

use llvm_sys::LLVMAtomicOrdering as LlvmOrder;
use llvm_sys::core::*;
use lockstep_kernel::{AtomicOp, CopyDone, Op, Operand, Order, Reg, Scope, SiteKind, Space, Ty};

use super::Lower;
use super::types::{Leaf, space_of};
use crate::llvm::{self, Val};

/// A run of equal leaves without gaps.
struct Run {
    start: usize,
    len: usize,
    ty: Ty,
    offset: u64,
}

fn runs(leaves: &[Leaf]) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::new();
    for (i, leaf) in leaves.iter().enumerate() {
        if let Some(last) = out.last_mut()
            && last.ty == leaf.ty
            && last.len < 255
            && last.offset + last.len as u64 * last.ty.bytes() as u64 == leaf.offset
        {
            last.len += 1;
        } else {
            out.push(Run { start: i, len: 1, ty: leaf.ty, offset: leaf.offset });
        }
    }
    out
}

/// The alignment of an address plus an offset.
fn align_at(align: u32, offset: u64) -> u32 {
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(16)) }
}

impl Lower<'_> {
    pub(super) fn pointer_space(&self, pointer: Val) -> Space {
        space_of(llvm::address_space(llvm::type_of(pointer)))
    }

    pub(super) fn load(&mut self, inst: Val) -> Result<Vec<Operand>, String> {
        if let Some(fields) = self.field_loads.get(&inst) {
            return Ok(fields.to_vec());
        }
        let pointer = llvm::operand(inst, 0);
        // SAFETY: LLVM is given an access, of a module that is alive.
        let volatile = unsafe { LLVMGetVolatile(inst) } != 0;
        let leaves = self.leaves(llvm::type_of(inst))?;
        let addr = self.scalar(pointer);
        let space = self.pointer_space(pointer);
        // SAFETY: LLVM is given an access, of a module that is alive.
        let order = unsafe { LLVMGetOrdering(inst) };
        if order != LlvmOrder::LLVMAtomicOrderingNotAtomic && leaves.len() == 1 {
            let scope = self.sync_scope(inst);
            let order = self.order(order);
            let ty = leaves[0].ty;
            return Ok(vec![self.atomic(
                AtomicOp::Load,
                ty,
                space,
                addr,
                Operand::Undef,
                Operand::Undef,
                order,
                scope,
            )]);
        }
        // SAFETY: LLVM is given an access or a variable, of a module that is alive.
        let align = unsafe { LLVMGetAlignment(inst) };
        let mut values = self.load_leaves(&leaves, addr, align, space, volatile);
        for chosen in self.chosen_loads.get(&inst).cloned().unwrap_or_default() {
            self.choose(&chosen, &mut values)?;
        }
        Ok(values)
    }

    pub(super) fn load_leaves(
        &mut self,
        leaves: &[Leaf],
        addr: Operand,
        align: u32,
        space: Space,
        volatile: bool,
    ) -> Vec<Operand> {
        let mut out = Vec::with_capacity(leaves.len());
        for run in runs(leaves) {
            let at = self.index(addr, Operand::Imm(0), 0, run.offset as i64);
            let size = run.ty.bytes() * run.len as u32;
            let site = self.site(
                SiteKind::Read,
                size,
                align_at(align, run.offset),
                space,
                volatile,
                Scope::Thread,
            );
            let first = Reg(self.k.regs.len() as u32);
            for _ in 0..run.len {
                self.new_reg(run.ty);
            }
            self.push(Op::Load { site, ty: run.ty, count: run.len as u8, addr: at }, Some(first));
            for i in 0..run.len {
                let mut value = Operand::Reg(Reg(first.0 + i as u32));
                let leaf = leaves[run.start + i];
                if leaf.is_odd() {
                    let mask = Operand::Imm((1 << leaf.bits) - 1);
                    value = self.int(lockstep_kernel::IntOp::And, leaf.ty, value, mask);
                }
                out.push(value);
            }
        }
        out
    }

    pub(super) fn store(&mut self, inst: Val) -> Result<Vec<Operand>, String> {
        let (source, pointer) = (llvm::operand(inst, 0), llvm::operand(inst, 1));
        // SAFETY: LLVM is given an access, of a module that is alive.
        let volatile = unsafe { LLVMGetVolatile(inst) } != 0;
        let leaves = self.leaves(llvm::type_of(source))?;
        let values = self.value(source);
        let addr = self.scalar(pointer);
        let space = self.pointer_space(pointer);
        // SAFETY: LLVM is given an access, of a module that is alive.
        let order = unsafe { LLVMGetOrdering(inst) };
        if order != LlvmOrder::LLVMAtomicOrderingNotAtomic && leaves.len() == 1 {
            let scope = self.sync_scope(inst);
            let order = self.order(order);
            self.atomic(
                AtomicOp::Store,
                leaves[0].ty,
                space,
                addr,
                values[0],
                Operand::Undef,
                order,
                scope,
            );
            return Ok(Vec::new());
        }
        // SAFETY: LLVM is given an access or a variable, of a module that is alive.
        let align = unsafe { LLVMGetAlignment(inst) };
        self.store_leaves(&leaves, &values, addr, align, space, volatile);
        Ok(Vec::new())
    }

    pub(super) fn store_leaves(
        &mut self,
        leaves: &[Leaf],
        values: &[Operand],
        addr: Operand,
        align: u32,
        space: Space,
        volatile: bool,
    ) {
        for run in runs(leaves) {
            let at = self.index(addr, Operand::Imm(0), 0, run.offset as i64);
            let size = run.ty.bytes() * run.len as u32;
            let site = self.site(
                SiteKind::Write,
                size,
                align_at(align, run.offset),
                space,
                volatile,
                Scope::Thread,
            );
            let values = values[run.start..run.start + run.len].to_vec();
            self.push(Op::Store { site, ty: run.ty, values, addr: at }, None);
        }
    }

    pub(super) fn mem_copy(&mut self, args: &[Val]) -> Result<Vec<Operand>, String> {
        let (dst, src, len) =
            (self.scalar(args[0]), self.scalar(args[1]), self.index_unsigned(args[2])?);
        let volatile = args.get(3).and_then(|&v| llvm::const_int(v)) == Some(1);
        if len == Operand::Imm(0) {
            return Ok(Vec::new());
        }
        let size = match len {
            Operand::Imm(n) => n.min(u32::MAX as u64) as u32,
            _ => 0,
        };
        let (from, to) = (self.pointer_space(args[1]), self.pointer_space(args[0]));
        let read = self.site(SiteKind::Read, size, 1, from, volatile, Scope::Thread);
        let write = self.site(SiteKind::Write, size, 1, to, volatile, Scope::Thread);
        self.push(Op::MemCopy { read, write, dst, src, len, done: CopyDone::AtOnce }, None);
        Ok(Vec::new())
    }

    /// `cp.async`: `len` bytes from global to shared memory, both aligned to that size.
    pub(super) fn async_copy(&mut self, dst: Operand, src: Operand, len: Operand) {
        let spaces = [Space::Generic, Space::Shared];
        self.copy_until(dst, src, len, spaces, CopyDone::Group { bulk: false });
    }

    /// A copy that goes on while the thread does. `spaces` are those of the source and of the destination.
    pub(super) fn copy_until(
        &mut self,
        dst: Operand,
        src: Operand,
        len: Operand,
        [from, to]: [Space; 2],
        done: CopyDone,
    ) {
        let size = match len {
            Operand::Imm(n @ 1..=16) => n as u32,
            _ => 0,
        };
        let align = match done {
            CopyDone::Group { bulk: false } if size.is_power_of_two() => size,
            CopyDone::Group { bulk: false } | CopyDone::AtOnce => 1,
            _ => 16,
        };
        let read = self.site(SiteKind::Read, size, align, from, false, Scope::Thread);
        let write = self.site(SiteKind::Write, size, align, to, false, Scope::Thread);
        self.push(Op::MemCopy { read, write, dst, src, len, done }, None);
    }

    pub(super) fn mem_set(&mut self, args: &[Val]) -> Result<Vec<Operand>, String> {
        let (dst, byte, len) =
            (self.scalar(args[0]), self.scalar(args[1]), self.index_unsigned(args[2])?);
        let volatile = args.get(3).and_then(|&v| llvm::const_int(v)) == Some(1);
        if len == Operand::Imm(0) {
            return Ok(Vec::new());
        }
        let size = match len {
            Operand::Imm(n) => n.min(u32::MAX as u64) as u32,
            _ => 0,
        };
        let space = self.pointer_space(args[0]);
        let site = self.site(SiteKind::Write, size, 1, space, volatile, Scope::Thread);
        self.push(Op::MemSet { site, dst, byte, len }, None);
        Ok(Vec::new())
    }

    /// A length: zero-extended to 64 bits.
    pub(super) fn index_unsigned(&mut self, v: Val) -> Result<Operand, String> {
        let leaf = *self.leaves(llvm::type_of(v))?.first().ok_or("a length")?;
        let x = self.scalar(v);
        Ok(self.zext(leaf.ty, Ty::I64, x))
    }

    /// Leaves of `n` packed scalars.
    pub(super) fn packed(&self, ty: Ty, n: usize) -> Rc<[Leaf]> {
        (0..n).map(|i| Leaf { ty, bits: ty.bits(), offset: i as u64 * ty.bytes() as u64 }).collect()
    }

    pub(super) fn order(&self, order: LlvmOrder) -> Order {
        match order {
            LlvmOrder::LLVMAtomicOrderingAcquire => Order::Acquire,
            LlvmOrder::LLVMAtomicOrderingRelease => Order::Release,
            LlvmOrder::LLVMAtomicOrderingAcquireRelease => Order::AcqRel,
            LlvmOrder::LLVMAtomicOrderingSequentiallyConsistent => Order::SeqCst,
            _ => Order::Relaxed,
        }
    }
}
