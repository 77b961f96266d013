//! OpenCL C's builtins that are not arithmetic: work-item functions, barriers, fences, atomics, group copies,
//! `vload`/`vstore`.
//!
//! The builtins are calls of functions without a body, mangled with their parameter types. Builtins that are neither
//! here nor in `opencl_maths` are looked up in libclc.

use lockstep_kernel::{
    AtomicOp, Barrier, BarrierReduce, CmpOp, IntOp, Op, Operand, Order, Scope, SiteKind, Space,
    Special, Ty, WorkSize,
};

use super::Outcome;
use super::events;
use crate::llvm::mangle::{Mangled, Param};
use crate::llvm::{self, TypeKind, Val};
use crate::lower::Lower;
use crate::lower::types::Leaf;

impl Lower<'_> {
    /// `None` where the builtin is unknown here.
    pub(in crate::lower) fn opencl(
        &mut self,
        m: &Mangled,
        inst: Val,
        args: &[Val],
    ) -> Option<Outcome> {
        let name = m.name.as_str();
        if let Some(r) = self.work_item(name, args) {
            return Some(Ok(vec![r]));
        }
        let a: Vec<Operand> = args.iter().map(|&v| self.scalar(v)).collect();
        match (name, &a[..]) {
            ("barrier" | "work_group_barrier", &[flags, ref scope @ ..]) => {
                let Operand::Imm(flags) = flags else {
                    return Some(Err("a barrier with variable flags".into()));
                };
                self.barrier_flags(flags);
                let (shared, global) = (flags & 1 != 0, flags & 2 != 0);
                // A barrier of a wider scope is one between fences of that scope.
                let wider = scope.first().map(|&o| scope_of(o)).filter(|&s| s > Scope::Block);
                if let Some(scope) = wider {
                    self.fence(scope, Order::Release, shared, global);
                }
                self.block_barrier_of(Operand::Imm(0), None, None, shared, global);
                if let Some(scope) = wider {
                    self.fence(scope, Order::Acquire, shared, global);
                }
                return Some(Ok(Vec::new()));
            }
            ("mem_fence" | "read_mem_fence" | "write_mem_fence", &[flags]) => {
                let Operand::Imm(flags) = flags else {
                    return Some(Err("a fence with variable flags".into()));
                };
                let order = match name {
                    "read_mem_fence" => Order::Acquire,
                    "write_mem_fence" => Order::Release,
                    _ => Order::AcqRel,
                };
                let scope = if flags & 2 != 0 { Scope::Device } else { Scope::Block };
                self.fence(scope, order, flags & 1 != 0, flags & 2 != 0);
                return Some(Ok(Vec::new()));
            }
            ("atomic_work_item_fence", &[Operand::Imm(flags), order, scope]) => {
                let (order, scope) = (order_of(order), scope_of(scope));
                self.fence(scope, order, flags & 1 != 0, flags & 2 != 0);
                return Some(Ok(Vec::new()));
            }
            ("work_group_all" | "work_group_any", &[p]) => {
                let p = self.cmp(CmpOp::Ne, Ty::I32, p, Operand::Imm(0));
                let kind =
                    if name == "work_group_all" { BarrierReduce::And } else { BarrierReduce::Or };
                let r = self.block_barrier_of(Operand::Imm(0), None, Some((kind, p)), false, false);
                return Some(Ok(r.into_iter().collect()));
            }
            (_, &[_, ..]) if name.starts_with("work_group_") => {
                if let Some(r) = self.work_group_function(m, args, &a) {
                    return Some(Ok(vec![r]));
                }
            }
            ("wait_group_events", _) => {
                let site = self.site(SiteKind::Barrier, 0, 1, Space::Generic, false, Scope::Block);
                let all = events::waits_for_all(inst);
                let (Ok(count), Some(&list)) = (self.index_operand(args[0]), a.get(1)) else {
                    return Some(Err("call of wait_group_events".into()));
                };
                let barrier = Barrier::GroupCopies { all, count, list };
                self.push(Op::Barrier { site, barrier }, None);
                return Some(Ok(Vec::new()));
            }
            ("prefetch", _) => return Some(Ok(Vec::new())),
            ("async_work_group_copy" | "async_work_group_strided_copy", _) => {
                return Some(self.group_copy(m, name, args, &a));
            }
            ("printf", _) if !args.is_empty() => {
                return Some(self.print_values(args[0], &args[1..]));
            }
            _ => {}
        }
        if name.starts_with("atomic_") || name.starts_with("atom_") {
            return self.opencl_atomic(m, name, inst, args, &a);
        }
        if name.starts_with("vload") || name.starts_with("vstore") {
            return self.vector_access(name, inst, args, &a);
        }
        if let Some(r) = self.opencl_image(m, inst, args) {
            return Some(r);
        }
        self.opencl_maths(m, inst, args)
    }

    /// `work_group_reduce_add`, `work_group_scan_exclusive_max`, `work_group_broadcast` and the like: all work-items of
    /// the work-group wait for each other, but no memory is ordered.
    fn work_group_function(&mut self, m: &Mangled, args: &[Val], a: &[Operand]) -> Option<Operand> {
        let what = m.name.strip_prefix("work_group_")?;
        let ty = self.ty_of(args[0]).ok()?;
        if what == "broadcast" {
            return self.work_group_broadcast(ty, a);
        }
        let op = |name: &str| rmw_op(name, ty, m.params.first()?.is_signed());
        let how = if let Some(name) = what.strip_prefix("reduce_") {
            BarrierReduce::Fold { op: op(name)?, ty }
        } else if let Some(name) = what.strip_prefix("scan_inclusive_") {
            BarrierReduce::Scan { op: op(name)?, ty, inclusive: true }
        } else {
            let name = what.strip_prefix("scan_exclusive_")?;
            BarrierReduce::Scan { op: op(name)?, ty, inclusive: false }
        };
        self.block_barrier_of(Operand::Imm(0), None, Some((how, a[0])), false, false)
    }

    /// The value of the work-item with the given ids: the others contribute no bits.
    fn work_group_broadcast(&mut self, ty: Ty, a: &[Operand]) -> Option<Operand> {
        let t = Ty::I64;
        let mut is_it = Operand::Imm(1);
        for (d, &id) in a[1..].iter().enumerate() {
            let own = self.wide_special(Special::ThreadId(d as u8));
            let same = self.cmp(CmpOp::Eq, t, own, id);
            is_it = self.int(IntOp::And, Ty::I1, is_it, same);
        }
        let word = crate::lower::insts::unsigned(ty);
        let bits = self.bits(ty, word, a[0]);
        let given = self.select(word, is_it, bits, Operand::Imm(0));
        let how = BarrierReduce::Fold { op: AtomicOp::Or, ty: word };
        let r = self.block_barrier_of(Operand::Imm(0), None, Some((how, given)), false, false)?;
        Some(self.bits(word, ty, r))
    }

    fn work_item(&mut self, name: &str, args: &[Val]) -> Option<Operand> {
        let t = Ty::I64;
        match name {
            "get_work_dim" => return Some(self.special(Special::WorkDim)),
            "get_local_linear_id" | "get_global_linear_id" => {
                let global = name == "get_global_linear_id";
                let mut linear = Operand::Imm(0);
                for d in (0..3).rev() {
                    let size = self.extent(d, global);
                    let id = if global {
                        self.global_id(d, false)
                    } else {
                        self.wide_special(Special::ThreadId(d))
                    };
                    linear = self.int(IntOp::Mul, t, linear, size);
                    linear = self.int(IntOp::Add, t, linear, id);
                }
                return Some(linear);
            }
            "get_global_id"
            | "get_local_id"
            | "get_group_id"
            | "get_global_size"
            | "get_local_size"
            | "get_enqueued_local_size"
            | "get_num_groups"
            | "get_global_offset" => {}
            _ => return None,
        }
        let axis_ty = self.ty_of(*args.first()?).ok()?;
        let axis = self.scalar(args[0]);
        if let Operand::Imm(d) = axis {
            return Some(if d < 3 {
                self.work_item_axis(name, d as u8)
            } else {
                Operand::Imm(beyond(name))
            });
        }
        let mut r = Operand::Imm(beyond(name));
        for d in 0..3 {
            let value = self.work_item_axis(name, d);
            let is = self.cmp(CmpOp::Eq, axis_ty, axis, Operand::Imm(d as u64));
            r = self.select(t, is, value, r);
        }
        Some(r)
    }

    fn work_item_axis(&mut self, name: &str, d: u8) -> Operand {
        match name {
            "get_global_id" => self.global_id(d, true),
            "get_local_id" => self.wide_special(Special::ThreadId(d)),
            "get_group_id" => self.wide_special(Special::BlockId(d)),
            "get_num_groups" => self.wide_special(Special::GridDim(d)),
            "get_global_offset" => self.wide_special(Special::GlobalOffset(d)),
            "get_global_size" => self.extent(d, true),
            "get_enqueued_local_size" => self.enqueued_size(d),
            _ => self.extent(d, false),
        }
    }

    fn wide_special(&mut self, s: Special) -> Operand {
        let r = self.special(s);
        self.zext(Ty::I32, Ty::I64, r)
    }

    fn extent(&mut self, d: u8, global: bool) -> Operand {
        if !global {
            return self.wide_special(Special::BlockDim(d));
        }
        let local = self.enqueued_size(d);
        let groups = self.wide_special(Special::GridDim(d));
        let size = self.int(IntOp::Mul, Ty::I64, groups, local);
        self.note_work_size(size, WorkSize::Global(d));
        size
    }

    /// The size of a full work-group; the last ones may be smaller.
    fn enqueued_size(&mut self, d: u8) -> Operand {
        let size = self.special(Special::BlockDim(d));
        self.note_work_size(size, WorkSize::Enqueued);
        self.zext(Ty::I32, Ty::I64, size)
    }

    fn note_work_size(&mut self, value: Operand, size: WorkSize) {
        if let (Operand::Reg(r), true) = (value, self.k.remainders) {
            self.k.work_sizes.push((r, size));
        }
    }

    fn global_id(&mut self, d: u8, with_offset: bool) -> Operand {
        let t = Ty::I64;
        let (group, size) = (self.wide_special(Special::BlockId(d)), self.enqueued_size(d));
        let local = self.wide_special(Special::ThreadId(d));
        let first = self.int(IntOp::Mul, t, group, size);
        let id = self.int(IntOp::Add, t, first, local);
        if !with_offset {
            return id;
        }
        let offset = self.wide_special(Special::GlobalOffset(d));
        self.int(IntOp::Add, t, id, offset)
    }

    fn group_copy(&mut self, m: &Mangled, name: &str, args: &[Val], a: &[Operand]) -> Outcome {
        let Some(Param::Pointer(to)) = m.params.first() else {
            return Err(format!("call of {name}"));
        };
        let Param::Scalar { letter, lanes } = **to else {
            return Err(format!("call of {name}"));
        };
        let lanes = if lanes == 3 { 4 } else { lanes };
        let size = scalar_size(letter).ok_or_else(|| format!("call of {name}"))? * lanes;
        let (dst, src) = (a[0], a[1]);
        let count = self.index_unsigned(args[2])?;
        let one = Operand::Imm(1);
        let (mut dst_stride, mut src_stride) = (one, one);
        let to_local = llvm::address_space(llvm::type_of(args[0])) == 3;
        if name.contains("strided") {
            let stride = self.index_unsigned(args[3])?;
            if to_local {
                src_stride = stride;
            } else {
                dst_stride = stride;
            }
        }
        let (from_space, to_space) = (self.pointer_space(args[1]), self.pointer_space(args[0]));
        let read = self.site(SiteKind::Read, 0, size / lanes, from_space, false, Scope::Block);
        let write = self.site(SiteKind::Write, 0, size / lanes, to_space, false, Scope::Block);
        let event = a.last().copied().unwrap_or(Operand::Imm(0));
        let copy =
            Op::GroupCopy { read, write, dst, src, count, size, dst_stride, src_stride, event };
        Ok(vec![self.def(copy, Ty::Ptr)])
    }

    fn opencl_atomic(
        &mut self,
        m: &Mangled,
        name: &str,
        inst: Val,
        args: &[Val],
        a: &[Operand],
    ) -> Option<Outcome> {
        let pointer = *args.first()?;
        let space = self.pointer_space(pointer);
        let signed = m.params.first()?.is_signed();
        let explicit = name.ends_with("_explicit");
        let base = name.trim_end_matches("_explicit");
        let second = a.get(1).copied().unwrap_or(Operand::Undef);
        let value_ty = args.get(1).and_then(|&v| self.ty_of(v).ok());

        // OpenCL 2.0: order and scope are arguments; the default is sequentially consistent at device scope.
        let after = |n: usize| {
            if explicit {
                let order = a.get(n).map_or(Order::SeqCst, |&o| order_of(o));
                (order, a.get(n + 1).map_or(Scope::Device, |&o| scope_of(o)))
            } else {
                (Order::SeqCst, Scope::Device)
            }
        };
        let outcome = match base {
            "atomic_init" => {
                let ty = value_ty?;
                self.store_leaves(&[Leaf::of(ty)], &[second], a[0], ty.bytes(), space, false);
                Vec::new()
            }
            "atomic_store" => {
                let (order, scope) = after(2);
                self.atomic(
                    AtomicOp::Store,
                    value_ty?,
                    space,
                    a[0],
                    second,
                    Operand::Undef,
                    order,
                    scope,
                );
                Vec::new()
            }
            "atomic_load" => {
                let ty = self.ty_of(inst).ok()?;
                let (order, scope) = after(1);
                vec![self.atomic(
                    AtomicOp::Load,
                    ty,
                    space,
                    a[0],
                    Operand::Undef,
                    Operand::Undef,
                    order,
                    scope,
                )]
            }
            "atomic_exchange" => {
                let (order, scope) = after(2);
                vec![self.atomic(
                    AtomicOp::Exchange,
                    value_ty?,
                    space,
                    a[0],
                    second,
                    Operand::Undef,
                    order,
                    scope,
                )]
            }
            "atomic_compare_exchange_strong" | "atomic_compare_exchange_weak" => {
                let ty = self.ty_of(*args.get(2)?).ok()?;
                let (order, _) = after(3);
                let scope = if explicit {
                    a.get(5).map_or(Scope::Device, |&o| scope_of(o))
                } else {
                    Scope::Device
                };
                let expected_space = self.pointer_space(args[1]);
                let leaf = [Leaf::of(ty)];
                let expected =
                    *self.load_leaves(&leaf, a[1], ty.bytes(), expected_space, false).first()?;
                let old = self.atomic(
                    AtomicOp::CompareExchange,
                    ty,
                    space,
                    a[0],
                    a[2],
                    expected,
                    order,
                    scope,
                );
                self.store_leaves(&leaf, &[old], a[1], ty.bytes(), expected_space, false);
                vec![self.cmp(CmpOp::Eq, ty, old, expected)]
            }
            "atomic_flag_test_and_set" => {
                let (order, scope) = after(1);
                let one = Operand::Imm(1);
                let old = self.atomic(
                    AtomicOp::Exchange,
                    Ty::I32,
                    space,
                    a[0],
                    one,
                    Operand::Undef,
                    order,
                    scope,
                );
                vec![self.cmp(CmpOp::Ne, Ty::I32, old, Operand::Imm(0))]
            }
            "atomic_flag_clear" => {
                let (order, scope) = after(1);
                self.atomic(
                    AtomicOp::Store,
                    Ty::I32,
                    space,
                    a[0],
                    Operand::Imm(0),
                    Operand::Undef,
                    order,
                    scope,
                );
                Vec::new()
            }
            _ if base.starts_with("atomic_fetch_") => {
                let (order, scope) = after(2);
                let ty = value_ty?;
                let op = rmw_op(&base["atomic_fetch_".len()..], ty, signed)?;
                vec![self.atomic(op, ty, space, a[0], second, Operand::Undef, order, scope)]
            }
            // OpenCL 1.x: relaxed, at device scope.
            _ => {
                let op = base.strip_prefix("atomic_").or(base.strip_prefix("atom_"))?;
                let (order, scope) = (Order::Relaxed, Scope::Device);
                let ty = self.ty_of(inst).ok()?;
                match op {
                    "inc" | "dec" => {
                        let op = if op == "inc" { AtomicOp::Add } else { AtomicOp::Sub };
                        vec![self.atomic(
                            op,
                            ty,
                            space,
                            a[0],
                            Operand::Imm(1),
                            Operand::Undef,
                            order,
                            scope,
                        )]
                    }
                    "cmpxchg" => {
                        let op = AtomicOp::CompareExchange;
                        vec![self.atomic(op, ty, space, a[0], *a.get(2)?, second, order, scope)]
                    }
                    _ => {
                        let op = rmw_op(op, ty, signed)?;
                        vec![self.atomic(op, ty, space, a[0], second, Operand::Undef, order, scope)]
                    }
                }
            }
        };
        Some(Ok(outcome))
    }

    /// `vloadN`, `vstoreN`, and the half forms: one access of packed elements.
    fn vector_access(
        &mut self,
        name: &str,
        inst: Val,
        args: &[Val],
        a: &[Operand],
    ) -> Option<Outcome> {
        let half = name.contains("half");
        let aligned = name.contains("loada") || name.contains("storea");
        if let Some(rest) = name.strip_prefix("vload") {
            let ty = self.ty_of(inst).ok()?;
            let n = self.leaves(llvm::type_of(inst)).ok()?.len();
            let &[offset, pointer] = a else { return None };
            if !half && rest.parse::<usize>().ok() != Some(n) {
                return None;
            }
            let element = if half { Ty::F16 } else { ty };
            let addr = self.vector_address(args[0], offset, pointer, element, n, aligned)?;
            let space = self.pointer_space(args[1]);
            let leaves = self.packed(element, n);
            let align = element.bytes() * if aligned { n.next_power_of_two() as u32 } else { 1 };
            let values = self.load_leaves(&leaves, addr, align, space, false);
            if !half || ty == Ty::F16 {
                return Some(Ok(values));
            }
            let to_wide = |v| {
                self.cast(lockstep_kernel::CastOp::FToF(crate::lower::build::RNE), Ty::F16, ty, v)
            };
            return Some(Ok(values.into_iter().map(to_wide).collect()));
        }
        let &[_, offset, pointer] = a else {
            return None;
        };
        let ty = self.ty_of(args[0]).ok()?;
        let mut values = self.value(args[0]).to_vec();
        let n = values.len();
        let element = if half { Ty::F16 } else { ty };
        if half && ty != Ty::F16 {
            let mode = name
                .rsplit_once('_')
                .and_then(|(_, m)| super::nvvm::rounding(m))
                .unwrap_or(crate::lower::build::RNE);
            values = values
                .into_iter()
                .map(|v| self.cast(lockstep_kernel::CastOp::FToF(mode), ty, Ty::F16, v))
                .collect();
        }
        let addr = self.vector_address(args[1], offset, pointer, element, n, aligned)?;
        let space = self.pointer_space(args[2]);
        let leaves = self.packed(element, n);
        let align = element.bytes() * if aligned { n.next_power_of_two() as u32 } else { 1 };
        self.store_leaves(&leaves, &values, addr, align, space, false);
        Some(Ok(Vec::new()))
    }

    fn vector_address(
        &mut self,
        offset_value: Val,
        offset: Operand,
        pointer: Operand,
        element: Ty,
        n: usize,
        aligned: bool,
    ) -> Option<Operand> {
        let ty = self.ty_of(offset_value).ok()?;
        let index = self.zext(ty, Ty::I64, offset);
        let n = if aligned && n == 3 { 4 } else { n };
        Some(self.index(pointer, index, (element.bytes() as usize * n) as i64, 0))
    }

    pub(in crate::lower) fn is_pointer(&self, v: Val) -> bool {
        llvm::type_kind(llvm::type_of(v)) == TypeKind::LLVMPointerTypeKind
    }
}

fn beyond(name: &str) -> u64 {
    u64::from(name.contains("size") || name.contains("num_groups"))
}

fn scalar_size(letter: char) -> Option<u32> {
    Some(match letter {
        'c' | 'a' | 'h' | 'b' => 1,
        's' | 't' | 'H' => 2,
        'i' | 'j' | 'f' => 4,
        'l' | 'm' | 'x' | 'y' | 'd' => 8,
        _ => return None,
    })
}

fn rmw_op(name: &str, ty: Ty, signed: bool) -> Option<AtomicOp> {
    Some(match name {
        "add" if ty.is_float() => AtomicOp::FAdd,
        "sub" if ty.is_float() => AtomicOp::FSub,
        "min" if ty.is_float() => AtomicOp::FMin,
        "max" if ty.is_float() => AtomicOp::FMax,
        "add" => AtomicOp::Add,
        "sub" => AtomicOp::Sub,
        "xchg" => AtomicOp::Exchange,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        "xor" => AtomicOp::Xor,
        "min" if signed => AtomicOp::SMin,
        "min" => AtomicOp::UMin,
        "max" if signed => AtomicOp::SMax,
        "max" => AtomicOp::UMax,
        _ => return None,
    })
}

/// The enumerators of clang's `opencl-c.h`; an order that is not constant is treated as the strongest.
fn order_of(o: Operand) -> Order {
    match o {
        Operand::Imm(0) => Order::Relaxed,
        Operand::Imm(1 | 2) => Order::Acquire,
        Operand::Imm(3) => Order::Release,
        Operand::Imm(4) => Order::AcqRel,
        _ => Order::SeqCst,
    }
}

fn scope_of(o: Operand) -> Scope {
    match o {
        Operand::Imm(0) => Scope::Thread,
        Operand::Imm(1) => Scope::Block,
        Operand::Imm(3) => Scope::System,
        Operand::Imm(4) => Scope::Warp,
        _ => Scope::Device,
    }
}
