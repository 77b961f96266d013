//! Atomics, fences and block barriers, in all languages.
//!
//! With clang's own headers, `atomicAdd` of CUDA is an `atomicrmw … seq_cst`, which means relaxed at device scope. In OpenCL
//! the order and the scope are arguments of the 2.0 functions, and the 1.x functions are relaxed.

use llvm_sys::LLVMAtomicOrdering;
use llvm_sys::LLVMAtomicRMWBinOp as Rmw;
use llvm_sys::core::*;
use lockstep_kernel::{
    AtomicOp, Barrier, BarrierReduce, CmpOp, Language, Op, Operand, Order, Scope, SiteKind, Space,
    Ty,
};

use super::Outcome;
use crate::llvm::{self, Val};
use crate::lower::Lower;

/// The scope that an LLVM instruction names; the C API of LLVM 19 only gives it in the printed text.
fn written_scope(inst: Val) -> Option<Scope> {
    let text = llvm::print_value(inst);
    let (_, rest) = text.split_once("syncscope(\"")?;
    Some(match rest.split('"').next().unwrap_or("") {
        "block" | "workgroup" | "workgroup-one-as" => Scope::Block,
        "singlethread" => Scope::Thread,
        "wavefront" | "subgroup" => Scope::Warp,
        "" => Scope::System,
        _ => Scope::Device,
    })
}

impl Lower<'_> {
    pub(in crate::lower) fn atomic(
        &mut self,
        op: AtomicOp,
        ty: Ty,
        space: Space,
        addr: Operand,
        value: Operand,
        expected: Operand,
        order: Order,
        scope: Scope,
    ) -> Operand {
        let site = self.site(SiteKind::Atomic, ty.bytes(), ty.bytes(), space, false, scope);
        let op = Op::Atomic { site, op, ty, addr, value, expected, order, scope };
        if let Op::Atomic { op: AtomicOp::Store, .. } = op {
            self.push(op, None);
            return Operand::Undef;
        }
        self.def(op, ty)
    }

    /// The scope of an LLVM instruction.
    pub(in crate::lower) fn sync_scope(&self, inst: Val) -> Scope {
        written_scope(inst).unwrap_or(Scope::Device)
    }

    /// The order of an atomic operation. Clang's own CUDA headers, and those who made IR with them, write the relaxed
    /// `atomicAdd` as one that is sequentially consistent and has no scope.
    fn rmw_order(&self, inst: Val, order: LLVMAtomicOrdering) -> Order {
        let by_clang = match self.k.language {
            Language::OpenCl | Language::C | Language::Cpp => false,
            Language::Cuda => self.options.cuda_path.is_some(),
            Language::Llvm => true,
        };
        match self.order(order) {
            Order::SeqCst if by_clang && written_scope(inst).is_none() => Order::Relaxed,
            order => order,
        }
    }

    pub(in crate::lower) fn atomic_rmw(&mut self, inst: Val) -> Outcome {
        // SAFETY: LLVM is given an access, of a module that is alive.
        let op = match unsafe { LLVMGetAtomicRMWBinOp(inst) } {
            Rmw::LLVMAtomicRMWBinOpXchg => AtomicOp::Exchange,
            Rmw::LLVMAtomicRMWBinOpAdd => AtomicOp::Add,
            Rmw::LLVMAtomicRMWBinOpSub => AtomicOp::Sub,
            Rmw::LLVMAtomicRMWBinOpAnd => AtomicOp::And,
            Rmw::LLVMAtomicRMWBinOpNand => AtomicOp::Nand,
            Rmw::LLVMAtomicRMWBinOpOr => AtomicOp::Or,
            Rmw::LLVMAtomicRMWBinOpXor => AtomicOp::Xor,
            Rmw::LLVMAtomicRMWBinOpMax => AtomicOp::SMax,
            Rmw::LLVMAtomicRMWBinOpMin => AtomicOp::SMin,
            Rmw::LLVMAtomicRMWBinOpUMax => AtomicOp::UMax,
            Rmw::LLVMAtomicRMWBinOpUMin => AtomicOp::UMin,
            Rmw::LLVMAtomicRMWBinOpFAdd => AtomicOp::FAdd,
            Rmw::LLVMAtomicRMWBinOpFSub => AtomicOp::FSub,
            Rmw::LLVMAtomicRMWBinOpFMax => AtomicOp::FMax,
            Rmw::LLVMAtomicRMWBinOpFMin => AtomicOp::FMin,
            Rmw::LLVMAtomicRMWBinOpUIncWrap => AtomicOp::Inc,
            Rmw::LLVMAtomicRMWBinOpUDecWrap => AtomicOp::Dec,
        };
        let (pointer, value) = (llvm::operand(inst, 0), llvm::operand(inst, 1));
        let ty = self.ty_of(value)?;
        let (addr, value) = (self.scalar(pointer), self.scalar(value));
        // SAFETY: LLVM is given an access, of a module that is alive.
        let order = unsafe { LLVMGetOrdering(inst) };
        let (space, order, scope) =
            (self.pointer_space(pointer), self.rmw_order(inst, order), self.sync_scope(inst));
        Ok(vec![self.atomic(op, ty, space, addr, value, Operand::Undef, order, scope)])
    }

    pub(in crate::lower) fn atomic_cmpxchg(&mut self, inst: Val) -> Outcome {
        let (pointer, expected, value) =
            (llvm::operand(inst, 0), llvm::operand(inst, 1), llvm::operand(inst, 2));
        let ty = self.ty_of(value)?;
        let (addr, expected, value) =
            (self.scalar(pointer), self.scalar(expected), self.scalar(value));
        // SAFETY: LLVM is given an access, of a module that is alive.
        let order = self.rmw_order(inst, unsafe { LLVMGetCmpXchgSuccessOrdering(inst) });
        let (space, scope) = (self.pointer_space(pointer), self.sync_scope(inst));
        let old =
            self.atomic(AtomicOp::CompareExchange, ty, space, addr, value, expected, order, scope);
        let done = self.cmp(CmpOp::Eq, ty, old, expected);
        Ok(vec![old, done])
    }

    pub(in crate::lower) fn fence_instruction(&mut self, inst: Val) -> Outcome {
        // SAFETY: LLVM is given an access, of a module that is alive.
        let (scope, order) = (self.sync_scope(inst), self.order(unsafe { LLVMGetOrdering(inst) }));
        self.fence(scope, order, true, true);
        Ok(Vec::new())
    }

    pub(in crate::lower) fn fence(
        &mut self,
        scope: Scope,
        order: Order,
        shared: bool,
        global: bool,
    ) {
        let space = match (shared, global) {
            (true, false) => Space::Shared,
            (false, true) => Space::Global,
            _ => Space::Generic,
        };
        let site = self.site(SiteKind::Fence, 0, 1, space, false, scope);
        self.push(Op::Fence { site, scope, order, shared, global }, None);
    }

    /// `__syncthreads` and its variants; orders both shared and global memory.
    pub(in crate::lower) fn block_barrier(
        &mut self,
        id: Operand,
        threads: Option<Operand>,
        reduce: Option<(BarrierReduce, Operand)>,
    ) -> Option<Operand> {
        self.block_barrier_of(id, threads, reduce, true, true)
    }

    pub(in crate::lower) fn block_barrier_of(
        &mut self,
        id: Operand,
        threads: Option<Operand>,
        reduce: Option<(BarrierReduce, Operand)>,
        orders_shared: bool,
        orders_global: bool,
    ) -> Option<Operand> {
        let site = self.site(SiteKind::Barrier, 0, 1, Space::Generic, false, Scope::Block);
        let barrier = Barrier::Block { id, threads, orders_shared, orders_global, reduce };
        let op = Op::Barrier { site, barrier };
        if let Some((how, _)) = reduce {
            return Some(self.def(op, how.types().1));
        }
        self.push(op, None);
        None
    }

    pub(in crate::lower) fn warp_barrier(&mut self, mask: Operand) {
        let site = self.site(SiteKind::Barrier, 0, 1, Space::Generic, false, Scope::Warp);
        self.push(Op::Barrier { site, barrier: Barrier::Warp { mask } }, None);
    }

    pub(in crate::lower) fn arrive(&mut self, id: Operand, threads: Operand) {
        let site = self.site(SiteKind::Barrier, 0, 1, Space::Generic, false, Scope::Block);
        self.push(Op::Barrier { site, barrier: Barrier::Arrive { id, threads } }, None);
    }
}
