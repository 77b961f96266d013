//! Pointer provenance: each pointer register's base, by a fixed point over the finished kernel.
//!
//! It gives a site its address space and the variable it goes through, and a parameter whether it is written. A pointer
//! that may come from two bases keeps what they share: the space, if it is the same. A pointer loaded from memory or
//! converted from an integer is unknown; its site keeps the space of the LLVM type, if it has one.

use lockstep_kernel::{CastOp, Kernel, ObjectId, Op, Operand, ParamKind, Reg, SiteId, Space, Ty};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// Nothing is known yet.
    Nothing,
    Param(u32),
    Object(ObjectId),
    Space(Space),
    Unknown,
}

pub(super) fn run(k: &mut Kernel) {
    let bases = bases(k);
    let mut updates: Vec<(SiteId, Operand)> = Vec::new();
    for inst in k.insts() {
        match &inst.op {
            Op::Load { site, addr, .. }
            | Op::Store { site, addr, .. }
            | Op::Atomic { site, addr, .. } => {
                updates.push((*site, *addr));
            }
            Op::MemSet { site, dst, .. } => updates.push((*site, *dst)),
            Op::MemCopy { read, write, dst, src, .. }
            | Op::GroupCopy { read, write, dst, src, .. } => {
                updates.push((*read, *src));
                updates.push((*write, *dst));
            }
            _ => {}
        }
    }
    for (site, addr) in updates {
        let base = of(&bases, addr);
        let (space, through) = match base {
            Base::Param(p) => {
                let param = &k.params[p as usize];
                (Some(param_space(param.kind)), Some(param.name.clone()))
            }
            Base::Object(o) => {
                let object = &k.objects[o.0 as usize];
                (Some(object.space), Some(object.name.clone()))
            }
            Base::Space(s) => (Some(s), None),
            Base::Nothing | Base::Unknown => (None, None),
        };
        let site = &mut k.sites[site.0 as usize];
        site.space = space.filter(|&s| s != Space::Generic).unwrap_or(site.space);
        site.through = through;
    }
}

fn param_space(kind: ParamKind) -> Space {
    match kind {
        ParamKind::Buffer { space, .. } => space,
        ParamKind::Local { .. } => Space::Shared,
        ParamKind::Aggregate { .. } => Space::Constant,
        ParamKind::Scalar { .. } => Space::Generic,
    }
}

pub(super) fn of(bases: &[Base], o: Operand) -> Base {
    match o {
        Operand::Reg(r) => bases[r.0 as usize],
        Operand::Object(id, _) => Base::Object(id),
        // Null and undefined pointers do not restrict the other incoming values.
        Operand::Imm(_) | Operand::Undef => Base::Nothing,
    }
}

pub(super) fn param_of(bases: &[Base], o: Operand) -> Option<usize> {
    match of(bases, o) {
        Base::Param(p) => Some(p as usize),
        _ => None,
    }
}

/// Whether a pointer may point into some parameter's buffer, and it is not known which.
pub(super) fn is_unknown(bases: &[Base], o: Operand) -> bool {
    matches!(of(bases, o), Base::Unknown | Base::Space(Space::Global | Space::Generic))
}

pub(super) fn bases(k: &Kernel) -> Vec<Base> {
    let mut bases = vec![Base::Nothing; k.regs.len()];
    for (i, p) in k.params.iter().enumerate() {
        bases[p.reg.0 as usize] =
            if k.regs[p.reg.0 as usize] == Ty::Ptr { Base::Param(i as u32) } else { Base::Unknown };
    }
    loop {
        let mut changed = false;
        let mut raise = |bases: &mut Vec<Base>, r: Reg, base: Base| {
            let merged = merge(k, bases[r.0 as usize], base);
            if merged != bases[r.0 as usize] {
                bases[r.0 as usize] = merged;
                changed = true;
            }
        };
        for block in &k.blocks {
            for phi in &block.phis {
                for &(_, o) in &phi.incoming {
                    let base = of(&bases, o);
                    raise(&mut bases, phi.dst, base);
                }
            }
            for inst in &block.insts {
                let Some(dst) = inst.dst else { continue };
                match inst.op {
                    Op::Index { base, .. }
                    | Op::Texel { image: base, .. }
                    | Op::Shuffle { value: base, predicate: false, .. }
                    | Op::Copy { a: base, .. } => {
                        let base = of(&bases, base);
                        raise(&mut bases, dst, base);
                    }
                    Op::Cast { op: CastOp::Bit, a, .. } => {
                        let base = of(&bases, a);
                        raise(&mut bases, dst, base);
                    }
                    Op::Select { a, b, .. } => {
                        let (a, b) = (of(&bases, a), of(&bases, b));
                        raise(&mut bases, dst, a);
                        raise(&mut bases, dst, b);
                    }
                    // An integer converted from a pointer keeps its base through addition.
                    Op::Int { ty: Ty::I64, a, b, .. } => {
                        let both = (of(&bases, a), of(&bases, b));
                        let base = match both {
                            (Base::Param(_) | Base::Object(_), _) => both.0,
                            (_, Base::Param(_) | Base::Object(_)) => both.1,
                            _ => Base::Unknown,
                        };
                        raise(&mut bases, dst, base);
                    }
                    _ => {
                        for i in 0..inst.op.result_count().max(1) {
                            raise(&mut bases, Reg(dst.0 + i), Base::Unknown);
                        }
                    }
                }
            }
        }
        if !changed {
            return bases;
        }
    }
}

fn merge(k: &Kernel, a: Base, b: Base) -> Base {
    let space = |x: Base| match x {
        Base::Param(p) => Some(param_space(k.params[p as usize].kind)),
        Base::Object(o) => Some(k.objects[o.0 as usize].space),
        Base::Space(s) => Some(s),
        Base::Nothing | Base::Unknown => None,
    };
    match (a, b) {
        (Base::Nothing, x) | (x, Base::Nothing) => x,
        _ if a == b => a,
        (Base::Unknown, _) | (_, Base::Unknown) => Base::Unknown,
        _ if space(a) == space(b) => Base::Space(space(a).unwrap_or(Space::Generic)),
        _ => Base::Unknown,
    }
}
