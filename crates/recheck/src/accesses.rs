//! All accesses of a kernel, and the objects that each may touch.
//!
//! A fixed point over all registers, without looking at paths: a register may point into whatever its operands may. A pointer that comes
//! from memory may point anywhere, unless the memory is a struct that the launch hands over.

use std::collections::BTreeSet;

use lockstep_kernel::{
    AtomicOp, BlockId, Kernel, ObjectId, Op, Operand, ParamKind, Scope, SiteId, Space, Ty,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    /// What a pointer parameter points to.
    Param(usize),
    Static(ObjectId),
    /// All `extern __shared__` arrays: one place.
    DynamicShared,
    /// What pointers in a struct parameter point to.
    Field(usize),
    /// What the thread itself has got from `malloc`.
    Own,
}

/// What a pointer may point into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    pub known: BTreeSet<Object>,
    /// Anything else too.
    pub anything: bool,
}

impl Objects {
    fn anything() -> Objects {
        Objects { known: BTreeSet::new(), anything: true }
    }

    fn one(object: Object) -> Objects {
        Objects { known: [object].into(), anything: false }
    }

    /// Whether something is new.
    fn join(&mut self, other: &Objects) -> bool {
        let before = (self.known.len(), self.anything);
        self.known.extend(&other.known);
        self.anything |= other.anything;
        before != (self.known.len(), self.anything)
    }
}

#[derive(Clone, Debug)]
pub struct Access {
    pub site: SiteId,
    pub writes: bool,
    /// The scope and the bytes of an atomic.
    pub atomic: Option<(Scope, u32)>,
    /// Made once for the block, by no thread in particular.
    pub group: bool,
    /// Where it stands.
    pub block: BlockId,
    pub at: usize,
    /// Bytes, where they are known.
    pub bytes: Option<u64>,
    pub objects: Objects,
    /// As far as the front end knows.
    pub space: Space,
}

/// Where an object lives.
pub fn space_of(kernel: &Kernel, object: Object) -> Space {
    match object {
        Object::Param(p) => match kernel.params[p].kind {
            ParamKind::Buffer { space, .. } => space,
            ParamKind::Local { .. } => Space::Shared,
            ParamKind::Aggregate { .. } => Space::Constant,
            ParamKind::Scalar { .. } => Space::Global,
        },
        Object::Static(o) => kernel.objects[o.0 as usize].space,
        Object::DynamicShared => Space::Shared,
        Object::Field(_) => Space::Global,
        Object::Own => Space::Private,
    }
}

/// Whether it is a struct passed by value, which nobody can write.
pub fn is_struct(kernel: &Kernel, object: Object) -> bool {
    matches!(object, Object::Param(p) if matches!(kernel.params[p].kind, ParamKind::Aggregate { .. }))
}

/// All accesses in blocks that control can come to.
pub fn accesses(kernel: &Kernel) -> Vec<Access> {
    let pointers = pointers(kernel);
    let reached = reached(kernel);
    let mut out = Vec::new();
    for (b, block) in kernel.blocks.iter().enumerate().filter(|(b, _)| reached[*b]) {
        for (at, inst) in block.insts.iter().enumerate() {
            let mut add = |site: SiteId, addr: Operand, writes: bool, bytes: Option<u64>| {
                out.push(Access {
                    site,
                    writes,
                    atomic: None,
                    group: false,
                    block: BlockId(b as u32),
                    at,
                    bytes,
                    objects: objects_of(kernel, &pointers, addr),
                    space: kernel.site(site).space,
                });
            };
            let imm = |o: Operand| match o {
                Operand::Imm(n) => Some(n),
                _ => None,
            };
            match &inst.op {
                Op::Load { site, ty, count, addr } => {
                    let bytes = u64::from(ty.bytes()) * u64::from(*count);
                    add(*site, *addr, false, Some(bytes));
                }
                Op::Store { site, ty, values, addr } => {
                    let bytes = u64::from(ty.bytes()) * values.len() as u64;
                    add(*site, *addr, true, Some(bytes));
                }
                Op::Atomic { site, op, ty, addr, scope, .. } => {
                    add(*site, *addr, *op != AtomicOp::Load, Some(u64::from(ty.bytes())));
                    if let Some(last) = out.last_mut() {
                        last.atomic = Some((*scope, ty.bytes()));
                    }
                }
                Op::MemSet { site, dst, len, .. } => add(*site, *dst, true, imm(*len)),
                Op::MemCopy { read, write, dst, src, len, .. } => {
                    add(*read, *src, false, imm(*len));
                    add(*write, *dst, true, imm(*len));
                }
                Op::GroupCopy { read, write, dst, src, .. } => {
                    add(*read, *src, false, None);
                    add(*write, *dst, true, None);
                    out.iter_mut().rev().take(2).for_each(|a| a.group = true);
                }
                _ => {}
            }
        }
    }
    out
}

/// The blocks that control can come to.
pub fn reached(kernel: &Kernel) -> Vec<bool> {
    let mut seen = vec![false; kernel.blocks.len()];
    let mut work = vec![BlockId(0)];
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut seen[b.0 as usize], true) {
            work.extend(kernel.block(b).term.successors());
        }
    }
    seen
}

fn static_object(kernel: &Kernel, id: ObjectId) -> Object {
    match kernel.objects[id.0 as usize].dynamic {
        true => Object::DynamicShared,
        false => Object::Static(id),
    }
}

/// What an operand may point into.
fn objects_of(kernel: &Kernel, pointers: &[Objects], operand: Operand) -> Objects {
    let found = match operand {
        Operand::Reg(r) => pointers[r.0 as usize].clone(),
        Operand::Object(id, _) => Objects::one(static_object(kernel, id)),
        Operand::Imm(_) | Operand::Undef => Objects::default(),
    };
    match found.known.is_empty() {
        true => Objects::anything(),
        false => found,
    }
}

/// By register.
fn pointers(kernel: &Kernel) -> Vec<Objects> {
    let mut of = vec![Objects::default(); kernel.regs.len()];
    for (i, p) in kernel.params.iter().enumerate() {
        match p.kind {
            ParamKind::Scalar { ty: Ty::Ptr, count } => {
                for k in 0..u32::from(count) {
                    of[(p.reg.0 + k) as usize].anything = true;
                }
            }
            ParamKind::Scalar { .. } => {}
            _ => of[p.reg.0 as usize] = Objects::one(Object::Param(i)),
        }
    }
    let operand = |of: &[Objects], o: Operand| match o {
        Operand::Reg(r) => of[r.0 as usize].clone(),
        Operand::Object(id, _) => Objects::one(static_object(kernel, id)),
        Operand::Imm(_) | Operand::Undef => Objects::default(),
    };
    loop {
        let mut changed = false;
        for block in &kernel.blocks {
            for phi in &block.phis {
                for (_, o) in &phi.incoming {
                    let from = operand(&of, *o);
                    changed |= of[phi.dst.0 as usize].join(&from);
                }
            }
            for inst in &block.insts {
                let Some(dst) = inst.dst else { continue };
                let from = match &inst.op {
                    Op::Load { ty: Ty::Ptr | Ty::I64, addr, .. } => {
                        loaded(kernel, &operand(&of, *addr))
                    }
                    Op::Load { .. } => continue,
                    Op::Alloc { .. } => Objects::one(Object::Own),
                    op if op.is_pure() => {
                        let mut all = Objects::default();
                        op.for_each_operand(|o| {
                            all.join(&operand(&of, o));
                        });
                        all
                    }
                    _ => Objects::anything(),
                };
                for k in 0..inst.op.result_count() {
                    changed |= of[(dst.0 + k) as usize].join(&from);
                }
            }
        }
        if !changed {
            return of;
        }
    }
}

/// What a pointer may point into that was loaded from these objects.
fn loaded(kernel: &Kernel, from: &Objects) -> Objects {
    let mut out = Objects { anything: from.anything, known: BTreeSet::new() };
    for &object in &from.known {
        match object {
            Object::Param(p) if is_struct(kernel, object) => {
                out.known.insert(Object::Field(p));
                let is_array = |k: ParamKind| matches!(k, ParamKind::Buffer { .. });
                let arrays = kernel.fields_of(p).filter(|(_, f)| is_array(f.kind));
                out.known.extend(arrays.map(|(i, _)| Object::Param(i)));
            }
            Object::Static(o) if kernel.objects[o.0 as usize].fixed => {
                let held = kernel.objects[o.0 as usize].relocations.iter();
                out.known.extend(held.map(|(_, to, _)| static_object(kernel, *to)));
            }
            _ => out.anything = true,
        }
    }
    out
}
