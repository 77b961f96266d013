//! Calls of the checker: at the entry, at accesses, and behind barriers.

use std::collections::{BTreeMap, HashMap};

use llvm_sys::core::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMOffsetOfElement};
use lockstep_kernel::{Barrier, Op, Operand, Scope, SiteId, SiteKind, Space};

use super::builder::Builder;
use super::library::own_atomic;
use super::loops::Loops;
use super::roots::{Root, root};
use super::shared::{self, Placed};
use super::{AroundSite, CheckedAs, DeviceArray, Instrumentation};
use crate::llvm::{self, Module, Opcode, Type, TypeKind, Val};
use crate::prepare::KEEP;

/// Bytes of the checker's own variable in each thread.
const THREAD: u64 = 48;
/// Beside what an access does: a few threads record it for all.
const FOR_BLOCK: u32 = 8;

pub(super) struct Inserted {
    pub(super) arrays: Vec<DeviceArray>,
    pub(super) uses_shared: bool,
    pub(super) each_time: Vec<u32>,
}

/// One access of an instruction.
struct Access {
    pointer: Val,
    /// Where it begins behind the pointer.
    offset: u64,
    size: Size,
    how: CheckedAs,
    loops: Option<AroundSite>,
    for_block: bool,
    /// What the memory must have held for an atomic operation to write.
    guess: Option<Val>,
    narrow: bool,
    number: u32,
    space: Space,
}

enum Size {
    Bytes(u64),
    Value(Val),
}

pub(super) fn insert(
    module: &Module,
    f: Val,
    plan: &Instrumentation,
    placed: &[Placed],
) -> Result<Inserted, String> {
    let instructions: Vec<Val> = llvm::blocks(f).into_iter().flat_map(llvm::instructions).collect();
    let kernel = plan.kernel;
    let mut by_origin: BTreeMap<u32, Vec<SiteId>> = BTreeMap::new();
    for (i, site) in kernel.sites.iter().enumerate() {
        by_origin.entry(site.origin).or_default().push(SiteId(i as u32));
    }
    let barriers: HashMap<SiteId, Barrier> = (kernel.insts())
        .filter_map(|i| match i.op {
            Op::Barrier { site, barrier } => Some((site, barrier)),
            _ => None,
        })
        .collect();

    let mut accesses: Vec<(Val, Vec<Access>)> = Vec::new();
    let mut waits: Vec<(Val, Barrier, Option<u32>)> = Vec::new();
    let mut learns: Vec<Val> = Vec::new();
    for (&origin, sites) in &by_origin {
        let Some(&inst) = instructions.get(origin as usize) else { continue };
        for id in sites {
            if let Some(&barrier) = barriers.get(id) {
                let row = plan.barriers.get(id.0 as usize).copied().flatten();
                // One whose result is used counts for the kernel already.
                waits.push((inst, barrier, row.filter(|_| llvm::users(inst).is_empty())));
            }
        }
        let touches = |id: &&SiteId| {
            matches!(kernel.site(**id).kind, SiteKind::Read | SiteKind::Write | SiteKind::Atomic)
        };
        let own: Vec<SiteId> = sites.iter().filter(touches).copied().collect();
        if own.is_empty() {
            continue;
        }
        if own.iter().any(|&id| teaches(kernel, id, inst)) {
            learns.push(inst);
        }
        let checked = |id: SiteId| plan.checked.get(id.0 as usize).copied().flatten();
        if own.iter().all(|&id| checked(id).is_none()) {
            continue;
        }
        let found = of_instruction(module, inst)
            .ok_or_else(|| format!("cannot be checked: {}", short(inst)))?;
        // As many sites as stretches of memory; a site too many or too few would be another place of the source.
        let mut list = Vec::new();
        for (i, mut access) in found.into_iter().enumerate() {
            let id = own[i.min(own.len() - 1)];
            let site = kernel.site(id);
            let Some(checked) = checked(id) else { continue };
            (access.number, access.how) = (checked.number, checked.how);
            (access.loops, access.for_block) = (checked.loops, checked.for_block);
            access.space = site.space;
            access.narrow = site.kind == SiteKind::Atomic && site.scope <= Scope::Block;
            list.push(access);
        }
        accesses.push((inst, list));
    }

    let entry = *instructions.first().ok_or("an empty kernel")?;
    let looks = waits.iter().any(|(_, _, row)| row.is_some());
    let inserter =
        Inserter::new(module, f, plan, placed, entry, &accesses, !learns.is_empty(), looks)?;
    let loops = Loops::new(f);
    let mut each_time = Vec::new();
    for (inst, list) in &accesses {
        for access in list {
            let flag = match access.loops {
                Some(around) => {
                    let flag = loops.flag(module, *inst, around);
                    each_time.extend(flag.is_none().then_some(access.number));
                    flag
                }
                None => None,
            };
            inserter.access(*inst, access, flag)?;
        }
    }
    let partial = waits.iter().any(|(_, b, _)| is_partial(b));
    for (inst, barrier, _) in &waits {
        inserter.wait(*inst, barrier, partial)?;
    }
    for inst in learns {
        Builder::after(module, inst).call("__lockstep_acquired", &[inserter.thread])?;
    }
    // Last, since they go: each is one that the checker makes.
    for (inst, _, row) in waits {
        if let Some(row) = row {
            let b = Builder::before(module, inst);
            b.call("__lockstep_block_barrier", &[inserter.thread, b.i32(row)])?;
            llvm::erase(inst);
        }
    }
    Ok(Inserted { arrays: inserter.arrays, uses_shared: inserter.uses_shared, each_time })
}

/// A barrier of threads of the warp that may not be all.
fn is_partial(barrier: &Barrier) -> bool {
    let all = u64::from(u32::MAX);
    matches!(barrier, Barrier::Warp { mask } if !matches!(mask, Operand::Imm(m) if m & all == all))
}

/// Whether a thread may know what others have done once it has made this access: an atomic operation whose result is
/// used, or a volatile read that a branch depends on.
fn teaches(kernel: &lockstep_kernel::Kernel, id: SiteId, inst: Val) -> bool {
    let site = kernel.site(id);
    match site.kind {
        SiteKind::Atomic => llvm::users(inst).into_iter().any(|u| !is_keep(u)),
        SiteKind::Read if site.volatile => site.polling || decides(inst),
        _ => false,
    }
}

fn is_keep(inst: Val) -> bool {
    llvm::opcode_of(inst) == Some(Opcode::LLVMCall)
        && llvm::callee(inst).is_some_and(|f| llvm::name(f).starts_with(KEEP))
}

/// Whether a branch may depend on a value, other than through memory. What a call makes of it is not followed.
fn decides(value: Val) -> bool {
    let mut seen = std::collections::HashSet::from([value]);
    let mut work = vec![value];
    while let Some(v) = work.pop() {
        for user in llvm::users(v) {
            match llvm::opcode_of(user) {
                Some(Opcode::LLVMBr | Opcode::LLVMSwitch) => return true,
                Some(Opcode::LLVMCall) if !is_keep(user) => return true,
                Some(Opcode::LLVMStore | Opcode::LLVMLoad | Opcode::LLVMCall) | None => {}
                Some(_) => {
                    if seen.insert(user) {
                        work.push(user);
                    }
                }
            }
        }
    }
    false
}

/// The accesses of an instruction, in the order of its sites; none where it is not known how it accesses memory.
fn of_instruction(module: &Module, inst: Val) -> Option<Vec<Access>> {
    let one = |pointer: Val, offset: u64, size: Size| Access {
        pointer,
        offset,
        size,
        how: CheckedAs::Read,
        loops: None,
        for_block: false,
        guess: None,
        narrow: false,
        number: 0,
        space: Space::Generic,
    };
    let each = |pointer: Val, ty: Type| -> Vec<Access> {
        let stretches = stretches(module, ty);
        stretches.into_iter().map(|(at, n)| one(pointer, at, Size::Bytes(n))).collect()
    };
    match llvm::opcode_of(inst)? {
        Opcode::LLVMLoad => Some(each(llvm::operand(inst, 0), llvm::type_of(inst))),
        Opcode::LLVMStore => {
            let ty = llvm::type_of(llvm::operand(inst, 0));
            Some(each(llvm::operand(inst, 1), ty))
        }
        Opcode::LLVMAtomicRMW => {
            let ty = llvm::type_of(llvm::operand(inst, 1));
            Some(each(llvm::operand(inst, 0), ty))
        }
        Opcode::LLVMAtomicCmpXchg => {
            let ty = llvm::type_of(llvm::operand(inst, 1));
            let mut all = each(llvm::operand(inst, 0), ty);
            all.iter_mut().for_each(|a| a.guess = Some(llvm::operand(inst, 1)));
            Some(all)
        }
        Opcode::LLVMCall => {
            let name = llvm::name(llvm::callee(inst)?);
            let args = llvm::call_args(inst);
            if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") {
                let whole = |pointer: Val| one(pointer, 0, Size::Value(args[2]));
                return Some(vec![whole(args[1]), whole(args[0])]);
            }
            if name.starts_with("llvm.memset.") {
                return Some(vec![one(args[0], 0, Size::Value(args[2]))]);
            }
            let atomic = own_atomic(&name)?;
            let mut access = one(args[0], 0, Size::Bytes(atomic.bytes));
            access.guess = atomic.compares.then(|| args[1]);
            Some(vec![access])
        }
        _ => None,
    }
}

/// The stretches of memory that a value of a type takes, split where the lowering splits them: where the scalar type
/// changes, or bytes are left out.
fn stretches(module: &Module, ty: Type) -> Vec<(u64, u64)> {
    let mut leaves = Vec::new();
    collect(module, ty, 0, &mut leaves);
    let mut out: Vec<(u64, u64, Type, u32)> = Vec::new();
    for (at, size, leaf) in leaves {
        match out.last_mut() {
            Some((start, length, of, n)) if *of == leaf && *start + *length == at && *n < 255 => {
                *length += size;
                *n += 1;
            }
            _ => out.push((at, size, leaf, 1)),
        }
    }
    out.into_iter().map(|(at, size, ..)| (at, size)).collect()
}

fn collect(module: &Module, ty: Type, at: u64, out: &mut Vec<(u64, u64, Type)>) {
    let layout = module.data_layout();
    // SAFETY: LLVM is given types of the kinds that it asks for, of a module that is alive.
    unsafe {
        match llvm::type_kind(ty) {
            TypeKind::LLVMStructTypeKind => {
                for i in 0..LLVMCountStructElementTypes(ty) {
                    let inner = LLVMStructGetTypeAtIndex(ty, i);
                    collect(module, inner, at + LLVMOffsetOfElement(layout, ty, i), out);
                }
            }
            kind @ (TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind) => {
                let inner = LLVMGetElementType(ty);
                let step = LLVMABISizeOfType(layout, inner);
                let n = match kind {
                    TypeKind::LLVMArrayTypeKind => LLVMGetArrayLength2(ty),
                    _ => u64::from(LLVMGetVectorSize(ty)),
                };
                (0..n).for_each(|i| collect(module, inner, at + i * step, out));
            }
            _ => out.push((at, LLVMABISizeOfType(layout, ty), ty)),
        }
    }
}

struct Inserter<'a> {
    module: &'a Module,
    f: Val,
    plan: &'a Instrumentation<'a>,
    placed: &'a [Placed],
    thread: Val,
    arrays: Vec<DeviceArray>,
    /// The pointer to each array's first byte, known from the entry on.
    bases: Vec<Val>,
    uses_shared: bool,
    learns: bool,
}

impl<'a> Inserter<'a> {
    fn new(
        module: &'a Module,
        f: Val,
        plan: &'a Instrumentation,
        placed: &'a [Placed],
        entry: Val,
        accesses: &[(Val, Vec<Access>)],
        learns: bool,
        barriers: bool,
    ) -> Result<Inserter<'a>, String> {
        let first = llvm::instructions(llvm::block_of(entry));
        let first = first.into_iter().find(|&i| llvm::opcode(i) != Opcode::LLVMAlloca);
        let first = first.ok_or("an empty block")?;
        let builder = Builder::before(module, first);
        let thread = builder.local(THREAD);
        let shift = builder.i32(plan.shared_shift);
        builder.call("__lockstep_begin", &[thread, shift])?;
        let all = || accesses.iter().flat_map(|(_, list)| list);
        let uses_shared =
            learns || barriers || all().any(|a| matches!(a.space, Space::Shared | Space::Generic));
        if uses_shared {
            builder.call("__lockstep_begin_shared", &[thread, shift])?;
        }
        let mut inserter = Inserter {
            module,
            f,
            plan,
            placed,
            thread,
            arrays: Vec::new(),
            bases: Vec::new(),
            uses_shared,
            learns,
        };
        for (i, argument) in llvm::arguments(f).into_iter().enumerate() {
            let is_pointer =
                llvm::type_kind(llvm::type_of(argument)) == TypeKind::LLVMPointerTypeKind;
            if is_pointer && llvm::byval_type(f, i as u32).is_none() {
                inserter.add(&builder, Root::Argument(i as u32))?;
            }
        }
        let mut unknown = false;
        for access in all().filter(|a| matches!(a.space, Space::Global | Space::Generic)) {
            let root = root(module, f, access.pointer);
            unknown |= root == Root::Unknown;
            inserter.add(&builder, root)?;
        }
        if unknown {
            for (i, &base) in inserter.bases.iter().enumerate() {
                let base = builder.in_space(base, 0);
                builder.call("__lockstep_object", &[builder.i32(i as u32), base])?;
            }
        }
        Ok(inserter)
    }

    /// The number of an array, which is added where it is new.
    fn add(&mut self, builder: &Builder, root: Root) -> Result<(), String> {
        if self.number(root).is_some() {
            return Ok(());
        }
        let (array, base) = match root {
            Root::Argument(i) => (DeviceArray::Argument(i), llvm::arguments(self.f)[i as usize]),
            Root::Field { argument, offset } => {
                let whole = llvm::arguments(self.f)[argument as usize];
                let place = builder.moved(whole, builder.i64(offset));
                let base = builder.load(builder.pointer_type(), place);
                (DeviceArray::Field { argument, offset }, base)
            }
            Root::Variable(global) => {
                if llvm::is_declaration(global) {
                    return Err(format!("variable {} is defined elsewhere", llvm::name(global)));
                }
                // SAFETY: LLVM is given a global variable, of a module that is alive.
                let bytes = unsafe {
                    LLVMABISizeOfType(self.module.data_layout(), LLVMGlobalGetValueType(global))
                };
                let symbol = llvm::name(global);
                let name = llvm::demangle::variable(&symbol);
                (DeviceArray::Variable { symbol, name, bytes }, global)
            }
            Root::Shared(_) | Root::Own | Root::Unknown => return Ok(()),
        };
        self.arrays.push(array);
        self.bases.push(base);
        Ok(())
    }

    fn number(&self, root: Root) -> Option<usize> {
        let is = |array: &DeviceArray| match (array, root) {
            (DeviceArray::Argument(a), Root::Argument(b)) => *a == b,
            (DeviceArray::Field { argument, offset }, Root::Field { argument: a, offset: o }) => {
                *argument == a && *offset == o
            }
            (DeviceArray::Variable { symbol, .. }, Root::Variable(v)) => *symbol == llvm::name(v),
            _ => false,
        };
        self.arrays.iter().position(is)
    }

    /// `once` is a flag of the thread that says that the access has been recorded.
    fn access(&self, inst: Val, access: &Access, once: Option<Val>) -> Result<(), String> {
        let root = root(self.module, self.f, access.pointer);
        if root == Root::Own {
            return Ok(());
        }
        // Only what a swap found says whether it has written.
        let b = match access.guess {
            Some(_) => Builder::after(self.module, inst),
            None => Builder::before(self.module, inst),
        };
        let kind = match access.guess {
            Some(expected) => {
                let found = match llvm::opcode(inst) {
                    Opcode::LLVMAtomicCmpXchg => b.member(inst, 0),
                    _ => inst,
                };
                let (swapped, failed) = (CheckedAs::Update, CheckedAs::ReadAtomically);
                let equal = b.equal(found, expected);
                b.select(equal, b.i32(swapped as u32), b.i32(failed as u32))
            }
            None => b.i32(access.how as u32 | if access.for_block { FOR_BLOCK } else { 0 }),
        };
        let once = once.unwrap_or_else(|| b.null());
        let pointer = match access.offset {
            0 => access.pointer,
            offset => b.moved(access.pointer, b.i64(offset)),
        };
        let size = match access.size {
            Size::Bytes(n) => b.i64(n),
            Size::Value(v) => b.resized(v, 64),
        };
        let (narrow, number) = (b.i32(access.narrow.into()), b.i32(access.number));
        let (shared, global) = (b.i32(self.plan.shared_shift), b.i32(self.plan.global_shift));
        let objects = b.i32(self.arrays.len() as u32);
        let shared_root = match root {
            Root::Shared(v) => self.placed.iter().find(|p| p.global == v),
            _ => None,
        };
        if access.space == Space::Shared || shared_root.is_some() {
            let (low, high) = match shared_root {
                Some(p) => (p.start, p.size.map_or(0, |size| p.start + size)),
                None => (0, 0),
            };
            let pointer = b.in_space(pointer, 3);
            let at = b.distance(shared::array(self.module), pointer);
            let (low, high) = (b.i32(low as u32), b.i32(high as u32));
            let size = b.resized(size, 32);
            let args = [self.thread, once, at, low, high, size, kind, number, shared];
            b.call("__lockstep_on_shared", &args)?;
            return Ok(());
        }
        let pointer = b.in_space(pointer, 0);
        if let Some(array) = self.number(root) {
            let base = b.in_space(self.bases[array], 0);
            let array = b.i32(array as u32);
            let args =
                [self.thread, once, pointer, base, array, size, kind, narrow, number, global];
            b.call("__lockstep_on_global", &args)?;
        } else if access.space == Space::Global {
            let args = [self.thread, once, pointer, objects, size, kind, narrow, number, global];
            b.call("__lockstep_on_any", &args)?;
        } else {
            let args =
                [self.thread, once, pointer, objects, size, kind, narrow, number, shared, global];
            b.call("__lockstep_on_generic", &args)?;
        }
        Ok(())
    }

    fn wait(&self, inst: Val, barrier: &Barrier, partial: bool) -> Result<(), String> {
        let b = Builder::after(self.module, inst);
        let has_acquired = b.i32(self.learns.into());
        match barrier {
            Barrier::Block { id: Operand::Imm(0), threads: None, .. } => {
                let has_shared = b.i32(self.uses_shared.into());
                let shift = b.i32(self.plan.shared_shift);
                let args = [self.thread, shift, has_shared, has_acquired];
                b.call("__lockstep_after_block_barrier", &args)?;
            }
            Barrier::Warp { .. } if partial => {
                let mask = llvm::call_args(inst).first().copied().ok_or("a barrier's mask")?;
                b.call("__lockstep_after_partial_barrier", &[self.thread, mask, has_acquired])?;
            }
            Barrier::Warp { .. } => {
                b.call("__lockstep_after_warp_barrier", &[self.thread, has_acquired])?;
            }
            _ => return Err(format!("a barrier of some threads only: {}", short(inst))),
        }
        Ok(())
    }
}

/// An instruction as one short line, for messages.
fn short(v: Val) -> String {
    let text = llvm::print_value(v);
    let text = text.trim().split(", !dbg").next().unwrap_or_default();
    text.chars().take(120).collect()
}
