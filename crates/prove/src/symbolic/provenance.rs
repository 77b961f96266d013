//! Flow-insensitive pointer provenance: which objects each register may point into.
//!
//! A fixed point over all registers. It is only used to determine which objects the kernel never writes (their contents
//! are then a function of the index, the same for every thread), and which operations may write the others
//! ([`crate::symbolic::versions`]); the accesses themselves are resolved by their address terms
//! ([`crate::symbolic::memory`]). A pointer of unknown origin may point anywhere.

use lockstep_kernel::{BlockId, Kernel, Op, Operand, ParamKind, Space, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::launch::context::Base;

/// Roots of one register.
#[derive(Clone, Debug, Default, PartialEq)]
struct Roots {
    bases: FxHashSet<Base>,
    unknown: bool,
}

/// The objects that an operation, or all operations together, may write.
#[derive(Clone, Debug, Default)]
struct Targets {
    bases: FxHashSet<Base>,
    /// Writes through a pointer of unknown origin, by the address space that the front end determined.
    anywhere: Vec<Space>,
}

/// The objects that something in the kernel may write.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written {
    all: Targets,
    /// For each operation, by its position.
    by: FxHashMap<(BlockId, usize), Targets>,
}

impl Written {
    pub(crate) fn is_written(
        &self,
        kernel: &Kernel,
        base: Base,
        space: Space,
        may_alias: bool,
    ) -> bool {
        self.all.contain(kernel, base, space, may_alias)
    }

    /// Whether the operation at this place may write the object.
    pub(crate) fn may_write(
        &self,
        kernel: &Kernel,
        at: (BlockId, usize),
        base: Base,
        space: Space,
        may_alias: bool,
    ) -> bool {
        self.by.get(&at).is_some_and(|t| t.contain(kernel, base, space, may_alias))
    }
}

impl Targets {
    fn contain(&self, kernel: &Kernel, base: Base, space: Space, may_alias: bool) -> bool {
        let global = |s: Space| matches!(s, Space::Global | Space::Constant);
        let key = match base {
            Base::Field(p, _) => Base::Field(p, u64::MAX),
            b => b,
        };
        if self.bases.contains(&key) {
            return true;
        }
        if self
            .anywhere
            .iter()
            .any(|s| *s == Space::Generic || *s == space || global(*s) && global(space))
        {
            return true;
        }
        // Pointers that may alias: if one object is written, all may be.
        may_alias && global(space) && self.bases.iter().any(|b| may_share(kernel, base, *b))
    }
}

/// Whether two objects may overlap, if pointers of a launch may point into one array, or into a variable.
pub(crate) fn may_share(kernel: &Kernel, a: Base, b: Base) -> bool {
    let is_given = |b: Base| matches!(b, Base::Param(_) | Base::Field(..));
    let is_exported =
        |b: Base| matches!(b, Base::Object(o) if kernel.objects[o.0 as usize].exported);
    is_given(a) && (is_given(b) || is_exported(b)) || is_given(b) && is_exported(a)
}

fn is_array(kind: ParamKind) -> bool {
    matches!(kind, ParamKind::Buffer { .. })
}

fn base_of_object(kernel: &Kernel, id: lockstep_kernel::ObjectId) -> Base {
    if kernel.objects[id.0 as usize].dynamic { Base::DynamicShared } else { Base::Object(id) }
}

pub(crate) fn written(kernel: &Kernel) -> Written {
    let mut roots: Vec<Roots> = vec![Roots::default(); kernel.regs.len()];
    for (i, p) in kernel.params.iter().enumerate() {
        let entry = &mut roots[p.reg.0 as usize];
        match p.kind {
            ParamKind::Scalar { ty: Ty::Ptr, count } => {
                for k in 0..u32::from(count) {
                    roots[(p.reg.0 + k) as usize].unknown = true;
                }
            }
            ParamKind::Scalar { .. } => {}
            _ => {
                entry.bases.insert(Base::Param(i));
            }
        }
    }
    let of = |roots: &[Roots], o: Operand| match o {
        Operand::Reg(r) => roots[r.0 as usize].clone(),
        Operand::Object(id, _) => {
            let mut r = Roots::default();
            r.bases.insert(base_of_object(kernel, id));
            r
        }
        Operand::Imm(_) | Operand::Undef => Roots::default(),
    };
    let mut changed = true;
    while changed {
        changed = false;
        let mut join = |roots: &mut [Roots], dst: u32, from: &Roots| {
            let to = &mut roots[dst as usize];
            if from.unknown && !to.unknown {
                to.unknown = true;
                changed = true;
            }
            for b in &from.bases {
                changed |= to.bases.insert(*b);
            }
        };
        for block in &kernel.blocks {
            for phi in &block.phis {
                for (_, o) in &phi.incoming {
                    let r = of(&roots, *o);
                    join(&mut roots, phi.dst.0, &r);
                }
            }
            for inst in &block.insts {
                let Some(dst) = inst.dst else { continue };
                match &inst.op {
                    Op::Load { ty, count, addr, .. } => {
                        if *ty != Ty::Ptr && *ty != Ty::I64 {
                            continue;
                        }
                        let from = of(&roots, *addr);
                        let mut r = Roots::default();
                        let mut fields = !from.unknown && !from.bases.is_empty();
                        for b in &from.bases {
                            match b {
                                Base::Param(p)
                                    if matches!(
                                        kernel.params[*p].kind,
                                        ParamKind::Aggregate { .. }
                                    ) =>
                                {
                                    r.bases.insert(Base::Field(*p, u64::MAX));
                                    let fields = kernel.fields_of(*p);
                                    let arrays = fields.filter(|(_, f)| is_array(f.kind));
                                    r.bases.extend(arrays.map(|(i, _)| Base::Param(i)));
                                }
                                Base::Object(o) if kernel.objects[o.0 as usize].fixed => {
                                    let held = &kernel.objects[o.0 as usize].relocations;
                                    let held = held.iter().map(|(_, t, _)| *t);
                                    r.bases.extend(held.map(|t| base_of_object(kernel, t)));
                                }
                                _ => fields = false,
                            }
                        }
                        r.unknown = !fields && *ty == Ty::Ptr;
                        if *ty == Ty::I64 && !fields {
                            r = Roots::default();
                        }
                        for k in 0..u32::from(*count) {
                            join(&mut roots, dst.0 + k, &r);
                        }
                    }
                    Op::Alloc { .. } => {
                        let mut r = Roots::default();
                        r.bases.insert(Base::Allocated(dst));
                        join(&mut roots, dst.0, &r);
                    }
                    Op::Index { base, .. } | Op::Texel { image: base, .. } => {
                        let r = of(&roots, *base);
                        join(&mut roots, dst.0, &r);
                    }
                    Op::Int { .. }
                    | Op::IntUn { .. }
                    | Op::Cast { .. }
                    | Op::Copy { .. }
                    | Op::Select { .. }
                    | Op::Funnel { .. } => {
                        let mut all = Roots::default();
                        inst.op.for_each_operand(|o| {
                            let r = of(&roots, o);
                            all.unknown |= r.unknown;
                            all.bases.extend(r.bases);
                        });
                        join(&mut roots, dst.0, &all);
                    }
                    op => {
                        let r = Roots { bases: FxHashSet::default(), unknown: true };
                        for k in 0..op.result_count() {
                            if kernel.regs[(dst.0 + k) as usize] == Ty::Ptr {
                                join(&mut roots, dst.0 + k, &r);
                            }
                        }
                    }
                }
            }
        }
    }
    let mut out = Written::default();
    for (b, block) in kernel.blocks.iter().enumerate() {
        for (at, inst) in block.insts.iter().enumerate() {
            let (addr, site) = match &inst.op {
                Op::Store { addr, site, .. } | Op::Atomic { addr, site, .. } => (*addr, *site),
                Op::MemCopy { dst, write, .. } | Op::GroupCopy { dst, write, .. } => (*dst, *write),
                Op::MemSet { dst, site, .. } => (*dst, *site),
                _ => continue,
            };
            let r = of(&roots, addr);
            let mut targets = Targets::default();
            if r.unknown || r.bases.is_empty() {
                targets.anywhere.push(kernel.site(site).space);
            }
            targets.bases = r.bases;
            out.all.anywhere.extend(&targets.anywhere);
            out.all.bases.extend(&targets.bases);
            out.by.insert((BlockId(b as u32), at), targets);
        }
    }
    out
}
